// SPDX-License-Identifier: GPL-2.0
/*
 * Names that perf has for events
 *
 * What perf counts under each of them on this card: arch/x86/events/intel/knc.c of Linux 6.12.
 * Two are left out: LLC-stores is L2_WRITE_HIT there, which counts hits only, and
 * dTLB-store-misses is DATA_PAGE_WALK, which loads cause as well.
 */
#include <stddef.h>
#include <strings.h>

#include "private.h"

static const struct kncpmu_alias aliases[] = {
	{ "cycles", "CPU_CLK_UNHALTED" },
	{ "cpu-cycles", "CPU_CLK_UNHALTED" },
	{ "instructions", "INSTRUCTIONS_EXECUTED" },
	{ "branches", "BRANCHES" },
	{ "branch-instructions", "BRANCHES" },
	{ "branch-loads", "BRANCHES" },
	{ "branch-misses", "BRANCHES_MISPREDICTED" },
	{ "branch-load-misses", "BRANCHES_MISPREDICTED" },
	{ "cache-references", "DATA_READ_OR_WRITE" },
	{ "cache-misses", "DATA_READ_MISS_OR_WRITE_MISS" },
	{ "L1-dcache-loads", "DATA_READ" },
	{ "L1-dcache-load-misses", "DATA_READ_MISS" },
	{ "L1-dcache-stores", "DATA_WRITE" },
	{ "L1-dcache-store-misses", "DATA_WRITE_MISS" },
	{ "L1-dcache-prefetches", "L1_DATA_PF1" },
	{ "L1-dcache-prefetch-misses", "L1_DATA_PF1_MISS" },
	{ "L1-icache-loads", "CODE_READ" },
	{ "L1-icache-load-misses", "CODE_CACHE_MISS" },
	{ "LLC-load-misses", "L2_READ_MISS" },
	{ "LLC-prefetches", "L2_DATA_PF2" },
	{ "LLC-prefetch-misses", "L2_DATA_PF2_MISS" },
	{ "dTLB-loads", "DATA_READ" },
	{ "dTLB-load-misses", "DATA_PAGE_WALK" },
	{ "dTLB-stores", "DATA_WRITE" },
	{ "iTLB-loads", "CODE_READ" },
	{ "iTLB-load-misses", "CODE_PAGE_WALK" },
};

const struct kncpmu_alias *kncpmu_aliases(unsigned int *nr)
{
	*nr = ARRAY_SIZE(aliases);
	return aliases;
}

const struct kncpmu_event_desc *kncpmu_event_by_alias(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++) {
		if (!strcasecmp(aliases[i].name, name))
			return kncpmu_event_find(aliases[i].event);
	}
	return NULL;
}

const struct kncpmu_event_desc *kncpmu_event_named(const char *name)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_find(name);

	return desc ? desc : kncpmu_event_by_alias(name);
}
