// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks that one session follows: begin, end, owners of their counters, and the
 * page where a task reads its own counts
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "count/hwthread.h"
#include "count/registers.h"
#include "task/page.h"
#include "task/target.h"
#include "task/task.h"

/* A task that ran so long after its page was closed has left knc_read(), which takes less */
#define KNC_PAGE_READ_NS	1000000

/* All sessions that follow tasks, and the last @id given; under knc_claims_lock of claims.c */
static LIST_HEAD(knc_follows);
static u64 knc_follow_ids;
/* Hardware threads that no session follows tasks on any more; under knc_claims_lock */
static struct cpumask knc_dismissed;

/* The oldest claim of tasks that keeps sessions on hardware threads off @counter, or NULL */
const struct knc_claim *knc_follow_holder(unsigned int counter)
{
	const struct knc_follow *f;

	list_for_each_entry(f, &knc_follows, node)
		if (f->excluded & pmu_bit(counter))
			return &f->claim;
	return NULL;
}

/* The claim of the oldest session that has a gated counter, or NULL */
const struct knc_claim *knc_follow_gated(void)
{
	const struct knc_follow *f;

	list_for_each_entry(f, &knc_follows, node)
		if (f->claim.gated)
			return &f->claim;
	return NULL;
}

/* Under knc_tasks_lock */
static void knc_task_holders(const struct task_struct *task,
			     const struct knc_claim **claims)
{
	struct knc_task *t = knc_task_find(task);
	unsigned int n;

	if (!t)
		return;
	for_each_counter(n)
		if (t->target[n] && !claims[n])
			claims[n] = &t->target[n]->follow->claim;
}

/* Add the claims of the sessions that search.c has noted in @beside, if these still exist. */
static void knc_holders_beside(const struct knc_follow *f, const struct knc_claim **claims)
{
	const struct knc_follow *other;
	unsigned int n;

	for_each_counter(n) {
		if (!f->beside[n] || claims[n])
			continue;
		list_for_each_entry(other, &knc_follows, node)
			if (other->id == f->beside[n])
				claims[n] = &other->claim;
	}
}

/**
 * knc_follow_task_holders() - find counters that other sessions have for a task
 * @f: the session; knc_follow_find_holders() has looked at all threads
 * @pid: the task's pid
 * @claims: a claim that has each counter; unchanged for free ones, out
 */
void knc_follow_task_holders(const struct knc_follow *f, struct pid *pid,
			     const struct knc_claim **claims)
{
	struct task_struct *task;

	spin_lock(&knc_tasks_lock);
	rcu_read_lock();
	task = knc_task_of(pid);
	if (task) {
		knc_task_holders(task, claims);
		knc_searches_holders(knc_compat_tgid(task), claims);
	}
	rcu_read_unlock();
	spin_unlock(&knc_tasks_lock);
	knc_holders_beside(f, claims);
}

/* Returns false if there is no memory; the caller then calls knc_follow_free(). */
static bool knc_follow_alloc(struct knc_follow *f, const struct knc_request *req)
{
	if (!zalloc_cpumask_var(&f->cpus, KNC_COMPAT_GFP_ACCOUNT) || knc_page_create(f, req))
		return false;
	if (req->flags & KNC_PMU_CONFIG_KEEP) {
		f->ended = knc_ended_alloc(f->groups);
		if (!f->ended)
			return false;
	}
	f->spare = knc_target_alloc(f, KNC_COMPAT_GFP_ACCOUNT);
	return f->spare;
}

static void knc_follow_free(struct knc_follow *f)
{
	if (f->spare)
		knc_target_free(f->spare);
	knc_ended_free(f->ended);
	vfree(f->page);
	free_cpumask_var(f->cpus);
	kfree(f);
}

/**
 * knc_follow_create() - allocate what a session needs to follow tasks
 * @req: the request of CONFIG
 * @groups: the groups of the events
 * @counts: the initial count of each event, to be set before attaching
 *
 * The caller sets @claim, @lock and @samplers, and calls knc_follow_attach().
 *
 * Return: the struct, or an error pointer: -ENOMEM; -ENOENT: no such
 *	tracepoint.
 */
