// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that follow tasks beside sessions on hardware threads: which counters are free? The task
 * is a real one, asleep.
 */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "count/hwthread.h"
#include "session_fixture.h"
#include "units.h"

#define RDPMC	KNC_PMU_CONFIG_RDPMC

static const struct cpumask *last(const struct stage *st)
{
	return cpumask_of(st->last);
}

/* Events of a session: the first one on counters @c0, the second on @c1; 0: any counter */
static struct placing events_on(unsigned int nr, u32 c0, u32 c1)
{
	struct placing p = { .nr = nr };

	placing_set(&p, 0, &stage_any, c0);
	placing_set(&p, 1, &stage_any, c1);
	return p;
}

static int on_threads(struct stage *st, unsigned int i, struct placing *p)
{
	st->sampling.pid = 0;
	return stage_config(st, i, last(st), p, 0);
}

/* RDPMC needs a task with memory of its own. */
static int on_task(struct stage *st, unsigned int i, struct placing *p, u32 flags)
{
	int err;

	st->sampling.pid = stage_user_pid();
	kthread_use_mm(stage_user_mm());
	err = stage_config(st, i, NULL, p, KNC_PMU_CONFIG_TASK | flags);
	kthread_unuse_mm(stage_user_mm());
	st->sampling.pid = 0;
	return err;
}

/* As on_task(), by a user without privilege */
static int as_user(struct stage *st, unsigned int i, struct placing *p, u32 flags)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int err;

	KUNIT_ASSERT_NOT_NULL(st->test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	err = on_task(st, i, p, flags);
	revert_creds(old);
	put_cred(cred);
	return err;
}

static void expect_why(struct stage *st, u32 reason, u32 cpu, u32 counter)
{
	KUNIT_EXPECT_EQ(st->test, st->why.reason, reason);
	KUNIT_EXPECT_EQ(st->test, st->why.cpu, cpu);
	KUNIT_EXPECT_EQ(st->test, st->why.counter, counter);
	KUNIT_EXPECT_EQ(st->test, st->why.pid, task_tgid_vnr(current));
}

static void expect_owner(struct stage *st, unsigned int cpu, unsigned int counter,
			 int flags)
{
	s32 pid = -1;

	KUNIT_EXPECT_EQ(st->test, knc_session_owner(cpu, counter, &pid), flags);
	KUNIT_EXPECT_EQ(st->test, pid, flags ? task_tgid_vnr(current) : 0);
}

static void threads_first(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p, q;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		p = events_on(1, 1 << n, 0);
		KUNIT_EXPECT_EQ(test, on_threads(st, 0, &p), 0);
		KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, 0), -EBUSY);
		expect_why(st, KNC_PMU_REASON_BUSY, st->last, n);
		q = events_on(2, 0, 0);
		KUNIT_EXPECT_EQ(test, on_task(st, 1, &q, 0), -EBUSY);
		expect_why(st, KNC_PMU_REASON_BUSY, st->last, n);
		KUNIT_EXPECT_FALSE(test, knc_hwthread_of(st->first)->for_tasks);
		KUNIT_EXPECT_EQ(test, knc_session_number(), 1);
		q = events_on(1, 0, 0);
		KUNIT_EXPECT_EQ(test, on_task(st, 1, &q, 0), 0);
		KUNIT_EXPECT_EQ(test, q.e[0].counter, !n);
		/* the task has not been counted there yet */
		KUNIT_EXPECT_FALSE(test, knc_hwthread_of(st->first)->for_tasks);
		KUNIT_EXPECT_EQ(test, knc_session_number(), 2);
		expect_owner(st, st->last, n, KNC_PMU_OWNER_SESSION);
		expect_owner(st, st->first, n, 0);
		expect_owner(st, st->first, !n,
			     KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS);
		stage_destroy(st, n);
		stage_destroy(st, !n);
		expect_owner(st, st->first, !n, 0);
	}
}

