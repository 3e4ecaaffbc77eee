// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks that CONFIG finds are put on the counters where they run. CONFIG_PROCESS has to find
 * all threads of a process, which may create more meanwhile.
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

#define KNC_SEARCH_BITS	6

/* After so many threads were linked, put those that run on the counters. */
#define KNC_BATCH_MAX	512

/* Searches, hashed by process; under knc_tasks_lock, but forks and execs test buckets without it */
static struct hlist_head knc_searches[1 << KNC_SEARCH_BITS];

static struct hlist_head *knc_search_head(const struct pid *process)
{
	return &knc_searches[hash_ptr((void *)process, KNC_SEARCH_BITS)];
}

/* Without a lock: false if no session looks for threads of @process */
bool knc_search_is_on(const struct pid *process)
{
	return !hlist_empty(knc_search_head(process));
}

static struct knc_follow *knc_search_of(struct hlist_node *node)
{
	return hlist_entry(node, struct knc_follow, search);
}

/*
 * Follow @task, and add its CPU to @f->cpus: the context switch finds the task from now on. Under
 * knc_tasks_lock and RCU. Returns 0; -EPERM: @target is linked, and the caller must unlink it; any
 * other errno: it is not linked.
 */
int knc_follow_link(struct knc_follow *f, struct knc_target *target,
		    struct task_struct *task)
{
	int err;

	/* before the task was linked, the exec that ON_EXEC waits for may have happened */
	err = knc_target_link(target, task); /* with a full barrier */
	cpumask_set_cpu(task_cpu(task), f->cpus);
	/* before it was linked, the task may have gained privileges by exec */
	if (!err && !f->privileged && !knc_follow_is_allowed(task))
		return -EPERM;
	return err;
}

/*
 * After tasks were linked: put them on the counters where they run. When all @f->cpus have called
 * knc_switch_sync_here(), the targets in @ended are off the counters, and can be freed.
 */
void knc_follow_sync_linked(struct knc_follow *f, struct list_head *ended)
{
	struct knc_target *target, *next;

	on_each_cpu_mask(f->cpus, knc_switch_sync_here, NULL, true);
	list_for_each_entry_safe(target, next, ended, node)
		knc_target_free(target);
}

/* Under knc_tasks_lock: begin a search for all threads of @task's process. */
void knc_search_begin(struct knc_follow *f, struct task_struct *task)
{
	f->process = get_pid(knc_compat_tgid(task));
	if (!f->process)
		return;
	hlist_add_head(&f->search, knc_search_head(f->process));
}

/* Under knc_tasks_lock: from now on new threads are not followed by knc_searches_inherit() */
void knc_search_end(struct knc_follow *f)
{
	hlist_del_init(&f->search);
}

/*
 * While CONFIG searches, each new thread of the process is followed when it is created: the number
 * of missing threads only falls, and the search ends. Without memory here, the search will find
 * the thread.
 */
static void knc_search_inherit(struct knc_follow *f, struct task_struct *child)
{
	struct knc_target *new;

	if (knc_task_has(f, child))
		return;
	new = knc_target_alloc(f, KNC_COMPAT_GFP_ATOMIC);
	if (!new)
		return;
	if (knc_target_link(new, child))
		knc_target_free(new);
}

/* Under knc_tasks_lock: @creator has created the thread @child: follow it for all searches */
void knc_searches_inherit(struct task_struct *creator,
			  struct task_struct *child)
{
	struct pid *process = task_tgid(creator);
	struct hlist_node *node = knc_search_head(process)->first;

	if (!same_thread_group(creator, child))
		return;
	for (; node; node = node->next)
		if (knc_search_of(node)->process == process)
			knc_search_inherit(knc_search_of(node), child);
}

/*
 * Under knc_tasks_lock: @process has executed a program that its user may not look at. Unprivileged
 * searches for its threads fail, whether or not the executing thread was followed.
 */
void knc_searches_deny(const struct pid *process)
{
	struct hlist_node *node = knc_search_head(process)->first, *next;
	struct knc_follow *f;

	for (; node; node = next) {
		next = node->next;
		f = knc_search_of(node);
		if (f->process != process || f->privileged)
			continue;
		f->denied = true;
		knc_search_end(f);
	}
}

