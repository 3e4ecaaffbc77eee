/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_PTRACE_H
#define STUB_ASM_PTRACE_H

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#define __KERNEL_CS 0x10

static inline int user_mode(struct pt_regs *regs)
{
	return !!(regs->cs & 3);
}

#endif /* STUB_ASM_PTRACE_H */
