/* SPDX-License-Identifier: GPL-2.0 */
/* CLOCK_MONOTONIC */
#ifndef KNC_CTL_CLOCK_H
#define KNC_CTL_CLOCK_H

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

/* Nanoseconds of CLOCK_MONOTONIC */
unsigned long long now_ns(void);

/* The resolution of the kernel's timers, ns: 1 with high resolution, else the kernel's tick */
unsigned long long timer_resolution(void);

#endif /* KNC_CTL_CLOCK_H */
