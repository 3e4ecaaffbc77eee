/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Throttling: while overflows come too fast, no samples are taken
 */
#ifndef KNC_PMU_THROTTLE_H
#define KNC_PMU_THROTTLE_H

#include <linux/types.h>

#include "count/hwthread.h"
#include "sample/period.h"
#include "sample/state.h"

void knc_sampler_throttle(struct knc_hwthread *hw, struct knc_count *count,
			  u64 tsc, u64 events);
s64 knc_throttled_overflow(struct knc_hwthread *hw, struct knc_count *count,
			   s64 left, u64 tsc);
void knc_unthrottle(struct knc_sampler *s, struct knc_count *count);
void knc_throttled_again(struct knc_hwthread *hw, struct knc_count *count, u64 tsc);

/* Events to the next sample, if @left are left of the load; 0 or less if samples were left out */
static inline s64 knc_throttled_left(const struct knc_sampling *e, s64 left)
{
	return e->left_at_load - (e->pause - left);
}

/*
 * Ticks for which samples are still throttled; 0: no longer. The time stamp counter may have
 * been reset, and then no time stamp is trusted.
 */
static inline u64 knc_throttled_ticks(const struct knc_hwthread *hw, u64 tsc)
{
	u64 ticks = hw->throttled_until - tsc;

	if (hw->throttled_until == KNC_UNTIL_TICK)
		return ticks;
	return hw->throttled_until && ticks <= knc_window() ? ticks : 0;
}

#endif /* KNC_PMU_THROTTLE_H */
