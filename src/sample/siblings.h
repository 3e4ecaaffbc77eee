/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Overflows of one thread's counter that interrupt another thread of the core
 */
#ifndef KNC_PMU_SIBLINGS_H
#define KNC_PMU_SIBLINGS_H

void knc_siblings_ask(void);
bool knc_siblings_count(void);
void knc_siblings_init(void);
void knc_siblings_exit(void);

#endif /* KNC_PMU_SIBLINGS_H */
