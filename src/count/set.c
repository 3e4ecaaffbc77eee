// SPDX-License-Identifier: GPL-2.0
/*
 * More events than counters: groups that take turns
 *
 * The present group's counts are in the claim, where everything else finds them; the
 * others wait here. A group's turn ends when it has been counted for so long: looked
 * at by a timer on each hardware thread (rotor.c), and when a task is switched to, which
 * may never run long enough for the timer to find it. How long each group was counted is
 * measured in the ticks in which it was, at tsc_khz (clock.h): they add up.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/set.h"
#include "pmu/hw.h"

/* The present group's counts go to the claim. */
static void knc_set_take(struct knc_claim *claim)
{
	const struct knc_set *set = claim->set;
	const struct knc_group *g = &set->layout->group[set->group];
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

/* They come back. */
static void knc_set_put(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;
	const struct knc_group *g = &set->layout->group[set->group];
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		set->count[g->event[i]] = claim->count[i];
}

/**
 * knc_set_init() - let groups take turns in a claim
 * @claim: the claim
 * @l: the groups, which must stay where they are
 * @counts: what each event begins with
 * @gfp: how to get memory
 *
 * Return: 0, or -ENOMEM.
 */
int knc_set_init(struct knc_claim *claim, const struct knc_layout *l,
		 const struct knc_count *counts, gfp_t gfp)
{
	size_t size = sizeof(*claim->set) + l->nr_events * sizeof(*counts);
	struct knc_set *set;

	set = kzalloc(size + l->nr_groups * sizeof(*set->ticks), gfp);
	if (!set)
		return -ENOMEM;
	set->layout = l;
	set->ticks = (void *)set + size;
	memcpy(set->count, counts, l->nr_events * sizeof(*counts));
	claim->set = set;
	knc_set_take(claim);
	return 0;
}

void knc_set_free(struct knc_claim *claim)
{
	kfree(claim->set);
	claim->set = NULL;
}

/* How long the present group has been counted in this turn */
static u64 knc_set_turn(const struct knc_set *set, u64 tsc)
{
	if (!set->since)
		return set->turn;
	return set->turn + knc_clock_ticks(tsc - set->since);
}

/* Counts and times to 0; the claim's own are the caller's business. */
void knc_set_reset(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;
	unsigned int i;

	for (i = 0; i < set->layout->nr_events; i++)
		set->count[i].total = 0;
	memset(set->ticks, 0, set->layout->nr_groups * sizeof(*set->ticks));
	set->turn = 0;
	if (set->since)
		set->since = knc_hw_read_tsc();
}

/**
 * knc_set_read() - what all events have counted, and for how long
 * @claim: a claim with several groups
 * @present: what those of the present one have
 * @tsc: when that was; 0: when they were last brought up to date
 * @values: a count for each event, out
 * @running: for how long each was counted, time stamp counter ticks, out
 */
void knc_set_read(const struct knc_claim *claim, const u64 *present, u64 tsc,
		  u64 *values, u64 *running)
{
	const struct knc_set *set = claim->set;
	const struct knc_layout *l = set->layout;
	unsigned int g, i;
	u64 ticks;

	for (i = 0; i < l->nr_events; i++) {
		values[i] = set->count[i].total;
		running[i] = 0;
	}
	for (g = 0; g < l->nr_groups; g++) {
		ticks = set->ticks[g];
		if (g == set->group)
			ticks += tsc ? knc_set_turn(set, tsc) : set->turn;
		for (i = 0; i < l->group[g].nr; i++)
			running[l->group[g].event[i]] += ticks;
	}
	for (i = 0; i < claim->nr; i++)
		values[l->group[set->group].event[i]] = present[i];
}

/**
 * knc_set_read_folded() - what all events had counted when that was last known
 * @claim: a claim with several groups
 * @values: a count for each event, out
 * @running: for how long each was counted, time stamp counter ticks, out
 *
 * Any CPU may ask: where its task runs another group may get its turn meanwhile.
 */
void knc_set_read_folded(const struct knc_claim *claim, u64 *values,
			 u64 *running)
{
	const struct knc_set *set = claim->set;
	u64 present[PMU_MAX_COUNTERS];
	unsigned int i;
	u32 seq;

	do {
		seq = READ_ONCE(set->seq);
		smp_rmb(); /* with knc_set_next() */
		for (i = 0; i < PMU_MAX_COUNTERS; i++)
			present[i] = claim->count[i].total;
		knc_set_read(claim, present, 0, values, running);
		smp_rmb(); /* with knc_set_next() */
	} while (seq & 1 || READ_ONCE(set->seq) != seq);
}

/* For how long it has been counted is brought up to date as well. */
void knc_set_fold(struct knc_set *set, u64 tsc)
{
	if (!set->since)
		return;
	set->turn = knc_set_turn(set, tsc);
	set->since = tsc;
}

/* The present group is not counted for the time being. */
void knc_set_pause(struct knc_set *set, u64 tsc)
{
	knc_set_fold(set, tsc);
	set->since = 0;
}

/* Is the present group's turn over? */
bool knc_set_is_due(const struct knc_set *set, u64 tsc)
{
	/* a timer that is a little early is not to come for nothing */
	return knc_set_turn(set, tsc) >= (u64)tsc_khz * KNC_TURN_MS * 3 / 4;
}

/* It is the next group's turn; nothing of the claim is on a counter. */
void knc_set_next(struct knc_claim *claim)
{
	struct knc_set *set = claim->set;

	WRITE_ONCE(set->seq, set->seq + 1);
	smp_wmb(); /* with knc_set_read_folded() */
	knc_set_put(claim);
	set->ticks[set->group] += set->turn;
	set->turn = 0;
	set->group = (set->group + 1) % set->layout->nr_groups;
	knc_set_take(claim);
	smp_wmb(); /* with knc_set_read_folded() */
	WRITE_ONCE(set->seq, set->seq + 1);
}
