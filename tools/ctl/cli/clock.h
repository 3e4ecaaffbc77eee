/* SPDX-License-Identifier: GPL-2.0 */
/* CLOCK_MONOTONIC */
#ifndef KNC_CTL_CLOCK_H
#define KNC_CTL_CLOCK_H

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

/* Nanoseconds of CLOCK_MONOTONIC */
unsigned long long now_ns(void);

/* How often timers of the kernel can run at most, ns: 1 with high resolution, else its tick */
unsigned long long timer_resolution(void);

#endif /* KNC_CTL_CLOCK_H */
