// SPDX-License-Identifier: GPL-2.0
/*
 * Save the registers of one hardware thread, and restore them. They stay saved while the hardware
 * thread has a claim, while claims of tasks may be put on its counters (admit), or while its PMIs
 * may report overflows of siblings (lend).
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/lvtpc.h"
#include "count/registers.h"
#include "pmu/hw.h"

/* Hardware threads with @for_tasks: each sets its own bit */
struct cpumask knc_admitting;

void knc_registers_save(struct knc_hwthread *hw)
{
	unsigned int n;

	hw->saved.global_ctrl = knc_hw_read_global_ctrl();
	knc_hw_write_global_ctrl(0);
	hw->started = 0;
	hw->running = 0;
	hw->stale = 0;
	for_each_counter(n) {
		hw->saved.perfevtsel[n] = knc_hw_read_evtsel(n);
		hw->saved.perfcntr[n] = knc_hw_read_counter(n);
		knc_hwthread_select(hw, n, 0);
	}
	hw->changes++;
	hw->saved.gate = knc_hw_read_gate();
	knc_hw_write_gate(0);
	/* while an old overflow bit is set, the APIC gets no new interrupt */
	knc_hw_clear_global_status(this_pmu->ack.mask);
	/* knc_siblings_found() sets it again */
	hw->ask = false;
	hw->saved.lvtpc = knc_lvtpc_take(hw);
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->taken = true;
}

/* Undo knc_registers_save(). Write the global control last: no counter may count before it. */
void knc_registers_restore(struct knc_hwthread *hw)
{
	unsigned int n;

	/* if the entry is masked, a PMI was delivered whose handler has not run yet */
	if (knc_lvtpc_is_masked())
		knc_lvtpc_expect(hw);
	hw->taken = false;
	barrier(); /* pairs with knc_pmi() on this CPU */
	knc_hw_write_global_ctrl(0);
	knc_hw_write_lvtpc(hw->saved.lvtpc);
	knc_hw_write_gate(hw->saved.gate);
	for_each_counter(n) {
		knc_hw_write_counter(n, hw->saved.perfcntr[n]);
		knc_hw_write_evtsel(n, hw->saved.perfevtsel[n]);
	}
	knc_hw_write_global_ctrl(hw->saved.global_ctrl);
}

/* Clear free counters: RDPMC must not show what a former owner counted. */
void knc_registers_wipe(struct knc_hwthread *hw)
{
	unsigned int n;

	for_each_counter(n) {
		if (hw->claim[n] || knc_hwthread_task(hw, n))
			continue;
		knc_hw_write_counter(n, 0);
		knc_hwthread_select(hw, n, 0);
	}
	hw->changes++;
}

/**
 * knc_registers_admit_tasks() - let claims of tasks be put on the counters
 * @hw: the hardware thread; if that is offline, any CPU may call this
 */
void knc_registers_admit_tasks(struct knc_hwthread *hw)
{
	hw->for_tasks = true;
	cpumask_set_cpu(hw->cpu, &knc_admitting);
	/* a former session may have set it by RESET_REGISTERS */
	if (!knc_hwthread_claimed(hw))
		hw->saved_is_reset = false;
	if (!hw->online)
		return;
	if (!hw->taken)
		knc_registers_save(hw);
	knc_registers_wipe(hw);
}

/**
 * knc_registers_dismiss_tasks() - no session follows tasks any more
 * @hw: the hardware thread; if that is offline, any CPU may call this
 */
void knc_registers_dismiss_tasks(struct knc_hwthread *hw)
{
	if (!hw->for_tasks)
		return;
	hw->for_tasks = false;
	cpumask_clear_cpu(hw->cpu, &knc_admitting);
	if (hw->online && !hw->attached && !hw->lent)
		knc_registers_restore(hw);
}

/**
 * knc_registers_lend() - let the PMI report overflows of its siblings
 * @hw: the hardware thread; if that is offline, any CPU may call this
 *
 * 327357 1.4.3.8: an event without a thread context interrupts the thread in the execution stage,
 * even if a sibling has the counter. Therefore the LVT entry of this thread must be ours.
 */
void knc_registers_lend(struct knc_hwthread *hw)
{
	hw->lent = true;
	if (hw->taken)
		return;
	/* a former session may have set it by RESET_REGISTERS */
	if (!knc_hwthread_claimed(hw))
		hw->saved_is_reset = false;
	if (hw->online)
		knc_registers_save(hw);
}

/**
 * knc_registers_unlend() - undo knc_registers_lend()
 * @hw: the hardware thread; if that is offline, any CPU may call this
 */
void knc_registers_unlend(struct knc_hwthread *hw)
{
	hw->lent = false;
	if (hw->online && !hw->attached && !hw->for_tasks)
		knc_registers_restore(hw);
}

/*
 * From now on knc_registers_restore() writes reset values (327357 1.4.4) instead of the saved ones.
 * The LVT entry keeps its saved value: its contents are the kernel's.
 */
void knc_registers_restore_reset_values(struct knc_hwthread *hw)
{
	u32 lvtpc = hw->saved.lvtpc;

	memset(&hw->saved, 0, sizeof(hw->saved));
	hw->saved.global_ctrl = this_pmu->ctrl_reset;
	hw->saved.lvtpc = lvtpc;
	hw->saved_is_reset = true;
}
