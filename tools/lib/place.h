/* SPDX-License-Identifier: GPL-2.0 */
/* Which events are counted together, and on which hardware threads */
#ifndef KNCPMU_PLACE_H
#define KNCPMU_PLACE_H

#include "group.h"
#include "kncpmu.h"

/**
 * struct kncpmu_part - one of the sessions that together count a list of events
 * @cpus: its hardware threads
 * @nr: number of its events
 * @item: their indices in the list, in the order of CONFIG
 * @group: for each, @group of struct knc_pmu_event
 * @nr_groups: number of groups; more than 1: they take turns
 * @flags: KNC_PMU_EVENT_* that the events get besides their own
 * @for_core: its hardware threads count for all threads of their cores
 */
struct kncpmu_part {
	struct kncpmu_cpus cpus;
	unsigned int nr;
	unsigned int item[KNC_PMU_MAX_SET];
	unsigned int group[KNC_PMU_MAX_SET];
	unsigned int nr_groups;
	unsigned int flags;
	int for_core;
};

/**
 * kncpmu_turns() - count all events in one session
 * @pmu: the PMU of the events
 * @items: the events; an event with KNC_PMU_EVENT_PINNED is in all groups
 * @nr: number of events
 * @part: the session: @nr, @item, @group and @nr_groups; out
 *
 * Events for which the counters suffice are one group, which CONFIG takes or refuses.
 * Otherwise kncpmu_group() makes the groups; if an event is pinned, each other event or
 * {group} is one.
 *
 * Return: 0; -E2BIG: more than KNC_PMU_MAX_SET events.
 */
int kncpmu_turns(const struct kncpmu_pmu *pmu, const struct kncpmu_item *items, unsigned int nr,
		 struct kncpmu_part *part);

/* avoid turns for a core-wide event and two others: use counters of other threads of the core */
#define KNCPMU_PLACE_EXACT	0x1
/* count each hardware thread for itself, never in thread mode */
#define KNCPMU_PLACE_PER_CPU	0x2

/* largest number of parts */
#define KNCPMU_PLACE_PARTS	4

/**
 * struct kncpmu_request - which events are to be counted on which hardware threads
 * @pmu: the PMU of the events
 * @items: the events
 * @nr: number of events, at most KNC_PMU_MAX_SET
 * @cpus: hardware threads to be counted, all of them online
 * @online: hardware threads that may be used for it
 * @preferred: hardware threads that are to count for their cores if possible; NULL: none
 * @siblings: kncpmu_cpus_siblings(), or a function that replaces it
 * @flags: KNCPMU_PLACE_*
 */
struct kncpmu_request {
	const struct kncpmu_pmu *pmu;
	const struct kncpmu_item *items;
	unsigned int nr;
	const struct kncpmu_cpus *cpus;
	const struct kncpmu_cpus *online;
	const struct kncpmu_cpus *preferred;
	int (*siblings)(unsigned int cpu, struct kncpmu_cpus *cpus);
	unsigned int flags;
};

/**
 * kncpmu_place() - distribute events over sessions and hardware threads
 * @request: the events and hardware threads
 * @parts: room for KNCPMU_PLACE_PARTS; out
 *
 * Without KNCPMU_PLACE_EXACT, or if the events are not one core-wide event and a pair of others,
 * all are in one session, as by kncpmu_turns().
 *
 * With it, a core-wide event (CPU_CLK_UNHALTED) and a pair of others are always counted. A
 * thread that is not to be counted counts the core-wide event for its core. If all are to be
 * counted, one counts the pair in thread mode and another one the core-wide event. Threads of
 * @preferred come first. The events take turns only on cores with a single thread online, and
 * with KNCPMU_PLACE_PER_CPU on cores of which all threads are to be counted.
 *
 * Return: the number of parts.
 */
unsigned int kncpmu_place(const struct kncpmu_request *request,
			  struct kncpmu_part *parts);

#endif /* KNCPMU_PLACE_H */
