/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands that only return information, and need no session: INFO, REGS, OWNER, STATS, GRANTS. For
 * all commands: checks of the number of a PMU
 */
#ifndef KNC_PMU_QUERY_H
#define KNC_PMU_QUERY_H

#include <linux/errno.h>
#include <linux/types.h>

#include "host/host.h"

#include <knc_pmu.h>

/*
 * PMUs of the hardware threads have the numbers 1 to KNC_NR_PMUS; KNC_PMU_DEFAULT means the first
 * one. Each PMU of host/ has a higher number, @id of struct knc_host_pmu
 */
#define KNC_NR_PMUS		1

struct knc_copy_list;

/* Is @id the number of a PMU of the hardware threads, or KNC_PMU_DEFAULT (0)? */
static inline bool knc_query_has_pmu(u32 id)
{
	return id <= KNC_NR_PMUS;
}

/* Check @id for a command that works only on PMUs of hardware threads. Returns 0 or an errno. */
static inline int knc_query_need_counters(u32 id)
{
	if (knc_host_find(id))
		return -EOPNOTSUPP;
	return knc_query_has_pmu(id) ? 0 : -ENODEV;
}

long knc_query_ioctl_info(struct knc_pmu_info __user *arg, unsigned int cmd);
long knc_query_ioctl_regs(struct knc_pmu_regs __user *arg, unsigned int cmd);
long knc_query_ioctl_owner(struct knc_pmu_owner __user *arg, unsigned int cmd);
long knc_query_ioctl_stats(struct knc_pmu_list __user *arg, unsigned int cmd);
long knc_query_ioctl_grants(struct knc_pmu_list __user *arg, unsigned int cmd);

int knc_query_regs(unsigned int cpu, struct knc_pmu_reg *regs);
int knc_query_stats(const struct knc_copy_list *out);

#endif /* KNC_PMU_QUERY_H */
