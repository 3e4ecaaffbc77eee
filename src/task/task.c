// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that follow tasks
 *
 * When a task is switched to, what sessions have of it is put on the counters of
 * that hardware thread, and taken off when another one is switched to: the counts,
 * and USER_PREF, are the task's. The scheduler's tracepoint calls with interrupts
 * off, and no task runs on two hardware threads: so a count is touched by the
 * hardware thread only that its task runs on, and switching takes no lock.
 *
 * knc_tasks_lock is for who begins or ceases to follow: a session, a task that
 * creates another one, executes a program, or ends. What is taken away from a task
 * is marked as not started first and then, by a call on the hardware threads where
 * its tasks run, taken off their counters; from then on nobody looks at it. No
 * interrupt takes the lock: who looks at all tasks of a session leaves interrupts on.
 *
 * Where a task runs is written down when it is switched to, and a full barrier
 * follows before anything of its sessions is read. A command changes what the
 * sessions say, passes a full barrier and then looks where the tasks run: either it
 * finds the hardware thread, or the switch sees what has been changed. Other
 * hardware threads are not interrupted.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <asm/tsc.h>

#include "count/clock.h"
#include "compat/compat.h"
#include "pmu/hw.h"
#include "count/hwthread.h"
#include "task/policy.h"
#include "task/grants.h"
#include "sample/sampler.h"
#include "count/set.h"
#include "task/task.h"

#define KNC_TASKS_BITS	10
/* Threads of a process that are looked up at once */
#define KNC_SOME_THREADS 64
#define KNC_MANY_THREADS 512
#define KNC_PROBES_LINGER	(2 * HZ)

/**
 * struct knc_target - what one session has of one task
 * @node: in its session's list
 * @follow: its session's
 * @task: its task's
 * @claim: counts and counters
 * @running: it is on the counters and counts
 * @since: since when, time stamp counter ticks
 * @ticks: how long it did before, ticks at tsc_khz
 */
struct knc_target {
	struct list_head node;
	struct knc_follow *follow;
	struct knc_task *task;
	struct knc_claim claim;
	bool running;
	u64 since;
	u64 ticks;
};

/**
 * struct knc_task - a task that is followed
 * @node: in knc_tasks, by @task
 * @rcu: frees it
 * @task: the task; not held: it is taken from the list before it ends
 * @hw: the hardware thread that it was last switched to on; NULL: on none yet
 * @target: what is to be on each counter
 */
struct knc_task {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	struct knc_hwthread *hw;
	struct knc_target *target[KNC_NR_COUNTERS];
};

/* Changed under the lock; switching reads without */
static struct hlist_head knc_tasks[1 << KNC_TASKS_BITS];
static DEFINE_SPINLOCK(knc_tasks_lock);

/* Those whose process is being looked through; forks read how many without the lock */
static LIST_HEAD(knc_fillings);
static unsigned int knc_nr_fillings;

/* All there are, under knc_claims_lock of session.c */
static LIST_HEAD(knc_follows);

/* The scheduler calls while anybody is followed, and for a moment longer. */
static void knc_probes_expire(struct work_struct *work);

static DEFINE_MUTEX(knc_probes_lock);
static unsigned int knc_probes_users;
static bool knc_probes_there;
static DECLARE_DELAYED_WORK(knc_probes_work, knc_probes_expire);

static inline struct hlist_head *knc_task_head(const struct task_struct *task)
{
	return &knc_tasks[hash_ptr((void *)task, KNC_TASKS_BITS)];
}

/* Under RCU, or the lock */
static struct knc_task *knc_task_find(const struct task_struct *task)
{
	struct hlist_node *node;
	struct knc_task *t;

	node = rcu_dereference_raw(knc_task_head(task)->first);
	for (; node; node = rcu_dereference_raw(node->next)) {
		t = hlist_entry(node, struct knc_task, node);
		if (t->task == task)
			return t;
	}
	return NULL;
}

static inline struct knc_target *knc_target_of(struct knc_claim *claim)
{
	return container_of(claim, struct knc_target, claim);
}

static struct knc_sampler *knc_sampler_here(const struct knc_target *target)
{
	return target->follow->samplers[smp_processor_id()];
}

/* The same where the time stamp counter does not go at tsc_khz */
static noinline void knc_page_scaled(struct knc_pmu_page *page,
				     const struct knc_target *target, u64 scale)
{
	page->tsc_khz = knc_clock_khz();
	page->time_enabled = knc_clock_unscale(target->ticks, scale) -
			     target->since;
	page->time_running = page->time_enabled;
}

/* What is to be added to the time stamp counter, and the rate of both */
static void knc_page_times(struct knc_pmu_page *page,
			   const struct knc_target *target)
{
	u64 scale = this_cpu_read(knc_rates.scale);

	if (unlikely(scale)) {
		knc_page_scaled(page, target, scale);
		return;
	}
	page->tsc_khz = tsc_khz;
	page->time_enabled = target->ticks - target->since;
	page->time_running = page->time_enabled;
}

/* What its task may know without asking; it runs here, but in the kernel */
static void knc_page_open(struct knc_pmu_page *page,
			  const struct knc_target *target)
{
	knc_page_times(page, target);
	page->seq++;
}

/* @t: of its task; @target->task may become NULL meanwhile */
static void knc_target_in(struct knc_hwthread *hw, struct knc_target *target,
			  const struct knc_task *t)
{
	struct knc_claim *claim = &target->claim;

	target->since = knc_hw_read_tsc();
	target->running = READ_ONCE(claim->started);
	/* what is not counted is not touched either: see knc_follow_reset() */
	if (unlikely(claim->set) && target->running &&
	    knc_set_is_due(claim->set, target->since))
		knc_set_next(claim);
	if (unlikely(target->follow->samplers) && target->running)
		knc_sampler_load(knc_sampler_here(target), claim, t->task);
	knc_hwthread_load(hw, claim, target->running);
	if (target->running && target->follow->page)
		knc_page_open(target->follow->page, target);
}

