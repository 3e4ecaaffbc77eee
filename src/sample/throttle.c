// SPDX-License-Identifier: GPL-2.0
/*
 * Throttling: while overflows come too fast, no samples are taken
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "sample/period.h"
#include "sample/ring.h"
#include "sample/throttle.h"

/**
 * knc_sampler_throttle() - take no samples of a count until the next tick
 * @hw: the hardware thread
 * @count: the count, up to date; its counter is stopped
 * @tsc: time stamp of the interrupt
 */
void knc_sampler_throttle(struct knc_hwthread *hw, struct knc_count *count,
			  u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_throttle *record;

	if (e->flags & KNC_SAMPLING_THROTTLED)
		return;
	e->flags |= KNC_SAMPLING_THROTTLED;
	e->fast_period = 0;
	e->left_at_load = count->left;
	count->left = pmu_max_load(count->counter);
	hw->stats.throttles++;
	s->ring.control->throttles++;
	if (!knc_ring_reserve(&s->ring, sizeof(*record)))
		return;
	record = knc_ring_end(&s->ring);
	memset(record, 0, sizeof(*record));
	record->record.type = KNC_PMU_RECORD_THROTTLE;
	record->record.size = sizeof(*record);
	record->record.cpu = s->ring.cpu;
	record->time = knc_sampler_time(s, tsc);
	record->event = e - s->sampling;
	knc_ring_commit(&s->ring, sizeof(*record));
}

/* Sample again, if the ring has room; on the hardware thread, interrupts off */
void knc_unthrottle(struct knc_sampler *s, struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;
	struct knc_pmu_throttle record = {
		.record = {
			.type = KNC_PMU_RECORD_UNTHROTTLE,
			.size = sizeof(record),
			.cpu = s->ring.cpu,
		},
		.time = ktime_get_ns(),
		.event = e - s->sampling,
	};
	s64 left = knc_throttled_left(e, count);

	e->skipped += knc_skip(s, e, count, &left);
	record.unsampled = e->skipped;
	if (!knc_ring_write(&s->ring, &record, sizeof(record))) {
		e->left_at_load = left;
		count->left = pmu_max_load(count->counter);
		return;
	}
	count->left = left;
	e->skipped = 0;
	e->flags &= ~KNC_SAMPLING_THROTTLED;
	e->fast_period = knc_fast_period(e);
	if (e->flags & KNC_SAMPLING_FREQ)
		knc_adapt(e, count, knc_hw_read_tsc());
}