static void tasks_first(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p, q;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		p = events_on(1, 1 << n, 0);
		KUNIT_EXPECT_EQ(test, on_task(st, 0, &p, 0), 0);
		KUNIT_EXPECT_EQ(test, on_threads(st, 1, &p), -EBUSY);
		expect_why(st, KNC_PMU_REASON_BUSY, KNC_PMU_NO_CPU, n);
		q = events_on(2, 0, 0);
		KUNIT_EXPECT_EQ(test, on_threads(st, 1, &q), -EBUSY);
		expect_why(st, KNC_PMU_REASON_BUSY, KNC_PMU_NO_CPU, n);
		q = events_on(1, 0, 0);
		KUNIT_EXPECT_EQ(test, on_threads(st, 1, &q), 0);
		KUNIT_EXPECT_EQ(test, q.e[0].counter, !n);
		stage_destroy(st, 0);
		q = events_on(1, 1 << n, 0);
		KUNIT_EXPECT_EQ(test, on_threads(st, 2, &q), 0);
		stage_destroy(st, 1);
		stage_destroy(st, 2);
	}
}

/* Counters of an offline hardware thread are not free either: it may come back. */
static void one_is_away(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = events_on(1, 1, 0);
	struct model_regs before = stage_before(st->last);

	KUNIT_EXPECT_EQ(test, on_threads(st, 0, &p), 0);
	stage_remove_cpu(st, st->last);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, 0), -EBUSY);
	expect_why(st, KNC_PMU_REASON_BUSY, st->last, 0);
	stage_destroy(st, 0);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, 0), 0);
	expect_owner(st, st->last, 0,
		     KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS);
	stage_add_cpu(st, st->last);
	model_expect_regs(test, model_of(st->last), &before);
}

static void two_of_one_task(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = events_on(1, 2, 0), q = events_on(1, 0, 0);

	KUNIT_EXPECT_EQ(test, on_task(st, 0, &p, 0), 0);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, 0), -EBUSY);
	expect_why(st, KNC_PMU_REASON_TASK_BUSY, KNC_PMU_NO_CPU, 1);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, KNC_PMU_CONFIG_PROCESS), -EBUSY);
	expect_why(st, KNC_PMU_REASON_TASK_BUSY, KNC_PMU_NO_CPU, 1);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &q, 0), 0);
	KUNIT_EXPECT_EQ(test, q.e[0].counter, 0);
	q = events_on(1, 0, 0);
	KUNIT_EXPECT_EQ(test, on_task(st, 2, &q, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_TASK_BUSY);
	KUNIT_EXPECT_EQ(test, knc_session_number(), 2);
}

static void spflt_of_both(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = events_on(1, 1, 0), q = events_on(1, 2, 0);
	struct placing plain = events_on(1, 2, 0);

	p.e[0].flags |= KNC_PMU_EVENT_SPFLT;
	q.e[0].flags |= KNC_PMU_EVENT_SPFLT;
	KUNIT_EXPECT_EQ(test, on_threads(st, 0, &p), 0);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &q, 0), -EBUSY);
	expect_why(st, KNC_PMU_REASON_SPFLT_BUSY, st->last, 0);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &plain, 0), 0);
	stage_destroy(st, 0);
	stage_destroy(st, 1);

	KUNIT_EXPECT_EQ(test, on_task(st, 0, &q, 0), 0);
	KUNIT_EXPECT_EQ(test, on_threads(st, 1, &p), -EBUSY);
	expect_why(st, KNC_PMU_REASON_SPFLT_BUSY, KNC_PMU_NO_CPU, 1);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, 0), -EBUSY);
	expect_why(st, KNC_PMU_REASON_SPFLT_BUSY, KNC_PMU_NO_CPU, 1);
	plain = events_on(1, 1, 0);
	KUNIT_EXPECT_EQ(test, on_threads(st, 1, &plain), 0);
	stage_destroy(st, 1);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &plain, 0), 0);
	stage_destroy(st, 0);
	stage_destroy(st, 1);

	/* the oldest session with the counter follows another task, and conflicts with SPFLT */
	st->sampling.pid = 1;
	KUNIT_EXPECT_EQ(test, 0,
			stage_config(st, 0, NULL, &plain, KNC_PMU_CONFIG_TASK));
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, 0), 0);
	KUNIT_EXPECT_EQ(test, on_threads(st, 2, &q), -EBUSY);
	expect_why(st, KNC_PMU_REASON_SPFLT_BUSY, KNC_PMU_NO_CPU, 0);
}

