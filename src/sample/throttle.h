/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Throttling: while overflows come too fast, no samples are taken
 */
#ifndef KNC_PMU_THROTTLE_H
#define KNC_PMU_THROTTLE_H

#include <linux/types.h>

#include "count/hwthread.h"
#include "sample/state.h"

void knc_sampler_throttle(struct knc_hwthread *hw, struct knc_count *count,
			  u64 tsc);
void knc_unthrottle(struct knc_sampler *s, struct knc_count *count);

/* Events to the next sample; 0 or less if samples were left out */
static inline s64 knc_throttled_left(const struct knc_sampling *e,
				     const struct knc_count *count)
{
	s64 max = pmu_max_load(count->counter);

	return e->left_at_load - (max - count->left);
}

#endif /* KNC_PMU_THROTTLE_H */
