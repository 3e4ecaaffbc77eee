// SPDX-License-Identifier: GPL-2.0
/* Samples lie on a grid; the events that they stand for add up to the count */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/prandom.h>

#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "hwthread_fixture.h"
#include "sample/storm.h"
#include "seed.h"
#include "units.h"

/* One sample every period, exact to the event */
static void on_the_grid(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 1000, 10007));
	struct knc_pmu_ring *page = b->sampler[0].ring.control;

	model_run(&b->model, 999, 10006);
	KUNIT_EXPECT_EQ(test, page->samples, 0);
	model_run(&b->model, 1, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 1);
	model_run(&b->model, 0, 1);
	KUNIT_EXPECT_EQ(test, page->samples, 2);
	model_run(&b->model, 50000, 50 * 10007);
	bench_expect_sums(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 51);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[1], 51);
	KUNIT_EXPECT_EQ(test, b->tally[0].longest[0], 1000);
	KUNIT_EXPECT_EQ(test, b->tally[0].longest[1], 10007);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 102);
	bench_expect_alive(b);
	bench_detach(b, c);
}

/* A late interrupt does not shift the grid. */
static void late_samples(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 1000, 0));

	b->model.skid = 300;
	model_run(&b->model, 1300, 0);
	b->model.skid = 0;
	KUNIT_EXPECT_EQ(test, b->sampler[0].ring.control->samples, 1);
	model_run(&b->model, 699, 0);
	KUNIT_EXPECT_EQ(test, b->sampler[0].ring.control->samples, 1);
	model_run(&b->model, 1, 0);
	KUNIT_EXPECT_EQ(test, b->sampler[0].ring.control->samples, 2);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* Check the events of a sample whose interrupt is late by @skid */
static void expect_period(struct bench *b, u64 skid, u64 want)
{
	struct tally *t = &b->tally[0];

	/* begin at the same place of the grid each time */
	b->model.skid = skid;
	model_run(&b->model, 1000 + skid, 0);
	bench_expect_sums(b, 0);
	KUNIT_EXPECT_EQ_MSG(b->test, t->last.period, want, "skid %llu", skid);
	b->model.skid = 0;
	model_run(&b->model, (want > skid + 1000 ? want : want + 1000) -
		  (1000 + skid), 0);
	bench_expect_sums(b, 0);
}

/* An interrupt after several periods, also after exactly one, two or three */
static void periods_at_once(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 1000, 0));

	expect_period(b, 0, 1000);
	expect_period(b, 1, 1000);
	expect_period(b, 999, 1000);
	expect_period(b, 1000, 2000);
	expect_period(b, 1001, 2000);
	expect_period(b, 1999, 2000);
	expect_period(b, 2000, 3000);
	expect_period(b, 123456789, 123457000);
	expect_period(b, 0, 1000);
	bench_detach(b, c);
}

static const u64 periods[] = {
	1, 2, 3, 17, 1000, 1000003, 1ULL << 31, 1ULL << 32, (1ULL << 39) - 1,
	1ULL << 39,
};

/* All periods, with random numbers of events between interrupts */
static void random_gains(struct kunit *test)
{
	struct bench *b = test->priv;
	struct rnd_state rnd;
	unsigned int p, i;
	u64 n0, n1, p0, p1;

	prandom_seed_state(&rnd, seed_of(test, 3));
	for (p = 0; p < ARRAY_SIZE(periods) * 4; p++) {
		p0 = periods[p % ARRAY_SIZE(periods)];
		p1 = periods[prandom_u32_state(&rnd) % ARRAY_SIZE(periods)];
		/* a sample must not need too many loads of the counter */
		p0 = min(p0, 8 * model_half(p & 1));
		p1 = min(p1, 8 * model_half(!(p & 1)));
		bench_attach(b, bench_sampled(b, 0, p & 1, p0, p1));
		bench_start(b, &b->claim[0]);
		for (i = 0; i < 60; i++) {
			n0 = p0 * (prandom_u32_state(&rnd) % 4) +
			     prandom_u32_state(&rnd) % p0;
			n1 = p1 * (prandom_u32_state(&rnd) % 4) +
			     prandom_u32_state(&rnd) % p1;
			b->model.skid = (u64)prandom_u32_state(&rnd) << 7 >>
					prandom_u32_state(&rnd) % 40;
			model_run(&b->model, p & 1 ? n1 : n0, p & 1 ? n0 : n1);
			if (i % 7 == 0)
				bench_expect_sums(b, 0);
			if (i % 11 == 5)
				bench_tick(b, 0);
			if (i % 13 == 5)
				bench_reset(b, &b->claim[0]);
			if (i % 17 == 5) {
				bench_stop(b, &b->claim[0]);
				bench_start(b, &b->claim[0]);
			}
		}
		bench_expect_sums(b, 0);
		bench_expect_alive(b);
		bench_detach(b, &b->claim[0]);
		if (test->status == KUNIT_FAILURE) {
			kunit_err(test, "periods %llu and %llu", p0, p1);
			return;
		}
		cond_resched();
	}
}

