// SPDX-License-Identifier: GPL-2.0
/*
 * More events than counters: groups that take turns (multiplexing)
 *
 * The present group's counts are in the claim, where all other code finds them;
 * the others wait here. A turn ends at the first check after three quarters of
 * KNC_TURN_MS of counting. A timer on each hardware thread checks every KNC_TURN_MS
 * (rotation.c). The context switch to a task checks too, because a task may never run
 * long enough to meet the timer. Times of groups are in ticks at tsc_khz (clock.h).
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/set.h"
#include "pmu/hw.h"

/* Copy the present group's counts to the claim. Until knc_set_put() those in the set are old. */
static void knc_set_take(struct knc_claim *claim)
{
	const struct knc_set *set = claim->set;
	const struct knc_group *g = &set->groups->group[set->group];
	unsigned int i;

	claim->nr = g->nr;
	claim->cntrs = 0;
	claim->obey = 0;
	for (i = 0; i < g->nr; i++) {
		claim->count[i] = set->count[g->event[i]];
		claim->cntrs |= pmu_bit(claim->count[i].counter);
		if (claim->count[i].obeys)
			claim->obey |= pmu_bit(claim->count[i].counter);
	}
}

/* Copy the present group's counts from the claim back to the set. */
static void knc_set_put(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;
	const struct knc_group *g = &set->groups->group[set->group];
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		set->count[g->event[i]] = claim->count[i];
}

/**
 * knc_set_alloc() - allocate the set of a claim with several groups
 * @claim: the claim
 * @groups: the groups, not copied: they must outlive the set
 * @gfp: flags of the allocation
 *
 * Return: 0, or -ENOMEM.
 */
int knc_set_alloc(struct knc_claim *claim, const struct knc_groups *groups, gfp_t gfp)
{
	size_t size = sizeof(*claim->set) + groups->nr_events * sizeof(*claim->set->count);
	struct knc_set *set;

	set = kzalloc(size + groups->nr_groups * sizeof(*set->ticks), gfp);
	if (!set)
		return -ENOMEM;
	set->groups = groups;
	set->ticks = (void *)set + size;
	claim->set = set;
	return 0;
}

/* Begin with the first group. @counts: the initial counts of all events */
void knc_set_init(struct knc_claim *claim, const struct knc_count *counts)
{
	struct knc_set *set = claim->set;

	if (!set)
		return;
	memcpy(set->count, counts, set->groups->nr_events * sizeof(*counts));
	knc_set_take(claim);
}

/**
 * knc_set_spread() - begin with another group than the session's other claims do
 * @claim: a claim with several groups, which has counted nothing
 * @nth: how many claims the session had before
 *
 * Many tasks end before their first turn does. If all of them began with the first group, no other
 * group would count them. Multiples of the golden ratio reach each group equally often, and no
 * pattern in the order of the tasks keeps one kind of them to one group.
 */
void knc_set_spread(struct knc_claim *claim, u64 nth)
{
	struct knc_set *set = claim->set;

	set->group = (u64)hash_32(nth, 32) * set->groups->nr_groups >> 32;
	knc_set_take(claim);
}

void knc_set_free(struct knc_claim *claim)
{
	kfree(claim->set);
	claim->set = NULL;
}

/* Time for which the present group has counted in this turn */
static u64 knc_set_turn(const struct knc_set *set, u64 tsc)
{
	if (!set->since)
		return set->turn;
	return set->turn + knc_clock_ticks(tsc - set->since);
}

/* Reset counts and times of the set; the caller resets those in the claim. */
void knc_set_reset(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;
	unsigned int i;

	for (i = 0; i < set->groups->nr_events; i++) {
		set->count[i].total = 0;
		set->count[i].shown = 0;
	}
	memset(set->ticks, 0, set->groups->nr_groups * sizeof(*set->ticks));
	set->turn = 0;
	if (set->since)
		set->since = knc_hw_read_tsc();
}

/**
 * knc_set_read() - counts and times of all events
 * @claim: a claim with several groups
 * @present: counts of the present group
 * @tsc: time stamp of @present; 0: @present is as of the last update
 * @values: the count of each event, out
 * @running: time for which each was counted, ticks at tsc_khz, out
 */
void knc_set_read(const struct knc_claim *claim, const u64 *present, u64 tsc,
		  u64 *values, u64 *running)
{
	const struct knc_set *set = claim->set;
	const struct knc_groups *groups = set->groups;
	unsigned int g, i;
	u64 ticks;

	for (i = 0; i < groups->nr_events; i++) {
		values[i] = set->count[i].total;
		running[i] = 0;
	}
	for (g = 0; g < groups->nr_groups; g++) {
		ticks = set->ticks[g];
		if (g == set->group)
			ticks += tsc ? knc_set_turn(set, tsc) : set->turn;
		for (i = 0; i < groups->group[g].nr; i++)
			running[groups->group[g].event[i]] += ticks;
	}
	for (i = 0; i < claim->nr; i++)
		values[groups->group[set->group].event[i]] = present[i];
}

/**
 * knc_set_read_totals() - counts and times of all events when last updated
 * @claim: a claim with several groups
 * @values: the count of each event, out
 * @running: time for which each was counted, ticks at tsc_khz, out
 *
 * Any CPU may call this: @seq shows if the task's CPU exchanges groups meanwhile.
 */
void knc_set_read_totals(const struct knc_claim *claim, u64 *values,
			 u64 *running)
{
	const struct knc_set *set = claim->set;
	u64 present[PMU_MAX_COUNTERS];
	unsigned int i;
	u32 seq;

	do {
		seq = READ_ONCE(set->seq);
		smp_rmb(); /* pairs with knc_set_next() */
		for (i = 0; i < PMU_MAX_COUNTERS; i++)
			present[i] = claim->count[i].total;
		knc_set_read(claim, present, 0, values, running);
		smp_rmb(); /* pairs with knc_set_next() */
	} while (seq & 1 || READ_ONCE(set->seq) != seq);
}

/* Bring the present group's time up to date; its counts already are. */
void knc_set_update(struct knc_set *set, u64 tsc)
{
	if (!set->since)
		return;
	set->turn = knc_set_turn(set, tsc);
	set->since = tsc;
}

/* The present group stops counting. */
void knc_set_pause(struct knc_set *set, u64 tsc)
{
	knc_set_update(set, tsc);
	set->since = 0;
}

/* Is the present group's turn over? */
bool knc_set_is_due(const struct knc_set *set, u64 tsc)
{
	/* three quarters: a timer that fires a little early must find the turn over */
	return knc_set_turn(set, tsc) >= (u64)tsc_khz * KNC_TURN_MS * 3 / 4;
}

/* Begin the next group's turn. The caller has taken the claim off its counters. */
void knc_set_next(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;

	claim->kept_on = NULL;
	WRITE_ONCE(set->seq, set->seq + 1);
	smp_wmb(); /* pairs with knc_set_read_totals() */
	knc_set_put(claim);
	set->ticks[set->group] += set->turn;
	set->turn = 0;
	set->group = (set->group + 1) % set->groups->nr_groups;
	knc_set_take(claim);
	smp_wmb(); /* pairs with knc_set_read_totals() */
	WRITE_ONCE(set->seq, set->seq + 1);
}
