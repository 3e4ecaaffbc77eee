/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking the counters over from perf: its permissions for RDPMC are revoked
 */
#ifndef KNC_PMU_PERF_H
#define KNC_PMU_PERF_H

#include <linux/types.h>

struct cpumask;
struct mm_struct;

bool knc_takeover_is_prepared(void);
void knc_takeover_prepare(void);
void knc_takeover_begin(void);
unsigned int knc_takeover(const struct cpumask *cpus);
void knc_takeover_here(unsigned int cpu);
void knc_takeover_offline(unsigned int cpu);
bool knc_takeover_saw_rdpmc(void);
void knc_takeover_init(struct mm_struct *loader);
void knc_takeover_exit(void);

#endif /* KNC_PMU_PERF_H */
