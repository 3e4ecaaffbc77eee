// SPDX-License-Identifier: GPL-2.0
/* Requests for samples: which are refused, and why */
#include <kunit/test.h>
#include <linux/bits.h>

#include <asm/tsc.h>

#include "pmu/hw.h"
#include "request/samples.h"

#define S	KNC_PMU_EVENT_SAMPLE
#define F	KNC_PMU_EVENT_FREQ
#define CU	KNC_PMU_CONFIG_CHAIN_USER
#define CK	KNC_PMU_CONFIG_CHAIN_KERNEL
#define HALF	BIT_ULL(39)
#define MS	1000000ULL

/**
 * struct request - a request, and its answer
 * @reason: enum knc_pmu_reason
 * @at: the event that the refusal names
 * @flags: flags of the two events
 * @period: periods of the two events
 * @interval: between time samples
 * @ring: bytes of the ring
 * @watermark: unread bytes that wake the reader
 * @chains: KNC_PMU_CONFIG_CHAIN_*
 * @frames: most frames of a chain
 */
struct request {
	u32 reason;
	u32 at;
	u32 flags[2];
	u64 period[2];
	u64 interval;
	u32 ring;
	u32 watermark;
	u32 chains;
	u32 frames;
};

#define NONE		KNC_PMU_REASON_NONE
#define PERIOD		KNC_PMU_REASON_SAMPLE_PERIOD
#define FREQ		KNC_PMU_REASON_SAMPLE_FREQ
#define INTERVAL	KNC_PMU_REASON_SAMPLE_INTERVAL
#define SIZE		KNC_PMU_REASON_RING_SIZE
#define FRAMES		KNC_PMU_REASON_FRAMES

