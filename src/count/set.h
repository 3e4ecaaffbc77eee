/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More events than counters: groups that take turns
 */
#ifndef KNC_PMU_SET_H
#define KNC_PMU_SET_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "count/event.h"
#include "count/hwthread.h"

/**
 * struct knc_group - events that are counted together
 * @nr: how many
 * @event: which they are, indices into those of CONFIG
 */
struct knc_group {
	u8 nr;
	u8 event[KNC_NR_COUNTERS];
};

/**
 * struct knc_layout - the groups of a session
 * @nr_events: events
 * @nr_groups: groups; 1: nothing takes turns
 * @group: the groups; a pinned event is in each
 * @cntrs: mask of the counters they need
 */
struct knc_layout {
	unsigned int nr_events;
	unsigned int nr_groups;
	struct knc_group group[KNC_PMU_MAX_SET];
	u32 cntrs;
};

/**
 * struct knc_set - what a claim with several groups has besides the present one
 * @layout: the groups
 * @seq: odd while another group gets its turn; then it is not what it was
 * @group: the present one
 * @since: since when it has been counted, time stamp counter ticks; 0: it is not
 * @turn: for how long in this turn before that, ticks at tsc_khz
 * @ticks: for how long each group was counted in the turns before, likewise
 * @count: the counts of all events; those of the present group are in the claim
 */
struct knc_set {
	const struct knc_layout *layout;
	u32 seq;
	unsigned int group;
	u64 since;
	u64 turn;
	u64 *ticks;
	struct knc_count count[];
};

int knc_layout_init(struct knc_layout *l, const struct knc_pmu_event *events,
		    unsigned int nr, struct knc_refusal *why);
int knc_layout_assign(struct knc_layout *l, struct knc_pmu_event *events,
		      unsigned int free, struct knc_refusal *why);

int knc_set_init(struct knc_claim *claim, const struct knc_layout *l,
		 const struct knc_count *counts, gfp_t gfp);
void knc_set_free(struct knc_claim *claim);
void knc_set_reset(struct knc_claim *claim);
void knc_set_read(const struct knc_claim *claim, const u64 *present, u64 tsc,
		  u64 *values, u64 *running);
void knc_set_read_folded(const struct knc_claim *claim, u64 *values,
			 u64 *running);
void knc_set_fold(struct knc_set *set, u64 tsc);
void knc_set_pause(struct knc_set *set, u64 tsc);
bool knc_set_is_due(const struct knc_set *set, u64 tsc);
void knc_set_next(struct knc_claim *claim);

void knc_rotor_get(void);
void knc_rotor_put(void);
void knc_rotor_online(void);
void knc_rotor_offline(void);

#endif /* KNC_PMU_SET_H */
