/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Save and restore the registers of one hardware thread; clear its free counters
 */
#ifndef KNC_PMU_REGISTERS_H
#define KNC_PMU_REGISTERS_H

#include "count/hwthread.h"

extern struct cpumask knc_admitting;

void knc_registers_save(struct knc_hwthread *hw);
void knc_registers_restore(struct knc_hwthread *hw);
void knc_registers_wipe(struct knc_hwthread *hw);
void knc_registers_admit_tasks(struct knc_hwthread *hw);
void knc_registers_dismiss_tasks(struct knc_hwthread *hw);
void knc_registers_lend(struct knc_hwthread *hw);
void knc_registers_unlend(struct knc_hwthread *hw);
void knc_registers_restore_reset_values(struct knc_hwthread *hw);

#endif /* KNC_PMU_REGISTERS_H */
