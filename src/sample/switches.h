/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of the context switches of followed tasks
 */
#ifndef KNC_PMU_SWITCHES_H
#define KNC_PMU_SWITCHES_H

#include <linux/types.h>

struct knc_hwthread;
struct knc_sampler;

/* A bit of @leaves of struct knc_hwthread, above those of KNC_PMU_SAMPLE_*, which have 8 bits */
#define KNC_SWITCH_LEAVES	0x100

void knc_switches_out(struct knc_sampler *s, u64 tsc);
void knc_switches_in(struct knc_sampler *s, struct knc_hwthread *hw, u64 tsc);

#endif /* KNC_PMU_SWITCHES_H */
