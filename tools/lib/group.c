// SPDX-License-Identifier: GPL-2.0
/* Puts events into groups that are counted together */
#include <knc/regs.h>

#include "private.h"

#define NONE	(~0U)

/* Mask of the counters that can count the event */
static unsigned int counters_of(const struct kncpmu_item *item)
{
	const struct kncpmu_event_desc *desc;
	unsigned int mask = (1U << KNC_NR_COUNTERS) - 1;

	desc = kncpmu_event_of(&item->event);
	if (desc)
		mask &= desc->counters;
	if (item->event.counters)
		mask &= item->event.counters;
	return mask;
}

static int single_counter(unsigned int mask)
{
	return !(mask & (mask - 1));
}

/* Two events fit if each finds a counter of its own */
static int fit(const struct kncpmu_item *a, const struct kncpmu_item *b)
{
	unsigned int ca = counters_of(a), cb = counters_of(b);

	return ca && cb && !(ca == cb && single_counter(ca));
}

/**
 * struct grouping - the work of kncpmu_group()
 * @items: the events
 * @nr: how many
 * @sets: the sets so far
 * @nr_sets: how many
 */
struct grouping {
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

/* Number of free events after @first: those with one possible counter, or those with a choice */
static unsigned int count_free(const struct grouping *g, unsigned int first,
			       int single)
{
	unsigned int i, n = 0;

	for (i = first + 1; i < g->nr; i++) {
		if (is_free(g, i) &&
		    single_counter(counters_of(&g->items[i])) == single)
			n++;
	}
	return n;
}

/*
 * The event to be counted with @first: the next one that fits. But if @first can be
 * on any counter, and more of the rest have one possible counter only, the next of
 * these: two of them can't be together.
 */
static unsigned int companion(const struct grouping *g, unsigned int first)
{
	int scarce, single = single_counter(counters_of(&g->items[first]));
	unsigned int i;

	scarce = !single && count_free(g, first, 1) > count_free(g, first, 0);
	for (i = first + 1; i < g->nr; i++) {
		if (!is_free(g, i) || !fit(&g->items[first], &g->items[i]))
			continue;
		if (scarce && !single_counter(counters_of(&g->items[i])))
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

unsigned int kncpmu_group(const struct kncpmu_item *items, unsigned int nr,
			  struct kncpmu_set *sets)
{
	struct grouping g = { .items = items, .nr = nr, .sets = sets };
	struct kncpmu_set *set;
	unsigned int i, other;

	for (i = 0; i < nr; i++) {
		if (taken(&g, i))
			continue;
		other = items[i].group ? group_member(&g, i) : companion(&g, i);
		set = &sets[g.nr_sets++];
		set->nr = 1;
		set->item[0] = i;
		if (other != NONE)
			set->item[set->nr++] = other;
	}
	return g.nr_sets;
}
