// SPDX-License-Identifier: GPL-2.0
/*
 * READ_TASKS: the counts of each task of a session, also with groups. The cases hands_over* are
 * here too: counters that run on from one task of a session to the next
 */
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include <asm/tsc.h>

#include "count/hwthread.h"
#include "count/read.h"
#include "count/sched.h"
#include "count/set.h"
#include "rdpmc/hide.h"
#include "request/event.h"
#include "task/target.h"
#include "task_fixture.h"
#include "units.h"

/* after the other headers: the tested header finds a fake caller */
#undef current
#define current fake_current()

#include "task/read-own.h"

#define INHERIT	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT)
#define TID(i)	(7000 - 3 * (i))
#define MOST	(CAST_TASKS + 2)
#define SIZE	KNC_PMU_THREAD_SIZE(2)
#define SET	5
#define TURN	((u64)tsc_khz * 4)

static u64 room[MOST * KNC_PMU_SET_SIZE(SET) / 8];
static bool timed;

static int read_init(struct kunit *test)
{
	timed = true;
	return cast_init_numbered(test, TID(0), -3);
}

/* READ_TASKS into @size bytes; no byte after the records is written. */
static long read_tasks(struct cast *c, u64 size, size_t record)
{
	void __user *to = stage_user_buffer();
	const u8 *end = (u8 *)room + sizeof(room);
	const u8 *at;
	long nr;

	memset(room, 0xa5, sizeof(room));
	kthread_use_mm(stage_user_mm());
	KUNIT_ASSERT_EQ(c->test, 0, copy_to_user(to, room, sizeof(room)));
	nr = knc_follow_read_tasks(c->follow[0], to, size, record,
				   timed ? 0 : KNC_PMU_READ_COUNTS);
	KUNIT_ASSERT_EQ(c->test, 0, copy_from_user(room, to, sizeof(room)));
	kthread_unuse_mm(stage_user_mm());
	at = (u8 *)room + max(nr, 0L) * record;
	while (at < end && *at == 0xa5)
		at++;
	KUNIT_EXPECT_PTR_EQ(c->test, at, end);
	return nr;
}

static const struct knc_pmu_thread *record_at(unsigned int i, size_t size)
{
	return (void *)room + i * size;
}

static void expect_record(struct cast *c, unsigned int i, u32 cpu, u64 v0, u64 v1)
{
	const struct knc_pmu_thread *r = record_at(i, SIZE);

	KUNIT_EXPECT_EQ_MSG(c->test, r->cpu, cpu, "record %u", i);
	KUNIT_EXPECT_EQ_MSG(c->test, r->value[0], v0, "record %u", i);
	KUNIT_EXPECT_EQ_MSG(c->test, r->value[1], v1, "record %u", i);
	KUNIT_EXPECT_EQ(c->test, r->tsc, 0);
	KUNIT_EXPECT_EQ(c->test, r->time_enabled, r->time_running);
	KUNIT_EXPECT_EQ(c->test, r->time, record_at(0, SIZE)->time);
	KUNIT_EXPECT_EQ(c->test, !r->time, !timed);
}

