// SPDX-License-Identifier: GPL-2.0
/*
 * The uncore PMU: which CPUs have it, its events and event selects, the order of register writes,
 * and counters that wrap between two polls
 *
 * Numbers are written a second time here. The registers are only an array; the emulated host has a
 * model of what hardware does.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/string.h>

#include "request/refusal.h"
#include "request/request.h"
#include "model.h"
#include "host/uncore.h"
#include "pmu/hw.h"
#include "pmu/uncore.h"
#include "units.h"

#define FIRST	0x391
#define LAST	0x3c7

static u64 uncore_regs[LAST - FIRST + 1];
static u64 uncore_written;	/* value of 0x391 when a counter was last written */
static unsigned int uncore_running;	/* writes of counters and selects while a counter runs */
static unsigned int uncore_others;	/* accesses to other registers */
static const struct knc_hw_ops *uncore_former;

static u64 uncore_read_msr(u32 msr)
{
	if (msr < FIRST || msr > LAST) {
		uncore_others++;
		return 0;
	}
	return uncore_regs[msr - FIRST];
}

static void uncore_write_msr(u32 msr, u64 value)
{
	if (msr < FIRST || msr > LAST || msr == 0x392) {
		uncore_others++;
		return;
	}
	if (msr >= 0x394 && uncore_regs[0])
		uncore_running++;
	if (msr == 0x393) {
		uncore_written = value;
		uncore_regs[0x392 - FIRST] &= ~value;
	}
	uncore_regs[msr - FIRST] = value;
}

static u64 uncore_read_tsc(void)
{
	return 1;
}

static struct knc_hw_ops uncore_ops = {
	.read_tsc = uncore_read_tsc,
	.read_msr = uncore_read_msr,
	.write_msr = uncore_write_msr,
};

static u64 *reg(u32 msr)
{
	return &uncore_regs[msr - FIRST];
}

static int uncore_init(struct kunit *test)
{
	memset(uncore_regs, 0, sizeof(uncore_regs));
	uncore_written = 0;
	uncore_running = 0;
	uncore_others = 0;
	uncore_former = knc_hw_ops;
	knc_hw_ops = &uncore_ops;
	return 0;
}

static void uncore_exit(struct kunit *test)
{
	knc_hw_ops = uncore_former;
	KUNIT_EXPECT_EQ(test, uncore_running, 0);
	KUNIT_EXPECT_EQ(test, uncore_others, 0);
}

static void models(struct kunit *test)
{
	unsigned int model;

	for (model = 0; model < 0x100; model++)
		KUNIT_EXPECT_EQ(test, pmu_uncore_is(6, model),
				model == 0x1a || model == 0x1e || model == 0x25 ||
				model == 0x2c);
	KUNIT_EXPECT_FALSE(test, pmu_uncore_is(0xf, 0x2c));
}

static u64 select_of(u64 code, u32 flags, u32 cmask)
{
	const struct pmu_select s = { .code = code, .flags = flags, .cmask = cmask };

	return pmu_uncore_select(&s);
}

/* Bit 17 is set only for occupancy events; no ring bit and no interrupt bit is set */
static void selects(struct kunit *test)
{
	static const u16 occupancies[] = { 0x0102, 0x0223, 0x042a, 0x072b };
	const u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, select_of(0x072c, rings, 0), 0x40072c);
	KUNIT_EXPECT_EQ(test, select_of(0x072c, rings | KNC_PMU_EVENT_EDGE, 0), 0x44072c);
	KUNIT_EXPECT_EQ(test, select_of(0x072c, rings | KNC_PMU_EVENT_INV, 0xab), 0xabc0072cULL);
	for (i = 0; i < ARRAY_SIZE(occupancies); i++)
		KUNIT_EXPECT_EQ(test, select_of(occupancies[i], rings, 0),
				0x420000 | occupancies[i]);
	/* control and counter of the fixed counter */
	KUNIT_EXPECT_EQ(test, select_of(0x00ff, rings, 0), 1);
	KUNIT_EXPECT_EQ(test, pmu_uncore_counters(0x00ff), 0x100000000ULL);
	KUNIT_EXPECT_EQ(test, pmu_uncore_counters(0x072c), 0xff);
}

