/* SPDX-License-Identifier: GPL-2.0 */
/* Which events can be counted together */
#ifndef KNCPMU_GROUP_H
#define KNCPMU_GROUP_H

#include "kncpmu.h"

/**
 * struct kncpmu_set - events that are counted at the same time: a group of the glossary
 * @nr: number of events
 * @item: their indices
 */
struct kncpmu_set {
	unsigned int nr;
	unsigned int item[KNCPMU_MAX_COUNTERS];
};

/**
 * kncpmu_group() - put events into sets that can be counted together
 * @pmu: the PMU of the events
 * @items: the events
 * @nr: number of events
 * @sets: room for @nr sets, out
 *
 * A {group} becomes one set, also if it can't be counted: CONFIG then has the reason. One that has
 * more events than there are counters becomes several. The other events are put together in
 * their order, into as few sets as possible.
 *
 * Return: the number of sets.
 */
unsigned int kncpmu_group(const struct kncpmu_pmu *pmu, const struct kncpmu_item *items,
			  unsigned int nr, struct kncpmu_set *sets);

#endif /* KNCPMU_GROUP_H */