/* Tasks in the order of their creation; the last record sums up those that have ended */
static void each_task(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;

	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	knc_follow_start(c->follow[0]);
	KUNIT_EXPECT_EQ(test, 2, read_tasks(c, 2 * SIZE, SIZE));
	expect_record(c, 0, TID(0), 0, 0);
	expect_record(c, 1, KNC_PMU_NO_CPU, 0, 0);
	cast_switch(c->here, c->task[0]);
	for (i = 1; i < 5; i++)
		cast_fork(c->here, c->task[(i * 2) % 5]);
	/* in the order 0, 2, 4, 1, 3 */
	for (i = 0; i < 5; i++) {
		cast_switch(c->here, c->task[i]);
		cast_run(c->here, 10 + i, 100 + i);
	}
	/* two of them continue to run */
	cast_switch(c->here, c->task[1]);
	cast_switch(c->there, c->task[4]);
	cast_run(c->here, MODEL_HALF, 1);
	cast_run(c->there, 5, 3 * MODEL_HALF);
	model_pass(model_of(c->here), tsc_khz);
	KUNIT_EXPECT_EQ(test, 6, read_tasks(c, MOST * SIZE, SIZE));
	expect_record(c, 0, TID(0), 10, 100);
	expect_record(c, 1, TID(2), 12, 102);
	expect_record(c, 2, TID(4), 19, 104 + 3 * MODEL_HALF);
	expect_record(c, 3, TID(1), 11 + MODEL_HALF, 102);
	expect_record(c, 4, TID(3), 13, 103);
	expect_record(c, 5, KNC_PMU_NO_CPU, 0, 0);
	KUNIT_EXPECT_EQ(test, record_at(3, SIZE)->time_enabled, 1000000);
	KUNIT_EXPECT_EQ(test, record_at(0, SIZE)->time_enabled, 0);
	cast_expect(c, 0, 65 + MODEL_HALF, 511 + 3 * MODEL_HALF);
	/* task 1 ends, and the first task */
	cast_end(c->here);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 1000, 2000);
	cast_end(c->here);
	KUNIT_EXPECT_EQ(test, 4, read_tasks(c, 4 * SIZE, SIZE));
	expect_record(c, 0, TID(2), 12, 102);
	expect_record(c, 1, TID(4), 19, 104 + 3 * MODEL_HALF);
	expect_record(c, 2, TID(3), 13, 103);
	expect_record(c, 3, KNC_PMU_NO_CPU, 1021 + MODEL_HALF, 2202);
	KUNIT_EXPECT_EQ(test, record_at(3, SIZE)->time_enabled, 1000000);
	KUNIT_EXPECT_EQ(test, record_at(3, SIZE)->flags, 0);
	/* RESET clears tasks that have ended as well */
	knc_follow_reset(c->follow[0]);
	cast_run(c->there, 1, 2);
	KUNIT_EXPECT_EQ(test, 4, read_tasks(c, 4 * SIZE, SIZE));
	expect_record(c, 0, TID(2), 0, 0);
	expect_record(c, 1, TID(4), 1, 2);
	expect_record(c, 3, KNC_PMU_NO_CPU, 0, 0);
	/* all tasks have ended */
	cast_end(c->there);
	cast_switch(c->here, c->task[2]);
	cast_end(c->here);
	cast_switch(c->here, c->task[3]);
	cast_end(c->here);
	KUNIT_EXPECT_EQ(test, 1, read_tasks(c, SIZE, SIZE));
	expect_record(c, 0, KNC_PMU_NO_CPU, 1, 2);
	KUNIT_EXPECT_EQ(test, record_at(0, SIZE)->flags, KNC_PMU_THREAD_ENDED);
}

/* KNC_PMU_READ_COUNTS returns no times */
static void untimed(struct kunit *test)
{
	struct cast *c = test->priv;

	timed = false;
	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_begin(c, c->here);
	cast_run(c->here, 3, 4);
	model_pass(model_of(c->here), tsc_khz);
	KUNIT_EXPECT_EQ(test, 2, read_tasks(c, 2 * SIZE, SIZE));
	expect_record(c, 0, TID(0), 3, 4);
	expect_record(c, 1, KNC_PMU_NO_CPU, 0, 0);
	KUNIT_EXPECT_EQ(test, record_at(0, SIZE)->time_enabled, 0);
}

/* More tasks do not keep interrupts off for longer. */
static void interruptible(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r;
	unsigned int i;

	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_begin(c, c->here);
	for (i = 1; i < CAST_TASKS; i++)
		cast_fork(c->here, c->task[i]);
	knc_test_told = 0;
	knc_test_told_off = 0;
	KUNIT_EXPECT_EQ(test, CAST_TASKS + 1,
			read_tasks(c, (CAST_TASKS + 1) * SIZE, SIZE));
	knc_follow_read(c->follow[0], &r, true);
	KUNIT_EXPECT_EQ(test, knc_test_told, CAST_TASKS + 2);
	KUNIT_EXPECT_EQ(test, knc_test_told_off, 0);
}

/* If no times are requested, none is computed. */
static void without_times(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r = { .time = 99 };

	cast_follow(c, 0, 0, c->task[0], 0, 2);
	cast_begin(c, c->there);
	cast_run(c->there, 5, 6);
	model_pass(model_of(c->there), 1000);
	knc_test_told = 0;
	knc_follow_read(c->follow[0], &r, false);
	KUNIT_EXPECT_EQ(test, knc_test_told, 0);
	KUNIT_EXPECT_EQ(test, r.time, 0);
	KUNIT_EXPECT_EQ(test, r.time_enabled, 0);
	KUNIT_EXPECT_EQ(test, r.time_running, 0);
	KUNIT_EXPECT_EQ(test, r.value[0], 5);
	KUNIT_EXPECT_EQ(test, r.value[1], 6);
	knc_follow_read(c->follow[0], &r, true);
	KUNIT_EXPECT_EQ(test, knc_test_told, 1);
	KUNIT_EXPECT_NE(test, r.time_enabled, 0);
}

