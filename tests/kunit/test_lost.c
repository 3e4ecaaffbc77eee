// SPDX-License-Identifier: GPL-2.0
/*
 * A core was switched off or reset, and lost its registers. Counts are exact, or their record is
 * flagged.
 */
#include "count/refresh.h"
#include "hwthread_fixture.h"
#include "task_fixture.h"
#include "units.h"

static void lose(struct model *m)
{
	model_fill(m, &model_zeros);
	m->regs.lvtpc = MODEL_LVT_MASKED;
	m->status = 0;
	m->line = 0;
}

/* What the timer of tsc-rate.c does */
static void refresh(struct bench *b)
{
	MODEL_AT(knc_refresh_counts(b->hw, ktime_get_ns()));
}

/* Read with CLOCK_MONOTONIC as the module does */
static struct knc_pmu_thread read_now(struct bench *b, struct knc_claim *c)
{
	b->now = ktime_get_ns();
	return bench_read(b, c);
}

static void expect(struct bench *b, u64 value, u32 flags)
{
	struct knc_pmu_thread r = read_now(b, &b->claim[0]);

	KUNIT_EXPECT_EQ(b->test, r.value[0], value);
	KUNIT_EXPECT_EQ(b->test, r.value[1], value);
	KUNIT_EXPECT_EQ(b->test, r.flags, flags);
	if (b->claim[0].started)
		KUNIT_EXPECT_EQ(b->test, r.time_running < r.time_enabled, !!flags);
}

static void run(struct bench *b, u64 events)
{
	model_run(&b->model, events, events);
}

static struct bench *counting(struct kunit *test)
{
	struct bench *b = test->priv;

	b->now = ktime_get_ns();
	bench_attach(b, bench_claim(b, 0, 0, 2));
	bench_start(b, &b->claim[0]);
	run(b, 10);
	return b;
}

/* Check that the claim counts again, and that its overflows interrupt. */
static void expect_mended(struct bench *b)
{
	struct knc_pmu_thread r = read_now(b, &b->claim[0]);
	unsigned int i;

	run(b, 7);
	expect(b, r.value[0] + 7, r.flags);
	for (i = 0; i < MODEL_NR; i++)
		KUNIT_EXPECT_EQ(b->test, b->model.regs.perfevtsel[i], bench_evtsel(0, i));
	b->model.nr_pmis = 0;
	model_run(&b->model, 2 * model_half(0), 0);
	KUNIT_EXPECT_GE(b->test, b->model.nr_pmis, 1);
	bench_expect_alive(b);
	bench_reset(b, &b->claim[0]);
	expect(b, 0, 0);
	bench_detach(b, &b->claim[0]);
}

/* READ finds the loss. Events since the last update are unknown. */
static void found_by_read(struct kunit *test)
{
	struct bench *b = counting(test);

	refresh(b);
	run(b, 5);
	lose(&b->model);
	expect(b, 10, KNC_PMU_THREAD_GAP);
	expect_mended(b);
}

/* A count that was read never decreases. */
static void shown(struct kunit *test)
{
	struct bench *b = counting(test);

	expect(b, 10, 0);
	run(b, 5);
	lose(&b->model);
	expect(b, 10, KNC_PMU_THREAD_GAP);
	run(b, 1);
	bench_reset(b, &b->claim[0]);
	run(b, 3);
	lose(&b->model);
	expect(b, 0, KNC_PMU_THREAD_GAP);
	expect_mended(b);
}

/* The timer's check finds the loss too, and restarts the counters. */
static void found_by_check(struct kunit *test)
{
	struct bench *b = counting(test);

	refresh(b);
	lose(&b->model);
	run(b, 1000);
	refresh(b);
	run(b, 3);
	expect(b, 13, KNC_PMU_THREAD_GAP);
	expect_mended(b);
}

/* The claim leaves its counters because its turn ends, or because the thread goes offline */
static void found_when_taken_off(struct kunit *test)
{
	struct bench *b = counting(test);

	refresh(b);
	lose(&b->model);
	bench_offline(b);
	bench_online(b);
	run(b, 4);
	expect(b, 14, KNC_PMU_THREAD_GAP);
	expect_mended(b);
}

