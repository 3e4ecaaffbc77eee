// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU of Knights Corner: its CPU, its events and event selects
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <asm/processor.h>

#include "compat/compat.h"
#include "pmu/knc.h"
#include "pmu/p6.h"

/* The columns of events.def that the module needs */
#define KNC_CNTR_0		KNC_GLOBAL_CNTR(0)
#define KNC_CNTR_ANY		KNC_GLOBAL_CNTRS
#define KNC_SCOPE_UNKNOWN	0
#define KNC_SCOPE_THREAD	1
#define KNC_SCOPE_CORE		2
#define KNC_UNIT_P54C		0
#define KNC_UNIT_CRI		1
#define KNC_UNIT_VPU		2

/*
 * Do only the thread's own instructions cause an event? 327357 does not say so for each one. Events
 * of the pipelines (P54C, VPU) are taken as the thread's own unless a source calls them core-wide.
 * Events of the L2 and the ring (CRI) are taken as the thread's own only if a source says so.
 */
#define KNC_IS_OWN(unit, scope)						\
	((scope) != KNC_SCOPE_CORE &&					\
	 ((scope) == KNC_SCOPE_THREAD || (unit) != KNC_UNIT_CRI))

const struct pmu_event pmu_knc_events[] = {
#define KNC_EVENT(name, event, umask, unit, counters, scope, ...)	\
	{ KNC_EVTSEL_CODE(event, umask), KNC_CNTR_##counters,		\
	  KNC_SCOPE_##scope == KNC_SCOPE_CORE,				\
	  KNC_IS_OWN(KNC_UNIT_##unit, KNC_SCOPE_##scope) },
#include <knc/events.def>
	{ 0 }
};

const struct knc_pmu_reg pmu_knc_registers[KNC_NR_REGISTERS] = {
#define KNC_REGISTER(_space, _number, name)				\
	{ .number = _number, .space = KNC_PMU_SPACE_##_space },
	KNC_REGISTERS(KNC_REGISTER)
};

/* udev loads the module for this CPU */
static const struct x86_cpu_id pmu_knc_cpus[] __used = {
	{ .vendor = X86_VENDOR_INTEL, .family = KNC_CPU_FAMILY,
	  .model = KNC_CPU_MODEL, .feature = X86_FEATURE_ANY },
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, pmu_knc_cpus);

bool pmu_knc_probe(u64 (*read_msr)(u32 msr))
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL &&
	       boot_cpu_data.x86 == KNC_CPU_FAMILY &&
	       boot_cpu_data.x86_model == KNC_CPU_MODEL;
}

/*
 * Which events only counter 0 can count is known from other tools' tables, not from 327357. With
 * this parameter the owner of a card can find out.
 */
bool pmu_knc_any_counter;
module_param_named(any_counter, pmu_knc_any_counter, bool, 0444);
MODULE_PARM_DESC(any_counter, "let a request that names a counter have any event on it, those included that only counter 0 is known to count: to find out whether a card can (default: no)");

u32 pmu_knc_check(const struct pmu_select *s)
{
	return pmu_p6_check(s);
}

/* Both counters have the same format (327357 table 1-5). */
u64 pmu_knc_select(const struct pmu_select *s, unsigned int counter)
{
	return pmu_p6_select(s);
}
