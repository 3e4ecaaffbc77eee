// SPDX-License-Identifier: GPL-2.0
/*
 * Which session counts which events on which hardware threads
 *
 * A hardware thread has two counters, a core eight. An event of the core can be
 * counted by any thread of it, and in thread mode one thread counts the events
 * of all four.
 */
#include <string.h>

#include "private.h"

/**
 * struct placing - the work of kncpmu_place()
 * @request: what is asked for
 * @parts: the parts so far
 * @nr: how many
 * @core: the event of the core
 * @own: the events of the threads
 * @single: threads that count @own themselves
 * @whole: threads that count @own for all of their cores
 * @clock: threads that count @core for their cores
 * @rest: threads that must take turns
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

/* A part more, unless it has no hardware thread */
static struct kncpmu_part *add_part(struct placing *p,
				    const struct kncpmu_cpus *cpus,
				    const struct kncpmu_set *set)
{
	struct kncpmu_part *part = &p->parts[p->nr];

	if (!kncpmu_cpus_count(cpus))
		return NULL;
	memset(part, 0, sizeof(*part));
	part->cpus = *cpus;
	part->set = *set;
	p->nr++;
	return part;
}

/* All events in as many turns as it takes; two are together or refused */
static void add_turns(struct placing *p, const struct kncpmu_cpus *cpus)
{
	const struct kncpmu_request *request = p->request;
	struct kncpmu_set all = { 0, { 0 } };
	struct kncpmu_part *part;
	unsigned int i, nr;

	if (request->nr <= KNC_PMU_MAX_EVENTS) {
		for (; all.nr < request->nr; all.nr++)
			all.item[all.nr] = all.nr;
		add_part(p, cpus, &all);
		return;
	}
	nr = kncpmu_group(request->items, request->nr, request->sets);
	for (i = 0; i < nr; i++) {
		part = add_part(p, cpus, &request->sets[i]);
		if (part)
			part->turn = 1 + i;
	}
}

/* Is it one event of the core and a pair of the threads' own? */
static int split(struct placing *p)
{
	const struct kncpmu_request *request = p->request;
	const struct knc_pmu_event *event;
	struct kncpmu_item own[KNC_PMU_MAX_EVENTS];
	struct kncpmu_set sets[KNC_PMU_MAX_EVENTS];
	struct kncpmu_set *set;
	unsigned int i;

	if (request->nr != 1 + KNC_PMU_MAX_EVENTS)
		return 0;
	for (i = 0; i < request->nr; i++) {
		event = &request->items[i].event;
		if (event->flags & KNC_PMU_EVENT_THREAD_MODE)
			return 0;
		set = kncpmu_event_core_wide(event) ? &p->core : &p->own;
		if (set->nr == KNC_PMU_MAX_EVENTS)
			return 0;
		if (set == &p->own)
			own[set->nr] = request->items[i];
		set->item[set->nr++] = i;
	}
	return p->core.nr == 1 && kncpmu_group(own, p->own.nr, sets) == 1;
}

/* Leave in @cpus those that are in @others, or (@in is 0) those that are not */
static void keep(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others, int in)
{
	unsigned int i;

	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		cpus->bits[i] &= in ? others->bits[i] : ~others->bits[i];
}

static void add_cpus(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *more)
{
	unsigned int i;

	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		cpus->bits[i] |= more->bits[i];
}

/* One of @cpus: the first that is preferred, or else the first */
static unsigned int choose(const struct placing *p, const struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus free = *cpus;

	if (p->request->free)
		keep(&free, p->request->free, 1);
	return kncpmu_cpus_next(kncpmu_cpus_count(&free) ? &free : cpus, 0);
}

/* One core: @asked threads of it are to be counted, @idle ones are not */
static void place_core(struct placing *p, const struct kncpmu_cpus *asked,
		       const struct kncpmu_cpus *idle)
{
	struct kncpmu_cpus others = *asked;
	unsigned int cpu;

	if (kncpmu_cpus_count(idle)) {
		add_cpus(&p->single, asked);
		kncpmu_cpus_set(&p->clock, choose(p, idle));
	} else if (kncpmu_cpus_count(asked) > 1 &&
		   !(p->request->flags & KNCPMU_PLACE_PER_CPU)) {
		cpu = choose(p, asked);
		kncpmu_cpus_set(&p->whole, cpu);
		kncpmu_cpus_clear(&others, cpu);
		kncpmu_cpus_set(&p->clock, choose(p, &others));
	} else {
		add_cpus(&p->rest, asked);
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
		keep(&asked, request->online, 1);
		kncpmu_cpus_set(&asked, cpu);
		idle = asked;
		keep(&asked, request->cpus, 1);
		keep(&idle, request->cpus, 0);
		place_core(p, &asked, &idle);
		keep(&left, &asked, 0);
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
