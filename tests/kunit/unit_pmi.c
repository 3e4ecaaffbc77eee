// SPDX-License-Identifier: GPL-2.0
/*
 * pmi.c, with KNC_PMU_KUNIT
 */
#include "../../src/pmi.c"

#include "units.h"

bool knc_test_nmi(struct pt_regs *regs)
{
	return knc_pmi_nmi(NMI_LOCAL, regs) == NMI_HANDLED;
}

void knc_test_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg)
{
	knc_pmi_irq(regs, eoi, arg);
}

void knc_test_pmi_mode(char *mode)
{
	pmi = mode;
}
