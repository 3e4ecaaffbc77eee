// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of many tasks: no command holds the common lock over all tasks; events in between are
 * neither lost nor counted twice; tasks that no session follows do not wait at all
 */
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "count/hwthread.h"
#include "task/target.h"
#include "task_fixture.h"
#include "units.h"

#define INHERIT	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT)
#define PROCESS	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PROCESS)
#define KEEP	(INHERIT | KNC_PMU_CONFIG_KEEP)
#define RECORD	KNC_PMU_THREAD_SIZE(1)
/* more tasks than two holds of the lock visit */
#define MANY	150
/* a task visited in the first hold, the first task of the second hold, and a later one */
#define EARLY	3
#define NEXT	KNC_TASKS_HOLD
#define LATE	140
/* the sum of all counts: task i counts i + 1 */
#define SUM	(MANY * (MANY + 1) / 2)

/**
 * struct crowd - many tasks of a session
 * @c: the cast
 * @task: the tasks, in the order in which they were followed; then tasks that begin later
 * @relaxed: how often a walk has released the lock
 */
static struct crowd {
	struct cast *c;
	struct task_struct *task[MANY + 2];
	unsigned int relaxed;
} crowd;

static u64 room[(MANY + 4) * RECORD / 8];

static int walk_init(struct kunit *test)
{
	int err = cast_init_numbered(test, 300, 1);

	memset(&crowd, 0, sizeof(crowd));
	crowd.c = test->priv;
	return err;
}

static void walk_exit(struct kunit *test)
{
	fake_meanwhile(FAKE_RELAX, 0, NULL, NULL);
	cast_exit(test);
	knc_test_one_bucket(false);
}

/* Task @i begins, and counts */
static void live(unsigned int i, u64 events)
{
	struct cast *c = crowd.c;

	cast_switch(c->here, crowd.task[0]);
	if (i)
		cast_fork(c->here, crowd.task[i]);
	cast_switch(c->here, crowd.task[i]);
	cast_run(c->here, events, 0);
	cast_switch(c->here, NULL);
}

static void end(unsigned int i)
{
	cast_switch(crowd.c->here, crowd.task[i]);
	cast_end(crowd.c->here);
}

/* A session that follows all tasks */
static void gather(struct kunit *test, u32 flags)
{
	struct cast *c = test->priv;
	unsigned int i;

	for (i = 0; i < MANY + 2; i++) {
		crowd.task[i] = i ? fake_task(test) : c->task[0];
		fake_number(crowd.task[i], 1000 + i);
	}
	knc_follow_start(cast_follow(c, 0, flags, crowd.task[0], 0, 1));
	for (i = 0; i < MANY; i++)
		live(i, i + 1);
	KUNIT_ASSERT_EQ(test, c->follow[0]->nr_targets, MANY);
}

static long read_each(struct cast *c)
{
	void __user *to = stage_user_buffer();
	long nr;

	kthread_use_mm(stage_user_mm());
	nr = knc_follow_read_tasks(c->follow[0], to, sizeof(room), RECORD, 0);
	KUNIT_ASSERT_EQ(c->test, 0, copy_from_user(room, to, sizeof(room)));
	kthread_unuse_mm(stage_user_mm());
	return nr;
}

static const struct knc_pmu_thread *record(unsigned int i)
{
	return (void *)room + i * RECORD;
}

/*
 * Check how many tasks @command visits in one hold of the lock, and in all: some are visited twice
 */
static void expect_short(struct cast *c, void (*command)(struct knc_follow *f), const char *name)
{
	knc_test_longest = 0;
	command(c->follow[0]);
	KUNIT_EXPECT_LE_MSG(c->test, knc_test_longest, 2 * KNC_TASKS_HOLD, "%s", name);
}

static void read_sum(struct knc_follow *f)
{
	struct knc_pmu_thread r;

	knc_follow_read(f, &r, true);
	KUNIT_EXPECT_GT(crowd.c->test, knc_test_longest, 0);
}

static void read_tasks(struct knc_follow *f)
{
	KUNIT_EXPECT_EQ(crowd.c->test, MANY + 1, read_each(crowd.c));
	KUNIT_EXPECT_GT(crowd.c->test, knc_test_longest, 0);
}

static void close_it(struct knc_follow *f)
{
	cast_leave(crowd.c, 0);
	KUNIT_EXPECT_GT(crowd.c->test, knc_test_longest, 0);
}

