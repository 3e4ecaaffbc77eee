/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The overflow interrupt (performance-monitoring interrupt, PMI)
 */
#ifndef KNC_PMU_PMI_H
#define KNC_PMU_PMI_H

#include <linux/types.h>

struct pt_regs;

/* The handlers; delivery.c installs them */
int knc_pmi_nmi(unsigned int type, struct pt_regs *regs);
int knc_pmi_nmi_beside(unsigned int type, struct pt_regs *regs);
void knc_pmi_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg);

#endif /* KNC_PMU_PMI_H */
