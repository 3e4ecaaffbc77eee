// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of creation, exec and exit of tasks; registers them and the probe of sched_switch
 */
#include <linux/binfmts.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "compat/probe-types.h"
#include "compat/tracepoint.h"
#include "count/hwthread.h"
#include "count/refresh.h"
#include "pmu/hw.h"
#include "rdpmc/grants.h"
#include "rdpmc/private.h"
#include "sample/sampler.h"
#include "task/target.h"
#include "task/task.h"

/*
 * How long the probes stay registered after the last session. SETTLE of the tools' bench must be
 * longer than this and KNC_PROBES_GRACE together.
 */
#define KNC_PROBES_LINGER	(2 * HZ)
/* Longer than a grace period of RCU, unless a real-time program leaves the kernel no time */
#define KNC_PROBES_GRACE	(HZ / 10)

/* Probes are registered while sessions follow tasks, and a moment longer. */
static void knc_probes_expire(struct work_struct *work);

static DEFINE_MUTEX(knc_probes_lock);
static unsigned int knc_probes_users;
static bool knc_probes_there;
/* The grace period of RCU that began after the last session; valid if @knc_probes_tried */
static unsigned long knc_probes_grace;
static bool knc_probes_tried;
static DECLARE_DELAYED_WORK(knc_probes_work, knc_probes_expire);

/* Does a session follow @task, which is current? Needs no lock. */
static bool knc_is_followed(const struct task_struct *task)
{
	bool followed;

	rcu_read_lock();
	followed = knc_task_find(task);
	rcu_read_unlock();
	return followed;
}

/* A task that no session follows must not wait for knc_tasks_lock. */
static KNC_COMPAT_EXIT_PROBE(knc_task_exit, task)
{
	struct knc_task *t;
	unsigned long flags;
	unsigned int n;

	if (!knc_is_followed(task))
		return;
	spin_lock_irqsave(&knc_tasks_lock, flags);
	for_each_counter(n) {
		/* find it again: the end of its last target frees @t */
		t = knc_task_find(task);
		if (t && t->target[n])
			knc_target_end(t->target[n], true);
	}
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

/* Follow @child too. It begins with its creator's gate, as with its creator's registers. */
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
	if (f->samplers)
		knc_sampler_inherit(claim, &new->claim);
	new->claim.open = claim->open;
	if (claim->gated && knc_target_is_in(hw, target))
		new->claim.open = knc_hw_gate_is_open();
	if (knc_target_link(new, child)) {
		f->partial = true;
		knc_target_free(new);
	}
}

