/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: which are legal, which counter can count them
 */
#ifndef KNC_PMU_EVENT_H
#define KNC_PMU_EVENT_H

#include <linux/types.h>

#include <knc_pmu.h>

/**
 * struct knc_refusal - why a request is refused, to be shown to the user
 * @reason: enum knc_pmu_reason
 * @event: indices of the events it speaks of
 * @cpu: the hardware thread it speaks of
 * @pid: the process it speaks of
 * @counter: the counter it speaks of
 */
struct knc_refusal {
	u32 reason;
	u32 event[2];
	u32 cpu;
	s32 pid;
	u32 counter;
};

int knc_events_check(const struct knc_pmu_event *events, unsigned int nr,
		     struct knc_refusal *why);
int knc_events_assign(struct knc_pmu_event *events, unsigned int nr,
		      unsigned int free, struct knc_refusal *why);
unsigned int knc_events_missing(const struct knc_pmu_event *events,
				unsigned int nr, unsigned int free,
				struct knc_refusal *why);
bool knc_event_is_own(const struct knc_pmu_event *e);
unsigned int knc_event_counters(const struct knc_pmu_event *e);
bool knc_events_core_wide(const struct knc_pmu_event *events, unsigned int nr);
u64 knc_event_evtsel(const struct knc_pmu_event *event);

#endif /* KNC_PMU_EVENT_H */
