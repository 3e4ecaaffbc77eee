// SPDX-License-Identifier: GPL-2.0
/*
 * Children inherit permissions for RDPMC: the probes of fork and of the context switch
 *
 * fork() copies the mm's counter of permissions, including those of perf. An executed program has a
 * new mm, whose counter is 0.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "compat/tracepoint.h"
#include "pmu/hw.h"
#include "rdpmc/forks.h"
#include "rdpmc/permissions.h"

/* Probes remain until unload: a fork may outlast the last session. */
static DEFINE_MUTEX(knc_rdpmc_probe_lock);
static bool knc_rdpmc_probed;

static KNC_COMPAT_SWITCH_PROBE(knc_rdpmc_switch, prev, next)
{
	if (next->mm)
		knc_hw_permit_rdpmc(knc_grant_exists(next->mm));
}

/**
 * struct knc_heir - a process that gets its creator's permissions
 * @mm: its memory
 * @own: the creator's payer, charged for permissions of privileged sessions if the creator lacks
 *	CAP_PERFMON; NULL: these are free
 * @full: a quota is exhausted: don't look for ended processes again, which takes long
 */
struct knc_heir {
	struct mm_struct *mm;
	struct knc_grant_user *own;
	bool full;
};

/* Under knc_grants_lock: copy @g, if quota and memory allow; returns whether it was copied */
static bool knc_grant_copy(const struct knc_grant *g, struct knc_heir *heir,
			   struct list_head *dead)
{
	bool free = g->from->privileged && !heir->own;
	struct knc_grant_user *payer = g->from->privileged && heir->own ? heir->own :
									  g->from->user;
	struct knc_grant *new;

	if (heir->full ? knc_quota_check(payer, !free) :
			 knc_quota_reclaim(payer, !free, dead)) {
		heir->full = true;
		return false;
	}
	new = knc_grant_alloc(heir->mm, KNC_COMPAT_GFP_ATOMIC);
	if (new)
		knc_grant_link(new, g->from, payer, !free);
	return new;
}

/* Under knc_grants_lock: do children of @mm inherit a permission of a privileged session? */
static bool knc_mm_has_free(const struct mm_struct *mm)
{
	struct knc_grant *g;

	list_for_each_entry(g, knc_grant_bucket(mm), node)
		if (g->mm == mm && g->from->forks && g->from->privileged)
			return true;
	return false;
}

/* Under knc_grants_lock: copy all permissions that children inherit, and return their number. */
static int knc_grants_copy(const struct mm_struct *from, struct knc_heir *heir,
			   struct list_head *dead)
{
	struct knc_grant *g;
	int nr = 0;

	list_for_each_entry(g, knc_grant_bucket(from), node)
		if (g->mm == from && g->from->forks)
			nr += knc_grant_copy(g, heir, dead);
	return nr;
}

/* Find the payer, then knc_grants_copy(). If there is no memory, the child gets no permission. */
static int knc_grants_inherit(const struct mm_struct *from, struct mm_struct *to,
			      struct list_head *dead, struct knc_grant_user **unused)
{
	struct knc_heir heir = { .mm = to };
	int nr;

	*unused = NULL;
	if (knc_mm_has_free(from) && !knc_compat_is_perfmon()) {
		heir.own = knc_grant_user_of_caller();
		if (!heir.own)
			return 0;
	}
	nr = knc_grants_copy(from, &heir, dead);
	if (heir.own)
		*unused = knc_grant_user_put(heir.own);
	return nr;
}

/*
 * The child's counter is a copy of its parent's. Set it to the number of permissions that the child
 * inherits: the copy may include permissions that were revoked since, and those of perf, which
 * belong to mappings that the child does not have.
 */
static void knc_rdpmc_fork(void *data, struct task_struct *parent,
			   struct task_struct *child)
{
	struct knc_grant_user *unused;
	unsigned long flags;
	LIST_HEAD(dead);
	int nr;

	if (!child->mm || child->mm == parent->mm ||
	    !knc_grant_may_exist(child->mm))
		return;
	spin_lock_irqsave(&knc_grants_lock, flags);
	nr = knc_grants_inherit(parent->mm, child->mm, &dead, &unused);
	if (KNC_COMPAT_MM_RDPMC)
		atomic_set(knc_compat_mm_rdpmc(child->mm), nr);
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	kfree(unused);
	knc_grants_free(&dead);
}

static const struct knc_compat_probe knc_rdpmc_probes[] = {
	{ "sched_process_fork", knc_rdpmc_fork },
	/* the last entry: kernels with KNC_COMPAT_MM_RDPMC register all entries but this one */
	{ "sched_switch", knc_rdpmc_switch },
};

#define KNC_NR_RDPMC_PROBES	(ARRAY_SIZE(knc_rdpmc_probes) - !!KNC_COMPAT_MM_RDPMC)

/**
 * knc_rdpmc_prepare() - register the probes before a session
 * @wanted: the session will give permissions
 *
 * If no session gives permissions, the probe of forks still removes copies of perf's permission.
 *
 * Return: 0, or a negative errno: this kernel lacks what RDPMC or a probe
 *	needs.
 */
int knc_rdpmc_prepare(bool wanted)
{
	int err = 0;

	if (!wanted && !KNC_COMPAT_MM_RDPMC)
		return 0;
	mutex_lock(&knc_rdpmc_probe_lock);
	if (!knc_rdpmc_probed)
		err = knc_compat_probe_all(knc_rdpmc_probes, KNC_NR_RDPMC_PROBES);
	if (!err)
		WRITE_ONCE(knc_rdpmc_probed, true);
	mutex_unlock(&knc_rdpmc_probe_lock);
	return err;
}

bool knc_forks_are_watched(void)
{
	return READ_ONCE(knc_rdpmc_probed);
}

/* The module is being removed. There is no session, but probes may still be running. */
void knc_forks_exit(void)
{
	if (knc_rdpmc_probed)
		knc_compat_unprobe_all(knc_rdpmc_probes, KNC_NR_RDPMC_PROBES);
}