struct knc_follow *knc_follow_create(const struct knc_request *req,
				     const struct knc_groups *groups,
				     const struct knc_count *counts)
{
	struct knc_follow *f = kzalloc(sizeof(*f), KNC_COMPAT_GFP_ACCOUNT);
	int err = -ENOMEM;

	if (!f)
		return ERR_PTR(err);
	f->flags = req->flags;
	f->groups = groups;
	f->counts = counts;
	f->privileged = perfmon_capable();
	f->private = f->privileged && knc_follow_is_private(req);
	INIT_LIST_HEAD(&f->targets);
	INIT_LIST_HEAD(&f->node);
	INIT_HLIST_NODE(&f->search);
	if (knc_follow_alloc(f, req))
		err = knc_probes_get();
	if (!err)
		return f;
	knc_follow_free(f);
	return ERR_PTR(err);
}

/* @f is detached, or was never attached. */
void knc_follow_destroy(struct knc_follow *f)
{
	knc_probes_put();
	kfree(f->samplers);
	put_pid(f->process);
	knc_follow_free(f);
}

/* Follow the task that CONFIG named. */
static int knc_follow_first(struct knc_follow *f, struct pid *pid)
{
	struct knc_target *target = f->spare;
	struct task_struct *task;
	unsigned long flags;
	LIST_HEAD(ended);
	int err = -ESRCH;

	f->spare = NULL;
	knc_target_init(target);
	cpumask_clear(f->cpus);
	spin_lock_irqsave(&knc_tasks_lock, flags);
	rcu_read_lock();
	task = knc_task_of(pid);
	if (task) {
		f->first = task;
		err = knc_follow_link(f, target, task);
	}
	if (!err && f->flags & KNC_PMU_CONFIG_PROCESS)
		knc_search_begin(f, task);
	/* an exec that ON_EXEC waits for starts nothing now, and permits no RDPMC */
	if (err)
		f->executed = true;
	if (err && err != -EPERM)
		list_add(&target->node, &ended);
	rcu_read_unlock();
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
	knc_follow_sync_linked(f, &ended);
	return err;
}

/* Is the session's only task runnable? @ran: the time that it has run, ns, out */
static bool knc_follow_is_running(const struct knc_follow *f, u64 *ran)
{
	bool running;

	spin_lock(&knc_tasks_lock);
	running = f->first && knc_compat_is_running(f->first);
	if (running)
		*ran = f->first->se.sum_exec_runtime;
	spin_unlock(&knc_tasks_lock);
	return running;
}

/*
 * Wait until the session's only task is outside of knc_read(): either it sleeps in a system call,
 * such as READ, or it has run for KNC_PAGE_READ_NS. The kernel updates a task's run time at each
 * timer tick. Therefore this waits for two ticks before it reads the run time first: the time is
 * then not older than this call.
 */
static void knc_follow_await_reading(const struct knc_follow *f, unsigned long until)
{
	u64 ran = 0, before = 0;

	while (knc_follow_is_running(f, &ran) && time_before(jiffies, until)) {
		if (before && ran - before > KNC_PAGE_READ_NS)
			return;
		schedule_timeout_uninterruptible(2);
		if (!knc_follow_is_running(f, &before))
			return;
		schedule_timeout_uninterruptible(2);
	}
}

/**
 * knc_follow_close_page() - the task reads its counts by READ from now on
 * @f: the session, whose lock is held; its permission is revoked after this
 * @until: jiffies up to which this may wait for the task to finish a reading
 *
 * The counters go on counting. A task that has seen a valid page must be able to execute RDPMC:
 * otherwise it gets SIGSEGV.
 */
void knc_follow_close_page(struct knc_follow *f, unsigned long until)
{
	if (!f->page)
		return;
	spin_lock(&knc_tasks_lock);
	WRITE_ONCE(f->page_closed, true);
	knc_follow_where(f);
	spin_unlock(&knc_tasks_lock);
	on_each_cpu_mask(f->cpus, knc_switch_sync_here, NULL, true);
	knc_follow_await_reading(f, until);
}

static void knc_admit_tasks(struct knc_hwthread *hw, struct knc_claim *none,
			    u64 now)
{
	knc_registers_admit_tasks(hw);
}

static void knc_dismiss_tasks(struct knc_hwthread *hw, struct knc_claim *none,
			      u64 now)
{
	knc_registers_dismiss_tasks(hw);
}

/*
 * In general a hardware thread saves its registers when the first task's claim is put on its
 * counters. All of them save their registers now if an overflow may interrupt another thread of the
 * core than the counter's, or if the program may execute RDPMC: no free counter may show what a
 * former owner counted. The hotplug lock is held.
 */
static void knc_admit_all(void)
{
	struct knc_hwthread_call call = { .fn = knc_admit_tasks };

	if (!cpumask_subset(cpu_possible_mask, &knc_admitting))
		knc_hwthreads_call(cpu_possible_mask, &call);
}

