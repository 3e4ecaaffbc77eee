// SPDX-License-Identifier: GPL-2.0
/*
 * The context switch: a followed task is counted where it runs
 *
 * When a task is switched in, its targets are put on the counters of the
 * hardware thread; when it is switched out, they are taken off. Counts and the
 * gate belong to the task. The tracepoint is called with interrupts off, and a
 * task runs on one hardware thread only: no other thread touches its counts,
 * and the switch takes no lock.
 *
 * knc_tasks_lock protects the set of targets: sessions change it, and fork,
 * exec and exit of their tasks. To remove a target, mark it as not started,
 * remove it from the table, and then call the hardware threads that run the
 * session's tasks. After that no hardware thread uses it. Loops over all tasks
 * of a session or all threads of a process release the lock again and again
 * (walk.c, knc_tasks_relax()), and leave interrupts on: no interrupt takes it.
 *
 * The switch writes down where the task runs, passes a full barrier, and then
 * reads what its sessions want. A command writes what a session wants, passes a
 * full barrier, and then reads where the tasks run. Either the command finds
 * the hardware thread, or the switch sees the change. Other hardware threads
 * are not interrupted.
 */
#include <linux/bitops.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "compat/tracepoint.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "count/sched.h"
#include "count/set.h"
#include "pmu/hw.h"
#include "sample/sampler.h"
#include "sample/switches.h"
#include "task/page.h"
#include "task/target.h"
#include "task/task.h"

/* The target that has the lowest counter of @cntrs, which are the running task's */
static inline struct knc_target *knc_switch_target(const struct knc_hwthread *hw, u64 cntrs)
{
	return knc_target_of(hw->task[pmu_lowest(cntrs)]);
}

/*
 * Put a target on the counters, also one that is not plain. @t is the task's entry, because
 * @target->task may become NULL meanwhile.
 */
static noinline void knc_target_sched_in_any(struct knc_hwthread *hw,
					     struct knc_target *target,
					     const struct knc_task *t)
{
	struct knc_claim *claim = &target->claim;

	claim->started = target->running;
	/* a stopped target must not change: knc_follow_reset_stopped() may be resetting it */
	if (claim->set && target->running &&
	    knc_set_is_due(claim->set, target->since))
		knc_set_next(claim);
	if (target->follow->samplers && target->running)
		knc_sampler_sched_in(knc_target_sampler(target), claim, t->task);
	knc_sched_in_any(hw, claim, target->running);
	if (target->running && target->follow->page)
		knc_page_open(target);
}

/* Put a target on the counters. A plain target must be started. */
static inline void knc_target_sched_in(struct knc_hwthread *hw,
				       struct knc_target *target,
				       const struct knc_task *t)
{
	target->since = knc_hw_read_tsc();
	target->running = READ_ONCE(target->follow->started);
	if (unlikely(!target->plain)) {
		knc_target_sched_in_any(hw, target, t);
		return;
	}
	knc_sched_in(hw, &target->claim);
	knc_program_let_run(hw, hw->started | target->claim.cntrs);
}

static noinline void knc_target_sched_out_any(struct knc_hwthread *hw,
					      struct knc_target *target)
{
	if (target->running && target->follow->page)
		knc_page_shut(target->follow->page);
	knc_sched_out_any(hw, &target->claim);
	if (!READ_ONCE(target->follow->started))
		target->claim.started = false;
	if (target->follow->samplers && target->running)
		knc_sampler_sched_out(knc_target_sampler(target));
}

static __always_inline void knc_target_leave(struct knc_hwthread *hw,
					     struct knc_target *target)
{
	if (likely(target->plain)) {
		knc_program_let_run(hw, hw->started & ~target->claim.cntrs);
		knc_sched_out(hw, &target->claim);
	} else {
		knc_target_sched_out_any(hw, target);
	}
	if (likely(target->running))
		target->ticks += knc_clock_ticks(knc_hw_read_tsc() -
						 target->since);
	target->running = false;
}

void knc_target_sched_out(struct knc_hwthread *hw, struct knc_target *target)
{
	knc_target_leave(hw, target);
}

/*
 * A target with gated events is put on the counters even if it is not started:
 * its task's USER_PREF must be in the register.
 */
static bool knc_target_is_wanted(const struct knc_target *target)
{
	return READ_ONCE(target->follow->started) || target->claim.gated;
}

static __always_inline void knc_target_enter(struct knc_hwthread *hw, struct knc_target *target,
					     const struct knc_task *t)
{
	if (!knc_target_is_wanted(target))
		return;
	if (likely(hw->online))
		knc_target_sched_in(hw, target, t);
	else
		target->follow->partial = true;
}

