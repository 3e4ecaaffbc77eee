// SPDX-License-Identifier: GPL-2.0
/*
 * Periods of events that are sampled at a frequency: adapted to the event's rate
 *
 * After each sample the distance to the next one (the segment) is drawn at random, from half a
 * period to one and a half: no loop of a program can run in step with it. The period follows the
 * event's rate over whole windows of time, not between two samples, because events come in bursts.
 * A segment is shortened only if it has become far too long, and then in proportion: if its sample
 * came at once, it would show the code that adapts periods.
 *
 * A period with a limit stays fixed, and samples take the fast path, until the tick or the next
 * switch to the task finds that samples come faster than the limit. Then the period is adapted.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include <asm/tsc.h>

#include "count/clock.h"
#include "sample/period.h"
#include "sample/state.h"

/* One adaptation changes a period by a factor of up to 2^KNC_ADAPT_SHIFT. */
#define KNC_ADAPT_SHIFT		4

/* Time constant with which a period follows its event's rate: short pauses hardly change it */
#define KNC_ADAPT_MS		320

/* A segment is cut short if 2^KNC_LONG_SHIFT periods or more are left of it. */
#define KNC_LONG_SHIFT		4

/*
 * The period for the wanted frequency at the present rate, @events in @ticks.
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

/* The shortest period with which @events in a window do not make too many samples */
static u64 knc_period_least(const struct knc_sampling *e, u64 events)
{
	u64 most = div64_u64(2 * knc_period_window(), e->ticks);

	return div64_u64(events, max_t(u64, most, KNC_BURST_SAMPLES));
}

/* Move @period towards @wanted: the more ticks have passed, the further */
static u64 knc_period_step(u64 period, u64 wanted, u64 ticks)
{
	u64 time = min_t(u64, ticks, 1ULL << 38);
	u64 part = div64_u64(time << 24, time + (u64)tsc_khz * KNC_ADAPT_MS);

	if (wanted > period)
		return period + knc_period_part(wanted - period, part) + 1;
	if (wanted < period)
		return period - max_t(u64, knc_period_part(period - wanted, part), 1);
	return period;
}

/*
 * The next period with a limit. It becomes longer at once, because samples come too fast; shorter
 * only step by step; and never shorter than the period that was asked for.
 */
static u64 knc_period_limited(const struct knc_sampling *e, u64 events, u64 ticks)
{
	u64 most = min_t(u64, e->period << KNC_ADAPT_SHIFT, KNC_PMU_MAX_PERIOD);
	u64 wanted = min(knc_period_for(e, events, ticks), most);

	if (wanted < e->period)
		wanted = knc_period_step(e->period, wanted, ticks);
	return max(wanted, e->least);
}

/* The next period, after @events in @ticks */
static u64 knc_period_next(const struct knc_sampling *e, u64 events, u64 ticks)
{
	u64 least = max_t(u64, e->period >> KNC_ADAPT_SHIFT, 1);
	u64 most = min_t(u64, e->period << KNC_ADAPT_SHIFT, KNC_PMU_MAX_PERIOD);
	u64 wanted = min_t(u64, knc_period_for(e, events, ticks),
			   most << KNC_ADAPT_SHIFT);
	u64 period = knc_period_step(e->period, wanted, ticks);

	/* a period that is far too short costs much time: leave it at once */
	period = max(period, wanted >> KNC_ADAPT_SHIFT);
	period = max(period, knc_period_least(e, events));
	return clamp_t(u64, period, least, most);
}

/* Adapt the period to the rate since the last time; @count is up to date. */
void knc_period_adapt(struct knc_sampling *e, struct knc_count *count, u64 tsc)
{
	u64 counted = count->base + count->total - count->adapted;
	u64 ticks = knc_clock_ticks(tsc - e->last);

	e->period = e->least ? knc_period_limited(e, counted, ticks) :
			       knc_period_next(e, counted, ticks);
	count->period = e->period;
	count->adapted += counted;
	e->last = tsc;
	e->recent = 0;
}

/*
 * Draw a new segment if the present one is far too long for the period. If a third of the old
 * segment has passed, a third of the new one counts as passed: the next sample must not come where
 * this function is called. Passed events that the new segment does not cover go to @carry, from
 * which later samples take them.
 */
static void knc_shorten(struct knc_sampling *e, struct knc_count *count)
{
	u64 segment, left, over = count->segment - count->left;

	if (count->left <= 0 || (u64)count->left >> KNC_LONG_SHIFT < e->period)
		return;
	segment = knc_period_draw(e, e->period);
	left = knc_period_part(segment, div64_u64((u64)count->left << 24, count->segment));
	left = clamp_t(u64, left, 1, segment);
	count->carry += over - (segment - left);
	count->segment = segment;
	count->left = left;
}

/* Adapt the period if that is due; @count is up to date and stopped. */
void knc_period_adapt_if_due(struct knc_sampling *e, struct knc_count *count,
			     u64 tsc)
{
	if (tsc - e->last >= knc_period_adapt_limit(e)) {
		knc_period_adapt(e, count, tsc);
		knc_shorten(e, count);
	}
	e->fast_period = knc_period_fast(e, count);
}
