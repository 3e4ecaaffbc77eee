// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that follow tasks, without the scheduler: tests put fake tasks on the CPUs. Context
 * switches, children, ends, exec, processes, evictions, lack of memory, hotplug, times; which tasks
 * a caller may follow
 */
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/pid.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/user_namespace.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "rdpmc/grants.h"
#include "rdpmc/hide.h"
#include "task_fixture.h"
#include "units.h"

#define INHERIT	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT)
#define PROCESS	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PROCESS)
#define ON_EXEC	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_ON_EXEC)
#define PAGE	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_RDPMC)

static void expect_flags(struct cast *c, unsigned int i, u32 flags)
{
	KUNIT_EXPECT_EQ(c->test, cast_read(c, i).flags, flags);
}

static void counts_its_task(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i, first, cpu;

	for (first = 0; first < 2; first++) {
		cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], first, 2);
		for (i = 0; i < 4; i++) {
			cpu = i & 1 ? c->here : c->there;
			if (i == 2)
				knc_follow_start(c->follow[0]);
			cast_run(cpu, 1000, 1000);
			cast_switch(cpu, c->task[0]);
			cast_run(cpu, first ? 2 : 1, first ? 1 : 2);
			cast_switch(cpu, c->task[1]);
			cast_expect_empty(c, cpu);
			cast_run(cpu, 1000, 1000);
			cast_switch(cpu, NULL);
		}
		cast_expect(c, 0, 2, 4);
		expect_flags(c, 0, 0);
		knc_follow_stop(c->follow[0]);
		cast_switch(cpu, c->task[0]);
		cast_expect_empty(c, cpu);
		cast_run(cpu, 1000, 1000);
		cast_switch(cpu, NULL);
		cast_expect(c, 0, 2, 4);
		cast_leave(c, 0);
	}
}

/* Put the task on this CPU, on another CPU, or on none */
static void place(struct cast *c, unsigned int where, struct task_struct *task)
{
	cast_switch(c->here, where == 0 ? task : NULL);
	cast_switch(c->there, where == 1 ? task : NULL);
}

static void run_at(struct cast *c, unsigned int where, u64 n0, u64 n1)
{
	if (where < 2)
		cast_run(where ? c->there : c->here, n0, n1);
}

/* A command of the task itself takes effect at once. */
static void command(struct cast *c, unsigned int where, unsigned int nr)
{
	struct knc_follow *f = c->follow[0];
	unsigned int on = where < 2;

	place(c, where, c->task[0]);
	run_at(c, where, 7, 7);
	cast_expect(c, 0, 0, 0);
	knc_follow_start(f);
	run_at(c, where, 10, 20);
	cast_expect(c, 0, 10 * on, nr > 1 ? 20 * on : 0);
	run_at(c, where, 1, 2);
	knc_follow_stop(f);
	run_at(c, where, 7, 7);
	cast_expect(c, 0, 11 * on, nr > 1 ? 22 * on : 0);
	knc_follow_start(f);
	knc_follow_start(f);
	run_at(c, where, 100, 200);
	knc_follow_reset(f);
	cast_expect(c, 0, 0, 0);
	run_at(c, where, 3, 4);
	cast_expect(c, 0, 3 * on, nr > 1 ? 4 * on : 0);
	knc_follow_stop(f);
	knc_follow_stop(f);
	knc_follow_reset(f);
	cast_expect(c, 0, 0, 0);
	KUNIT_EXPECT_EQ(c->test, cast_read(c, 0).time_running, 0);
	place(c, 2, NULL);
	cast_expect_empty(c, c->here);
	cast_expect_empty(c, c->there);
}

static void commands_everywhere(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int where, nr;

	for (nr = 1; nr <= 2; nr++) {
		for (where = 0; where < 3; where++) {
			cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, nr);
			command(c, where, nr);
			cast_leave(c, 0);
			cast_follow(c, 0, INHERIT, c->task[0], 0, nr);
			cast_switch(c->here, c->task[0]);
			cast_fork(c->here, c->task[1]);
			command(c, where, nr);
			cast_leave(c, 0);
		}
	}
}

/* A followed task commands the session of a task that runs on the other CPU. */
static void two_of_one_session(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;

	f = cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_switch(c->here, c->task[0]);
	cast_fork(c->here, c->task[1]);
	cast_switch(c->there, c->task[1]);
	fake_set_current(c->task[0]);
	knc_follow_start(f);
	cast_run(c->here, 1, 2);
	cast_run(c->there, 10, 20);
	cast_expect(c, 0, 11, 22);
	knc_follow_reset(f);
	cast_expect(c, 0, 0, 0);
	cast_run(c->here, 1, 2);
	cast_run(c->there, 10, 20);
	cast_end(c->there);
	cast_run(c->there, 10, 20);
	cast_expect(c, 0, 11, 22);
	knc_follow_stop(f);
	cast_expect_empty(c, c->here);
	cast_expect(c, 0, 11, 22);
	knc_follow_reset(f);
	cast_expect(c, 0, 0, 0);
	fake_set_current(NULL);
}

/* Sessions of different tasks share a counter, on one CPU or on two. */
static void shared_by_two(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cast_follow(c, i, KNC_PMU_CONFIG_TASK, c->task[i], 0, 1);
		knc_follow_start(c->follow[i]);
	}
	for (i = 0; i < 10; i++) {
		cast_switch(c->here, c->task[i & 1]);
		cast_run(c->here, i & 1 ? 100 : 1, 5);
	}
	cast_switch(c->there, c->task[0]);
	cast_run(c->there, 1000, 5);
	cast_run(c->here, 100, 5);
	cast_expect(c, 0, 1005, 0);
	cast_expect(c, 1, 600, 0);
	cast_leave(c, 1);
	cast_expect_empty(c, c->here);
	cast_run(c->there, 1000, 5);
	cast_expect(c, 0, 2005, 0);
}

/* Two sessions of one task get a counter each; a third session gets none. */
static void two_of_one_task(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int first;

	for (first = 0; first < 2; first++) {
		cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], first, 1);
		knc_follow_start(c->follow[0]);
		cast_switch(c->there, c->task[0]);
		cast_run(c->there, 1, 2);
		KUNIT_EXPECT_EQ(test, -EBUSY,
				cast_try(c, 1, INHERIT, c->task[0], first, 1));
		KUNIT_EXPECT_EQ(test, -EBUSY,
				cast_try(c, 1, INHERIT, c->task[0], !first, 2));
		cast_follow(c, 1, INHERIT, c->task[0], !first, 1);
		cast_run(c->there, 1, 2);
		knc_follow_start(c->follow[1]);
		cast_run(c->there, 1, 2);
		KUNIT_EXPECT_EQ(test, model_of(c->there)->regs.ctrl, 3);
		cast_fork(c->there, c->task[1]);
		cast_switch(c->there, c->task[1]);
		KUNIT_EXPECT_EQ(test, model_of(c->there)->regs.ctrl, 1 << !first);
		cast_run(c->there, 10, 20);
		cast_switch(c->there, c->task[0]);
		cast_run(c->there, 1, 2);
		cast_expect(c, 0, first ? 8 : 4, 0);
		cast_expect(c, 1, first ? 12 : 24, 0);
		cast_leave(c, first);
		KUNIT_EXPECT_EQ(test, model_of(c->there)->regs.ctrl, 2);
		cast_run(c->there, 1, 2);
		cast_switch(c->there, NULL);
		cast_expect(c, !first, first ? 10 : 26, 0);
		cast_leave(c, !first);
	}
}

static void inherits(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f = cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	unsigned int i;

	for (i = 1; i < 4; i++) {
		cast_switch(c->here, c->task[i - 1]);
		if (i == 2)
			knc_follow_start(f);
		cast_fork(c->here, c->task[i]);
	}
	KUNIT_EXPECT_EQ(test, f->nr_targets, 4);
	/* any order is possible */
	cast_switch(c->here, NULL);
	for (i = 0; i < 5; i++) {
		cast_switch(c->there, c->task[i]);
		cast_run(c->there, 1 << i, 1 << (8 + i));
	}
	cast_expect(c, 0, 0xf, 0xf00);
	expect_flags(c, 0, 0);
}

/* Without INHERIT, or if the creator is not followed, a child is not followed. */
static void inherits_not(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;

	f = cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2);
	knc_follow_start(f);
	cast_switch(c->here, c->task[0]);
	cast_fork(c->here, c->task[1]);
	cast_switch(c->here, c->task[2]);
	cast_fork(c->here, c->task[3]);
	KUNIT_EXPECT_EQ(test, f->nr_targets, 1);
	cast_switch(c->here, c->task[1]);
	cast_expect_empty(c, c->here);
	cast_run(c->here, 1, 1);
	cast_expect(c, 0, 0, 0);
	expect_flags(c, 0, 0);
}

