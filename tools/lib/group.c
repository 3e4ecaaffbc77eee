// SPDX-License-Identifier: GPL-2.0
/* Puts events into groups that are counted together */
#include <knc/regs.h>

#include "names.h"
#include "group.h"

#define NONE	(~0U)
/* fixed counters, which count one event as it is, have higher numbers */
#define GENERAL	0xffffffffULL

/* Counters that can count the event; for a code without a name all general ones */
static __u64 counters_of(const struct kncpmu_pmu *pmu, const struct kncpmu_item *item)
{
	const struct kncpmu_event_desc *desc;
	__u64 mask = pmu->counters;

	desc = kncpmu_event_of(pmu, &item->event);
	if (desc && kncpmu_event_tries_counter(pmu, &item->event) && pmu->any_counter)
		desc = NULL;
	mask &= desc ? desc->counters : GENERAL;
	if (item->event.cmask || item->event.flags & KNC_PMU_EVENT_EDGE)
		mask &= GENERAL;
	if (item->event.counters)
		mask &= item->event.counters;
	return mask;
}

static int single_counter(__u64 mask)
{
	return !(mask & (mask - 1));
}

/* Two events fit if each finds a counter of its own */
static int fit(const struct kncpmu_pmu *pmu, const struct kncpmu_item *a,
	       const struct kncpmu_item *b)
{
	__u64 ca = counters_of(pmu, a), cb = counters_of(pmu, b);

	return ca && cb && !(ca == cb && single_counter(ca));
}

/**
 * struct grouping - the state of kncpmu_group()
 * @pmu: the PMU of the events
 * @items: the events
 * @nr: how many
 * @sets: the sets so far
 * @nr_sets: how many
 */
struct grouping {
	const struct kncpmu_pmu *pmu;
	const struct kncpmu_item *items;
	unsigned int nr;
	struct kncpmu_set *sets;
	unsigned int nr_sets;
};

static int taken(const struct grouping *g, unsigned int item)
{
	unsigned int i, j;

	for (i = 0; i < g->nr_sets; i++) {
		for (j = 0; j < g->sets[i].nr; j++) {
			if (g->sets[i].item[j] == item)
				return 1;
		}
	}
	return 0;
}

static int is_free(const struct grouping *g, unsigned int item)
{
	return !g->items[item].group && !taken(g, item);
}

/* Number of ungrouped events after @first that have only one possible counter, or a choice */
static unsigned int count_free(const struct grouping *g, unsigned int first,
			       int single)
{
	unsigned int i, n = 0;

	for (i = first + 1; i < g->nr; i++) {
		if (is_free(g, i) &&
		    single_counter(counters_of(g->pmu, &g->items[i])) == single)
			n++;
	}
	return n;
}

/*
 * Choose the event to count with @first: the next one that fits. If @first can use any counter,
 * prefer an event with only one possible counter while those are the majority: two of them can't be
 * counted together.
 */
static unsigned int companion(const struct grouping *g, unsigned int first)
{
	int scarce, single = single_counter(counters_of(g->pmu, &g->items[first]));
	unsigned int i;

	scarce = !single && count_free(g, first, 1) > count_free(g, first, 0);
	for (i = first + 1; i < g->nr; i++) {
		if (!is_free(g, i) || !fit(g->pmu, &g->items[first], &g->items[i]))
			continue;
		if (scarce && !single_counter(counters_of(g->pmu, &g->items[i])))
			continue;
		return i;
	}
	return NONE;
}

static unsigned int group_member(const struct grouping *g, unsigned int first)
{
	unsigned int i;

	for (i = first + 1; i < g->nr; i++) {
		if (g->items[i].group == g->items[first].group)
			return i;
	}
	return NONE;
}

/* Make pairs, for hardware threads with two counters */
static void make_pairs(struct grouping *g)
{
	struct kncpmu_set *set;
	unsigned int i, other;

	for (i = 0; i < g->nr; i++) {
		if (taken(g, i))
			continue;
		other = g->items[i].group ? group_member(g, i) : companion(g, i);
		set = &g->sets[g->nr_sets++];
		set->nr = 1;
		set->item[0] = i;
		if (other != NONE)
			set->item[set->nr++] = other;
	}
}

/* Find counters that are not in @used for the events from @member on */
static int place_rest(const struct grouping *g, const struct kncpmu_set *set,
		      unsigned int member, __u64 used)
{
	__u64 can;

	if (member == set->nr)
		return 1;
	can = counters_of(g->pmu, &g->items[set->item[member]]) & ~used;
	for (; can; can &= can - 1) {
		if (place_rest(g, set, member + 1, used | (can & -can)))
			return 1;
	}
	return 0;
}

/* Add the event if the whole set can be counted together, or if it belongs to the {group} */
static int joins(const struct grouping *g, struct kncpmu_set *set, unsigned int item)
{
	if (set->nr == g->pmu->nr_counters ||
	    g->items[item].group != g->items[set->item[0]].group)
		return 0;
	set->item[set->nr++] = item;
	if (g->items[item].group || place_rest(g, set, 0, 0))
		return 1;
	set->nr--;
	return 0;
}

/* Fill sets in the order of the events, each with as many as fit */
static void make_sets(struct grouping *g)
{
	struct kncpmu_set *set;
	unsigned int i, j;

	for (i = 0; i < g->nr; i++) {
		if (taken(g, i))
			continue;
		set = &g->sets[g->nr_sets++];
		set->nr = 1;
		set->item[0] = i;
		for (j = i + 1; j < g->nr; j++) {
			if (!taken(g, j))
				joins(g, set, j);
		}
	}
}

unsigned int kncpmu_group(const struct kncpmu_pmu *pmu, const struct kncpmu_item *items,
			  unsigned int nr, struct kncpmu_set *sets)
{
	struct grouping g = { .pmu = pmu, .items = items, .nr = nr, .sets = sets };

	if (pmu->nr_counters == KNC_NR_COUNTERS)
		make_pairs(&g);
	else
		make_sets(&g);
	return g.nr_sets;
}