static bool read_here(struct cast *c, struct knc_pmu_thread *r)
{
	unsigned long flags;
	bool here;

	local_irq_save(flags);
	here = knc_follow_read_here(c->follow[0], r, true);
	local_irq_restore(flags);
	return here;
}

/* The caller's own counts, including its ended children's: no register is written. */
static void own_counts(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r, full;

	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_begin(c, c->here);
	cast_run(c->here, 5, 6);
	cast_fork(c->here, c->task[1]);
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
	cast_switch(c->here, c->task[1]);
	cast_run(c->here, 10, 20);
	cast_end(c->here);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 1, 2);
	model_pass(model_of(c->here), tsc_khz);
	model_log_clear(model_of(c->here));
	KUNIT_ASSERT_TRUE(test, read_here(c, &r));
	KUNIT_EXPECT_EQ(test, model_of(c->here)->nr_writes, 0);
	KUNIT_EXPECT_EQ(test, r.value[0], 16);
	KUNIT_EXPECT_EQ(test, r.value[1], 28);
	KUNIT_EXPECT_EQ(test, r.tsc, 0);
	KUNIT_EXPECT_EQ(test, r.cpu, KNC_PMU_NO_CPU);
	KUNIT_EXPECT_EQ(test, r.nr_events, 2);
	knc_follow_read(c->follow[0], &full, true);
	full.time = r.time;
	KUNIT_EXPECT_EQ(test, full.flags, r.flags);
	KUNIT_EXPECT_EQ(test, full.value[0], r.value[0]);
	KUNIT_EXPECT_EQ(test, full.value[1], r.value[1]);
	KUNIT_EXPECT_EQ(test, full.time_enabled, r.time_enabled);
	KUNIT_EXPECT_EQ(test, full.time_running, r.time_running);
}

static void prepare_gated(struct cast *c, struct knc_follow *f)
{
	f->claim.gated = 1;
	f->claim.obey = 1;
}

/* The task is on the counters, but only for its USER_PREF: a RESET may be under way */
static void own_is_stopped(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r;

	c->prepare = prepare_gated;
	cast_follow(c, 0, 0, c->task[0], 0, 2);
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_NOT_NULL(test, knc_hwthread_of(c->here)->task[0]);
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
	knc_follow_start(c->follow[0]);
	KUNIT_EXPECT_TRUE(test, read_here(c, &r));
	knc_follow_stop(c->follow[0]);
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
}

static bool read_stopped(struct cast *c, struct knc_pmu_thread *r)
{
	unsigned long flags;
	bool here;

	local_irq_save(flags);
	here = knc_follow_read_stopped(c->follow[0], r, true);
	local_irq_restore(flags);
	return here;
}

/* A stopped session: the fast path returns what the slow path would */
static void own_stopped(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r, full;

	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_begin(c, c->here);
	cast_run(c->here, 5, 6);
	cast_fork(c->here, c->task[1]);
	knc_follow_stop(c->follow[0]);
	KUNIT_EXPECT_FALSE(test, read_stopped(c, &r));
	knc_follow_start(c->follow[0]);
	cast_switch(c->here, c->task[1]);
	cast_run(c->here, 10, 20);
	cast_end(c->here);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 1, 2);
	model_pass(model_of(c->here), tsc_khz);
	KUNIT_EXPECT_FALSE(test, read_stopped(c, &r));
	knc_follow_stop(c->follow[0]);
	model_log_clear(model_of(c->here));
	KUNIT_ASSERT_TRUE(test, read_stopped(c, &r));
	KUNIT_EXPECT_EQ(test, model_of(c->here)->nr_writes, 0);
	KUNIT_EXPECT_EQ(test, r.value[0], 16);
	KUNIT_EXPECT_EQ(test, r.value[1], 28);
	knc_follow_read(c->follow[0], &full, true);
	full.time = r.time;
	KUNIT_EXPECT_EQ(test, memcmp(&full, &r, KNC_PMU_THREAD_SIZE(2)), 0);
	c->follow[0]->partial = true;
	KUNIT_ASSERT_TRUE(test, read_stopped(c, &r));
	KUNIT_EXPECT_EQ(test, r.flags, KNC_PMU_THREAD_PARTIAL);
	KUNIT_EXPECT_EQ(test, r.nr_events, 2);
}

