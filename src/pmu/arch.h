/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The architectural PMU: CPUID leaf 0xA, versions 2 and later
 *
 * How many counters there are, and how wide they are, is known when the module is loaded: the
 * descriptor is a variable, in a module that is built for this PMU only (Kbuild, PMU=arch).
 */
#ifndef KNC_PMU_ARCH_H
#define KNC_PMU_ARCH_H

#include <knc/arch_regs.h>

#include "pmu/pmu.h"

/* The architectural events, fixed counter 2, and the end of the list */
#define PMU_ARCH_EVENTS		9

/**
 * struct pmu_arch_cpuid - what a CPU says of its PMU
 * @eax: CPUID leaf 0xA
 * @ebx: likewise
 * @edx: likewise
 * @capabilities: IA32_PERF_CAPABILITIES; 0: there is none
 */
struct pmu_arch_cpuid {
	u32 eax;
	u32 ebx;
	u32 edx;
	u64 capabilities;
};

/**
 * struct pmu_arch - the PMU of a CPU
 * @desc: its descriptor
 * @anythread: events of all threads of the core can be counted
 * @missing: mask of the architectural events that it says it does not have
 * @events: @events of @desc
 * @registers: @registers of @desc
 */
struct pmu_arch {
	struct pmu_desc desc;
	bool anythread;
	u32 missing;
	struct pmu_event events[PMU_ARCH_EVENTS];
	struct knc_pmu_reg registers[PMU_MAX_REGISTERS];
};

extern struct pmu_arch pmu_arch;

const char *pmu_arch_fill(struct pmu_arch *pmu, const struct pmu_arch_cpuid *cpuid);
bool pmu_arch_probe(u64 (*read_msr)(u32 msr));

#endif /* KNC_PMU_ARCH_H */
