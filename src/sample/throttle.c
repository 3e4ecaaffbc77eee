// SPDX-License-Identifier: GPL-2.0
/*
 * Throttling: while overflows come too fast, no samples are taken
 *
 * A storm is over when so much time has passed that its interrupts are no longer too many
 * (storm.c). No timer can be set in an NMI: the counter is loaded for about as many events as that
 * takes at the present rate. The tick ends the pause of a program that has become slower.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "sample/period.h"
#include "sample/ring.h"
#include "sample/throttle.h"

/* Load a throttled counter for @events, from 1 to what it holds */
static s64 knc_throttled_load(struct knc_sampling *e, struct knc_count *count, u64 events,
			      s64 left, u64 tsc)
{
	u64 max = pmu_max_load(count->counter);

	e->left_at_load = left;
	e->pause = clamp_t(u64, events, 1, max);
	e->paused = tsc;
	return e->pause;
}

/**
 * knc_sampler_throttle() - take no samples of a count for a while
 * @hw: the hardware thread; its throttled_until says for how long
 * @count: the count, up to date; its counter is stopped and will be loaded
 * @tsc: the time stamp
 * @events: about as many events come until then; 0: not known
 */
void knc_sampler_throttle(struct knc_hwthread *hw, struct knc_count *count,
			  u64 tsc, u64 events)
{
	struct knc_sampling *e = count->sampling;
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_throttle *record;

	if (e->flags & KNC_SAMPLING_THROTTLED)
		return;
	e->flags |= KNC_SAMPLING_THROTTLED;
	e->fast_period = 0;
	count->left = knc_throttled_load(e, count, events, count->left, tsc);
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

static void knc_unthrottle_record(struct knc_sampler *s, struct knc_sampling *e,
				  struct knc_pmu_throttle *record, u64 time)
{
	memset(record, 0, sizeof(*record));
	record->record.type = KNC_PMU_RECORD_UNTHROTTLE;
	record->record.size = sizeof(*record);
	record->record.cpu = s->ring.cpu;
	record->time = time;
	record->event = e - s->sampling;
	record->unsampled = e->skipped;
}

/* The reader will be told: sample again. */
static void knc_unthrottled(struct knc_sampling *e, struct knc_count *count, u64 tsc)
{
	e->skipped = 0;
	e->flags &= ~KNC_SAMPLING_THROTTLED;
	if (e->flags & KNC_SAMPLING_FREQ)
		knc_adapt(e, count, tsc);
	e->fast_period = knc_fast_period(e, count);
}

/*
 * Events until the time is over, by the rate since the last load. At least twice as many as
 * then: the interrupt itself took a part of that time.
 */
static u64 knc_throttled_events(const struct knc_sampling *e, u64 ticks, s64 left, u64 tsc)
{
	u64 events = e->pause - left, took = max_t(u64, knc_elapsed(tsc, e->paused), 1);

	/* keep the product within 64 bits; @ticks are at most a hundredth of a second */
	while (events >> 32) {
		events >>= 1;
		took = max_t(u64, took >> 1, 1);
	}
	return max_t(u64, div64_u64(events * ticks, took), 2 * e->pause);
}

/**
 * knc_throttled_overflow() - the counter of a throttled event has overflowed
 * @hw: the hardware thread
 * @count: the count; its counter is stopped
 * @left: what is left of its load, 0 or less
 * @tsc: time stamp of the interrupt
 *
 * In the overflow interrupt, like knc_sampler_overflow().
 *
 * Return: events to the next overflow.
 */
s64 knc_throttled_overflow(struct knc_hwthread *hw, struct knc_count *count,
			   s64 left, u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	struct knc_sampler *s = e->sampler;
	u64 max = pmu_max_load(count->counter), ticks = knc_throttled_ticks(hw, tsc), events;
	s64 next = knc_throttled_left(e, left);

	if (hw->throttled_until == KNC_UNTIL_TICK)
		return knc_throttled_load(e, count, max, next, tsc);
	if (ticks) {
		events = knc_throttled_events(e, ticks, left, tsc);
		return knc_throttled_load(e, count, events, next, tsc);
	}
	hw->throttled_until = 0;
	e->skipped += knc_skip(s, e, count, &next);
	if (!knc_ring_reserve(&s->ring, sizeof(struct knc_pmu_throttle)))
		return knc_throttled_load(e, count, max, next, tsc);
	knc_unthrottle_record(s, e, knc_ring_end(&s->ring), knc_sampler_time(s, tsc));
	knc_ring_commit(&s->ring, sizeof(struct knc_pmu_throttle));
	knc_unthrottled(e, count, tsc);
	return next;
}

/* Sample again, if the ring has room; on the hardware thread, interrupts off */
void knc_unthrottle(struct knc_sampler *s, struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;
	struct knc_pmu_throttle record;
	u64 tsc = knc_hw_read_tsc();
	s64 left = knc_throttled_left(e, count->left);

	e->skipped += knc_skip(s, e, count, &left);
	knc_unthrottle_record(s, e, &record, ktime_get_ns());
	if (!knc_ring_write(&s->ring, &record, sizeof(record))) {
		count->left = knc_throttled_load(e, count, pmu_max_load(count->counter), left,
						 tsc);
		return;
	}
	count->left = left;
	knc_unthrottled(e, count, tsc);
}

/**
 * knc_throttled_again() - a count begins, or goes on, on a hardware thread with a storm
 * @hw: the hardware thread, which has throttled samples, or whose sampler has
 * @count: the count, up to date; its counter will be loaded
 * @tsc: the time stamp
 *
 * Throttling belongs to the hardware thread: neither a new session nor another task ends it.
 */
void knc_throttled_again(struct knc_hwthread *hw, struct knc_count *count, u64 tsc)
{
	struct knc_sampling *e = count->sampling;

	if (e->flags & KNC_SAMPLING_THROTTLED)
		count->left = knc_throttled_load(e, count, e->pause, count->left, tsc);
	else if (knc_throttled_ticks(hw, tsc))
		knc_sampler_throttle(hw, count, tsc, 0);
}