/* SPFLT, as the program that runs there executes it */
static void spflt(unsigned int cpu, bool set)
{
	struct model *m = model_of(cpu);

	m->regs.spflt &= ~MODEL_USER_PREF;
	if (set)
		m->regs.spflt |= MODEL_USER_PREF;
}

static bool pref(unsigned int cpu)
{
	return model_of(cpu)->regs.spflt & MODEL_USER_PREF;
}

static void obey(struct cast *c, struct knc_follow *f)
{
	f->claim.gated = 1;
	f->claim.obey = 1;
}

/*
 * Each task has its own USER_PREF, which its child inherits, whether or not the task is scheduled
 * in
 */
static void user_pref(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;

	c->prepare = obey;
	f = cast_follow(c, 0, INHERIT, c->task[0], 0, 1);
	knc_follow_start(f);
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_FALSE(test, pref(c->here));
	cast_fork(c->here, c->task[1]);
	cast_run(c->here, 1000, 0);
	spflt(c->here, true);
	cast_fork(c->here, c->task[2]);
	cast_run(c->here, 1, 0);
	cast_switch(c->there, c->task[1]);
	KUNIT_EXPECT_FALSE(test, pref(c->there));
	cast_run(c->there, 1000, 0);
	cast_switch(c->there, c->task[2]);
	KUNIT_EXPECT_TRUE(test, pref(c->there));
	cast_run(c->there, 20, 0);
	cast_switch(c->here, c->task[1]);
	KUNIT_EXPECT_FALSE(test, pref(c->here));
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_TRUE(test, pref(c->here));
	cast_run(c->here, 300, 0);
	cast_expect(c, 0, 321, 0);
	/* while the session is stopped, the value of the task's last run is kept */
	knc_follow_stop(f);
	cast_fork(c->here, c->task[3]);
	KUNIT_EXPECT_TRUE(test, knc_test_claim(f, c->task[3])->open);
	KUNIT_EXPECT_FALSE(test, knc_test_claim(f, c->task[3])->started);
}

/* A task has a USER_PREF from CONFIG on: SPFLT before START has an effect. */
static void user_pref_from_config_on(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i, cpu;

	c->prepare = obey;
	for (i = 0; i < 2; i++) {
		cpu = i ? c->there : c->here;
		cast_switch(cpu, c->task[i]);
		cast_follow(c, 0, INHERIT, c->task[i], 0, 1);
		KUNIT_EXPECT_FALSE(test, pref(cpu));
		spflt(cpu, true);
		cast_run(cpu, 1000, 0);
		knc_follow_start(c->follow[0]);
		KUNIT_EXPECT_TRUE(test, pref(cpu));
		cast_run(cpu, 3, 0);
		cast_expect(c, 0, 3, 0);
		cast_switch(cpu, NULL);
		cast_leave(c, 0);
	}
}

static void exit_keeps_counts(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f = cast_follow(c, 0, INHERIT, c->task[0], 1, 2);
	struct knc_pmu_thread r;

	knc_follow_start(f);
	cast_switch(c->there, c->task[0]);
	cast_fork(c->there, c->task[1]);
	cast_run(c->there, 1, 2);
	model_pass(model_of(c->there), tsc_khz);
	cast_end(c->there);
	cast_expect_empty(c, c->there);
	KUNIT_EXPECT_NULL(test, f->first);
	KUNIT_EXPECT_EQ(test, f->nr_targets, 1);
	cast_expect(c, 0, 2, 1);
	expect_flags(c, 0, 0);
	cast_switch(c->here, c->task[1]);
	cast_run(c->here, 10, 20);
	model_pass(model_of(c->here), 2 * tsc_khz);
	cast_expect(c, 0, 22, 11);
	cast_end(c->here);
	cast_expect_empty(c, c->here);
	r = cast_read(c, 0);
	KUNIT_EXPECT_EQ(test, r.value[0], 22);
	KUNIT_EXPECT_EQ(test, r.value[1], 11);
	KUNIT_EXPECT_EQ(test, r.time_running, 3000000);
	KUNIT_EXPECT_EQ(test, r.flags, KNC_PMU_THREAD_ENDED);
	knc_follow_stop(f);
	knc_follow_start(f);
	knc_follow_reset(f);
	cast_expect(c, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, cast_read(c, 0).time_running, 0);
}

/* Two sessions follow the task that ends; one of them is stopped. */
static void exit_of_two(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;

	for (i = 0; i < 2; i++)
		cast_follow(c, i, KNC_PMU_CONFIG_TASK, c->task[0], i, 1);
	cast_begin(c, c->there);
	cast_run(c->there, 5, 6);
	cast_end(c->there);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	for (i = 0; i < 2; i++) {
		cast_expect(c, i, i ? 0 : 5, 0);
		expect_flags(c, i, KNC_PMU_THREAD_ENDED);
	}
	/* no other session is disturbed */
	cast_switch(c->there, c->task[1]);
	cast_end(c->there);
}

/* The session leaves its task before the task ends: nothing of the task is left. */
static void ends_unfollowed(struct kunit *test)
{
	struct cast *c = test->priv;

	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 1);
	cast_begin(c, c->there);
	cast_leave(c, 0);
	cast_end(c->there);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
}

/*
 * The task's exit was already reported to the module: a session that finds the task now must not
 * follow it.
 */
static void ends_already(struct kunit *test)
{
	struct cast *c = test->priv;

	c->task[0]->flags |= PF_EXITING;
	KUNIT_EXPECT_EQ(test, -ESRCH,
			cast_try(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2));
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	/* the session gives everything back */
	KUNIT_EXPECT_FALSE(test, knc_follow_is_used(false));
	KUNIT_EXPECT_FALSE(test, knc_hwthread_of(c->there)->for_tasks);
	c->task[0]->flags = 0;
	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 1);
	cast_begin(c, c->there);
	c->task[0]->flags |= PF_EXITING;
	KUNIT_EXPECT_EQ(test, -ESRCH,
			cast_try(c, 1, KNC_PMU_CONFIG_TASK, c->task[0], 1, 1));
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 1);
	KUNIT_EXPECT_TRUE(test, knc_hwthread_of(c->there)->for_tasks);
}

static void starts_on_exec(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;

	f = cast_follow(c, 0, INHERIT | ON_EXEC, c->task[0], 0, 2);
	cast_switch(c->there, c->task[0]);
	cast_fork(c->there, c->task[1]);
	cast_run(c->there, 1, 1);
	cast_switch(c->there, c->task[1]);
	cast_exec(c->there, false);
	KUNIT_EXPECT_FALSE(test, f->started);
	cast_run(c->there, 1, 1);
	cast_switch(c->there, c->task[0]);
	cast_exec(c->there, false);
	KUNIT_EXPECT_TRUE(test, f->started);
	KUNIT_EXPECT_EQ(test, model_of(c->there)->regs.ctrl, 3);
	cast_run(c->there, 10, 20);
	cast_switch(c->there, c->task[1]);
	cast_run(c->there, 100, 200);
	cast_expect(c, 0, 110, 220);
	/* only the first exec starts the session: it may have been stopped since */
	knc_follow_stop(f);
	cast_switch(c->there, c->task[0]);
	cast_exec(c->there, false);
	KUNIT_EXPECT_FALSE(test, f->started);
	cast_run(c->there, 1, 1);
	cast_expect(c, 0, 110, 220);
	expect_flags(c, 0, 0);
}

/* Without ON_EXEC, or without a session, an exec starts nothing */
static void goes_on_over_exec(struct kunit *test)
{
	struct cast *c = test->priv;

	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 1, 1);
	cast_switch(c->here, c->task[0]);
	cast_exec(c->here, false);
	cast_expect_empty(c, c->here);
	knc_follow_start(c->follow[0]);
	cast_run(c->here, 1, 2);
	cast_exec(c->here, false);
	cast_run(c->here, 1, 2);
	cast_expect(c, 0, 4, 0);
	cast_switch(c->here, c->task[1]);
	cast_exec(c->here, true);
	expect_flags(c, 0, 0);
}

/* A program that its unprivileged follower may not ptrace() */
static void secure_exec(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int nr, on_exec;
	struct knc_follow *f;

	for (nr = 1; nr <= 2; nr++) {
		for (on_exec = 0; on_exec < 2; on_exec++) {
			f = cast_follow(c, 0, on_exec ? INHERIT | ON_EXEC : INHERIT,
					c->task[0], 0, nr);
			f->privileged = false;
			cast_switch(c->there, c->task[0]);
			cast_fork(c->there, c->task[1]);
			if (!on_exec)
				knc_follow_start(f);
			cast_run(c->there, 1, 2);
			cast_exec(c->there, true);
			cast_expect_empty(c, c->there);
			cast_run(c->there, 10, 20);
			cast_switch(c->there, c->task[1]);
			cast_run(c->there, 100, 200);
			cast_switch(c->there, NULL);
			cast_expect(c, 0, on_exec ? 0 : 101,
				    on_exec || nr == 1 ? 0 : 202);
			expect_flags(c, 0, KNC_PMU_THREAD_PARTIAL);
			KUNIT_EXPECT_EQ(test, f->nr_targets, 1);
			cast_leave(c, 0);
		}
	}
}

