/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Storms: overflow interrupts that leave too little time for anything else
 */
#ifndef KNC_PMU_STORM_H
#define KNC_PMU_STORM_H

#include <linux/types.h>

#include "count/hwthread.h"
#include "pmu/hw.h"

/* Check every so many interrupts whether ticks still come: a power of 2 */
#define KNC_STORM_CHECK_EVERY	256

void knc_storm_check_ticks(struct knc_hwthread *hw, u64 tsc, u64 cntrs);
void knc_storm_tick(struct knc_hwthread *hw);
void knc_storm_close_pmi(struct knc_hwthread *hw, u64 tsc, u64 cntrs);
void knc_storm_calibrate(struct knc_hwthread *hw, unsigned int cpu, bool nmi);

/* Ticks have been started: the first one is not late yet */
static inline void knc_storm_ticks_start(struct knc_hwthread *hw)
{
	hw->ticks++;
}

/*
 * PMIs may take a third of the time: they are close if less than three times as long as one takes
 * lies between them. Calibration of a vector leaves out the softirqs and the rescheduling after
 * it. These may take as long again: the factor of a vector is twice that of an NMI.
 */
static inline unsigned int knc_storm_factor(const struct knc_hwthread *hw)
{
	return hw->nmi ? 3 : 6;
}

/*
 * This handler took longer than @handler_limit, for example because of a call
 * chain. The next PMI is close even if it comes later than @storm_gap.
 */
static inline void knc_storm_long(struct knc_hwthread *hw, u64 began, u64 took)
{
	if (took > hw->stats.handler_max)
		hw->stats.handler_max = took;
	hw->close_until = began + max(hw->storm_gap, knc_storm_factor(hw) * took);
	hw->handler_limit = min(hw->stats.handler_max,
				hw->storm_gap / knc_storm_factor(hw));
}

/*
 * The counters that count again after an interrupt. @edited: counters that the caller
 * itself edits; 0 in a PMI
 */
static inline u64 knc_storm_cntrs(const struct knc_hwthread *hw, u64 edited)
{
	return edited ? edited & hw->started : hw->running & ~hw->editing;
}

static __always_inline void
knc_storm_account(struct knc_hwthread *hw, u64 began, u64 edited)
{
	u32 took;	/* saves two instructions; 2^32 ticks are a machine that stood still */

	if (unlikely(began < hw->close_until))
		knc_storm_close_pmi(hw, began, knc_storm_cntrs(hw, edited));
	if (unlikely(!(hw->stats.pmis % KNC_STORM_CHECK_EVERY)))
		knc_storm_check_ticks(hw, began, knc_storm_cntrs(hw, edited));
	hw->close_until = began + hw->storm_gap;
	took = knc_hw_read_tsc() - began;
	hw->stats.handler_total += took;
	if (unlikely(took > hw->handler_limit))
		knc_storm_long(hw, began, took);
}

#endif /* KNC_PMU_STORM_H */
