// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions while hardware threads come and go
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/workqueue.h>

#include <knc/registers.h>

#include "abi/query.h"
#include "session/internal.h"
#include "session_fixture.h"

/* The record of a CPU in the result of the last stage_read() */
static struct knc_pmu_thread *record_of(struct stage *st, unsigned int cpu)
{
	unsigned int k;

	for (k = 0; k < STAGE_CPUS; k++)
		if (st->record[k].cpu == cpu && st->record[k].time)
			return &st->record[k];
	KUNIT_FAIL(st->test, "no record of CPU %u", cpu);
	return &st->record[0];
}

#define GONE	(KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP)

/* Check @flags and @value of the last CPU; the others have @others and no gap */
static void expect_last(struct stage *st, u32 flags, u64 value, u64 others)
{
	struct knc_pmu_thread *r;
	unsigned int cpu;

	stage_read(st, 0);
	r = record_of(st, st->last);
	KUNIT_EXPECT_EQ(st->test, r->flags, flags);
	KUNIT_EXPECT_EQ(st->test, r->value[0], value);
	for_each_possible_cpu(cpu) {
		if (cpu == st->last)
			continue;
		r = record_of(st, cpu);
		KUNIT_EXPECT_EQ(st->test, r->flags, 0);
		KUNIT_EXPECT_EQ(st->test, r->value[0], others);
		KUNIT_EXPECT_EQ(st->test, r->time_running, r->time_enabled);
	}
}

/* The same number of events on each CPU */
static void run_all(u64 events)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		model_run(model_of(cpu), events, events);
}

static void expect_before(struct stage *st, unsigned int cpu)
{
	struct model_regs before = stage_before(cpu);

	model_expect_regs(st->test, model_of(cpu), &before);
}

static void goes_and_comes(struct kunit *test)
{
	struct stage *st = test->priv;
	struct knc_pmu_thread *r;

	stage_claim(st, 0, cpu_online_mask, 2);
	knc_session_start(st->session[0]);
	run_all(10);
	stage_remove_cpu(st, st->last);
	expect_before(st, st->last);
	expect_last(st, GONE, 10, 10);
	/* the other user's registers do not make our counters count */
	model_log_clear(model_of(st->last));
	run_all(5);
	expect_last(st, GONE, 10, 15);
	KUNIT_EXPECT_EQ(test, model_of(st->last)->nr_writes, 0);
	model_fill(model_of(st->last), &model_zeros);
	stage_add_cpu(st, st->last);
	run_all(2);
	expect_last(st, KNC_PMU_THREAD_GAP, 12, 17);
	r = record_of(st, st->last);
	KUNIT_EXPECT_LT(test, r->time_running, r->time_enabled);
	KUNIT_EXPECT_GT(test, r->time_running, 0);
	stage_destroy(st, 0);
	model_expect_regs(test, model_of(st->last), &model_zeros);
	st->not_restored = true;
}

/*
 * A session has reset the registers of a hardware thread, and was closed. Then a core-wide session
 * borrows only the interrupt of this thread, first while the thread is offline: the registers are
 * those of other software.
 */
static void lent_after_reset(struct kunit *test)
{
	struct stage *st = test->priv;
	struct model_regs before = stage_before(st->last);
	struct placing p = { .nr = 1 };

	stage_claim(st, 0, cpumask_of(st->last), 2);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], true), 0);
	stage_destroy(st, 0);
	stage_remove_cpu(st, st->last);
	model_fill(model_of(st->last), &before);
	placing_set(&p, 0, &stage_only_0, 0);
	KUNIT_EXPECT_EQ(test, stage_config(st, 0, cpumask_of(st->first), &p, 0), 0);
	stage_add_cpu(st, st->last);
	stage_destroy(st, 0);
	expect_before(st, st->last);
}

/* Suspend: CPU 0, which does not go offline, loses its registers. */
static void suspend_here(void *unused)
{
	knc_sessions_suspend();
}

static void resume_here(void *unused)
{
	knc_sessions_resume();
}

static void suspended(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int cpu = st->last;
	struct knc_pmu_thread *r;

	stage_claim(st, 0, cpu_online_mask, 2);
	knc_session_start(st->session[0]);
	run_all(10);
	smp_call_function_single(cpu, suspend_here, NULL, true);
	expect_before(st, cpu);
	model_fill(model_of(cpu), &model_zeros);
	smp_call_function_single(cpu, resume_here, NULL, true);
	run_all(2);
	expect_last(st, KNC_PMU_THREAD_GAP, 12, 12);
	r = record_of(st, cpu);
	KUNIT_EXPECT_LT(test, r->time_running, r->time_enabled);
	stage_destroy(st, 0);
	model_expect_regs(test, model_of(cpu), &model_zeros);
	st->not_restored = true;
}

