/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of a program and a copy of its stack, from which readers unwind it
 */
#ifndef KNC_PMU_STACK_H
#define KNC_PMU_STACK_H

#include <linux/types.h>

#include <asm/ptrace.h>

u32 knc_stack_write(struct pt_regs *regs, void *to, u32 max);

#endif /* KNC_PMU_STACK_H */
