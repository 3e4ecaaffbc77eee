/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU of the hardware threads of this host
 */
#ifndef KNC_PMU_HOST_H
#define KNC_PMU_HOST_H

#include "pmu/arch.h"

/* Filled in when the module is loaded */
extern struct pmu_arch pmu_arch;

/* Does the local APIC have MSRs (x2APIC), not registers in memory? Set when the module is loaded */
#ifdef KNC_PMU_ARCH
#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(pmu_host_x2apic);

static inline bool pmu_host_has_x2apic(void)
{
	return static_branch_unlikely(&pmu_host_x2apic);
}

static inline void pmu_host_set_x2apic(void)
{
	static_branch_enable(&pmu_host_x2apic);
}
#else
static inline bool pmu_host_has_x2apic(void)
{
	return false;
}

static inline void pmu_host_set_x2apic(void)
{
}
#endif

#endif /* KNC_PMU_HOST_H */
