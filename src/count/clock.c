// SPDX-License-Identifier: GPL-2.0
/*
 * The time stamp counter of a hardware thread: reading it, and ticks of one length
 *
 * It counts core clocks (327357 1.3.1). Times that are measured with it are kept in
 * ticks at tsc_khz, the rate that the kernel found when it booted. Where the rate is
 * another one by now, task/rates.c finds that out, and ticks are converted from then on.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "pmu/hw.h"

/* The clock is to be read in a tenth of a millisecond; some clocks are that slow */
#define KNC_CLOCK_PER_MS	10
#define KNC_CLOCK_TRIES		5

DEFINE_PER_CPU(struct knc_rate, knc_rates);

/**
 * knc_clock_read() - CLOCK_MONOTONIC and the time stamp counter
 * @clock: where to put them
 *
 * Both at once: a gap between the two readings shifts every time until the next
 * reading. A hypervisor, or an NMI, may take any time there.
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

/* @ticks at another rate as ticks at tsc_khz */
u64 knc_clock_scale(u64 ticks, u64 scale)
{
	return (ticks >> KNC_SCALE_SHIFT) * scale +
	       ((ticks & ((1 << KNC_SCALE_SHIFT) - 1)) * scale >>
		KNC_SCALE_SHIFT);
}

/* And back; hours are too many for 64 bits otherwise */
u64 knc_clock_unscale(u64 ticks, u64 scale)
{
	u64 whole = div64_u64(ticks, scale);

	return (whole << KNC_SCALE_SHIFT) +
	       div64_u64((ticks - whole * scale) << KNC_SCALE_SHIFT, scale);
}

/* The rate here, as it was measured last */
u32 knc_clock_khz(void)
{
	u64 scale = this_cpu_read(knc_rates.scale);

	return scale ? knc_clock_unscale(tsc_khz, scale) : tsc_khz;
}
