/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of a request: checks, and which counters can count them
 */
#ifndef KNC_PMU_EVENT_H
#define KNC_PMU_EVENT_H

#include <linux/types.h>

#include "request/refusal.h"

/**
 * struct knc_event - one event of a request, from struct knc_pmu_event
 * @event: the event's code
 * @extra: the event's second word, on PMUs that have one
 * @counters: mask of the counters that the caller allows; 0: all
 * @sample_period: events between samples, or samples a second; 0: not sampled
 * @max_freq: with LIMIT: samples a second, at most
 * @flags: KNC_PMU_EVENT_*
 * @cmask: counter mask
 * @group: events of the same group are counted together
 * @counter: the counter that CONFIG assigned to it
 * @known: what the PMU's table says of it, from knc_events_check(); NULL: nothing, or not looked up
 */
struct knc_event {
	u64 event;
	u64 extra;
	u64 counters;
	u64 sample_period;
	u32 max_freq;
	u32 flags;
	u32 cmask;
	u32 group;
	u32 counter;
	const struct pmu_event *known;
};

bool knc_event_any_counter(void);
int knc_events_check(struct knc_event *events, unsigned int nr,
		     struct knc_refusal *why);
int knc_events_assign(struct knc_event *events, unsigned int nr,
		      u64 free, struct knc_refusal *why);
bool knc_events_fit(const u64 *can, unsigned int nr, unsigned int *at);
bool knc_events_place(const u64 *can, unsigned int nr, unsigned int *at);
unsigned int knc_events_missing(const struct knc_event *events,
				unsigned int nr, u64 free,
				struct knc_refusal *why);
bool knc_event_is_own(const struct knc_event *e);
u64 knc_event_counters(const struct knc_event *e);
bool knc_events_from_siblings(const struct knc_event *events, unsigned int nr);
bool knc_events_need_nmi(const struct knc_event *events, unsigned int nr);
u64 knc_event_evtsel(const struct knc_event *event);

#endif /* KNC_PMU_EVENT_H */
