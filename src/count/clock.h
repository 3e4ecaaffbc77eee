/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time stamp counter of a hardware thread: reading it, and ticks of one length
 */
#ifndef KNC_PMU_CLOCK_H
#define KNC_PMU_CLOCK_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/timer.h>
#include <linux/types.h>

#define KNC_CLOCK_SHIFT		22	/* enough for an hour without being set */
#define KNC_SCALE_SHIFT		20

/**
 * struct knc_clock - CLOCK_MONOTONIC as a function of the time stamp counter
 * @tsc: a time stamp
 * @ns: CLOCK_MONOTONIC then
 * @mult: ns for 2^KNC_CLOCK_SHIFT ticks
 */
struct knc_clock {
	u64 tsc;
	u64 ns;
	u64 mult;
};

/**
 * struct knc_rate - how fast a hardware thread's time stamp counter goes
 * @scale: ticks at tsc_khz for 2^KNC_SCALE_SHIFT of its own; 0: it goes at tsc_khz
 * @last: when that was measured; @ns is 0: it was not
 * @timer: measures it while anybody needs it
 */
struct knc_rate {
	u64 scale;
	struct knc_clock last;
	struct timer_list timer;
};

DECLARE_PER_CPU(struct knc_rate, knc_rates);

void knc_clock_read(struct knc_clock *clock);
u64 knc_clock_scale(u64 ticks, u64 scale);
u64 knc_clock_unscale(u64 ticks, u64 scale);
u32 knc_clock_khz(void);

/**
 * knc_clock_ticks() - ticks of this hardware thread as if it went at tsc_khz
 * @ticks: what has passed here, since the last measurement at most
 *
 * 327357 1.3.1: the counter counts core clocks, which may change their rate. What is
 * added up from several hardware threads, or over some time, are ticks of one length.
 *
 * Return: so many.
 */
static inline u64 knc_clock_ticks(u64 ticks)
{
	u64 scale = this_cpu_read(knc_rates.scale);

	if (likely(!scale))
		return ticks;
	return knc_clock_scale(ticks, scale);
}

#endif /* KNC_PMU_CLOCK_H */
