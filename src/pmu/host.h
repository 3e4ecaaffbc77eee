/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU of the hardware threads of this host
 */
#ifndef KNC_PMU_HOST_H
#define KNC_PMU_HOST_H

#include "pmu/arch.h"

/* Filled in when the module is loaded */
extern struct pmu_arch pmu_arch;

#endif /* KNC_PMU_HOST_H */
