// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt (performance-monitoring interrupt, PMI)
 *
 * The seven steps of 327357 1.4.3.9, numbered below, lose no overflow, although the PMU has one
 * line to the local APIC, and the APIC masks its LVT entry when it delivers the PMI. While the
 * counters are stopped nothing sets the status again: when the entry is unmasked, the status is 0
 * and the line is low.
 *
 * The PMI may be an NMI: no lock is taken here.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include <asm/nmi.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/lvtpc.h"
#include "pmu/hw.h"
#include "sample/overflow.h"
#include "sample/pmi.h"
#include "sample/siblings.h"

/* A foreign NMI: leave it to other handlers. */
static noinline bool knc_pmi_foreign(struct knc_hwthread *hw)
{
	hw->stats.foreign++;
	return false;
}

/*
 * A PMI while our registers are not taken, because this hardware thread is going online or offline.
 * A sibling's counter may count events of this thread, and its overflow may interrupt this thread.
 * The APIC has masked the LVT entry then: unmask it, or its next user gets no PMIs.
 */
static noinline bool knc_pmi_of_sibling(struct knc_hwthread *hw)
{
	u32 lvtpc;

	if (hw->taken)
		return false;
	lvtpc = knc_hw_read_lvtpc();
	if (!(lvtpc & KNC_APIC_LVT_MASKED) ||
	    knc_hw_read_global_status() & this_pmu->counters || !knc_siblings_count())
		return false;
	knc_hw_write_lvtpc(lvtpc & ~KNC_APIC_LVT_MASKED);
	hw->stats.spurious++;
	knc_siblings_ask();
	return true;
}

/*
 * No status bit is ours. The PMI may be late: a counter overflowed just before it was given up, and
 * its status was cleared before this PMI came.
 */
static noinline bool knc_pmi_late(struct knc_hwthread *hw)
{
	if (!knc_lvtpc_expects(hw) ||
	    (hw->late_until == KNC_LATE_SWITCH && !knc_siblings_count()))
		return knc_pmi_foreign(hw);
	hw->late_until = 0;
	hw->stats.spurious++;
	/* the PMI may have been for a sibling's overflow */
	knc_siblings_ask();
	return true;
}

/*
 * No status bit is ours. If the APIC has masked the LVT entry, the PMU caused this PMI all the
 * same: it was late, or another thread of the core has the counter. Unmask the entry, or no PMI
 * would come again. A PMI by the vector is always ours.
 */
static noinline bool knc_pmi_nothing(struct knc_hwthread *hw, u64 status, bool nmi)
{
	if (nmi && !knc_lvtpc_is_masked())
		return knc_pmi_late(hw);
	knc_hw_clear_global_status(status);
	knc_hw_write_lvtpc(hw->lvtpc);
	/* this was the late PMI: the next NMI may be foreign */
	hw->late_until = 0;
	hw->stats.spurious++;
	knc_siblings_ask();
	return true;
}

static inline void knc_pmi_resume(const struct knc_hwthread *hw)
{
	knc_hw_write_global_ctrl(hw->running);
}

/*
 * Steps 1 to 6 while registers are taken. The counters remain stopped.
 *
 * Return: true if the interrupt was ours.
 */
static __always_inline bool knc_pmi(struct knc_hwthread *hw,
				    struct pt_regs *regs, bool nmi)
{
	/* step 1: the interrupt service routine begins */
	u64 tsc = knc_hw_read_tsc();
	u64 status, ours;

	/* step 2: stop the counters */
	knc_hw_write_global_ctrl(0);
	/* step 3: read the status */
	status = knc_hw_read_global_status();
	ours = status & hw->attached;
	if (unlikely(!ours))
		return knc_pmi_nothing(hw, status, nmi);
	hw->stats.pmis++;
	/* step 4: clear all bits: one that is left would hold the line high */
	knc_hw_clear_global_status(status);
	/* step 5: unmask the interrupt */
	knc_hw_write_lvtpc(hw->lvtpc);
	/* step 6: reset the counters, but not those that the interrupted code is editing */
	if (unlikely(hw->editing))
		ours &= ~hw->editing;
	knc_overflow_reset(hw, ours, regs, tsc, 0);
	/* while the entry was masked, siblings' overflows may have been lost */
	if (unlikely(hw->ask))
		knc_siblings_ask();
	return true;
}

int knc_pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	bool ours;

	if (unlikely(!hw->taken))
		return knc_pmi_of_sibling(hw) || knc_pmi_late(hw) ? NMI_HANDLED : NMI_DONE;
	ours = knc_pmi(hw, regs, true);
	/* step 7: an NMI needs no EOI; let the counters count again */
	knc_pmi_resume(hw);
	return ours ? NMI_HANDLED : NMI_DONE;
}

/*
 * PMIs changed to NMIs while this vector was pending. An NMI that comes now must not start the
 * counters: @running is 0 meanwhile.
 */
static noinline void knc_pmi_irq_beside(struct knc_hwthread *hw, struct pt_regs *regs,
					void (*eoi)(void *arg), void *arg)
{
	knc_hwthread_set_running(hw, 0);
	knc_pmi(hw, regs, false);
	eoi(arg);
	knc_hwthread_set_running(hw, hw->started);
}

/* The handler of the vector. Step 7: @eoi signals the EOI; then let the counters count again. */
void knc_pmi_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	if (unlikely(!hw->taken)) {
		knc_pmi_late(hw);
		eoi(arg);
		return;
	}
	if (unlikely(hw->nmi)) {
		knc_pmi_irq_beside(hw, regs, eoi, arg);
		return;
	}
	knc_pmi(hw, regs, false);
	eoi(arg);
	knc_pmi_resume(hw);
}

/*
 * The NMI handler where there are vectors too: NMIs are ours only while the LVT entry is an NMI,
 * and during the change from NMI to vector
 */
int knc_pmi_nmi_beside(unsigned int type, struct pt_regs *regs)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	if (likely(hw->lvtpc == KNC_APIC_LVT_NMI))
		return knc_pmi_nmi(type, regs);
	if (hw->late_until == KNC_LATE_SWITCH)
		return knc_pmi_late(hw) ? NMI_HANDLED : NMI_DONE;
	if (knc_pmi_of_sibling(hw))
		return NMI_HANDLED;
	knc_pmi_foreign(hw);
	return NMI_DONE;
}