static void knc_target_out(struct knc_hwthread *hw, struct knc_target *target)
{
	if (target->running && target->follow->page)
		target->follow->page->seq++;
	knc_hwthread_unload(hw, &target->claim);
	if (unlikely(target->follow->samplers) && target->running)
		knc_sampler_unload(knc_sampler_here(target));
	if (target->running)
		target->ticks += knc_clock_ticks(knc_hw_read_tsc() -
						 target->since);
	target->running = false;
}

static bool knc_target_is_in(const struct knc_hwthread *hw,
			     const struct knc_target *target)
{
	return hw->task[target->claim.count[0].counter] == &target->claim;
}

/* One that is not started has its task's USER_PREF all the same. */
static bool knc_target_is_wanted(const struct knc_target *target)
{
	return READ_ONCE(target->claim.started) || target->claim.spflt;
}

/* @task runs here: put on the counters what is to be there. */
static noinline void knc_task_in(const struct task_struct *task)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_target *target;
	struct knc_task *t;
	unsigned int n;

	rcu_read_lock();
	t = knc_task_find(task);
	if (t) {
		WRITE_ONCE(t->hw, hw);
		/* a full barrier as well: see knc_task_where() */
		(void)xchg(&hw->who, task);
	}
	for (n = 0; t && n < KNC_NR_COUNTERS; n++) {
		target = READ_ONCE(t->target[n]);
		if (!target || !knc_target_is_wanted(target) ||
		    knc_target_is_in(hw, target))
			continue;
		if (likely(hw->online))
			knc_target_in(hw, target, t);
		else
			target->follow->partial = true;
	}
	rcu_read_unlock();
}

/* Nothing of a task remains on this hardware thread. */
void knc_task_out(void)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	u32 loaded;

	while ((loaded = hw->loaded))
		knc_target_out(hw, knc_target_of(hw->task[__ffs(loaded)]));
}

static noinline void knc_task_change(const struct task_struct *next)
{
	knc_task_out();
	if (!hlist_empty(knc_task_head(next)))
		knc_task_in(next);
}

/* Every switch of every task pays for this: no register is saved for what is rare. */
static KNC_COMPAT_SWITCH_PROBE(knc_task_switch, prev, next)
{
	if (unlikely(this_cpu_read(knc_hwthreads.loaded)))
		knc_task_change(next);
	else if (unlikely(!hlist_empty(knc_task_head(next))))
		knc_task_in(next);
}

/* Bring the counters of this hardware thread in line with what is to be there. */
static void knc_sync_here(void *unused)
{
	knc_task_out();
	WRITE_ONCE(this_cpu_ptr(&knc_hwthreads)->who, NULL);
	knc_task_in(current);
}

/* Is there just one task, the caller? Then no other hardware thread has anything. */
static bool knc_follow_is_own(const struct knc_follow *f)
{
	return f->nr_targets == 1 && f->first == current;
}

/*
 * Under the lock, after a full barrier: the hardware thread where a task runs is added
 * to @cpus. If it is switched to just now, it sees all that was written before. It may
 * have left: then the hardware thread is added once too often, and not again.
 */
static void knc_task_where(const struct knc_task *t, struct cpumask *cpus)
{
	const struct knc_hwthread *hw = READ_ONCE(t->hw);

	if (hw && READ_ONCE(hw->who) == t->task)
		cpumask_set_cpu(hw->cpu, cpus);
}

/* Under the lock: the hardware threads where tasks of a session run */
static void knc_follow_where(struct knc_follow *f)
{
	struct knc_target *target;

	cpumask_clear(f->cpus);
	smp_mb(); /* with knc_task_in() */
	list_for_each_entry(target, &f->targets, node)
		knc_task_where(target->task, f->cpus);
}

/* On the hardware threads that knc_follow_where() has found, or just here */
static void knc_sync(const struct knc_follow *f, bool own)
{
	unsigned long flags;

	if (!own) {
		on_each_cpu_mask(f->cpus, knc_sync_here, NULL, true);
		return;
	}
	local_irq_save(flags);
	knc_sync_here(NULL);
	local_irq_restore(flags);
}

static void knc_fold_here(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_target *target;
	unsigned int n;
	u64 now;

	/* it has left: this hardware thread is not asked again */
	if (hw->who != current)
		WRITE_ONCE(hw->who, NULL);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		if (!hw->task[n] || hw->task[n]->owner != info ||
		    (n && hw->task[n] == hw->task[0]))
			continue;
		target = knc_target_of(hw->task[n]);
		knc_hwthread_fold(hw, &target->claim);
		now = knc_hw_read_tsc();
		if (target->running)
			target->ticks += knc_clock_ticks(now - target->since);
		target->since = now;
	}
}

/* The rate of the time stamp counter changes: what ran up to now did at the last one. */
void knc_task_times(struct knc_hwthread *hw)
{
	struct knc_target *target;
	unsigned int n;
	u64 now;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		if (!hw->task[n] || (n && hw->task[n] == hw->task[0]))
			continue;
		target = knc_target_of(hw->task[n]);
		if (!target->running)
			continue;
		now = knc_hw_read_tsc();
		target->ticks += knc_clock_ticks(now - target->since);
		target->since = now;
		if (target->claim.set)
			knc_set_fold(target->claim.set, now);
		if (!target->follow->page)
			continue;
		knc_page_times(target->follow->page, target);
		target->follow->page->seq += 2;
	}
}

/* Targets */

/* Of one that is linked to no task */
static void knc_target_free(struct knc_target *target)
{
	knc_set_free(&target->claim);
	kfree(target->task);
	kfree(target);
}

static struct knc_target *knc_target_alloc(struct knc_follow *f, gfp_t gfp)
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
	target->claim = f->claim;
	if (f->layout->nr_groups == 1 ||
	    !knc_set_init(&target->claim, f->layout, f->counts, gfp))
		return target;
	knc_target_free(target);
	return NULL;
}

static bool knc_target_clashes(const struct knc_target *target,
			       const struct knc_task *t)
{
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++)
		if (t->target[n] && target->claim.owned & 1u << n)
			return true;
	return false;
}

