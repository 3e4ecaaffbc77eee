/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tick of a sampler: sets its clock, ends throttling, adapts periods
 */
#ifndef KNC_PMU_TICK_H
#define KNC_PMU_TICK_H

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/timer.h>

#include "sample/period.h"
#include "sample/state.h"

void knc_sampler_set_clock(struct knc_sampler *s);
void knc_tick_here(struct knc_sampler *s);
void knc_tick_counts(struct knc_sampler *s, bool stops);

/* Functions of the sampler's timer and irq_work */
void knc_tick(struct timer_list *timer);
void knc_tick_arm(struct irq_work *work);

static inline unsigned long knc_tick_jiffies(void)
{
	return max(HZ / KNC_TICK_HZ, 1);
}

#endif /* KNC_PMU_TICK_H */
