/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Storms: overflow interrupts that leave too little time for anything else
 */
#ifndef KNC_PMU_STORM_H
#define KNC_PMU_STORM_H

#include <linux/types.h>

#include "count/hwthread.h"
#include "pmu/hw.h"

/* Interrupts from one check that ticks still come to the next: a power of 2 */
#define KNC_PMI_OVERDUE		256

void knc_pmi_overdue(struct knc_hwthread *hw, u64 tsc, u64 cntrs);
void knc_pmi_tick(struct knc_hwthread *hw);
void knc_pmi_dense(struct knc_hwthread *hw, u64 tsc, u64 cntrs);
void knc_pmi_find_dense(struct knc_hwthread *hw, unsigned int cpu, bool irq);
void knc_storm_irq(void);

extern unsigned int knc_pmi_share;

/*
 * The handler took longer than ever, or than calibration predicts (because of a
 * call chain). An interrupt that is further away can be dense, too.
 */
static inline void knc_pmi_long(struct knc_hwthread *hw, u64 began, u64 took)
{
	if (took > hw->stats.handler_max)
		hw->stats.handler_max = took;
	hw->sparse = began + max(hw->dense, knc_pmi_share * took);
	hw->usual = min(hw->stats.handler_max, hw->dense / knc_pmi_share);
}

/* The counters that count again after an interrupt */
static inline u64 knc_pmi_cntrs(const struct knc_hwthread *hw, u64 editing)
{
	return editing ? editing & hw->started : hw->running & ~hw->editing;
}

static __always_inline void
knc_pmi_account(struct knc_hwthread *hw, u64 began, u64 editing)
{
	u32 took;

	if (unlikely(began < hw->sparse))
		knc_pmi_dense(hw, began, knc_pmi_cntrs(hw, editing));
	if (unlikely(!(hw->stats.pmis % KNC_PMI_OVERDUE)))
		knc_pmi_overdue(hw, began, knc_pmi_cntrs(hw, editing));
	hw->sparse = began + hw->dense;
	took = knc_hw_read_tsc() - began;
	hw->stats.handler_total += took;
	if (unlikely(took > hw->usual))
		knc_pmi_long(hw, began, took);
}

#endif /* KNC_PMU_STORM_H */
