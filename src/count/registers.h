/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Save and restore the registers of one hardware thread; clear its free counters (knc_wipe())
 */
#ifndef KNC_PMU_REGISTERS_H
#define KNC_PMU_REGISTERS_H

#include "count/hwthread.h"

extern struct cpumask knc_admitting;

void knc_save(struct knc_hwthread *hw);
void knc_restore(struct knc_hwthread *hw);
void knc_wipe(struct knc_hwthread *hw);
void knc_hwthread_admit_tasks(struct knc_hwthread *hw);
void knc_hwthread_dismiss_tasks(struct knc_hwthread *hw);
void knc_hwthread_lend(struct knc_hwthread *hw);
void knc_hwthread_unlend(struct knc_hwthread *hw);
void knc_hwthread_restore_reset_values(struct knc_hwthread *hw);

#endif /* KNC_PMU_REGISTERS_H */