static void knc_target_put_on(struct knc_target *target, struct knc_task *t)
{
	unsigned int n;

	smp_wmb(); /* with knc_task_in() */
	for (n = 0; n < KNC_NR_COUNTERS; n++)
		if (target->claim.owned & 1u << n)
			WRITE_ONCE(t->target[n], target);
}

static void knc_task_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct knc_task, rcu));
}

/* Under the lock: its task is not followed by this session any more. */
static void knc_target_unlink(struct knc_target *target)
{
	struct knc_task *t = target->task;
	unsigned int n;

	WRITE_ONCE(target->claim.started, false);
	for (n = 0; n < KNC_NR_COUNTERS; n++)
		if (t->target[n] == target)
			WRITE_ONCE(t->target[n], NULL);
	target->task = NULL;
	if (t->target[0] || t->target[1])
		return;
	hlist_del_rcu(&t->node);
	call_rcu(&t->rcu, knc_task_rcu);
}

/* Under the lock: follow @task, which may have ended. */
static int knc_target_link(struct knc_target *target, struct task_struct *task)
{
	struct knc_follow *f = target->follow;
	struct knc_task *t = knc_task_find(task);

	if (t && knc_target_clashes(target, t))
		return -EBUSY;
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
	smp_mb(); /* with do_exit(): it says so and then has knc_task_exit() called */
	if (task->flags & PF_EXITING) {
		knc_target_unlink(target);
		return -ESRCH;
	}
	list_add_tail(&target->node, &f->targets);
	f->nr_targets++;
	return 0;
}

/* Add what is known of its counts, and of how long each was counted, in ticks. */
static void knc_target_sum(const struct knc_target *target, u64 *values,
			   u64 *running)
{
	const struct knc_claim *claim = &target->claim;
	u64 all[KNC_PMU_MAX_SET], ticks[KNC_PMU_MAX_SET];
	u64 most;
	unsigned int i;

	if (likely(!claim->set)) {
		for (i = 0; i < claim->nr; i++)
			values[i] += claim->count[i].total;
		return;
	}
	knc_set_read_folded(claim, all, ticks);
	/* it may just be switched out elsewhere: its groups' times come first */
	most = READ_ONCE(target->ticks);
	for (i = 0; i < target->follow->layout->nr_events; i++) {
		values[i] += all[i];
		running[i] += min(ticks[i], most);
	}
}

/* It is not followed further: what its task counted remains. */
static void knc_target_keep(const struct knc_target *target)
{
	struct knc_follow *f = target->follow;

	knc_target_sum(target, f->gone, f->gone_running);
	f->gone_ticks += target->ticks;
}

/*
 * Under the lock, interrupts off, by its task: it ends, or is not followed further.
 * What it counted remains.
 */
static void knc_target_end(struct knc_target *target)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_follow *f = target->follow;

	WRITE_ONCE(target->claim.started, false);
	if (knc_target_is_in(hw, target))
		knc_target_out(hw, target);
	knc_target_keep(target);
	if (f->first == target->task->task)
		f->first = NULL;
	knc_target_unlink(target);
	list_del(&target->node);
	f->nr_targets--;
	knc_target_free(target);
}

/* What tasks do to themselves */

static KNC_COMPAT_EXIT_PROBE(knc_task_exit, task)
{
	struct knc_task *t;
	unsigned long flags;
	unsigned int n;

	if (hlist_empty(knc_task_head(task)))
		return;
	spin_lock_irqsave(&knc_tasks_lock, flags);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		/* the last one frees it */
		t = knc_task_find(task);
		if (t && t->target[n])
			knc_target_end(t->target[n]);
	}
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

/* Under the lock */
static bool knc_task_has(const struct knc_follow *f,
			 const struct task_struct *task)
{
	const struct knc_task *t = knc_task_find(task);

	return t && ((t->target[0] && t->target[0]->follow == f) ||
		     (t->target[1] && t->target[1]->follow == f));
}

/* The child begins with its creator's USER_PREF, as with its registers. */
static void knc_target_inherit(struct knc_target *target,
			       struct task_struct *child)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_claim *claim = &target->claim;
	struct knc_follow *f = target->follow;
	struct knc_target *new;

	if (!(f->flags & KNC_PMU_CONFIG_INHERIT) || knc_task_has(f, child))
		return;
	new = knc_target_alloc(f, KNC_COMPAT_GFP_ATOMIC);
	if (!new) {
		f->partial = true;
		return;
	}
	new->claim.started = claim->started;
	if (f->samplers)
		knc_sampler_inherit(claim, &new->claim);
	new->claim.user_pref = claim->user_pref;
	if (claim->spflt && knc_target_is_in(hw, target))
		new->claim.user_pref = !!(knc_hw_read_spflt() &
					  KNC_SPFLT_USER_PREF);
	if (knc_target_link(new, child)) {
		f->partial = true;
		knc_target_free(new);
	}
}

/*
 * While CONFIG looks for the threads of a process, new ones are followed whoever
 * creates them: those that are missing become fewer, and CONFIG ends. One for which
 * there is no memory here is left to CONFIG.
 */
static void knc_fill_inherit(struct knc_follow *f, struct task_struct *child)
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

/* Under the lock */
static void knc_fillings_inherit(struct task_struct *creator,
				 struct task_struct *child)
{
	struct knc_follow *f;

	if (!same_thread_group(creator, child))
		return;
	list_for_each_entry(f, &knc_fillings, filling)
		if (f->process == task_tgid(creator))
			knc_fill_inherit(f, child);
}

