/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The uncore PMU of Westmere and Nehalem: one for each package
 */
#ifndef KNC_PMU_UNCORE_H
#define KNC_PMU_UNCORE_H

#include <linux/types.h>

#include <knc/westmere_regs.h>

#include "pmu/pmu.h"

/* Counters are numbered as in its global registers: the fixed one is UNC_FIXED */
#define PMU_UNCORE_COUNTERS	(UNC_NR_COUNTERS + 1)
#define PMU_UNCORE_MASK		(UNC_EN_PC_ALL | UNC_EN_FC0)
/* All bits of the status that can be cleared */
#define PMU_UNCORE_STATUS	(PMU_UNCORE_MASK | UNC_OVF_PMI | UNC_CHG)
#define PMU_UNCORE_GENERAL	UNC_NR_COUNTERS
#define PMU_UNCORE_FIXED	UNC_FIXED
#define PMU_UNCORE_WIDTH	UNC_WIDTH

/**
 * struct pmu_uncore_saved - registers of a package's uncore
 * @ctrl: global control
 * @select: event selects
 * @fixed_ctrl: control of the fixed counter
 * @counter: counters, the fixed one last
 */
struct pmu_uncore_saved {
	u64 ctrl;
	u64 select[UNC_NR_COUNTERS];
	u64 fixed_ctrl;
	u64 counter[PMU_UNCORE_COUNTERS];
};

bool pmu_uncore_is(unsigned int family, unsigned int model);
bool pmu_uncore_exists(void);
void pmu_uncore_add_registers(void);
u64 pmu_uncore_counters(u64 code);
u64 pmu_uncore_select(const struct pmu_select *s);

/* Called on a hardware thread of the package, interrupts off */
bool pmu_uncore_counts(void);
void pmu_uncore_save(struct pmu_uncore_saved *saved);
void pmu_uncore_restore(const struct pmu_uncore_saved *saved);
void pmu_uncore_program(unsigned int counter, u64 select);
void pmu_uncore_enable(u64 counters);
u64 pmu_uncore_overflows(void);
u64 pmu_uncore_read(unsigned int counter);

#endif /* KNC_PMU_UNCORE_H */
