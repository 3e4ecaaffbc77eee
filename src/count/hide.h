/* SPDX-License-Identifier: GPL-2.0 */
/*
 * While a program may execute RDPMC
 */
#ifndef KNC_PMU_HIDE_H
#define KNC_PMU_HIDE_H

#include <linux/atomic.h>

/* How many sessions may permit RDPMC */
extern atomic_t knc_nr_hiding;

/* They may sleep. */
void knc_hide_begin(void);
void knc_hide_end(void);

#endif /* KNC_PMU_HIDE_H */
