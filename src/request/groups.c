// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a session in groups, and the counters of each
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pmu/hw.h"
#include "request/groups.h"

static bool knc_is_pinned(const struct knc_event *event)
{
	return event->flags & KNC_PMU_EVENT_PINNED;
}

static u32 knc_group_add(struct knc_group *g, unsigned int event)
{
	if (g->nr == this_pmu->nr_counters)
		return KNC_PMU_REASON_SET_GROUP;
	g->event[g->nr++] = event;
	return KNC_PMU_REASON_NONE;
}

/* Add a pinned event to all groups, or make the first group for it. */
static u32 knc_groups_add_pinned(struct knc_groups *groups, unsigned int event)
{
	unsigned int g;

	groups->nr_groups = max(groups->nr_groups, 1u);
	for (g = 0; g < groups->nr_groups; g++)
		if (knc_group_add(&groups->group[g], event))
			return KNC_PMU_REASON_SET_PINNED;
	return KNC_PMU_REASON_NONE;
}

static u32 knc_groups_add(struct knc_groups *groups,
			  const struct knc_event *event, unsigned int i)
{
	if (event->group > groups->nr_groups)
		return KNC_PMU_REASON_SET_ORDER;
	groups->nr_groups = max(groups->nr_groups, event->group + 1);
	return knc_group_add(&groups->group[event->group], i);
}

/**
 * knc_groups_init() - put events into groups
 * @groups: the groups, out
 * @events: legal events
 * @nr: number of events, 1 to KNC_PMU_MAX_SET
 * @why: the reason of a refusal, out
 *
 * Return: 0, or -EINVAL.
 */
int knc_groups_init(struct knc_groups *groups, const struct knc_event *events,
		    unsigned int nr, struct knc_refusal *why)
{
	unsigned int i;

	BUILD_BUG_ON(PMU_MAX_COUNTERS > KNC_PMU_MAX_EVENTS);
	memset(groups, 0, sizeof(*groups));
	groups->nr_events = nr;
	for (i = 0; i < nr; i++) {
		why->event = i;
		if (!knc_is_pinned(&events[i]))
			why->reason = knc_groups_add(groups, &events[i], i);
		if (why->reason != KNC_PMU_REASON_NONE)
			return -EINVAL;
	}
	for (i = 0; i < nr; i++) {
		why->event = i;
		if (knc_is_pinned(&events[i]))
			why->reason = knc_groups_add_pinned(groups, i);
		if (why->reason != KNC_PMU_REASON_NONE)
			return -EINVAL;
	}
	return 0;
}

/* Translate indices within a group to indices of the session's events. */
static void knc_group_refused(const struct knc_group *g,
			      struct knc_refusal *why)
{
	why->event = g->event[why->event];
	if (why->reason == KNC_PMU_REASON_EVENT_PAIR)
		why->other = g->event[why->other];
}

/*
 * Assign counters of @free to the events of one group. Events with a bit in
 * @fixed keep their counter.
 */
static int knc_group_assign(const struct knc_group *g,
			    struct knc_event *events, u64 free, u32 fixed,
			    struct knc_refusal *why)
{
	struct knc_event copy[PMU_MAX_COUNTERS];
	unsigned int i;
	int err;

	for (i = 0; i < g->nr; i++) {
		copy[i] = events[g->event[i]];
		if (fixed & 1u << g->event[i])
			copy[i].counters = pmu_bit(copy[i].counter);
	}
	err = knc_events_assign(copy, g->nr, free, why);
	if (err) {
		knc_group_refused(g, why);
		return err;
	}
	for (i = 0; i < g->nr; i++)
		events[g->event[i]].counter = copy[i].counter;
	return 0;
}

static int knc_groups_try(struct knc_groups *groups, struct knc_event *events,
			  u64 free, u32 fixed, struct knc_refusal *why)
{
	unsigned int g;
	int err = 0;

	for (g = 0; !err && g < groups->nr_groups; g++)
		err = knc_group_assign(&groups->group[g], events, free, fixed,
				       why);
	return err;
}

/*
 * Collect the pinned events of a session with several groups. There are fewer of them than
 * counters, because each group also has an event that is not pinned.
 */
static void knc_groups_collect_pinned(const struct knc_groups *groups,
				      const struct knc_event *events,
				      struct knc_group *pinned)
{
	unsigned int i;

	pinned->nr = 0;
	for (i = 0; groups->nr_groups > 1 && i < groups->nr_events; i++)
		if (knc_is_pinned(&events[i]))
			pinned->event[pinned->nr++] = i;
}

/* Do the events of a group, except the pinned ones, fit on the counters of @free? */
static bool knc_group_fits(const struct knc_group *g, const struct knc_event *events, u64 free)
{
	unsigned int at[PMU_MAX_COUNTERS], i, nr = 0;
	u64 can[PMU_MAX_COUNTERS];

	for (i = 0; i < g->nr; i++)
		if (!knc_is_pinned(&events[g->event[i]]))
			can[nr++] = knc_event_counters(&events[g->event[i]]) & free;
	return knc_events_fit(can, nr, at);
}

