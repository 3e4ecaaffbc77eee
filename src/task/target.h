/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files that follow tasks: the table of tasks, and their targets
 */
#ifndef KNC_PMU_TARGET_H
#define KNC_PMU_TARGET_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "compat/tracepoint.h"
#include "count/hwthread.h"
#include "rdpmc/private.h"
#include "task/task.h"

/* log2 of the least and of the greatest number of buckets */
#define KNC_TASKS_LEAST	10
#define KNC_TASKS_BITS	20
/* A loop over tasks releases knc_tasks_lock after so many, because forks and exits wait for it */
#define KNC_TASKS_HOLD	64
/*
 * Memory for records is allocated before the number of tasks is known, because tasks may be
 * created meanwhile. The first try of READ_TASKS has room for this many more than there are
 * tasks. Each further try has twice that.
 */
#define KNC_BATCH_FIRST	64

/**
 * struct knc_target - the part of a session that belongs to one task
 * @node: in @targets of the session's struct knc_follow
 * @serial: which one of the session's targets it is, in the order of @targets
 * @follow: the session's
 * @task: the task's entry
 * @claim: counts and counters
 * @plain: the session has one group, no gate, no samples and no page
 * @running: the claim is on the counters, and they count
 * @private: if @follow->private: the entry that keeps RDPMC from the task's process
 * @since: time stamp when @running began, or when @ticks was last updated
 * @ticks: time for which it counted before @since, ticks at tsc_khz
 */
struct knc_target {
	struct list_head node;
	u64 serial;
	struct knc_follow *follow;
	struct knc_task *task;
	struct knc_claim claim;
	bool plain;
	bool running;
	struct knc_private private;
	u64 since;
	u64 ticks;
};

/**
 * struct knc_task - a task that is followed
 * @node: in knc_tasks, by @task
 * @rcu: frees it
 * @task: the task; no reference is held, because its exit removes the entry
 * @hw: the hardware thread where it was last switched in; NULL: nowhere yet
 * @owned: mask of the counters that have a target
 * @only: the session, if the task has one target and this is plain; only compared. Or NULL
 * @target: the target that uses each counter
 */
struct knc_task {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	struct knc_hwthread *hw;
	u64 owned;
	const struct knc_follow *only;
	struct knc_target *target[PMU_MAX_NUMBER];
};

/**
 * struct knc_ended_task - a task that has ended and is kept
 * @pid: its number
 * @name: its name
 * @unread: it ended before the walk of READ_TASKS reached it: its record is still to be written
 * @ticks: time for which it was counted, ticks at tsc_khz
 * @value: the count of each event; with several groups followed by the time for which each event
 *	counted, ticks at tsc_khz
 */
struct knc_ended_task {
	struct pid *pid;
	char name[KNC_PMU_NAME_SIZE];
	bool unread;
	u64 ticks;
	u64 value[];
};

/* The table, of mask + 1 buckets. Changed under knc_tasks_lock; context switches read under RCU */
extern struct hlist_head *knc_tasks;
extern unsigned long knc_tasks_mask;
extern spinlock_t knc_tasks_lock;

static inline struct hlist_head *knc_task_head(const struct task_struct *task)
{
	return &knc_tasks[hash_ptr((void *)task, KNC_TASKS_BITS) & knc_tasks_mask];
}

/* Under RCU or knc_tasks_lock, as knc_task_find(); @head: the bucket of @task */
static inline struct knc_task *knc_task_find_in(const struct hlist_head *head,
						const struct task_struct *task)
{
	struct hlist_node *node;
	struct knc_task *t;

	node = rcu_dereference_raw(head->first);
	for (; node; node = rcu_dereference_raw(node->next)) {
		t = hlist_entry(node, struct knc_task, node);
		if (t->task == task)
			return t;
	}
	return NULL;
}

static inline struct knc_task *knc_task_find(const struct task_struct *task)
{
	return knc_task_find_in(knc_task_head(task), task);
}

/*
 * Under knc_tasks_lock: the target of @t whose lowest counter is @n, or NULL: a loop over all
 * counters finds each target once
 */
static inline struct knc_target *knc_task_target(const struct knc_task *t,
						 unsigned int n)
{
	struct knc_target *target = t ? t->target[n] : NULL;

	return target && pmu_lowest(target->claim.owned) == n ? target : NULL;
}

/* The target that has @claim */
static inline struct knc_target *knc_target_of(struct knc_claim *claim)
{
	return container_of(claim, struct knc_target, claim);
}

static inline struct knc_sampler *knc_target_sampler(const struct knc_target *target)
{
	return target->follow->samplers[smp_processor_id()];
}

