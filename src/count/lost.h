/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lost registers (lost.c); count.h declares knc_count_below()
 */
#ifndef KNC_PMU_LOST_H
#define KNC_PMU_LOST_H

#include <linux/types.h>

/* Has any hardware thread ever lost its registers? */
extern bool knc_any_lost;

struct knc_hwthread;

void knc_lost_mend(struct knc_hwthread *hw);

#endif /* KNC_PMU_LOST_H */
