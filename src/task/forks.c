// SPDX-License-Identifier: GPL-2.0
/*
 * Children have the permissions for RDPMC of their parents; tracepoints tell of them
 *
 * A process that forks gives the memory's counter to its child, with all that it holds;
 * a program that is executed begins with 0.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "compat/tracepoint.h"
#include "pmu/hw.h"
#include "task/grants.h"
#include "task/permissions.h"

/* The probes remain from the first use on: a fork may be under way at the last */
static DEFINE_MUTEX(knc_probes_lock);
static bool knc_probes;

static KNC_COMPAT_SWITCH_PROBE(knc_rdpmc_switch, prev, next)
{
	if (next->mm)
		knc_hw_permit_rdpmc(knc_mm_granted(next->mm));
}

/* Under the lock: @mm has what @g has, for which there is room. Does it? */
static bool knc_grant_copy(const struct knc_grant *g, struct mm_struct *mm)
{
	struct knc_grant *new = knc_grant_alloc(mm, KNC_COMPAT_GFP_ATOMIC);

	if (new)
		knc_grant_link(new, g->from);
	return new;
}

/* Under the lock. How many; dead ones are all looked for at most once. */
static int knc_grants_copy(const struct mm_struct *from, struct mm_struct *to,
			   struct list_head *dead)
{
	struct knc_grant *g;
	bool full = false;
	int nr = 0;

	list_for_each_entry(g, knc_mm_bucket(from), node) {
		if (g->mm != from || !g->from->forks)
			continue;
		if (full ? knc_grant_room(g->from) :
			   knc_grant_make_room(g->from, dead))
			full = true;
		else
			nr += knc_grant_copy(g, to);
	}
	return nr;
}

/*
 * The child holds what its parent held when its memory was copied: say so, and take
 * away what was taken from the parent meanwhile, or was perf's: its mappings are not
 * copied.
 */
static KNC_COMPAT_FORK_PROBE(knc_rdpmc_fork, parent, child)
{
	unsigned long flags;
	LIST_HEAD(dead);
	int nr;

	if (!child->mm || child->mm == parent->mm ||
	    !knc_mm_may_be_granted(child->mm))
		return;
	spin_lock_irqsave(&knc_grants_lock, flags);
	nr = knc_grants_copy(parent->mm, child->mm, &dead);
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
 * knc_rdpmc_prepare() - before a session
 * @wanted: it is to give permissions
 *
 * What is forked is looked at while others count, too: perf's permissions are copied.
 *
 * Return: 0, or a negative errno: this kernel does not tell of forks.
 */
int knc_rdpmc_prepare(bool wanted)
{
	int err = 0;

	if (!wanted && !KNC_COMPAT_MM_RDPMC)
		return 0;
	mutex_lock(&knc_probes_lock);
	if (!knc_probes)
		err = knc_rdpmc_probe();
	knc_probes |= !err;
	mutex_unlock(&knc_probes_lock);
	return err;
}

/* No session is left; but who was about to fork, or switch, may still be. */
void knc_forks_exit(void)
{
	if (!knc_probes)
		return;
	knc_compat_unprobe("sched_process_fork", knc_rdpmc_fork);
	if (!KNC_COMPAT_MM_RDPMC)
		knc_compat_unprobe("sched_switch", knc_rdpmc_switch);
	tracepoint_synchronize_unregister();
}
