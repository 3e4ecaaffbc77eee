/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands that need no configured session: INFO, REGS, OWNER, STATS, GRANTS
 */
#ifndef KNC_PMU_QUERY_H
#define KNC_PMU_QUERY_H

#include <linux/types.h>

#include <knc_pmu.h>

struct knc_room;

long knc_ioctl_info(struct knc_pmu_info __user *arg, unsigned int cmd);
long knc_ioctl_regs(struct knc_pmu_regs __user *arg, unsigned int cmd);
long knc_ioctl_owner(struct knc_pmu_owner __user *arg, unsigned int cmd);
long knc_ioctl_stats(struct knc_pmu_list __user *arg, unsigned int cmd);
long knc_ioctl_grants(struct knc_pmu_list __user *arg, unsigned int cmd);

int knc_query_regs(unsigned int cpu, struct knc_pmu_reg *regs);
int knc_query_stats(const struct knc_room *room);

#endif /* KNC_PMU_QUERY_H */
