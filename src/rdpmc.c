// SPDX-License-Identifier: GPL-2.0
/*
 * Who may execute RDPMC in ring 3
 *
 * A permission is a process's: its memory's (mm). Since Linux 4.0 the kernel sets
 * CR4.PCE when it switches to memory with a counter that is not 0, and clears it
 * when it switches to other memory; so that counter is all that is changed here, and
 * where the memory is in use the kernel is made to switch. CR4 itself is not
 * written: the kernel has a copy of it, by which it would not clear a bit again that
 * it did not set. Before 4.0 nothing touches the bit, and it is switched here.
 *
 * A process that forks gives the counter to its child, with all that it holds; a
 * program that is executed begins with 0.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "hw.h"
#include "rdpmc.h"

/**
 * struct knc_grant - one process has the permission of one session
 * @node: in knc_grants
 * @gone: of those that are not there any more
 * @owner: the session; never followed here
 * @pid: who configured it
 * @mm: the process's memory; not in use any more if the process has ended
 * @rcu: frees it
 */
struct knc_grant {
	struct list_head node;
	struct list_head gone;
	const void *owner;
	struct pid *pid;
	struct mm_struct *mm;
	struct rcu_head rcu;
};

/* Written under the lock; knc_rdpmc_switch() reads without */
static LIST_HEAD(knc_grants);
static unsigned int knc_nr_grants;
static DEFINE_SPINLOCK(knc_grants_lock);

/* The probes remain from the first use on: a fork may be under way at the last */
static DEFINE_MUTEX(knc_probes_lock);
static bool knc_probes;

static struct knc_grant *knc_grant_alloc(const void *owner, struct pid *pid,
					 struct mm_struct *mm, gfp_t gfp)
{
	struct knc_grant *g = kzalloc(sizeof(*g), gfp);

	if (!g)
		return NULL;
	g->owner = owner;
	g->pid = get_pid(pid);
	g->mm = mm;
	mmgrab(mm);
	return g;
}

/* Who lists them looks at the pid. */
static void knc_grant_rcu(struct rcu_head *rcu)
{
	struct knc_grant *g = container_of(rcu, struct knc_grant, rcu);

	put_pid(g->pid);
	kfree(g);
}

static void knc_grant_free(struct knc_grant *g)
{
	mmdrop(g->mm);
	call_rcu(&g->rcu, knc_grant_rcu);
}

static void knc_grants_free(struct list_head *grants)
{
	struct knc_grant *g, *next;

	list_for_each_entry_safe(g, next, grants, gone)
		knc_grant_free(g);
}

/*
 * Under the lock: what is to be done at every fork is bounded, by how many there are in
 * all as well. Sessions of one process that need the permission are few.
 */
static unsigned int knc_mm_grants(const struct mm_struct *mm)
{
	struct knc_grant *g;
	unsigned int nr = 0;

	list_for_each_entry(g, &knc_grants, node)
		nr += g->mm == mm;
	return nr;
}

/* Under the lock */

static void knc_grant_link(struct knc_grant *g)
{
	list_add_rcu(&g->node, &knc_grants);
	knc_nr_grants++;
}

static void knc_grant_unlink(struct knc_grant *g, struct list_head *gone)
{
	list_del_rcu(&g->node);
	list_add(&g->gone, gone);
	knc_nr_grants--;
}

/* Those of processes that have ended go to @dead. */
static void knc_grants_prune(struct list_head *dead)
{
	struct knc_grant *g, *next;

	list_for_each_entry_safe(g, next, &knc_grants, node) {
		if (atomic_read(&g->mm->mm_users))
			continue;
		knc_grant_unlink(g, dead);
	}
}

static int knc_grant_add(struct knc_grant *g)
{
	unsigned long flags;
	LIST_HEAD(dead);
	int err = -EMFILE;

	spin_lock_irqsave(&knc_grants_lock, flags);
	knc_grants_prune(&dead);
	if (knc_nr_grants >= KNC_PMU_MAX_ALL_GRANTS) {
		err = -ENFILE;
	} else if (knc_mm_grants(g->mm) < KNC_PMU_MAX_GRANTS) {
		err = 0;
		knc_grant_link(g);
		if (KNC_COMPAT_MM_RDPMC)
			atomic_inc(knc_compat_mm_rdpmc(g->mm));
	}
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_grants_free(&dead);
	return err;
}

