/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core PMU of Knights Corner (327357)
 *
 * The descriptor is a constant in each file that includes this header: the compiler evaluates all
 * its fields, and nothing is tested at run time.
 */
#ifndef KNC_PMU_KNC_H
#define KNC_PMU_KNC_H

#include <linux/stringify.h>

#include "pmu/pmu.h"

extern const struct pmu_event pmu_knc_events[];
extern const struct knc_pmu_reg pmu_knc_registers[];

bool pmu_knc_probe(u64 (*read_msr)(u32 msr));
u32 pmu_knc_check(const struct pmu_select *s);
u64 pmu_knc_select(const struct pmu_select *s, unsigned int counter);
extern bool pmu_knc_any_counter;

static const struct pmu_desc pmu_knc __maybe_unused = {
	.name			= "knc",
	.cpu			= "Knights Corner (GenuineIntel, family "
				  __stringify(KNC_CPU_FAMILY) ", model "
				  __stringify(KNC_CPU_MODEL) ")",
	.probe			= pmu_knc_probe,
	.shared_by		= KNC_PMU_SCOPE_THREAD,
	.threads_per_core	= KNC_THREADS_PER_CORE,
	.interrupts		= true,
	.nr_banks		= 1,
	.bank			= { {
		.nr		= KNC_NR_COUNTERS,
		.width		= KNC_COUNTER_WIDTH,
		.counter_msr	= KNC_IA32_PERFCNTR0,
		.reserve_msr	= KNC_IA32_PERFCNTR0,
		.select_msr	= KNC_IA32_PERFEVTSEL0,
		.writable	= KNC_COUNTER_MASK,
		/* half the range: a PMI may be late by the other half */
		.max_load	= 1ULL << (KNC_COUNTER_WIDTH - 1),
	} },
	.nr_counters		= KNC_NR_COUNTERS,
	.end			= KNC_NR_COUNTERS,
	.counters		= KNC_GLOBAL_CNTRS,
	.any			= KNC_GLOBAL_CNTRS,
	.ctrl			= { KNC_IA32_PERF_GLOBAL_CTRL, KNC_GLOBAL_CNTRS },
	.status			= { KNC_IA32_PERF_GLOBAL_STATUS, KNC_GLOBAL_CNTRS },
	.ack			= { KNC_IA32_PERF_GLOBAL_OVF_CONTROL,
				    KNC_GLOBAL_CNTRS },
	.gate			= { KNC_PERF_SPFLT_CONTROL, KNC_SPFLT_USER_PREF },
	.events			= pmu_knc_events,
	.check			= pmu_knc_check,
	.make_select		= pmu_knc_select,
	.any_counter		= &pmu_knc_any_counter,
	.registers		= pmu_knc_registers,
	.nr_registers		= KNC_NR_REGISTERS,
};

#endif /* KNC_PMU_KNC_H */
