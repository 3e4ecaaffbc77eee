// SPDX-License-Identifier: GPL-2.0
/*
 * Names that other tools have for events, a table for each PMU
 *
 * collect: its usual names (Solaris Studio, collect -h; gprofng). perf: what perf counts under each
 * of them on this card: arch/x86/events/intel/knc.c of Linux 6.12. Two are left out: LLC-stores is
 * L2_WRITE_HIT there, which counts hits only, and dTLB-store-misses is DATA_PAGE_WALK, which loads
 * cause as well. PAPI: the presets of its papi_events.csv, knc.
 *
 * Hosts: perf's names are those of core.c in the same folder of Linux. Three kinds of Westmere's
 * are left out, because the event has no name here: LLC-* are words of offcore events,
 * branch-load-misses is BPU_CLEARS with both unit masks, and stalled-cycles-backend is of one
 * hardware thread where UOPS_EXECUTED.CORE_STALL_CYCLES is of the core. PAPI's presets are those of
 * its papi_events.csv that are one event: wsm_dp; for arch the branches of ix86arch, and what the
 * tables of all CPUs with an L3 have in common.
 */
#include <stddef.h>
#include <strings.h>

#include "names.h"
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
#include "alias_hosts.def"
	{ "PAPI_BR_INS", "BRANCH_INSTRUCTIONS_RETIRED", PAPI, NULL },
	{ "PAPI_BR_MSP", "MISPREDICTED_BRANCH_RETIRED", PAPI, NULL },
};

static const struct kncpmu_alias westmere[] = {
#include "alias_hosts.def"
	{ "loads", "MEM_INST_RETIRED.LOADS", COLLECT, "Load Instructions" },
	{ "stores", "MEM_INST_RETIRED.STORES", COLLECT, "Store Instructions" },
	{ "dcm", "L1D.REPL", COLLECT, "L1 D-cache Misses" },
	{ "dtlbm", "DTLB_MISSES.ANY", COLLECT, "DTLB Misses" },
	{ "icm", "L1I.MISSES", COLLECT, "L1 I-cache Misses" },
	{ "itlbm", "ITLB_MISSES.ANY", COLLECT, "ITLB Misses" },
	{ "l3m", "MEM_LOAD_RETIRED.LLC_MISS", COLLECT, "L3 D-cache Misses" },

	{ "L1-dcache-loads", "MEM_INST_RETIRED.LOADS", PERF, NULL },
	{ "L1-dcache-load-misses", "L1D.REPL", PERF, NULL },
	{ "L1-dcache-stores", "MEM_INST_RETIRED.STORES", PERF, NULL },
	{ "L1-dcache-store-misses", "L1D.M_REPL", PERF, NULL },
	{ "L1-dcache-prefetches", "L1D_PREFETCH.REQUESTS", PERF, NULL },
	{ "L1-dcache-prefetch-misses", "L1D_PREFETCH.MISS", PERF, NULL },
	{ "L1-icache-loads", "L1I.READS", PERF, NULL },
	{ "L1-icache-load-misses", "L1I.MISSES", PERF, NULL },
	{ "dTLB-loads", "MEM_INST_RETIRED.LOADS", PERF, NULL },
	{ "dTLB-load-misses", "DTLB_LOAD_MISSES.ANY", PERF, NULL },
	{ "dTLB-stores", "MEM_INST_RETIRED.STORES", PERF, NULL },
	{ "dTLB-store-misses", "MEM_STORE_RETIRED.DTLB_MISS", PERF, NULL },
	{ "iTLB-loads", "INST_RETIRED.ANY_P", PERF, NULL },
	{ "iTLB-load-misses", "ITLB_MISSES.ANY", PERF, NULL },
	{ "branch-loads", "BRANCH_INSTRUCTIONS_RETIRED", PERF, NULL },
	{ "stalled-cycles-frontend", "UOPS_ISSUED.STALL_CYCLES", PERF, NULL },

	{ "PAPI_BR_CN", "BR_INST_EXEC.COND", PAPI, NULL },
	{ "PAPI_BR_INS", "BR_INST_EXEC.ANY", PAPI, NULL },
	{ "PAPI_BR_MSP", "BR_MISP_EXEC.ANY", PAPI, NULL },
	{ "PAPI_BR_TKN", "BR_INST_EXEC.TAKEN", PAPI, NULL },
	{ "PAPI_BR_UCN", "BR_INST_EXEC.DIRECT", PAPI, NULL },
	{ "PAPI_FP_INS", "FP_COMP_OPS_EXE.SSE_FP", PAPI, NULL },
	{ "PAPI_L1_DCM", "L1D.REPL", PAPI, NULL },
	{ "PAPI_L1_ICA", "L1I.READS", PAPI, NULL },
	{ "PAPI_L1_ICH", "L1I.HITS", PAPI, NULL },
	{ "PAPI_L1_ICM", "L1I.MISSES", PAPI, NULL },
	{ "PAPI_L1_ICR", "L1I.READS", PAPI, NULL },
	{ "PAPI_L1_LDM", "L2_RQSTS.LOADS", PAPI, NULL },
	{ "PAPI_L1_STM", "L2_WRITE.RFO.MESI", PAPI, NULL },
	{ "PAPI_L2_DCA", "L1D.REPL", PAPI, NULL },
	{ "PAPI_L2_DCR", "L2_RQSTS.LOADS", PAPI, NULL },
	{ "PAPI_L2_DCW", "L2_WRITE.RFO.MESI", PAPI, NULL },
	{ "PAPI_L2_ICA", "L2_RQSTS.IFETCHES", PAPI, NULL },
	{ "PAPI_L2_ICH", "L2_RQSTS.IFETCH_HIT", PAPI, NULL },
	{ "PAPI_L2_ICM", "L2_RQSTS.IFETCH_MISS", PAPI, NULL },
	{ "PAPI_L2_ICR", "L2_RQSTS.IFETCHES", PAPI, NULL },
	{ "PAPI_L2_LDM", "L2_RQSTS.LD_MISS", PAPI, NULL },
	{ "PAPI_L2_STM", "L2_RQSTS.RFO_MISS", PAPI, NULL },
	{ "PAPI_L2_TCA", "L2_RQSTS.REFERENCES", PAPI, NULL },
	{ "PAPI_L2_TCM", "LLC_REFERENCES", PAPI, NULL },
	{ "PAPI_L2_TCW", "L2_RQSTS.RFOS", PAPI, NULL },
	{ "PAPI_L3_DCR", "L2_RQSTS.LD_MISS", PAPI, NULL },
	{ "PAPI_L3_DCW", "L2_RQSTS.RFO_MISS", PAPI, NULL },
	{ "PAPI_L3_ICA", "L2_RQSTS.IFETCH_MISS", PAPI, NULL },
	{ "PAPI_L3_ICR", "L2_RQSTS.IFETCH_MISS", PAPI, NULL },
	{ "PAPI_L3_LDM", "MEM_LOAD_RETIRED.LLC_MISS", PAPI, NULL },
	{ "PAPI_L3_TCW", "L2_RQSTS.RFO_MISS", PAPI, NULL },
	{ "PAPI_LD_INS", "MEM_INST_RETIRED.LOADS", PAPI, NULL },
	{ "PAPI_RES_STL", "RESOURCE_STALLS.ANY", PAPI, NULL },
	{ "PAPI_SR_INS", "MEM_INST_RETIRED.STORES", PAPI, NULL },
	{ "PAPI_TLB_DM", "DTLB_MISSES.ANY", PAPI, NULL },
	{ "PAPI_TLB_IM", "ITLB_MISSES.ANY", PAPI, NULL },
	{ "PAPI_TOT_IIS", "MACRO_INSTS.DECODED", PAPI, NULL },
	{ "PAPI_VEC_DP", "FP_COMP_OPS_EXE.SSE_FP_PACKED", PAPI, NULL },
	{ "PAPI_VEC_SP", "FP_COMP_OPS_EXE.SSE_FP_PACKED", PAPI, NULL },
};