/* Has @mm, of who runs here, the permission? Where the kernel does not ask itself */
static bool knc_mm_granted(const struct mm_struct *mm)
{
	struct knc_grant *g;
	bool granted = false;

	rcu_read_lock();
	list_for_each_entry_rcu(g, &knc_grants, node)
		granted |= g->mm == mm;
	rcu_read_unlock();
	return granted;
}

static KNC_COMPAT_SWITCH_PROBE(knc_rdpmc_switch, prev, next)
{
	if (next->mm)
		knc_hw_permit_rdpmc(knc_mm_granted(next->mm));
}

static void knc_rdpmc_here(void *unused)
{
	knc_hw_permit_rdpmc(current->mm && knc_mm_granted(current->mm));
}

static void knc_rdpmc_reload(struct mm_struct *mm)
{
	if (KNC_COMPAT_MM_RDPMC)
		knc_compat_mm_reload(mm);
	else
		on_each_cpu(knc_rdpmc_here, NULL, true);
}

/* Else there is no need to look further. */
static bool knc_mm_may_be_granted(struct mm_struct *mm)
{
	return !KNC_COMPAT_MM_RDPMC || atomic_read(knc_compat_mm_rdpmc(mm));
}

/*
 * The child holds what its parent held when its memory was copied: say so, and take
 * away what was taken from the parent meanwhile.
 */
static KNC_COMPAT_FORK_PROBE(knc_rdpmc_fork, parent, child)
{
	struct knc_grant *g, *new;
	unsigned long flags;
	LIST_HEAD(dead);
	int nr = 0;

	if (!child->mm || child->mm == parent->mm ||
	    !knc_mm_may_be_granted(child->mm))
		return;
	spin_lock_irqsave(&knc_grants_lock, flags);
	knc_grants_prune(&dead);
	list_for_each_entry(g, &knc_grants, node) {
		if (g->mm != parent->mm ||
		    knc_nr_grants >= KNC_PMU_MAX_ALL_GRANTS)
			continue;
		new = knc_grant_alloc(g->owner, g->pid, child->mm,
				      KNC_COMPAT_GFP_ATOMIC);
		if (!new)
			continue;
		knc_grant_link(new);
		nr++;
	}
	if (KNC_COMPAT_MM_RDPMC)
		atomic_set(knc_compat_mm_rdpmc(child->mm), nr);
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	knc_grants_free(&dead);
}

static int knc_rdpmc_probe(void)
{
	int err;

	err = knc_compat_probe("sched_process_fork", knc_rdpmc_fork);
	if (err || KNC_COMPAT_MM_RDPMC)
		return err;
	err = knc_compat_probe("sched_switch", knc_rdpmc_switch);
	if (err)
		knc_compat_unprobe("sched_process_fork", knc_rdpmc_fork);
	return err;
}

/**
 * knc_rdpmc_prepare() - before the first permission
 *
 * Return: 0, or a negative errno: this kernel does not tell of forks.
 */
int knc_rdpmc_prepare(void)
{
	int err = 0;

	if (!KNC_COMPAT_RDPMC)
		return -EOPNOTSUPP;
	mutex_lock(&knc_probes_lock);
	if (!knc_probes)
		err = knc_rdpmc_probe();
	knc_probes |= !err;
	mutex_unlock(&knc_probes_lock);
	return err;
}

/**
 * knc_rdpmc_grant() - the calling process may execute RDPMC
 * @owner: the session that this is for
 * @pid: who configured it
 *
 * Return: 0: all its threads can, at once; -ENOMEM; -EMFILE: it has that from too many
 * sessions already; -ENFILE: too many processes have it.
 */
int knc_rdpmc_grant(const void *owner, struct pid *pid)
{
	struct knc_grant *g;
	int err;

	g = knc_grant_alloc(owner, pid, current->mm, KNC_COMPAT_GFP_ACCOUNT);
	if (!g)
		return -ENOMEM;
	err = knc_grant_add(g);
	if (err)
		knc_grant_free(g);
	else
		knc_rdpmc_reload(current->mm);
	return err;
}

static void knc_grant_work(struct callback_head *work)
{
	/* it may have been killed on its way */
	if (current->mm)
		knc_rdpmc_reload(current->mm);
	kfree(work);
	module_put(THIS_MODULE);
}

/**
 * knc_rdpmc_grant_exec() - the program that the caller has just executed may
 * @owner: the session that this is for
 * @pid: who configured it
 *
 * Called by a tracepoint, where nothing can sleep: it takes effect before the
 * program's first instruction all the same.
 *
 * Return: 0, or a negative errno.
 */
