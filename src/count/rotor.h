/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers that end the turns of groups
 */
#ifndef KNC_PMU_ROTOR_H
#define KNC_PMU_ROTOR_H

void knc_rotor_get(void);
void knc_rotor_put(void);
void knc_rotor_online(void);
void knc_rotor_offline(void);

#endif /* KNC_PMU_ROTOR_H */