/* No fast path for a caller on another hardware thread: an eviction would not wait for it */
static void own_stopped_elsewhere(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r;

	cast_follow(c, 0, 0, c->task[0], 0, 2);
	cast_switch(c->here, c->task[1]);
	KUNIT_EXPECT_FALSE(test, read_stopped(c, &r));
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_TRUE(test, read_stopped(c, &r));
}

/* No fast path during a RESET: some counts are old, and others are 0 */
static void own_stopped_reset(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r;

	cast_follow(c, 0, 0, c->task[0], 0, 2);
	cast_begin(c, c->here);
	cast_run(c->here, 5, 6);
	knc_follow_stop(c->follow[0]);
	KUNIT_EXPECT_EQ(test, c->follow[0]->resets, 0);
	c->follow[0]->resets = 1;
	KUNIT_EXPECT_FALSE(test, read_stopped(c, &r));
	c->follow[0]->resets = 2;
	knc_follow_reset(c->follow[0]);
	KUNIT_EXPECT_EQ(test, c->follow[0]->resets, 4);
	KUNIT_ASSERT_TRUE(test, read_stopped(c, &r));
	KUNIT_EXPECT_EQ(test, r.value[0], 0);
	KUNIT_EXPECT_EQ(test, r.value[1], 0);
}

struct late_read {
	struct cast *c;
	unsigned int nr;
	bool read;
};

static void read_late(void *arg)
{
	struct late_read *late = arg;
	struct knc_pmu_thread r;

	late->nr++;
	late->read = read_stopped(late->c, &r);
}

/*
 * An eviction first removes the pointer to the task's data. A READ that has read the pointer before
 * runs on a hardware thread for which the eviction will wait
 */
static void own_stopped_evicted(struct kunit *test)
{
	struct cast *c = test->priv;
	struct late_read late = { .c = c, .read = true };
	struct knc_pmu_thread r;

	cast_follow(c, 0, 0, c->task[0], 0, 2);
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_TRUE(test, read_stopped(c, &r));
	fake_meanwhile(FAKE_BARRIER, 1, read_late, &late);
	cast_evict(c->follow[0]);
	KUNIT_EXPECT_EQ(test, late.nr, 1);
	KUNIT_EXPECT_FALSE(test, late.read);
	KUNIT_EXPECT_FALSE(test, read_stopped(c, &r));
	knc_follow_destroy(c->follow[0]);
	c->follow[0] = NULL;
}

/* No fast path if another task is on the CPU, or if the counters are stopped */
static void own_is_away(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r;

	cast_follow(c, 0, 0, c->task[0], 0, 2);
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
	knc_follow_start(c->follow[0]);
	KUNIT_EXPECT_TRUE(test, read_here(c, &r));
	cast_switch(c->here, c->task[1]);
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
	cast_follow(c, 1, 0, c->task[1], 0, 2);
	knc_follow_start(c->follow[1]);
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
	cast_switch(c->here, c->task[0]);
	c->follow[0]->partial = true;
	KUNIT_EXPECT_TRUE(test, read_here(c, &r));
	KUNIT_EXPECT_EQ(test, r.flags, KNC_PMU_THREAD_PARTIAL);
	knc_follow_stop(c->follow[0]);
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
}

/* READ does not use the claim of the last task: KASAN would report an access to freed memory. */
static void own_after_another(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_pmu_thread r;

	cast_follow(c, 0, 0, c->task[0], 0, 2);
	knc_follow_start(c->follow[0]);
	cast_follow(c, 1, 0, c->task[1], 0, 2);
	knc_follow_start(c->follow[1]);
	cast_switch(c->here, c->task[1]);
	cast_switch(c->here, NULL);
	cast_leave(c, 1);
	rcu_barrier();
	KUNIT_EXPECT_FALSE(test, read_here(c, &r));
}

#define MANY 66

static void fork_many(void *arg)
{
	struct cast *c = arg;
	unsigned int i;

	for (i = 0; i < MANY; i++)
		cast_fork(c->here, fake_task(c->test));
}

/* Tasks that begin after their number was determined find room. */
static void more_meanwhile(struct kunit *test)
{
	const size_t size = KNC_PMU_THREAD_SIZE(1);
	struct cast *c = test->priv;
	long nr;

	cast_follow(c, 0, INHERIT, c->task[0], 0, 1);
	cast_switch(c->here, c->task[0]);
	kthread_use_mm(stage_user_mm());
	fake_meanwhile(FAKE_ALLOCATION, 1, fork_many, c);
	nr = knc_follow_read_tasks(c->follow[0], stage_user_buffer(),
				   (MANY + 2) * size, size, 0);
	KUNIT_EXPECT_EQ(test, nr, MANY + 2);
	nr = knc_follow_read_tasks(c->follow[0], stage_user_buffer(),
				   (MANY + 2) * size - 1, size, 0);
	KUNIT_EXPECT_EQ(test, nr, -ENOSPC);
	kthread_unuse_mm(stage_user_mm());
}