int knc_rdpmc_grant_exec(const void *owner, struct pid *pid)
{
	struct callback_head *work;
	struct knc_grant *g;
	int err = -ENOMEM;

	work = kzalloc(sizeof(*work), GFP_ATOMIC);
	if (!work)
		return -ENOMEM;
	g = knc_grant_alloc(owner, pid, current->mm, GFP_ATOMIC);
	if (!g)
		goto err_work;
	/* the session may be closed before its work is done */
	__module_get(THIS_MODULE);
	err = knc_compat_task_work(work, knc_grant_work);
	if (err)
		goto err_grant;
	err = knc_grant_add(g);
	/* if all together have too many the work does no harm */
	if (err)
		knc_grant_free(g);
	return err;

err_grant:
	module_put(THIS_MODULE);
	knc_grant_free(g);
err_work:
	kfree(work);
	return err;
}

/**
 * knc_rdpmc_revoke() - a session ends: its permissions do as well
 * @owner: the session
 *
 * When this returns nobody has one of them any more.
 */
void knc_rdpmc_revoke(const void *owner)
{
	struct knc_grant *g, *next;
	unsigned long flags;
	LIST_HEAD(revoked);

	spin_lock_irqsave(&knc_grants_lock, flags);
	list_for_each_entry_safe(g, next, &knc_grants, node) {
		if (g->owner != owner)
			continue;
		if (KNC_COMPAT_MM_RDPMC)
			atomic_dec(knc_compat_mm_rdpmc(g->mm));
		knc_grant_unlink(g, &revoked);
	}
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	list_for_each_entry(g, &revoked, gone)
		if (atomic_read(&g->mm->mm_users))
			knc_rdpmc_reload(g->mm);
	knc_grants_free(&revoked);
}

/*
 * Whose memory a process uses, if it may be granted; its first thread may have ended
 * before others. Without the lock it might be gone before it is looked at.
 */
static const struct mm_struct *knc_process_mm(struct task_struct *p)
{
	struct mm_struct *mm = NULL;
	struct task_struct *t;
	bool may = false;

	for_each_thread(p, t) {
		task_lock(t);
		mm = t->mm;
		may = mm && knc_mm_may_be_granted(mm);
		task_unlock(t);
		if (mm)
			break;
	}
	return may ? mm : NULL;
}

static bool knc_may_see(struct task_struct *p)
{
	return perfmon_capable() || uid_eq(task_uid(p), current_uid());
}

/* Under RCU: one permission of process @p, or NULL */
static struct knc_grant *knc_grant_of(struct task_struct *p)
{
	const struct mm_struct *mm = knc_process_mm(p);
	struct knc_grant *g;

	if (!mm)
		return NULL;
	list_for_each_entry_rcu(g, &knc_grants, node)
		if (g->mm == mm)
			return g;
	return NULL;
}

/* The next process, in the order of their pids, that can be told of: is there one? */
static bool knc_grant_next(pid_t *last, struct knc_pmu_grant *grant)
{
	struct task_struct *p;
	struct knc_grant *g;
	pid_t pid, best = 0;

	rcu_read_lock();
	for_each_process(p) {
		pid = task_pid_vnr(p);
		if (pid <= *last || (best && pid >= best) ||
		    p->flags & PF_KTHREAD || !knc_may_see(p))
			continue;
		g = knc_grant_of(p);
		if (!g)
			continue;
		best = pid;
		grant->pid = pid;
		grant->session_pid = pid_vnr(g->pid);
	}
	rcu_read_unlock();
	*last = best;
	return best;
}

/**
 * knc_rdpmc_list() - who may execute RDPMC, as far as the caller may know
 * @to: where to put it
 * @max: how many there is room for
 *
 * Return: how many there are; -EFAULT; -EINTR: the caller is being killed.
 */
int knc_rdpmc_list(struct knc_pmu_grant __user *to, u64 max)
{
	struct knc_pmu_grant grant;
	pid_t last = 0;
	u64 nr = 0;

	while (knc_grant_next(&last, &grant)) {
		if (nr < max && copy_to_user(&to[nr], &grant, sizeof(grant)))
			return -EFAULT;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		nr++;
	}
	return nr;
}

/* No session is left; but who was about to fork, or switch, may still be. */
void knc_rdpmc_exit(void)
{
	if (!knc_probes)
		return;
	knc_compat_unprobe("sched_process_fork", knc_rdpmc_fork);
	if (!KNC_COMPAT_MM_RDPMC)
		knc_compat_unprobe("sched_switch", knc_rdpmc_switch);
	tracepoint_synchronize_unregister();
}
