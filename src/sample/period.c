// SPDX-License-Identifier: GPL-2.0
/*
 * Periods of events that are sampled at a frequency: adapted to the rate of the event
 *
 * At a frequency the distance to the next sample is drawn when the last one is taken,
 * at random, from half a period to one and a half: no loop keeps step with that. Where
 * the next sample falls then depends on the program alone. The period follows the rate
 * of the event over whole windows of time, not between two samples: most programs
 * count in bursts. A distance is changed under way only if it has become far too long,
 * and in proportion, because a sample that comes soon would hit the code that adapts.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include <asm/tsc.h>

#include "count/clock.h"
#include "sample/period.h"
#include "sample/sampler.h"

/* A period is multiplied or divided by this at most when it is adapted */
#define KNC_ADAPT_SHIFT		4

/* It follows the rate of events in about this time: a pause is no change of the rate. */
#define KNC_ADAPT_MS		320

/* A segment is cut short if more than so many periods are left of it. */
#define KNC_LONG_SHIFT		4

/*
 * The period with which samples would come as often as they should, if events
 * go on as they did: @events in @ticks.
 */
static u64 knc_period_for(const struct knc_sampling *e, u64 events, u64 ticks)
{
	/* keep the product within 64 bits */
	while (events >> 30) {
		events >>= 1;
		ticks >>= 1;
	}
	return div64_u64(events * e->ticks, max_t(u64, ticks, 1));
}

/* The least period with which @events in a window are not too many samples */
static u64 knc_period_least(const struct knc_sampling *e, u64 events)
{
	u64 most = div64_u64(2 * knc_window(), e->ticks);

	return div64_u64(events, max_t(u64, most, KNC_BURST_SAMPLES));
}

/* What is between @period and @wanted, as much as @ticks are of the time it takes */
static u64 knc_period_step(u64 period, u64 wanted, u64 ticks)
{
	u64 time = min_t(u64, ticks, 1ULL << 38);
	u64 part = div64_u64(time << 24, time + (u64)tsc_khz * KNC_ADAPT_MS);

	if (wanted > period)
		return period + knc_part(wanted - period, part) + 1;
	if (wanted < period)
		return period - max_t(u64, knc_part(period - wanted, part), 1);
	return period;
}

/* The period after @events in @ticks */
static u64 knc_period_next(const struct knc_sampling *e, u64 events, u64 ticks)
{
	u64 least = max_t(u64, e->period >> KNC_ADAPT_SHIFT, 1);
	u64 most = min_t(u64, e->period << KNC_ADAPT_SHIFT, KNC_PMU_MAX_PERIOD);
	u64 wanted = min_t(u64, knc_period_for(e, events, ticks),
			   most << KNC_ADAPT_SHIFT);
	u64 period = knc_period_step(e->period, wanted, ticks);

	/* one that is far too short costs much */
	period = max(period, wanted >> KNC_ADAPT_SHIFT);
	period = max(period, knc_period_least(e, events));
	return clamp_t(u64, period, least, most);
}

/* Adapt the period to what was counted since that was done last; @count is folded. */
void knc_adapt(struct knc_sampling *e, struct knc_count *count, u64 tsc)
{
	u64 counted = count->base + count->total - count->adapted;

	e->period = knc_period_next(e, counted, knc_clock_ticks(tsc - e->last));
	count->period = e->period;
	count->adapted += counted;
	e->last = tsc;
	e->recent = 0;
}

/*
 * A segment that is far too long for the period by now is drawn anew, and as much of it
 * is over as of the old one: that says nothing of where this is done. Of what was
 * counted, the part that the new one does not tell of is for the samples of longer
 * segments: there it was counted.
 */
static void knc_shorten(struct knc_sampling *e, struct knc_count *count)
{
	u64 segment, left, over = count->segment - count->left;

	if (count->left <= 0 || (u64)count->left >> KNC_LONG_SHIFT < e->period)
		return;
	segment = knc_draw(e, e->period);
	left = knc_part(segment, div64_u64((u64)count->left << 24, count->segment));
	left = clamp_t(u64, left, 1, segment);
	count->rest += over - (segment - left);
	count->segment = segment;
	count->left = left;
}

/* @count is folded, its counter stopped: has it been long without a sample? */
void knc_adapt_overdue(struct knc_sampling *e, struct knc_count *count,
		       u64 tsc)
{
	if (tsc - e->last < knc_overdue(e))
		return;
	knc_adapt(e, count, tsc);
	knc_shorten(e, count);
}
