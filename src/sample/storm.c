// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: PMIs that leave too little time for anything else, and throttling, which ends them
 *
 * Throttling pauses samples for so long that the PMIs, spread over storm and pause, are no storm.
 * An NMI can set no timer: instead the counter is loaded for about as many events as the present
 * rate makes in a pause. If the program becomes slower, the tick ends the pause.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "sample/period.h"
#include "sample/ring.h"
#include "sample/storm.h"

/*
 * Events in @ticks, at the rate of @events in @took, plus 1/32: an overflow just before the end of
 * the pause would cost a second load, of at least twice as many events.
 */
static u64 knc_storm_events(u64 events, u64 ticks, u64 took)
{
	return div64_u64(events * ticks, took) * 33 / 32 + 2;
}

/* Remember the load of a throttled counter: @events, but at least 1 and at most its largest load */
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
 * knc_storm_throttle() - throttle the samples of a count
 * @hw: the hardware thread; its throttled_until says for how long
 * @count: the count, up to date; its counter is stopped and will be loaded
 * @tsc: the time stamp
 * @events: about how many events come until then; 0: not known
 */
void knc_storm_throttle(struct knc_hwthread *hw, struct knc_count *count,
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

/* A record of the end of throttling was written: take samples again. */
static void knc_unthrottled(struct knc_sampling *e, struct knc_count *count, u64 tsc)
{
	e->skipped = 0;
	e->flags &= ~KNC_SAMPLING_THROTTLED;
	if (e->flags & KNC_SAMPLING_FREQ)
		knc_period_adapt(e, count, tsc);
	e->fast_period = knc_period_fast(e, count);
}

/*
 * The next load of a throttled counter: the events of the remaining @ticks, at the rate since the
 * last load. At least twice the last load: otherwise PMIs themselves might take most of the time.
 */
static u64 knc_throttled_events(const struct knc_sampling *e, u64 ticks, s64 left, u64 tsc)
{
	u64 events = e->pause - left, took = max_t(u64, knc_clock_elapsed(tsc, e->paused), 1);

	/* keep the product within 64 bits; @ticks are at most a hundredth of a second */
	while (events >> 32) {
		events >>= 1;
		took = max_t(u64, took >> 1, 1);
	}
	return max_t(u64, knc_storm_events(events, ticks, took), 2 * e->pause);
}

/**
 * knc_storm_overflow() - the counter of a throttled event has overflowed
 * @hw: the hardware thread
 * @count: the count; its counter is stopped
 * @left: what is left of its load, 0 or less
 * @tsc: time stamp of the interrupt
 *
 * In the overflow interrupt, like knc_sampler_overflow().
 *
 * Return: events to the next overflow.
 */
s64 knc_storm_overflow(struct knc_hwthread *hw, struct knc_count *count,
		       s64 left, u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	struct knc_sampler *s = e->sampler;
	u64 max = pmu_max_load(count->counter), ticks = knc_storm_ticks_left(hw, tsc), events;
	s64 next = knc_storm_left(e, left);

	if (hw->storm.throttled_until == KNC_UNTIL_TICK)
		return knc_throttled_load(e, count, max, next, tsc);
	if (ticks) {
		events = knc_throttled_events(e, ticks, left, tsc);
		return knc_throttled_load(e, count, events, next, tsc);
	}
	hw->storm.throttled_until = 0;
	e->skipped += knc_period_skip(s, e, count, &next);
	if (!knc_ring_reserve(&s->ring, sizeof(struct knc_pmu_throttle)))
		return knc_throttled_load(e, count, max, next, tsc);
	knc_unthrottle_record(s, e, knc_ring_end(&s->ring), knc_sampler_time(s, tsc));
	knc_ring_commit(&s->ring, sizeof(struct knc_pmu_throttle));
	knc_unthrottled(e, count, tsc);
	return next;
}

/* End throttling, if the ring has room for its record; on the hardware thread, interrupts off */
void knc_storm_unthrottle(struct knc_sampler *s, struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;
	struct knc_pmu_throttle record;
	u64 tsc = knc_hw_read_tsc();
	s64 left = knc_storm_left(e, count->left);

	e->skipped += knc_period_skip(s, e, count, &left);
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
 * knc_storm_resume() - start or continue a count on a hardware thread that is throttled
 * @hw: the hardware thread
 * @count: the count, up to date; its counter will be loaded
 * @tsc: the time stamp
 *
 * Throttling belongs to the hardware thread: neither a new session nor another task ends it.
 */
void knc_storm_resume(struct knc_hwthread *hw, struct knc_count *count, u64 tsc)
{
	struct knc_sampling *e = count->sampling;

	if (e->flags & KNC_SAMPLING_THROTTLED)
		count->left = knc_throttled_load(e, count, e->pause, count->left, tsc);
	else if (knc_storm_ticks_left(hw, tsc))
		knc_storm_throttle(hw, count, tsc, 0);
}

/**
 * struct knc_pause - how long samples are throttled
 * @until: time stamp of the end, or KNC_UNTIL_TICK
 * @took: cycles that the storm took
 */
struct knc_pause {
	u64 until;
	u64 took;
};

/*
 * The first load of a pause: 1/KNC_STORM_PMIS of the events until its end, if all PMIs were of this
 * event. The overflow then measures the rate, and loads the counter for the rest. For a rare event
 * beside a frequent one this is too many: the next tick ends its pause.
 */
static u64 knc_pause_events(const struct knc_pause *pause, const struct knc_count *count, u64 tsc)
{
	u64 ticks;

	if (pause->until == KNC_UNTIL_TICK)
		return pmu_max_load(count->counter);
	ticks = min_t(u64, pause->until - tsc, U32_MAX);
	return div64_u64(min_t(u64, count->period, U32_MAX) * ticks, max_t(u64, pause->took, 1));
}

/*
 * Throttle all samples of @cntrs, the counters that count again after this PMI. These include one
 * that the interrupted code is about to stop: with a short period the next PMI would come before
 * the next instruction of this code, again and again.
 */
static void knc_storm_throttle_all(struct knc_hwthread *hw, u64 tsc, u64 cntrs,
				   const struct knc_pause *pause)
{
	struct knc_count *count;
	unsigned int n;

	hw->storm.throttled_until = pause->until;
	for_each_counter(n) {
		if (!(cntrs & pmu_bit(n)))
			continue;
		count = hw->count[n];
		if (!count->sampling)
			continue;
		knc_count_update(count);
		knc_storm_throttle(hw, count, tsc, knc_pause_events(pause, count, tsc));
		knc_count_load(count, count->left);
	}
}

static void knc_storm_begin(struct knc_hwthread *hw, u64 tsc)
{
	hw->storm.began = tsc;
	hw->storm.pmis = hw->stats.pmis;
	hw->storm.total = hw->stats.handler_total;
	hw->storm.nr_close = 0;
}

/* The hardware thread comes online: forget all earlier PMIs */
void knc_storm_init(struct knc_hwthread *hw)
{
	hw->storm.gap = knc_storm_least_gap();
	hw->storm.close_until = 0;
	hw->storm.handler_limit = 0;
	hw->storm.throttled_until = 0;
	knc_storm_begin(hw, 0);
}

/*
 * A close PMI. One PMI that is not close does not end a storm. One very long handler, for example
 * because the virtual machine was stopped, counts only for a while: the mean is taken over the
 * handlers since @began.
 */
void knc_storm_close_pmi(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	u64 pmis = hw->stats.pmis - hw->storm.pmis;
	u64 total = hw->stats.handler_total - hw->storm.total;
	u64 mean = pmis ? div64_u64(total, pmis) : 0;
	u64 gap = max(hw->storm.gap, knc_storm_factor(hw) * mean);
	struct knc_pause pause;

	if (knc_clock_elapsed(tsc, hw->storm.began) > KNC_STORM_GAPS * KNC_STORM_PMIS * gap)
		knc_storm_begin(hw, tsc);
	if (++hw->storm.nr_close < KNC_STORM_PMIS)
		return;
	pause.took = knc_clock_elapsed(tsc, hw->storm.began);
	/* at most until the next tick: one very long handler makes the mean huge */
	pause.until = tsc + min(pmis * gap - min(pmis * gap, pause.took), knc_period_window());
	/* the next storm is measured from the end of the pause */
	knc_storm_begin(hw, pause.until);
	if (pause.until > tsc)
		knc_storm_throttle_all(hw, tsc, cntrs, &pause);
}

/*
 * If no tick came for too long, throttle, and raise @gap: PMIs at this rate are then close, until
 * knc_storm_tick() has lowered @gap again.
 */
void knc_storm_check_ticks(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	static const struct knc_pause until_tick = { .until = KNC_UNTIL_TICK };
	u64 since = knc_clock_elapsed(tsc, hw->storm.ticked);
	u64 pmis = hw->stats.pmis - hw->storm.ticked_pmis;
	bool ticks = hw->storm.ticks_seen != hw->storm.ticks;

	if (!ticks && since < KNC_STORM_TICK_LATE * (u64)tsc_khz)
		return;
	hw->storm.ticks_seen = hw->storm.ticks;
	hw->storm.ticked = tsc;
	hw->storm.ticked_pmis = hw->stats.pmis;
	if (ticks || pmis * tsc_khz < KNC_STORM_LATE_PER_MS * since)
		return;
	hw->storm.gap = max(hw->storm.gap, div64_u64(KNC_STORM_LATE_PER_MS * since, pmis));
	knc_storm_throttle_all(hw, tsc, cntrs, &until_tick);
}

/* A tick: on the hardware thread, interrupts off */
void knc_storm_tick(struct knc_hwthread *hw)
{
	hw->storm.ticks++;
	if (hw->storm.throttled_until == KNC_UNTIL_TICK ||
	    !knc_storm_ticks_left(hw, knc_hw_read_tsc()))
		hw->storm.throttled_until = 0;
	hw->storm.gap -= (hw->storm.gap - knc_storm_least_gap()) >> KNC_STORM_DECAY;
}
