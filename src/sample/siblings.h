/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Overflows of one thread of a core that interrupt another thread
 */
#ifndef KNC_PMU_SIBLINGS_H
#define KNC_PMU_SIBLINGS_H

void knc_pmi_ask(void);
void knc_core_pmis_init(void);
void knc_core_pmis_exit(void);

#endif /* KNC_PMU_SIBLINGS_H */
