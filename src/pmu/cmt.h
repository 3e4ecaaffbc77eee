/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache monitoring: how many bytes of an L3 the lines of one RMID occupy
 *
 * Only hosts have it, beside the architectural PMU. It has no struct pmu_desc, because it has
 * levels instead of counters.
 */
#ifndef KNC_PMU_CMT_H
#define KNC_PMU_CMT_H

#include <linux/types.h>

#include <knc/cmt_regs.h>

/* Is this a module for hosts? */
#if defined(KNC_PMU_ARCH) || defined(KNC_PMU_KUNIT)
#define PMU_HAS_CMT 1
#else
#define PMU_HAS_CMT 0
#endif

/* The most RMIDs that are used */
#define PMU_CMT_MAX_RMIDS	CMT_MAX_RMIDS
/* The only event */
#define PMU_CMT_OCCUPANCY	CMT_EVENT_OCCUPANCY

/**
 * struct pmu_cmt_cpuid - how a CPU describes its cache monitoring; leaves that it lacks are 0
 * @max_leaf: leaf 0, EAX
 * @features: leaf 7, EBX
 * @resources: leaf 0xF, EDX
 * @factor: leaf 0xF, subleaf 1, EBX
 * @highest: leaf 0xF, subleaf 1, ECX
 * @events: leaf 0xF, subleaf 1, EDX
 * @l3: EAX, EBX and ECX of leaf 4 for the L3
 */
struct pmu_cmt_cpuid {
	u32 max_leaf;
	u32 features;
	u32 resources;
	u32 factor;
	u32 highest;
	u32 events;
	u32 l3[3];
};

/**
 * struct pmu_cmt - the monitoring of this machine
 * @nr_rmids: number of RMIDs, RMID 0 included; 0: there is no monitoring
 * @factor: bytes in one unit of the occupancy register
 * @l3_size: bytes of an L3
 * @share_bits: CPUs share an L3 if their APIC IDs, shifted right by this much, are equal
 */
struct pmu_cmt {
	u32 nr_rmids;
	u32 factor;
	u64 l3_size;
	unsigned int share_bits;
};

extern struct pmu_cmt pmu_cmt;

const char *pmu_cmt_fill(struct pmu_cmt *cmt, const struct pmu_cmt_cpuid *cpuid);
const char *pmu_cmt_probe(void);

/* On the executing hardware thread */
u32 pmu_cmt_domain(void);
u32 pmu_cmt_read_rmid(void);
bool pmu_cmt_change_rmid(u32 from, u32 to);
int pmu_cmt_occupancy(u32 rmid, u64 *bytes);

#endif /* KNC_PMU_CMT_H */
