// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that sample, with the real timers and on all CPUs
 */
#include <linux/delay.h>
#include <linux/smp.h>

#include <asm/tsc.h>

#include "count/hwthread.h"
#include "records.h"
#include "sample/sampler.h"
#include "session_fixture.h"
#include "units.h"

#define MS	1000000ULL

/**
 * struct hall - a session that samples
 * @st: the stage
 * @tally: sums of the records of each hardware thread's ring
 */
struct hall {
	struct stage *st;
	struct tally tally[STAGE_CPUS];
};

static struct hall *hall_of(struct kunit *test)
{
	struct hall *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);
	unsigned int cpu;

	KUNIT_ASSERT_NOT_NULL(test, h);
	h->st = test->priv;
	h->st->sampling.ring_size = 65536;
	/* time since the reset must suffice to measure the clock's rate */
	for_each_possible_cpu(cpu)
		model_of(cpu)->tsc = 1ULL << 40;
	return h;
}

/* Session 0 samples both events; @p0 0: neither */
static void hall_config(struct hall *h, const struct cpumask *cpus, u64 p0,
			u64 p1)
{
	struct placing p = { .nr = 2 };
	u64 period[2] = { p0, p1 };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		placing_set(&p, i, &stage_any, 1 << i);
		if (!period[i])
			continue;
		p.e[i].flags |= KNC_PMU_EVENT_SAMPLE;
		p.e[i].sample_period = period[i];
	}
	KUNIT_ASSERT_EQ(h->st->test, 0, stage_config(h->st, 0, cpus, &p, 0));
}

static struct knc_sampler *sampler_of(struct hall *h, unsigned int i)
{
	struct knc_sampler *s = knc_test_sampler(h->st->session[0], i);

	KUNIT_ASSERT_NOT_NULL(h->st->test, s);
	return s;
}

static void hall_read(struct hall *h)
{
	unsigned int i;

	for (i = 0; i < num_possible_cpus(); i++)
		tally_read(h->st->test, &sampler_of(h, i)->ring, &h->tally[i]);
}

/* The records of each ring add up to the count of its CPU, to less than a period */
static void hall_expect_sums(struct hall *h, u64 p0, u64 p1)
{
	const u64 period[2] = { p0, p1 };
	unsigned int i, n;
	u64 rest;

	stage_read(h->st, 0);
	hall_read(h);
	for (i = 0; i < num_possible_cpus(); i++) {
		for (n = 0; n < 2; n++) {
			rest = h->st->record[i].value[n] -
			       tally_sum(&sampler_of(h, i)->ring, &h->tally[i], n);
			KUNIT_EXPECT_LT_MSG(h->st->test, rest, period[n],
					    "CPU %u", i);
		}
	}
}

/* Wait for the timer's records, however late they are. */
static void wait_for(struct hall *h, unsigned int cpu,
		     enum knc_pmu_record_type type, u64 nr)
{
	unsigned int i;

	for (i = 0; i < 3000; i++) {
		hall_read(h);
		if (h->tally[cpu].records[type] >= nr)
			return;
		msleep(20);
	}
	KUNIT_FAIL(h->st->test, "%llu records of type %u, not %llu",
		   h->tally[cpu].records[type], type, nr);
}

/* Wait for a new time sample: the next one may have begun already. */
static void wait_for_next(struct hall *h, unsigned int cpu)
{
	hall_read(h);
	wait_for(h, cpu, KNC_PMU_RECORD_TIME,
		 h->tally[cpu].records[KNC_PMU_RECORD_TIME] + 2);
}

static void run_all(u64 n0, u64 n1)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		model_run(model_of(cpu), n0, n1);
}

