// SPDX-License-Identifier: GPL-2.0
/* KNC_PMU_CONFIG_KEEP: the records of tasks that have ended */
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include <asm/tsc.h>

#include "count/hwthread.h"
#include "task/target.h"
#include "task_fixture.h"
#include "units.h"

#define KEEP	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT | KNC_PMU_CONFIG_KEEP)
#define TID(i)	(500 + (i))
#define RECORD	KNC_PMU_THREAD_SIZE(2)
#define NAMED	(RECORD + KNC_PMU_NAME_SIZE)
#define MOST	(CAST_TASKS + 2)
#define REFS	1000	/* references that a fake task's pid has */

static u64 room[MOST * NAMED / 8];

static int ended_init(struct kunit *test)
{
	return cast_init_numbered(test, TID(0), 1);
}

static long read_ended(struct cast *c, u64 size, u32 flags)
{
	void __user *to = stage_user_buffer();
	long nr;

	kthread_use_mm(stage_user_mm());
	nr = knc_follow_read_tasks(c->follow[0], to, size, RECORD, flags);
	KUNIT_ASSERT_EQ(c->test, 0, copy_from_user(room, to, sizeof(room)));
	kthread_unuse_mm(stage_user_mm());
	return nr;
}

static const struct knc_pmu_thread *named(unsigned int i)
{
	return (void *)room + i * NAMED;
}

static void expect(struct cast *c, unsigned int i, u32 cpu, u16 flags, u64 v0, u64 v1)
{
	const struct knc_pmu_thread *r = named(i);
	char name[KNC_PMU_NAME_SIZE] = "";

	KUNIT_EXPECT_EQ_MSG(c->test, r->cpu, cpu, "record %u", i);
	KUNIT_EXPECT_EQ_MSG(c->test, r->flags, flags, "record %u", i);
	KUNIT_EXPECT_EQ_MSG(c->test, r->value[0], v0, "record %u", i);
	KUNIT_EXPECT_EQ_MSG(c->test, r->value[1], v1, "record %u", i);
	KUNIT_EXPECT_EQ(c->test, r->time, named(0)->time);
	if (cpu != KNC_PMU_NO_CPU)
		snprintf(name, sizeof(name), "task%u", cpu - TID(0));
	KUNIT_EXPECT_STREQ(c->test, (const char *)r + RECORD, name);
}

/* A created task runs on its creator's CPU, and ends. */
static void live(struct cast *c, unsigned int i, u64 n0, u64 n1)
{
	cast_switch(c->here, c->task[0]);
	cast_fork(c->here, c->task[i]);
	cast_switch(c->here, c->task[i]);
	cast_run(c->here, n0, n1);
	model_pass(model_of(c->here), i * (u64)tsc_khz);
	cast_end(c->here);
}

static int refs(const struct cast *c, unsigned int i)
{
	return refcount_read(&c->task[i]->thread_pid->count);
}

/*
 * Records of ended tasks follow those of running tasks, in the order of their ends, with names and
 * times
 */
static void each_ended(struct kunit *test)
{
	struct cast *c = test->priv;

	cast_follow(c, 0, KEEP, c->task[0], 0, 2);
	knc_follow_start(c->follow[0]);
	live(c, 2, 20, 200);
	live(c, 1, 10, 100);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 5, 6);
	KUNIT_EXPECT_EQ(test, -ENOSPC, read_ended(c, 4 * NAMED - 1,
						  KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES));
	KUNIT_EXPECT_EQ(test, 4, read_ended(c, 4 * NAMED,
					    KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES));
	expect(c, 0, TID(0), 0, 5, 6);
	expect(c, 1, TID(2), KNC_PMU_THREAD_ENDED, 20, 200);
	expect(c, 2, TID(1), KNC_PMU_THREAD_ENDED, 10, 100);
	expect(c, 3, KNC_PMU_NO_CPU, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, named(1)->time_enabled, 2000000);
	KUNIT_EXPECT_EQ(test, named(2)->time_running, 1000000);
	/* READ returns the sum of all */
	cast_expect(c, 0, 35, 306);
	/* without names the records are shorter; with READ_COUNTS their times are 0 */
	KUNIT_EXPECT_EQ(test, 4, read_ended(c, 4 * RECORD,
					    KNC_PMU_READ_TASKS | KNC_PMU_READ_COUNTS));
	KUNIT_EXPECT_EQ(test, ((struct knc_pmu_thread *)((void *)room + 2 * RECORD))->cpu, TID(1));
	KUNIT_EXPECT_EQ(test, ((struct knc_pmu_thread *)((void *)room + RECORD))->time_enabled, 0);
	KUNIT_EXPECT_EQ(test, refs(c, 1), REFS + 1);
	/* RESET removes the records */
	knc_follow_reset(c->follow[0]);
	KUNIT_EXPECT_EQ(test, 2, read_ended(c, 2 * NAMED,
					    KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES));
	expect(c, 1, KNC_PMU_NO_CPU, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, refs(c, 1), REFS);
	live(c, 3, 1, 2);
	cast_leave(c, 0);
	KUNIT_EXPECT_EQ(test, refs(c, 3), REFS);
}

