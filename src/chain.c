// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of what an overflow interrupt has interrupted
 *
 * In user mode by frame pointers: programs are to be built with
 * -fno-omit-frame-pointer. In kernel mode as the kernel itself finds its way.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include <asm/processor.h>
#include <asm/ptrace.h>

#include "chain.h"
#include "compat.h"

/* What a function with a frame pointer has where that points */
struct knc_frame {
	u64 next;
	u64 ret;
};

static inline bool knc_frame_read(struct knc_frame *frame, u64 fp)
{
	const struct knc_frame __user *at = (void __user *)(unsigned long)fp;

	if (!fp || !user_access_begin(at, sizeof(*at)))
		return false;
	unsafe_get_user(frame->next, &at->next, fault);
	unsafe_get_user(frame->ret, &at->ret, fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

/*
 * The mm of a task that is interrupted in user mode is there to be looked at.
 * In the kernel it may be just about to be switched: copy_from_user_nmi() knows.
 */
static bool knc_frame_copy(struct knc_frame *frame, u64 fp)
{
	const void __user *at = (void __user *)(unsigned long)fp;

	return fp && !copy_from_user_nmi(frame, at, sizeof(*frame));
}

/**
 * knc_chain_user() - the call chain in user mode
 * @regs: what was interrupted
 * @chain: the addresses, innermost first, out
 * @max: frames at most
 *
 * Return: how many there are; 0: it has no user mode.
 */
unsigned int knc_chain_user(struct pt_regs *regs, u64 *chain, unsigned int max)
{
	bool user = user_mode(regs);
	struct knc_frame frame;
	unsigned int nr = 0;
	u64 fp;

	if (!user) {
		if (!current->mm)
			return 0;
		regs = task_pt_regs(current);
	}
	chain[nr++] = regs->ip;
	pagefault_disable();
	for (fp = regs->bp; nr < max; fp = frame.next) {
		if (!(user ? knc_frame_read(&frame, fp) :
			     knc_frame_copy(&frame, fp)))
			break;
		if (!frame.ret)
			break;
		chain[nr++] = frame.ret;
		/* callers are further up: this ends, whatever is written there */
		if (frame.next <= fp)
			break;
	}
	pagefault_enable();
	return nr;
}

/**
 * knc_chain_kernel() - the call chain in kernel mode
 * @regs: what was interrupted
 * @chain: room for @max + KNC_CHAIN_MORE addresses; innermost first, out
 * @max: frames at most
 *
 * Return: how many there are; 0: it was in user mode.
 */
unsigned int knc_chain_kernel(struct pt_regs *regs, u64 *chain, unsigned int max)
{
	if (user_mode(regs))
		return 0;
	return knc_compat_kernel_chain(regs, chain, max, max + KNC_CHAIN_MORE);
}
