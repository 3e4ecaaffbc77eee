// SPDX-License-Identifier: GPL-2.0
/* CLOCK_MONOTONIC, and the time stamp counter */
#include <time.h>

#include "cli/clock.h"

#define TRIES	8	/* readings of both clocks, of which the best is kept */

unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

unsigned long long read_clocks(unsigned long long *ns)
{
	unsigned long long before, now, took, least = ~0ULL, tsc = 0;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		before = __builtin_ia32_rdtsc();
		now = now_ns();
		took = __builtin_ia32_rdtsc() - before;
		if (took >= least)
			continue;
		least = took;
		tsc = before + took / 2;
		*ns = now;
	}
	return tsc;
}

unsigned long long timer_resolution(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC, &ts))
		return 1;
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}
