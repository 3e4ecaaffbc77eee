/* SPDX-License-Identifier: GPL-2.0 */
/*
 * While a program may execute RDPMC
 */
#ifndef KNC_PMU_HIDE_H
#define KNC_PMU_HIDE_H

/* They may sleep. */
void knc_hide_begin(void);
void knc_hide_end(void);

#endif /* KNC_PMU_HIDE_H */
