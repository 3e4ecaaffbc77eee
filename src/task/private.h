/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts that a task's user may not see: its process gets no RDPMC
 */
#ifndef KNC_PMU_PRIVATE_H
#define KNC_PMU_PRIVATE_H

#include <linux/types.h>

struct knc_target;
struct mm_struct;
struct task_struct;

/* Under knc_tasks_lock */
int knc_private_link(struct knc_target *target, const struct task_struct *task);
void knc_private_unlink(struct knc_target *target);
void knc_private_exec(struct knc_target *target);

/* Under knc_grants_lock */
bool knc_private_has(const struct mm_struct *mm);

#endif /* KNC_PMU_PRIVATE_H */
