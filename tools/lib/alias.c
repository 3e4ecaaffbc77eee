// SPDX-License-Identifier: GPL-2.0
/*
 * Names that other tools have for events, a table for each PMU
 *
 * collect: its usual names (Solaris Studio, collect -h; gprofng). perf: what perf counts under each
 * of them on this card: arch/x86/events/intel/knc.c of Linux 6.12. Two are left out: LLC-stores is
 * L2_WRITE_HIT there, which counts hits only, and dTLB-store-misses is DATA_PAGE_WALK, which loads
 * cause as well. PAPI: the presets of its papi_events.csv, knc.
 */
#include <stddef.h>
#include <strings.h>

#include "private.h"

#define COLLECT	KNCPMU_TOOL_COLLECT
#define PERF	KNCPMU_TOOL_PERF
#define PAPI	KNCPMU_TOOL_PAPI

static const struct kncpmu_alias knc[] = {
	{ "cycles", "CPU_CLK_UNHALTED", COLLECT | PERF, "CPU Cycles" },
	{ "insts", "INSTRUCTIONS_EXECUTED", COLLECT, "Instructions Executed" },
	{ "loads", "DATA_READ", COLLECT, "Data Reads" },
	{ "stores", "DATA_WRITE", COLLECT, "Data Writes" },
	{ "dcm", "DATA_READ_MISS_OR_WRITE_MISS", COLLECT, "L1 D-cache Misses" },
	{ "dtlbm", "DATA_PAGE_WALK", COLLECT, "DTLB Misses" },
	{ "icm", "CODE_CACHE_MISS", COLLECT, "L1 I-cache Misses" },
	{ "itlbm", "CODE_PAGE_WALK", COLLECT, "ITLB Misses" },
	{ "l2drm", "L2_READ_MISS", COLLECT, "L2 Read Misses" },

	{ "cpu-cycles", "CPU_CLK_UNHALTED", PERF, NULL },
	{ "instructions", "INSTRUCTIONS_EXECUTED", PERF, NULL },
	{ "branches", "BRANCHES", PERF, NULL },
	{ "branch-instructions", "BRANCHES", PERF, NULL },
	{ "branch-loads", "BRANCHES", PERF, NULL },
	{ "branch-misses", "BRANCHES_MISPREDICTED", PERF, NULL },
	{ "branch-load-misses", "BRANCHES_MISPREDICTED", PERF, NULL },
	{ "cache-references", "DATA_READ_OR_WRITE", PERF, NULL },
	{ "cache-misses", "DATA_READ_MISS_OR_WRITE_MISS", PERF, NULL },
	{ "L1-dcache-loads", "DATA_READ", PERF, NULL },
	{ "L1-dcache-load-misses", "DATA_READ_MISS", PERF, NULL },
	{ "L1-dcache-stores", "DATA_WRITE", PERF, NULL },
	{ "L1-dcache-store-misses", "DATA_WRITE_MISS", PERF, NULL },
	{ "L1-dcache-prefetches", "L1_DATA_PF1", PERF, NULL },
	{ "L1-dcache-prefetch-misses", "L1_DATA_PF1_MISS", PERF, NULL },
	{ "L1-icache-loads", "CODE_READ", PERF, NULL },
	{ "L1-icache-load-misses", "CODE_CACHE_MISS", PERF, NULL },
	{ "LLC-load-misses", "L2_READ_MISS", PERF, NULL },
	{ "LLC-prefetches", "L2_DATA_PF2", PERF, NULL },
	{ "LLC-prefetch-misses", "L2_DATA_PF2_MISS", PERF, NULL },
	{ "dTLB-loads", "DATA_READ", PERF, NULL },
	{ "dTLB-load-misses", "DATA_PAGE_WALK", PERF, NULL },
	{ "dTLB-stores", "DATA_WRITE", PERF, NULL },
	{ "iTLB-loads", "CODE_READ", PERF, NULL },
	{ "iTLB-load-misses", "CODE_PAGE_WALK", PERF, NULL },

	{ "PAPI_BR_INS", "BRANCHES", PAPI, NULL },
	{ "PAPI_BR_MSP", "BRANCHES_MISPREDICTED", PAPI, NULL },
	{ "PAPI_L1_DCA", "DATA_READ_OR_WRITE", PAPI, NULL },
	{ "PAPI_L1_DCM", "DATA_READ_MISS_OR_WRITE_MISS", PAPI, NULL },
	{ "PAPI_L1_ICA", "CODE_READ", PAPI, NULL },
	{ "PAPI_L1_ICM", "CODE_CACHE_MISS", PAPI, NULL },
	{ "PAPI_L2_LDM", "L2_READ_MISS", PAPI, NULL },
	{ "PAPI_LD_INS", "DATA_READ", PAPI, NULL },
	{ "PAPI_SR_INS", "DATA_WRITE", PAPI, NULL },
	{ "PAPI_TLB_DM", "DATA_PAGE_WALK", PAPI, NULL },
	{ "PAPI_TLB_IM", "CODE_PAGE_WALK", PAPI, NULL },
	{ "PAPI_TOT_CYC", "CPU_CLK_UNHALTED", PAPI, NULL },
	{ "PAPI_TOT_INS", "INSTRUCTIONS_EXECUTED", PAPI, NULL },
	{ "PAPI_VEC_INS", "VPU_INSTRUCTIONS_EXECUTED", PAPI, NULL },
};

static const struct kncpmu_alias arch[] = {
	{ "cycles", "UNHALTED_CORE_CYCLES", COLLECT | PERF, "CPU Cycles" },
	{ "insts", "INSTRUCTION_RETIRED", COLLECT, "Instructions Executed" },

	{ "cpu-cycles", "UNHALTED_CORE_CYCLES", PERF, NULL },
	{ "instructions", "INSTRUCTION_RETIRED", PERF, NULL },
	{ "ref-cycles", "FIXED_REFERENCE_CYCLES", PERF, NULL },
	{ "cache-references", "LLC_REFERENCES", PERF, NULL },
	{ "cache-misses", "LLC_MISSES", PERF, NULL },
	{ "branches", "BRANCH_INSTRUCTIONS_RETIRED", PERF, NULL },
	{ "branch-instructions", "BRANCH_INSTRUCTIONS_RETIRED", PERF, NULL },
	{ "branch-misses", "MISPREDICTED_BRANCH_RETIRED", PERF, NULL },
};

/* By bit number of KNCPMU_TOOL_* */
static const char * const tool_names[] = { "collect", "perf", "PAPI" };

const struct kncpmu_alias *kncpmu_aliases(unsigned int *nr)
{
	if (kncpmu_pmu_is_arch()) {
		*nr = ARRAY_SIZE(arch);
		return arch;
	}
	if (kncpmu_pmu_is_uncore()) {
		*nr = 0;
		return knc;
	}
	*nr = ARRAY_SIZE(knc);
	return knc;
}

const char *kncpmu_tool_name(unsigned int bit)
{
	return bit < ARRAY_SIZE(tool_names) ? tool_names[bit] : NULL;
}

const struct kncpmu_event_desc *kncpmu_event_by_alias(const char *name)
{
	const struct kncpmu_alias *table;
	unsigned int i, nr;

	table = kncpmu_aliases(&nr);
	for (i = 0; i < nr; i++) {
		if (!strcasecmp(table[i].name, name))
			return kncpmu_event_find(table[i].event);
	}
	return NULL;
}

const struct kncpmu_event_desc *kncpmu_event_named(const char *name)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_find(name);

	return desc ? desc : kncpmu_event_by_alias(name);
}