/* Records with one event are shorter */
static void one_event(struct kunit *test)
{
	struct cast *c = test->priv;
	const size_t size = KNC_PMU_THREAD_SIZE(1);

	cast_follow(c, 0, INHERIT, c->task[0], 1, 1);
	cast_begin(c, c->here);
	cast_fork(c->here, c->task[1]);
	cast_run(c->here, 5, 6);
	KUNIT_EXPECT_EQ(test, 3, read_tasks(c, 3 * size, size));
	KUNIT_EXPECT_EQ(test, record_at(0, size)->value[0], 6);
	KUNIT_EXPECT_EQ(test, record_at(1, size)->cpu, TID(1));
	KUNIT_EXPECT_EQ(test, record_at(1, size)->value[0], 0);
	KUNIT_EXPECT_EQ(test, record_at(2, size)->cpu, KNC_PMU_NO_CPU);
}

/* Too little room, no room, or no memory: nothing is written, and no count is lost. */
static void refused(struct kunit *test)
{
	struct cast *c = test->priv;
	void __user *nowhere = (void __user *)8;

	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_begin(c, c->here);
	cast_fork(c->here, c->task[1]);
	cast_run(c->here, 5, 6);
	KUNIT_EXPECT_EQ(test, -ENOSPC, read_tasks(c, 0, SIZE));
	KUNIT_EXPECT_EQ(test, -ENOSPC, read_tasks(c, SIZE - 1, SIZE));
	KUNIT_EXPECT_EQ(test, -ENOSPC, read_tasks(c, 2 * SIZE, SIZE));
	KUNIT_EXPECT_EQ(test, -ENOSPC, read_tasks(c, 3 * SIZE - 1, SIZE));
	fake_memory(1);
	KUNIT_EXPECT_EQ(test, -ENOMEM, read_tasks(c, 3 * SIZE, SIZE));
	fake_memory(0);
	kthread_use_mm(stage_user_mm());
	KUNIT_EXPECT_EQ(test, -EFAULT,
			knc_follow_read_tasks(c->follow[0], nowhere, 3 * SIZE,
					      SIZE, 0));
	kthread_unuse_mm(stage_user_mm());
	KUNIT_EXPECT_EQ(test, 3, read_tasks(c, 3 * SIZE, SIZE));
	/* a large buffer of the caller does not increase the allocation */
	KUNIT_EXPECT_EQ(test, 3, read_tasks(c, ~0ULL, SIZE));
	expect_record(c, 0, TID(0), 5, 6);
}

static struct knc_groups groups_of_set;
static struct knc_count set_counts[SET];

/* Groups {0 1} {2} {3 4}; counter 0 has events 0, 2, 3 */
static void prepare_set(struct cast *c, struct knc_follow *f)
{
	static const unsigned int group[SET] = { 0, 0, 1, 2, 2 };
	struct knc_event event[SET] = { { 0 } };
	struct knc_refusal why = { 0 };
	unsigned int i;

	for (i = 0; i < SET; i++) {
		event[i].event = 0x16;
		event[i].flags = KNC_PMU_EVENT_USR;
		event[i].group = group[i];
	}
	KUNIT_ASSERT_EQ(c->test, 0,
			knc_groups_init(&groups_of_set, event, SET, &why));
	KUNIT_ASSERT_EQ(c->test, 0,
			knc_groups_assign(&groups_of_set, event, 3, &why));
	memset(set_counts, 0, sizeof(set_counts));
	for (i = 0; i < SET; i++) {
		set_counts[i].evtsel = f->claim.count[0].evtsel & ~0xffULL;
		set_counts[i].evtsel |= 0x10 + i;
		set_counts[i].counter = event[i].counter;
		set_counts[i].read_index = pmu_read_index(set_counts[i].counter);
		set_counts[i].left = pmu_max_load(set_counts[i].counter);
	}
	f->groups = &groups_of_set;
	f->counts = set_counts;
	f->claim.nr = 0;
	memset(f->claim.count, 0, sizeof(f->claim.count));
}