/* Under knc_tasks_lock: add the claims of sessions that still search threads of @process */
void knc_searches_holders(const struct pid *process,
			  const struct knc_claim **claims)
{
	struct hlist_node *node = knc_search_head(process)->first;
	const struct knc_follow *f;
	unsigned int n;

	for (; node; node = node->next) {
		f = knc_search_of(node);
		for_each_counter(n)
			if (f->process == process && !claims[n] &&
			    f->claim.owned & pmu_bit(n))
				claims[n] = &f->claim;
	}
}

/**
 * struct knc_tour - a loop over all threads of a process, KNC_TASKS_HOLD at a time
 * @process: the process; NULL: it has ended
 * @at: the next thread; NULL: the first one
 */
struct knc_tour {
	struct pid *process;
	struct pid *at;
};

/* Under RCU: the next thread of the tour. If it has ended, the tour begins anew. */
static struct task_struct *knc_tour_at(const struct knc_tour *tour, struct task_struct *leader)
{
	struct task_struct *thread = tour->at ? knc_task_of(tour->at) : NULL;

	if (thread && same_thread_group(thread, leader))
		return thread;
	return knc_compat_first_thread(leader);
}

/*
 * Under knc_tasks_lock: visit up to KNC_TASKS_HOLD threads. If @visit returns false, stop; the next
 * call begins with the same thread. Returns true if there are more: the caller then calls
 * knc_tasks_relax().
 */
static bool knc_tour_on(struct knc_tour *tour, bool (*visit)(struct task_struct *thread, void *arg),
			void *arg)
{
	struct task_struct *leader, *thread = NULL;
	unsigned int nr = KNC_TASKS_HOLD;

	rcu_read_lock();
	leader = tour->process ? knc_task_of(tour->process) : NULL;
	if (leader)
		thread = knc_tour_at(tour, leader);
	while (thread && nr-- && visit(thread, arg))
		thread = knc_compat_next_thread(leader, thread);
	put_pid(tour->at);
	tour->at = thread ? get_pid(task_pid(thread)) : NULL;
	rcu_read_unlock();
	return thread;
}

/* Note the sessions that follow @thread. Returns false if all counters have a holder. */
static bool knc_note_holders(struct task_struct *thread, void *arg)
{
	const struct knc_task *t = knc_task_find(thread);
	struct knc_follow *f = arg;
	bool free = false;
	unsigned int n;

	for_each_counter(n) {
		if (t && t->target[n] && !f->beside[n])
			f->beside[n] = t->target[n]->follow->id;
		free |= !f->beside[n];
	}
	return free;
}

static bool knc_has_free_counter(const struct knc_follow *f)
{
	unsigned int n;

	for_each_counter(n)
		if (!f->beside[n])
			return true;
	return false;
}

/**
 * knc_follow_find_holders() - with PROCESS: which sessions have counters for the threads?
 * @f: the session, not attached
 * @pid: the pid of one of the threads
 *
 * Without the hotplug lock and knc_claims_lock, because there may be many threads. If another
 * session follows one of them before these locks are taken, knc_target_link() finds it.
 */
void knc_follow_find_holders(struct knc_follow *f, struct pid *pid)
{
	struct knc_tour tour = { .process = NULL };
	struct task_struct *task;

	if (!(f->flags & KNC_PMU_CONFIG_PROCESS))
		return;
	rcu_read_lock();
	task = knc_task_of(pid);
	if (task)
		tour.process = get_pid(knc_compat_tgid(task));
	rcu_read_unlock();
	spin_lock(&knc_tasks_lock);
	while (knc_tour_on(&tour, knc_note_holders, f) && knc_has_free_counter(f))
		knc_tasks_relax();
	spin_unlock(&knc_tasks_lock);
	put_pid(tour.at);
	put_pid(tour.process);
}

/**
 * struct knc_search - CONFIG's search for the threads that are not followed yet
 * @f: the session
 * @tour: the loop over all threads
 * @spare: targets for threads that will be found
 * @nr_spare: targets allocated last time; next time twice as many
 * @ended: targets that are not linked any more, but may be on counters
 * @nr_linked: threads linked since the last knc_search_sync()
 * @err: why it failed
 */
