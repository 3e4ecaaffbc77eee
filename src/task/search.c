// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks that CONFIG finds: put them on the counters where they run. Of a process it
 * finds all threads, while the process creates more.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "task/target.h"
#include "task/task.h"

/* At most so many are linked at once: with the lock that exits and execs wait for */
#define KNC_BATCH_MAX	512

static LIST_HEAD(knc_searches);
unsigned int knc_nr_searches;

/*
 * Under knc_tasks_lock and RCU: follow @task, and add its CPU to @f->cpus. The
 * context switch finds it from now on. Returns 0, -EPERM if @target is linked
 * but must not be, or an errno if it is not linked.
 */
int knc_follow_link(struct knc_follow *f, struct knc_target *target,
		    struct task_struct *task)
{
	int err;

	/* ON_EXEC: the exec may have happened already */
	target->claim.started = f->started;
	err = knc_target_link(target, task); /* with a full barrier */
	cpumask_set_cpu(task_cpu(task), f->cpus);
	/* exec may have raised its privileges before it was linked */
	if (!err && !f->privileged && !knc_may_follow(task))
		return -EPERM;
	return err;
}

/*
 * After tasks were linked: put them on the counters where they run. Until all
 * @f->cpus have called knc_sync_here(), @ended may be on counters.
 */
void knc_follow_sync_linked(struct knc_follow *f, struct list_head *ended)
{
	struct knc_target *target, *next;

	on_each_cpu_mask(f->cpus, knc_sync_here, NULL, true);
	list_for_each_entry_safe(target, next, ended, node)
		knc_target_free(target);
}

/* Under knc_tasks_lock: begin to look for all threads of @task's process. */
void knc_search_begin(struct knc_follow *f, struct task_struct *task)
{
	f->process = get_pid(knc_compat_tgid(task));
	if (!f->process)
		return;
	list_add_tail(&f->search, &knc_searches);
	WRITE_ONCE(knc_nr_searches, knc_nr_searches + 1);
}

/* Under knc_tasks_lock */
void knc_search_end(struct knc_follow *f)
{
	if (list_empty(&f->search))
		return;
	list_del_init(&f->search);
	WRITE_ONCE(knc_nr_searches, knc_nr_searches - 1);
}

/*
 * While CONFIG looks for the threads of a process, each new one is followed
 * when it is created: fewer and fewer are missing, and CONFIG ends. If there is
 * no memory here, the thread is left to CONFIG.
 */
static void knc_search_inherit(struct knc_follow *f, struct task_struct *child)
{
	struct knc_target *new;

	if (knc_task_has(f, child))
		return;
	new = knc_target_alloc(f, KNC_COMPAT_GFP_ATOMIC);
	if (!new)
		return;
	new->claim.started = f->started;
	if (knc_target_link(new, child))
		knc_target_free(new);
}

/* Under knc_tasks_lock */
void knc_searches_inherit(struct task_struct *creator,
			  struct task_struct *child)
{
	struct knc_follow *f;

	if (!same_thread_group(creator, child))
		return;
	list_for_each_entry(f, &knc_searches, search)
		if (f->process == task_tgid(creator))
			knc_search_inherit(f, child);
}

/* Under knc_tasks_lock: counters of sessions that still look for threads */
void knc_searches_holders(const struct pid *process,
			  const struct knc_claim **claims)
{
	const struct knc_follow *f;
	unsigned int n;

	list_for_each_entry(f, &knc_searches, search)
		for_each_counter(n)
			if (f->process == process && !claims[n] &&
			    f->claim.owned & pmu_bit(n))
				claims[n] = &f->claim;
}

static bool knc_thread_is_missing(const struct knc_follow *f,
				  const struct task_struct *thread)
{
	return !(thread->flags & PF_EXITING) && !knc_task_has(f, thread);
}

/* Count threads that are not followed yet, up to @max; 0 ends the search. */
static unsigned int knc_threads_missing(struct knc_follow *f, unsigned int max)
{
	struct task_struct *task, *thread;
	unsigned int nr = 0;

	spin_lock(&knc_tasks_lock);
	smp_mb(); /* with knc_task_create() */
	rcu_read_lock();
	task = f->process ? knc_task_of(f->process) : NULL;
	if (task)
		for_each_thread(task, thread) {
			nr += knc_thread_is_missing(f, thread);
			if (nr == max)
				break;
		}
	rcu_read_unlock();
	if (!nr)
		knc_search_end(f);
	spin_unlock(&knc_tasks_lock);
	return nr;
}

static int knc_targets_alloc(struct knc_follow *f, struct list_head *targets,
			     unsigned int nr)
{
	struct knc_target *target;

	while (nr--) {
		target = knc_target_alloc(f, KNC_COMPAT_GFP_ACCOUNT);
		if (!target)
			return -ENOMEM;
		list_add(&target->node, targets);
	}
	return 0;
}

/* Follow as many threads as there are @targets; unused ones remain there. */
static int knc_threads_link(struct knc_follow *f, struct list_head *targets)
{
	struct task_struct *task, *thread;
	struct knc_target *target;
	LIST_HEAD(ended);
	int err = 0;

	cpumask_clear(f->cpus);
	spin_lock(&knc_tasks_lock);
	rcu_read_lock();
	task = knc_task_of(f->process);
	if (task)
		for_each_thread(task, thread) {
			if (list_empty(targets) || err)
				break;
			if (!knc_thread_is_missing(f, thread))
				continue;
			target = list_first_entry(targets, struct knc_target, node);
			list_del(&target->node);
			err = knc_follow_link(f, target, thread);
			if (err && err != -EPERM)
				list_add(&target->node, &ended);
			if (err == -ESRCH)
				err = 0;
		}
	rcu_read_unlock();
	spin_unlock(&knc_tasks_lock);
	knc_follow_sync_linked(f, &ended);
	return err;
}

static int knc_follow_some_threads(struct knc_follow *f, unsigned int nr)
{
	struct knc_target *target, *next;
	LIST_HEAD(targets);
	int err;

	err = knc_targets_alloc(f, &targets, nr);
	if (!err)
		err = knc_threads_link(f, &targets);
	list_for_each_entry_safe(target, next, &targets, node)
		knc_target_free(target);
	return err;
}

/**
 * knc_follow_threads() - with PROCESS: follow the other threads of the process
 * @f: the session, attached
 *
 * Without the hotplug lock and knc_claims_lock, because it may take long. It
 * ends however many threads the process creates: new ones are followed at once.
 *
 * Return: 0. After an error call knc_follow_detach(): -ENOMEM; -EPERM: a thread
 * has executed a program that the caller may not look at; -EBUSY: another
 * session follows a thread; -EINTR: the caller is being killed.
 */
int knc_follow_threads(struct knc_follow *f)
{
	unsigned int nr, max = KNC_BATCH_FIRST;
	int err = 0;

	if (!(f->flags & KNC_PMU_CONFIG_PROCESS))
		return 0;
	do {
		nr = knc_threads_missing(f, max);
		if (nr)
			err = knc_follow_some_threads(f, nr);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		max = min(2 * max, (unsigned int)KNC_BATCH_MAX);
		cond_resched();
	} while (nr && !err);
	return err;
}
