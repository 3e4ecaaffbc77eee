/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The address at which a PMI interrupted a program, and call chains
 */
#ifndef KNC_PMU_CHAIN_H
#define KNC_PMU_CHAIN_H

#include <linux/types.h>

#include <asm/ptrace.h>

/**
 * struct knc_user - where a program is, or where it will continue after the kernel
 * @ip: the instruction pointer; 0: not known, or a kernel thread
 * @bp: the frame pointer
 */
struct knc_user {
	u64 ip;
	u64 bp;
};

/* Addresses for which knc_chain_kernel() needs room beyond its frames */
#define KNC_CHAIN_MORE		16

/* Bits 56-63 of kernel addresses are set, also with 5-level paging. */
#define KNC_KERNEL_SHIFT	56

/*
 * Is @sp not on a kernel stack? Near SYSCALL and SYSRET, RSP is still the program's, or for some
 * instructions a value for CR3 (bit 63: no flush).
 */
static inline bool knc_user_is_stack(unsigned long sp)
{
	return sp < -1UL << KNC_KERNEL_SHIFT;
}

struct knc_user knc_user_find_saved(const struct pt_regs *regs);
struct pt_regs *knc_user_regs(void);
u64 *knc_chain_user(struct pt_regs *regs, struct knc_user user, u64 *chain,
		    unsigned int max);
u64 *knc_chain_kernel(struct pt_regs *regs, u64 *chain, unsigned int max);

/**
 * knc_user_find() - find the interrupted program's instruction and frame pointer
 * @regs: the interrupted registers, of the program or of the kernel
 *
 * Return: the program's instruction and frame pointer.
 */
static inline struct knc_user knc_user_find(struct pt_regs *regs)
{
	struct knc_user user;

	if (!user_mode(regs))
		return knc_user_find_saved(regs);
	user.ip = regs->ip;
	user.bp = regs->bp;
	return user;
}

#endif /* KNC_PMU_CHAIN_H */