struct knc_search {
	struct knc_follow *f;
	struct knc_tour tour;
	struct list_head spare;
	unsigned int nr_spare;
	struct list_head ended;
	unsigned int nr_linked;
	int err;
};

static bool knc_thread_is_missing(const struct knc_follow *f,
				  const struct task_struct *thread)
{
	return !(thread->flags & PF_EXITING) && !knc_task_has(f, thread);
}

/* Follow @thread, if it is not followed. Returns false without a spare target or on an error. */
static bool knc_search_link(struct task_struct *thread, void *arg)
{
	struct knc_search *s = arg;
	struct knc_target *target;
	int err;

	if (!knc_thread_is_missing(s->f, thread))
		return true;
	if (list_empty(&s->spare))
		return false;
	target = list_first_entry(&s->spare, struct knc_target, node);
	list_del(&target->node);
	err = knc_follow_link(s->f, target, thread);
	s->nr_linked++;
	if (err && err != -EPERM)
		list_add(&target->node, &s->ended);
	if (err != -ESRCH)
		s->err = err;
	return !s->err;
}

/* Link some threads. Ends the search after the last one. Returns true if there are more */
static bool knc_search_some(struct knc_search *s)
{
	bool more = false;

	spin_lock(&knc_tasks_lock);
	smp_mb(); /* pairs with knc_task_create() */
	if (s->f->denied)
		s->err = -EPERM;
	else
		more = knc_tour_on(&s->tour, knc_search_link, s);
	if (!more)
		knc_search_end(s->f);
	spin_unlock(&knc_tasks_lock);
	return more && !s->err;
}

/* Allocate targets for the next threads: twice as many as last time */
static int knc_search_alloc(struct knc_search *s)
{
	struct knc_target *target;
	unsigned int nr;

	s->nr_spare = clamp_t(unsigned int, 2 * s->nr_spare, 1, KNC_TASKS_HOLD);
	for (nr = 0; nr < s->nr_spare; nr++) {
		target = knc_target_alloc(s->f, KNC_COMPAT_GFP_ACCOUNT);
		if (!target)
			return -ENOMEM;
		list_add(&target->node, &s->spare);
	}
	return 0;
}

/* Put the linked threads on the counters where they run. */
static void knc_search_sync(struct knc_search *s)
{
	if (s->nr_linked)
		knc_follow_sync_linked(s->f, &s->ended);
	INIT_LIST_HEAD(&s->ended);
	cpumask_clear(s->f->cpus);
	s->nr_linked = 0;
}

static void knc_search_run(struct knc_search *s)
{
	while (knc_search_some(s)) {
		if (s->nr_linked >= KNC_BATCH_MAX)
			knc_search_sync(s);
		if (list_empty(&s->spare))
			s->err = knc_search_alloc(s);
		if (!s->err && fatal_signal_pending(current))
			s->err = -EINTR;
		if (s->err)
			break;
		cond_resched();
	}
	knc_search_sync(s);
}

/**
 * knc_follow_threads() - with PROCESS: follow the other threads of the process
 * @f: the session, attached
 *
 * Without the hotplug lock and knc_claims_lock, because it may take long. It ends even if the
 * process creates threads without end: these are followed when they are created.
 *
 * Return: 0. After an error call knc_follow_drop(): -ENOMEM; -EPERM: the process
 * has executed a program that the caller may not look at; -EBUSY: another
 * session follows a thread; -EINTR: the caller is being killed.
 */
int knc_follow_threads(struct knc_follow *f)
{
	struct knc_search s = { .f = f, .tour = { .process = f->process } };
	struct knc_target *target, *next;

	if (!(f->flags & KNC_PMU_CONFIG_PROCESS))
		return 0;
	INIT_LIST_HEAD(&s.spare);
	INIT_LIST_HEAD(&s.ended);
	cpumask_clear(f->cpus);
	knc_search_run(&s);
	put_pid(s.tour.at);
	list_for_each_entry_safe(target, next, &s.spare, node)
		knc_target_free(target);
	return s.err;
}