/* One event is sampled, the other one is only counted. */
static void one_of_two(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 1, 2);

	b->event[1].flags = KNC_PMU_EVENT_SAMPLE;
	b->event[1].sample_period = 100;
	b->config.nr_events = 2;
	b->config.events = b->event;
	KUNIT_ASSERT_EQ(test, 0, knc_sampler_alloc(&b->sampler[0], &b->config,
						   c->cpu, &b->wait));
	knc_sampler_init(&b->sampler[0], &b->config, c, NULL);
	b->event[1].counter = model_number(0);
	bench_begin(b, c);
	model_run(&b->model, 1000, 3 * model_half(1));
	bench_drain(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[1], 10);
	KUNIT_EXPECT_EQ(test, b->tally[0].last.event, 1);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

static void what_a_sample_says(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_pmu_sample *s = &b->tally[0].last;
	struct knc_claim *c;
	unsigned int i;
	u64 before;

	b->model.pace = 0;
	for (i = 0; i < 4; i++) {
		b->event[0].counter = model_number(i & 1);
		c = bench_sampled(b, 0, i & 1, 50, 0);
		b->model.pt_regs.ip = 0x12345678 + i;
		b->model.pt_regs.cs = i & 2 ? __USER_CS : __KERNEL_CS;
		bench_attach(b, c);
		before = ktime_get_ns();
		bench_start(b, c);
		model_pass(&b->model, 100ULL * tsc_khz);
		model_run(&b->model, 50, 50);
		bench_drain(b, 0);
		KUNIT_EXPECT_EQ(test, s->record.cpu, raw_smp_processor_id());
		KUNIT_EXPECT_EQ(test, s->ip, 0x12345678 + i);
		KUNIT_EXPECT_EQ(test, s->pid, current->tgid);
		KUNIT_EXPECT_EQ(test, s->tid, current->pid);
		KUNIT_EXPECT_EQ(test, s->counter, model_number(i & 1));
		KUNIT_EXPECT_EQ(test, s->event, 0);
		KUNIT_EXPECT_EQ(test, s->flags, i & 2 ? 1 : 0);
		KUNIT_EXPECT_EQ(test, s->nr_kernel + s->nr_user, 0);
		KUNIT_EXPECT_EQ(test, s->tsc, b->model.tsc);
		KUNIT_EXPECT_EQ(test, s->period, 50);
		/* 100 ms after START, by the counter's rate */
		KUNIT_EXPECT_GE(test, s->time, before + 99999000);
		KUNIT_EXPECT_LE(test, s->time, ktime_get_ns() + 100001000);
		bench_detach(b, c);
	}
}

/* The clock follows CLOCK_MONOTONIC, even if the first rate was very wrong. */
static void clock(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_sampled(b, 0, 0, 50, 0);
	u64 before, after, last = 0;
	unsigned int i;

	b->model.pace = 0;
	bench_begin(b, c);
	for (i = 0; i < 20; i++) {
		model_pass(&b->model, 10ULL * tsc_khz);
		before = ktime_get_ns();
		bench_tick(b, 0);
		model_run(&b->model, 50, 0);
		after = ktime_get_ns();
		bench_drain(b, 0);
		KUNIT_EXPECT_GE(test, b->tally[0].last.time, before);
		KUNIT_EXPECT_LE(test, b->tally[0].last.time, after);
		KUNIT_EXPECT_GT(test, b->tally[0].last.time, last);
		last = b->tally[0].last.time;
	}
	bench_detach(b, c);
}

