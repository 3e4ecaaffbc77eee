/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Questions that any file can be asked: INFO, REGS, OWNER, STATS, GRANTS
 */
#ifndef KNC_PMU_QUERY_H
#define KNC_PMU_QUERY_H

#include <linux/types.h>

#include <knc_pmu.h>

long knc_ioctl_info(struct knc_pmu_info __user *arg);
long knc_ioctl_regs(struct knc_pmu_regs __user *arg);
long knc_ioctl_owner(struct knc_pmu_owner __user *arg);
long knc_ioctl_stats(struct knc_pmu_stats_read __user *arg);
long knc_ioctl_grants(struct knc_pmu_grants __user *arg);

int knc_query_regs(struct knc_pmu_regs *regs);
int knc_query_stats(void __user *buffer, u64 size);

#endif /* KNC_PMU_QUERY_H */