static int allowed(void)
{
	return atomic_read(knc_compat_mm_rdpmc(stage_user_mm()));
}

/* A task that may execute RDPMC can read both counters. */
static void rdpmc_reads_both(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = events_on(1, 1, 0), q = events_on(1, 2, 0);
	int before = allowed();

	KUNIT_EXPECT_EQ(test, on_threads(st, 0, &q), 0);
	KUNIT_EXPECT_EQ(test, as_user(st, 1, &p, RDPMC), -EBUSY);
	expect_why(st, KNC_PMU_REASON_RDPMC_BUSY, st->last, 1);
	KUNIT_EXPECT_EQ(test, allowed(), before);
	KUNIT_EXPECT_EQ(test, as_user(st, 1, &p, 0), 0);
	KUNIT_EXPECT_EQ(test, allowed(), before);
	stage_destroy(st, 1);
	KUNIT_EXPECT_EQ(test, on_task(st, 1, &p, RDPMC), 0);
	KUNIT_EXPECT_EQ(test, allowed(), before + 1);
	expect_owner(st, st->first, 0,
		     KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS);
	expect_owner(st, st->first, 1, 0);
	stage_destroy(st, 1);
	KUNIT_EXPECT_EQ(test, allowed(), before);
	stage_destroy(st, 0);

	/* the other order: both sessions follow the task */
	KUNIT_EXPECT_EQ(test, as_user(st, 1, &p, RDPMC), 0);
	expect_owner(st, st->first, 1,
		     KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS);
	KUNIT_EXPECT_EQ(test, on_threads(st, 0, &q), -EBUSY);
	expect_why(st, KNC_PMU_REASON_BUSY, KNC_PMU_NO_CPU, 1);
	/* another session on the same task may use the other counter */
	KUNIT_EXPECT_EQ(test, as_user(st, 2, &q, 0), 0);
	stage_destroy(st, 1);
	KUNIT_EXPECT_EQ(test, allowed(), before);
}

static void privileges(struct kunit *test)
{
	static const u32 flags[] = { KNC_PMU_EVENT_OS, KNC_PMU_EVENT_THREAD_MODE };
	struct stage *st = test->priv;
	struct placing p;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (k = 0; k < 2; k++) {
			p = events_on(2, 0, 0);
			p.e[k].flags |= flags[i];
			KUNIT_EXPECT_EQ(test, as_user(st, 0, &p, 0), -EPERM);
			KUNIT_EXPECT_EQ(test, st->why.reason,
					KNC_PMU_REASON_PRIVILEGE);
			KUNIT_EXPECT_EQ(test, st->why.event, k);
			KUNIT_EXPECT_EQ(test, on_task(st, 0, &p, 0), 0);
			stage_destroy(st, 0);
		}
	}
	p = events_on(2, 0, 0);
	KUNIT_EXPECT_EQ(test, as_user(st, 0, &p, 0), 0);
}