/* A program that its user may execute but not read is not followed either */
static void unreadable_exec(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;

	c->task[0]->mm->flags = 0;
	for (i = 0; i < 2; i++) {
		cast_follow(c, i, KNC_PMU_CONFIG_TASK, c->task[0], i, 1);
		knc_follow_start(c->follow[i]);
	}
	c->follow[1]->privileged = false;
	cast_switch(c->there, c->task[0]);
	cast_run(c->there, 1, 1);
	cast_exec(c->there, false);
	cast_run(c->there, 10, 10);
	cast_expect(c, 0, 11, 0);
	expect_flags(c, 0, 0);
	cast_expect(c, 1, 1, 0);
	expect_flags(c, 1, KNC_PMU_THREAD_PARTIAL | KNC_PMU_THREAD_ENDED);
}

static int allowed(const struct task_struct *task)
{
	return atomic_read(knc_compat_mm_rdpmc(task->mm));
}

/* An executed program gets the permission for RDPMC, if there is memory for it. */
static void granted_on_exec(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i, want;
	struct knc_follow *f;

	for (i = 0; i < 4; i++) {
		want = i != 1 && i != 2;
		f = cast_follow(c, 0, ON_EXEC | (i < 3 ? KNC_PMU_CONFIG_RDPMC : 0),
				c->task[0], 0, 1);
		cast_switch(c->there, c->task[0]);
		KUNIT_EXPECT_EQ(test, allowed(c->task[0]), 0);
		fake_memory(i % 3);
		cast_exec(c->there, false);
		fake_memory(0);
		KUNIT_EXPECT_EQ(test, allowed(c->task[0]), want && i < 3);
		cast_run(c->there, 1, 1);
		/* the permission is granted only once */
		cast_exec(c->there, false);
		KUNIT_EXPECT_EQ(test, allowed(c->task[0]), want && i < 3);
		cast_expect(c, 0, 1, 0);
		expect_flags(c, 0, want ? 0 : KNC_PMU_THREAD_PARTIAL);
		knc_test_do_work();
		knc_rdpmc_close(f);
		KUNIT_EXPECT_EQ(test, allowed(c->task[0]), 0);
		cast_switch(c->there, NULL);
		cast_leave(c, 0);
	}
}

/* Of a task's two sessions only one may follow it further. */
static void secure_exec_of_two(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 1);
		cast_follow(c, 1, KNC_PMU_CONFIG_TASK, c->task[0], 1, 1);
		c->follow[i]->privileged = false;
		knc_follow_start(c->follow[0]);
		knc_follow_start(c->follow[1]);
		cast_switch(c->there, c->task[0]);
		cast_run(c->there, 1, 1);
		cast_exec(c->there, true);
		cast_run(c->there, 10, 10);
		cast_switch(c->there, NULL);
		cast_expect(c, i, 1, 0);
		expect_flags(c, i, KNC_PMU_THREAD_PARTIAL | KNC_PMU_THREAD_ENDED);
		cast_expect(c, !i, 11, 0);
		expect_flags(c, !i, 0);
		cast_leave(c, 0);
		cast_leave(c, 1);
	}
}

static void detached_everywhere(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int where;

	for (where = 0; where < 3; where++) {
		cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
		knc_follow_start(c->follow[0]);
		cast_switch(c->here, c->task[0]);
		cast_fork(c->here, c->task[1]);
		place(c, where, c->task[0]);
		/* a second session, so that the registers stay ours */
		cast_follow(c, 1, KNC_PMU_CONFIG_TASK, c->task[2], 0, 2);
		run_at(c, where, 1, 2);
		cast_leave(c, 0);
		KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 1);
		cast_expect_empty(c, c->here);
		cast_expect_empty(c, c->there);
		place(c, 2, NULL);
		place(c, where, c->task[0]);
		cast_expect_empty(c, c->here);
		cast_expect_empty(c, c->there);
		cast_leave(c, 1);
		place(c, 2, NULL);
	}
}

static void follows_a_process(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *thread[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		thread[i] = fake_thread(test, c->task[0]);
	thread[1]->flags |= PF_EXITING;
	cast_follow(c, 0, PROCESS, thread[0], 0, 1);
	KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, 3);
	knc_follow_start(c->follow[0]);
	for (i = 0; i < 3; i++) {
		cast_switch(c->there, thread[i]);
		cast_run(c->there, 1 << i, 0);
	}
	cast_switch(c->there, c->task[0]);
	cast_run(c->there, 8, 0);
	cast_switch(c->there, c->task[1]);
	cast_run(c->there, 16, 0);
	cast_expect(c, 0, 13, 0);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, refcount_read(&task_pid(thread[i])->count), 1000);
	/*
	 * a session has the other counter of one thread: that counter is not free for all threads
	 */
	cast_follow(c, 1, KNC_PMU_CONFIG_TASK, thread[2], 1, 1);
	KUNIT_EXPECT_EQ(test, -EBUSY, cast_try(c, 2, PROCESS, c->task[0], 1, 1));
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 3);
	cast_leave(c, 1);
	cast_follow(c, 2, PROCESS, c->task[0], 1, 1);
	KUNIT_EXPECT_EQ(test, c->follow[2]->nr_targets, 3);
}

static struct task_struct *last_thread(struct cast *c)
{
	return list_last_entry(&c->task[0]->signal->thread_head,
			       struct task_struct, thread_node);
}

static void fork_thread(void *arg)
{
	struct cast *c = arg;

	preempt_disable();
	knc_test_fork(c->task[0], last_thread(c));
	preempt_enable();
}

/*
 * A new thread is in its process's list before the probe of fork is called: CONFIG misses the
 * thread, and inheritance comes while there is no memory for it.
 */
static void inherited_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *thread = fake_thread(test, c->task[0]);
	unsigned int nth;

	/* session 1 follows the threads; allocations 2 and 3 are the first thread's */
	for (nth = 4; nth <= 5; nth++) {
		fake_meanwhile(FAKE_ALLOCATION, nth, fork_thread, c);
		cast_follow(c, 0, PROCESS | INHERIT, c->task[0], 0, 1);
		KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, 2);
		KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 2);
		knc_follow_start(c->follow[0]);
		cast_switch(c->there, thread);
		cast_run(c->there, 5, 0);
		cast_switch(c->there, NULL);
		cast_expect(c, 0, 5, 0);
		expect_flags(c, 0, 0);
		cast_leave(c, 0);
	}
	fake_meanwhile(FAKE_ALLOCATION, 0, NULL, NULL);
}

/**
 * struct brood - threads that create threads for as long as CONFIG looks for them
 * @c: the cast
 * @creator: the creator of the next thread, which is not followed either
 * @born: number of threads so far
 */
struct brood {
	struct cast *c;
	struct task_struct *creator;
	unsigned int born;
};

#define BROOD_MOST	200

static void breed(void *arg)
{
	struct brood *b = arg;
	struct task_struct *thread = fake_thread(b->c->test, b->c->task[0]);

	preempt_disable();
	knc_test_fork(b->creator, thread);
	preempt_enable();
	b->creator = thread;
	if (++b->born < BROOD_MOST)
		fake_meanwhile(FAKE_ALLOCATION, 1, breed, b);
}

/*
 * At each allocation for missing threads another thread appears, whose creator was missing as well:
 * all are followed, and CONFIG ends.
 */
static void process_that_breeds(struct kunit *test)
{
	struct cast *c = test->priv;
	struct brood b = { .c = c, .creator = fake_thread(test, c->task[0]) };
	struct task_struct *child;

	fake_meanwhile(FAKE_ALLOCATION, 4, breed, &b);
	cast_follow(c, 0, PROCESS, c->task[0], 0, 1);
	fake_meanwhile(FAKE_ALLOCATION, 0, NULL, NULL);
	KUNIT_EXPECT_LT(test, b.born, BROOD_MOST);
	KUNIT_EXPECT_GE(test, b.born, 1);
	KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, 2 + b.born);
	knc_follow_start(c->follow[0]);
	cast_switch(c->there, b.creator);
	cast_run(c->there, 5, 0);
	cast_switch(c->there, NULL);
	cast_expect(c, 0, 5, 0);
	expect_flags(c, 0, 0);
	/* after CONFIG new threads are followed only with INHERIT */
	child = fake_thread(test, c->task[0]);
	preempt_disable();
	knc_test_fork(b.creator, child);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, 2 + b.born);
}

static void unprivileged(struct cast *c, struct knc_follow *f)
{
	f->privileged = false;
}

