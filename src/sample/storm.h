/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Storms: PMIs that leave too little time for anything else, and throttling, which ends them
 */
#ifndef KNC_PMU_STORM_H
#define KNC_PMU_STORM_H

#include <linux/types.h>

#include <asm/tsc.h>

#include "count/hwthread.h"
#include "pmu/hw.h"
#include "sample/period.h"
#include "sample/state.h"

/*
 * A PMI is close to the one before if less than 1/KNC_STORM_PER_MS ms (perf's initial limit) lies
 * between them, or if such PMIs would take more than a third of the time. KNC_STORM_PMIS close PMIs
 * within KNC_STORM_GAPS * KNC_STORM_PMIS * @gap cycles are a storm. Samples are then throttled for
 * so long that with this pause the PMIs would not have been close.
 */
#define KNC_STORM_PER_MS		100
#define KNC_STORM_PMIS			64
#define KNC_STORM_GAPS			4

/*
 * The handler's own time is measured, but not the entry and exit of the interrupt. The limit above
 * leaves 3.3 us for these, three times what the emulated card takes. In a virtual machine they may
 * take longer, and leave no time for ticks. Therefore KNC_STORM_LATE_PER_MS PMIs in each ms are a
 * storm, too, if no tick has come for KNC_STORM_TICK_LATE ms. This is checked at every
 * KNC_STORM_CHECK_EVERY-th PMI (a power of 2).
 */
#define KNC_STORM_TICK_LATE		100
#define KNC_STORM_LATE_PER_MS		2
#define KNC_STORM_CHECK_EVERY		256
/* Such a storm raises @gap; each tick takes back 1/128 of the increase. */
#define KNC_STORM_DECAY			7

/*
 * PMIs may take a third of the time: they are close if their distance is less than three times the
 * time of one handler. After a vector, softirqs and rescheduling may take as long again, which the
 * handler can't measure: the factor of a vector is twice that of an NMI.
 */
#define KNC_STORM_NMI_FACTOR		3
#define KNC_STORM_VECTOR_FACTOR		6

void knc_storm_init(struct knc_hwthread *hw);
void knc_storm_check_ticks(struct knc_hwthread *hw, u64 tsc, u64 cntrs);
void knc_storm_tick(struct knc_hwthread *hw);
void knc_storm_close_pmi(struct knc_hwthread *hw, u64 tsc, u64 cntrs);
void knc_storm_throttle(struct knc_hwthread *hw, struct knc_count *count,
			u64 tsc, u64 events);
s64 knc_storm_overflow(struct knc_hwthread *hw, struct knc_count *count,
		       s64 left, u64 tsc);
void knc_storm_unthrottle(struct knc_sampler *s, struct knc_count *count);
void knc_storm_resume(struct knc_hwthread *hw, struct knc_count *count, u64 tsc);

/* The least @gap, in cycles; storms without ticks raise it for a while */
static inline u64 knc_storm_least_gap(void)
{
	return tsc_khz / KNC_STORM_PER_MS;
}

/* A sampler's ticks were started: count this as a tick, because the first one is not late yet */
static inline void knc_storm_ticks_start(struct knc_hwthread *hw)
{
	hw->storm.ticks++;
}

static inline unsigned int knc_storm_factor(const struct knc_hwthread *hw)
{
	return hw->nmi ? KNC_STORM_NMI_FACTOR : KNC_STORM_VECTOR_FACTOR;
}

/*
 * This handler took longer than @handler_limit, for example because of a call
 * chain. The next PMI is close even if it comes later than @gap.
 */
static inline void knc_storm_long(struct knc_hwthread *hw, u64 began, u64 took)
{
	if (took > hw->stats.handler_max)
		hw->stats.handler_max = took;
	hw->storm.close_until = began + max(hw->storm.gap, knc_storm_factor(hw) * took);
	hw->storm.handler_limit = min(hw->stats.handler_max,
				      hw->storm.gap / knc_storm_factor(hw));
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
	u32 took;	/* 32 bits save two instructions; no handler takes 2^32 ticks */

	if (unlikely(began < hw->storm.close_until))
		knc_storm_close_pmi(hw, began, knc_storm_cntrs(hw, edited));
	if (unlikely(!(hw->stats.pmis % KNC_STORM_CHECK_EVERY)))
		knc_storm_check_ticks(hw, began, knc_storm_cntrs(hw, edited));
	hw->storm.close_until = began + hw->storm.gap;
	took = knc_hw_read_tsc() - began;
	hw->stats.handler_total += took;
	if (unlikely(took > hw->storm.handler_limit))
		knc_storm_long(hw, began, took);
}

/*
 * While throttled: events to the next sample, if @left events are left of the load; 0 or less if
 * samples were skipped
 */
static inline s64 knc_storm_left(const struct knc_sampling *e, s64 left)
{
	return e->left_at_load - (e->pause - left);
}

/*
 * Ticks of the TSC for which samples are still throttled; 0: not throttled. A pause is never longer
 * than a window: if more is left, the time stamp counter was reset, and the pause ends.
 */
static inline u64 knc_storm_ticks_left(const struct knc_hwthread *hw, u64 tsc)
{
	u64 until = hw->storm.throttled_until;

	if (until == KNC_UNTIL_TICK)
		return until - tsc;
	return until && until - tsc <= knc_period_window() ? until - tsc : 0;
}

#endif /* KNC_PMU_STORM_H */
