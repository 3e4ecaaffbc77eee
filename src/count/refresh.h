/* SPDX-License-Identifier: GPL-2.0 */
/*
 * At regular intervals, find lost registers and update the counts
 */
#ifndef KNC_PMU_REFRESH_H
#define KNC_PMU_REFRESH_H

#include <linux/types.h>

struct knc_hwthread;

void knc_refresh_verify(struct knc_hwthread *hw);
void knc_refresh_counts(struct knc_hwthread *hw, u64 now);

#endif /* KNC_PMU_REFRESH_H */