/*
 * Reboot or kexec: the next kernel finds the original registers, and no session takes them again.
 */
static void shut_down(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };
	unsigned int cpu;

	stage_claim(st, 0, cpu_online_mask, 1);
	knc_session_start(st->session[0]);
	run_all(10);
	knc_sessions_shutdown();
	for_each_online_cpu(cpu)
		expect_before(st, cpu);
	placing_set(&p, 0, &stage_any, 2);
	KUNIT_EXPECT_EQ(test, stage_config(st, 1, cpu_online_mask, &p, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_PMU_RESERVED);
	for_each_online_cpu(cpu)
		expect_before(st, cpu);
	/* undo the shutdown for the next test */
	knc_shut_down = false;
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, resume_here, NULL, true);
	stage_destroy(st, 0);
	for_each_online_cpu(cpu)
		expect_before(st, cpu);
}

/*
 * Until 5.10 the CPU itself saves and loads its counters before the other callbacks, which leave
 * the counters alone.
 */
static void by_itself(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int cpu = st->last;

	stage_claim(st, 0, cpu_online_mask, 2);
	knc_session_start(st->session[0]);
	run_all(10);
	smp_call_function_single(cpu, suspend_here, NULL, true);
	knc_sessions_offline(cpu);
	expect_before(st, cpu);
	smp_call_function_single(cpu, resume_here, NULL, true);
	run_all(2);
	model_log_clear(model_of(cpu));
	knc_sessions_online(cpu);
	KUNIT_EXPECT_EQ(test, model_of(cpu)->nr_writes, 0);
	run_all(3);
	expect_last(st, KNC_PMU_THREAD_GAP, 15, 15);
	stage_destroy(st, 0);
	expect_before(st, cpu);
}

static void started_and_stopped_without_it(struct kunit *test)
{
	struct stage *st = test->priv;

	stage_claim(st, 0, cpu_online_mask, 1);
	stage_remove_cpu(st, st->last);
	model_log_clear(model_of(st->last));
	knc_session_start(st->session[0]);
	run_all(3);
	expect_last(st, GONE, 0, 3);
	knc_session_stop(st->session[0]);
	knc_session_start(st->session[0]);
	knc_session_reset(st->session[0], false);
	run_all(4);
	KUNIT_EXPECT_EQ(test, model_of(st->last)->nr_writes, 0);
	expect_last(st, GONE, 0, 4);
	stage_add_cpu(st, st->last);
	run_all(1);
	expect_last(st, KNC_PMU_THREAD_GAP, 1, 5);
	knc_session_stop(st->session[0]);
	run_all(1);
	expect_last(st, KNC_PMU_THREAD_GAP, 1, 5);
}

static void closed_without_it(struct kunit *test)
{
	struct stage *st = test->priv;
	s32 pid;

	stage_claim(st, 0, cpu_online_mask, 2);
	knc_session_start(st->session[0]);
	stage_remove_cpu(st, st->last);
	stage_destroy(st, 0);
	KUNIT_EXPECT_EQ(test, knc_session_owner(st->last, 0, &pid), 0);
	stage_add_cpu(st, st->last);
	expect_before(st, st->last);
	stage_claim(st, 0, cpu_online_mask, 2);
}

/* All hardware threads of a session go offline. */
static void all_gone(struct kunit *test)
{
	struct stage *st = test->priv;
	struct knc_pmu_thread *r;

	stage_claim(st, 0, cpumask_of(st->last), 2);
	knc_session_start(st->session[0]);
	run_all(7);
	stage_remove_cpu(st, st->last);
	stage_read(st, 0);
	r = record_of(st, st->last);
	KUNIT_EXPECT_EQ(test, r->flags, GONE);
	KUNIT_EXPECT_EQ(test, r->value[1], 7);
	KUNIT_EXPECT_EQ(test, knc_session_stop(st->session[0]), 0);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], false), 0);
	stage_destroy(st, 0);
}