/* No command visits all tasks in one hold; START and STOP visit none. */
static void holds_are_short(struct kunit *test)
{
	struct cast *c = test->priv;

	gather(test, INHERIT);
	expect_short(c, read_sum, "READ");
	expect_short(c, read_tasks, "READ_TASKS");
	expect_short(c, knc_follow_reset, "RESET");
	expect_short(c, close_it, "close");
	gather(test, INHERIT);
	knc_test_longest = 0;
	knc_follow_stop(c->follow[0]);
	knc_follow_start(c->follow[0]);
	KUNIT_EXPECT_EQ(test, knc_test_longest, 0);
	expect_short(c, cast_evict, "EVICT");
	knc_follow_destroy(c->follow[0]);
	c->follow[0] = NULL;
}

/* CONFIG of a process visits each thread twice, plus a few: it does not start again. */
static void finds_many(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;

	for (i = 1; i < MANY; i++)
		fake_thread(test, c->task[0]);
	knc_test_longest = 0;
	knc_test_visits = 0;
	cast_follow(c, 0, PROCESS, c->task[0], 0, 1);
	KUNIT_EXPECT_EQ(test, c->follow[0]->nr_targets, MANY);
	KUNIT_EXPECT_LE(test, knc_test_longest, 2 * KNC_TASKS_HOLD);
	KUNIT_EXPECT_GE(test, knc_test_visits, 2 * MANY);
	KUNIT_EXPECT_LE(test, knc_test_visits, 2 * MANY + 20);
	/* a session gets the other counter; for a third one, a look at one thread is enough */
	knc_test_visits = 0;
	cast_follow(c, 1, PROCESS, c->task[0], 1, 1);
	KUNIT_EXPECT_EQ(test, c->follow[1]->nr_targets, MANY);
	knc_test_visits = 0;
	KUNIT_EXPECT_EQ(test, -EBUSY, cast_try(c, 2, PROCESS, c->task[0], 0, 1));
	KUNIT_EXPECT_LE(test, knc_test_visits, 2);
}

/* During a walk: a visited task ends, two unvisited ones end, and a new one begins */
static void ends_and_births(void *arg)
{
	crowd.relaxed++;
	end(EARLY);
	end(NEXT);
	end(LATE);
	live(MANY, 1000);
	end(MANY);
	live(MANY + 1, 500);
}

static void intervene(void)
{
	fake_meanwhile(FAKE_RELAX, 1, ends_and_births, NULL);
}

static void sum_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;

	gather(test, INHERIT);
	intervene();
	cast_expect(c, 0, SUM, 0);
	KUNIT_EXPECT_EQ(test, crowd.relaxed, 1);
	cast_expect(c, 0, SUM + 1500, 0);
}

/* Each task has its own record or is in the sum of the rest, never both */
static void expect_each(struct kunit *test, u32 flags)
{
	struct cast *c = test->priv;
	unsigned int i;
	u64 sum = 0;
	long nr;

	gather(test, flags);
	end(MANY - 1);
	intervene();
	nr = read_each(c);
	KUNIT_EXPECT_EQ(test, crowd.relaxed, 1);
	KUNIT_ASSERT_EQ(test, nr, flags & KNC_PMU_CONFIG_KEEP ? MANY + 1 : MANY - 2);
	for (i = 0; i < nr; i++)
		sum += record(i)->value[0];
	KUNIT_EXPECT_EQ(test, sum, SUM);
	KUNIT_EXPECT_EQ(test, record(EARLY)->cpu, 1000 + EARLY);
	KUNIT_EXPECT_EQ(test, record(EARLY)->flags, 0);
	KUNIT_EXPECT_EQ(test, record(NEXT)->cpu, 1000 + NEXT + 1);
	KUNIT_EXPECT_EQ(test, record(LATE - 1)->cpu, 1000 + LATE + 1);
	KUNIT_EXPECT_EQ(test, record(nr - 1)->cpu, KNC_PMU_NO_CPU);
}

static void records_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;

	expect_each(test, INHERIT);
	KUNIT_EXPECT_EQ(test, record(MANY - 3)->value[0], MANY + NEXT + 1 + LATE + 1);
	/* this time including the tasks that began meanwhile */
	KUNIT_EXPECT_EQ(test, MANY - 2, read_each(c));
	KUNIT_EXPECT_EQ(test, record(MANY - 4)->cpu, 1000 + MANY + 1);
	KUNIT_EXPECT_EQ(test, record(MANY - 3)->value[0],
			MANY + EARLY + 1 + NEXT + 1 + LATE + 1 + 1000);
}

