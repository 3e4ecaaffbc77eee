/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More events than counters: groups that take turns (multiplexing)
 */
#ifndef KNC_PMU_SET_H
#define KNC_PMU_SET_H

#include <linux/types.h>

#include "count/claim.h"
#include "request/groups.h"

/* The length of a turn, as of perf's rotation at HZ=250. TURN_MS of the tools must be equal. */
#define KNC_TURN_MS	4

/**
 * struct knc_set - the groups of a claim that has several
 * @groups: the groups
 * @seq: sequence count for readers: odd while the groups are exchanged
 * @group: index of the present group
 * @since: time stamp since which the present group has counted; 0: it does not count
 * @turn: time for which it counted in this turn before @since, ticks at tsc_khz
 * @ticks: time that each group counted in earlier turns, ticks at tsc_khz
 * @count: counts of all events; those of the present group are in the claim
 */
struct knc_set {
	const struct knc_groups *groups;
	u32 seq;
	unsigned int group;
	u64 since;
	u64 turn;
	u64 *ticks;
	struct knc_count count[];
};

int knc_set_alloc(struct knc_claim *claim, const struct knc_groups *groups, gfp_t gfp);
void knc_set_init(struct knc_claim *claim, const struct knc_count *counts);
void knc_set_spread(struct knc_claim *claim, u64 nth);
void knc_set_free(struct knc_claim *claim);
void knc_set_reset(struct knc_claim *claim);
void knc_set_read(const struct knc_claim *claim, const u64 *present, u64 tsc,
		  u64 *values, u64 *running);
void knc_set_read_totals(const struct knc_claim *claim, u64 *values,
			 u64 *running);
void knc_set_update(struct knc_set *set, u64 tsc);
void knc_set_pause(struct knc_set *set, u64 tsc);
bool knc_set_is_due(const struct knc_set *set, u64 tsc);
void knc_set_next(struct knc_claim *claim);

#endif /* KNC_PMU_SET_H */
