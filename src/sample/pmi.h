/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The overflow interrupt (performance-monitoring interrupt, PMI)
 */
#ifndef KNC_PMU_PMI_H
#define KNC_PMU_PMI_H

#include <linux/types.h>

struct pt_regs;

/* delivery.c: for the floors above */
int knc_pmi_init(void);
void knc_pmi_exit(void);
void knc_pmi_online(unsigned int cpu);
void knc_pmi_offline(unsigned int cpu);
bool knc_pmi_is_irq(void);

/* pmi.c: the handlers */
int knc_pmi_nmi(unsigned int type, struct pt_regs *regs);
int knc_pmi_nmi_beside(unsigned int type, struct pt_regs *regs);
void knc_pmi_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg);

#endif /* KNC_PMU_PMI_H */