static bool knc_groups_fit(const struct knc_groups *groups, const struct knc_event *events,
			   u64 free)
{
	unsigned int g;

	for (g = 0; g < groups->nr_groups; g++)
		if (!knc_group_fits(&groups->group[g], events, free))
			return false;
	return true;
}

/* The preferred counters of @free, in that order; returns how many there are */
static unsigned int knc_counters_list(u64 free, u8 *list)
{
	unsigned int nr = 0;

	for (; free; free &= ~pmu_bit(list[nr - 1]))
		list[nr++] = pmu_preferred(free);
	return nr;
}

/* A mask of the counters in @list whose index is a bit of @chosen */
static u64 knc_counters_chosen(const u8 *list, u32 chosen)
{
	u64 cntrs = 0;

	for (; chosen; chosen &= chosen - 1)
		cntrs |= pmu_bit(list[__ffs(chosen)]);
	return cntrs;
}

/* The next larger number with as many bits set */
static u32 knc_next_choice(u32 chosen)
{
	u32 low = chosen & -chosen, ripple = chosen + low;

	return ripple | ((chosen ^ ripple) / low) >> 2;
}

/*
 * Choose counters for the pinned events such that each group finds enough of the others. Which
 * pinned event gets which of the chosen counters does not matter: there are at most 462 choices (5
 * or 6 of 11 counters).
 */
static u64 knc_groups_choose_pinned(const struct knc_groups *groups,
				    const struct knc_event *events,
				    const struct knc_group *pinned, u64 free)
{
	unsigned int at[PMU_MAX_COUNTERS], i, nr;
	u64 can[PMU_MAX_COUNTERS], cntrs;
	u8 list[PMU_MAX_COUNTERS];
	u32 chosen;

	nr = knc_counters_list(free, list);
	for (chosen = (1u << pinned->nr) - 1; chosen < 1u << nr;
	     chosen = knc_next_choice(chosen)) {
		cntrs = knc_counters_chosen(list, chosen);
		for (i = 0; i < pinned->nr; i++)
			can[i] = knc_event_counters(&events[pinned->event[i]]) & cntrs;
		if (knc_events_fit(can, pinned->nr, at) &&
		    knc_groups_fit(groups, events, free & ~cntrs))
			return cntrs;
	}
	return 0;
}

/* If no counter of @free can count an event, report this event, and not a pair that clashes. */
static bool knc_groups_have_impossible(const struct knc_groups *groups,
				       const struct knc_event *events, u64 free,
				       struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < groups->nr_events; i++) {
		if (knc_event_counters(&events[i]) & free)
			continue;
		why->reason = KNC_PMU_REASON_EVENT_COUNTER;
		why->event = i;
		why->other = 0;
		return true;
	}
	return false;
}

static int knc_groups_assign_pinned(struct knc_groups *groups,
				    struct knc_event *events,
				    const struct knc_group *pinned, u64 free,
				    struct knc_refusal *why)
{
	unsigned int i;
	u32 fixed = 0;
	u64 cntrs;
	int err;

	BUILD_BUG_ON(KNC_PMU_MAX_SET > 32);
	BUILD_BUG_ON(PMU_MAX_COUNTERS > 31);
	cntrs = knc_groups_choose_pinned(groups, events, pinned, free);
	if (!cntrs && knc_groups_have_impossible(groups, events, free, why))
		return -EOPNOTSUPP;
	/* if no choice was found, this call fails and sets the reason */
	err = knc_group_assign(pinned, events, cntrs ?: free, 0, why);
	for (i = 0; !err && i < pinned->nr; i++)
		fixed |= 1u << pinned->event[i];
	return err ?: knc_groups_try(groups, events, free, fixed, why);
}

/**
 * knc_groups_assign() - assign each event a counter, the same in all its groups
 * @groups: the groups; @owned is set
 * @events: the events; @counter of each is set
 * @free: mask of the counters to choose from
 * @why: the reason as in knc_events_assign(), out; none after a success
 *
 * Return: 0, or -EOPNOTSUPP.
 */
int knc_groups_assign(struct knc_groups *groups, struct knc_event *events,
		      u64 free, struct knc_refusal *why)
{
	struct knc_group pinned;
	unsigned int i;
	int err;

	groups->owned = 0;
	knc_groups_collect_pinned(groups, events, &pinned);
	if (pinned.nr)
		err = knc_groups_assign_pinned(groups, events, &pinned, free,
					       why);
	else
		err = knc_groups_try(groups, events, free, 0, why);
	if (err)
		return err;
	/* clear the reason of an earlier assignment that failed */
	why->reason = KNC_PMU_REASON_NONE;
	for (i = 0; i < groups->nr_events; i++)
		groups->owned |= pmu_bit(events[i].counter);
	return 0;
}