/* Check each value, and the time for which it was counted */
static void expect_set(struct cast *c, unsigned int i, u32 cpu, const u64 *turns,
		       unsigned int off)
{
	const struct knc_pmu_thread *r = record_at(i, KNC_PMU_SET_SIZE(SET));
	const u64 *v = r->value;
	unsigned int n, g;

	KUNIT_EXPECT_EQ(c->test, r->cpu, cpu);
	for (n = 0; n < SET; n++) {
		g = (n + 1) / 2 - (n == 1);
		KUNIT_EXPECT_EQ_MSG(c->test, v[SET + n],
				    knc_clock_ticks_to_ns(turns[g] * TURN),
				    "record %u, event %u", i, n);
	}
	KUNIT_EXPECT_EQ(c->test, v[0] + v[1], turns[0] * (300 + 2 * off));
	KUNIT_EXPECT_EQ(c->test, v[2], turns[1] * (100 + off));
	KUNIT_EXPECT_EQ(c->test, v[3] + v[4], turns[2] * (300 + 2 * off));
}

/*
 * Counts and times are of the same moment, by the clock of the task's hardware thread, from which
 * the caller's may differ.
 */
static void other_clocks(struct kunit *test)
{
	const size_t size = KNC_PMU_SET_SIZE(SET);
	const struct knc_pmu_thread *r = record_at(0, size);
	const u64 *v = r->value;
	struct cast *c = test->priv;
	unsigned int i;

	c->prepare = prepare_set;
	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	knc_follow_start(c->follow[0]);
	for (i = 0; i < 2; i++) {
		model_of(c->there)->tsc = 1ULL << (i ? 38 : 42);
		/* events 0 and 2 belong to the first and the second group */
		cast_switch(c->there, c->task[0]);
		KUNIT_EXPECT_EQ(test, 2, read_tasks(c, 2 * size, size));
		KUNIT_EXPECT_EQ(test, v[SET + 2 * i], 0);
		cast_run(c->there, 100, 200);
		model_pass(model_of(c->there), TURN);
		KUNIT_EXPECT_EQ(test, 2, read_tasks(c, 2 * size, size));
		KUNIT_EXPECT_EQ(test, v[SET], knc_clock_ticks_to_ns(TURN));
		KUNIT_EXPECT_EQ(test, v[SET + 2], knc_clock_ticks_to_ns(i * TURN));
		KUNIT_EXPECT_EQ(test, r->time_running,
				knc_clock_ticks_to_ns((i + 1) * TURN));
		cast_switch(c->there, NULL);
	}
}

static void prepare_spflt_set(struct cast *c, struct knc_follow *f)
{
	prepare_set(c, f);
	set_counts[0].obeys = true;
	f->claim.gated = 1u << set_counts[0].counter;
}

/* A task that is on the counters only for its USER_PREF is not counted: its turn does not end. */
static void no_turns_while_stopped(struct kunit *test)
{
	struct cast *c = test->priv;
	const struct knc_set *set;

	c->prepare = prepare_spflt_set;
	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	set = knc_test_claim(c->follow[0], c->task[0])->set;
	cast_begin(c, c->here);
	model_pass(model_of(c->here), TURN);
	knc_follow_stop(c->follow[0]);
	cast_switch(c->here, NULL);
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_NOT_NULL(test, knc_hwthread_of(c->here)->count[0]);
	KUNIT_EXPECT_EQ(test, set->group, 0);
	knc_follow_start(c->follow[0]);
	KUNIT_EXPECT_EQ(test, set->group, 1);
}

