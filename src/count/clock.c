// SPDX-License-Identifier: GPL-2.0
/*
 * The time stamp counter of a hardware thread: read it, convert its ticks
 *
 * It counts core clocks (327357 1.3.1). Times of tasks and groups are kept in ticks at tsc_khz, the
 * rate that the kernel measured at boot. After task/tsc-rate.c has found another rate, ticks are
 * converted.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "pmu/hw.h"

/* Read again if the reading took more than a tenth of a millisecond. */
#define KNC_CLOCK_PER_MS	10
#define KNC_CLOCK_TRIES		5

DEFINE_PER_CPU(struct knc_rate, knc_tsc_rates);

/**
 * knc_clock_read() - read CLOCK_MONOTONIC and the time stamp counter together
 * @clock: @tsc and @ns are set
 *
 * A delay between the two readings falsifies all times until the next call. A hypervisor or an NMI
 * may cause one: the fastest of several tries is used.
 */
void knc_clock_read(struct knc_clock *clock)
{
	u64 tsc, ns, took, least = ~0ULL;
	unsigned int i = 0;

	do {
		tsc = knc_hw_read_tsc();
		ns = ktime_get_ns();
		took = knc_hw_read_tsc() - tsc;
		if (took >= least)
			continue;
		least = took;
		clock->ns = ns;
		clock->tsc = tsc + took;
	} while (least > tsc_khz / KNC_CLOCK_PER_MS && ++i < KNC_CLOCK_TRIES);
}

/* Convert @ticks of a hardware thread to ticks at tsc_khz. */
u64 knc_clock_scale(u64 ticks, u64 scale)
{
	return (ticks >> KNC_SCALE_SHIFT) * scale +
	       ((ticks & ((1 << KNC_SCALE_SHIFT) - 1)) * scale >>
		KNC_SCALE_SHIFT);
}

/* The inverse of knc_clock_scale(); in two steps, as the ticks of hours would overflow 64 bits */
u64 knc_clock_unscale(u64 ticks, u64 scale)
{
	u64 whole = div64_u64(ticks, scale);

	return (whole << KNC_SCALE_SHIFT) +
	       div64_u64((ticks - whole * scale) << KNC_SCALE_SHIFT, scale);
}

/* The rate of this hardware thread's TSC, as last measured */
u32 knc_clock_khz(void)
{
	u64 scale = this_cpu_read(knc_tsc_rates.scale);

	return scale ? knc_clock_unscale(tsc_khz, scale) : tsc_khz;
}