/* @child is among the threads of its process, and does not run yet. */
static KNC_COMPAT_CREATE_PROBE(knc_task_create, child)
{
	struct task_struct *creator = current;
	struct knc_task *t;
	unsigned long flags;
	unsigned int n;

	smp_mb(); /* with knc_follow_fill(), which looks at threads after it says so */
	if (hlist_empty(knc_task_head(creator)) && !READ_ONCE(knc_nr_fillings))
		return;
	spin_lock_irqsave(&knc_tasks_lock, flags);
	t = knc_task_find(creator);
	for (n = 0; t && n < KNC_NR_COUNTERS; n++)
		if (t->target[n] && (!n || t->target[n] != t->target[0]))
			knc_target_inherit(t->target[n], child);
	knc_fillings_inherit(creator, child);
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

/* Under the lock */
static void knc_set_started(struct knc_follow *f, bool started)
{
	struct knc_target *target;

	f->started = started;
	list_for_each_entry(target, &f->targets, node)
		WRITE_ONCE(target->claim.started, started);
}

/* @secret: its user may not look at what it executes */
static void knc_target_exec(struct knc_target *target, bool secret)
{
	struct knc_follow *f = target->follow;

	if (secret && !f->privileged) {
		f->partial = true;
		knc_target_end(target);
		return;
	}
	if (!(f->flags & KNC_PMU_CONFIG_ON_EXEC) || f->executed ||
	    f->first != current)
		return;
	f->executed = true;
	knc_set_started(f, true);
	if (f->flags & KNC_PMU_CONFIG_RDPMC &&
	    knc_rdpmc_grant_exec(f))
		f->partial = true;
}

static KNC_COMPAT_EXEC_PROBE(knc_task_exec, task, bprm)
{
	struct knc_target *target[KNC_NR_COUNTERS];
	struct knc_task *t;
	unsigned long flags;
	unsigned int n;
	bool secret;

	if (hlist_empty(knc_task_head(task)))
		return;
	secret = knc_compat_secureexec(bprm) || !knc_compat_dumpable(task);
	spin_lock_irqsave(&knc_tasks_lock, flags);
	t = knc_task_find(task);
	for (n = 0; n < KNC_NR_COUNTERS; n++)
		target[n] = t ? t->target[n] : NULL;
	for (n = 0; n < KNC_NR_COUNTERS; n++)
		if (target[n] && (!n || target[n] != target[0]))
			knc_target_exec(target[n], secret);
	knc_sync_here(NULL);
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

static const struct {
	const char *name;
	void *probe;
} knc_probes[] = {
	{ "sched_process_exit", knc_task_exit },
	{ KNC_COMPAT_CREATE_NAME, knc_task_create },
	{ "sched_switch", knc_task_switch },
	{ "sched_process_exec", knc_task_exec },
};

#define KNC_NR_PROBES	(ARRAY_SIZE(knc_probes) - !KNC_COMPAT_EXEC)

static void knc_probes_remove(unsigned int nr)
{
	while (nr--)
		knc_compat_unprobe(knc_probes[nr].name, knc_probes[nr].probe);
	tracepoint_synchronize_unregister();
}

static int knc_probes_add(void)
{
	unsigned int nr;
	int err;

	for (nr = 0; nr < KNC_NR_PROBES; nr++) {
		err = knc_compat_probe(knc_probes[nr].name,
				       knc_probes[nr].probe);
		if (err) {
			knc_probes_remove(nr);
			return err;
		}
	}
	return 0;
}

static int knc_probes_get(void)
{
	int err = 0;

	mutex_lock(&knc_probes_lock);
	if (!knc_probes_there)
		err = knc_probes_add();
	if (!err) {
		knc_probes_there = true;
		knc_probes_users++;
	}
	mutex_unlock(&knc_probes_lock);
	return err;
}

/*
 * To switch tracepoints on or off is to patch the kernel's code, for which all CPUs
 * are interrupted several times: not for each of many sessions in a row.
 */
static void knc_probes_put(void)
{
	mutex_lock(&knc_probes_lock);
	if (!--knc_probes_users)
		schedule_delayed_work(&knc_probes_work, KNC_PROBES_LINGER);
	mutex_unlock(&knc_probes_lock);
}

static void knc_probes_expire(struct work_struct *work)
{
	mutex_lock(&knc_probes_lock);
	if (!knc_probes_users && knc_probes_there) {
		knc_probes_remove(KNC_NR_PROBES);
		knc_probes_there = false;
	}
	mutex_unlock(&knc_probes_lock);
}

/* No session is left. */
void knc_follow_exit(void)
{
	cancel_delayed_work_sync(&knc_probes_work);
	knc_probes_expire(NULL);
}

/* Who may be followed */

#define KNC_TASK_FLAGS	(KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT | \
			 KNC_PMU_CONFIG_ON_EXEC)

static bool knc_events_privileged(const struct knc_pmu_config *c,
				  const struct knc_pmu_event *events,
				  struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++) {
		if (!(events[i].flags &
		      (KNC_PMU_EVENT_OS | KNC_PMU_EVENT_THREAD_MODE)))
			continue;
		why->event[0] = i;
		return true;
	}
	return false;
}

/**
 * knc_follow_check() - is this how tasks can be followed?
 * @c: what CONFIG was asked
 * @events: the events, legal by themselves
 * @why: where to tell the reason of a refusal
 *
 * Return: 0, -EINVAL, -EPERM or -EOPNOTSUPP.
 */
int knc_follow_check(const struct knc_pmu_config *c,
		     const struct knc_pmu_event *events,
		     struct knc_refusal *why)
{
	if (!(c->flags & KNC_PMU_CONFIG_TASK)) {
		if (!c->pid && !(c->flags & KNC_TASK_FLAGS))
			return 0;
		why->reason = KNC_PMU_REASON_TASK_FLAGS;
		return -EINVAL;
	}
	if (c->cpus || c->cpus_size) {
		why->reason = KNC_PMU_REASON_TASK_FLAGS;
		return -EINVAL;
	}
	if (c->sample_interval) {
		why->reason = KNC_PMU_REASON_TASK_SAMPLING;
		return -EOPNOTSUPP;
	}
	if (c->flags & KNC_PMU_CONFIG_ON_EXEC && !KNC_COMPAT_EXEC) {
		why->reason = KNC_PMU_REASON_TASK_KERNEL;
		return -EOPNOTSUPP;
	}
	if (perfmon_capable())
		return 0;
	/* who is not told of a set-user-ID program being executed can't stop there */
	if (!KNC_COMPAT_EXEC || c->flags & KNC_PMU_CONFIG_CHAIN_KERNEL ||
	    knc_events_privileged(c, events, why)) {
		why->reason = KNC_PMU_REASON_PRIVILEGE;
		return -EPERM;
	}
	return knc_policy_unprivileged(c, events, why);
}

