/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time stamp counter of a hardware thread: read it, convert its ticks
 */
#ifndef KNC_PMU_CLOCK_H
#define KNC_PMU_CLOCK_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/timer.h>
#include <linux/types.h>

#include <asm/tsc.h>

#include "compat/compat.h"

#define KNC_CLOCK_SHIFT		22	/* an hour in ns fits in 64 bits */
#define KNC_SCALE_SHIFT		20

/**
 * struct knc_clock - CLOCK_MONOTONIC as a function of the time stamp counter
 * @tsc: a time stamp
 * @ns: CLOCK_MONOTONIC at @tsc
 * @mult: ns in 2^KNC_CLOCK_SHIFT ticks
 */
struct knc_clock {
	u64 tsc;
	u64 ns;
	u64 mult;
};

/**
 * struct knc_rate - the rate of a hardware thread's time stamp counter
 * @scale: ticks at tsc_khz in 2^KNC_SCALE_SHIFT ticks here; 0: the rate is tsc_khz
 * @last: the last reading of both clocks; @last.ns is 0 before the first one
 * @timer: measures the rate while a session needs it
 */
struct knc_rate {
	u64 scale;
	struct knc_clock last;
	struct timer_list timer;
};

DECLARE_PER_CPU(struct knc_rate, knc_tsc_rates);

void knc_clock_read(struct knc_clock *clock);
u64 knc_clock_scale(u64 ticks, u64 scale);
u64 knc_clock_unscale(u64 ticks, u64 scale);
u32 knc_clock_khz(void);

/**
 * knc_clock_ticks() - convert ticks of this hardware thread to ticks at tsc_khz
 * @ticks: ticks that passed here after the last measurement of the rate
 *
 * 327357 1.3.1: the counter counts core clocks, whose rate may change. Times
 * that are added up are in ticks at tsc_khz.
 *
 * Return: ticks at tsc_khz.
 */
static inline u64 knc_clock_ticks(u64 ticks)
{
	u64 scale = this_cpu_read(knc_tsc_rates.scale);

	if (likely(!scale))
		return ticks;
	return knc_clock_scale(ticks, scale);
}

/* Convert ticks at tsc_khz (see knc_clock_ticks()) to ns. */
static inline u64 knc_clock_ticks_to_ns(u64 ticks)
{
	u64 khz = max(tsc_khz, 1u);
	u64 ms = div64_u64(ticks, khz);

	return ms * 1000000 + div64_u64((ticks - ms * khz) * 1000000, khz);
}

/*
 * Never negative: @since may be later than @now. Callers on the fast path hold no lock, and one
 * may read the clock first but run second.
 */
static inline u64 knc_clock_elapsed(u64 now, u64 since)
{
	return now > since ? now - since : 0;
}

#endif /* KNC_PMU_CLOCK_H */
