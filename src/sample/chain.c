// SPDX-License-Identifier: GPL-2.0
/*
 * The address at which a PMI interrupted a program, and call chains
 *
 * User chains follow frame pointers: programs must be built with -fno-omit-frame-pointer. Kernel
 * chains come from the kernel's own unwinder.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

#include "compat/compat.h"
#include "sample/chain.h"

/* The frame to which a frame pointer points */
struct knc_frame {
	u64 next;
	u64 ret;
};

/* The frame of a 32-bit program; only hosts have these */
struct knc_frame32 {
	u32 next;
	u32 ret;
};

/*
 * A chain ends at 0, and at a value that can't be a program's address: code without frame pointers
 * may have any value in RBP
 */
static inline bool knc_is_no_code(u64 ret, u64 limit)
{
	return ret - 1 >= limit;
}

/*
 * Follow the frames from @fp on, to @end at most. The interrupt came in user mode: the program's mm
 * is loaded, and its stack can be read directly.
 *
 * Return: the end of the chain.
 */
static u64 *knc_chain_follow(u64 fp, u64 *chain, const u64 *end)
{
	const struct knc_frame __user *at;
	const u64 limit = TASK_SIZE_MAX;
	u64 next = fp, ret;

	if (!fp || chain == end)
		return chain;
	do {
		fp = next;
		at = (void __user *)(unsigned long)fp;
		if (!user_access_begin(at, sizeof(*at)))
			break;
		unsafe_get_user(next, &at->next, fault);
		unsafe_get_user(ret, &at->ret, fault);
		user_access_end();
		if (unlikely(knc_is_no_code(ret, limit)))
			break;
		*chain++ = ret;
		/* frames of callers have higher addresses: forged ones can't loop */
	} while (next > fp && chain < end);
	return chain;
fault:
	user_access_end();
	return chain;
}

/*
 * As knc_chain_follow(), if the kernel was interrupted, possibly while it switches the mm:
 * copy_from_user_nmi() refuses another task's memory.
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
		if (knc_is_no_code(frame.ret, TASK_SIZE_MAX))
			break;
		*chain++ = frame.ret;
	}
	return chain;
}

/* As knc_chain_copy(), for a 32-bit program; also used if user mode was interrupted */
static u64 *knc_chain_copy32(u64 fp, u64 *chain, const u64 *end)
{
	struct knc_frame32 frame = { .next = fp };

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
 * Do the saved registers of current belong to a program in its mm? Not for a kernel thread, which
 * may have borrowed an mm; nor during exec: there the registers are the old program's, and the mm
 * is the new program's, which the session may not be allowed to see.
 */
static bool knc_user_is_there(void)
{
	return current->mm && !(current->flags & PF_KTHREAD) &&
	       !current->in_execve;
}

/**
 * knc_user_find_saved() - knc_user_find() if the kernel was interrupted
 * @regs: the interrupted registers
 *
 * The entry of a system call pushes the registers, from the end of pt_regs down: the stack pointer
 * tells which are saved. Registers that are not saved yet still have the program's values, and RCX
 * has its instruction pointer.
 *
 * Return: the program's instruction and frame pointer.
 */
struct knc_user knc_user_find_saved(const struct pt_regs *regs)
{
	struct pt_regs *saved = task_pt_regs(current);
	struct knc_user user = { .ip = 0, .bp = regs->bp };
	unsigned long sp = regs->sp;

	if (!knc_user_is_there() || knc_compat_is_entry_stack(sp))
		return user;
	if (knc_user_is_stack(sp) || (sp > (unsigned long)&saved->ip &&
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
 * knc_user_regs() - the registers with which the running task continues in user mode
 *
 * In a system call, an exception or an interrupt that has saved all of them.
 *
 * Return: the registers; NULL: a kernel thread, a task that executes a new program, or one that
 * has no memory any more.
 */
struct pt_regs *knc_user_regs(void)
{
	struct pt_regs *saved = task_pt_regs(current);

	return knc_user_is_there() && user_mode(saved) ? saved : NULL;
}

/* The chain if the kernel or a 32-bit program was interrupted */
static noinline u64 *knc_chain_otherwise(struct pt_regs *regs, u64 fp, u64 *chain,
					 const u64 *end)
{
	unsigned long cs = user_mode(regs) ? regs->cs : task_pt_regs(current)->cs;

	return cs == __USER32_CS ? knc_chain_copy32(fp, chain, end) :
				   knc_chain_copy(fp, chain, end);
}

/**
 * knc_chain_user() - write the call chain of user mode
 * @regs: the interrupted registers
 * @user: the result of knc_user_find()
 * @chain: the addresses, innermost first, out
 * @max: most frames, at least 1
 *
 * Return: the end of the chain.
 */
u64 *knc_chain_user(struct pt_regs *regs, struct knc_user user, u64 *chain,
		    unsigned int max)
{
	const u64 *end = chain + max;

	*chain++ = user.ip;
	if (unlikely(regs->cs != __USER_CS))
		return knc_chain_otherwise(regs, user.bp, chain, end);
	pagefault_disable();
	chain = knc_chain_follow(user.bp, chain, end);
	pagefault_enable();
	return chain;
}

/**
 * knc_chain_kernel() - write the call chain of kernel mode
 * @regs: the interrupted registers
 * @chain: room for @max + KNC_CHAIN_MORE addresses; innermost first, out
 * @max: most frames
 *
 * Return: the end of the chain; @chain if user mode was interrupted.
 */
u64 *knc_chain_kernel(struct pt_regs *regs, u64 *chain, unsigned int max)
{
	if (user_mode(regs))
		return chain;
	return chain + knc_compat_kernel_chain(regs, chain, max,
					       max + KNC_CHAIN_MORE);
}