static void samples_on_all(struct kunit *test)
{
	struct hall *h = hall_of(test);
	unsigned int cpu;

	hall_config(h, cpu_online_mask, 1000, 77);
	run_all(5000, 5000);
	KUNIT_EXPECT_EQ(test, knc_session_start(h->st->session[0]), 0);
	for_each_possible_cpu(cpu)
		model_run(model_of(cpu), 10000 + cpu, 10000 - cpu);
	KUNIT_EXPECT_EQ(test, knc_session_stop(h->st->session[0]), 0);
	run_all(5000, 5000);
	hall_expect_sums(h, 1000, 77);
	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, h->tally[cpu].samples[0], 10);
		KUNIT_EXPECT_EQ(test, h->tally[cpu].last.record.cpu, cpu);
	}
}

/*
 * A locked-down kernel is not sampled. If the interrupt of a user-mode event comes in the kernel,
 * its sample does not show a kernel address either.
 */
static void locked_down(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct model *m = model_of(h->st->last);
	struct placing p = { .nr = 1 };
	unsigned int locked;

	placing_set(&p, 0, &stage_any, 0);
	p.e[0].flags |= KNC_PMU_EVENT_OS | KNC_PMU_EVENT_SAMPLE;
	p.e[0].sample_period = 100;
	knc_test_locked_down = true;
	KUNIT_EXPECT_EQ(test, -EPERM, stage_config(h->st, 0, cpu_online_mask, &p, 0));
	knc_test_locked_down = false;
	KUNIT_EXPECT_EQ(test, h->st->why.reason, KNC_PMU_REASON_LOCKDOWN);
	m->pt_regs.ip = 0xffffffff81234567;
	m->pt_regs.cs = __KERNEL_CS;
	for (locked = 0; locked < 2; locked++) {
		knc_test_locked_down = locked;
		hall_config(h, cpumask_of(h->st->last), 100, 0);
		knc_test_locked_down = false;
		knc_session_start(h->st->session[0]);
		model_run(m, 1000, 0);
		knc_session_stop(h->st->session[0]);
		memset(&h->tally[0], 0, sizeof(h->tally[0]));
		tally_read(test, &sampler_of(h, 0)->ring, &h->tally[0]);
		KUNIT_EXPECT_EQ(test, h->tally[0].samples[0], locked ? 0 : 10);
		KUNIT_EXPECT_EQ(test, sampler_of(h, 0)->ring.control->unsampled[0],
				locked ? 1000 : 0);
		stage_destroy(h->st, 0);
	}
}

/* A session without samples has no ring. */
static void no_ring(struct kunit *test)
{
	struct stage *st = test->priv;

	stage_claim(st, 0, cpu_online_mask, 1);
	KUNIT_EXPECT_NULL(test, knc_test_sampler(st->session[0], 0));
}

static void refused(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct placing p = { .nr = 1 };

	placing_set(&p, 0, &stage_any, 0);
	p.e[0].flags |= KNC_PMU_EVENT_SAMPLE;
	KUNIT_EXPECT_EQ(test, -EINVAL, stage_config(h->st, 0, cpu_online_mask,
						    &p, 0));
	KUNIT_EXPECT_EQ(test, h->st->why.reason, KNC_PMU_REASON_SAMPLE_PERIOD);
	p.e[0].sample_period = 1;
	h->st->sampling.ring_size = 4097;
	KUNIT_EXPECT_EQ(test, -EINVAL, stage_config(h->st, 0, cpu_online_mask,
						    &p, 0));
	KUNIT_EXPECT_EQ(test, h->st->why.reason, KNC_PMU_REASON_RING_SIZE);
	KUNIT_EXPECT_EQ(test, knc_session_number(), 0);
	h->st->sampling.ring_size = 4096;
	KUNIT_EXPECT_EQ(test, 0, stage_config(h->st, 0, cpu_online_mask, &p,
					      0));
}

