// SPDX-License-Identifier: GPL-2.0
/*
 * START, STOP, RESET and READ of followed tasks
 *
 * The session's lock is held, or knc_follow_read_tasks() takes it.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/lost.h"
#include "count/read.h"
#include "count/set.h"
#include "sample/ring.h"
#include "sample/sampler.h"
#include "task/target.h"
#include "task/task.h"

/* START */
void knc_follow_start(struct knc_follow *f)
{
	knc_follow_set_started(f, true);
}

static void knc_flush_here(void *info)
{
	const struct knc_follow *f = info;
	struct knc_sampler *s = f->samplers[smp_processor_id()];

	/* ON_EXEC may have started a task here: then a PMI writes to the ring */
	if (!s->claim)
		knc_ring_flush(&s->ring);
}

static void knc_target_drop_overdue(struct knc_target *target, void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	if (!target->follow->started && !target->running)
		knc_sampler_drop_overdue(knc_target_sampler(target), &target->claim);
	local_irq_restore(flags);
}

/* The session was stopped: report its overdue samples in the ring of this hardware thread. */
static void knc_follow_drop_overdue(struct knc_follow *f)
{
	spin_lock(&knc_tasks_lock);
	knc_walk_begin(f, NULL, false);
	while (knc_walk_on(f, knc_target_drop_overdue, NULL))
		knc_tasks_relax();
	knc_walk_end(f);
	spin_unlock(&knc_tasks_lock);
}

/* Report unsampled events, and lost samples where the ring has room. */
static noinline void knc_follow_flush(struct knc_follow *f)
{
	unsigned int cpu;

	knc_follow_drop_overdue(f);
	cpumask_clear(f->cpus);
	for_each_possible_cpu(cpu)
		if (READ_ONCE(f->samplers[cpu]->ring.pending.samples))
			cpumask_set_cpu(cpu, f->cpus);
	on_each_cpu_mask(f->cpus, knc_flush_here, f, true);
}

/* STOP */
void knc_follow_stop(struct knc_follow *f)
{
	knc_follow_set_started(f, false);
	if (f->samplers)
		knc_follow_flush(f);
}

static void knc_target_reset(struct knc_target *target, void *unused)
{
	unsigned int i;

	target->ticks = 0;
	for (i = 0; i < target->claim.nr; i++)
		knc_count_restart(&target->claim.count[i]);
	if (target->claim.set)
		knc_set_reset(&target->claim);
}

/*
 * Reset the counts of a stopped session. Those of ended tasks are cleared last, because a task may
 * end before the walk has reached it. Returns false if ON_EXEC has started the session meanwhile.
 */
static bool knc_follow_reset_stopped(struct knc_follow *f)
{
	bool stopped;

	spin_lock(&knc_tasks_lock);
	WRITE_ONCE(f->resets, f->resets + 1);
	smp_wmb(); /* pairs with knc_follow_read_stopped() */
	knc_walk_begin(f, NULL, false);
	while (!f->started && knc_walk_on(f, knc_target_reset, NULL))
		knc_tasks_relax();
	knc_walk_end(f);
	if (!f->started)
		memset(&f->gone, 0, sizeof(f->gone));
	while (!f->started && f->ended && knc_ended_clear(f->ended, KNC_TASKS_HOLD))
		knc_tasks_relax();
	stopped = !f->started;
	smp_wmb(); /* pairs with knc_follow_read_stopped() */
	WRITE_ONCE(f->resets, f->resets + 1);
	spin_unlock(&knc_tasks_lock);
	return stopped;
}

/* RESET; a started session is stopped for it, and started again */
void knc_follow_reset(struct knc_follow *f)
{
	bool started = false;

	do {
		started |= knc_follow_set_started(f, false);
	} while (!knc_follow_reset_stopped(f));
	if (started)
		knc_follow_set_started(f, true);
}

/* CLOCK_MONOTONIC in ns, or 0 for a record without times */
static inline u64 knc_sum_now(bool timed)
{
	return timed ? ktime_get_ns() : 0;
}