/**
 * knc_follow_is_used() - are registers of hardware threads saved for tasks that nobody follows?
 * @elsewhere: only those of other hardware threads than this one
 *
 * The hotplug lock and knc_claims_lock are held.
 */
bool knc_follow_is_used(bool elsewhere)
{
	unsigned int nr = cpumask_weight(&knc_admitting);

	if (!nr || !list_empty(&knc_follows))
		return false;
	return !elsewhere || nr > 1 || !cpumask_test_cpu(raw_smp_processor_id(), &knc_admitting);
}

/* Restore the registers saved for such tasks. Under the hotplug lock and knc_claims_lock */
void knc_follow_dismiss(void)
{
	struct knc_hwthread_call call = { .fn = knc_dismiss_tasks };

	if (!list_empty(&knc_follows))
		return;
	cpumask_copy(&knc_dismissed, &knc_admitting);
	knc_hwthreads_call(&knc_dismissed, &call);
}

/*
 * Under knc_tasks_lock: move up to KNC_TASKS_HOLD targets from the session and the table to @gone.
 * Returns true if there are more.
 */
static bool knc_targets_unlink(struct knc_follow *f, struct list_head *gone)
{
	unsigned int nr = KNC_TASKS_HOLD;
	struct knc_target *target;
	struct knc_task *t;

	rcu_read_lock();
	while (nr-- && !list_empty(&f->targets)) {
		target = list_first_entry(&f->targets, struct knc_target, node);
		t = target->task;
		knc_target_unlink(target);
		smp_mb(); /* pairs with xchg() in knc_task_enter() */
		knc_task_where(t, f->cpus);
		list_move_tail(&target->node, gone);
	}
	rcu_read_unlock();
	return !list_empty(&f->targets);
}

/* Free the targets in @gone, which are in no other list. @keep: keep their counts for READ */
static void knc_targets_free(struct list_head *gone, bool keep)
{
	struct knc_target *target, *next;

	list_for_each_entry_safe(target, next, gone, node) {
		if (keep)
			knc_target_keep(target, false);
		list_del(&target->node);
		knc_target_free(target);
		cond_resched();
	}
}

static void knc_follow_unlink(struct knc_follow *f, struct list_head *gone)
{
	cpumask_clear(f->cpus);
	spin_lock(&knc_tasks_lock);
	knc_search_end(f);
	/* from now on no child is followed: the loop ends */
	f->flags &= ~KNC_PMU_CONFIG_INHERIT;
	while (knc_targets_unlink(f, gone))
		knc_tasks_relax();
	spin_unlock(&knc_tasks_lock);
	on_each_cpu_mask(f->cpus, knc_switch_sync_here, NULL, true);
}

/**
 * knc_follow_drop() - stop following all tasks; after it call knc_follow_detach()
 * @f: the session, attached
 * @keep: keep the counts for READ; the session's lock is held then
 *
 * Without the hotplug lock and knc_claims_lock, because there may be many tasks.
 */
void knc_follow_drop(struct knc_follow *f, bool keep)
{
	LIST_HEAD(gone);

	if (keep) {
		spin_lock(&knc_tasks_lock);
		/* from now on the exec that ON_EXEC waits for does not start the session */
		f->executed = true;
		spin_unlock(&knc_tasks_lock);
		knc_follow_stop(f);
	}
	knc_follow_unlink(f, &gone);
	knc_targets_free(&gone, keep);
	f->nr_targets = 0;
	f->first = NULL;
	f->evicted = keep;
}

/* After knc_follow_drop(): free its counters; the hotplug lock and knc_claims_lock are held. */
void knc_follow_detach(struct knc_follow *f)
{
	list_del(&f->node);
}

/**
 * knc_follow_attach() - follow a task; after it call knc_follow_threads()
 * @f: the session; the hotplug lock and knc_claims_lock are held
 * @pid: the task's pid
 *
 * Return: 0; -ESRCH: the task ends; -EPERM: it has executed a program
 * that the caller may not look at; -EACCES: its process could read the counts by RDPMC;
 * -EBUSY: meanwhile another session with one of these counters follows it.
 */
int knc_follow_attach(struct knc_follow *f, struct pid *pid)
{
	int err;

	if (f->everywhere)
		knc_admit_all();
	f->id = ++knc_follow_ids;
	list_add_tail(&f->node, &knc_follows);
	err = knc_follow_first(f, pid);
	if (!err)
		return 0;
	knc_follow_drop(f, false);
	knc_follow_detach(f);
	return err;
}