static struct model *stalled;
static unsigned int stalls;
static u64 stalled_until;

static void stall(void)
{
	if (!stalls)
		return;
	stalls--;
	mdelay(5);
	model_pass(stalled, 5ULL * tsc_khz);
	stalled_until = ktime_get_ns();
}

/* Run the sampler's tick, whose readings of the clock call @stall_clock, and take a sample */
static void tick_and_sample(struct bench *b, void (*stall_clock)(void))
{
	knc_test_behind_clock = stall_clock;
	bench_tick(b, 0);
	knc_test_behind_clock = NULL;
	model_run(&b->model, 50, 0);
	bench_drain(b, 0);
}

/* The CPU stands still between the two readings of the clock. */
static void clock_stalls(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_sampled(b, 0, 0, 50, 0);
	unsigned int i;

	b->model.pace = 0;
	bench_begin(b, c);
	stalled = &b->model;
	for (i = 1; i < 4; i++) {
		model_pass(&b->model, 10ULL * tsc_khz);
		stalls = i;
		tick_and_sample(b, stall);
		KUNIT_EXPECT_EQ(test, stalls, 0);
		KUNIT_EXPECT_GE(test, b->tally[0].last.time, stalled_until);
		KUNIT_EXPECT_LE(test, b->tally[0].last.time, ktime_get_ns());
	}
	bench_detach(b, c);
}

static void stall_each(void)
{
	/* all pauses but the first are a thousand times longer */
	model_pass(stalled, stalls ? 1000ULL * tsc_khz : tsc_khz);
	stalls++;
}

/* The CPU stands still in each reading of the clock: the shortest reading is used. */
static void clock_stalls_each_time(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_sampled(b, 0, 0, 50, 0);

	b->model.pace = 0;
	knc_test_now = NSEC_PER_SEC;
	bench_begin(b, c);
	stalled = &b->model;
	stalls = 0;
	model_pass(&b->model, 10ULL * tsc_khz);
	knc_test_now += 10ULL * NSEC_PER_MSEC;
	tick_and_sample(b, stall_each);
	KUNIT_EXPECT_EQ(test, stalls, 5);
	/* four seconds of the other readings, at a rate that is wrong by a tenth */
	KUNIT_EXPECT_GE(test, b->tally[0].last.time, knc_test_now + 3ULL * NSEC_PER_SEC);
	knc_test_now = 0;
	bench_detach(b, c);
}

/*
 * @settle seconds after a change to @rate events a second the rate of samples is right within a
 * tenth, measured over at least a tenth of a second
 */
static u64 simulate(struct bench *b, u64 rate, u64 ms)
{
	unsigned int i;
	u64 n = b->sampler[0].ring.control->samples;

	for (i = 0; i < ms; i += 10) {
		model_flow(&b->model, rate / 100, 0, 10ULL * tsc_khz);
		bench_tick(b, 0);
		bench_drain(b, 0);
	}
	return b->sampler[0].ring.control->samples - n;
}

static void expect_rate(struct bench *b, u64 rate, u64 freq)
{
	u64 got = simulate(b, rate, 1000);
	u64 most = freq + freq / 10 + 4; /* each distance is random */

	KUNIT_EXPECT_GE_MSG(b->test, got + freq / 10 + 4, freq,
			    "%llu events a second, %llu samples", rate, freq);
	KUNIT_EXPECT_LE_MSG(b->test, got, most,
			    "%llu events a second, %llu samples", rate, freq);
}

static struct knc_claim *bench_freq(struct bench *b, u64 freq)
{
	b->event[0].flags = KNC_PMU_EVENT_FREQ;
	return bench_sampled(b, 0, 0, freq, 0);
}