/* @child is already in its process's list of threads, but does not run yet. */
static KNC_COMPAT_CREATE_PROBE(knc_task_create, child)
{
	struct task_struct *creator = current;
	struct knc_target *target;
	struct knc_task *t;
	unsigned long flags;
	unsigned int n;

	smp_mb(); /* pairs with knc_search_some(): @child is listed before knc_searches is read */
	if (!knc_is_followed(creator) &&
	    !(same_thread_group(creator, child) && knc_search_is_on(task_tgid(creator))))
		return;
	spin_lock_irqsave(&knc_tasks_lock, flags);
	t = knc_task_find(creator);
	for_each_counter(n) {
		target = knc_task_target(t, n);
		if (target)
			knc_target_inherit(target, child);
	}
	knc_searches_inherit(creator, child);
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

/* @secret: the task's user may not look at the program that it executes */
static void knc_target_exec(struct knc_target *target, bool secret)
{
	struct knc_follow *f = target->follow;

	if (secret && !f->privileged) {
		f->partial = true;
		knc_target_end(target, false);
		return;
	}
	if (!(f->flags & KNC_PMU_CONFIG_ON_EXEC) || f->executed ||
	    f->first != current)
		return;
	f->executed = true;
	WRITE_ONCE(f->started, true);
	if (f->flags & KNC_PMU_CONFIG_RDPMC &&
	    knc_rdpmc_grant_exec(f))
		f->partial = true;
}

static void knc_task_exec(void *data, struct task_struct *task, pid_t old_pid,
			  struct linux_binprm *bprm)
{
	struct knc_target *target[PMU_MAX_NUMBER];
	struct knc_task *t;
	unsigned long flags;
	unsigned int n;
	bool secret;

	if (!knc_is_followed(task) && !knc_search_is_on(task_tgid(task)))
		return;
	secret = knc_compat_secureexec(bprm) || !knc_compat_dumpable(task);
	spin_lock_irqsave(&knc_tasks_lock, flags);
	if (secret)
		knc_searches_deny(task_tgid(task));
	t = knc_task_find(task);
	/* collect the targets first: if knc_target_exec() ends one, this may free @t */
	for_each_counter(n)
		target[n] = knc_task_target(t, n);
	/* move the private counts first: only after that may a target permit RDPMC */
	for_each_counter(n)
		if (target[n] && target[n]->follow->private)
			knc_private_exec(&target[n]->private);
	for_each_counter(n)
		if (target[n])
			knc_target_exec(target[n], secret);
	knc_switch_sync_here(NULL);
	spin_unlock_irqrestore(&knc_tasks_lock, flags);
}

/*
 * The end of idle: registers may have been lost meanwhile. Check before the next task's claim,
 * which may be kept in these registers, is started.
 */
static void knc_task_idle(void *data, unsigned int state, unsigned int cpu)
{
	unsigned long flags;

	if (state != KNC_COMPAT_IDLE_EXIT)
		return;
	local_irq_save(flags);
	knc_refresh_verify(this_cpu_ptr(&knc_hwthreads));
	local_irq_restore(flags);
}

static const struct knc_compat_probe knc_probes[] = {
	{ "cpu_idle", knc_task_idle },
	{ "sched_process_exit", knc_task_exit },
	{ KNC_COMPAT_CREATE_NAME, knc_task_create },
	{ "sched_switch", knc_task_switch },
	/* the last entry, because kernels without KNC_COMPAT_TASK_WORK register all but it */
	{ "sched_process_exec", knc_task_exec },
};

/* Never called: lets the compiler check the arguments of the probes */
static void __maybe_unused knc_probes_check(void)
{
	KNC_COMPAT_CHECK_PROBE(cpu_idle, knc_task_idle);
	KNC_COMPAT_CHECK_PROBE(sched_process_exit, knc_task_exit);
	KNC_COMPAT_CHECK_CREATE_PROBE(knc_task_create);
	KNC_COMPAT_CHECK_PROBE(sched_switch, knc_task_switch);
	KNC_COMPAT_CHECK_PROBE(sched_process_exec, knc_task_exec);
}

#define KNC_NR_PROBES	(ARRAY_SIZE(knc_probes) - !KNC_COMPAT_TASK_WORK)

int knc_probes_get(void)
{
	int err = 0;

	mutex_lock(&knc_probes_lock);
	if (!knc_probes_there)
		err = knc_compat_probe_all(knc_probes, KNC_NR_PROBES);
	if (!err) {
		knc_probes_there = true;
		knc_probes_users++;
	}
	mutex_unlock(&knc_probes_lock);
	return err;
}

/*
 * Remove the probes later, not for each of many sessions in a row: to enable or disable them, the
 * kernel patches its code, which interrupts all CPUs several times.
 */
void knc_probes_put(void)
{
	mutex_lock(&knc_probes_lock);
	if (!--knc_probes_users) {
		knc_probes_tried = false;
		knc_compat_schedule(&knc_probes_work, KNC_PROBES_LINGER);
	}
	mutex_unlock(&knc_probes_lock);
}

/*
 * CONFIG can register a removed probe again only after a grace period of RCU, which a real-time
 * program may delay for ever. Therefore wait for a grace period first: if it does not end, the
 * probes stay.
 */
static void knc_probes_try_remove(void)
{
	if (knc_probes_tried && knc_compat_rcu_ended(knc_probes_grace)) {
		knc_compat_unprobe_all(knc_probes, KNC_NR_PROBES);
		knc_probes_there = false;
		return;
	}
	if (!knc_probes_tried)
		knc_probes_grace = knc_compat_rcu_begin();
	knc_probes_tried = true;
	knc_compat_schedule(&knc_probes_work, KNC_PROBES_GRACE);
}

static void knc_probes_expire(struct work_struct *work)
{
	mutex_lock(&knc_probes_lock);
	if (!knc_probes_users && knc_probes_there)
		knc_probes_try_remove();
	mutex_unlock(&knc_probes_lock);
}

/* No session is left. */
void knc_probes_exit(void)
{
	cancel_delayed_work_sync(&knc_probes_work);
	if (!knc_probes_users && knc_probes_there) {
		knc_compat_unprobe_all(knc_probes, KNC_NR_PROBES);
		knc_probes_there = false;
	}
	/* waits for running probes of rdpmc/forks.c and host/level-tasks.c too */
	knc_compat_unprobe_wait();
}