/* Of all targets of @t, put the wanted ones on the counters of @hw. Most tasks have one target. */
static __always_inline void knc_task_put_on(struct knc_hwthread *hw, const struct knc_task *t)
{
	u64 owned = READ_ONCE(t->owned);
	struct knc_target *target;

	if (!owned)
		return;
	do {
		target = READ_ONCE(t->target[pmu_lowest(owned)]);
		/* it may have been unlinked since @owned was read */
		if (unlikely(!target)) {
			owned &= owned - 1;
			continue;
		}
		knc_target_enter(hw, target, t);
		owned &= ~target->claim.owned;
	} while (unlikely(owned));
}

/* @task runs here from now on. xchg() is a full barrier, and pairs with knc_follow_where() */
static __always_inline void knc_task_enter(struct knc_hwthread *hw, struct knc_task *t,
					   const struct task_struct *task)
{
	WRITE_ONCE(t->hw, hw);
	(void)xchg(&hw->last_task, task);
}

/* @task was switched in: put its targets on the counters. @t: its entry; NULL: not followed */
static __always_inline void knc_task_arrive(struct knc_hwthread *hw, struct knc_task *t,
					    const struct task_struct *task)
{
	if (!t)
		return;
	knc_task_enter(hw, t, task);
	knc_task_put_on(hw, t);
}

/* @head: the bucket of @task */
static noinline void knc_task_sched_in(const struct task_struct *task,
				       const struct hlist_head *head)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	rcu_read_lock();
	knc_task_arrive(hw, knc_task_find_in(head, task), task);
	rcu_read_unlock();
}

/* Take all targets off the counters of this hardware thread. */
void knc_task_sched_out(void)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	u64 cntrs;

	while ((cntrs = hw->task_cntrs))
		knc_target_leave(hw, knc_switch_target(hw, cntrs));
}

/*
 * Is the next task's target plain, like the previous task's, and of the same session? Then the
 * counters go on counting, and only the counts in memory are exchanged. Not where a program may
 * execute RDPMC: it would see the counts of the other task.
 */
static __always_inline bool knc_task_takes_over(const struct knc_hwthread *hw,
						const struct knc_task *t)
{
	const struct knc_target *target = knc_switch_target(hw, hw->task_cntrs);

	return READ_ONCE(t->only) == target->follow && target->running && target->plain &&
	       target->claim.cntrs == hw->task_cntrs && !knc_sched_is_readable();
}

/*
 * Exchange the counts. knc_task_enter() is a barrier: the leaving target is used only before it,
 * the next target only after it.
 */
static __always_inline void knc_task_take_over(struct knc_hwthread *hw, struct knc_task *t,
					       const struct task_struct *task)
{
	u64 cntrs = hw->task_cntrs, now;
	struct knc_target *target = knc_switch_target(hw, cntrs);
	const struct knc_follow *f = target->follow;
	struct knc_next_counts h;

	knc_sched_hand_off(hw, &target->claim, &h);
	now = knc_hw_read_tsc();
	target->ticks += knc_clock_ticks(now - target->since);
	target->running = false;
	knc_task_enter(hw, t, task);
	target = READ_ONCE(t->target[pmu_lowest(cntrs)]);
	/* meanwhile the target may have been unlinked, or its session stopped */
	if (unlikely(!target || target->follow != f || !READ_ONCE(f->started))) {
		knc_sched_abandon(hw, cntrs);
		return;
	}
	target->since = now;
	target->running = true;
	knc_sched_hand_on(hw, &target->claim, &h);
}

/* The context switch if targets of the previous task are on the counters */
static noinline void knc_task_change(const struct task_struct *next)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_task *t;

	rcu_read_lock();
	t = knc_task_find(next);
	if (t && knc_task_takes_over(hw, t)) {
		knc_task_take_over(hw, t, next);
	} else {
		knc_task_sched_out();
		knc_task_arrive(hw, t, next);
	}
	rcu_read_unlock();
}

/* As knc_task_change(), if context switches are recorded. @state: TASK_* of the previous task */
static noinline void knc_task_change_told(const struct task_struct *next, unsigned long state)
{
	u32 why = 0;

	if (!state)
		why = KNC_PMU_SAMPLE_RUNNABLE;
	else if (state & TASK_UNINTERRUPTIBLE)
		why = KNC_PMU_SAMPLE_BLOCKED;
	this_cpu_write(knc_hwthreads.leaves, KNC_SWITCH_LEAVES | why);
	knc_task_change(next);
	this_cpu_write(knc_hwthreads.leaves, 0);
}

/* Each context switch pays for this: rare calls are noinline. */
KNC_COMPAT_SWITCH_PROBE(knc_task_switch, prev, next)
{
	const struct hlist_head *head;

	if (unlikely(this_cpu_read(knc_hwthreads.task_cntrs))) {
		if (unlikely(this_cpu_read(knc_hwthreads.tells)))
			knc_task_change_told(next, KNC_COMPAT_SWITCH_STATE(prev));
		else
			knc_task_change(next);
		return;
	}
	head = knc_task_head(next);
	if (unlikely(!hlist_empty(head)))
		knc_task_sched_in(next, head);
}