/* @thread executes an unreadable program, which creates a thread. */
static void execute_secret(struct cast *c, struct task_struct *thread)
{
	struct task_struct *child = fake_thread(c->test, c->task[0]);
	unsigned int nr;

	cast_switch(c->there, thread);
	cast_exec(c->there, true);
	nr = knc_test_nr_tasks();
	cast_fork(c->there, child);
	KUNIT_EXPECT_EQ(c->test, knc_test_nr_tasks() - nr, !c->prepare);
}

/* The thread is not followed yet. */
static void turn_secret(void *arg)
{
	struct cast *c = arg;

	execute_secret(c, last_thread(c));
	cast_switch(c->there, NULL);
}

/* The thread is followed already, and ends: CONFIG finds no thread to check. */
static void turn_secret_and_end(void *arg)
{
	struct cast *c = arg;

	execute_secret(c, c->task[0]);
	cast_end(c->there);
}

/*
 * While CONFIG searches for threads, the process executes a program that its user may not ptrace():
 * without privilege the search ends, and CONFIG fails.
 */
static void becomes_secret_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;

	fake_thread(test, c->task[0]);
	c->prepare = unprivileged;
	/* prepare() makes two more allocations */
	fake_meanwhile(FAKE_ALLOCATION, 6, turn_secret, c);
	KUNIT_EXPECT_EQ(test, -EPERM, cast_try(c, 0, PROCESS, c->task[0], 0, 1));
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	fake_meanwhile(FAKE_ALLOCATION, 6, turn_secret_and_end, c);
	KUNIT_EXPECT_EQ(test, -EPERM, cast_try(c, 0, PROCESS, c->task[0], 0, 1));
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	c->task[0]->flags &= ~PF_EXITING;
	c->prepare = NULL;
	fake_meanwhile(FAKE_ALLOCATION, 4, turn_secret, c);
	KUNIT_EXPECT_EQ(test, 0, cast_try(c, 0, PROCESS, c->task[0], 0, 1));
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 5);
	fake_meanwhile(FAKE_ALLOCATION, 0, NULL, NULL);
}

static void expect_found(struct kunit *test, bool process, struct task_struct *want)
{
	struct knc_refusal why = { .reason = 0 };
	struct pid *found = knc_follow_find(0, process, &why);

	if (want)
		KUNIT_EXPECT_PTR_EQ(test, found, task_pid(want));
	else
		KUNIT_EXPECT_EQ(test, PTR_ERR(found), -ESRCH);
	KUNIT_EXPECT_EQ(test, why.reason, want ? KNC_PMU_REASON_NONE : KNC_PMU_REASON_TASK_NONE);
	if (want)
		put_pid(found);
}

/* A process continues without its first thread, whose pid names it. */
static void leader_has_ended(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *thread[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		thread[i] = fake_thread(test, c->task[0]);
	/* the caller is found as number 0 */
	fake_set_current(c->task[0]);
	expect_found(test, true, c->task[0]);
	c->task[0]->flags |= PF_EXITING;
	expect_found(test, true, thread[0]);
	expect_found(test, false, NULL);
	thread[0]->flags |= PF_EXITING;
	expect_found(test, true, thread[1]);
	fake_set_current(NULL);
	cast_follow(c, 0, PROCESS, thread[1], 0, 1);
	KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, 1);
	knc_follow_start(c->follow[0]);
	cast_switch(c->there, thread[1]);
	cast_run(c->there, 5, 0);
	cast_switch(c->there, NULL);
	cast_expect(c, 0, 5, 0);
	cast_leave(c, 0);
	thread[1]->flags |= PF_EXITING;
	fake_set_current(c->task[0]);
	expect_found(test, true, NULL);
	fake_set_current(NULL);
}

/* A caller that is being killed does not wait for the end of the search. */
static void killed(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *caller = fake_task(test);

	fake_thread(test, c->task[0]);
	sigaddset(&caller->pending.signal, SIGKILL);
	set_tsk_thread_flag(caller, TIF_SIGPENDING);
	fake_set_current(caller);
	KUNIT_EXPECT_EQ(test, -EINTR, cast_try(c, 0, PROCESS, c->task[0], 0, 1));
	fake_set_current(NULL);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	cast_follow(c, 0, PROCESS, c->task[0], 0, 1);
}

/* A task that knc_follow_find() has found may have executed another program by now. */
static void becomes_secret(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *task = c->task[0];
	struct cred *cred = prepare_creds();
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	RCU_INIT_POINTER(task->real_cred, cred);
	old = override_creds(cred);
	task->mm->flags = SUID_DUMP_DISABLE;
	KUNIT_EXPECT_EQ(test, -EPERM, cast_try(c, 0, KNC_PMU_CONFIG_TASK, task, 0, 1));
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	task->mm->flags = SUID_DUMP_USER;
	KUNIT_EXPECT_EQ(test, 0, cast_try(c, 0, KNC_PMU_CONFIG_TASK, task, 0, 1));
	revert_creds(old);
	RCU_INIT_POINTER(task->real_cred, NULL);
	put_cred(cred);
}

static void expect_rights(struct cast *c, int want)
{
	KUNIT_EXPECT_EQ(c->test, want,
			cast_try(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 1));
	cast_leave(c, 0);
}

/* A caller with credentials @own tries to follow a task with credentials @its. */
static void expect_own_rights(struct cast *c, struct cred *own, struct cred *its)
{
	static struct user_namespace other = { .level = 1 };
	kuid_t *uid[] = { &its->uid, &its->euid, &its->suid };
	kgid_t *gid[] = { &its->gid, &its->egid, &its->sgid };
	struct user_namespace *ns = its->user_ns;
	unsigned int i;

	expect_rights(c, 0);
	for (i = 0; i < 3; i++) {
		*uid[i] = KUIDT_INIT(4711);
		expect_rights(c, -EPERM);
		*uid[i] = own->uid;
		*gid[i] = KGIDT_INIT(4711);
		expect_rights(c, -EPERM);
		*gid[i] = own->gid;
	}
	its->user_ns = &other;
	expect_rights(c, -EPERM);
	its->user_ns = ns;
	cap_lower(own->cap_permitted, CAP_NET_RAW);
	expect_rights(c, -EPERM);
	cap_lower(its->cap_permitted, CAP_NET_RAW);
	expect_rights(c, 0);
}

/* A task is not followed if it has a capability that its follower lacks. */
static void others_rights(struct kunit *test)
{
	struct cred *own = prepare_creds(), *its = prepare_creds();
	struct cast *c = test->priv;
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, own);
	KUNIT_ASSERT_NOT_NULL(test, its);
	cap_clear(own->cap_effective);
	RCU_INIT_POINTER(c->task[0]->real_cred, its);
	old = override_creds(own);
	expect_own_rights(c, own, its);
	revert_creds(old);
	RCU_INIT_POINTER(c->task[0]->real_cred, NULL);
	put_cred(its);
	put_cred(own);
}

static void refused_meanwhile(void *arg)
{
	struct cast *c = arg;
	const struct knc_claim *claim[2] = { NULL, NULL };
	static struct knc_follow other;

	knc_follow_task_holders(&other, task_pid(last_thread(c)), claim);
	KUNIT_EXPECT_NOT_NULL(c->test, claim[0]);
	KUNIT_EXPECT_NULL(c->test, claim[1]);
}

/* The counters of a thread that CONFIG has not yet found are taken nevertheless. */
static void taken_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;

	fake_thread(test, c->task[0]);
	fake_meanwhile(FAKE_ALLOCATION, 4, refused_meanwhile, c);
	cast_follow(c, 0, PROCESS, c->task[0], 0, 1);
	KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, 2);
	/* if CONFIG fails the counters are free again */
	cast_leave(c, 0);
	fake_memory(4);
	KUNIT_EXPECT_EQ(test, -ENOMEM, cast_try(c, 0, PROCESS, c->task[0], 0, 1));
	fake_memory(0);
	cast_follow(c, 1, KNC_PMU_CONFIG_TASK, last_thread(c), 0, 1);
	KUNIT_EXPECT_EQ(test, c->follow[1]->nr_targets, 1);
}

/* The number of CPUs that a command interrupts */
static unsigned int calls(void (*command)(struct knc_follow *f),
			  struct knc_follow *f)
{
	fake_called = 0;
	command(f);
	return fake_called;
}

static void read_it(struct knc_follow *f)
{
	struct knc_pmu_thread r;

	knc_follow_read(f, &r, true);
}