/* index: bit number of a KNCPMU_TOOL_* */
static const char * const tool_names[] = { "collect", "perf", "PAPI" };

const struct kncpmu_alias *kncpmu_aliases(const struct kncpmu_pmu *pmu, unsigned int *nr)
{
	static const struct {
		const struct kncpmu_alias *table;
		unsigned int nr;
	} tables[] = {
		[KNCPMU_PMU_KNC] = { knc, ARRAY_SIZE(knc) },
		[KNCPMU_PMU_ARCH] = { arch, ARRAY_SIZE(arch) },
		[KNCPMU_PMU_WESTMERE] = { westmere, ARRAY_SIZE(westmere) },
		[KNCPMU_PMU_UNCORE] = { NULL, 0 },
	};

	*nr = tables[pmu->kind].nr;
	return tables[pmu->kind].table;
}

const char *kncpmu_tool_name(unsigned int bit)
{
	return bit < ARRAY_SIZE(tool_names) ? tool_names[bit] : NULL;
}

const struct kncpmu_event_desc *kncpmu_event_by_alias(const struct kncpmu_pmu *pmu,
						      const char *name)
{
	const struct kncpmu_alias *table;
	unsigned int i, nr;

	table = kncpmu_aliases(pmu, &nr);
	for (i = 0; i < nr; i++) {
		if (!strcasecmp(table[i].name, name))
			return kncpmu_event_find(pmu, table[i].event);
	}
	return NULL;
}

const struct kncpmu_event_desc *kncpmu_event_named(const struct kncpmu_pmu *pmu, const char *name)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_find(pmu, name);

	return desc ? desc : kncpmu_event_by_alias(pmu, name);
}
