// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a program and a copy of its stack, from which readers unwind it
 *
 * Where a thread's stack ends in memory is not known here, because to find its mapping takes a
 * lock. The copy may include memory above the stack, which is the program's own, too.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

#include <knc_pmu.h>

#include "compat/compat.h"
#include "sample/chain.h"
#include "sample/stack.h"

/*
 * The program's registers, or NULL if they are not all saved: the kernel's entry pushes them, from
 * the end of pt_regs down, and its exit pops them. On any other kernel stack they are complete.
 */
static struct pt_regs *knc_stack_regs(struct pt_regs *regs)
{
	struct pt_regs *saved = task_pt_regs(current);
	unsigned long sp = regs->sp;

	if (user_mode(regs))
		return regs;
	if (knc_user_is_stack(sp) || knc_compat_is_entry_stack(sp) || !user_mode(saved))
		return NULL;
	return sp > (unsigned long)saved && sp <= (unsigned long)(saved + 1) ? NULL : saved;
}

/* In the order of DWARF's register numbers */
static void knc_stack_put_regs(const struct pt_regs *regs, u64 *to)
{
	to[0] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[3] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[KNC_PMU_STACK_BP] = regs->bp;
	to[KNC_PMU_STACK_SP] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[KNC_PMU_STACK_IP] = regs->ip;
}

/* Bytes to copy from @sp on, at most @max. The end of the first thread's stack is known */
static u32 knc_stack_length(u64 sp, u32 max)
{
	u64 top = READ_ONCE(current->mm->start_stack);
	u64 end = sp < top ? top : TASK_SIZE_MAX;

	return sp < end ? min_t(u64, max, end - sp) : 0;
}

/**
 * knc_stack_write() - write the program's registers and a copy of its stack
 * @regs: the interrupted registers, of a program or of the kernel for it (knc_user_find())
 * @to: a struct knc_pmu_stack and room for @max bytes; never read here, because the reader can
 *	write to it
 * @max: the most bytes of the stack; 0: the ring has no room for them
 *
 * In an NMI. A page that is not in memory ends the copy; it is not faulted in.
 *
 * Return: the bytes written.
 */
u32 knc_stack_write(struct pt_regs *regs, void *to, u32 max)
{
	struct pt_regs *user = knc_stack_regs(regs);
	struct knc_pmu_stack *stack = to;
	u32 flags, length, left = 0;

	memset(stack, 0, sizeof(*stack));
	if (!user) {
		stack->flags = KNC_PMU_STACK_NO_REGS;
		return sizeof(*stack);
	}
	flags = user->cs == __USER32_CS ? KNC_PMU_STACK_32BIT : 0;
	if (!max)
		flags |= KNC_PMU_STACK_NO_ROOM;
	knc_stack_put_regs(user, stack->regs);
	length = knc_stack_length(user->sp, max) & ~7U;
	if (length)
		left = copy_from_user_nmi(stack + 1, (void __user *)user->sp, length);
	if (left)
		flags |= KNC_PMU_STACK_ABSENT;
	length = (length - left) & ~7U;
	stack->flags = flags;
	stack->size = length;
	return sizeof(*stack) + length;
}
