/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The overflow interrupt (performance-monitoring interrupt, PMI)
 */
#ifndef KNC_PMU_PMI_H
#define KNC_PMU_PMI_H

#include <linux/types.h>

int knc_pmi_init(void);
void knc_pmi_exit(void);
void knc_pmi_online(unsigned int cpu);
void knc_pmi_offline(unsigned int cpu);
bool knc_pmi_is_irq(void);

#endif /* KNC_PMU_PMI_H */
