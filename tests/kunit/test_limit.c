// SPDX-License-Identifier: GPL-2.0
/* Periods with a limit: fixed while samples are below the limit, longer above it */
#include <asm/tsc.h>

#include "hwthread_fixture.h"
#include "units.h"

#define PERIOD	1009
#define HZ_MOST	500

static struct knc_claim *bench_limited(struct bench *b, u64 period, u32 most)
{
	b->event[0].flags = KNC_PMU_EVENT_LIMIT;
	b->event[0].max_freq = most;
	return bench_sampled(b, 0, 0, period, 0);
}

/* Run @rate events a second for @ms, with a tick every 10 ms; returns the number of samples */
static u64 simulate(struct bench *b, u64 rate, u64 ms)
{
	u64 i, n = b->sampler[0].ring.control->samples;

	for (i = 0; i < ms; i += 10) {
		model_flow(&b->model, rate / 100, 0, 10ULL * tsc_khz);
		bench_tick(b, 0);
		bench_drain(b, 0);
	}
	return b->sampler[0].ring.control->samples - n;
}

static const struct knc_sampling *sampling_of(const struct bench *b)
{
	return &b->sampler[0].sampling[0];
}

/* At nine tenths of the limit every period is as requested. */
static void not_reached(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_limited(b, PERIOD, HZ_MOST));
	u64 rate = PERIOD * HZ_MOST / 10 * 9;

	simulate(b, rate, 5000);
	bench_expect_sums(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0],
			div64_u64(b->model.counted[0], PERIOD));
	KUNIT_EXPECT_EQ(test, b->tally[0].longest[0], PERIOD);
	KUNIT_EXPECT_EQ(test, sampling_of(b)->fast_period, PERIOD);
	bench_detach(b, c);
}

/* Above the limit the rate of samples soon falls to it; even the first second has few more. */
static void reached(struct kunit *test)
{
	static const u64 factors[] = { 2, 5, 20, 100, 1000 };
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int i;
	u64 rate, got;

	for (i = 0; i < ARRAY_SIZE(factors); i++) {
		c = bench_limited(b, PERIOD, HZ_MOST);
		rate = factors[i] * PERIOD * HZ_MOST;
		bench_begin(b, c);
		/* the tick notices after 30 ms at most: too short for a storm */
		got = simulate(b, rate, 1000);
		KUNIT_EXPECT_LE_MSG(test, got, HZ_MOST + factors[i] * HZ_MOST * 3 / 100 + 100,
				    "factor %llu", factors[i]);
		KUNIT_EXPECT_EQ(test, sampling_of(b)->fast_period, 0);
		got = simulate(b, rate, 2000);
		KUNIT_EXPECT_GE_MSG(test, got, HZ_MOST * 2 - HZ_MOST / 5, "factor %llu",
				    factors[i]);
		KUNIT_EXPECT_LE_MSG(test, got, HZ_MOST * 2 + HZ_MOST / 5, "factor %llu",
				    factors[i]);
		bench_expect_sums(b, 0);
		bench_expect_counts(b, 0);
		bench_detach(b, c);
	}
}

/* When events become rare, the period returns to the requested one, and never below. */
static void back(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_limited(b, PERIOD, HZ_MOST));
	u64 slow = PERIOD * HZ_MOST / 2, samples, periods;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		simulate(b, 40ULL * PERIOD * HZ_MOST, 500);
		KUNIT_EXPECT_GT(test, sampling_of(b)->period, 30 * PERIOD);
		simulate(b, slow, 4000);
		KUNIT_EXPECT_EQ(test, sampling_of(b)->period, PERIOD);
		KUNIT_EXPECT_EQ(test, sampling_of(b)->fast_period, PERIOD);
		bench_expect_sums(b, 0);
		samples = b->tally[0].samples[0];
		periods = b->tally[0].periods[0];
		simulate(b, slow, 1000);
		bench_expect_sums(b, 0);
		KUNIT_EXPECT_EQ(test, b->tally[0].periods[0] - periods,
				(b->tally[0].samples[0] - samples) * PERIOD);
		/* almost no events: a limit is no frequency, and does not shorten periods */
		simulate(b, 100, 3000);
		KUNIT_EXPECT_EQ(test, sampling_of(b)->period, PERIOD);
	}
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/*
 * When the period is fixed again, samples report the whole last segment that was drawn at random,
 * and nothing more.
 */
static void segments(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_limited(b, PERIOD, HZ_MOST));
	unsigned int i;

	for (i = 0; i < 100; i++) {
		simulate(b, 3ULL * PERIOD * HZ_MOST, 60);
		KUNIT_EXPECT_GT(test, sampling_of(b)->period, PERIOD);
		/* so few events that the tick adapts the period in the middle of a segment */
		simulate(b, PERIOD * 20, 2000);
		KUNIT_EXPECT_EQ(test, sampling_of(b)->period, PERIOD);
		bench_expect_sums(b, 0);
		if (test->status == KUNIT_FAILURE)
			break;
	}
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/* The longest period is one that a count can hold, reached in steps of at most sixteen. */
static void bounds(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_limited(b, 1, 100));
	const struct knc_sampling *e = sampling_of(b);
	unsigned int i;
	u64 last;

	b->model.pace = 0;
	for (i = 0; i < 100; i++) {
		last = e->period;
		/* twenty times the limit, or as many events as the counter can count */
		model_flow(&b->model, min_t(u64, 20 * last, 1ULL << 36), 0, 10ULL * tsc_khz);
		bench_tick(b, 0);
		KUNIT_EXPECT_LE(test, e->period, 16 * last);
		KUNIT_EXPECT_LE(test, e->period, KNC_PMU_MAX_PERIOD);
	}
	KUNIT_EXPECT_GT(test, e->period, 1ULL << 30);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

static struct kunit_case limit_cases[] = {
	KUNIT_CASE(not_reached),
	KUNIT_CASE(reached),
	KUNIT_CASE(back),
	KUNIT_CASE(segments),
	KUNIT_CASE(bounds),
	{}
};

KNC_SUITE(limit, bench_init, bench_exit);

kunit_test_suites(&limit_suite);
