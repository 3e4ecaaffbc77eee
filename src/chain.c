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

/*
 * Follow the frames from @fp on, to @end at most. What is interrupted in user mode
 * has its mm: its memory can be read at once.
 *
 * Return: the end of the chain.
 */
static u64 *knc_chain_follow(u64 fp, u64 *chain, const u64 *end)
{
	const struct knc_frame __user *at;
	u64 next = fp, ret;

	fp = 0;
	/* callers are further up: this ends, whatever is written there */
	while (next > fp && chain < end) {
		fp = next;
		at = (void __user *)(unsigned long)fp;
		if (!user_access_begin(at, sizeof(*at)))
			break;
		unsafe_get_user(next, &at->next, fault);
		unsafe_get_user(ret, &at->ret, fault);
		user_access_end();
		if (!ret)
			break;
		*chain++ = ret;
	}
	return chain;
fault:
	user_access_end();
	return chain;
}

/*
 * What is interrupted in the kernel may be just about to be switched, and its mm
 * with it: copy_from_user_nmi() knows.
 */
static u64 *knc_chain_copy(u64 fp, u64 *chain, const u64 *end)
{
	struct knc_frame frame = { .next = fp };

	fp = 0;
	while (frame.next > fp && chain < end) {
		fp = frame.next;
		if (copy_from_user_nmi(&frame, (void __user *)(unsigned long)fp,
				       sizeof(frame)))
			break;
		if (!frame.ret)
			break;
		*chain++ = frame.ret;
	}
	return chain;
}

static noinline u64 *knc_chain_from_kernel(u64 *chain, const u64 *end)
{
	struct pt_regs *regs = task_pt_regs(current);

	/* a kernel thread may have borrowed an mm */
	if (!current->mm || !user_mode(regs))
		return chain;
	*chain++ = regs->ip;
	return knc_chain_copy(regs->bp, chain, end);
}

/**
 * knc_chain_user() - the call chain in user mode
 * @regs: what was interrupted
 * @chain: the addresses, innermost first, out
 * @max: frames at most, at least 1
 *
 * Return: the end of the chain; @chain: it has no user mode.
 */
u64 *knc_chain_user(struct pt_regs *regs, u64 *chain, unsigned int max)
{
	const u64 *end = chain + max;

	if (!user_mode(regs))
		return knc_chain_from_kernel(chain, end);
	*chain++ = regs->ip;
	pagefault_disable();
	chain = knc_chain_follow(regs->bp, chain, end);
	pagefault_enable();
	return chain;
}

/**
 * knc_chain_kernel() - the call chain in kernel mode
 * @regs: what was interrupted
 * @chain: room for @max + KNC_CHAIN_MORE addresses; innermost first, out
 * @max: frames at most
 *
 * Return: the end of the chain; @chain: it was in user mode.
 */
u64 *knc_chain_kernel(struct pt_regs *regs, u64 *chain, unsigned int max)
{
	if (user_mode(regs))
		return chain;
	return chain + knc_compat_kernel_chain(regs, chain, max,
					       max + KNC_CHAIN_MORE);
}