/* A stopped claim is up to date after a check, and then loses nothing. */
static void stopped(struct kunit *test)
{
	struct bench *b = counting(test);

	bench_stop(b, &b->claim[0]);
	refresh(b);
	lose(&b->model);
	expect(b, 10, 0);
	lose(&b->model);
	refresh(b);
	bench_start(b, &b->claim[0]);
	run(b, 2);
	expect(b, 12, 0);
	bench_stop(b, &b->claim[0]);
	lose(&b->model);
	expect(b, 12, KNC_PMU_THREAD_GAP);
	bench_start(b, &b->claim[0]);
	run(b, 2);
	KUNIT_EXPECT_EQ(test, read_now(b, &b->claim[0]).value[0], 14);
	bench_detach(b, &b->claim[0]);
}

/* USER_PREF is restored to its value when the claim was programmed. */
static void gated(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int open;

	for (open = 0; open < 2; open++) {
		bench_claim(b, 0, 0, 2);
		bench_filter(&b->claim[0], 1);
		b->claim[0].open = open;
		bench_begin(b, &b->claim[0]);
		lose(&b->model);
		refresh(b);
		KUNIT_EXPECT_EQ(test, b->model.regs.spflt, open ? MODEL_USER_PREF | 1 : 1);
		run(b, 5);
		KUNIT_EXPECT_EQ(test, bench_read(b, &b->claim[0]).value[0], 5 * open);
		KUNIT_EXPECT_EQ(test, bench_read(b, &b->claim[0]).value[1], 5);
		bench_detach(b, &b->claim[0]);
	}
}

/* Samples continue, and add up to the count. */
static void sampled(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 100, 100));
	struct knc_pmu_thread r;
	unsigned int i;
	u64 counted;

	run(b, 550);
	refresh(b);
	lose(&b->model);
	for (i = 0; i < 2; i++) {
		refresh(b);
		run(b, 455);
	}
	counted = b->model.counted[0] - b->base[0][0];
	r = read_now(b, c);
	KUNIT_EXPECT_EQ(test, counted, 550 + 2 * 455);
	KUNIT_EXPECT_EQ(test, r.value[0], counted);
	KUNIT_EXPECT_EQ(test, r.flags, KNC_PMU_THREAD_GAP);
	bench_expect_sums(b, 0);
	bench_expect_alive(b);
	bench_detach(b, c);
}

/*
 * C6 of MPSS's kernel restores all registers except the status: the overflow of a counter is lost,
 * and no interrupt comes.
 */
static void status_lost(struct kunit *test)
{
	struct bench *b = counting(test);

	b->model.regs.lvtpc = MODEL_LVT_MASKED;
	run(b, model_half(0) + 100);
	b->model.regs.lvtpc = MODEL_LVT_NMI;
	b->model.missed = 0;
	b->model.status = 0;
	b->model.line = 0;
	expect(b, model_half(0) + 110, 0);
	refresh(b);
	bench_expect_loaded(b);
	expect_mended(b);
}

/* After INIT the LVT entry is masked, and all other registers are as before (327357 1.4.4). */
static void entry_masked(struct kunit *test)
{
	struct bench *b = counting(test);

	b->model.regs.lvtpc = MODEL_LVT_MASKED;
	run(b, model_half(0) + 100);
	expect(b, model_half(0) + 110, 0);
	refresh(b);
	b->model.missed = 0;
	expect(b, model_half(0) + 110, 0);
	expect_mended(b);
}

/* A loss while no claim is on the counters. */
static void nobodys(struct kunit *test)
{
	struct bench *b = test->priv;

	MODEL_AT(knc_refresh_verify(b->hw));
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	b->now = ktime_get_ns();
	bench_attach(b, bench_claim(b, 0, 0, 2));
	lose(&b->model);
	refresh(b);
	bench_start(b, &b->claim[0]);
	run(b, 3);
	expect(b, 3, 0);
	expect_mended(b);
}

