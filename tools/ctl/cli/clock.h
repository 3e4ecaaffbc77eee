/* SPDX-License-Identifier: GPL-2.0 */
/* CLOCK_MONOTONIC, and the time stamp counter */
#ifndef KNC_CTL_CLOCK_H
#define KNC_CTL_CLOCK_H

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

/* Nanoseconds of CLOCK_MONOTONIC */
unsigned long long now_ns(void);

/*
 * Read the time stamp counter and CLOCK_MONOTONIC (@ns, out) together. Of several readings the one
 * that took the shortest time is returned.
 */
unsigned long long read_clocks(unsigned long long *ns);

/* The resolution of the kernel's timers, ns: 1 with high resolution, else the kernel's tick */
unsigned long long timer_resolution(void);

#endif /* KNC_CTL_CLOCK_H */