/* Groups are multiplexed while their task runs, on any hardware thread. */
static void groups(struct kunit *test)
{
	/* the second task begins with the second group */
	static const u64 one[3] = { 3, 2, 2 }, other[3] = { 1, 2, 1 };
	static const u64 all[3] = { 4, 4, 3 };
	static const unsigned int event[3] = { 0, 2, 3 };
	const size_t size = KNC_PMU_SET_SIZE(SET);
	struct cast *c = test->priv;
	const struct knc_pmu_thread *r;
	unsigned int i, cpu;
	const u64 *v;

	c->prepare = prepare_set;
	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_begin(c, c->here);
	cast_fork(c->here, c->task[1]);
	cast_switch(c->here, NULL);
	for (i = 0; i < 11; i++) {
		cpu = i % 3 ? c->here : c->there;
		/* task 0 has seven turns, with four of task 1 in between */
		cast_switch(cpu, c->task[i % 3 == 1]);
		cast_run(cpu, 100, 200);
		model_pass(model_of(cpu), TURN / 2);
		cast_switch(cpu, NULL);
		model_pass(model_of(cpu), TURN * 9);
		cast_switch(c->here, c->task[i % 3 == 1]);
		cast_run(c->here, i % 3 == 1 ? 7 : 5, i % 3 == 1 ? 7 : 5);
		model_pass(model_of(c->here), TURN / 2);
		cast_switch(c->here, NULL);
	}
	KUNIT_EXPECT_EQ(test, 3, read_tasks(c, 3 * size, size));
	expect_set(c, 0, TID(0), one, 5);
	expect_set(c, 1, TID(1), other, 7);
	r = record_at(0, size);
	KUNIT_EXPECT_EQ(test, r->time_enabled, knc_clock_ticks_to_ns(7 * TURN));
	/* task 1 ends: its counts and times go to the record of ended tasks */
	cast_switch(c->here, c->task[1]);
	cast_end(c->here);
	KUNIT_EXPECT_EQ(test, 2, read_tasks(c, 2 * size, size));
	expect_set(c, 0, TID(0), one, 5);
	expect_set(c, 1, KNC_PMU_NO_CPU, other, 7);
	/* READ returns the sum */
	knc_follow_read(c->follow[0], (void *)room, true);
	v = record_at(0, size)->value;
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, v[SET + event[i]],
				knc_clock_ticks_to_ns(all[i] * TURN));
	knc_follow_reset(c->follow[0]);
	KUNIT_EXPECT_EQ(test, 2, read_tasks(c, 2 * size, size));
	v = record_at(0, size)->value;
	for (i = 0; i < 2 * SET; i++)
		KUNIT_EXPECT_EQ(test, v[i], 0);
	v = record_at(1, size)->value;
	for (i = 0; i < 2 * SET; i++)
		KUNIT_EXPECT_EQ(test, v[i], 0);
}

/* Two tasks of a started session; the first one runs */
static struct model *two_of_one(struct cast *c)
{
	cast_follow(c, 0, INHERIT, c->task[0], 0, 2);
	cast_begin(c, c->here);
	cast_fork(c->here, c->task[1]);
	return model_of(c->here);
}

/* The counters run on from one task of a session to the next: no register is written. */
static void hands_over(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = two_of_one(c);

	cast_run(c->here, 1, 2);
	model_pass(m, tsc_khz);
	model_log_clear(m);
	cast_switch(c->here, c->task[1]);
	cast_run(c->here, 10, 20);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 100, 200);
	cast_switch(c->here, c->task[1]);
	KUNIT_EXPECT_EQ(test, m->nr_writes, 0);
	model_pass(m, 2 * tsc_khz);
	cast_run(c->here, MODEL_HALF, 3 * MODEL_HALF);
	/* another task in between: the counters are programmed again */
	cast_switch(c->here, NULL);
	cast_switch(c->there, c->task[0]);
	cast_run(c->there, 1000, 2000);
	cast_switch(c->there, c->task[1]);
	cast_run(c->there, 5, 6);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 3, 4);
	KUNIT_EXPECT_EQ(test, 3, read_tasks(c, MOST * SIZE, SIZE));
	expect_record(c, 0, TID(0), 1104, 2206);
	expect_record(c, 1, TID(1), 15 + MODEL_HALF, 26 + 3 * MODEL_HALF);
	KUNIT_EXPECT_EQ(test, record_at(0, SIZE)->time_enabled, 1000000);
	KUNIT_EXPECT_EQ(test, record_at(1, SIZE)->time_enabled, 2000000);
}

/* An overflow at each access of the switch, with an immediate or late interrupt */
static void hands_over_late(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = two_of_one(c);
	u64 base[MODEL_NR];
	unsigned int i;

	memcpy(base, m->counted, sizeof(base));
	for (i = 0; i < 3 * 16 * 8; i++) {
		model_trip(m, 1 + i % 3, i / 3 % 16, i / 48 * 3);
		cast_switch(c->here, c->task[~i & 1]);
		m->trip = 0;
		cast_run(c->here, 2, 3);
	}
	model_deliver(m);
	m->late = 0;
	cast_expect(c, 0, m->counted[0] - base[0], m->counted[1] - base[1]);
	KUNIT_EXPECT_EQ(test, m->missed, 0);
	KUNIT_EXPECT_EQ(test, m->regs.lvtpc, MODEL_LVT_NMI);
}

