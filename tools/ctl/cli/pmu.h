/* SPDX-License-Identifier: GPL-2.0 */
/* The PMU of this machine, and others by their names */
#ifndef KNC_CTL_PMU_H
#define KNC_CTL_PMU_H

#include <kncpmu.h>

/* The PMU of this machine; Knights Corner's if no module tells another */
const struct kncpmu_pmu *own_pmu(void);

/* Get the PMU @name, as this machine has it or as it usually is; -ENOENT: there is no such PMU */
int named_pmu(const char *name, struct kncpmu_pmu *pmu);

#endif /* KNC_CTL_PMU_H */
