/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDPMC when the counters are taken over from perf
 */
#ifndef KNC_PMU_TAKEOVER_H
#define KNC_PMU_TAKEOVER_H

#include <linux/types.h>

struct mm_struct;

void knc_rdpmc_takeover(void);
void knc_rdpmc_takeover_here(void);
bool knc_takeover_saw_rdpmc(void);
void knc_takeover_init(struct mm_struct *loader);
void knc_takeover_exit(void);

#endif /* KNC_PMU_TAKEOVER_H */