static const struct request requests[] = {
	/* no event is sampled */
	{ NONE },
	{ SIZE,		0, { 0 }, { 0 }, 0, 4096 },
	{ SIZE,		0, { 0 }, { 0 }, 0, 0, 1 },
	{ FRAMES,	0, { 0 }, { 0 }, 0, 0, 0, 0, 1 },
	{ FRAMES,	0, { 0 }, { 0 }, 0, 0, 0, CU, 1 },
	{ FREQ,		0, { 0 }, { 1 } },
	{ FREQ,		1, { 0 }, { 0, HALF } },
	{ FREQ,		0, { F }, { 0 } },
	{ FREQ,		1, { 0, F }, { 0, 1 } },
	/* periods */
	{ NONE,		0, { S }, { 1 }, 0, 4096 },
	{ NONE,		0, { S }, { HALF }, 0, 4096 },
	{ NONE,		0, { 0, S }, { 0, HALF - 1 }, 0, 4096 },
	{ NONE,		0, { S, S }, { 1, 2 }, 0, 4096 },
	{ PERIOD,	0, { S }, { 0 }, 0, 4096 },
	{ PERIOD,	0, { S }, { HALF + 1 }, 0, 4096 },
	{ PERIOD,	0, { S, S }, { ~0ULL, 1 }, 0, 4096 },
	{ PERIOD,	1, { S, S }, { 1, 0 }, 0, 4096 },
	{ PERIOD,	1, { 0, S }, { 0, HALF + 1 }, 0, 4096 },
	/* frequencies */
	{ NONE,		0, { S | F }, { 1 }, 0, 4096 },
	{ NONE,		0, { S | F }, { 100000 }, 0, 4096 },
	{ PERIOD,	0, { S | F }, { 0 }, 0, 4096 },
	{ PERIOD,	0, { S | F }, { 100001 }, 0, 4096 },
	{ PERIOD,	1, { S, S | F }, { 100001, 100001 }, 0, 4096 },
	/* time samples */
	{ NONE,		0, { 0 }, { 0 }, MS / 10, 4096 },
	{ NONE,		0, { 0 }, { 0 }, 1000000 * MS, 4096 },
	{ NONE,		0, { S }, { 5 }, 7 * MS, 4096 },
	{ INTERVAL,	0, { 0 }, { 0 }, 1, 4096 },
	{ INTERVAL,	0, { 0 }, { 0 }, MS / 10 - 1, 4096 },
	{ INTERVAL,	0, { 0 }, { 0 }, 1000000 * MS + 1, 4096 },
	{ INTERVAL,	0, { S }, { 5 }, ~0ULL, 4096 },
	/* rings */
	{ SIZE,		0, { S }, { 5 }, 0, 0 },
	{ SIZE,		0, { S }, { 5 }, 0, 2048 },
	{ SIZE,		0, { S }, { 5 }, 0, 4095 },
	{ SIZE,		0, { S }, { 5 }, 0, 4097 },
	{ SIZE,		0, { S }, { 5 }, 0, 12288 },
	{ SIZE,		0, { 0 }, { 0 }, MS, 0 },
	{ NONE,		0, { S }, { 5 }, 0, 8192 },
	{ NONE,		0, { S }, { 5 }, 0, 4 << 20 },
	{ SIZE,		0, { S }, { 5 }, 0, 8 << 20 },
	{ SIZE,		0, { S }, { 5 }, 0, 1u << 31 },
	{ NONE,		0, { S }, { 5 }, 0, 4096, 1 },
	{ NONE,		0, { S }, { 5 }, 0, 4096, 4096 },
	{ SIZE,		0, { S }, { 5 }, 0, 4096, 4097 },
	{ SIZE,		0, { S }, { 5 }, 0, 4096, ~0 },
	/* call chains */
	{ NONE,		0, { S }, { 5 }, 0, 4096, 0, CU, 1 },
	{ NONE,		0, { S }, { 5 }, 0, 8192, 0, CK, 127 },
	/* two samples must fit, each of 56 + 8 * (2 * frames + 16) bytes */
	{ NONE,		0, { S }, { 5 }, 0, 4096, 0, CK, 116 },
	{ SIZE,		0, { S }, { 5 }, 0, 4096, 0, CK, 117 },
	{ NONE,		0, { 0, S }, { 0, 5 }, MS, 4096, 0, CU | CK, 64 },
	{ FRAMES,	0, { S }, { 5 }, 0, 4096, 0, CU, 0 },
	{ FRAMES,	0, { S }, { 5 }, 0, 4096, 0, CK, 128 },
	{ FRAMES,	0, { S }, { 5 }, 0, 4096, 0, 0, 1 },
	{ FRAMES,	0, { 0 }, { 0 }, MS, 4096, 0, CU, 8 },
	{ FRAMES,	0, { S }, { 5 }, 0, 4096, 0, CU | CK, ~0 },
	/* the first applicable reason is reported */
	{ PERIOD,	0, { S, F }, { 0, 1 }, 1, 1, 2, CU, 0 },
	{ INTERVAL,	0, { S }, { 1 }, 1, 1, 2, CU, 0 },
	{ FRAMES,	0, { S }, { 1 }, 0, 1, 2, CU, 0 },
	{ SIZE,		0, { S }, { 1 }, 0, 1, 2, CU, 1 },
};

/* Without the rate of the time stamp counter there is no frequency. */
static const struct request without_rate[] = {
	{ FREQ,		0, { S | F }, { 1 }, 0, 4096 },
	{ FREQ,		1, { S, S | F }, { 5, 100000 }, 0, 4096 },
	{ NONE,		0, { S }, { 5 }, 0, 4096 },
	{ NONE,		0, { 0 }, { 0 }, MS, 4096 },
};

static void expect_answer(struct kunit *test, const struct request *r,
			  unsigned int i)
{
	struct knc_event events[2] = {
		{ .flags = r->flags[0], .sample_period = r->period[0] },
		{ .flags = r->flags[1], .sample_period = r->period[1] },
	};
	struct knc_request c = {
		.flags = r->chains,
		.nr_events = 2,
		.events = events,
		.sample_interval = r->interval,
		.ring_size = r->ring,
		.watermark = r->watermark,
		.max_frames = r->frames,
	};
	struct knc_refusal why = { .reason = NONE };
	int err = knc_samples_check(&c, &why);

	KUNIT_EXPECT_EQ_MSG(test, why.reason, r->reason, "request %u", i);
	KUNIT_EXPECT_EQ_MSG(test, err, r->reason ? -EINVAL : 0,
			    "request %u", i);
	KUNIT_EXPECT_EQ(test, why.event, r->at);
}

