/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set free counters to 0 while a program may execute RDPMC
 */
#ifndef KNC_PMU_HIDE_H
#define KNC_PMU_HIDE_H

/* Both may sleep. */
void knc_hide_begin(void);
void knc_hide_end(void);

#endif /* KNC_PMU_HIDE_H */
