/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes by which children inherit permissions for RDPMC
 */
#ifndef KNC_PMU_FORKS_H
#define KNC_PMU_FORKS_H

#include <linux/types.h>

int knc_rdpmc_prepare(bool wanted);
/* Does the probe of forks set each child's permissions? */
bool knc_forks_are_watched(void);
void knc_forks_exit(void);

#endif /* KNC_PMU_FORKS_H */