/* Linux's driver leaves the global enables set: it counts only if it has an event of its own */
static void foreign(struct kunit *test)
{
	unsigned int n;

	KUNIT_EXPECT_FALSE(test, pmu_uncore_counts());
	*reg(0x391) = 0x1000000ffULL;
	KUNIT_EXPECT_FALSE(test, pmu_uncore_counts());
	for (n = 0; n < 8; n++) {
		*reg(0x3c0 + n) = 0x400309;
		KUNIT_EXPECT_TRUE(test, pmu_uncore_counts());
		*reg(0x391) = 0x1000000ffULL & ~(1ULL << n);
		KUNIT_EXPECT_FALSE(test, pmu_uncore_counts());
		*reg(0x391) = 0x1000000ffULL;
		*reg(0x3c0 + n) = 0x309;
		KUNIT_EXPECT_FALSE(test, pmu_uncore_counts());
	}
	*reg(0x395) = 1;
	KUNIT_EXPECT_TRUE(test, pmu_uncore_counts());
	*reg(0x391) = 0xff;
	KUNIT_EXPECT_FALSE(test, pmu_uncore_counts());
}

/* Former contents are restored, and a running counter is not written */
static void saves(struct kunit *test)
{
	struct pmu_uncore_saved saved;
	u64 before[ARRAY_SIZE(uncore_regs)];
	unsigned int n;

	for (n = 0; n < 8; n++) {
		*reg(0x3b0 + n) = 1000 + n;
		*reg(0x3c0 + n) = 0x300 + n;
	}
	*reg(0x391) = 0x1000000ffULL;
	*reg(0x394) = 77;
	*reg(0x395) = 4;
	*reg(0x396) = 0x1234;
	*reg(0x392) = 0xa000000100000081ULL;
	memcpy(before, uncore_regs, sizeof(before));
	pmu_uncore_save(&saved);
	KUNIT_EXPECT_EQ(test, *reg(0x391), 0);
	KUNIT_EXPECT_EQ(test, uncore_written, 0xa0000001000000ffULL);
	KUNIT_EXPECT_EQ(test, *reg(0x392), 0);
	for (n = 0; n < 8; n++)
		KUNIT_EXPECT_EQ(test, *reg(0x3c0 + n), 0);
	KUNIT_EXPECT_EQ(test, *reg(0x395), 0);

	*reg(0x3b2) = 5;
	pmu_uncore_program(2, 0x40072c);
	pmu_uncore_program(32, 1);
	KUNIT_EXPECT_EQ(test, *reg(0x3c2), 0x40072c);
	KUNIT_EXPECT_EQ(test, *reg(0x3b2), 0);
	KUNIT_EXPECT_EQ(test, *reg(0x395), 1);
	KUNIT_EXPECT_EQ(test, *reg(0x394), 0);
	pmu_uncore_enable(0x100000004ULL);
	KUNIT_EXPECT_EQ(test, *reg(0x391), 0x100000004ULL);
	*reg(0x3b2) = 12;
	*reg(0x394) = 13;
	KUNIT_EXPECT_EQ(test, pmu_uncore_read(2), 12);
	KUNIT_EXPECT_EQ(test, pmu_uncore_read(32), 13);

	pmu_uncore_restore(&saved);
	*reg(0x392) = before[0x392 - FIRST];
	*reg(0x393) = before[0x393 - FIRST];
	KUNIT_EXPECT_EQ(test, memcmp(before, uncore_regs, sizeof(before)), 0);
}

/* A session of an event and the clock, on the package of CPU 0 */
static struct knc_uncore *open_two(struct kunit *test)
{
	const u32 rings = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
	struct knc_event events[2] = {
		{ .event = 0x072c, .flags = rings }, { .event = 0x00ff, .flags = rings },
	};
	struct knc_request req = { .cpus = cpumask_of(0), .nr_events = 2, .events = events };
	struct knc_refusal why = { 0 };
	struct knc_uncore *u;

	KUNIT_ASSERT_EQ(test, knc_uncore_check(&req, &why), 0);
	u = knc_uncore_open(&req, &why);
	KUNIT_ASSERT_FALSE(test, IS_ERR(u));
	return u;
}

static void expect_counts(struct kunit *test, const struct knc_uncore *u, u64 event, u64 clock)
{
	KUNIT_EXPECT_EQ(test, knc_test_uncore_count(u, 0), event);
	KUNIT_EXPECT_EQ(test, knc_test_uncore_count(u, 1), clock);
}

/* Counters of 48 bits that wrap between two polls lose nothing, any number of times */
static void wraps(struct kunit *test)
{
	const u64 wrap = 1ULL << 48;
	struct knc_uncore *u = open_two(test);

	knc_uncore_run(u, true);
	*reg(0x3b0) = wrap - 100;
	*reg(0x394) = wrap / 2;
	knc_test_uncore_poll();
	expect_counts(test, u, wrap - 100, wrap / 2);
	*reg(0x3b0) = 50;
	*reg(0x394) = wrap - 1;
	knc_test_uncore_poll();
	expect_counts(test, u, wrap + 50, wrap - 1);
	*reg(0x3b0) = 49;
	*reg(0x394) = 0;
	knc_test_uncore_poll();
	expect_counts(test, u, 2 * wrap + 49, wrap);
	/* STOP reads once more; later events are not the session's */
	*reg(0x3b0) = 51;
	knc_uncore_run(u, false);
	expect_counts(test, u, 2 * wrap + 51, wrap);
	*reg(0x394) = 1000;
	knc_test_uncore_poll();
	expect_counts(test, u, 2 * wrap + 51, wrap);
	knc_uncore_close(u);
}

