// SPDX-License-Identifier: GPL-2.0
/* CLOCK_MONOTONIC */
#include <time.h>

#include "cli/clock.h"

unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

unsigned long long timer_resolution(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC, &ts))
		return 1;
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}
