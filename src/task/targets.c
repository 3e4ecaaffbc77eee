// SPDX-License-Identifier: GPL-2.0
/*
 * Targets, the parts of sessions that belong to one task: link and unlink them,
 * and add up their counts
 */
#include <linux/errno.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/set.h"
#include "rdpmc/private.h"
#include "task/target.h"
#include "task/task.h"

/* @target is linked to no task. */
void knc_target_free(struct knc_target *target)
{
	knc_set_free(&target->claim);
	kfree(target->task);
	kfree(target);
}

/* The target counts the session's events, from 0. */
void knc_target_init(struct knc_target *target)
{
	struct knc_set *set = target->claim.set;

	target->claim = target->follow->claim;
	target->claim.set = set;
	knc_set_init(&target->claim, target->follow->counts);
}

struct knc_target *knc_target_alloc(struct knc_follow *f, gfp_t gfp)
{
	struct knc_target *target = kzalloc(sizeof(*target), gfp);

	if (!target)
		return NULL;
	target->task = kzalloc(sizeof(*target->task), gfp);
	if (!target->task) {
		kfree(target);
		return NULL;
	}
	target->follow = f;
	if (f->groups->nr_groups > 1 &&
	    knc_set_alloc(&target->claim, f->groups, gfp)) {
		knc_target_free(target);
		return NULL;
	}
	knc_target_init(target);
	return target;
}

static bool knc_target_clashes(const struct knc_target *target,
			       const struct knc_task *t)
{
	return target->claim.owned & t->owned;
}

static void knc_target_put_on(struct knc_target *target, struct knc_task *t)
{
	const struct knc_follow *f = target->follow;
	unsigned int n;

	target->plain = !target->claim.set && !target->claim.gated &&
			!f->samplers && !f->page;
	smp_wmb(); /* the context switch must not see @target before its fields */
	for_each_counter(n)
		if (target->claim.owned & pmu_bit(n))
			WRITE_ONCE(t->target[n], target);
	WRITE_ONCE(t->only, target->plain && !t->owned ? f : NULL);
	WRITE_ONCE(t->owned, t->owned | target->claim.owned);
}

static void knc_task_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct knc_task, rcu));
}

/* Stop following the task; knc_tasks_lock is held. */
void knc_target_unlink(struct knc_target *target)
{
	struct knc_task *t = target->task;
	unsigned int n;

	WRITE_ONCE(target->claim.started, false);
	if (target->follow->own == target)
		WRITE_ONCE(target->follow->own, NULL);
	for_each_counter(n)
		if (t->target[n] == target)
			WRITE_ONCE(t->target[n], NULL);
	WRITE_ONCE(t->only, NULL);
	WRITE_ONCE(t->owned, t->owned & ~target->claim.owned);
	target->task = NULL;
	if (unlikely(target->follow->private))
		knc_private_unlink(&target->private);
	if (t->owned)
		return;
	hlist_del_rcu(&t->node);
	call_rcu(&t->rcu, knc_task_rcu);
}

/* Under knc_tasks_lock: follow @task, which may be exiting. -EACCES: see knc_private_link() */
int knc_target_link(struct knc_target *target, struct task_struct *task)
{
	struct knc_follow *f = target->follow;
	struct knc_task *t = knc_task_find(task);
	int err;

	if (t && knc_target_clashes(target, t))
		return -EBUSY;
	err = unlikely(f->private) ? knc_private_link(&target->private, task) : 0;
	if (err)
		return err;
	if (target->claim.set)
		knc_set_spread(&target->claim, f->serial);
	if (t) {
		kfree(target->task);
		target->task = t;
		knc_target_put_on(target, t);
	} else {
		t = target->task;
		t->task = task;
		knc_target_put_on(target, t);
		hlist_add_head_rcu(&t->node, knc_task_head(task));
	}
	smp_mb(); /* do_exit() sets PF_EXITING before knc_task_exit() looks for the task */
	if (task->flags & PF_EXITING) {
		knc_target_unlink(target);
		return -ESRCH;
	}
	target->serial = ++f->serial;
	list_add_tail(&target->node, &f->targets);
	f->nr_targets++;
	if (target->serial == 1)
		WRITE_ONCE(f->own, target);
	return 0;
}

/* Add the counts and times of all groups to a sum. */
static void knc_sum_add_set(struct knc_sum *sum, const struct knc_target *target)
{
	u64 all[KNC_PMU_MAX_SET], ticks[KNC_PMU_MAX_SET];
	u64 most;
	unsigned int i;

	knc_set_read_totals(&target->claim, all, ticks);
	/* another CPU may have updated the groups' times, but not yet @ticks, their limit */
	most = READ_ONCE(target->ticks);
	for (i = 0; i < target->follow->groups->nr_events; i++) {
		sum->value[i] += all[i];
		sum->running[i] += min(ticks[i], most);
	}
}

/* Add a task's counts and times as last updated. */
void knc_sum_add(struct knc_sum *sum, const struct knc_target *target)
{
	const struct knc_claim *claim = &target->claim;
	unsigned int i;

	if (unlikely(claim->set))
		knc_sum_add_set(sum, target);
	else
		for (i = 0; i < claim->nr; i++)
			sum->value[i] += claim->count[i].total;
	sum->ticks += target->ticks;
}

static bool knc_target_keep_apart(const struct knc_target *target, bool unread)
{
	struct task_struct *task = (struct task_struct *)target->task->task;
	struct knc_sum sum;

	memset(&sum, 0, sizeof(sum));
	knc_sum_add(&sum, target);
	return knc_ended_add(target->follow->ended, task, &sum, unread);
}

/* The task is not followed any more: keep its counts. @exits: it is the calling task, and exits */
void knc_target_keep(const struct knc_target *target, bool exits)
{
	struct knc_follow *f = target->follow;
	bool unread = knc_walk_awaits(target);
	bool apart = f->ended && exits && knc_target_keep_apart(target, unread);

	knc_sum_add(&f->gone, target);
	if (target->claim.flags & KNC_PMU_THREAD_PARTIAL)
		f->partial = true;
	if (f->ended && !apart)
		knc_sum_add(&f->ended->rest, target);
	if (unread && f->walk.sum && !(apart && f->walk.apart))
		knc_sum_add(f->walk.sum, target);
}

/*
 * Stop following the calling task, and keep its counts. @exits: the task exits. Under
 * knc_tasks_lock, with interrupts off
 */
void knc_target_end(struct knc_target *target, bool exits)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_follow *f = target->follow;

	WRITE_ONCE(target->claim.started, false);
	if (knc_target_is_in(hw, target))
		knc_target_sched_out(hw, target);
	knc_target_keep(target, exits);
	if (f->first == target->task->task)
		WRITE_ONCE(f->first, NULL);
	knc_target_unlink(target);
	knc_walk_leave(target);
	list_del(&target->node);
	smp_wmb(); /* pairs with knc_follow_own() */
	WRITE_ONCE(f->nr_targets, f->nr_targets - 1);
	knc_target_free(target);
}