/* The sum of READ, under knc_tasks_lock. Not on the stack: some kernels clear stack variables. */
static struct knc_sum knc_read_sum;

/*
 * Begin a sum: with the counts of the tasks that are not followed any more (@gone), or with 0. Only
 * @f's events are set: clearing the whole struct would take as long as the rest of READ.
 */
static struct knc_sum *knc_sum_begin(const struct knc_follow *f, bool gone)
{
	unsigned int i, nr = f->groups->nr_events;
	bool turns = f->groups->nr_groups > 1;
	struct knc_sum *sum = &knc_read_sum;

	/* one loop: the compiler would turn two loops into calls of memcpy() */
	for (i = 0; i < nr; i++) {
		sum->value[i] = gone ? f->gone.value[i] : 0;
		if (turns)
			sum->running[i] = gone ? f->gone.running[i] : 0;
	}
	sum->ticks = gone ? f->gone.ticks : 0;
	return sum;
}

/* Write a sum to a record; @now: from knc_sum_now() */
static void knc_sum_tell(const struct knc_sum *sum, const struct knc_follow *f,
			 struct knc_pmu_thread *record, u64 now)
{
	unsigned int i, nr = f->groups->nr_events;
	bool turns = f->groups->nr_groups > 1;
	u64 *values = record->value;

	for (i = 0; i < nr; i++) {
		values[i] = sum->value[i];
		if (turns)
			values[nr + i] = knc_clock_ticks_to_ns(sum->running[i]);
	}
	record->cpu = KNC_PMU_NO_CPU;
	record->flags = 0;
	record->nr_events = nr;
	record->tsc = 0;
	record->time = now;
	record->time_enabled = now ? knc_clock_ticks_to_ns(sum->ticks) : 0;
	record->time_running = record->time_enabled;
	if (unlikely(f->evicted))
		record->flags |= KNC_PMU_THREAD_EVICTED;
	else if (!f->nr_targets)
		record->flags |= KNC_PMU_THREAD_ENDED;
	/* knc_follow_read_here() sets this flag too */
	if (f->partial)
		record->flags |= KNC_PMU_THREAD_PARTIAL;
}

/* Update the counts of running tasks; the caller's own are updated later, under the lock. */
static void knc_follow_update(struct knc_follow *f)
{
	if (knc_follow_is_own(f) || !READ_ONCE(f->started))
		return;
	spin_lock(&knc_tasks_lock);
	knc_follow_where(f);
	spin_unlock(&knc_tasks_lock);
	on_each_cpu_mask(f->cpus, knc_switch_update_here, f, true);
}

/* Update the caller's counts. A stopped session's counts were updated when it stopped. */
static void knc_follow_update_own(struct knc_follow *f)
{
	unsigned long flags;

	if (!f->started)
		return;
	local_irq_save(flags);
	knc_switch_update_here(f);
	local_irq_restore(flags);
}

/* Under knc_tasks_lock, for few tasks: set @partial if a task has lost counts */
static void knc_follow_find_lost(struct knc_follow *f)
{
	struct knc_target *target;

	if (likely(!READ_ONCE(knc_any_lost)))
		return;
	list_for_each_entry(target, &f->targets, node)
		if (target->claim.flags & KNC_PMU_THREAD_PARTIAL)
			f->partial = true;
}

static void knc_target_sum(struct knc_target *target, void *sum)
{
	if (target->claim.flags & KNC_PMU_THREAD_PARTIAL)
		target->follow->partial = true;
	knc_sum_add(sum, target);
}

/*
 * The sums over more than KNC_TASKS_HOLD tasks, under knc_tasks_lock, which is released in between.
 * noinline: some kernels clear the large @sum on the stack, also for callers with few tasks.
 */
static noinline void knc_follow_sum_many(struct knc_follow *f, struct knc_pmu_thread *record,
					 bool timed)
{
	struct knc_sum sum = f->gone;

	knc_walk_begin(f, &sum, false);
	while (knc_walk_on(f, knc_target_sum, &sum))
		knc_tasks_relax();
	knc_walk_end(f);
	knc_sum_tell(&sum, f, record, knc_sum_now(timed));
}

