/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of time, by a timer
 */
#ifndef KNC_PMU_TIMED_H
#define KNC_PMU_TIMED_H

#include <linux/hrtimer.h>

/* What the timer of a sampler does */
enum hrtimer_restart knc_timer(struct hrtimer *timer);

#endif /* KNC_PMU_TIMED_H */
