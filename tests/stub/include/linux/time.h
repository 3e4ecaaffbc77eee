/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_TIME_H
#define STUB_LINUX_TIME_H

#define MSEC_PER_SEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define CLOCK_MONOTONIC 1

typedef int clockid_t;

struct timespec {
	long tv_sec;
	long tv_nsec;
};

static inline long long timespec_to_ns(const struct timespec *ts)
{
	return (long long)ts->tv_sec * NSEC_PER_SEC + ts->tv_nsec;
}

#endif /* STUB_LINUX_TIME_H */