/* Take all targets off the counters, then put the targets of current on the counters again. */
void knc_switch_sync_here(void *unused)
{
	knc_task_sched_out();
	WRITE_ONCE(this_cpu_ptr(&knc_hwthreads)->last_task, NULL);
	knc_task_sched_in(current, knc_task_head(current));
}

/*
 * Add a task's hardware thread to @cpus. Under knc_tasks_lock, after a full barrier: if the task is
 * just being switched in, its switch sees everything that was written before the barrier. If it was
 * switched out, its last hardware thread is called needlessly, but only once.
 */
void knc_task_where(const struct knc_task *t, struct cpumask *cpus)
{
	const struct knc_hwthread *hw = READ_ONCE(t->hw);

	if (hw && READ_ONCE(hw->last_task) == t->task)
		cpumask_set_cpu(hw->cpu, cpus);
}

/* Under knc_tasks_lock: does @hw run a task of @f? Then add it, as knc_task_where() does. */
static void knc_switch_where(const struct knc_hwthread *hw, struct knc_follow *f)
{
	const struct task_struct *task = READ_ONCE(hw->last_task);
	const struct knc_task *t = task ? knc_task_find(task) : NULL;

	if (t && READ_ONCE(t->hw) == hw && knc_task_has(f, task))
		cpumask_set_cpu(hw->cpu, f->cpus);
}

/*
 * Under knc_tasks_lock, which is released in between: find the hardware threads that run tasks of
 * @f. With more than KNC_TASKS_HOLD tasks, going through hardware threads is faster. A task that
 * migrates meanwhile is switched in after the barrier.
 */
static void knc_follow_where_many(struct knc_follow *f)
{
	unsigned int cpu, nr = 0;

	for_each_online_cpu(cpu) {
		if (nr++ == KNC_TASKS_HOLD) {
			knc_tasks_relax();
			nr = 1;
		}
		knc_switch_where(knc_hwthread_of(cpu), f);
	}
}

/* Under knc_tasks_lock, which may be released in between: where do tasks of @f run? */
void knc_follow_where(struct knc_follow *f)
{
	struct knc_target *target;

	cpumask_clear(f->cpus);
	smp_mb(); /* pairs with xchg() in knc_task_enter() */
	if (f->nr_targets > KNC_TASKS_HOLD) {
		knc_follow_where_many(f);
		return;
	}
	list_for_each_entry(target, &f->targets, node)
		knc_task_where(target->task, f->cpus);
}

/* Call knc_switch_sync_here() where tasks of @f run; @own: the caller is @f's only task. */
static void knc_sync(const struct knc_follow *f, bool own)
{
	unsigned long flags;

	if (!own) {
		on_each_cpu_mask(f->cpus, knc_switch_sync_here, NULL, true);
		return;
	}
	local_irq_save(flags);
	knc_switch_sync_here(NULL);
	local_irq_restore(flags);
}

/*
 * START or STOP, under the session's lock. Returns whether the session was started before. It is in
 * this file so that knc_switch_sync_here() can be inlined.
 */
bool knc_follow_set_started(struct knc_follow *f, bool started)
{
	bool was, own;

	spin_lock(&knc_tasks_lock);
	was = f->started;
	own = knc_follow_is_own(f);
	WRITE_ONCE(f->started, started);
	if (!own)
		knc_follow_where(f);
	spin_unlock(&knc_tasks_lock);
	knc_sync(f, own);
	return was;
}

void knc_switch_update_here(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_target *target;
	u64 cntrs, now;

	/* the last task was switched out: don't call this hardware thread for it again */
	if (hw->last_task != current)
		WRITE_ONCE(hw->last_task, NULL);
	for (cntrs = hw->task_cntrs; cntrs; cntrs &= ~target->claim.cntrs) {
		target = knc_switch_target(hw, cntrs);
		if (target->claim.owner != info)
			continue;
		knc_sched_update(hw, &target->claim);
		now = knc_hw_read_tsc();
		if (target->running)
			target->ticks += knc_clock_ticks(now - target->since);
		target->since = now;
	}
}

/* The TSC's rate was measured: convert the running task's times up to now with this rate. */
void knc_task_times(struct knc_hwthread *hw)
{
	struct knc_target *target;
	u64 cntrs, now;

	for (cntrs = hw->task_cntrs; cntrs; cntrs &= ~target->claim.cntrs) {
		target = knc_switch_target(hw, cntrs);
		if (!target->running)
			continue;
		now = knc_hw_read_tsc();
		target->ticks += knc_clock_ticks(now - target->since);
		target->since = now;
		if (target->claim.set)
			knc_set_update(target->claim.set, now);
		if (target->follow->page)
			knc_page_update(target);
	}
}