static void frequency(struct kunit *test)
{
	static const u64 rates[] = {
		1000, 10000, 1000000, 100000000, 1000000000, 32000000000,
	};
	struct bench *b = test->priv;
	unsigned int i, f;
	struct knc_claim *c;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (f = 10; f <= 1000; f *= 10) {
			c = bench_begin(b, bench_freq(b, f));
			simulate(b, rates[i], f == 10 ? 4000 : 2000);
			expect_rate(b, rates[i], min_t(u64, f, rates[i]));
			bench_expect_sums(b, 0);
			bench_expect_counts(b, 0);
			bench_detach(b, c);
			cond_resched();
		}
	}
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 0);
}

/* The period follows the rate of events, up and down. */
static void frequency_follows(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_freq(b, 500);
	static const u64 rates[] = {
		1000, 1000000, 1000000000, 20000, 400000000, 10000,
	};
	unsigned int i;

	bench_begin(b, c);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		simulate(b, rates[i], 5000);
		expect_rate(b, rates[i], 500);
		bench_expect_sums(b, 0);
	}
	bench_detach(b, c);
}

/* Periods from 1 to 2^39, adapted in steps of at most sixteen */
static void frequency_bounds(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_freq(b, 1));
	u64 *period = &b->sampler[0].sampling[0].period;
	unsigned int i;
	u64 last;

	b->model.pace = 0;
	for (i = 0; i < 300; i++) {
		last = *period;
		/* a wide counter overflows often meanwhile: ticks prevent a storm */
		knc_storm_tick(b->hw);
		/* a hundredth of the distance between two samples */
		model_flow(&b->model, c->count[0].left, 0, 10ULL * tsc_khz);
		KUNIT_EXPECT_LE(test, *period, 16 * last);
		KUNIT_EXPECT_GE(test, *period, last);
	}
	KUNIT_EXPECT_GE(test, *period, KNC_PMU_MAX_PERIOD / 2);
	KUNIT_EXPECT_LE(test, *period, KNC_PMU_MAX_PERIOD);
	bench_expect_sums(b, 0);
	/* now events are very rare */
	for (i = 0; i < 60; i++) {
		last = *period;
		model_pass(&b->model, 1ULL << 45);
		bench_tick(b, 0);
		KUNIT_EXPECT_GE(test, *period, last / 16);
		KUNIT_EXPECT_LE(test, *period, last);
		model_run(&b->model, 1, 0);
	}
	KUNIT_EXPECT_EQ(test, *period, 1);
	bench_expect_sums(b, 0);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/* Places of code that samples may hit */
enum place { IN_FIRST, IN_SECOND, IN_TICK, PLACES };

struct places {
	u64 counted[PLACES];
	u64 told[PLACES];
};

static void place_end(struct bench *b, struct places *p, enum place place,
		      u64 counted, u64 told)
{
	bench_drain(b, 0);
	p->counted[place] += b->model.counted[0] - counted;
	p->told[place] += b->tally[0].periods[0] - told;
}

/* Events that happen at one place */
static void place_run(struct bench *b, struct places *p, enum place place,
		      u64 events)
{
	u64 counted = b->model.counted[0];
	u64 told = b->tally[0].periods[0];

	if (events)
		model_flow(&b->model, events, 0, tsc_khz / 100);
	place_end(b, p, place, counted, told);
}

/* The timer's own code is counted too. */
static void place_tick(struct bench *b, struct places *p)
{
	u64 counted = b->model.counted[0];
	u64 told = b->tally[0].periods[0];

	b->model.tick = 20;
	bench_tick(b, 0);
	b->model.tick = 0;
	place_end(b, p, IN_TICK, counted, told);
}

/*
 * The samples' share of each place equals the counted share within three percentage points: more
 * than six standard deviations of at least 10,000 samples
 */
static void expect_places(struct bench *b, const struct places *p, u64 freq,
			  unsigned int idle)
{
	u64 counted = 0, told = 0;
	unsigned int i;
	u64 off;

	for (i = 0; i < PLACES; i++) {
		counted += p->counted[i];
		told += p->told[i];
	}
	for (i = 0; i < PLACES; i++) {
		off = div64_u64(p->told[i] * 10000, told) + 300 -
		      div64_u64(p->counted[i] * 10000, counted);
		KUNIT_EXPECT_LE_MSG(b->test, off, 600ULL,
				    "-F %llu, %u idle: place %u: %llu of %llu, told %llu of %llu",
				    freq, idle, i, p->counted[i], counted,
				    p->told[i], told);
	}
}