/* Commands call only the hardware thread on which the task runs. */
static void asks_nobody_else(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;
	unsigned int i;

	/* the task runs before it is followed: CONFIG finds its hardware thread */
	cast_switch(c->there, c->task[0]);
	cast_follow(c, 1, KNC_PMU_CONFIG_TASK, c->task[1], 0, 1);
	fake_called = 0;
	f = cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 1);
	KUNIT_EXPECT_EQ(test, fake_called, 1);
	KUNIT_EXPECT_EQ(test, calls(read_it, f), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, calls(knc_follow_start, f), 1);
		cast_run(c->there, 3, 0);
		KUNIT_EXPECT_EQ(test, calls(read_it, f), 1);
		cast_expect(c, 0, 4 * i + 3, 0);
		/*
		 * the task is switched out: its hardware thread is called once, whichever task runs
		 * there, and not again
		 */
		cast_switch(c->there, NULL);
		KUNIT_EXPECT_LE(test, calls(read_it, f), 1);
		KUNIT_EXPECT_EQ(test, calls(read_it, f), 0);
		KUNIT_EXPECT_EQ(test, calls(knc_follow_stop, f), 0);
		KUNIT_EXPECT_EQ(test, calls(knc_follow_start, f), 0);
		cast_switch(c->there, c->task[0]);
		cast_run(c->there, 1, 0);
		KUNIT_EXPECT_EQ(test, calls(knc_follow_stop, f), 1);
		cast_run(c->there, 100, 0);
		KUNIT_EXPECT_EQ(test, calls(read_it, f), 0);
		/* the task is switched in while the session is stopped: START finds it */
		cast_switch(c->there, NULL);
		cast_switch(c->there, c->task[0]);
		cast_expect(c, 0, 4 * i + 4, 0);
	}
	fake_called = 0;
	cast_leave(c, 0);
	KUNIT_EXPECT_EQ(test, fake_called, 1);
}

/* Counts up to an eviction are kept; the task's counters are free. */
static void evicted(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;
	unsigned int where;

	for (where = 0; where < 3; where++) {
		f = cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
		knc_follow_start(f);
		cast_switch(c->here, c->task[0]);
		cast_fork(c->here, c->task[1]);
		cast_run(c->here, 1, 2);
		cast_switch(c->here, c->task[1]);
		cast_run(c->here, 10, 20);
		cast_switch(c->here, NULL);
		place(c, where, c->task[0]);
		run_at(c, where, 100, 200);
		cast_evict(f);
		run_at(c, where, 1000, 2000);
		KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
		cast_expect(c, 0, where < 2 ? 111 : 11, where < 2 ? 222 : 22);
		expect_flags(c, 0, KNC_PMU_THREAD_EVICTED);
		cast_follow(c, 1, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2);
		cast_leave(c, 1);
		place(c, 2, NULL);
		knc_follow_destroy(f);
		c->follow[0] = NULL;
	}
}

static void execute(void *arg)
{
	struct cast *c = arg;

	cast_exec(c->there, false);
}

static void execute_and_count(void *arg)
{
	struct cast *c = arg;

	cast_exec(c->there, false);
	cast_run(c->there, 5, 0);
}

/* The program that starts the session is executed after an eviction has stopped all tasks. */
static void evicted_before_exec(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;

	cast_switch(c->there, c->task[0]);
	f = cast_follow(c, 0, KNC_PMU_CONFIG_TASK | ON_EXEC, c->task[0], 0, 1);
	fake_meanwhile(FAKE_CALL, 1, execute_and_count, c);
	cast_evict(f);
	cast_expect(c, 0, 0, 0);
	expect_flags(c, 0, KNC_PMU_THREAD_EVICTED);
	cast_switch(c->there, NULL);
	knc_follow_destroy(f);
	c->follow[0] = NULL;
}

/*
 * The first thread executes the program that starts the session, while other threads are not
 * followed yet: these are counted too, at once if they run.
 */
static void executed_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *thread[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		thread[i] = fake_thread(test, c->task[0]);
	cast_switch(c->there, c->task[0]);
	cast_switch(c->here, thread[0]);
	/* the first thread is followed already */
	fake_meanwhile(FAKE_ALLOCATION, 4, execute, c);
	cast_follow(c, 0, PROCESS | ON_EXEC, c->task[0], 0, 1);
	KUNIT_EXPECT_TRUE(test, c->follow[0]->started);
	cast_run(c->there, 1, 0);
	cast_run(c->here, 10, 0);
	cast_switch(c->there, thread[1]);
	cast_run(c->there, 100, 0);
	cast_expect(c, 0, 111, 0);
	expect_flags(c, 0, 0);
}

static void expect_nothing_loaded(void *arg)
{
	struct cast *c = arg;

	KUNIT_EXPECT_EQ(c->test, knc_hwthread_of(c->here)->task_cntrs, 0);
}

/* The last thread is switched in on the test's CPU, and begins to end. */
static void run_and_end(void *arg)
{
	struct cast *c = arg;
	struct task_struct *thread = last_thread(c);

	knc_test_switch(fake_current(), thread);
	fake_set_current(thread);
	thread->flags |= PF_EXITING;
	fake_meanwhile(FAKE_FREE, 1, expect_nothing_loaded, c);
}

/*
 * The scheduler switches to a thread that ends while CONFIG is about to follow it: its claim leaves
 * the counters before it is released.
 */
static void ends_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *thread = fake_thread(test, c->task[0]);

	c->prepare = obey;
	fake_meanwhile(FAKE_BARRIER, 2, run_and_end, c);
	cast_follow(c, 0, PROCESS, c->task[0], 0, 1);
	KUNIT_EXPECT_TRUE(test, thread->flags & PF_EXITING);
	KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, 1);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 1);
	cast_expect_empty(c, c->here);
	cast_end(c->here);
	cast_expect(c, 0, 0, 0);
}

/**
 * struct leaving - a session whose counters are taken back
 * @c: the cast
 * @seen: the test has looked at the permission
 */
struct leaving {
	struct cast *c;
	bool seen;
};

static void expect_revoked(void *arg)
{
	struct leaving *l = arg;

	KUNIT_EXPECT_EQ(l->c->test, allowed(l->c->task[0]), 0);
	l->seen = true;
}

/* The task loses its permission before another session gets the counters. */
static void revoked_first(struct kunit *test)
{
	struct cast *c = test->priv;
	struct placing p = { .nr = 1 };
	struct leaving l = { .c = c };

	placing_set(&p, 0, &stage_any, 0);
	cast_permit(true);
	/* the session makes the reservation itself */
	knc_hw_release();
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_EQ(test, 0, stage_config(c->st, 0, NULL, &p, KNC_PMU_CONFIG_TASK |
					      KNC_PMU_CONFIG_RDPMC));
	KUNIT_EXPECT_EQ(test, allowed(c->task[0]), 1);
	fake_meanwhile(FAKE_CALL, 1, expect_revoked, &l);
	stage_destroy(c->st, 0);
	KUNIT_EXPECT_TRUE(test, l.seen);
	cast_switch(c->here, NULL);
	knc_test_rdpmc_exit();
	knc_test_give_backs(KNC_TEST_GIVE_BACKS);
	KUNIT_EXPECT_EQ(test, 0, knc_hw_reserve());
}

static void execute_here(void *arg)
{
	struct cast *c = arg;

	preempt_disable();
	knc_test_exec(c->task[0], false);
	preempt_enable();
}

/*
 * CONFIG fails just after the program that starts the session was executed: no permission and no
 * sampling timer remains.
 */
