/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: which are legal, which counter can count them
 */
#ifndef KNC_PMU_EVENT_H
#define KNC_PMU_EVENT_H

#include <linux/types.h>

/**
 * struct knc_event - one event of a request, as struct knc_pmu_event describes it
 * @event: its code
 * @extra: its second word
 * @counters: mask of the counters it may be put on; 0: any that can count it
 * @sample_period: from one sample to the next; samples a second; or 0
 * @flags: KNC_PMU_EVENT_*
 * @cmask: counter mask
 * @group: events of the same group are counted together
 * @counter: the counter it was put on
 */
struct knc_event {
	u64 event;
	u64 extra;
	u64 counters;
	u64 sample_period;
	u32 flags;
	u32 cmask;
	u32 group;
	u32 counter;
};

/**
 * struct knc_refusal - why a request is refused, to be shown to the user
 * @reason: enum knc_pmu_reason
 * @event: index of the event it speaks of
 * @other: index of another one
 * @cpu: the hardware thread it speaks of
 * @pid: the process it speaks of
 * @counter: the counter it speaks of
 */
struct knc_refusal {
	u32 reason;
	u32 event;
	u32 other;
	u32 cpu;
	s32 pid;
	u32 counter;
};

int knc_events_check(const struct knc_event *events, unsigned int nr,
		     struct knc_refusal *why);
int knc_events_assign(struct knc_event *events, unsigned int nr,
		      u64 free, struct knc_refusal *why);
bool knc_events_place(const u64 *can, unsigned int nr, unsigned int *at, bool first);
unsigned int knc_events_missing(const struct knc_event *events,
				unsigned int nr, u64 free,
				struct knc_refusal *why);
bool knc_event_is_own(const struct knc_event *e);
u64 knc_event_counters(const struct knc_event *e);
bool knc_events_core_wide(const struct knc_event *events, unsigned int nr);
u64 knc_event_evtsel(const struct knc_event *event);

#endif /* KNC_PMU_EVENT_H */