/*
 * A hardware thread that is idle except for a burst every 10 ms or 100 ms: samples hit the code
 * that causes the events, not the moment at which the period is adapted.
 */
static void frequency_of_bursts(struct kunit *test)
{
	static const u64 freqs[] = { 500, 1000 };
	static const unsigned int idles[] = { 1, 2, 10 };
	struct bench *b = test->priv;
	unsigned int f, i, n;
	struct places p;
	struct knc_claim *c;

	b->model.pace = 0;
	for (f = 0; f < ARRAY_SIZE(freqs); f++) {
		for (i = 0; i < ARRAY_SIZE(idles); i++) {
			c = bench_begin(b, bench_freq(b, freqs[f]));
			memset(&p, 0, sizeof(p));
			for (n = 0; n < 2500; n++) {
				if (n % idles[i] == 0) {
					place_run(b, &p, IN_FIRST, 3000);
					place_run(b, &p, IN_SECOND, 5000);
				}
				model_pass(&b->model, 10ULL * tsc_khz);
				place_tick(b, &p);
				if (n == 200)
					memset(&p, 0, sizeof(p));
			}
			expect_places(b, &p, freqs[f], idles[i]);
			bench_expect_sums(b, 0);
			bench_detach(b, c);
			cond_resched();
		}
	}
}

/* A loop as long as a period: samples move through the loop, and do not stick to one place. */
static void frequency_of_loop(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_freq(b, 1000);
	struct places p = { 0 };
	unsigned int n;

	b->model.pace = 0;
	bench_begin(b, c);
	for (n = 0; n < 10000; n++) {
		model_pass(&b->model, tsc_khz - tsc_khz / 50);
		place_run(b, &p, IN_FIRST, 30000);
		place_run(b, &p, IN_SECOND, 70000);
	}
	expect_places(b, &p, 1000, 0);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

static void begin_storm(struct bench *b, u64 events)
{
	u64 pace = b->model.pace;

	b->model.pace = 0;
	model_run(&b->model, events, events);
	b->model.pace = pace;
	KUNIT_ASSERT_GT(b->test, b->sampler[0].ring.control->throttles, 0);
	/* bench_tick() ends throttling, whatever the time */
	b->hw->storm.throttled_until = KNC_UNTIL_TICK;
}

/* Throttling changes neither the count nor the grid. */
static void throttled(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 10, 0));
	struct knc_pmu_ring *page = b->sampler[0].ring.control;
	u64 samples, missing;

	begin_storm(b, 10000);
	samples = page->samples;
	model_run(&b->model, 3 * model_half(0) + 5, 0);
	KUNIT_EXPECT_EQ(test, page->samples, samples);
	bench_expect_counts(b, 0);
	KUNIT_EXPECT_EQ(test, page->unsampled[0], 0);
	bench_tick(b, 0);
	missing = 10000 + 3 * model_half(0) - 10 * samples;
	KUNIT_EXPECT_EQ(test, page->unsampled[0], missing / 10 * 10);
	bench_expect_sums(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].unsampled[0], page->unsampled[0]);
	/* the next sample is on the grid: when the count is a multiple of ten again */
	model_run(&b->model, 10 - (10005 + 3 * model_half(0)) % 10 - 1, 0);
	KUNIT_EXPECT_EQ(test, page->samples, samples);
	model_run(&b->model, 1, 0);
	KUNIT_EXPECT_EQ(test, page->samples, samples + 1);
	bench_expect_alive(b);
	bench_detach(b, c);
}

/* Nothing was counted during throttling: no event is unsampled. */
static void throttled_in_vain(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 1000, 0));
	struct knc_pmu_ring *page = b->sampler[0].ring.control;

	b->model.pace = 0;
	while (!page->throttles)
		model_run(&b->model, 1000, 0);
	bench_tick(b, 0);
	KUNIT_EXPECT_EQ(test, page->unsampled[0], 0);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* @period: of the second event; 0: it is only counted */