static struct kunit_case lost_cases[] = {
	KUNIT_CASE(found_by_read),
	KUNIT_CASE(shown),
	KUNIT_CASE(found_by_check),
	KUNIT_CASE(found_when_taken_off),
	KUNIT_CASE(stopped),
	KUNIT_CASE(gated),
	KUNIT_CASE(sampled),
	KUNIT_CASE(status_lost),
	KUNIT_CASE(entry_masked),
	KUNIT_CASE(nobodys),
	{}
};

KNC_SUITE(lost, bench_init, bench_exit);

static void verify_here(void *unused)
{
	knc_test_idle(true);
}

static void idle(unsigned int cpu)
{
	smp_call_function_single(cpu, verify_here, NULL, true);
}

static void refresh_here(void *unused)
{
	knc_refresh_counts(this_cpu_ptr(&knc_hwthreads), ktime_get_ns());
}

static struct cast *following(struct kunit *test)
{
	struct cast *c = test->priv;

	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2);
	cast_begin(c, c->there);
	cast_run(c->there, 10, 20);
	return c;
}

static void expect_task(struct cast *c, u64 v0, u64 v1, u32 flags)
{
	cast_expect(c, 0, v0, v1);
	KUNIT_EXPECT_EQ(c->test, cast_read(c, 0).flags, flags);
}

/* The task sleeps, with its values still in the registers: no count is lost. */
static void task_sleeps(struct kunit *test)
{
	struct cast *c = following(test);
	unsigned int i;

	for (i = 1; i < 4; i++) {
		cast_switch(c->there, NULL);
		lose(model_of(c->there));
		idle(c->there);
		cast_switch(c->there, c->task[0]);
		cast_run(c->there, 10, 20);
	}
	KUNIT_EXPECT_EQ(test, model_of(c->there)->regs.lvtpc, MODEL_LVT_NMI);
	cast_switch(c->there, NULL);
	expect_task(c, 40, 80, 0);
	cast_leave(c, 0);
}

/* As task_sleeps(), on a kernel whose idle loop does not report idle periods */
static void task_sleeps_unseen(struct kunit *test)
{
	struct cast *c = following(test);

	cast_switch(c->there, NULL);
	lose(model_of(c->there));
	cast_switch(c->there, c->task[0]);
	cast_run(c->there, 1000, 1000);
	cast_switch(c->there, NULL);
	expect_task(c, 10, 20, KNC_PMU_THREAD_PARTIAL);
	cast_switch(c->there, c->task[0]);
	cast_run(c->there, 3, 4);
	expect_task(c, 13, 24, KNC_PMU_THREAD_PARTIAL);
	cast_leave(c, 0);
}

/* The task runs */
static void task_runs(struct kunit *test)
{
	struct cast *c = following(test);

	smp_call_function_single(c->there, refresh_here, NULL, true);
	cast_run(c->there, 5, 5);
	lose(model_of(c->there));
	expect_task(c, 10, 20, KNC_PMU_THREAD_PARTIAL);
	cast_run(c->there, 3, 4);
	lose(model_of(c->there));
	smp_call_function_single(c->there, refresh_here, NULL, true);
	cast_run(c->there, 5, 6);
	expect_task(c, 15, 26, KNC_PMU_THREAD_PARTIAL);
	cast_switch(c->there, c->task[1]);
	cast_end(c->there);
	cast_leave(c, 0);
}

/* A loss does not affect a claim on another hardware thread. */
static void task_elsewhere(struct kunit *test)
{
	struct cast *c = following(test);

	/* let the other hardware thread save its registers, so that they stay ours */
	cast_switch(c->there, NULL);
	cast_switch(c->here, c->task[0]);
	cast_switch(c->here, NULL);
	cast_switch(c->there, c->task[0]);
	lose(model_of(c->here));
	cast_run(c->there, 5, 5);
	cast_switch(c->there, NULL);
	idle(c->here);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 1, 1);
	expect_task(c, 16, 26, 0);
	cast_leave(c, 0);
}

static struct kunit_case lost_task_cases[] = {
	KUNIT_CASE(task_sleeps),
	KUNIT_CASE(task_sleeps_unseen),
	KUNIT_CASE(task_runs),
	KUNIT_CASE(task_elsewhere),
	{}
};

STAGE_SUITE(lost_task, cast_init, cast_exit);

kunit_test_suites(&lost_suite, &lost_task_suite);
