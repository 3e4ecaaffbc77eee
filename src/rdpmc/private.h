/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Private counts, which a task's user must not see: the process must not execute RDPMC
 */
#ifndef KNC_PMU_PRIVATE_H
#define KNC_PMU_PRIVATE_H

#include <linux/list.h>
#include <linux/types.h>

struct mm_struct;
struct task_struct;

/**
 * struct knc_private - a target with private counts, which the task's user must not see
 * @node: in a bucket of private.c, by @mm
 * @mm: the memory of the task's process; only compared
 */
struct knc_private {
	struct hlist_node node;
	const struct mm_struct *mm;
};

/* Under knc_tasks_lock */
int knc_private_link(struct knc_private *p, const struct task_struct *task);
void knc_private_unlink(struct knc_private *p);
void knc_private_exec(struct knc_private *p);

/* Under knc_grants_lock */
bool knc_private_has(const struct mm_struct *mm);

#endif /* KNC_PMU_PRIVATE_H */
