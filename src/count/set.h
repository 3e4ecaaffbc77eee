/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More events than counters: groups that take turns
 */
#ifndef KNC_PMU_SET_H
#define KNC_PMU_SET_H

#include <linux/types.h>

#include "count/claim.h"
#include "count/layout.h"

/* A turn: what perf takes by default */
#define KNC_TURN_MS	4

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

#endif /* KNC_PMU_SET_H */
