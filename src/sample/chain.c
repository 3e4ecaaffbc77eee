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

#include "compat/compat.h"
#include "sample/chain.h"

/* Kernel addresses have all bits from this one on set, with four or five levels */
#define KNC_KERNEL_SHIFT	56

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
static noinline u64 *knc_chain_copy(u64 fp, u64 *chain, const u64 *end)
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

/*
 * No stack of the kernel: SYSCALL leaves the program's stack pointer, the kernel may use
 * the register for CR3 (bit 63: no flush) before it loads its own, and restores the
 * program's just before SYSRET.
 */
static bool knc_is_user_stack(unsigned long sp)
{
	return sp < -1UL << KNC_KERNEL_SHIFT;
}

/*
 * Does the program have registers that the kernel has saved? A kernel thread may have
 * borrowed an mm. While a program is executed the saved ones are the old program's, the
 * memory is the new one's, which its user may not be allowed to look at.
 */
static bool knc_user_is_there(void)
{
	return current->mm && !(current->flags & PF_KTHREAD) &&
	       !current->in_execve;
}

/**
 * knc_user_find_saved() - knc_user_find() where the kernel was interrupted
 * @regs: what was interrupted
 *
 * The entry of a system call saves the registers by pushing them, from the end of
 * pt_regs down. The stack pointer tells which of them are saved; the others still hold
 * what the program had there, and RCX its instruction pointer.
 *
 * Return: the answer.
 */
struct knc_user knc_user_find_saved(const struct pt_regs *regs)
{
	struct pt_regs *saved = task_pt_regs(current);
	struct knc_user user = { .ip = 0, .bp = regs->bp };
	unsigned long sp = regs->sp;

	if (!knc_user_is_there() || knc_compat_is_entry_stack(sp))
		return user;
	if (knc_is_user_stack(sp) || (sp > (unsigned long)&saved->ip &&
				      sp <= (unsigned long)(saved + 1))) {
		user.ip = regs->cx < TASK_SIZE_MAX ? regs->cx : 0;
		return user;
	}
	if (sp <= (unsigned long)&saved->bp || sp > (unsigned long)&saved->ip)
		user.bp = saved->bp;
	user.ip = user_mode(saved) ? saved->ip : 0;
	return user;
}

/**
 * knc_chain_user() - the call chain in user mode
 * @regs: what was interrupted
 * @user: what knc_user_find() found
 * @chain: the addresses, innermost first, out
 * @max: frames at most, at least 1
 *
 * Return: the end of the chain.
 */
u64 *knc_chain_user(struct pt_regs *regs, struct knc_user user, u64 *chain,
		    unsigned int max)
{
	const u64 *end = chain + max;

	*chain++ = user.ip;
	if (!user_mode(regs))
		return knc_chain_copy(user.bp, chain, end);
	pagefault_disable();
	chain = knc_chain_follow(user.bp, chain, end);
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