static void stop_throttled(struct bench *b, u64 period)
{
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 10, period));

	begin_storm(b, 5000);
	bench_offline(b);
	bench_online(b);
	model_run(&b->model, 1234567, 89);
	bench_stop(b, c);
	bench_expect_sums(b, 0);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/* STOP reports unsampled events, even after the hardware thread was offline. */
static void throttled_and_stopped(struct kunit *test)
{
	struct bench *b = test->priv;

	stop_throttled(b, 7);
	stop_throttled(b, 0);
}

/* Without room for UNTHROTTLE throttling continues. */
static void throttled_and_full(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	struct knc_pmu_ring *page;
	u64 samples;

	b->config.ring_size = KNC_PMU_MIN_RING;
	c = bench_sampled(b, 0, 0, 10, 0);
	page = b->sampler[0].ring.control;
	bench_begin(b, c);
	begin_storm(b, 10000);
	while (page->data_size - (page->head - page->tail) >=
	       sizeof(struct knc_pmu_sample)) {
		bench_tick(b, 0);
		begin_storm(b, 5000);
	}
	samples = page->samples;
	bench_tick(b, 0);
	model_run(&b->model, 5000, 0);
	KUNIT_EXPECT_EQ(test, page->samples, samples);
	bench_expect_counts(b, 0);
	bench_drain(b, 0);
	bench_tick(b, 0);
	bench_expect_sums(b, 0);
	model_run(&b->model, 100, 0);
	KUNIT_EXPECT_GT(test, page->samples, samples);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* Nobody reads the full ring: every event is accounted for. */
static void lost(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_pmu_ring *page;
	struct knc_claim *c;
	unsigned int i;

	b->config.ring_size = KNC_PMU_MIN_RING;
	c = bench_sampled(b, 0, 0, 100, 333);
	page = b->sampler[0].ring.control;
	bench_begin(b, c);
	for (i = 0; i < 10; i++) {
		model_run(&b->model, 20000, 20000);
		bench_expect_sums(b, 0);
		/* no timer runs here: call its function */
		knc_storm_tick(b->hw);
	}
	KUNIT_EXPECT_GT(test, page->lost, 1000);
	KUNIT_EXPECT_EQ(test, b->hw->stats.lost, page->lost);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, page->samples);
	model_run(&b->model, 1000, 1000);
	bench_expect_sums(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].lost, page->lost);
	KUNIT_EXPECT_EQ(test, b->tally[0].lost_events[0], page->lost_events[0]);
	KUNIT_EXPECT_EQ(test, b->tally[0].lost_events[1], page->lost_events[1]);
	bench_detach(b, c);
}

/* STOP reports lost samples that no later sample reports. */
static void lost_before_stop(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;

	b->config.ring_size = KNC_PMU_MIN_RING;
	c = bench_begin(b, bench_sampled(b, 0, 0, 100, 0));
	model_run(&b->model, 20000, 0);
	bench_drain(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].lost, 0);
	bench_stop(b, c);
	bench_drain(b, 0);
	KUNIT_EXPECT_GT(test, b->tally[0].lost, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].lost,
			b->sampler[0].ring.control->lost);
	KUNIT_EXPECT_EQ(test, b->tally[0].periods[0] +
			b->tally[0].lost_events[0], 20000);
	bench_detach(b, c);
}

static void time_sample(struct bench *b)
{
	MODEL_AT(knc_test_time_sample(&b->sampler[0]));
}

