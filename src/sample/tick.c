// SPDX-License-Identifier: GPL-2.0
/*
 * The tick of a sampler: sets its clock, ends throttling, adapts periods
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/smp.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "pmu/hw.h"
#include "sample/period.h"
#include "sample/storm.h"
#include "sample/tick.h"

/* Read both clocks, for knc_sampler_time(); on the hardware thread, interrupts off */
void knc_sampler_set_clock(struct knc_sampler *s)
{
	const struct knc_clock *old = s->now;
	struct knc_clock *new = &s->clock[old == &s->clock[0]];
	u64 ticks;

	knc_clock_read(new);
	ticks = new->tsc - old->tsc;
	/* measure the rate over 1 ms to 1 s; after that use the nominal one */
	if (ticks < tsc_khz)
		return;
	if (ticks < tsc_khz * 1000ULL && new->ns - old->ns < 2 * NSEC_PER_SEC)
		new->mult = div64_u64((new->ns - old->ns) << KNC_CLOCK_SHIFT,
				      ticks);
	else
		new->mult = div64_u64(1000000ULL << KNC_CLOCK_SHIFT,
				      max(tsc_khz, 1u));
	barrier(); /* pairs with knc_sampler_time() on this CPU */
	WRITE_ONCE(s->now, new);
}

/* Must the tick adapt the period? Usually a sample has done so. */
static bool knc_must_adapt(const struct knc_sampler *s,
			   const struct knc_sampling *e)
{
	return e->flags & KNC_SAMPLING_FREQ && s->claim->started &&
	       knc_hw_read_tsc() - e->last >= knc_period_adapt_limit(e);
}

static void knc_tick_count(struct knc_sampler *s, struct knc_hwthread *hw,
			   struct knc_count *count, bool stops)
{
	struct knc_sampling *e = count->sampling;

	bool throttled = e->flags & KNC_SAMPLING_THROTTLED;

	/* still throttled; but a sampler that stops reports its unsampled events now */
	if (throttled && !stops && hw->storm.throttled_until)
		return;
	if (!throttled && !knc_must_adapt(s, e))
		return;
	knc_count_edit_begin(hw, count);
	knc_count_update(count);
	if (throttled)
		knc_storm_unthrottle(s, count);
	else
		knc_period_adapt_if_due(e, count, knc_hw_read_tsc());
	knc_count_edit_end(hw, count);
}

/* @stops: called at STOP, not by the tick. On the hardware thread, interrupts off */
void knc_tick_counts(struct knc_sampler *s, bool stops)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int i;

	if (!s->claim || !(hw->attached & s->claim->cntrs))
		return;
	for (i = 0; i < s->claim->nr; i++)
		if (s->claim->count[i].sampling)
			knc_tick_count(s, hw, &s->claim->count[i], stops);
}

/* On the hardware thread, interrupts off */
void knc_tick_here(struct knc_sampler *s)
{
	knc_storm_tick(this_cpu_ptr(&knc_hwthreads));
	knc_tick_counts(s, false);
}

void knc_tick(struct timer_list *timer)
{
	struct knc_sampler *s = timer_container_of(s, timer, tick);
	unsigned long flags;

	local_irq_save(flags);
	/* CPU hotplug may have moved the timer to another CPU */
	if (s->claim && smp_processor_id() == s->ring.cpu) {
		knc_sampler_set_clock(s);
		knc_tick_here(s);
		mod_timer(timer, jiffies + knc_tick_jiffies());
	}
	local_irq_restore(flags);
}

/* Start the tick after a context switch; on the hardware thread, interrupts off */
void knc_tick_arm(struct irq_work *work)
{
	struct knc_sampler *s = container_of(work, struct knc_sampler, arm);

	knc_sampler_set_clock(s);
	mod_timer(&s->tick, jiffies + knc_tick_jiffies());
}