/*
 * What ptrace() asks of who is not privileged (ptrace_may_access() is not exported):
 * the same user, throughout; no more capabilities than the caller's; a program that
 * its user may look at.
 */
static bool knc_same_rights(struct task_struct *task)
{
	const struct cred *own = current_cred();
	const struct cred *its;
	bool same;

	rcu_read_lock();
	its = __task_cred(task);
	same = uid_eq(own->uid, its->euid) && uid_eq(own->uid, its->suid) &&
	       uid_eq(own->uid, its->uid) && gid_eq(own->gid, its->egid) &&
	       gid_eq(own->gid, its->sgid) && gid_eq(own->gid, its->gid) &&
	       knc_compat_same_user_ns(own, its) &&
	       cap_issubset(its->cap_permitted, own->cap_permitted);
	rcu_read_unlock();
	return same && knc_compat_dumpable(task);
}

static bool knc_may_follow(struct task_struct *task)
{
	return same_thread_group(task, current) || perfmon_capable() ||
	       knc_same_rights(task);
}

/*
 * A task is held by its pid and looked up under RCU: MPSS's kernel exports nothing that
 * lets go of the task itself.
 */
static inline struct task_struct *knc_task_of(struct pid *pid)
{
	return pid_task(pid, PIDTYPE_PID);
}

/**
 * knc_follow_find() - a task that the caller may follow
 * @pid: in the caller's pid namespace; 0: the caller
 * @why: where to tell the reason of a refusal
 *
 * Return: its pid, which put_pid() is to be called for, or an error pointer:
 * -ESRCH or -EPERM.
 */
struct pid *knc_follow_find(s32 pid, struct knc_refusal *why)
{
	struct task_struct *task;
	struct pid *found;

	rcu_read_lock();
	found = get_pid(pid ? find_vpid(pid) : task_pid(current));
	task = found ? knc_task_of(found) : NULL;
	if (!task || task->flags & (PF_KTHREAD | PF_EXITING))
		why->reason = KNC_PMU_REASON_TASK_NONE;
	else if (!knc_may_follow(task))
		why->reason = KNC_PMU_REASON_TASK_DENIED;
	rcu_read_unlock();
	if (why->reason == KNC_PMU_REASON_NONE)
		return found;
	put_pid(found);
	return ERR_PTR(why->reason == KNC_PMU_REASON_TASK_NONE ? -ESRCH : -EPERM);
}

/* Who has what */

/* A claim of the oldest session that has it for its tasks, or NULL */
const struct knc_claim *knc_follow_holder(unsigned int counter)
{
	const struct knc_follow *f;

	list_for_each_entry(f, &knc_follows, node)
		if (f->cntrs & 1u << counter)
			return &f->claim;
	return NULL;
}

/* Likewise: that lets SPFLT control one */
const struct knc_claim *knc_follow_spflt(void)
{
	const struct knc_follow *f;

	list_for_each_entry(f, &knc_follows, node)
		if (f->claim.spflt)
			return &f->claim;
	return NULL;
}

/* Under the lock */
static void knc_task_taken(const struct task_struct *task,
			   const struct knc_claim **claims)
{
	struct knc_task *t = knc_task_find(task);
	unsigned int n;

	for (n = 0; t && n < KNC_NR_COUNTERS; n++)
		if (t->target[n] && !claims[n])
			claims[n] = &t->target[n]->follow->claim;
}

/* Under the lock: what CONFIG is about to follow in @process is taken already. */
static void knc_fillings_taken(const struct pid *process,
			       const struct knc_claim **claims)
{
	const struct knc_follow *f;
	unsigned int n;

	list_for_each_entry(f, &knc_fillings, filling)
		for (n = 0; f->process == process && n < KNC_NR_COUNTERS; n++)
			if (f->claim.owned & 1u << n && !claims[n])
				claims[n] = &f->claim;
}

/**
 * knc_follow_taken() - what other sessions have of a task already
 * @pid: the task's
 * @process: ask for all threads of its process
 * @claims: whose each counter is; NULL: nobody's, out
 */
