/* SPDX-License-Identifier: GPL-2.0 */
/* The PMU whose events have names */
#ifndef KNCPMU_PMU_H
#define KNCPMU_PMU_H

#include "pmus.h"
#include "private.h"

/* Does kncpmu_pmu() return the architectural PMU, or Westmere's, which is one? */
int kncpmu_pmu_is_arch(void);
int kncpmu_pmu_is_westmere(void);

/* May each counter be tried with each event: was the module loaded with any_counter=1? */
int kncpmu_pmu_any_counter(void);

/* Is it the uncore of the packages? */
int kncpmu_pmu_is_uncore(void);

/* Does CPUID say that this CPU lacks one of the architectural events? */
int kncpmu_pmu_cpu_lacks(const struct knc_pmu_event *event);

/* As kncpmu_pmu_use(), but only a PMU that the machine has: its own, or the uncore */
int kncpmu_pmu_use_here(const char *name);

#endif /* KNCPMU_PMU_H */