static void not_there(struct kunit *test)
{
	struct stage *st = test->priv;
	struct knc_pmu_reg regs[PMU_MAX_REGISTERS];
	struct placing p = { .nr = 1 };
	s32 pid = -1;

	placing_set(&p, 0, &stage_any, 0);
	stage_remove_cpu(st, st->last);
	KUNIT_EXPECT_EQ(test, stage_config(st, 0, cpu_possible_mask, &p, 0),
			-ENXIO);
	KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_CPU_OFFLINE);
	KUNIT_EXPECT_EQ(test, st->why.cpu, st->last);
	KUNIT_EXPECT_EQ(test, knc_query_regs(st->last, regs), -ENXIO);
	KUNIT_EXPECT_EQ(test, knc_session_owner(st->last, 0, &pid), 0);
	KUNIT_EXPECT_EQ(test, pid, 0);
	KUNIT_EXPECT_EQ(test, 0, stage_config(st, 0, cpu_online_mask, &p, 0));
	stage_destroy(st, 0);
	stage_add_cpu(st, st->last);
	KUNIT_EXPECT_EQ(test, 0, stage_config(st, 0, cpu_possible_mask, &p,
					      0));
}

/* RESET_REGISTERS while the hardware thread is offline */
static void forgotten_without_it(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int cpu;

	stage_claim(st, 0, cpu_online_mask, 2);
	stage_remove_cpu(st, st->last);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], true), 0);
	stage_add_cpu(st, st->last);
	stage_destroy(st, 0);
	for_each_online_cpu(cpu)
		stage_expect_forgotten(st, cpu);
	st->not_restored = true;
}

static struct completion coming;

static int come_slowly(unsigned int cpu)
{
	complete(&coming);
	msleep(300);
	return 0;
}

static void come(struct work_struct *work)
{
	add_cpu(cpumask_last(cpu_possible_mask));
}

static DECLARE_WORK(come_work, come);

/* Begin to bring the last CPU online; returns while it is still coming. */
static int begin_to_come(struct stage *st)
{
	int state;

	/* the callback is called again if taking the CPU offline fails */
	init_completion(&coming);
	/* register a callback that runs before the module's */
	stage_hotplug(st, false);
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "knc_pmu:slow",
					  come_slowly, NULL);
	stage_hotplug(st, true);
	KUNIT_ASSERT_GT(st->test, state, 0);
	stage_claim(st, 0, cpumask_of(st->last), 1);
	stage_remove_cpu(st, st->last);
	knc_session_start(st->session[0]);
	schedule_work(&come_work);
	wait_for_completion(&coming);
	return state;
}

static void expect_sane_times(struct stage *st)
{
	struct knc_pmu_thread *r;

	r = record_of(st, st->last);
	KUNIT_EXPECT_LE(st->test, r->time_running, r->time_enabled);
	KUNIT_EXPECT_LE(st->test, r->time_enabled, ktime_get_ns());
}

/* A READ waits while a CPU comes online, and must not report a time from before. */
static void read_while_it_comes(struct kunit *test)
{
	struct stage *st = test->priv;
	int state = begin_to_come(st);

	stage_read_raw(st, 0, sizeof(struct knc_pmu_thread));
	expect_sane_times(st);
	flush_work(&come_work);
	cpuhp_remove_state_nocalls(state);
}

static void stop_while_it_comes(struct kunit *test)
{
	struct stage *st = test->priv;
	int state = begin_to_come(st);

	knc_session_stop(st->session[0]);
	stage_read(st, 0);
	expect_sane_times(st);
	flush_work(&come_work);
	cpuhp_remove_state_nocalls(state);
}

/* Overflows add up on each CPU, also on one that was offline. */
static void wraps(struct kunit *test)
{
	struct stage *st = test->priv;

	stage_claim(st, 0, cpu_online_mask, 2);
	knc_session_start(st->session[0]);
	run_all(3 * MODEL_CNTR_MASK);
	expect_last(st, 0, 3 * MODEL_CNTR_MASK, 3 * MODEL_CNTR_MASK);
	stage_remove_cpu(st, st->last);
	run_all(3 * MODEL_CNTR_MASK);
	stage_add_cpu(st, st->last);
	run_all(3 * MODEL_CNTR_MASK);
	expect_last(st, KNC_PMU_THREAD_GAP, 6 * MODEL_CNTR_MASK,
		    9 * MODEL_CNTR_MASK);
}

static struct kunit_case hotplug_cases[] = {
	KUNIT_CASE(goes_and_comes),
	KUNIT_CASE(lent_after_reset),
	KUNIT_CASE(suspended),
	KUNIT_CASE(shut_down),
	KUNIT_CASE(by_itself),
	KUNIT_CASE(started_and_stopped_without_it),
	KUNIT_CASE(closed_without_it),
	KUNIT_CASE(all_gone),
	KUNIT_CASE(not_there),
	KUNIT_CASE(forgotten_without_it),
	KUNIT_CASE(read_while_it_comes),
	KUNIT_CASE(stop_while_it_comes),
	KUNIT_CASE(wraps),
	{}
};

STAGE_SUITE(hotplug, stage_init, stage_exit);

kunit_test_suite(hotplug_suite);
