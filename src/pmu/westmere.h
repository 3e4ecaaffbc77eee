/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core PMU of Westmere: the architectural PMU with more events, constraints and registers
 */
#ifndef KNC_PMU_WESTMERE_H
#define KNC_PMU_WESTMERE_H

#include <linux/types.h>

struct pmu_arch;

bool pmu_westmere_is(unsigned int family, unsigned int model);
void pmu_westmere_fill(struct pmu_arch *pmu);

#endif /* KNC_PMU_WESTMERE_H */
