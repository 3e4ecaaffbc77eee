/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The architectural PMU: CPUID leaf 0xA, versions 2 and later
 *
 * The number and the width of its counters are not known before the module is loaded: the
 * descriptor is a variable, in a module that is built for this PMU only (Kbuild, PMU=arch).
 */
#ifndef KNC_PMU_ARCH_H
#define KNC_PMU_ARCH_H

#include <knc/arch_regs.h>

#include "pmu/pmu.h"

/* Rows of the table of Westmere's events */
enum {
	PMU_WESTMERE_EVENTS = 0
#define WSM_EVENT(...)	+ 1
#include <knc/westmere_events.def>
};

/* Array size: architectural events, fixed counter 2, a CPU model's own events, end of the list */
#define PMU_ARCH_EVENTS		(9 + PMU_WESTMERE_EVENTS)

/**
 * struct pmu_arch_cpuid - how a CPU describes its PMU
 * @eax: CPUID leaf 0xA, EAX
 * @ebx: CPUID leaf 0xA, EBX
 * @edx: CPUID leaf 0xA, EDX
 * @capabilities: IA32_PERF_CAPABILITIES; 0: there is none
 * @differs: hardware threads have different PMUs
 */
struct pmu_arch_cpuid {
	u32 eax;
	u32 ebx;
	u32 edx;
	u64 capabilities;
	bool differs;
};

/**
 * struct pmu_arch - the PMU of a CPU
 * @desc: its descriptor
 * @anythread: events of all threads of the core can be counted
 * @missing: mask of the architectural events that CPUID says are not available
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

const char *pmu_arch_fill(struct pmu_arch *pmu, const struct pmu_arch_cpuid *cpuid);
void pmu_arch_add_register(struct pmu_arch *pmu, u32 space, u32 number);

#endif /* KNC_PMU_ARCH_H */