/* Deltas add up to the count across RESET, STOP and offline. */
static void time_samples(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_sampled(b, 0, 0, model_half(0),
					       MODEL_HALF);
	struct tally *t = &b->tally[0];
	unsigned int i;

	bench_begin(b, c);
	for (i = 1; i <= 40; i++) {
		model_run(&b->model, i * 1000003, (u64)i << 35);
		if (i % 3 == 0)
			bench_reset(b, c);
		if (i % 5 == 0) {
			bench_stop(b, c);
			bench_start(b, c);
		}
		time_sample(b);
		bench_drain(b, 0);
		KUNIT_EXPECT_EQ(test, t->delta[0], b->model.counted[0]);
		KUNIT_EXPECT_EQ(test, t->delta[1], b->model.counted[1]);
	}
	KUNIT_EXPECT_EQ(test, t->records[KNC_PMU_RECORD_TIME], 40);
	KUNIT_EXPECT_EQ(test, t->missed, 0);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* Without room the next record reports the missed intervals, and their sum. */
static void time_samples_missed(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int i;

	b->config.ring_size = KNC_PMU_MIN_RING;
	c = bench_begin(b, bench_sampled(b, 0, 1, MODEL_HALF, MODEL_HALF));
	for (i = 0; i < 100; i++) {
		model_run(&b->model, 3, 5);
		time_sample(b);
	}
	bench_drain(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].records[KNC_PMU_RECORD_TIME],
			KNC_PMU_MIN_RING / KNC_PMU_TIME_SIZE(2));
	KUNIT_EXPECT_EQ(test, b->tally[0].missed, 0);
	time_sample(b);
	bench_drain(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].records[KNC_PMU_RECORD_TIME] +
			b->tally[0].missed, 101);
	KUNIT_EXPECT_EQ(test, b->tally[0].delta[0], b->model.counted[1]);
	KUNIT_EXPECT_EQ(test, b->tally[0].delta[1], b->model.counted[0]);
	bench_detach(b, c);
}

/*
 * The kernel's call chain starts in the interrupted function, and has at most the requested length.
 */
static void kernel_chain(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int max;

	b->config.flags = KNC_PMU_CONFIG_CHAIN_KERNEL;
	for (max = 1; max <= KNC_PMU_MAX_FRAMES; max += 63) {
		b->config.max_frames = max;
		c = bench_sampled(b, 0, 0, 50, 0);
		b->model.pt_regs.ip = (unsigned long)kernel_chain;
		b->model.pt_regs.cs = __KERNEL_CS;
		bench_begin(b, c);
		model_run(&b->model, 5000, 0);
		bench_expect_sums(b, 0);
		KUNIT_EXPECT_GE(test, b->tally[0].last.nr_kernel, 1);
		KUNIT_EXPECT_LE(test, b->tally[0].last.nr_kernel, max);
		KUNIT_EXPECT_EQ(test, b->tally[0].last.nr_user, 0);
		KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 100);
		b->model.pt_regs.cs = __USER_CS;
		model_run(&b->model, 50, 0);
		bench_drain(b, 0);
		KUNIT_EXPECT_EQ(test, b->tally[0].last.nr_kernel, 0);
		bench_detach(b, c);
	}
}

/* Cases that both PMUs have */
#define SAMPLER_CASES							\
	KUNIT_CASE(on_the_grid),	\
	KUNIT_CASE(late_samples),	\
	KUNIT_CASE(periods_at_once),	\
	KUNIT_CASE(random_gains),	\
	KUNIT_CASE(one_of_two),	\
	KUNIT_CASE(what_a_sample_says),	\
	KUNIT_CASE(clock),	\
	KUNIT_CASE(clock_stalls),	\
	KUNIT_CASE(clock_stalls_each_time),	\
	KUNIT_CASE(frequency),	\
	KUNIT_CASE(frequency_follows),	\
	KUNIT_CASE(frequency_bounds),	\
	KUNIT_CASE(frequency_of_bursts),	\
	KUNIT_CASE(frequency_of_loop),	\
	KUNIT_CASE(throttled),	\
	KUNIT_CASE(throttled_in_vain),	\
	KUNIT_CASE(throttled_and_stopped),	\
	KUNIT_CASE(throttled_and_full),	\
	KUNIT_CASE(lost),	\
	KUNIT_CASE(lost_before_stop),	\
	KUNIT_CASE(time_samples),	\
	KUNIT_CASE(time_samples_missed),	\
	KUNIT_CASE(kernel_chain)

static struct kunit_case sampler_cases[] = {
	SAMPLER_CASES,
	{}
};

static struct kunit_case sampler_wide_cases[] = {
	SAMPLER_CASES,
	{}
};

KNC_SUITE(sampler, bench_init, bench_exit);

KNC_SUITE(sampler_wide, bench_init_wide, bench_exit);

kunit_test_suites(&sampler_suite, &sampler_wide_suite);