/* A refusal for busy counters gives the rings back. */
static void refused_busy(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct placing p = { .nr = 1 };

	h->st->sampling.ring_size = 0;
	stage_claim(h->st, 1, cpumask_of(h->st->last), 1);
	h->st->sampling.ring_size = 65536;
	placing_set(&p, 0, &stage_only_0, 0);
	p.e[0].flags |= KNC_PMU_EVENT_SAMPLE;
	p.e[0].sample_period = 100;
	KUNIT_EXPECT_EQ(test, -EBUSY, stage_config(h->st, 0, cpu_online_mask,
						   &p, 0));
	KUNIT_EXPECT_NULL(test, knc_test_sampler(h->st->session[0], 0));
}

/*
 * An overflow at each access of START: samples taken before START returns have a time and a
 * sensible period.
 */
static void samples_amid_start(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct knc_sampler *s;
	unsigned int at;
	u64 before;

	set_cpus_allowed_ptr(current, cpumask_of(h->st->last));
	for (at = 0; at < 16; at++) {
		hall_config(h, cpumask_of(h->st->last), 50, 0);
		s = sampler_of(h, 0);
		model_trip(model_of(h->st->last), 1, at, 0);
		before = ktime_get_ns();
		knc_session_start(h->st->session[0]);
		model_of(h->st->last)->trip = 0;
		memset(&h->tally[0], 0, sizeof(h->tally[0]));
		tally_read(test, &s->ring, &h->tally[0]);
		if (h->tally[0].samples[0])
			KUNIT_EXPECT_GE_MSG(test, h->tally[0].last.time, before,
					    "access %u", at);
		stage_destroy(h->st, 0);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* START of a started session changes nothing: no period is prolonged. */
static void started_again(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct placing p = { .nr = 1 };
	struct model *m = model_of(h->st->last);
	unsigned int i;
	u64 period;

	placing_set(&p, 0, &stage_any, 1);
	p.e[0].flags |= KNC_PMU_EVENT_SAMPLE | KNC_PMU_EVENT_FREQ;
	p.e[0].sample_period = 1000;
	KUNIT_ASSERT_EQ(test, 0, stage_config(h->st, 0, cpumask_of(h->st->last),
					      &p, 0));
	knc_session_start(h->st->session[0]);
	/* 1000 events in each of 30 ms */
	for (i = 0; i < 30; i++) {
		model_flow(m, 1000, 0, tsc_khz);
		knc_session_start(h->st->session[0]);
	}
	period = sampler_of(h, 0)->sampling[0].period;
	KUNIT_EXPECT_GE(test, period, 500);
	KUNIT_EXPECT_LE(test, period, 2000);
}

/* Both the timer and STOP end throttling. */
static void throttles(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct stage *st = h->st;
	struct model *m = model_of(st->last);
	struct knc_pmu_ring *page;
	unsigned int i, tries;

	hall_config(h, cpu_online_mask, 3, 5);
	knc_session_start(st->session[0]);
	page = sampler_of(h, st->last)->ring.control;
	for (i = 0; i < 3; i++) {
		m->pace = 0;
		/* if this hardware thread stands still there is no storm */
		for (tries = 0; page->throttles == i && tries < 1000; tries++)
			model_run(m, 3000, 3000);
		m->pace = tsc_khz / 10;
		KUNIT_EXPECT_GT(test, page->throttles, i);
		/* the next tick ends an expired pause */
		model_pass(m, 10 * (u64)tsc_khz);
		wait_for(h, st->last, KNC_PMU_RECORD_UNTHROTTLE, page->throttles);
		hall_expect_sums(h, 3, 5);
	}
	m->pace = 0;
	model_run(m, 3000, 3000);
	hall_read(h);
	knc_session_stop(st->session[0]);
	hall_expect_sums(h, 3, 5);
	KUNIT_EXPECT_EQ(test, h->tally[st->last].records[KNC_PMU_RECORD_THROTTLE],
			page->throttles);
	KUNIT_EXPECT_EQ(test, h->tally[st->last].records[KNC_PMU_RECORD_UNTHROTTLE],
			page->throttles);
}

static void goes_and_comes(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct stage *st = h->st;
	u64 before = model_of(st->last)->counted[0];
	u64 counted;

	st->sampling.sample_interval = 2 * MS;
	hall_config(h, cpu_online_mask, 100, 1000);
	knc_session_start(st->session[0]);
	run_all(1234, 4321);
	stage_remove_cpu(st, st->last);
	run_all(1111, 1111);
	hall_expect_sums(h, 100, 1000);
	stage_add_cpu(st, st->last);
	run_all(3456, 7890);
	hall_expect_sums(h, 100, 1000);
	/* events while a timer has stopped the counters for a moment are not counted */
	counted = model_of(st->last)->counted[0] - before;
	KUNIT_EXPECT_EQ(test, st->record[st->last].value[0], counted);
	KUNIT_EXPECT_GT(test, counted, 1234);
	/* its timers run again */
	h->tally[st->last].records[KNC_PMU_RECORD_TIME] = 0;
	wait_for(h, st->last, KNC_PMU_RECORD_TIME, 1);
	stage_remove_cpu(st, st->last);
	stage_destroy(st, 0);
}

/* Each interval has a record, or is counted as missed; the deltas add up to the count. */
static void time_samples(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct tally *t = &h->tally[0];
	u64 began, elapsed, nr;
	unsigned int cpu;

	h->st->sampling.sample_interval = MS;
	hall_config(h, cpu_online_mask, 0, 0);
	began = ktime_get_ns();
	knc_session_start(h->st->session[0]);
	run_all(100, 200);
	for_each_possible_cpu(cpu)
		wait_for(h, cpu, KNC_PMU_RECORD_TIME, 50);
	run_all(100, 200);
	for_each_possible_cpu(cpu)
		wait_for_next(h, cpu);
	knc_session_stop(h->st->session[0]);
	elapsed = ktime_get_ns() - began;
	hall_read(h);
	for_each_possible_cpu(cpu) {
		t = &h->tally[cpu];
		nr = t->records[KNC_PMU_RECORD_TIME] + t->missed;
		KUNIT_EXPECT_GE(test, nr, 50);
		KUNIT_EXPECT_LE(test, nr, elapsed / MS);
		KUNIT_EXPECT_EQ(test, t->delta[0], 200);
		KUNIT_EXPECT_EQ(test, t->delta[1], 400);
	}
	/* no record while it is stopped */
	msleep(50);
	nr = t->records[KNC_PMU_RECORD_TIME];
	hall_read(h);
	KUNIT_EXPECT_EQ(test, t->records[KNC_PMU_RECORD_TIME], nr);
}

static void hold_up(void *info)
{
	u64 until = ktime_get_ns() + 20 * MS;

	while (ktime_get_ns() < until)
		cpu_relax();
}

/* Interrupts were off for twenty intervals: the next record reports it. */
static void time_samples_late(struct kunit *test)
{
	struct hall *h = hall_of(test);

	h->st->sampling.sample_interval = MS;
	hall_config(h, cpu_online_mask, 0, 0);
	knc_session_start(h->st->session[0]);
	smp_call_function_single(h->st->last, hold_up, NULL, true);
	wait_for_next(h, h->st->last);
	knc_session_stop(h->st->session[0]);
	hall_read(h);
	KUNIT_EXPECT_GE(test, h->tally[h->st->last].missed, 15);
}

/* poll(): readable as long as there are unread records for which the reader was woken */
static void readable(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct stage *st = h->st;
	struct knc_ring *r;

	st->sampling.watermark = 10 * sizeof(struct knc_pmu_sample);
	hall_config(h, cpu_online_mask, 100, 100);
	r = &sampler_of(h, st->last)->ring;
	knc_session_start(st->session[0]);
	KUNIT_EXPECT_EQ(test, knc_session_poll(st->session[0], NULL, NULL), 0);
	model_run(model_of(st->last), 900, 0);
	KUNIT_EXPECT_FALSE(test, knc_ring_readable(r));
	KUNIT_EXPECT_EQ(test, knc_session_poll(st->session[0], NULL, NULL), 0);
	model_run(model_of(st->last), 100, 0);
	KUNIT_EXPECT_TRUE(test, knc_ring_readable(r));
	KUNIT_EXPECT_EQ(test, knc_session_poll(st->session[0], NULL, NULL),
			EPOLLIN | EPOLLRDNORM);
	hall_read(h);
	KUNIT_EXPECT_EQ(test, knc_session_poll(st->session[0], NULL, NULL), 0);
}

/* Two sessions on one hardware thread with their own samples */
static void two_sessions(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct stage *st = h->st;
	struct placing p = { .nr = 1 };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		placing_set(&p, 0, &stage_any, 1 << i);
		p.e[0].flags |= KNC_PMU_EVENT_SAMPLE;
		p.e[0].sample_period = i ? 10 : 7;
		KUNIT_ASSERT_EQ(test, 0, stage_config(st, i, cpu_online_mask,
						      &p, 0));
		knc_session_start(st->session[i]);
	}
	run_all(70, 70);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, i ? 7 : 10,
				knc_test_sampler(st->session[i],
						 st->last)->ring.control->samples);
	stage_destroy(st, 0);
	run_all(70, 70);
	KUNIT_EXPECT_EQ(test, 14, knc_test_sampler(st->session[1],
						   st->last)->ring.control->samples);
}

