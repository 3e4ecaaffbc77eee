/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may execute RDPMC in ring 3
 */
#ifndef KNC_PMU_RDPMC_H
#define KNC_PMU_RDPMC_H

#include <linux/types.h>

#include <knc_pmu.h>

struct pid;

int knc_rdpmc_prepare(void);
int knc_rdpmc_grant(const void *owner, struct pid *pid);
int knc_rdpmc_grant_exec(const void *owner, struct pid *pid);
void knc_rdpmc_revoke(const void *owner);
int knc_rdpmc_list(struct knc_pmu_grant __user *to, u64 max);

void knc_rdpmc_exit(void);

#endif /* KNC_PMU_RDPMC_H */