/* The sums over few tasks, under knc_tasks_lock */
static void knc_follow_sum_few(struct knc_follow *f, struct knc_pmu_thread *record,
			       bool timed)
{
	struct knc_target *target;
	struct knc_sum *sum;

	knc_follow_find_lost(f);
	sum = knc_sum_begin(f, true);
	list_for_each_entry(target, &f->targets, node)
		knc_sum_add(sum, target);
	knc_sum_tell(sum, f, record, knc_sum_now(timed));
}

/* The sums over all tasks. Returns false if the session is started. */
static bool knc_follow_sum(struct knc_follow *f, struct knc_pmu_thread *record,
			   bool timed)
{
	bool stopped;

	knc_follow_update(f);
	spin_lock(&knc_tasks_lock);
	knc_follow_update_own(f);
	if (likely(f->nr_targets <= KNC_TASKS_HOLD))
		knc_follow_sum_few(f, record, timed);
	else
		knc_follow_sum_many(f, record, timed);
	stopped = !f->started;
	spin_unlock(&knc_tasks_lock);
	return stopped;
}

/**
 * knc_follow_read() - read the sums over all tasks
 * @f: the session
 * @record: the record, out; with several groups KNC_PMU_SET_SIZE bytes
 * @timed: with times, which cost as much as all the rest
 *
 * A running task's counts are updated on its hardware thread. A migrating task's counts were
 * updated when it was switched out.
 */
void knc_follow_read(struct knc_follow *f, struct knc_pmu_thread *record,
		     bool timed)
{
	knc_follow_sum(f, record, timed);
}

/**
 * knc_follow_stop_read() - STOP, and read the sums at which the session stopped
 * @f: the session
 * @record: the record, as in knc_follow_read()
 * @timed: with times
 *
 * If ON_EXEC starts the session meanwhile, it is stopped once more.
 */
void knc_follow_stop_read(struct knc_follow *f, struct knc_pmu_thread *record,
			  bool timed)
{
	do {
		knc_follow_stop(f);
	} while (!knc_follow_sum(f, record, timed));
}

/**
 * struct knc_task_writer - where READ_TASKS writes its records, and how
 * @f: the session
 * @to: the next record
 * @size: bytes of a record
 * @name: bytes of the name that follows each record; 0: no names
 * @now: from knc_sum_now()
 */
struct knc_task_writer {
	const struct knc_follow *f;
	void *to;
	size_t size;
	size_t name;
	u64 now;
};

/* Append a record. @name: the name of its task; NULL for the sum of the rest */
static struct knc_pmu_thread *knc_tell(struct knc_task_writer *t, const struct knc_sum *sum,
				       const char *name)
{
	struct knc_pmu_thread *r = t->to;

	knc_sum_tell(sum, t->f, r, t->now);
	if (t->name && name)
		/* the name may change meanwhile: its last byte is left 0, as it was allocated */
		memcpy(t->to + t->size, name, t->name - 1);
	t->to += t->size + t->name;
	return r;
}

/* Under knc_tasks_lock: append the record of a task, which exists as long as its target. */
static void knc_target_tell(struct knc_target *target, void *writer)
{
	struct task_struct *task = (struct task_struct *)target->task->task;
	struct knc_sum *sum = knc_sum_begin(target->follow, false);
	struct knc_pmu_thread *r;

	knc_target_sum(target, sum);
	r = knc_tell(writer, sum, task->comm);
	r->cpu = task_pid_vnr(task);
}

static void knc_ended_tell(struct knc_task_writer *t, struct knc_ended_task *task,
			   const struct knc_sum *sum)
{
	struct knc_pmu_thread *r = knc_tell(t, sum, task->name);

	r->cpu = pid_vnr(task->pid);
	r->flags |= KNC_PMU_THREAD_ENDED;
}

