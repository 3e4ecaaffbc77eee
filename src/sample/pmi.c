// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt (performance-monitoring interrupt, PMI)
 *
 * 327357 1.4.3.9 has seven steps, numbered below, in an order that loses no
 * overflow although the line to the local APIC is one bit and the APIC masks its
 * entry when it delivers: while the counters are stopped nothing can set the
 * status again, so it is 0, and the line low, when the entry is unmasked.
 *
 * No lock is taken here: it may be an NMI.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include <asm/nmi.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "sample/overflow.h"
#include "sample/pmi.h"
#include "sample/siblings.h"
#include "sample/storm.h"

/* Not ours, and nothing of ours is touched */
static noinline bool knc_pmi_foreign(struct knc_hwthread *hw)
{
	hw->stats.foreign++;
	return false;
}

/*
 * Nothing here is ours any more. One that was may have overflowed at the last
 * moment, and its status have been cleared before the interrupt came.
 */
static noinline bool knc_pmi_late(struct knc_hwthread *hw)
{
	if (knc_hw_read_tsc() >= hw->late_until)
		return knc_pmi_foreign(hw);
	hw->late_until = 0;
	hw->stats.spurious++;
	return true;
}

/*
 * No overflow of ours. But if the APIC has masked the entry, it was the PMU's
 * line all the same: unless it is unmasked no interrupt comes again. It was late, as
 * above, or another thread of the core has the counter.
 */
static noinline bool knc_pmi_nothing(struct knc_hwthread *hw, u64 status)
{
	if (!(knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED))
		return knc_pmi_late(hw);
	knc_hw_clear_global_status(status);
	knc_hw_write_lvtpc(hw->lvtpc);
	/* if one was late, that was it: the next one may be somebody else's */
	hw->late_until = 0;
	hw->stats.spurious++;
	knc_pmi_ask();
	return true;
}

static inline void knc_pmi_resume(const struct knc_hwthread *hw)
{
	knc_hw_write_global_ctrl(hw->running);
}

/*
 * Steps 1 to 6 where a counter is ours. The counters remain stopped.
 *
 * Return: whether the interrupt was ours.
 */
static __always_inline bool knc_pmi(struct knc_hwthread *hw,
				    struct pt_regs *regs)
{
	/* 1: the interrupt service routine begins */
	u64 tsc = knc_hw_read_tsc();
	u64 status, ours;

	/* 2: stop the counters */
	knc_hw_write_global_ctrl(0);
	/* 3: read the status */
	status = knc_hw_read_global_status();
	ours = status & hw->attached;
	if (unlikely(!ours))
		return knc_pmi_nothing(hw, status);
	hw->stats.pmis++;
	/* 4: clear all of it: what is left would hold the line */
	knc_hw_clear_global_status(status);
	/* 5: unmask the interrupt */
	knc_hw_write_lvtpc(hw->lvtpc);
	/* 6: reset the counters; whoever changes one does that himself */
	if (unlikely(hw->editing))
		ours &= ~hw->editing;
	for (; ours; ours &= ours - 1)
		knc_pmi_counter(hw, hw->count[pmu_lowest(ours)], regs, tsc);
	knc_pmi_account(hw, tsc, 0);
	/* while the entry was masked the APIC may have lost what others' made */
	if (unlikely(hw->ask))
		knc_pmi_ask();
	return true;
}

int knc_pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	bool ours;

	if (unlikely(!hw->taken))
		return knc_pmi_late(hw) ? NMI_HANDLED : NMI_DONE;
	ours = knc_pmi(hw, regs);
	/* 7: an NMI has no EOI. Count on. */
	knc_pmi_resume(hw);
	return ours ? NMI_HANDLED : NMI_DONE;
}

/* The vector's interrupt; 7: its EOI comes behind all else, @eoi does that. */
void knc_pmi_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	if (unlikely(!hw->taken)) {
		knc_pmi_late(hw);
		eoi(arg);
		return;
	}
	knc_pmi(hw, regs);
	eoi(arg);
	knc_pmi_resume(hw);
}

/*
 * The NMI where overflow interrupts are vectors': it is ours on a hardware thread for
 * which there was none.
 */
int knc_pmi_nmi_beside(unsigned int type, struct pt_regs *regs)
{
	if (this_cpu_ptr(&knc_hwthreads)->lvtpc != KNC_APIC_LVT_NMI)
		return NMI_DONE;
	return knc_pmi_nmi(type, regs);
}