void knc_follow_taken(struct pid *pid, bool process,
		      const struct knc_claim **claims)
{
	struct task_struct *task, *thread;
	unsigned long flags;

	spin_lock_irqsave(&knc_tasks_lock, flags);
	rcu_read_lock();
	task = knc_task_of(pid);
	if (task) {
		knc_task_taken(task, claims);
		knc_fillings_taken(knc_compat_tgid(task), claims);
	}
	if (task && process)
		for_each_thread(task, thread)
			knc_task_taken(thread, claims);
	rcu_read_unlock();
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

/* Life */

/* Its counters must stay the same, and be loaded for nothing else */
static bool knc_page_is_wanted(const struct knc_pmu_config *c,
			       const struct knc_layout *layout)
{
	return c->flags & KNC_PMU_CONFIG_RDPMC && !c->ring_size &&
	       layout->nr_groups == 1 &&
	       !(c->flags & (KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT));
}

/**
 * knc_follow_create() - get ready to follow tasks
 * @c: what CONFIG was asked
 * @layout: the events, in groups
 * @counts: what each of them begins with, filled in before it is attached
 *
 * The caller fills in the claim and calls knc_follow_attach().
 *
 * Return: it, or an error pointer: -ENOMEM; -ENOENT: not with this kernel.
 */
struct knc_follow *knc_follow_create(const struct knc_pmu_config *c,
				     const struct knc_layout *layout,
				     const struct knc_count *counts)
{
	struct knc_follow *f = kzalloc(sizeof(*f), KNC_COMPAT_GFP_ACCOUNT);
	int err = -ENOMEM;

	if (!f)
		return ERR_PTR(err);
	f->flags = c->flags;
	f->layout = layout;
	f->counts = counts;
	f->privileged = perfmon_capable();
	INIT_LIST_HEAD(&f->targets);
	INIT_LIST_HEAD(&f->node);
	INIT_LIST_HEAD(&f->filling);
	if (!zalloc_cpumask_var(&f->cpus, KNC_COMPAT_GFP_ACCOUNT))
		goto err_follow;
	if (knc_page_is_wanted(c, layout)) {
		f->page = knc_compat_valloc(PAGE_SIZE);
		if (!f->page)
			goto err_cpus;
		f->page->seq = 1;
		f->page->tsc_khz = tsc_khz;
	}
	err = knc_probes_get();
	if (!err)
		return f;
	vfree(f->page);
err_cpus:
	free_cpumask_var(f->cpus);
err_follow:
	kfree(f);
	return ERR_PTR(err);
}

/* Of one that is detached, or was never attached */
void knc_follow_destroy(struct knc_follow *f)
{
	knc_probes_put();
	vfree(f->page);
	kfree(f->samplers);
	free_cpumask_var(f->cpus);
	put_pid(f->process);
	kfree(f);
}

/*
 * Under the lock and RCU: follow @task, and add to @f->cpus where it may run; if it is
 * switched to from now on it is known where. 0 or an errno: then @target is not linked,
 * or is but may not be.
 */
static int knc_follow_link(struct knc_follow *f, struct knc_target *target,
			   struct task_struct *task)
{
	int err;

	/* the program that is waited for may have been executed already */
	target->claim.started = f->started;
	err = knc_target_link(target, task); /* with a full barrier */
	cpumask_set_cpu(task_cpu(task), f->cpus);
	/* it may have executed a program just before it could be told from others */
	if (!err && !f->privileged && !knc_may_follow(task))
		return -EPERM;
	return err;
}

/* What could not be linked may be on counters until this has been done. */
static void knc_follow_linked(struct knc_follow *f, struct list_head *ended)
{
	struct knc_target *target, *next;

	on_each_cpu_mask(f->cpus, knc_sync_here, NULL, true);
	list_for_each_entry_safe(target, next, ended, node)
		knc_target_free(target);
}

/* Under the lock: all threads of @task's process are to be followed. */
static void knc_fill_begin(struct knc_follow *f, struct task_struct *task)
{
	f->process = get_pid(knc_compat_tgid(task));
	if (!f->process)
		return;
	list_add_tail(&f->filling, &knc_fillings);
	WRITE_ONCE(knc_nr_fillings, knc_nr_fillings + 1);
}

/* Under the lock */
static void knc_fill_end(struct knc_follow *f)
{
	if (list_empty(&f->filling))
		return;
	list_del_init(&f->filling);
	WRITE_ONCE(knc_nr_fillings, knc_nr_fillings - 1);
}

/* The task that CONFIG named */
static int knc_follow_first(struct knc_follow *f, struct pid *pid)
{
	struct knc_target *target = knc_target_alloc(f, KNC_COMPAT_GFP_ACCOUNT);
	struct task_struct *task;
	unsigned long flags;
	LIST_HEAD(ended);
	int err = -ESRCH;

	if (!target)
		return -ENOMEM;
	cpumask_clear(f->cpus);
	spin_lock_irqsave(&knc_tasks_lock, flags);
	rcu_read_lock();
	task = knc_task_of(pid);
	if (task) {
		f->first = task;
		err = knc_follow_link(f, target, task);
	}
	if (!err && f->flags & KNC_PMU_CONFIG_PROCESS)
		knc_fill_begin(f, task);
	if (err && err != -EPERM)
		list_add(&target->node, &ended);
	rcu_read_unlock();
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
	knc_follow_linked(f, &ended);
	return err;
}

static bool knc_thread_is_missing(const struct knc_follow *f,
				  const struct task_struct *thread)
{
	return !(thread->flags & PF_EXITING) && !knc_task_has(f, thread);
}

/* How many threads are not followed yet, up to @max; 0: new ones aren't any more. */
static unsigned int knc_threads_missing(struct knc_follow *f, unsigned int max)
{
	struct task_struct *task, *thread;
	unsigned int nr = 0;
	unsigned long flags;

	spin_lock_irqsave(&knc_tasks_lock, flags);
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
		knc_fill_end(f);
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
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

/* Follow as many threads as there are @targets for; the others remain there. */
static int knc_threads_link(struct knc_follow *f, struct list_head *targets)
{
	struct task_struct *task, *thread;
	struct knc_target *target;
	unsigned long flags;
	LIST_HEAD(ended);
	int err = 0;

	cpumask_clear(f->cpus);
	spin_lock_irqsave(&knc_tasks_lock, flags);
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
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
	knc_follow_linked(f, &ended);
	return err;
}

static int knc_follow_fill_some(struct knc_follow *f, unsigned int nr)
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
 * knc_follow_fill() - with PROCESS: follow the other threads of the process
 * @f: what was attached
 *
 * Without the hotplug lock and knc_claims_lock, which others wait for. It ends however
 * many threads the process creates meanwhile: they are followed from their beginning.
 *
 * Return: 0; else knc_follow_detach() follows: -ENOMEM; -EPERM: a thread has executed
 * a program that is not the caller's; -EBUSY: one was created before and is another
 * session's; -EINTR: the caller is being killed.
 */
int knc_follow_fill(struct knc_follow *f)
{
	unsigned int nr, max = KNC_SOME_THREADS;
	int err = 0;

	if (!(f->flags & KNC_PMU_CONFIG_PROCESS))
		return 0;
	do {
		nr = knc_threads_missing(f, max);
		if (nr)
			err = knc_follow_fill_some(f, nr);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		max = min(2 * max, (unsigned int)KNC_MANY_THREADS);
		cond_resched();
	} while (nr && !err);
	return err;
}

static void knc_share_here(void *unused)
{
	knc_hwthread_share(this_cpu_ptr(&knc_hwthreads));
}

static void knc_unshare_here(void *unused)
{
	knc_hwthread_unshare(this_cpu_ptr(&knc_hwthreads));
}

/* The hotplug lock is held. */
static void knc_share_all(bool share)
{
	struct knc_hwthread *hw;
	unsigned int cpu;

	on_each_cpu(share ? knc_share_here : knc_unshare_here, NULL, true);
	for_each_possible_cpu(cpu) {
		hw = knc_hwthread_of(cpu);
		if (hw->online)
			continue;
		if (share)
			knc_hwthread_share(hw);
		else
			knc_hwthread_unshare(hw);
	}
}

/**
 * knc_follow_attach() - follow a task; with PROCESS, knc_follow_fill() is next
 * @f: what to count; the hotplug lock and knc_claims_lock are held
 * @pid: the task's
 *
 * Return: 0; -ENOMEM; -ESRCH: it ends; -EPERM: it has executed a program that is not
 * the caller's; -EBUSY: it was created meanwhile and is another session's.
 */
int knc_follow_attach(struct knc_follow *f, struct pid *pid)
{
	int err;

	if (list_empty(&knc_follows))
		knc_share_all(true);
	list_add_tail(&f->node, &knc_follows);
	err = knc_follow_first(f, pid);
	if (err)
		knc_follow_detach(f);
	return err;
}

/* Follow nobody any more; what was counted is kept if @keep. */
static void knc_follow_unlink(struct knc_follow *f, bool keep)
{
	struct knc_target *target, *next;
	struct knc_task *t;

	cpumask_clear(f->cpus);
	rcu_read_lock();
	spin_lock(&knc_tasks_lock);
	knc_fill_end(f);
	list_for_each_entry(target, &f->targets, node) {
		t = target->task;
		knc_target_unlink(target);
		smp_mb(); /* with knc_task_in() */
		knc_task_where(t, f->cpus);
	}
	spin_unlock(&knc_tasks_lock);
	rcu_read_unlock();
	on_each_cpu_mask(f->cpus, knc_sync_here, NULL, true);
	list_for_each_entry_safe(target, next, &f->targets, node) {
		if (keep)
			knc_target_keep(target);
		list_del(&target->node);
		knc_target_free(target);
	}
	f->nr_targets = 0;
	f->first = NULL;
	list_del(&f->node);
	if (list_empty(&knc_follows))
		knc_share_all(false);
}

/**
 * knc_follow_detach() - follow nobody any more
 * @f: what was attached; the hotplug lock and knc_claims_lock are held
 */
void knc_follow_detach(struct knc_follow *f)
{
	knc_follow_unlink(f, false);
}

/* Commands; the session's lock is held */

/* Returns whether it was started. */
static bool knc_follow_switch(struct knc_follow *f, bool started)
{
	bool was, own;

	spin_lock(&knc_tasks_lock);
	was = f->started;
	own = knc_follow_is_own(f);
	knc_set_started(f, started);
	if (!own)
		knc_follow_where(f);
	spin_unlock(&knc_tasks_lock);
	knc_sync(f, own);
	return was;
}

/* Begin to count. */
void knc_follow_start(struct knc_follow *f)
{
	knc_follow_switch(f, true);
}

static void knc_flush_here(void *info)
{
	const struct knc_follow *f = info;
	struct knc_sampler *s = f->samplers[smp_processor_id()];

	if (!s->claim)
		knc_ring_flush(&s->ring);
}

static void knc_follow_settle(struct knc_follow *f)
{
	struct knc_target *target;
	unsigned long flags;

	spin_lock_irqsave(&knc_tasks_lock, flags);
	list_for_each_entry(target, &f->targets, node)
		if (!target->claim.started && !target->running)
			knc_sampler_settle(knc_sampler_here(target),
					   &target->claim);
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

/* Cease to count; what was lost is told, where there is room. */
void knc_follow_stop(struct knc_follow *f)
{
	unsigned int cpu;

	knc_follow_switch(f, false);
	if (!f->samplers)
		return;
	knc_follow_settle(f);
	cpumask_clear(f->cpus);
	for_each_possible_cpu(cpu)
		if (READ_ONCE(f->samplers[cpu]->ring.pending.samples))
			cpumask_set_cpu(cpu, f->cpus);
	on_each_cpu_mask(f->cpus, knc_flush_here, f, true);
}

/**
 * knc_follow_evict() - follow nobody any more; what was counted can still be read
 * @f: what was attached; the hotplug lock, knc_claims_lock and the session's are held
 */
void knc_follow_evict(struct knc_follow *f)
{
	spin_lock(&knc_tasks_lock);
	/* what ON_EXEC waits for starts it no more */
	f->executed = true;
	spin_unlock(&knc_tasks_lock);
	knc_follow_stop(f);
	knc_follow_unlink(f, true);
	f->evicted = true;
}

static void knc_target_reset(struct knc_target *target)
{
	unsigned int i;

	target->ticks = 0;
	for (i = 0; i < target->claim.nr; i++) {
		/* the rate at which samples come does not begin anew */
		target->claim.count[i].adapted -= target->claim.count[i].total;
		target->claim.count[i].total = 0;
	}
	if (target->claim.set)
		knc_set_reset(&target->claim);
}

/* Returns false if it has been started meanwhile: what it waited for is executed. */
static bool knc_follow_reset_stopped(struct knc_follow *f)
{
	struct knc_target *target;
	bool stopped;

	spin_lock(&knc_tasks_lock);
	stopped = !f->started;
	if (stopped) {
		list_for_each_entry(target, &f->targets, node)
			knc_target_reset(target);
		memset(f->gone, 0, sizeof(f->gone));
		memset(f->gone_running, 0, sizeof(f->gone_running));
		f->gone_ticks = 0;
	}
	spin_unlock(&knc_tasks_lock);
	return stopped;
}

/* Counts and times to 0; nothing is counted while that is done */
void knc_follow_reset(struct knc_follow *f)
{
	bool started = false;

	do {
		started |= knc_follow_switch(f, false);
	} while (!knc_follow_reset_stopped(f));
	if (started)
		knc_follow_switch(f, true);
}

/**
 * struct knc_sum - counts of tasks
 * @value: for each event
 * @running: for how long each was counted if they take turns, time stamp counter ticks
 * @ticks: how long they were counted
 */
struct knc_sum {
	u64 value[KNC_PMU_MAX_SET];
	u64 running[KNC_PMU_MAX_SET];
	u64 ticks;
};

static void knc_sum_gone(struct knc_sum *sum, const struct knc_follow *f)
{
	memcpy(sum->value, f->gone, sizeof(sum->value));
	memcpy(sum->running, f->gone_running, sizeof(sum->running));
	sum->ticks = f->gone_ticks;
}

static void knc_sum_add(struct knc_sum *sum, const struct knc_target *target)
{
	knc_target_sum(target, sum->value, sum->running);
	sum->ticks += target->ticks;
}

/* When: CLOCK_MONOTONIC, ns; 0: no times are told */
static inline u64 knc_sum_now(bool timed)
{
	return timed ? ktime_get_ns() : 0;
}

/* @now: of knc_sum_now() */
static void knc_sum_tell(const struct knc_sum *sum, const struct knc_follow *f,
			 struct knc_pmu_thread *record, u64 now)
{
	unsigned int i, nr = f->layout->nr_events;
	u64 *values = record->value;

	memcpy(values, sum->value, nr * sizeof(*values));
	for (i = 0; f->layout->nr_groups > 1 && i < nr; i++)
		values[nr + i] = knc_ticks_to_ns(sum->running[i]);
	record->cpu = KNC_PMU_NO_CPU;
	record->flags = 0;
	record->tsc = 0;
	record->time = now;
	record->time_enabled = now ? knc_ticks_to_ns(sum->ticks) : 0;
	record->time_running = record->time_enabled;
	if (unlikely(f->evicted))
		record->flags |= KNC_PMU_THREAD_EVICTED;
	else if (!f->nr_targets)
		record->flags |= KNC_PMU_THREAD_ENDED;
	if (f->partial)
		record->flags |= KNC_PMU_THREAD_PARTIAL;
}

/* Bring up to date what runs; its own task's in any case under the lock, see below */
static void knc_follow_fold(struct knc_follow *f)
{
	if (knc_follow_is_own(f) || !READ_ONCE(f->started))
		return;
	spin_lock(&knc_tasks_lock);
	knc_follow_where(f);
	spin_unlock(&knc_tasks_lock);
	on_each_cpu_mask(f->cpus, knc_fold_here, f, true);
}

static void knc_follow_fold_own(struct knc_follow *f)
{
	unsigned long flags;

	local_irq_save(flags);
	knc_fold_here(f);
	local_irq_restore(flags);
}

/**
 * knc_follow_read() - what all tasks together have counted
 * @f: whose
 * @record: where to put it; with several groups KNC_PMU_SET_SIZE bytes
 * @timed: with times; the clock and their units cost as much as all the rest
 *
 * What a task that runs elsewhere counts is brought up to date there; one that is on
 * its way from one hardware thread to another was, when it left.
 */
void knc_follow_read(struct knc_follow *f, struct knc_pmu_thread *record,
		     bool timed)
{
	struct knc_target *target;
	struct knc_sum sum;

	knc_follow_fold(f);
	spin_lock(&knc_tasks_lock);
	knc_follow_fold_own(f);
	knc_sum_gone(&sum, f);
	list_for_each_entry(target, &f->targets, node)
		knc_sum_add(&sum, target);
	knc_sum_tell(&sum, f, record, knc_sum_now(timed));
	spin_unlock(&knc_tasks_lock);
}

/* Under the lock: returns the records that are written; -ENOSPC: there are more. */
static long knc_follow_tell_tasks(const struct knc_follow *f, void *records,
				  unsigned int max, size_t record_size, u64 now)
{
	struct knc_target *target;
	struct knc_pmu_thread *r;
	struct knc_sum sum;
	unsigned int nr = 0;

	if (f->nr_targets >= max)
		return -ENOSPC;
	list_for_each_entry(target, &f->targets, node) {
		r = records + nr++ * record_size;
		memset(&sum, 0, sizeof(sum));
		knc_sum_add(&sum, target);
		knc_sum_tell(&sum, f, r, now);
		/* it is there: else it would not be in the list */
		r->cpu = task_pid_vnr((struct task_struct *)target->task->task);
	}
	knc_sum_gone(&sum, f);
	knc_sum_tell(&sum, f, records + nr++ * record_size, now);
	return nr;
}

/* @max records; -ENOSPC: there are more. */
static long knc_follow_read_some(struct knc_follow *f, void __user *to,
				 unsigned int max, size_t record_size, bool timed)
{
	void *records = kvcalloc(max, record_size, KNC_COMPAT_GFP_ACCOUNT);
	long nr;

	if (!records)
		return -ENOMEM;
	mutex_lock(f->lock);
	knc_follow_fold(f);
	spin_lock(&knc_tasks_lock);
	knc_follow_fold_own(f);
	nr = knc_follow_tell_tasks(f, records, max, record_size,
				   knc_sum_now(timed));
	spin_unlock(&knc_tasks_lock);
	mutex_unlock(f->lock);
	if (nr > 0 && copy_to_user(to, records, nr * record_size))
		nr = -EFAULT;
	kvfree(records);
	return nr;
}

/**
 * knc_follow_read_tasks() - what each task has counted
 * @f: whose; its lock is not held: memory of the caller may keep it waiting
 * @to: where to put it
 * @size: bytes of room there
 * @record_size: bytes of a record
 * @timed: with times
 *
 * Return: the number of records; -ENOSPC, -ENOMEM or -EFAULT.
 */
long knc_follow_read_tasks(struct knc_follow *f, void __user *to, u64 size,
			   size_t record_size, bool timed)
{
	unsigned int room = min_t(u64, div_u64(size, record_size), INT_MAX);
	unsigned int max, more = KNC_SOME_THREADS;
	long nr;

	do {
		/* tasks may be created until the lock is held */
		max = min(READ_ONCE(f->nr_targets) + more, room);
		more *= 2;
		nr = max ? knc_follow_read_some(f, to, max, record_size, timed) :
			   -ENOSPC;
	} while (nr == -ENOSPC && max < room);
	return nr;
}

/**
 * knc_follow_mmap() - map the self-monitoring page
 * @f: whose
 * @vma: where; of the right length
 *
 * Return: 0; -EINVAL: there is none; -EPERM: it can't be written.
 */
int knc_follow_mmap(struct knc_follow *f, struct vm_area_struct *vma)
{
	if (!f->page)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	knc_compat_vma_private(vma);
	return knc_compat_map(vma, f->page);
}