static void kept_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;

	expect_each(test, KEEP);
	KUNIT_EXPECT_EQ(test, record(MANY - 2)->cpu, 1000 + NEXT);
	KUNIT_EXPECT_EQ(test, record(MANY - 1)->cpu, 1000 + LATE);
	KUNIT_EXPECT_EQ(test, record(MANY - 1)->flags, KNC_PMU_THREAD_ENDED);
	KUNIT_EXPECT_EQ(test, record(MANY)->value[0], 0);
	KUNIT_EXPECT_EQ(test, MANY + 3, read_each(c));
	KUNIT_EXPECT_EQ(test, record(MANY - 2)->cpu, 1000 + EARLY);
	KUNIT_EXPECT_EQ(test, record(MANY + 1)->cpu, 1000 + MANY);
	KUNIT_EXPECT_EQ(test, record(MANY + 1)->value[0], 1000);
}

/* After RESET nothing remains of tasks that end before the walk reaches them. */
static void reset_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;

	gather(test, KEEP);
	end(MANY - 1);
	intervene();
	knc_follow_reset(c->follow[0]);
	KUNIT_EXPECT_EQ(test, crowd.relaxed, 1);
	cast_expect(c, 0, 0, 0);
	live(MANY + 1, 7);
	cast_expect(c, 0, 7, 0);
	KUNIT_EXPECT_EQ(test, MANY - 2, read_each(c));
	KUNIT_EXPECT_EQ(test, record(MANY - 4)->value[0], 7);
	KUNIT_EXPECT_EQ(test, record(MANY - 3)->value[0], 0);
}

/* More tasks have ended than one hold visits: each has its record, and RESET forgets all. */
static void many_ended(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;
	u64 sum = 0;
	long nr;

	gather(test, KEEP);
	for (i = 1; i < MANY; i++)
		end(i);
	nr = read_each(c);
	KUNIT_ASSERT_EQ(test, nr, MANY + 1);
	for (i = 0; i < nr; i++)
		sum += record(i)->value[0];
	KUNIT_EXPECT_EQ(test, sum, SUM);
	KUNIT_EXPECT_EQ(test, record(MANY - 1)->flags, KNC_PMU_THREAD_ENDED);
	KUNIT_EXPECT_EQ(test, record(MANY - 1)->value[0], MANY);
	knc_follow_reset(c->follow[0]);
	KUNIT_EXPECT_EQ(test, 2, read_each(c));
	cast_expect(c, 0, 0, 0);
}

static void expect_sum(struct cast *c, u32 flags)
{
	struct knc_pmu_thread r;

	knc_follow_read(c->follow[0], &r, true);
	KUNIT_EXPECT_EQ(c->test, r.flags, flags);
	KUNIT_EXPECT_EQ(c->test, r.value[0], SUM);
}

static void lose_last(struct cast *c)
{
	struct knc_target *last = list_last_entry(&c->follow[0]->targets, struct knc_target, node);

	last->claim.flags |= KNC_PMU_THREAD_PARTIAL;
}

/* A task that only the second hold visits has lost counts: the sum says so, even after its end. */
static void partial_late(struct kunit *test)
{
	struct cast *c = test->priv;

	gather(test, INHERIT);
	expect_sum(c, 0);
	lose_last(c);
	expect_sum(c, KNC_PMU_THREAD_PARTIAL);
	cast_leave(c, 0);
	gather(test, INHERIT);
	lose_last(c);
	end(MANY - 1);
	expect_sum(c, KNC_PMU_THREAD_PARTIAL);
}

/* A followed task creates another one, and ends; so does one that the session has left. */
static void forks_and_ends(void *arg)
{
	unsigned int nr = knc_test_nr_tasks();
	struct cast *c = crowd.c;

	crowd.relaxed++;
	cast_switch(c->here, crowd.task[LATE]);
	cast_fork(c->here, crowd.task[MANY]);
	KUNIT_EXPECT_EQ(c->test, knc_test_nr_tasks(), nr);
	end(LATE);
	end(EARLY);
	KUNIT_EXPECT_EQ(c->test, knc_test_nr_tasks(), nr - 1);
}

/* While a session leaves its tasks, their new children do not join it. */
static void leaves_meanwhile(struct kunit *test)
{
	struct cast *c = test->priv;

	gather(test, INHERIT);
	fake_meanwhile(FAKE_RELAX, 1, forks_and_ends, NULL);
	cast_leave(c, 0);
	KUNIT_EXPECT_EQ(test, crowd.relaxed, 1);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
}

