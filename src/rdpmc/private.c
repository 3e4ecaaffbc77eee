// SPDX-License-Identifier: GPL-2.0
/*
 * Private counts, and RDPMC by an unprivileged session: one process never has both
 *
 * RDPMC reads every counter of the hardware thread. A privileged session may count what the task's
 * user must not see: ring 0, or all threads of the core. These private targets are hashed by the mm
 * of their process. A process with private targets gets no permission from an unprivileged session;
 * a process with such a permission gets no private target.
 *
 * A child by fork has its own mm, and inherits either private targets or permissions. An executed
 * program has a new mm without permissions: the probe of exec moves private targets to this mm
 * before it gives any permission.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "rdpmc/permissions.h"
#include "rdpmc/private.h"

/* Under knc_grants_lock */
static struct hlist_head knc_privates[1 << KNC_MM_BITS];

static struct hlist_head *knc_private_bucket(const struct mm_struct *mm)
{
	return &knc_privates[hash_ptr((void *)mm, KNC_MM_BITS)];
}

/* Does the process with @mm have private targets? */
bool knc_private_has(const struct mm_struct *mm)
{
	struct hlist_node *node;

	for (node = knc_private_bucket(mm)->first; node; node = node->next)
		if (hlist_entry(node, struct knc_private, node)->mm == mm)
			return true;
	return false;
}

/* Under knc_grants_lock: does the process have a permission from an unprivileged session? */
static bool knc_mm_is_reader(const struct mm_struct *mm)
{
	struct knc_grant *g;

	list_for_each_entry(g, knc_grant_bucket(mm), node)
		if (g->mm == mm && !g->from->privileged)
			return true;
	return false;
}

/**
 * knc_private_link() - add a private target, before its task is followed
 * @p: the target's entry
 * @task: the task; if it executes a program meanwhile, the probe of exec calls knc_private_exec()
 *
 * Return: 0; -EACCES: the task's process could read these counts.
 */
int knc_private_link(struct knc_private *p, const struct task_struct *task)
{
	const struct mm_struct *mm;
	unsigned long flags;
	bool reader;

	/* the mm is only compared; a task that ends has none */
	mm = READ_ONCE(task->mm);
	if (!mm)
		return 0;
	spin_lock_irqsave(&knc_grants_lock, flags);
	reader = knc_mm_is_reader(mm);
	if (!reader) {
		p->mm = mm;
		hlist_add_head(&p->node, knc_private_bucket(mm));
	}
	spin_unlock_irqrestore(&knc_grants_lock, flags);
	return reader ? -EACCES : 0;
}

void knc_private_unlink(struct knc_private *p)
{
	unsigned long flags;

	spin_lock_irqsave(&knc_grants_lock, flags);
	hlist_del_init(&p->node);
	spin_unlock_irqrestore(&knc_grants_lock, flags);
}

/* The calling task has executed a program: move its private target to the new mm. */
void knc_private_exec(struct knc_private *p)
{
	knc_private_unlink(p);
	/* can't fail: the new mm has no permission yet */
	knc_private_link(p, current);
}
