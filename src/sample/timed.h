/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time samples, taken by a timer
 */
#ifndef KNC_PMU_TIMED_H
#define KNC_PMU_TIMED_H

#include <linux/hrtimer.h>

/* The function of a sampler's hrtimer */
enum hrtimer_restart knc_timed_timer(struct hrtimer *timer);

#endif /* KNC_PMU_TIMED_H */