static bool has_gap(const struct knc_uncore *u)
{
	struct knc_pmu_thread record;

	knc_test_uncore_record(u, &record);
	return record.flags & KNC_PMU_THREAD_GAP;
}

/*
 * The status shows a wrap that the counter's value does not: it has counted 2^48. The next status
 * shows a wrap between the two reads.
 */
static void wraps_unseen(struct kunit *test)
{
	struct knc_uncore *u = open_two(test);

	/* bits from before the session do not count */
	*reg(0x392) = 0x100000001ULL;
	knc_uncore_run(u, true);
	KUNIT_EXPECT_EQ(test, *reg(0x392), 0);
	*reg(0x3b0) = 1000;
	knc_test_uncore_poll();
	*reg(0x3b0) = 10;
	knc_test_uncore_poll();
	KUNIT_EXPECT_FALSE(test, has_gap(u));
	*reg(0x392) = 1;
	*reg(0x3b0) = 20;
	knc_test_uncore_poll();
	KUNIT_EXPECT_EQ(test, *reg(0x392), 0);
	KUNIT_EXPECT_FALSE(test, has_gap(u));
	/* a wrap that both status and value show; the other bit is not the session's */
	*reg(0x392) = 0x3;
	*reg(0x3b0) = 5;
	knc_test_uncore_poll();
	KUNIT_EXPECT_FALSE(test, has_gap(u));
	*reg(0x392) = 0x100000000ULL;
	*reg(0x394) = 77;
	knc_test_uncore_poll();
	KUNIT_EXPECT_TRUE(test, has_gap(u));
	knc_uncore_close(u);
}

/* RESET clears counters, and the accumulators of occupancy events by bit 17 of their selects */
static void resets(struct kunit *test)
{
	struct knc_uncore *u = open_two(test);

	knc_uncore_run(u, true);
	*reg(0x3b0) = 1000;
	*reg(0x3c0) = 0;
	knc_uncore_reset(u, false);
	KUNIT_EXPECT_EQ(test, *reg(0x3c0), 0x40072c);
	KUNIT_EXPECT_EQ(test, *reg(0x3b0), 0);
	KUNIT_EXPECT_EQ(test, *reg(0x391), 0x100000001ULL);
	*reg(0x3b0) = 7;
	knc_test_uncore_poll();
	expect_counts(test, u, 7, 0);
	/* a stopped session stays stopped */
	knc_uncore_run(u, false);
	knc_uncore_reset(u, false);
	KUNIT_EXPECT_EQ(test, *reg(0x391), 0);
	expect_counts(test, u, 0, 0);
	knc_uncore_close(u);
}

/* From CONFIG to close a poll is due before a 48-bit counter of a 10 GHz clock wraps */
static void polls(struct kunit *test)
{
	const u64 hz = 10000000000ULL;
	struct knc_uncore *u;

	KUNIT_EXPECT_FALSE(test, knc_test_uncore_polls(hz));
	u = open_two(test);
	KUNIT_EXPECT_TRUE(test, knc_test_uncore_polls(hz));
	knc_uncore_run(u, true);
	knc_test_uncore_cancel();
	KUNIT_EXPECT_FALSE(test, knc_test_uncore_polls(hz));
	knc_test_uncore_poll();
	KUNIT_EXPECT_TRUE(test, knc_test_uncore_polls(hz));
	knc_uncore_close(u);
	KUNIT_EXPECT_FALSE(test, knc_test_uncore_polls(hz));
}

/* A real-time program starves the poll's kernel thread: no caller waits for it. */
static void closes_beside_a_poll(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, knc_test_uncore_close_early(open_two(test)));
}

static struct kunit_case uncore_cases[] = {
	KUNIT_CASE(models),
	KUNIT_CASE(selects),
	KUNIT_CASE(foreign),
	KUNIT_CASE(saves),
	KUNIT_CASE(wraps),
	KUNIT_CASE(wraps_unseen),
	KUNIT_CASE(resets),
	KUNIT_CASE(polls),
	KUNIT_CASE(closes_beside_a_poll),
	{}
};

KNC_SUITE(uncore, uncore_init, uncore_exit);

kunit_test_suites(&uncore_suite);
