// SPDX-License-Identifier: GPL-2.0
/*
 * Does a request ask for samples, and can they be taken? struct knc_sampling of state.h then
 * describes how an event is sampled.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "request/samples.h"

static bool knc_events_sampled(const struct knc_request *req)
{
	unsigned int i;

	for (i = 0; i < req->nr_events; i++)
		if (knc_event_is_sampled(&req->events[i]))
			return true;
	return false;
}

/**
 * knc_samples_wanted() - does a request ask for samples?
 * @req: the request of CONFIG
 *
 * Return: true if it asks for samples of events or of time.
 */
bool knc_samples_wanted(const struct knc_request *req)
{
	return req->sample_interval || knc_events_sampled(req);
}

static u32 knc_period_check(const struct knc_event *event)
{
	bool freq = event->flags & KNC_PMU_EVENT_FREQ;
	bool limit = event->flags & KNC_PMU_EVENT_LIMIT;

	if (!knc_event_is_sampled(event))
		return freq || limit || event->sample_period ?
		       KNC_PMU_REASON_SAMPLE_FREQ : KNC_PMU_REASON_NONE;
	/* the PMI takes the samples */
	if (!this_pmu->interrupts)
		return KNC_PMU_REASON_SAMPLE_PERIOD;
	if (!event->sample_period ||
	    event->sample_period > (freq ? KNC_PMU_MAX_FREQ : KNC_PMU_MAX_PERIOD))
		return KNC_PMU_REASON_SAMPLE_PERIOD;
	if (limit && (freq || !event->max_freq || event->max_freq > KNC_PMU_MAX_FREQ))
		return KNC_PMU_REASON_SAMPLE_PERIOD;
	/* a frequency needs the rate of the TSC; main.c has warned */
	if ((freq || limit) && !tsc_khz)
		return KNC_PMU_REASON_SAMPLE_FREQ;
	return KNC_PMU_REASON_NONE;
}

static bool knc_interval_ok(u64 interval)
{
	return !interval || (interval >= KNC_PMU_MIN_INTERVAL &&
			     interval <= KNC_PMU_MAX_INTERVAL);
}

static bool knc_ring_ok(const struct knc_request *req)
{
	if (!knc_samples_wanted(req))
		return !req->ring_size && !req->watermark;
	/* room for two records: padding as long as a record may precede a record */
	return is_power_of_2(req->ring_size) &&
	       req->ring_size >= KNC_PMU_MIN_RING &&
	       req->ring_size >= 2 * knc_samples_size(req) &&
	       req->ring_size <= KNC_PMU_MAX_RING && req->watermark <= req->ring_size;
}

static bool knc_stack_ok(const struct knc_request *req)
{
	if (!(req->flags & KNC_PMU_CONFIG_STACK))
		return !req->stack_size;
	return req->stack_size && !(req->stack_size % 8) &&
	       req->stack_size <= KNC_PMU_MAX_STACK && knc_events_sampled(req);
}

static bool knc_frames_ok(const struct knc_request *req)
{
	if (!knc_samples_chains(req))
		return !req->max_frames;
	return req->max_frames && req->max_frames <= KNC_PMU_MAX_FRAMES &&
	       knc_events_sampled(req);
}

/**
 * knc_samples_check() - can the samples of a request be taken?
 * @req: the request of CONFIG
 * @why: the reason of a refusal, out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int knc_samples_check(const struct knc_request *req,
		      struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < req->nr_events; i++) {
		why->reason = knc_period_check(&req->events[i]);
		if (why->reason == KNC_PMU_REASON_NONE)
			continue;
		why->event = i;
		return -EINVAL;
	}
	if (!knc_interval_ok(req->sample_interval))
		why->reason = KNC_PMU_REASON_SAMPLE_INTERVAL;
	else if (!knc_frames_ok(req))
		why->reason = KNC_PMU_REASON_FRAMES;
	else if (!knc_stack_ok(req))
		why->reason = KNC_PMU_REASON_STACK;
	else if (req->flags & KNC_PMU_CONFIG_SWITCHES && !knc_events_sampled(req))
		why->reason = KNC_PMU_REASON_SWITCHES;
	else if (!knc_ring_ok(req))
		why->reason = KNC_PMU_REASON_RING_SIZE;
	if (why->reason != KNC_PMU_REASON_NONE)
		return -EINVAL;
	if ((knc_samples_chains(req) || req->stack_size) && !KNC_COMPAT_CALLCHAIN) {
		why->reason = KNC_PMU_REASON_CALLCHAIN;
		return -EOPNOTSUPP;
	}
	return 0;
}
