// SPDX-License-Identifier: GPL-2.0
/*
 * At regular intervals, find lost registers (lost.c) and update the counts: a loss then costs the
 * events of one interval at most
 */
#include <linux/compiler.h>
#include <linux/kernel.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/lost.h"
#include "count/lvtpc.h"
#include "count/program.h"
#include "count/refresh.h"
#include "pmu/hw.h"

/*
 * The LVT entry is masked: a PMI was lost, or is on its way and will find nothing to do. Update the
 * counts here, and unmask. A sample that was due is taken at the next event.
 */
static void knc_unmask(struct knc_hwthread *hw)
{
	unsigned int n;

	knc_lvtpc_expect(hw);
	barrier(); /* pairs with knc_pmi() on this CPU */
	for_each_counter(n)
		if (hw->attached & pmu_bit(n))
			knc_count_edit_begin(hw, hw->count[n]);
	/* no overflow status is set: the PMI has come by now, or there was none */
	if (!(knc_hw_read_global_status() & hw->attached))
		hw->late_until = 0;
	knc_hw_clear_global_status(this_pmu->ack.mask);
	knc_hw_write_lvtpc(hw->lvtpc);
	for_each_counter(n)
		if (hw->attached & pmu_bit(n))
			knc_count_edit_end(hw, hw->count[n]);
}

/**
 * knc_refresh_verify() - write the registers again if they are lost, unmask the LVT entry
 * @hw: the hardware thread
 */
void knc_refresh_verify(struct knc_hwthread *hw)
{
	if (!hw->taken)
		return;
	knc_lost_mend(hw);
	if (unlikely(knc_lvtpc_is_masked()))
		knc_unmask(hw);
}

/*
 * Update a count without stopping its counter. A PMI that comes meanwhile leaves the counter alone.
 * If the counter overflowed without a PMI, its status was lost. In both cases load the counter
 * again.
 */
static void knc_refresh(struct knc_hwthread *hw, struct knc_count *count)
{
	u64 pmis = hw->stats.pmis;

	hw->editing |= pmu_bit(count->counter);
	barrier(); /* pairs with knc_pmi() on this CPU */
	knc_count_update(count);
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->editing &= ~pmu_bit(count->counter);
	barrier(); /* pairs with knc_pmi() on this CPU */
	if (likely(count->left > 0 && READ_ONCE(hw->stats.pmis) == pmis))
		return;
	knc_count_edit_begin(hw, count);
	knc_count_edit_end(hw, count);
}

/**
 * knc_refresh_counts() - verify the registers, and update all counts
 * @hw: the hardware thread
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_refresh_counts(struct knc_hwthread *hw, u64 now)
{
	unsigned int n;

	knc_refresh_verify(hw);
	for_each_counter(n)
		if (hw->attached & pmu_bit(n))
			knc_refresh(hw, hw->count[n]);
	hw->stale = hw->started;
	hw->refreshed = now;
}