/*
 * Append the records of ended tasks. The first @before had ended before the walk. Later ones have a
 * record already, except those that are @unread. Under knc_tasks_lock, which is released in
 * between.
 */
static void knc_tell_ended(struct knc_task_writer *t, unsigned int before)
{
	const struct knc_ended *ended = t->f->ended;
	unsigned int i, nr = ended ? ended->nr : 0;
	struct knc_sum *sum = &knc_read_sum;
	struct knc_ended_task *task;

	for (i = 0; i < nr; i++) {
		if (i && i % KNC_TASKS_HOLD == 0)
			knc_tasks_relax();
		task = knc_ended_get(ended, i, sum);
		if (i < before || task->unread)
			knc_ended_tell(t, task, sum);
	}
}

/*
 * Append a record for each task, and one for the rest. Returns the number of records, which is at
 * most knc_follow_nr_records() at the beginning. Under knc_tasks_lock, which is released in
 * between.
 */
static noinline long knc_tell_all(struct knc_task_writer *t, struct knc_follow *f)
{
	unsigned int before = f->ended ? f->ended->nr : 0;
	struct knc_sum rest = f->ended ? f->ended->rest : f->gone;
	void *from = t->to;

	knc_walk_begin(f, &rest, true);
	while (knc_walk_on(f, knc_target_tell, t))
		knc_tasks_relax();
	knc_walk_end(f);
	knc_tell_ended(t, before);
	knc_tell(t, &rest, NULL);
	return (unsigned long)(t->to - from) / (t->size + t->name);
}

static unsigned int knc_follow_nr_records(const struct knc_follow *f)
{
	return READ_ONCE(f->nr_targets) + (f->ended ? READ_ONCE(f->ended->nr) : 0) + 1;
}

/* Returns the number of records; -ENOSPC: more than @max. @t has @size and @name set */
static long knc_follow_read_some(struct knc_follow *f, void __user *to,
				 unsigned int max, struct knc_task_writer *t, bool timed)
{
	size_t stride = t->size + t->name;
	void *records = kvcalloc(max, stride, KNC_COMPAT_GFP_ACCOUNT);
	long nr;

	if (!records)
		return -ENOMEM;
	t->f = f;
	t->to = records;
	mutex_lock(f->lock);
	knc_follow_update(f);
	spin_lock(&knc_tasks_lock);
	knc_follow_update_own(f);
	t->now = knc_sum_now(timed);
	nr = knc_follow_nr_records(f) <= max ? knc_tell_all(t, f) : -ENOSPC;
	spin_unlock(&knc_tasks_lock);
	mutex_unlock(f->lock);
	if (nr > 0 && copy_to_user(to, records, nr * stride))
		nr = -EFAULT;
	kvfree(records);
	return nr;
}

/**
 * knc_follow_read_tasks() - read the counts of each task
 * @f: the session; its lock is not held, because writing to @to may page fault
 * @to: the records, out
 * @size: bytes of @to
 * @record_size: bytes of a record without the name
 * @flags: KNC_PMU_READ_*
 *
 * Return: the number of records; -ENOSPC, -ENOMEM or -EFAULT.
 */
long knc_follow_read_tasks(struct knc_follow *f, void __user *to, u64 size,
			   size_t record_size, u32 flags)
{
	struct knc_task_writer t = {
		.size = record_size,
		.name = flags & KNC_PMU_READ_NAMES ? KNC_PMU_NAME_SIZE : 0,
	};
	unsigned int room = min_t(u64, div_u64(size, t.size + t.name), INT_MAX);
	unsigned int max, more = KNC_BATCH_FIRST;
	long nr;

	do {
		/* tasks may be created until the lock is held */
		max = min(knc_follow_nr_records(f) + more, room);
		more *= 2;
		nr = max ? knc_follow_read_some(f, to, max, &t,
						!(flags & KNC_PMU_READ_COUNTS)) : -ENOSPC;
	} while (nr == -ENOSPC && max < room);
	return nr;
}
