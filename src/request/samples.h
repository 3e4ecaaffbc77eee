/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a request ask for samples, and can they be taken? struct knc_sampling of state.h then
 * describes how an event is sampled.
 */
#ifndef KNC_PMU_SAMPLES_H
#define KNC_PMU_SAMPLES_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "request/request.h"

int knc_samples_check(const struct knc_request *req,
		      struct knc_refusal *why);
bool knc_samples_wanted(const struct knc_request *req);

static inline bool knc_event_is_sampled(const struct knc_event *event)
{
	return event->flags & KNC_PMU_EVENT_SAMPLE;
}

/* The call chains that a request asks for */
static inline u32 knc_samples_chains(const struct knc_request *req)
{
	return req->flags & (KNC_PMU_CONFIG_CHAIN_USER | KNC_PMU_CONFIG_CHAIN_KERNEL);
}

/* The most bytes that a sample of an event may need in the ring */
static inline u32 knc_samples_size(const struct knc_request *req)
{
	u32 size = KNC_PMU_SAMPLE_SIZE(req->max_frames);

	return req->stack_size ? size + KNC_PMU_STACK_SIZE(req->stack_size) : size;
}

#endif /* KNC_PMU_SAMPLES_H */
