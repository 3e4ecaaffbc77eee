/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Periods: events from one sample to the next
 *
 * Inline for the hot paths: the overflow interrupt and the context switch
 */
#ifndef KNC_PMU_PERIOD_H
#define KNC_PMU_PERIOD_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/types.h>

#include <asm/tsc.h>

#include <knc_pmu.h>

#include "count/count.h"
#include "sample/state.h"

/* The first period of an event that is sampled at a frequency */
#define KNC_FIRST_PERIOD	1024

/*
 * More than KNC_BURST_SAMPLES samples since the period was adapted, at more than KNC_BURST_FACTOR
 * times the frequency, are a burst. Each further sample doubles the period: a burst ends before it
 * becomes a storm (KNC_STORM_PMIS). knc_period_least() then keeps the period long enough for the
 * next burst.
 */
#define KNC_BURST_SAMPLES	32
#define KNC_BURST_FACTOR	4

/* A sample takes over up to an eighth of its own segment from @carry. */
#define KNC_CARRY_SHIFT		3

void knc_period_adapt(struct knc_sampling *e, struct knc_count *count, u64 tsc);
void knc_period_adapt_if_due(struct knc_sampling *e, struct knc_count *count, u64 tsc);

/* @n * @part / 2^24, for a @part of up to 2^24 */
static inline u64 knc_period_part(u64 n, u64 part)
{
	return (n >> 24) * part + ((n & 0xffffff) * part >> 24);
}

/* 24 bits of a xorshift generator: random enough to be out of step with loops, and fast */
static inline u32 knc_period_random(struct knc_sampling *e)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 17;
	e->random ^= e->random << 5;
	return e->random >> 8;
}

/* Events from one sample to the next: from half a period to one and a half */
static inline u64 knc_period_draw(struct knc_sampling *e, u64 period)
{
	u64 half = period / 2;
	u64 drawn = period - half + knc_period_part(2 * half + 1, knc_period_random(e));

	return min_t(u64, drawn, KNC_PMU_MAX_PERIOD);
}

/* Are segments drawn at random? With a limit, only while the limit makes the period longer */
static inline bool knc_period_is_drawn(const struct knc_sampling *e)
{
	return e->flags & KNC_SAMPLING_FREQ && e->period > e->least;
}

/* The value for @fast_period: 0 while the present or next segment is drawn, or @carry is left */
static inline u64 knc_period_fast(const struct knc_sampling *e, const struct knc_count *count)
{
	if (e->flags & KNC_SAMPLING_THROTTLED || knc_period_is_drawn(e) ||
	    count->segment != e->period || count->carry)
		return 0;
	return e->period;
}

/* The shortest time over which the rate of an event is measured, in ticks of the TSC */
static inline u64 knc_period_window(void)
{
	return (u64)tsc_khz * MSEC_PER_SEC / KNC_TICK_HZ;
}

/*
 * Usually a sample adapts the period. If none has for this many cycles, the tick or the next switch
 * to the task adapts it.
 */
static inline u64 knc_period_adapt_limit(const struct knc_sampling *e)
{
	return 2 * max(knc_period_window(), e->ticks);
}

/* Events from the sample at @tsc to the next one */
static inline u64 knc_period_segment(struct knc_sampling *e, struct knc_count *count, u64 tsc)
{
	if (!(e->flags & KNC_SAMPLING_FREQ))
		return e->period;
	if (++e->recent > KNC_BURST_SAMPLES &&
	    e->recent * e->ticks > KNC_BURST_FACTOR * (tsc - e->last)) {
		e->period = min_t(u64, 2 * e->period, KNC_PMU_MAX_PERIOD);
		count->period = e->period;
	}
	return knc_period_is_drawn(e) ? knc_period_draw(e, e->period) : e->period;
}

/*
 * A segment has ended: *@left is 0 or less. Begin the next one, of @segment events. If the PMI was
 * late, several segments of this length may have ended, too. Returns the events of all segments
 * that have ended.
 */
static inline u64 knc_period_next_segment(struct knc_count *count, u64 segment, s64 *left)
{
	u64 whole = div64_u64(-*left, segment) * segment;
	u64 events = count->segment + whole;

	*left += whole + segment;
	count->segment = segment;
	return events;
}

/* The part of @carry that a sample of @events takes over */
static inline u64 knc_period_take_carry(struct knc_count *count, u64 events)
{
	u64 carry = min_t(u64, count->carry, events >> KNC_CARRY_SHIFT);

	count->carry -= carry;
	return carry;
}

/*
 * End periods that passed without a sample: add their events to @unsampled, update @left, and
 * return the events.
 */
static inline u64 knc_period_skip(struct knc_sampler *s, const struct knc_sampling *e,
				  struct knc_count *count, s64 *left)
{
	unsigned int event = e - s->sampling;
	u64 skipped;

	if (*left > 0)
		return 0;
	skipped = knc_period_next_segment(count, count->period, left);
	s->ring.control->unsampled[event] += skipped;
	return skipped;
}

#endif /* KNC_PMU_PERIOD_H */
