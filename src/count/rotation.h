/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a turn: put the next group on the counters; the timers that do it
 */
#ifndef KNC_PMU_ROTATION_H
#define KNC_PMU_ROTATION_H

struct knc_hwthread;

void knc_rotation_next(struct knc_hwthread *hw);
void knc_rotation_get(void);
void knc_rotation_put(void);
void knc_rotation_online(void);
void knc_rotation_offline(void);

#endif /* KNC_PMU_ROTATION_H */
