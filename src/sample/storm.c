// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: overflow interrupts that leave too little time for anything else, and the
 * throttling of samples that ends them
 *
 * A storm is over when so much time has passed that its interrupts are no longer too many. No
 * timer can be set in an NMI: the counter is loaded for about as many events as that takes at the
 * present rate. The tick ends the pause of a program that has become slower.
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
 * Events in @ticks, at the rate of @events in @took, and a thirty-second more: if the counter
 * overflows just before the pause is over, it is loaded for twice as long.
 */
static u64 knc_storm_events(u64 events, u64 ticks, u64 took)
{
	return div64_u64(events * ticks, took) * 33 / 32 + 2;
}

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
 * knc_storm_throttle() - take no samples of a count for a while
 * @hw: the hardware thread; its throttled_until says for how long
 * @count: the count, up to date; its counter is stopped and will be loaded
 * @tsc: the time stamp
 * @events: about as many events come until then; 0: not known
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
	e->skipped += knc_skip(s, e, count, &next);
	if (!knc_ring_reserve(&s->ring, sizeof(struct knc_pmu_throttle)))
		return knc_throttled_load(e, count, max, next, tsc);
	knc_unthrottle_record(s, e, knc_ring_end(&s->ring), knc_sampler_time(s, tsc));
	knc_ring_commit(&s->ring, sizeof(struct knc_pmu_throttle));
	knc_unthrottled(e, count, tsc);
	return next;
}

/* Sample again, if the ring has room; on the hardware thread, interrupts off */
void knc_storm_unthrottle(struct knc_sampler *s, struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;
	struct knc_pmu_throttle record;
	u64 tsc = knc_hw_read_tsc();
	s64 left = knc_storm_left(e, count->left);

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
 * knc_storm_resume() - a count begins, or goes on, on a hardware thread with a storm
 * @hw: the hardware thread, which has throttled samples, or whose sampler has
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
 * @until: until this time stamp, or KNC_UNTIL_TICK
 * @took: cycles in which the interrupts of the storm came
 */
struct knc_pause {
	u64 until;
	u64 took;
};

/*
 * One in KNC_STORM_PMIS of the events that come until the pause is over, if all interrupts were
 * this event's. Their overflow measures the rate, and loads the counter for the rest. Too many for
 * a rare event beside a frequent one: the next tick ends its pause.
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
 * Throttle all samples of @cntrs, which count again after this interrupt. That
 * includes a counter that is just being stopped: with a short period the next
 * interrupt would come before the next instruction, again and again.
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

/* The hardware thread comes online: interrupts before that count for nothing */
void knc_storm_init(struct knc_hwthread *hw)
{
	hw->storm.gap = knc_storm_least_gap();
	hw->storm.close_until = 0;
	hw->storm.handler_limit = 0;
	hw->storm.throttled_until = 0;
	knc_storm_begin(hw, 0);
}

/*
 * A close interrupt. A late one between close ones does not end a storm. One
 * handler that took very long, as when a virtual machine is stopped, does not
 * count for ever: the mean is of the handlers since @began.
 */
void knc_storm_close_pmi(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	u64 pmis = hw->stats.pmis - hw->storm.pmis;
	u64 total = hw->stats.handler_total - hw->storm.total;
	u64 mean = pmis ? div64_u64(total, pmis) : 0;
	u64 gap = max(hw->storm.gap, knc_storm_factor(hw) * mean);
	struct knc_pause pause;

	if (knc_elapsed(tsc, hw->storm.began) > KNC_STORM_GAPS * KNC_STORM_PMIS * gap)
		knc_storm_begin(hw, tsc);
	if (++hw->storm.nr_close < KNC_STORM_PMIS)
		return;
	pause.took = knc_elapsed(tsc, hw->storm.began);
	/* not longer than a tick: one very long handler makes the mean huge */
	pause.until = tsc + min(pmis * gap - min(pmis * gap, pause.took), knc_window());
	/* the next storm is measured from the end of the pause */
	knc_storm_begin(hw, pause.until);
	if (pause.until > tsc)
		knc_storm_throttle_all(hw, tsc, cntrs, &pause);
}

/*
 * If no tick came for too long, throttle, and raise @gap: interrupts like
 * these are close until knc_storm_tick() has lowered it again.
 */
void knc_storm_check_ticks(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	static const struct knc_pause until_tick = { .until = KNC_UNTIL_TICK };
	u64 since = knc_elapsed(tsc, hw->storm.ticked);
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