/* Commands of a session that follows a sleeping task */
static void commands(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = events_on(2, 0, 0);

	st->session[0] = knc_session_create();
	KUNIT_EXPECT_EQ(test, knc_session_start(st->session[0]), -ENODATA);
	KUNIT_EXPECT_EQ(test, on_task(st, 0, &p, 0), 0);
	KUNIT_EXPECT_EQ(test, on_task(st, 0, &p, 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, knc_session_start(st->session[0]), 0);
	stage_run(1000);
	stage_read(st, 0);
	KUNIT_EXPECT_EQ(test, st->record[0].cpu, KNC_PMU_NO_CPU);
	KUNIT_EXPECT_EQ(test, st->record[0].flags, 0);
	KUNIT_EXPECT_EQ(test, st->record[0].value[0], 0);
	KUNIT_EXPECT_EQ(test, st->record[0].value[1], 0);
	KUNIT_EXPECT_NE(test, st->record[0].time, 0);
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			stage_read_raw(st, 0, KNC_PMU_THREAD_SIZE(2) - 1));
	KUNIT_EXPECT_EQ(test, stage_read_raw(st, 0, 0), -EFAULT);
	st->read_flags = KNC_PMU_READ_COUNTS;
	stage_read(st, 0);
	KUNIT_EXPECT_EQ(test, st->record[0].time, 0);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], false), 0);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], true), -EBUSY);
	KUNIT_EXPECT_EQ(test, knc_session_stop(st->session[0]), 0);
}

static void expect_for_tasks(struct stage *st, bool for_tasks)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(st->test, knc_hwthread_of(cpu)->for_tasks, for_tasks);
}

/*
 * Another thread of the core may cause the event, and get its interrupt: all hardware threads save
 * their registers. The rate of saving and restoring is limited, however often a user asks.
 */
static void everywhere(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };

	placing_set(&p, 0, &stage_only_0, 0);
	knc_test_give_backs(1);
	KUNIT_EXPECT_EQ(test, on_task(st, 0, &p, 0), 0);
	expect_for_tasks(st, true);
	stage_destroy(st, 0);
	expect_for_tasks(st, false);
	KUNIT_EXPECT_EQ(test, on_task(st, 0, &p, 0), 0);
	stage_destroy(st, 0);
	expect_for_tasks(st, true);
	/* perf may ask now, though it would use registers that are still ours */
	knc_test_may_give_back(2);
	KUNIT_EXPECT_FALSE(test, knc_test_ask(false));
	knc_test_later(KNC_TEST_DELAY);
	expect_for_tasks(st, false);
	KUNIT_EXPECT_TRUE(test, knc_test_ask(false));
}

/* A program may execute RDPMC: no hardware thread shows it what a former session has counted. */
static void hides_what_was_there(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = events_on(1, 1, 0);
	struct model_regs before;
	unsigned int cpu;

	KUNIT_EXPECT_EQ(test, as_user(st, 0, &p, 0), 0);
	expect_for_tasks(st, false);
	stage_destroy(st, 0);
	KUNIT_EXPECT_EQ(test, as_user(st, 0, &p, RDPMC), 0);
	expect_for_tasks(st, true);
	for_each_possible_cpu(cpu) {
		before = stage_before(cpu);
		KUNIT_EXPECT_NE(test, before.perfcntr[1], 0);
		KUNIT_EXPECT_EQ(test, model_of(cpu)->regs.perfcntr[1], 0);
	}
	stage_destroy(st, 0);
	expect_for_tasks(st, false);
}

static int holders_init(struct kunit *test)
{
	knc_test_hold_probes(true);
	return stage_init(test);
}

/* At the end no session follows the real task. */
static void holders_exit(struct kunit *test)
{
	stage_exit(test);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grants(), 0);
	KUNIT_EXPECT_EQ(test, knc_test_nr_grantors(), 0);
	knc_test_rdpmc_exit();
	knc_test_hold_probes(false);
	rcu_barrier();
}

static struct kunit_case holders_cases[] = {
	KUNIT_CASE(threads_first),
	KUNIT_CASE(tasks_first),
	KUNIT_CASE(one_is_away),
	KUNIT_CASE(two_of_one_task),
	KUNIT_CASE(spflt_of_both),
	KUNIT_CASE(rdpmc_reads_both),
	KUNIT_CASE(privileges),
	KUNIT_CASE(commands),
	KUNIT_CASE(everywhere),
	KUNIT_CASE(hides_what_was_there),
	{}
};

STAGE_SUITE(holders, holders_init, holders_exit);

kunit_test_suite(holders_suite);