/* The statistics of overflow interrupts, of each CPU */
static void stats(struct kunit *test)
{
	struct hall *h = hall_of(test);
	struct stage *st = h->st;
	unsigned int cpu, nr = num_possible_cpus();
	u64 size = nr * sizeof(struct knc_pmu_stats);
	struct knc_pmu_stats *before, *now;

	before = kunit_kzalloc(test, size, GFP_KERNEL);
	now = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, before);
	KUNIT_ASSERT_NOT_NULL(test, now);
	KUNIT_ASSERT_EQ(test, stage_stats(st, before, nr), nr);
	hall_config(h, cpu_online_mask, 100, 100);
	knc_session_start(st->session[0]);
	for_each_possible_cpu(cpu)
		model_run(model_of(cpu), 1000 + 100 * cpu, 500);
	set_cpus_allowed_ptr(current, cpumask_of(st->last));
	KUNIT_EXPECT_FALSE(test, model_nmi(model_of(st->last)));
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	/* no room for the last one, which is still counted */
	KUNIT_EXPECT_EQ(test, stage_stats(st, now, nr - 1), nr);
	KUNIT_EXPECT_EQ(test, now[nr - 1].pmis, 0);
	KUNIT_ASSERT_EQ(test, stage_stats(st, now, nr), nr);
	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, now[cpu].cpu, cpu);
		KUNIT_EXPECT_EQ(test, now[cpu].samples - before[cpu].samples,
				15 + cpu);
		KUNIT_EXPECT_EQ(test, now[cpu].pmis - before[cpu].pmis,
				10 + cpu);
		KUNIT_EXPECT_EQ(test, now[cpu].lost, before[cpu].lost);
		KUNIT_EXPECT_EQ(test, now[cpu].foreign - before[cpu].foreign,
				cpu == st->last);
	}
}

static struct kunit_case session_samples_cases[] = {
	KUNIT_CASE(samples_on_all),
	KUNIT_CASE(locked_down),
	KUNIT_CASE(no_ring),
	KUNIT_CASE(refused),
	KUNIT_CASE(refused_busy),
	KUNIT_CASE(samples_amid_start),
	KUNIT_CASE(started_again),
	KUNIT_CASE(throttles),
	KUNIT_CASE(goes_and_comes),
	KUNIT_CASE(time_samples),
	KUNIT_CASE(time_samples_late),
	KUNIT_CASE(readable),
	KUNIT_CASE(two_sessions),
	KUNIT_CASE(stats),
	{}
};

STAGE_SUITE(session_samples, stage_init, stage_exit);

kunit_test_suite(session_samples_suite);