static void executed_in_vain(struct kunit *test)
{
	struct cast *c = test->priv;
	struct placing p = { .nr = 1 };

	fake_thread(test, c->task[0]);
	placing_set(&p, 0, &stage_any, 0);
	p.e[0].flags |= KNC_PMU_EVENT_SAMPLE;
	p.e[0].sample_period = 100;
	c->st->sampling.ring_size = KNC_PMU_MIN_RING;
	cast_permit(true);
	/* the session makes the reservation itself */
	knc_hw_release();
	cast_switch(c->here, c->task[0]);
	fake_meanwhile(FAKE_ALLOCATION, 6, execute_here, c);
	/* allocations 6 and 7 are for its permission, 8 for the second thread */
	fake_memory(8);
	KUNIT_EXPECT_EQ(test, -ENOMEM,
			stage_config(c->st, 0, NULL, &p, PROCESS | ON_EXEC |
				     KNC_PMU_CONFIG_RDPMC));
	fake_memory(0);
	KUNIT_EXPECT_TRUE(test, knc_test_do_work());
	KUNIT_EXPECT_EQ(test, allowed(c->task[0]), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	KUNIT_EXPECT_EQ(test, knc_session_number(), 0);
	/* KASAN would report a timer in freed memory */
	msleep(100);
	cast_switch(c->here, NULL);
	knc_test_rdpmc_exit();
	knc_test_give_backs(KNC_TEST_GIVE_BACKS);
	KUNIT_EXPECT_EQ(test, 0, knc_hw_reserve());
}

static void ask_owner(void *arg)
{
	struct cast *c = arg;
	s32 pid;

	KUNIT_EXPECT_EQ(c->test, knc_session_owner(c->there, 0, &pid),
			KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS);
}

static void ask_number(void *arg)
{
	struct cast *c = arg;

	KUNIT_EXPECT_EQ(c->test, knc_session_number(), 0);
	/* from here CONFIG searches for the other threads */
	fake_meanwhile(FAKE_ALLOCATION, 2, ask_owner, c);
}

/*
 * INFO is answered at any time during CONFIG, and the other commands during its search for threads.
 * (If a lock is held this test hangs.)
 */
static void others_go_on(struct kunit *test)
{
	struct cast *c = test->priv;
	struct placing p = { .nr = 1 };

	fake_thread(test, c->task[0]);
	placing_set(&p, 0, &stage_any, 0);
	/* the session makes the reservation itself */
	knc_hw_release();
	cast_switch(c->here, c->task[0]);
	fake_meanwhile(FAKE_ALLOCATION, 2, ask_number, c);
	KUNIT_EXPECT_EQ(test, 0, stage_config(c->st, 0, NULL, &p, PROCESS));
	KUNIT_EXPECT_EQ(test, knc_session_number(), 1);
	stage_destroy(c->st, 0);
	cast_switch(c->here, NULL);
	knc_test_give_backs(KNC_TEST_GIVE_BACKS);
	KUNIT_EXPECT_EQ(test, 0, knc_hw_reserve());
}

/* Which session has the counters of a task, or of a thread of its process? */
static void taken(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *thread = fake_thread(test, c->task[0]);
	const struct knc_claim *claim[2] = { NULL, NULL };
	static struct knc_follow other;
	struct knc_follow *f;

	KUNIT_EXPECT_NULL(test, knc_follow_holder(1));
	KUNIT_EXPECT_NULL(test, knc_follow_gated());
	f = cast_follow(c, 0, KNC_PMU_CONFIG_TASK, thread, 1, 1);
	other.flags = KNC_PMU_CONFIG_TASK;
	knc_follow_find_holders(&other, task_pid(c->task[0]));
	knc_follow_task_holders(&other, task_pid(c->task[0]), claim);
	KUNIT_EXPECT_NULL(test, claim[0]);
	KUNIT_EXPECT_NULL(test, claim[1]);
	other.flags = PROCESS;
	knc_follow_find_holders(&other, task_pid(c->task[0]));
	knc_follow_task_holders(&other, task_pid(c->task[0]), claim);
	KUNIT_EXPECT_NULL(test, claim[0]);
	KUNIT_EXPECT_PTR_EQ(test, claim[1], (const struct knc_claim *)&f->claim);
	memset(other.beside, 0, sizeof(other.beside));
	claim[1] = NULL;
	knc_follow_task_holders(&other, task_pid(thread), claim);
	KUNIT_EXPECT_PTR_EQ(test, claim[1], (const struct knc_claim *)&f->claim);
	KUNIT_EXPECT_NULL(test, knc_follow_holder(0));
	KUNIT_EXPECT_PTR_EQ(test, knc_follow_holder(1),
			    (const struct knc_claim *)&f->claim);
	KUNIT_EXPECT_NULL(test, knc_follow_gated());
	/* the oldest session is named */
	cast_follow(c, 1, KNC_PMU_CONFIG_TASK, c->task[1], 0, 2);
	c->follow[1]->claim.gated = 2;
	KUNIT_EXPECT_PTR_EQ(test, knc_follow_holder(1),
			    (const struct knc_claim *)&f->claim);
	KUNIT_EXPECT_PTR_EQ(test, knc_follow_holder(0),
			    (const struct knc_claim *)&c->follow[1]->claim);
	KUNIT_EXPECT_PTR_EQ(test, knc_follow_gated(),
			    (const struct knc_claim *)&c->follow[1]->claim);
}

/* Without memory for a child READ reports that it is missing. */
static void no_memory(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int nth;

	for (nth = 1; nth <= 2; nth++) {
		cast_follow(c, 0, INHERIT, c->task[0], 0, 1);
		knc_follow_start(c->follow[0]);
		cast_switch(c->there, c->task[0]);
		expect_flags(c, 0, 0);
		fake_memory(nth);
		cast_fork(c->there, c->task[1]);
		expect_flags(c, 0, KNC_PMU_THREAD_PARTIAL);
		cast_run(c->there, 1, 0);
		cast_switch(c->there, c->task[1]);
		cast_run(c->there, 10, 0);
		cast_switch(c->there, NULL);
		cast_expect(c, 0, 1, 0);
		cast_leave(c, 0);
	}
	for (nth = 1; nth <= 3; nth++) {
		fake_memory(nth);
		KUNIT_EXPECT_EQ(test, -ENOMEM,
				cast_try(c, 0, PAGE, c->task[0], 0, 1));
		KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
		/* knc_test_hold_probes() is the only user */
		KUNIT_EXPECT_EQ(test, knc_test_probes_users(), 1);
		KUNIT_EXPECT_FALSE(test, knc_hwthread_of(c->here)->for_tasks);
	}
	fake_memory(0);
}

/* A hardware thread goes offline while a task is counted there, and comes back. */
static void hotplug(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model_regs before = stage_before(c->there);

	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2);
	cast_begin(c, c->there);
	cast_run(c->there, 1, 2);
	stage_remove_cpu(c->st, c->there);
	fake_forget(c->there);
	model_expect_regs(test, model_of(c->there), &before);
	KUNIT_EXPECT_EQ(test, knc_hwthread_of(c->there)->task_cntrs, 0);
	cast_expect(c, 0, 1, 2);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 10, 20);
	cast_switch(c->here, NULL);
	stage_add_cpu(c->st, c->there);
	cast_expect_empty(c, c->there);
	cast_switch(c->there, c->task[0]);
	cast_run(c->there, 100, 200);
	cast_expect(c, 0, 111, 222);
	cast_switch(c->there, NULL);
	cast_expect(c, 0, 111, 222);
	/* the CPU goes offline without claims, and all sessions are closed meanwhile */
	stage_remove_cpu(c->st, c->there);
	cast_leave(c, 0);
	KUNIT_EXPECT_FALSE(test, knc_hwthread_of(c->there)->for_tasks);
	/* RESET_REGISTERS discarded the saved registers, but not those of this CPU */
	knc_hwthread_of(c->there)->saved_is_reset = true;
	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2);
	stage_add_cpu(c->st, c->there);
	/* registers are saved when a task is first counted there */
	model_expect_regs(test, model_of(c->there), &before);
	cast_begin(c, c->there);
	cast_switch(c->there, NULL);
	cast_expect_empty(c, c->there);
	KUNIT_EXPECT_FALSE(test, knc_hwthread_of(c->there)->saved_is_reset);
	cast_leave(c, 0);
	model_expect_regs(test, model_of(c->there), &before);
}

/* Tasks run on a hardware thread before the module has taken it online, and after. */
static void runs_where_it_is_offline(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_hwthread *hw = knc_hwthread_of(c->there);

	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2);
	hw->online = false;
	cast_switch(c->there, c->task[0]);
	expect_flags(c, 0, 0);
	cast_switch(c->there, NULL);
	cast_begin(c, c->there);
	cast_expect_empty(c, c->there);
	cast_run(c->there, 1, 2);
	cast_switch(c->there, NULL);
	hw->online = true;
	cast_expect(c, 0, 0, 0);
	expect_flags(c, 0, KNC_PMU_THREAD_PARTIAL);
}

/* Times in ticks of each hardware thread on which the task ran */
static void times(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r;
	u64 t;

	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0], 0, 2);
	model_of(c->here)->tsc = 1ULL << 41;
	cast_switch(c->here, c->task[0]);
	model_pass(model_of(c->here), tsc_khz);
	knc_follow_start(c->follow[0]);
	model_pass(model_of(c->here), 5ULL * tsc_khz);
	KUNIT_EXPECT_EQ(test, cast_read(c, 0).time_running, 5000000);
	KUNIT_EXPECT_EQ(test, cast_read(c, 0).time_running, 5000000);
	cast_switch(c->here, NULL);
	model_pass(model_of(c->here), tsc_khz);
	cast_switch(c->there, c->task[0]);
	model_pass(model_of(c->there), 3600000ULL * tsc_khz);
	t = ktime_get_ns();
	r = cast_read(c, 0);
	KUNIT_EXPECT_EQ(test, r.time_running, 3600005000000ULL);
	KUNIT_EXPECT_GE(test, r.time, t);
	KUNIT_EXPECT_LE(test, r.time, ktime_get_ns());
	knc_follow_stop(c->follow[0]);
	model_pass(model_of(c->there), tsc_khz);
	KUNIT_EXPECT_EQ(test, cast_read(c, 0).time_running, 3600005000000ULL);
	knc_follow_reset(c->follow[0]);
	KUNIT_EXPECT_EQ(test, cast_read(c, 0).time_running, 0);
	knc_follow_start(c->follow[0]);
	model_pass(model_of(c->there), tsc_khz / 2);
	KUNIT_EXPECT_EQ(test, cast_read(c, 0).time_running,
			tsc_khz / 2 * 1000000ULL / tsc_khz);
}

static u64 monotonic;

static void measure_here(void *unused)
{
	knc_test_measure(monotonic);
}

static void measure_end_here(void *unused)
{
	knc_test_measure_end();
}

