/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a session in groups, and the counters of each
 */
#ifndef KNC_PMU_GROUPS_H
#define KNC_PMU_GROUPS_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "pmu/pmu.h"
#include "request/event.h"

/**
 * struct knc_group - events that are counted together
 * @nr: number of events
 * @event: their indices in CONFIG's array
 */
struct knc_group {
	u8 nr;
	u8 event[PMU_MAX_COUNTERS];
};

/**
 * struct knc_groups - the groups of a session
 * @nr_events: number of events
 * @nr_groups: number of groups; 1: no multiplexing
 * @group: the groups; a pinned event is in all of them
 * @owned: mask of the counters of all events
 */
struct knc_groups {
	unsigned int nr_events;
	unsigned int nr_groups;
	struct knc_group group[KNC_PMU_MAX_SET];
	u64 owned;
};

int knc_groups_init(struct knc_groups *groups, const struct knc_event *events,
		    unsigned int nr, struct knc_refusal *why);
int knc_groups_assign(struct knc_groups *groups, struct knc_event *events,
		      u64 free, struct knc_refusal *why);

#endif /* KNC_PMU_GROUPS_H */
