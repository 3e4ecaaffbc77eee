// SPDX-License-Identifier: GPL-2.0
/*
 * Distributes events over sessions and hardware threads
 *
 * A hardware thread has two counters, a core eight. Any thread of a core can count
 * a core-wide event, and in thread mode one thread counts the events of all four.
 */
#include <errno.h>
#include <string.h>

#include "private.h"
#include "names.h"
#include "place.h"
#include "sets.h"

/**
 * struct placing - the state of kncpmu_place()
 * @request: the caller's request
 * @parts: the parts so far
 * @nr: number of parts
 * @core: the core-wide event
 * @own: the other events, at most two
 * @single: threads that count their own @own events
 * @whole: threads that count @own for their whole core, in thread mode
 * @clock: threads that count @core, for their core
 * @rest: threads on which all events must take turns
 */
struct placing {
	const struct kncpmu_request *request;
	struct kncpmu_part *parts;
	unsigned int nr;
	struct kncpmu_set core;
	struct kncpmu_set own;
	struct kncpmu_cpus single;
	struct kncpmu_cpus whole;
	struct kncpmu_cpus clock;
	struct kncpmu_cpus rest;
};

/* Add a group */
static void add_set(struct kncpmu_part *part, const struct kncpmu_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		part->item[part->nr] = set->item[i];
		part->group[part->nr++] = part->nr_groups;
	}
	part->nr_groups++;
}

/* Add a part with one group, unless it has no hardware thread */
static struct kncpmu_part *add_part(struct placing *p,
				    const struct kncpmu_cpus *cpus,
				    const struct kncpmu_set *set)
{
	struct kncpmu_part *part = &p->parts[p->nr];

	if (!kncpmu_cpus_count(cpus))
		return NULL;
	memset(part, 0, sizeof(*part));
	part->cpus = *cpus;
	add_set(part, set);
	p->nr++;
	return part;
}

/* Copy the events with (or without) KNC_PMU_EVENT_PINNED, and their indices; return their number */
static unsigned int select_pinned(const struct kncpmu_item *items, unsigned int nr,
				  int pinned, struct kncpmu_item *selected,
				  unsigned int *index)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++) {
		if (!!(items[i].event.flags & KNC_PMU_EVENT_PINNED) != pinned)
			continue;
		selected[n] = items[i];
		index[n++] = i;
	}
	return n;
}

/*
 * Make a set of each event or {group}; return the number of sets. A group that has more events than
 * there are counters, which only a caller's own items can have, becomes several.
 */
static unsigned int single_sets(const struct kncpmu_pmu *pmu, const struct kncpmu_item *items,
				unsigned int nr, struct kncpmu_set *sets)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++) {
		if (!i || !items[i].group || items[i].group != items[i - 1].group ||
		    sets[n - 1].nr == pmu->nr_counters)
			sets[n++].nr = 0;
		sets[n - 1].item[sets[n - 1].nr++] = i;
	}
	return n;
}

/* Do the items fit the counters at once? Only asked where there are more than Knights Corner has */
static int fit_together(const struct kncpmu_pmu *pmu, const struct kncpmu_item *items,
			unsigned int nr, struct kncpmu_set *sets)
{
	struct kncpmu_item single[KNC_PMU_MAX_SET];
	unsigned int i;

	if (nr > pmu->nr_counters)
		return 0;
	for (i = 0; i < nr; i++) {
		single[i] = items[i];
		single[i].group = 0;
	}
	return kncpmu_group(pmu, single, nr, sets) == 1;
}

int kncpmu_turns(const struct kncpmu_pmu *pmu, const struct kncpmu_item *items, unsigned int nr,
		 struct kncpmu_part *part)
{
	struct kncpmu_item others[KNC_PMU_MAX_SET];
	struct kncpmu_set sets[KNC_PMU_MAX_SET];
	unsigned int index[KNC_PMU_MAX_SET];
	unsigned int i, j, pinned, nr_others, nr_sets;

	part->nr = 0;
	part->nr_groups = 0;
	if (nr > KNC_PMU_MAX_SET)
		return -E2BIG;
	if (nr <= KNC_NR_COUNTERS || fit_together(pmu, items, nr, sets)) {
		for (i = 0; i < nr; i++)
			sets[0].item[i] = i;
		sets[0].nr = nr;
		add_set(part, &sets[0]);
		return 0;
	}
	pinned = select_pinned(items, nr, 1, others, part->item);
	memset(part->group, 0, sizeof(part->group));
	part->nr = pinned;
	nr_others = select_pinned(items, nr, 0, others, index);
	nr_sets = pinned ? single_sets(pmu, others, nr_others, sets) :
			   kncpmu_group(pmu, others, nr_others, sets);
	for (i = 0; i < nr_sets; i++) {
		for (j = 0; j < sets[i].nr; j++)
			sets[i].item[j] = index[sets[i].item[j]];
		add_set(part, &sets[i]);
	}
	if (!part->nr_groups)
		part->nr_groups = 1;
	return 0;
}

