// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions for RDPMC: allocate, link, count
 *
 * A permission belongs to an mm. Since Linux 4.0 the kernel sets CR4.PCE when it switches to an mm
 * whose counter (perf_rdpmc_allowed) is not 0, and clears it when it switches to another. Therefore
 * we only change the counter, and make the CPUs that use the mm switch. We don't write CR4: the
 * kernel keeps a copy of CR4, and would not clear a bit that it did not set. Before 4.0 the kernel
 * never touches the bit: our probe of the context switch writes it.
 */
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "rdpmc/permissions.h"

struct list_head knc_mm_grants[1 << KNC_MM_BITS];
unsigned int knc_nr_grants;
unsigned int knc_nr_shared;
DEFINE_SPINLOCK(knc_grants_lock);

struct knc_grant *knc_grant_alloc(struct mm_struct *mm, gfp_t gfp)
{
	struct knc_grant *g = kzalloc(sizeof(*g), gfp);

	if (!g)
		return NULL;
	g->mm = mm;
	mmgrab(mm);
	return g;
}

/* A callback of RCU, because listing.c reads the pid under RCU. */
static void knc_grant_rcu(struct rcu_head *rcu)
{
	struct knc_grant *g = container_of(rcu, struct knc_grant, rcu);

	put_pid(g->pid);
	kfree(g);
}

/* Under knc_grants_lock: drop a reference; returns @user if the caller has to free it, else NULL */
struct knc_grant_user *knc_grant_user_put(struct knc_grant_user *user)
{
	if (--user->refs)
		return NULL;
	list_del(&user->node);
	return user;
}

void knc_grant_free(struct knc_grant *g)
{
	struct knc_grant_user *unused = NULL;
	unsigned long flags;

	if (g->payer) {
		spin_lock_irqsave(&knc_grants_lock, flags);
		unused = knc_grant_user_put(g->payer);
		spin_unlock_irqrestore(&knc_grants_lock, flags);
	}
	kfree(unused);
	mmdrop(g->mm);
	call_rcu(&g->rcu, knc_grant_rcu);
}

void knc_grants_free(struct list_head *grants)
{
	struct knc_grant *g, *next;

	list_for_each_entry_safe(g, next, grants, session)
		knc_grant_free(g);
}

/*
 * Under knc_grants_lock: the number of permissions of one mm. knc_grant_link_new() limits it to
 * KNC_PMU_MAX_GRANTS, because each fork copies them.
 */
unsigned int knc_grant_nr(const struct mm_struct *mm)
{
	struct knc_grant *g;
	unsigned int nr = 0;

	list_for_each_entry(g, knc_grant_bucket(mm), node)
		nr += g->mm == mm;
	return nr;
}

/* Under knc_grants_lock, as knc_grant_unlink(); @shared: it counts against the share of @payer */
void knc_grant_link(struct knc_grant *g, struct knc_grantor *from,
		    struct knc_grant_user *payer, bool shared)
{
	g->from = from;
	g->payer = payer;
	g->shared = shared;
	g->pid = get_pid(from->pid);
	list_add_rcu(&g->node, knc_grant_bucket(g->mm));
	list_add(&g->session, &from->grants);
	list_add_tail(&g->user, &payer->grants);
	payer->refs++;
	payer->nr++;
	knc_nr_grants++;
	if (!shared)
		return;
	payer->nr_shared++;
	knc_nr_shared++;
}

void knc_grant_unlink(struct knc_grant *g, struct list_head *gone)
{
	list_del_rcu(&g->node);
	list_move(&g->session, gone);
	list_del(&g->user);
	g->payer->nr--;
	knc_nr_grants--;
	if (!g->shared)
		return;
	g->payer->nr_shared--;
	knc_nr_shared--;
}

/**
 * knc_permissions_mm() - the mm of a process, if it meets a condition
 * @p: the process, under RCU
 * @fn: the condition; the mm is not freed during the call
 *
 * All threads share the mm. Exiting threads have none, and the first thread may have ended before
 * others: therefore the first thread with an mm is taken.
 *
 * Return: the mm, only to be compared; NULL: there is none, or @fn has returned false.
 */
const struct mm_struct *knc_permissions_mm(struct task_struct *p, bool (*fn)(struct mm_struct *mm))
{
	struct mm_struct *mm = NULL;
	struct task_struct *t;
	bool found = false;

	for_each_thread(p, t) {
		task_lock(t);
		mm = t->mm;
		found = mm && fn(mm);
		task_unlock(t);
		if (mm)
			break;
	}
	return found ? mm : NULL;
}

void knc_permissions_init_buckets(struct list_head *buckets, unsigned int nr)
{
	while (nr--)
		INIT_LIST_HEAD(&buckets[nr]);
}

void knc_grant_init(void)
{
	knc_permissions_init_buckets(knc_mm_grants, ARRAY_SIZE(knc_mm_grants));
}