static void answers(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(requests); i++)
		expect_answer(test, &requests[i], i);
}

static void no_rate(struct kunit *test)
{
	const unsigned int before = tsc_khz;
	unsigned int i;

	tsc_khz = 0;
	for (i = 0; i < ARRAY_SIZE(without_rate); i++)
		expect_answer(test, &without_rate[i], i);
	tsc_khz = before;
}

/* Events beyond the given number are ignored. */
static void only_its_events(struct kunit *test)
{
	struct knc_event events[2] = { { 0 }, { .flags = S | F } };
	struct knc_request c = { .nr_events = 1, .events = events };
	struct knc_refusal why = { .reason = NONE };

	KUNIT_EXPECT_FALSE(test, knc_samples_wanted(&c));
	KUNIT_EXPECT_EQ(test, knc_samples_check(&c, &why), 0);
	c.nr_events = 2;
	KUNIT_EXPECT_TRUE(test, knc_samples_wanted(&c));
	KUNIT_EXPECT_EQ(test, knc_samples_check(&c, &why), -EINVAL);
	c.nr_events = 1;
	c.sample_interval = MS;
	KUNIT_EXPECT_TRUE(test, knc_samples_wanted(&c));
}

/* A PMU without interrupts offers time samples, but no samples of events. */
static void polled(struct kunit *test)
{
	static const struct request wanted[] = {
		{ NONE,		0, { 0 }, { 0 }, MS, 4096 },
		{ PERIOD,	0, { S }, { 1 }, 0, 4096 },
		{ PERIOD,	1, { 0, S | F }, { 0, 1 }, 0, 4096 },
	};
	struct pmu_desc *desc = kunit_kzalloc(test, sizeof(*desc), GFP_KERNEL);
	const struct pmu_desc *before = this_pmu;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, desc);
	*desc = *before;
	desc->interrupts = false;
	this_pmu = desc;
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		expect_answer(test, &wanted[i], i);
	this_pmu = before;
}

/* A limit needs a period, a possible rate, and a clock. */
static void limits(struct kunit *test)
{
	static const struct {
		u32 reason;
		u32 flags;
		u64 period;
		u32 most;
		bool no_clock;
	} rows[] = {
		{ NONE,		S, 1, 1 },
		{ NONE,		S, HALF, 100000 },
		{ PERIOD,	S, 0, 1 },
		{ PERIOD,	S, HALF + 1, 1 },
		{ PERIOD,	S, 1, 0 },
		{ PERIOD,	S, 1, 100001 },
		{ PERIOD,	S, 1, ~0U },
		{ PERIOD,	S | F, 1, 1 },
		{ FREQ,		0, 1, 1 },
		{ FREQ,		0, 0, 0 },
		{ FREQ,		S, 1, 1, true },
	};
	const unsigned int before = tsc_khz;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct knc_event event = {
			.flags = rows[i].flags | KNC_PMU_EVENT_LIMIT,
			.sample_period = rows[i].period, .max_freq = rows[i].most,
		};
		struct knc_request c = {
			.nr_events = 1, .events = &event, .ring_size = 4096,
		};
		struct knc_refusal why = { .reason = NONE };

		if (rows[i].no_clock)
			tsc_khz = 0;
		knc_samples_check(&c, &why);
		tsc_khz = before;
		KUNIT_EXPECT_EQ_MSG(test, why.reason, rows[i].reason, "row %u", i);
	}
}

static struct kunit_case sampling_cases[] = {
	KUNIT_CASE(answers),
	KUNIT_CASE(no_rate),
	KUNIT_CASE(limits),
	KUNIT_CASE(only_its_events),
	KUNIT_CASE(polled),
	{}
};

static struct kunit_suite sampling_suite = {
	.name = "sampling",
	.test_cases = sampling_cases,
};

kunit_test_suite(sampling_suite);
