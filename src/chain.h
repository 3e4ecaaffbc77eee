/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains of what an overflow interrupt has interrupted
 */
#ifndef KNC_PMU_CHAIN_H
#define KNC_PMU_CHAIN_H

#include <linux/types.h>

struct pt_regs;

/**
 * struct knc_user - where a program is, or goes on when the kernel returns to it
 * @ip: the instruction
 * @bp: the frame pointer
 */
struct knc_user {
	u64 ip;
	u64 bp;
};

/* Room that knc_chain_kernel() needs beyond its frames */
#define KNC_CHAIN_MORE		16

bool knc_user_find(struct pt_regs *regs, struct knc_user *user);
u64 *knc_chain_user(struct pt_regs *regs, const struct knc_user *user,
		    u64 *chain, unsigned int max);
u64 *knc_chain_kernel(struct pt_regs *regs, u64 *chain, unsigned int max);

#endif /* KNC_PMU_CHAIN_H */