/* Let @ms pass on both CPUs; the TSC of c->here runs at @tenths tenths of its rate */
static void pass_at(struct cast *c, u64 ms, unsigned int tenths)
{
	monotonic += ms * NSEC_PER_MSEC;
	model_pass(model_of(c->here), ms * tsc_khz * tenths / 10);
	model_pass(model_of(c->there), ms * tsc_khz);
	smp_call_function_single(c->here, measure_here, NULL, true);
	smp_call_function_single(c->there, measure_here, NULL, true);
}

static u64 page_ns(struct cast *c, unsigned int cpu)
{
	const struct knc_pmu_page *page = c->follow[0]->page;

	return div64_u64((model_of(cpu)->tsc + page->time_enabled) * 1000000,
			 page->tsc_khz);
}

static void expect_ns(struct cast *c, u64 got, u64 want, unsigned int tenths)
{
	KUNIT_EXPECT_GE_MSG(c->test, got, want - want / 100, "%u tenths", tenths);
	KUNIT_EXPECT_LE_MSG(c->test, got, want + want / 100, "%u tenths", tenths);
}

/*
 * The counter's rate is halved and doubled while a task runs and while it does not: its times, in
 * READ and on the page, follow CLOCK_MONOTONIC.
 */
static void times_at_other_rates(struct kunit *test)
{
	static const unsigned int tenths[] = { 5, 20, 7, 10 };
	struct cast *c = test->priv;
	unsigned int i, n, cpu;
	u64 ran = 0, last = 0, now;

	monotonic = NSEC_PER_SEC;
	cast_follow(c, 0, PAGE, c->task[0], 0, 2);
	model_of(c->here)->tsc = 1ULL << 41;
	model_of(c->there)->tsc = 1ULL << 42;
	knc_follow_start(c->follow[0]);
	pass_at(c, 100, 10);
	for (i = 0; i < ARRAY_SIZE(tenths); i++) {
		for (n = 0; n < 40; n++) {
			/* half of the time on each CPU; sometimes on none */
			cpu = n & 1 ? c->here : c->there;
			cast_switch(cpu, c->task[0]);
			pass_at(c, 100, tenths[i]);
			ran += 100 * NSEC_PER_MSEC;
			expect_ns(c, page_ns(c, cpu), ran, tenths[i]);
			now = cast_read(c, 0).time_running;
			expect_ns(c, now, ran, tenths[i]);
			KUNIT_EXPECT_GE(test, now, last);
			last = now;
			cast_switch(cpu, NULL);
			if (n % 5 == 0)
				pass_at(c, 200, tenths[i]);
		}
		cast_switch(c->here, c->task[0]);
		pass_at(c, 30000, tenths[i]);
		ran += 30000 * NSEC_PER_MSEC;
		expect_ns(c, page_ns(c, c->here), ran, tenths[i]);
		cast_switch(c->here, NULL);
		expect_ns(c, cast_read(c, 0).time_running, ran, tenths[i]);
	}
	/* the task runs a hundred times longer: the error stays below one hundredth */
	cast_switch(c->here, c->task[0]);
	for (i = 0; i < ARRAY_SIZE(tenths); i++) {
		pass_at(c, 100000, tenths[i]);
		ran += 100000 * NSEC_PER_MSEC;
		expect_ns(c, page_ns(c, c->here), ran, tenths[i]);
	}
	cast_switch(c->here, NULL);
	expect_ns(c, cast_read(c, 0).time_running, ran, 10);
	smp_call_function_single(c->here, measure_end_here, NULL, true);
	smp_call_function_single(c->there, measure_end_here, NULL, true);
}

/* Overflows at each access of a context switch, with late interrupts */
static void overflows_at_switches(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->there);
	u64 base[MODEL_NR], expected[2][MODEL_NR] = { { 0 } };
	unsigned int i, k, n;

	for (k = 0; k < 2; k++) {
		cast_follow(c, k, KNC_PMU_CONFIG_TASK, c->task[k], 0, 2);
		knc_follow_start(c->follow[k]);
	}
	for (i = 0; i < 2 * 3 * 16 * 8; i++) {
		k = i & 1;
		memcpy(base, m->counted, sizeof(base));
		model_trip(m, 1 + i / 2 % 3, i / 6 % 16, i / 96);
		cast_switch(c->there, c->task[k]);
		m->trip = 0;
		cast_run(c->there, 2, 3);
		model_trip(m, 1 + i / 2 % 3, i / 6 % 16, i / 96 * 5);
		cast_switch(c->there, NULL);
		m->trip = 0;
		model_deliver(m);
		m->late = 0;
		for (n = 0; n < MODEL_NR; n++)
			expected[k][n] += m->counted[n] - base[n];
	}
	for (k = 0; k < 2; k++)
		cast_expect(c, k, expected[k][0], expected[k][1]);
	KUNIT_EXPECT_EQ(test, m->missed, 0);
	KUNIT_EXPECT_EQ(test, m->regs.lvtpc, MODEL_LVT_NMI);
}

/* The tracepoint stays on for a moment after the last task session. */
static void lingers(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned long began;
	unsigned int i;
	bool there;

	knc_test_hold_probes(false);
	KUNIT_EXPECT_FALSE(test, knc_test_probes_there());
	began = jiffies;
	for (i = 0; i < 3; i++) {
		cast_follow(c, 0, INHERIT, c->task[0], 0, 1);
		cast_follow(c, 1, INHERIT, c->task[1], 0, 1);
		KUNIT_EXPECT_TRUE(test, knc_test_probes_there());
		KUNIT_EXPECT_EQ(test, knc_test_probes_users(), 2);
		cast_leave(c, 0);
		cast_leave(c, 1);
		KUNIT_EXPECT_EQ(test, knc_test_probes_users(), 0);
		there = knc_test_probes_there();
		/* unless the test itself has taken a second */
		KUNIT_EXPECT_TRUE(test, there || time_after(jiffies, began + HZ));
	}
	/* a task is followed again before the tracepoint is off: it stays on */
	cast_follow(c, 0, INHERIT, c->task[0], 0, 1);
	msleep(4000);
	KUNIT_EXPECT_TRUE(test, knc_test_probes_there());
	cast_leave(c, 0);
	for (i = 0; i < 600 && knc_test_probes_there(); i++)
		msleep(100);
	KUNIT_EXPECT_FALSE(test, knc_test_probes_there());
	/* the module is unloaded */
	cast_follow(c, 0, INHERIT, c->task[0], 0, 1);
	cast_leave(c, 0);
	knc_test_hold_probes(true);
}

/* Which tasks a caller may follow */

static int try_find(struct cast *c, s32 pid, u32 reason)
{
	struct knc_refusal why = { .reason = 0 };
	struct pid *found = knc_follow_find(pid, false, &why);

	KUNIT_EXPECT_EQ(c->test, why.reason, reason);
	if (IS_ERR(found))
		return PTR_ERR(found);
	put_pid(found);
	return 0;
}

/* Find as a user other than root, or as root without capabilities */
static int find_as(struct cast *c, s32 pid, unsigned int uid, bool permitted,
		   u32 reason)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int err;

	KUNIT_ASSERT_NOT_NULL(c->test, cred);
	cap_clear(cred->cap_effective);
	if (!permitted)
		cap_clear(cred->cap_permitted);
	cred->uid = KUIDT_INIT(uid);
	cred->euid = KUIDT_INIT(uid);
	old = override_creds(cred);
	err = try_find(c, pid, reason);
	revert_creds(old);
	put_cred(cred);
	return err;
}

static void finds(struct kunit *test)
{
	struct cast *c = test->priv;
	s32 pid = stage_user_pid();

	KUNIT_EXPECT_EQ(test, try_find(c, pid, 0), 0);
	/* kernel threads can't be followed, including this one */
	KUNIT_EXPECT_EQ(test, -ESRCH, try_find(c, 0, KNC_PMU_REASON_TASK_NONE));
	KUNIT_EXPECT_EQ(test, -ESRCH, try_find(c, 2, KNC_PMU_REASON_TASK_NONE));
	KUNIT_EXPECT_EQ(test, -ESRCH,
			try_find(c, 0x3ffffff, KNC_PMU_REASON_TASK_NONE));
	KUNIT_EXPECT_EQ(test, -ESRCH, try_find(c, -1, KNC_PMU_REASON_TASK_NONE));
	KUNIT_EXPECT_EQ(test, find_as(c, pid, 0, true, 0), 0);
	KUNIT_EXPECT_EQ(test, -EPERM,
			find_as(c, pid, 0, false, KNC_PMU_REASON_TASK_DENIED));
	KUNIT_EXPECT_EQ(test, -EPERM,
			find_as(c, pid, 1000, true, KNC_PMU_REASON_TASK_DENIED));
	KUNIT_EXPECT_EQ(test, -EPERM,
			find_as(c, pid, 1000, false,
				KNC_PMU_REASON_TASK_DENIED));
}