/* Two of many tasks run: only their hardware threads are called. */
static void some_run(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;

	gather(test, INHERIT);
	f = c->follow[0];
	/* a hardware thread that a task has left is called only once */
	cast_expect(c, 0, SUM, 0);
	cast_switch(c->there, crowd.task[LATE]);
	cast_run(c->there, 10, 0);
	fake_called = 0;
	cast_expect(c, 0, SUM + 10, 0);
	KUNIT_EXPECT_EQ(test, fake_called, 1);
	cast_switch(c->here, crowd.task[EARLY]);
	cast_run(c->here, 20, 0);
	fake_called = 0;
	knc_follow_stop(f);
	KUNIT_EXPECT_EQ(test, fake_called, 2);
	cast_run(c->here, 100, 0);
	cast_run(c->there, 100, 0);
	cast_expect(c, 0, SUM + 30, 0);
	knc_follow_reset(f);
	/* the tasks were switched out and in while it was stopped */
	cast_switch(c->here, NULL);
	cast_switch(c->here, crowd.task[EARLY]);
	cast_switch(c->there, NULL);
	cast_switch(c->there, crowd.task[LATE]);
	fake_called = 0;
	knc_follow_start(f);
	KUNIT_EXPECT_EQ(test, fake_called, 2);
	cast_run(c->here, 1, 0);
	cast_run(c->there, 2, 0);
	cast_expect(c, 0, 3, 0);
	cast_evict(f);
	cast_run(c->here, 100, 0);
	cast_expect(c, 0, 3, 0);
	cast_switch(c->here, NULL);
	cast_switch(c->there, NULL);
	knc_follow_destroy(f);
	c->follow[0] = NULL;
}

/**
 * struct passer - a task that no session follows
 * @c: the cast
 * @task: the task
 * @thread: a thread that it creates
 */
struct passer {
	struct cast *c;
	struct task_struct *task;
	struct task_struct *thread;
};

/* The task creates a process and a thread, executes a program, and ends: no lock is taken. */
static void pass_by(void *arg)
{
	struct passer *p = arg;
	struct cast *c = p->c;

	cast_switch(c->there, p->task);
	knc_test_locked_off = 0;
	cast_fork(c->there, fake_task(c->test));
	cast_fork(c->there, p->thread);
	cast_exec(c->there, true);
	cast_end(c->there);
	KUNIT_EXPECT_EQ(c->test, knc_test_locked_off, 0);
}

/* A task that no search of another session looks for, also not by chance in its bucket of 64 */
static struct passer passer(struct cast *c)
{
	struct passer p = { .c = c };

	do {
		p.task = fake_task(c->test);
	} while (knc_search_is_on(task_tgid(p.task)));
	p.thread = fake_thread(c->test, p.task);
	return p;
}

static void pass_by_a_search(void *c)
{
	struct passer p = passer(c);

	KUNIT_EXPECT_TRUE(p.c->test, knc_search_is_on(task_tgid(p.c->task[0])));
	pass_by(&p);
}

static void bystanders(struct kunit *test)
{
	struct cast *c = test->priv;
	struct passer p = passer(c);

	knc_test_one_bucket(true);
	cast_follow(c, 0, INHERIT, c->task[0], 0, 1);
	pass_by(&p);
	/* events of the session's own tasks take the lock */
	cast_switch(c->here, c->task[0]);
	cast_fork(c->here, c->task[1]);
	KUNIT_EXPECT_EQ(test, knc_test_locked_off, 1);
	cast_switch(c->here, NULL);
	fake_thread(test, c->task[0]);
	fake_meanwhile(FAKE_ALLOCATION, 4, pass_by_a_search, c);
	cast_follow(c, 1, PROCESS, c->task[0], 1, 1);
	fake_meanwhile(FAKE_ALLOCATION, 0, NULL, NULL);
}

/* A bucket for each thread that the kernel allows by default, up to a bound */
static void table_size(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, knc_tasks_bits(0), KNC_TASKS_LEAST);
	KUNIT_EXPECT_EQ(test, knc_tasks_bits(8ULL * THREAD_SIZE << 12), 12);
	KUNIT_EXPECT_EQ(test, knc_tasks_bits(8ULL * THREAD_SIZE << 17), 17);
	KUNIT_EXPECT_EQ(test, knc_tasks_bits(1ULL << 50), KNC_TASKS_BITS);
}

static struct kunit_case walk_cases[] = {
	KUNIT_CASE(holds_are_short),
	KUNIT_CASE(finds_many),
	KUNIT_CASE(sum_meanwhile),
	KUNIT_CASE(records_meanwhile),
	KUNIT_CASE(kept_meanwhile),
	KUNIT_CASE(reset_meanwhile),
	KUNIT_CASE(many_ended),
	KUNIT_CASE(partial_late),
	KUNIT_CASE(leaves_meanwhile),
	KUNIT_CASE(some_run),
	KUNIT_CASE(bystanders),
	KUNIT_CASE(table_size),
	{}
};

STAGE_SUITE(walk, walk_init, walk_exit);

kunit_test_suite(walk_suite);
