// SPDX-License-Identifier: GPL-2.0
/*
 * The timers that end turns: they run on all online hardware threads while there is a session with
 * several groups, and at no other time
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/sched.h>

#include <asm/tsc.h>

#include "count/hwthread.h"
#include "session_fixture.h"
#include "count/set.h"
#include "units.h"

#define TURN	((u64)tsc_khz * 4)

static int rotation_init(struct kunit *test)
{
	unsigned int cpu;
	int err = stage_init(test);

	if (err || !test->priv)
		return err;
	for_each_possible_cpu(cpu)
		model_of(cpu)->tsc = 1ULL << 40;
	return 0;
}

/* Session @i counts two events on @cpus, in one group or in two. */
static int config(struct stage *st, unsigned int i, const struct cpumask *cpus,
		  bool groups, u32 counters)
{
	struct placing p = { .nr = 2 };

	placing_set(&p, 0, &stage_any, counters);
	placing_set(&p, 1, &stage_any, groups ? counters : 0);
	p.e[1].group = groups;
	return stage_config(st, i, cpus, &p, 0);
}

static void expect_rotation(struct stage *st, bool there, const char *when)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ_MSG(st->test, knc_test_rotates(cpu),
				    there && cpu_online(cpu), "CPU %u, %s", cpu,
				    when);
}

/* The timers run from the first session with groups to the end of the last one */
static void while_needed(struct kunit *test)
{
	struct stage *st = test->priv;
	const struct cpumask *one = cpumask_of(st->first);

	expect_rotation(st, false, "at first");
	KUNIT_ASSERT_EQ(test, 0, config(st, 0, one, false, 0));
	expect_rotation(st, false, "one group");
	/* both counters are taken: CONFIG fails */
	KUNIT_ASSERT_EQ(test, -EBUSY, config(st, 1, one, true, 1));
	expect_rotation(st, false, "refused");
	stage_destroy(st, 0);
	KUNIT_ASSERT_EQ(test, 0, config(st, 1, one, true, 1));
	expect_rotation(st, true, "groups");
	KUNIT_ASSERT_EQ(test, 0, config(st, 2, cpu_online_mask, true, 2));
	expect_rotation(st, true, "two sessions with groups");
	stage_destroy(st, 1);
	expect_rotation(st, true, "one of two is left");
	KUNIT_ASSERT_EQ(test, -EBUSY, config(st, 1, one, true, 2));
	expect_rotation(st, true, "refused beside it");
	KUNIT_ASSERT_EQ(test, 0, config(st, 0, one, true, 1));
	stage_destroy(st, 2);
	expect_rotation(st, true, "the other is left");
	stage_destroy(st, 0);
	expect_rotation(st, false, "none is left");
	/* the timers run again for a second session */
	KUNIT_ASSERT_EQ(test, 0, config(st, 0, one, true, 1));
	expect_rotation(st, true, "again");
	stage_destroy(st, 0);
	expect_rotation(st, false, "again none");
}

/* A hardware thread goes offline and comes back before, during and after the session */
static void hotplug(struct kunit *test)
{
	struct stage *st = test->priv;
	const struct cpumask *one = cpumask_of(st->first);

	stage_remove_cpu(st, st->last);
	expect_rotation(st, false, "gone");
	stage_add_cpu(st, st->last);
	expect_rotation(st, false, "back");
	KUNIT_ASSERT_EQ(test, 0, config(st, 0, cpu_online_mask, true, 1));
	stage_remove_cpu(st, st->last);
	expect_rotation(st, true, "gone from a session");
	stage_add_cpu(st, st->last);
	expect_rotation(st, true, "back in a session");
	stage_remove_cpu(st, st->last);
	stage_destroy(st, 0);
	expect_rotation(st, false, "gone for longer than the session");
	KUNIT_ASSERT_EQ(test, 0, config(st, 0, one, true, 1));
	expect_rotation(st, true, "gone before a session");
	stage_add_cpu(st, st->last);
	expect_rotation(st, true, "back beside a session");
	stage_destroy(st, 0);
	expect_rotation(st, false, "none is left");
}

/* Wait for @nr turns, with a time limit */
static void wait_for_group(struct stage *st, const struct knc_set *set,
			   unsigned int group)
{
	unsigned int i;

	for (i = 0; i < 1000 && READ_ONCE(set->group) != group; i++)
		msleep(20);
	KUNIT_EXPECT_EQ(st->test, set->group, group);
}

/* The timers run on their hardware threads, once a turn. */
static void end_turns(struct kunit *test)
{
	struct stage *st = test->priv;
	const struct knc_set *first, *last;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, config(st, 0, cpu_online_mask, true, 1));
	KUNIT_ASSERT_EQ(test, 0, knc_session_start(st->session[0]));
	first = knc_hwthread_of(st->first)->claim[0]->set;
	last = knc_hwthread_of(st->last)->claim[0]->set;
	for (i = 1; i < 6; i++) {
		model_pass(model_of(st->last), TURN);
		wait_for_group(st, last, i & 1);
		KUNIT_EXPECT_EQ(test, first->group, 0);
	}
	/* the timer is there again after offline and online */
	stage_remove_cpu(st, st->last);
	stage_add_cpu(st, st->last);
	model_pass(model_of(st->last), TURN);
	wait_for_group(st, last, 0);
	model_pass(model_of(st->first), TURN);
	wait_for_group(st, first, 1);
	/* no timer where no group counts */
	KUNIT_ASSERT_EQ(test, 0, knc_session_stop(st->session[0]));
	model_pass(model_of(st->first), TURN);
	msleep(100);
	KUNIT_EXPECT_EQ(test, first->group, 1);
}

static struct kunit_case rotation_cases[] = {
	KUNIT_CASE(while_needed),
	KUNIT_CASE(hotplug),
	KUNIT_CASE(end_turns),
	{}
};

STAGE_SUITE(rotation, rotation_init, stage_exit);

kunit_test_suite(rotation_suite);
