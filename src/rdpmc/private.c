// SPDX-License-Identifier: GPL-2.0
/*
 * Counts that a task's user may not see, and RDPMC: one process never has both
 *
 * RDPMC reads each counter that is on the hardware thread. A privileged session may count what a
 * task's user may not: ring 0, or all threads of the core. Such targets are hashed by the memory of
 * their process. It gets no permission from an unprivileged session, and while it has one such
 * targets are refused.
 *
 * A child by fork has memory of its own, and inherits either such targets or such permissions. A
 * program that is executed has new memory without permissions: the probe of exec puts the target
 * there before it gives any.
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

/* Has a process with @mm counts that its user may not see? */
bool knc_private_has(const struct mm_struct *mm)
{
	struct hlist_node *node;

	for (node = knc_private_bucket(mm)->first; node; node = node->next)
		if (hlist_entry(node, struct knc_private, node)->mm == mm)
			return true;
	return false;
}

/* Under knc_grants_lock: may it execute RDPMC because of an unprivileged session? */
static bool knc_mm_is_reader(const struct mm_struct *mm)
{
	struct knc_grant *g;

	list_for_each_entry(g, knc_mm_bucket(mm), node)
		if (g->mm == mm && !g->from->privileged)
			return true;
	return false;
}

/**
 * knc_private_link() - before a task is followed
 * @p: what its counts have here
 * @task: the task, which may be about to execute a program: its probe calls knc_private_exec()
 *
 * Return: 0; -EACCES: the task's process could read these counts.
 */
int knc_private_link(struct knc_private *p, const struct task_struct *task)
{
	const struct mm_struct *mm;
	unsigned long flags;
	bool reader;

	/* only compared; a task that ends has none */
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

/* The caller, whose counts these are, has executed a program. */
void knc_private_exec(struct knc_private *p)
{
	knc_private_unlink(p);
	/* new memory has no permission yet */
	knc_private_link(p, current);
}