static void expect_check(struct kunit *test, u32 flags,
			 const struct knc_request *more, int err, u32 reason)
{
	struct knc_event event = { .flags = KNC_PMU_EVENT_USR };
	struct knc_request config = *more;
	struct knc_refusal why = { .reason = 0 };

	config.flags = flags;
	config.nr_events = 1;
	config.events = &event;
	KUNIT_EXPECT_EQ(test, knc_follow_check(&config, &why), err);
	KUNIT_EXPECT_EQ(test, why.reason, reason);
}

static void checks(struct kunit *test)
{
	static const struct knc_request none;
	const struct knc_request cpus = { .cpus = cpu_online_mask };
	const struct knc_request timed = { .sample_interval = 1 }, pid = { .pid = 1 };

	expect_check(test, 0, &none, 0, 0);
	expect_check(test, KNC_PMU_CONFIG_RDPMC, &cpus, 0, 0);
	expect_check(test, 0, &pid, -EINVAL, KNC_PMU_REASON_TASK_FLAGS);
	expect_check(test, KNC_PMU_CONFIG_PROCESS, &none, -EINVAL,
		     KNC_PMU_REASON_TASK_FLAGS);
	expect_check(test, KNC_PMU_CONFIG_INHERIT, &none, -EINVAL,
		     KNC_PMU_REASON_TASK_FLAGS);
	expect_check(test, KNC_PMU_CONFIG_ON_EXEC, &none, -EINVAL,
		     KNC_PMU_REASON_TASK_FLAGS);
	expect_check(test, PROCESS | INHERIT | ON_EXEC, &pid, 0, 0);
	expect_check(test, INHERIT, &cpus, -EINVAL, KNC_PMU_REASON_TASK_FLAGS);
	expect_check(test, INHERIT, &timed, -EOPNOTSUPP,
		     KNC_PMU_REASON_TASK_SAMPLING);
}

/* Real kernel threads and the real scheduler */

struct actor {
	unsigned int cpu;
	u64 did;
};

/* A thread whose events are its own: nothing else runs on its CPU. */
static void act(struct actor *a)
{
	unsigned long flags;

	local_irq_save(flags);
	a->cpu = smp_processor_id();
	model_jump(model_of(a->cpu), 3, 0);
	a->did += 3;
	local_irq_restore(flags);
}

static int actor(void *data)
{
	while (!kthread_should_stop()) {
		act(data);
		usleep_range(50, 200);
	}
	return 0;
}

static void real_tasks(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *task[2];
	struct actor a[2] = { { 0 } };
	unsigned int i;

	/* this turns the tracepoint on */
	knc_test_hold_probes(false);
	for (i = 0; i < 2; i++) {
		task[i] = kthread_create(actor, &a[i], "knc_actor%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task[i]));
		kthread_bind(task[i], c->there);
	}
	cast_follow(c, 0, KNC_PMU_CONFIG_TASK, task[0], 0, 1);
	KUNIT_EXPECT_EQ(test, knc_test_probes_users(), 1);
	knc_follow_start(c->follow[0]);
	wake_up_process(task[0]);
	wake_up_process(task[1]);
	for (i = 0; i < 3000 && (a[0].did < 300 || a[1].did < 300); i++)
		msleep(20);
	for (i = 0; i < 2; i++)
		kthread_stop(task[i]);
	KUNIT_EXPECT_GE(test, a[0].did, 300);
	KUNIT_EXPECT_GE(test, a[1].did, 300);
	cast_expect(c, 0, a[0].did, 0);
	expect_flags(c, 0, KNC_PMU_THREAD_ENDED);
	cast_leave(c, 0);
	KUNIT_EXPECT_EQ(test, knc_test_probes_users(), 0);
	knc_test_hold_probes(true);
}

static void private_prepare(struct cast *c, struct knc_follow *f)
{
	f->private = true;
}

/* A session without CAP_PERFMON permits RDPMC to the process of a task. */
static int permit_as_user(struct kunit *test, const void *owner, struct task_struct *task)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	KUNIT_EXPECT_EQ(test, knc_rdpmc_open(owner, task_tgid(get_current()), true), 0);
	revert_creds(old);
	put_cred(cred);
	fake_set_current(task);
	err = knc_rdpmc_grant(owner);
	/* not even for the moment of knc_rdpmc_try() is RDPMC permitted */
	KUNIT_EXPECT_EQ(test, knc_rdpmc_try(owner), err);
	fake_set_current(NULL);
	return err;
}

static void expect_permit(struct kunit *test, struct task_struct *task, int result)
{
	char owner;

	KUNIT_EXPECT_EQ(test, permit_as_user(test, &owner, task), result);
	knc_rdpmc_close(&owner);
}

/*
 * RDPMC reads everything that a privileged session counts of a program, including ring 0: a user's
 * process has either such a session or the permission, whichever came first.
 */
static void private_or_rdpmc(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *thread = fake_thread(test, c->task[0]);
	struct mm_struct *old = c->task[2]->mm;
	char owner;

	cast_permit(true);
	KUNIT_EXPECT_EQ(test, permit_as_user(test, &owner, c->task[0]), 0);
	cast_follow(c, 2, KNC_PMU_CONFIG_TASK, c->task[0], 1, 1);
	c->prepare = private_prepare;
	KUNIT_EXPECT_EQ(test, cast_try(c, 0, INHERIT, c->task[0], 0, 1), -EACCES);
	KUNIT_EXPECT_EQ(test, cast_try(c, 0, INHERIT, thread, 0, 1), -EACCES);
	cast_follow(c, 0, INHERIT, c->task[2], 0, 1);
	expect_permit(test, c->task[2], -EACCES);
	expect_permit(test, c->task[1], 0);
	/* a child has its own memory */
	cast_switch(c->there, c->task[2]);
	cast_fork(c->there, c->task[3]);
	expect_permit(test, c->task[3], -EACCES);
	/* an executed program has its own memory */
	c->task[2]->mm = c->task[4]->mm;
	cast_exec(c->there, false);
	expect_permit(test, c->task[2], -EACCES);
	c->task[2]->mm = old;
	expect_permit(test, c->task[2], 0);
	cast_switch(c->there, NULL);
	cast_leave(c, 0);
	expect_permit(test, c->task[3], 0);
	expect_permit(test, c->task[4], 0);
	knc_rdpmc_close(&owner);
	cast_follow(c, 0, PROCESS, c->task[0], 0, 1);
	cast_leave(c, 2);
	cast_leave(c, 0);
	cast_permit(false);
}

static struct kunit_case task_cases[] = {
	KUNIT_CASE(counts_its_task),
	KUNIT_CASE(commands_everywhere),
	KUNIT_CASE(two_of_one_session),
	KUNIT_CASE(shared_by_two),
	KUNIT_CASE(two_of_one_task),
	KUNIT_CASE(inherits),
	KUNIT_CASE(inherits_not),
	KUNIT_CASE(user_pref),
	KUNIT_CASE(user_pref_from_config_on),
	KUNIT_CASE(exit_keeps_counts),
	KUNIT_CASE(exit_of_two),
	KUNIT_CASE(ends_unfollowed),
	KUNIT_CASE(ends_already),
	KUNIT_CASE(starts_on_exec),
	KUNIT_CASE(goes_on_over_exec),
	KUNIT_CASE(secure_exec),
	KUNIT_CASE(unreadable_exec),
	KUNIT_CASE(granted_on_exec),
	KUNIT_CASE(secure_exec_of_two),
	KUNIT_CASE(detached_everywhere),
	KUNIT_CASE(follows_a_process),
	KUNIT_CASE(inherited_meanwhile),
	KUNIT_CASE(process_that_breeds),
	KUNIT_CASE(killed),
	KUNIT_CASE(becomes_secret_meanwhile),
	KUNIT_CASE(leader_has_ended),
	KUNIT_CASE(becomes_secret),
	KUNIT_CASE(others_rights),
	KUNIT_CASE(taken_meanwhile),
	KUNIT_CASE(asks_nobody_else),
	KUNIT_CASE(evicted),
	KUNIT_CASE(evicted_before_exec),
	KUNIT_CASE(executed_meanwhile),
	KUNIT_CASE(revoked_first),
	KUNIT_CASE(executed_in_vain),
	KUNIT_CASE(others_go_on),
	KUNIT_CASE(ends_meanwhile),
	KUNIT_CASE(taken),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(hotplug),
	KUNIT_CASE(runs_where_it_is_offline),
	KUNIT_CASE(times),
	KUNIT_CASE(times_at_other_rates),
	KUNIT_CASE(overflows_at_switches),
	KUNIT_CASE(lingers),
	KUNIT_CASE(private_or_rdpmc),
	KUNIT_CASE(finds),
	KUNIT_CASE(checks),
	KUNIT_CASE(real_tasks),
	{}
};

STAGE_SUITE(task, cast_init, cast_exit);

kunit_test_suite(task_suite);
