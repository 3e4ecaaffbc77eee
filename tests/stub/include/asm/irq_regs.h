/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_IRQ_REGS_H
#define STUB_ASM_IRQ_REGS_H

#include <asm/percpu.h>

struct pt_regs;

DECLARE_PER_CPU(struct pt_regs *, irq_regs);

static inline struct pt_regs *get_irq_regs(void)
{
	return this_cpu_read(irq_regs);
}

#endif /* STUB_ASM_IRQ_REGS_H */