/* Tasks that an exec or an eviction made the session leave have no records, only the sum. */
static void left(struct kunit *test)
{
	struct cast *c = test->priv;

	cast_follow(c, 0, KEEP, c->task[0], 0, 2);
	c->follow[0]->privileged = false;
	knc_follow_start(c->follow[0]);
	live(c, 1, 10, 100);
	cast_switch(c->here, c->task[0]);
	cast_fork(c->here, c->task[2]);
	cast_switch(c->here, c->task[2]);
	cast_run(c->here, 3, 4);
	cast_exec(c->here, true);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 5, 6);
	KUNIT_EXPECT_EQ(test, 3, read_ended(c, MOST * NAMED,
					    KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES));
	expect(c, 0, TID(0), KNC_PMU_THREAD_PARTIAL, 5, 6);
	expect(c, 1, TID(1), KNC_PMU_THREAD_PARTIAL | KNC_PMU_THREAD_ENDED, 10, 100);
	expect(c, 2, KNC_PMU_NO_CPU, KNC_PMU_THREAD_PARTIAL, 3, 4);
	cast_evict(c->follow[0]);
	KUNIT_EXPECT_EQ(test, 2, read_ended(c, MOST * NAMED,
					    KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES));
	KUNIT_EXPECT_EQ(test, named(1)->value[0], 8);
	KUNIT_EXPECT_EQ(test, named(1)->flags & KNC_PMU_THREAD_EVICTED, KNC_PMU_THREAD_EVICTED);
	knc_follow_destroy(c->follow[0]);
	c->follow[0] = NULL;
}

/* Ended tasks beyond KNC_PMU_MAX_KEPT are only in the sum. */
static void bound(struct kunit *test)
{
	struct cast *c = test->priv;
	const struct knc_ended *ended;
	struct knc_sum sum;
	unsigned int i;

	cast_follow(c, 0, KEEP, c->task[0], 0, 2);
	knc_follow_start(c->follow[0]);
	for (i = 0; i < KNC_PMU_MAX_KEPT + 3; i++) {
		c->task[1]->flags &= ~PF_EXITING;
		live(c, 1, i, 1);
	}
	ended = c->follow[0]->ended;
	KUNIT_EXPECT_EQ(test, ended->nr, KNC_PMU_MAX_KEPT);
	knc_ended_get(ended, KNC_PMU_MAX_KEPT - 1, &sum);
	KUNIT_EXPECT_EQ(test, sum.value[0], KNC_PMU_MAX_KEPT - 1);
	KUNIT_EXPECT_EQ(test, ended->rest.value[0], 3 * KNC_PMU_MAX_KEPT + 3);
	KUNIT_EXPECT_EQ(test, ended->rest.value[1], 3);
	KUNIT_EXPECT_EQ(test, refs(c, 1), REFS + KNC_PMU_MAX_KEPT);
}

/* With several groups the time of each event is kept too. */
static void sets(struct kunit *test)
{
	struct knc_groups groups = { .nr_events = 3, .nr_groups = 2 };
	struct knc_ended *ended = knc_ended_alloc(&groups);

	KUNIT_ASSERT_NOT_NULL(test, ended);
	KUNIT_EXPECT_EQ(test, ended->stride, sizeof(struct knc_ended_task) + 6 * 8);
	knc_ended_free(ended);
	groups.nr_groups = 1;
	ended = knc_ended_alloc(&groups);
	KUNIT_ASSERT_NOT_NULL(test, ended);
	KUNIT_EXPECT_EQ(test, ended->stride, sizeof(struct knc_ended_task) + 3 * 8);
	knc_ended_free(ended);
	for (groups.nr_groups = 1; groups.nr_groups <= 2; groups.nr_groups++) {
		fake_memory(groups.nr_groups);
		KUNIT_EXPECT_NULL(test, knc_ended_alloc(&groups));
		fake_memory(0);
	}
}

static struct kunit_case ended_cases[] = {
	KUNIT_CASE(each_ended),
	KUNIT_CASE(left),
	KUNIT_CASE(bound),
	KUNIT_CASE(sets),
	{}
};

STAGE_SUITE(ended, ended_init, cast_exit);

kunit_test_suite(ended_suite);