/* Add a part with all events, in as many groups as they need */
static void add_turns(struct placing *p, const struct kncpmu_cpus *cpus)
{
	static const struct kncpmu_set none = { 0, { 0 } };
	struct kncpmu_part *part = add_part(p, cpus, &none);

	if (part && kncpmu_turns(p->request->pmu, p->request->items, p->request->nr, part))
		p->nr--;
}

/* Are the events a core-wide event and one or two others? Fills p->core and p->own. */
static int split(struct placing *p)
{
	const struct kncpmu_request *request = p->request;
	const struct knc_pmu_event *event;
	struct kncpmu_item own[KNC_NR_COUNTERS];
	struct kncpmu_set sets[KNC_NR_COUNTERS];
	struct kncpmu_set *set;
	unsigned int i;

	if (request->nr != 1 + KNC_NR_COUNTERS)
		return 0;
	for (i = 0; i < request->nr; i++) {
		event = &request->items[i].event;
		if (event->flags & KNC_PMU_EVENT_THREAD_MODE)
			return 0;
		set = kncpmu_event_core_wide(request->pmu, event) ? &p->core : &p->own;
		if (set->nr == KNC_NR_COUNTERS)
			return 0;
		if (set == &p->own)
			own[set->nr] = request->items[i];
		set->item[set->nr++] = i;
	}
	return p->core.nr == 1 && kncpmu_group(request->pmu, own, p->own.nr, sets) == 1;
}

/* Choose one of @cpus: the first preferred one, or else the first */
static unsigned int choose(const struct placing *p, const struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus preferred = *cpus;

	if (p->request->preferred)
		kncpmu_cpus_and(&preferred, p->request->preferred);
	return kncpmu_cpus_next(kncpmu_cpus_count(&preferred) ? &preferred : cpus, 0);
}

/* Place one core: @asked are its threads to be counted, @idle its other online threads */
static void place_core(struct placing *p, const struct kncpmu_cpus *asked,
		       const struct kncpmu_cpus *idle)
{
	struct kncpmu_cpus others = *asked;
	unsigned int cpu;

	if (kncpmu_cpus_count(idle)) {
		kncpmu_cpus_or(&p->single, asked);
		kncpmu_cpus_set(&p->clock, choose(p, idle));
	} else if (kncpmu_cpus_count(asked) > 1 &&
		   !(p->request->flags & KNCPMU_PLACE_PER_CPU)) {
		cpu = choose(p, asked);
		kncpmu_cpus_set(&p->whole, cpu);
		kncpmu_cpus_clear(&others, cpu);
		kncpmu_cpus_set(&p->clock, choose(p, &others));
	} else {
		kncpmu_cpus_or(&p->rest, asked);
	}
}

static void place_cores(struct placing *p)
{
	const struct kncpmu_request *request = p->request;
	struct kncpmu_cpus left = *request->cpus, asked, idle;
	unsigned int cpu;

	for (cpu = kncpmu_cpus_next(&left, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(&left, cpu + 1)) {
		if (request->siblings(cpu, &asked))
			memset(&asked, 0, sizeof(asked));
		kncpmu_cpus_and(&asked, request->online);
		kncpmu_cpus_set(&asked, cpu);
		idle = asked;
		kncpmu_cpus_and(&asked, request->cpus);
		kncpmu_cpus_andnot(&idle, request->cpus);
		place_core(p, &asked, &idle);
		kncpmu_cpus_andnot(&left, &asked);
	}
}

unsigned int kncpmu_place(const struct kncpmu_request *request,
			  struct kncpmu_part *parts)
{
	struct placing p = { .request = request, .parts = parts };
	struct kncpmu_part *part;

	if (!(request->flags & KNCPMU_PLACE_EXACT) || !split(&p)) {
		add_turns(&p, request->cpus);
		return p.nr;
	}
	place_cores(&p);
	add_part(&p, &p.single, &p.own);
	part = add_part(&p, &p.whole, &p.own);
	if (part) {
		part->flags = KNC_PMU_EVENT_THREAD_MODE;
		part->for_core = 1;
	}
	part = add_part(&p, &p.clock, &p.core);
	if (part)
		part->for_core = 1;
	add_turns(&p, &p.rest);
	return p.nr;
}
