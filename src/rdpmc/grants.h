/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Permissions to execute RDPMC in ring 3: declarations for sessions and for the probe of exec
 */
#ifndef KNC_PMU_GRANTS_H
#define KNC_PMU_GRANTS_H

#include <linux/types.h>

#include <knc_pmu.h>

struct mm_struct;
struct pid;

/* grants.c */
int knc_rdpmc_open(const void *owner, struct pid *pid, bool forks);
int knc_rdpmc_grant(const void *owner);
int knc_rdpmc_try(const void *owner);
int knc_rdpmc_grant_exec(const void *owner);
void knc_rdpmc_close(const void *owner);
void knc_rdpmc_init(struct mm_struct *loader);
void knc_rdpmc_exit(void);

/* listing.c */
int knc_rdpmc_list(struct knc_pmu_grant **list);

#endif /* KNC_PMU_GRANTS_H */
