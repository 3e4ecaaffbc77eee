/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rate of each hardware thread's time stamp counter
 */
#ifndef KNC_PMU_TSC_RATE_H
#define KNC_PMU_TSC_RATE_H

#include <linux/types.h>

bool knc_tsc_rate_measure(void);

void knc_tsc_rates_get(void);
void knc_tsc_rates_put(void);
void knc_tsc_rate_online(unsigned int cpu);
void knc_tsc_rate_offline(unsigned int cpu);

#endif /* KNC_PMU_TSC_RATE_H */
