// SPDX-License-Identifier: GPL-2.0
/*
 * What a request wants to be sampled, and whether it can be
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "compat/compat.h"
#include "sample/sampling.h"

static bool knc_events_sampled(const struct knc_pmu_config *c,
			       const struct knc_pmu_event *events)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++)
		if (knc_is_sampled(&events[i]))
			return true;
	return false;
}

/**
 * knc_sampling_wanted() - is there anything to be sampled?
 * @c: what CONFIG was asked
 * @events: the events
 *
 * Return: true or false.
 */
bool knc_sampling_wanted(const struct knc_pmu_config *c,
			 const struct knc_pmu_event *events)
{
	return c->sample_interval || knc_events_sampled(c, events);
}

static u32 knc_period_check(const struct knc_pmu_event *event)
{
	bool freq = event->flags & KNC_PMU_EVENT_FREQ;

	if (!knc_is_sampled(event))
		return freq || event->sample_period ?
		       KNC_PMU_REASON_SAMPLE_FREQ : KNC_PMU_REASON_NONE;
	if (!event->sample_period ||
	    event->sample_period > (freq ? KNC_PMU_MAX_FREQ : KNC_PMU_MAX_PERIOD))
		return KNC_PMU_REASON_SAMPLE_PERIOD;
	return KNC_PMU_REASON_NONE;
}

static bool knc_interval_ok(u64 interval)
{
	return !interval || (interval >= KNC_PMU_MIN_INTERVAL &&
			     interval <= KNC_PMU_MAX_INTERVAL);
}

static bool knc_ring_ok(const struct knc_pmu_config *c,
			const struct knc_pmu_event *events)
{
	if (!knc_sampling_wanted(c, events))
		return !c->ring_size && !c->watermark;
	/* one record is to fit beside the padding of another */
	return is_power_of_2(c->ring_size) &&
	       c->ring_size >= KNC_PMU_MIN_RING &&
	       c->ring_size >= 2 * KNC_PMU_SAMPLE_SIZE(c->max_frames) &&
	       c->ring_size <= KNC_PMU_MAX_RING && c->watermark <= c->ring_size;
}

static bool knc_frames_ok(const struct knc_pmu_config *c,
			  const struct knc_pmu_event *events)
{
	if (!knc_chains(c))
		return !c->max_frames;
	return c->max_frames && c->max_frames <= KNC_PMU_MAX_FRAMES &&
	       knc_events_sampled(c, events);
}

/**
 * knc_sampling_check() - can samples be taken like this?
 * @c: what CONFIG was asked
 * @events: the events
 * @why: where to tell the reason of a refusal
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int knc_sampling_check(const struct knc_pmu_config *c,
		       const struct knc_pmu_event *events,
		       struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++) {
		why->reason = knc_period_check(&events[i]);
		if (why->reason == KNC_PMU_REASON_NONE)
			continue;
		why->event[0] = i;
		return -EINVAL;
	}
	if (!knc_interval_ok(c->sample_interval))
		why->reason = KNC_PMU_REASON_SAMPLE_INTERVAL;
	else if (!knc_frames_ok(c, events))
		why->reason = KNC_PMU_REASON_FRAMES;
	else if (!knc_ring_ok(c, events))
		why->reason = KNC_PMU_REASON_RING_SIZE;
	if (why->reason != KNC_PMU_REASON_NONE)
		return -EINVAL;
	if (knc_chains(c) && !KNC_COMPAT_CALLCHAIN) {
		why->reason = KNC_PMU_REASON_CALLCHAIN;
		return -EOPNOTSUPP;
	}
	return 0;
}
