/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers that end the turns of groups
 */
#ifndef KNC_PMU_ROTATION_H
#define KNC_PMU_ROTATION_H

void knc_rotation_get(void);
void knc_rotation_put(void);
void knc_rotation_online(void);
void knc_rotation_offline(void);

#endif /* KNC_PMU_ROTATION_H */
