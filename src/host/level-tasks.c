// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks of levels: a table of their RMIDs, which the context switch loads
 *
 * The probes are registered only while a level has tasks: otherwise context switches cost nothing.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "compat/tracepoint.h"
#include "host/level-tasks.h"
#include "host/rmid.h"

#define KNC_LEVEL_BITS	8

/**
 * struct knc_level_task - a task with an RMID
 * @hash: in the table that the context switch reads
 * @node: in its level's list
 * @task: the task; the exit probe removes this struct before the task is freed
 * @level: its level
 * @rcu: the table is read without the lock
 */
struct knc_level_task {
	struct hlist_node hash;
	struct list_head node;
	const struct task_struct *task;
	struct knc_level *level;
	struct rcu_head rcu;
};

/* Taken with interrupts off. Readers use RCU: probes and cross-calls run as RCU readers. */
static DEFINE_SPINLOCK(knc_level_tasks_lock);
static struct hlist_head knc_level_tasks[1 << KNC_LEVEL_BITS];

/* Protects the number of levels with tasks, for which the probes are registered */
static DEFINE_MUTEX(knc_level_probes_lock);
static unsigned int knc_level_probes_users;

static struct hlist_head *knc_level_head(const struct task_struct *task)
{
	return &knc_level_tasks[hash_ptr((void *)task, KNC_LEVEL_BITS)];
}

/* Under knc_level_tasks_lock, or RCU */
static struct knc_level_task *knc_level_find(const struct task_struct *task)
{
	struct knc_level_task *t;

	hlist_for_each_entry_rcu(t, knc_level_head(task), hash, true)
		if (t->task == task)
			return t;
	return NULL;
}

u32 knc_level_rmid_for(const struct knc_rmid_cpu *c, const struct task_struct *task)
{
	const struct knc_level_task *t = knc_level_find(task);

	return t && READ_ONCE(t->level->started) ? t->level->rmid : knc_rmid_base(c);
}

/* If both tasks have the same RMID, knc_rmid_load() does not write the register. */
static KNC_COMPAT_SWITCH_PROBE(knc_level_switch, prev, next)
{
	struct knc_rmid_cpu *c = this_cpu_ptr(&knc_rmid_cpus);

	if (c->online)
		knc_rmid_load(c, knc_level_rmid_for(c, next));
}

/* Under knc_level_tasks_lock; -EBUSY: another level has this task */
static int knc_level_add(struct knc_level *l, const struct task_struct *task, gfp_t gfp)
{
	struct knc_level_task *t = knc_level_find(task);

	if (t)
		return t->level == l ? 0 : -EBUSY;
	t = kzalloc(sizeof(*t), gfp);
	if (!t)
		return -ENOMEM;
	t->task = task;
	t->level = l;
	list_add_tail(&t->node, &l->tasks);
	hlist_add_head_rcu(&t->hash, knc_level_head(task));
	return 0;
}

static void knc_level_remove(struct knc_level_task *t)
{
	hlist_del_rcu(&t->hash);
	list_del(&t->node);
	kfree_rcu(t, rcu);
}

/* @child is already in its process's list of threads, but does not run yet. */
static KNC_COMPAT_CREATE_PROBE(knc_level_create_task, child)
{
	struct knc_level_task *t;
	unsigned long flags;

	smp_mb(); /* pairs with knc_level_add_all(): @child is listed before the table is read */
	if (hlist_empty(knc_level_head(current)))
		return;
	spin_lock_irqsave(&knc_level_tasks_lock, flags);
	t = knc_level_find(current);
	if (t && t->level->flags & KNC_PMU_CONFIG_INHERIT &&
	    knc_level_add(t->level, child, KNC_COMPAT_GFP_ATOMIC))
		t->level->partial = true;
	spin_unlock_irqrestore(&knc_level_tasks_lock, flags);
}

static KNC_COMPAT_EXIT_PROBE(knc_level_exit_task, task)
{
	struct knc_level_task *t;
	unsigned long flags;

	if (hlist_empty(knc_level_head(task)))
		return;
	spin_lock_irqsave(&knc_level_tasks_lock, flags);
	t = knc_level_find(task);
	if (t)
		knc_level_remove(t);
	spin_unlock_irqrestore(&knc_level_tasks_lock, flags);
}

static const struct knc_compat_probe knc_level_probes[] = {
	{ "sched_process_exit", knc_level_exit_task },
	{ KNC_COMPAT_CREATE_NAME, knc_level_create_task },
	{ "sched_switch", knc_level_switch },
};

int knc_level_probes_get(void)
{
	int err = 0;

	mutex_lock(&knc_level_probes_lock);
	if (!knc_level_probes_users)
		err = knc_compat_probe_all(knc_level_probes, ARRAY_SIZE(knc_level_probes));
	if (!err)
		knc_level_probes_users++;
	mutex_unlock(&knc_level_probes_lock);
	return err;
}

void knc_level_probes_put(void)
{
	mutex_lock(&knc_level_probes_lock);
	if (!--knc_level_probes_users)
		knc_compat_unprobe_all(knc_level_probes, ARRAY_SIZE(knc_level_probes));
	mutex_unlock(&knc_level_probes_lock);
}

/*
 * Under knc_level_tasks_lock and RCU. A thread that is created meanwhile is found here or by
 * knc_level_create_task().
 */
static int knc_level_add_all(struct knc_level *l, struct task_struct *task, s32 *owner)
{
	struct task_struct *thread;
	bool any = false;
	int err;

	for_each_thread(task, thread) {
		if (!(l->flags & KNC_PMU_CONFIG_PROCESS) && thread != task)
			continue;
		if (thread->flags & PF_EXITING)
			continue;
		err = knc_level_add(l, thread, KNC_COMPAT_GFP_ATOMIC);
		if (err == -EBUSY)
			*owner = pid_vnr(knc_level_find(thread)->level->pid);
		if (err)
			return err;
		any = true;
		smp_mb(); /* pairs with knc_level_create_task() */
	}
	return any ? 0 : -ESRCH;
}

int knc_level_follow(struct knc_level *l, struct pid *pid, s32 *owner)
{
	struct task_struct *task;
	unsigned long flags;
	int err;

	rcu_read_lock();
	spin_lock_irqsave(&knc_level_tasks_lock, flags);
	task = pid_task(pid, PIDTYPE_PID);
	err = task ? knc_level_add_all(l, task, owner) : -ESRCH;
	spin_unlock_irqrestore(&knc_level_tasks_lock, flags);
	rcu_read_unlock();
	return err;
}

/* The level is stopped: no hardware thread runs with its RMID any more. */
void knc_level_unfollow(struct knc_level *l)
{
	struct knc_level_task *t, *next;
	unsigned long flags;

	spin_lock_irqsave(&knc_level_tasks_lock, flags);
	list_for_each_entry_safe(t, next, &l->tasks, node)
		knc_level_remove(t);
	spin_unlock_irqrestore(&knc_level_tasks_lock, flags);
}