static inline bool knc_target_is_in(const struct knc_hwthread *hw,
				    const struct knc_target *target)
{
	return knc_hwthread_task(hw, target->claim.count[0].counter) == &target->claim;
}

/*
 * References are to a task's pid, and the task is looked up under RCU: MPSS's
 * kernel does not export a function that drops a reference to a task.
 */
static inline struct task_struct *knc_task_of(struct pid *pid)
{
	return pid_task(pid, PIDTYPE_PID);
}

/* In a loop over tasks: let others take knc_tasks_lock, then take it again. */
static inline void knc_tasks_relax(void)
{
	spin_unlock(&knc_tasks_lock);
	cond_resched();
	spin_lock(&knc_tasks_lock);
}

/* switch.c */
KNC_COMPAT_SWITCH_PROBE(knc_task_switch, prev, next);
void knc_target_sched_out(struct knc_hwthread *hw, struct knc_target *target);
void knc_task_where(const struct knc_task *t, struct cpumask *cpus);
void knc_follow_where(struct knc_follow *f);
void knc_switch_sync_here(void *unused);
bool knc_follow_set_started(struct knc_follow *f, bool started);
void knc_switch_update_here(void *info);

/* Is the caller the session's only task? Then all its counters are on this hardware thread. */
static inline bool knc_follow_is_own(const struct knc_follow *f)
{
	return f->nr_targets == 1 && f->first == current;
}

/* targets.c */
void knc_target_free(struct knc_target *target);
void knc_target_init(struct knc_target *target);
struct knc_target *knc_target_alloc(struct knc_follow *f, gfp_t gfp);
void knc_target_unlink(struct knc_target *target);
int knc_target_link(struct knc_target *target, struct task_struct *task);
void knc_sum_add(struct knc_sum *sum, const struct knc_target *target);
void knc_target_keep(const struct knc_target *target, bool exits);
void knc_target_end(struct knc_target *target, bool exits);
bool knc_task_has(const struct knc_follow *f, const struct task_struct *task);

/* walk.c; under knc_tasks_lock and, except in a task that ends, the session's lock */
void knc_walk_begin(struct knc_follow *f, struct knc_sum *sum, bool apart);
void knc_walk_end(struct knc_follow *f);
bool knc_walk_awaits(const struct knc_target *target);
void knc_walk_leave(struct knc_target *target);

/* The next target of the walk; NULL: there is no walk, or it has visited all */
static inline struct knc_target *knc_walk_next(const struct knc_follow *f)
{
	struct list_head *next = f->walk.next;
	struct knc_target *target = list_entry(next, struct knc_target, node);

	return next && next != &f->targets && target->serial <= f->walk.last ? target : NULL;
}

/*
 * Visit the next KNC_TASKS_HOLD targets. Returns true if there are more: the caller then calls
 * knc_tasks_relax(). Inline, because READ calls @visit for each task.
 */
static __always_inline bool knc_walk_on(struct knc_follow *f,
					void (*visit)(struct knc_target *target, void *arg),
					void *arg)
{
	unsigned int nr = KNC_TASKS_HOLD;
	struct knc_target *target;

	while ((target = knc_walk_next(f))) {
		if (!nr--)
			return true;
		visit(target, arg);
		f->walk.next = target->node.next;
	}
	return false;
}

/* ended.c; all but alloc and free under knc_tasks_lock */
struct knc_ended *knc_ended_alloc(const struct knc_groups *groups);
void knc_ended_free(struct knc_ended *ended);
bool knc_ended_clear(struct knc_ended *ended, unsigned int most);
bool knc_ended_add(struct knc_ended *ended, struct task_struct *task,
		   const struct knc_sum *sum, bool unread);
struct knc_ended_task *knc_ended_get(const struct knc_ended *ended, unsigned int i,
				     struct knc_sum *sum);

/* probes.c */
int knc_probes_get(void);
void knc_probes_put(void);

/* search.c */
int knc_follow_link(struct knc_follow *f, struct knc_target *target,
		    struct task_struct *task);
void knc_follow_sync_linked(struct knc_follow *f, struct list_head *ended);
void knc_search_begin(struct knc_follow *f, struct task_struct *task);
void knc_search_end(struct knc_follow *f);
bool knc_search_is_on(const struct pid *process);
void knc_searches_inherit(struct task_struct *creator,
			  struct task_struct *child);
void knc_searches_deny(const struct pid *process);
void knc_searches_holders(const struct pid *process,
			  const struct knc_claim **claims);

/* rights.c */
bool knc_follow_is_allowed(struct task_struct *task);

#endif /* KNC_PMU_TARGET_H */