/* The session has just been stopped: nothing is left on the counters, not even an overflow. */
static void hands_over_to_none(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = two_of_one(c);
	u64 base[MODEL_NR];
	unsigned int i;

	memcpy(base, m->counted, sizeof(base));
	for (i = 0; i < 3 * 16; i++) {
		if (i)
			model_trip(m, 1 + i % 3, i / 3, i & 4);
		/* STOP has not called this CPU yet */
		WRITE_ONCE(c->follow[0]->started, false);
		cast_switch(c->here, c->task[1]);
		m->trip = 0;
		model_deliver(m);
		m->late = 0;
		cast_expect_empty(c, c->here);
		if (!i)
			KUNIT_EXPECT_EQ(test, m->counted[0], base[0]);
		cast_run(c->here, 10, 20);
		WRITE_ONCE(c->follow[0]->started, true);
		cast_switch(c->here, c->task[0]);
	}
	cast_run(c->here, 1, 2);
	KUNIT_EXPECT_EQ(test, m->missed, 0);
	KUNIT_EXPECT_EQ(test, 3, read_tasks(c, MOST * SIZE, SIZE));
	expect_record(c, 1, TID(1), 0, 0);
	KUNIT_EXPECT_GE(test, record_at(0, SIZE)->value[0], 1);
}

/* The counters do not run on if programs may execute RDPMC, nor between two sessions */
static void hands_over_nothing(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = two_of_one(c);

	cast_follow(c, 1, INHERIT, c->task[2], 0, 2);
	knc_follow_start(c->follow[1]);
	cast_run(c->here, 1000, 2000);
	m->cr4 |= KNC_CR4_PCE;
	cast_switch(c->here, c->task[1]);
	KUNIT_EXPECT_EQ(test, m->regs.perfcntr[0], MODEL_HALF);
	m->cr4 &= ~KNC_CR4_PCE;
	cast_run(c->here, 1, 2);
	cast_switch(c->here, c->task[2]);
	cast_run(c->here, 30, 40);
	cast_switch(c->here, c->task[0]);
	cast_expect(c, 0, 1001, 2002);
	cast_expect(c, 1, 30, 40);
}

/*
 * If RDPMC is permitted later, a counter that ran on does not show the next task the previous one's
 * count: neither while it runs, nor after it was put on the counters again.
 */
static void hands_over_no_count(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = two_of_one(c);

	cast_run(c->here, 1000, 2000);
	cast_switch(c->here, c->task[1]);
	cast_run(c->here, 10, 20);
	knc_hide_begin();
	KUNIT_EXPECT_EQ(test, m->regs.perfcntr[0], MODEL_HALF + 10);
	KUNIT_EXPECT_EQ(test, m->regs.perfcntr[1], MODEL_HALF + 20);
	knc_hide_end();
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, 3000, 4000);
	cast_switch(c->here, c->task[1]);
	cast_run(c->here, 1, 2);
	cast_switch(c->here, NULL);
	knc_hide_begin();
	cast_switch(c->there, c->task[1]);
	KUNIT_EXPECT_EQ(test, model_of(c->there)->regs.perfcntr[0], MODEL_HALF + 1);
	KUNIT_EXPECT_EQ(test, model_of(c->there)->regs.perfcntr[1], MODEL_HALF + 2);
	knc_hide_end();
	KUNIT_EXPECT_EQ(test, 3, read_tasks(c, MOST * SIZE, SIZE));
	expect_record(c, 0, TID(0), 4000, 6000);
	expect_record(c, 1, TID(1), 11, 22);
}

static struct kunit_case read_tasks_cases[] = {
	KUNIT_CASE(each_task),
	KUNIT_CASE(untimed),
	KUNIT_CASE(interruptible),
	KUNIT_CASE(without_times),
	KUNIT_CASE(own_counts),
	KUNIT_CASE(own_is_away),
	KUNIT_CASE(own_after_another),
	KUNIT_CASE(own_is_stopped),
	KUNIT_CASE(own_stopped),
	KUNIT_CASE(own_stopped_elsewhere),
	KUNIT_CASE(own_stopped_reset),
	KUNIT_CASE(own_stopped_evicted),
	KUNIT_CASE(more_meanwhile),
	KUNIT_CASE(one_event),
	KUNIT_CASE(refused),
	KUNIT_CASE(groups),
	KUNIT_CASE(other_clocks),
	KUNIT_CASE(no_turns_while_stopped),
	KUNIT_CASE(hands_over),
	KUNIT_CASE(hands_over_late),
	KUNIT_CASE(hands_over_to_none),
	KUNIT_CASE(hands_over_nothing),
	KUNIT_CASE(hands_over_no_count),
	{}
};

STAGE_SUITE(read_tasks, read_init, cast_exit);

kunit_test_suite(read_tasks_suite);
