// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes and offsets of what crosses /dev/knc_pmu, to be compared between compilers:
 * 32-bit programs use the same structs
 */
#include <stddef.h>

#include <knc_pmu.h>

#define SIZE(s)		sizeof(struct knc_pmu_##s)
#define AT(s, field)	offsetof(struct knc_pmu_##s, field)

const unsigned int layout[] = {
	SIZE(info), AT(info, features), AT(info, reserved),
	SIZE(event), AT(event, sample_period), AT(event, reserved),
	SIZE(config), AT(config, cpus), AT(config, events),
	AT(config, sample_interval), AT(config, reserved),
	SIZE(thread), AT(thread, tsc), AT(thread, value),
	SIZE(read), AT(read, buffer), AT(read, buffer_size),
	SIZE(page), AT(page, offset), AT(page, reserved),
	SIZE(grant), SIZE(grants), AT(grants, buffer),
	SIZE(regs), AT(regs, perfcntr), AT(regs, cr4),
	SIZE(owner), AT(owner, reserved),
	SIZE(ring), AT(ring, head), AT(ring, lost_events), AT(ring, tail),
	SIZE(record), SIZE(sample), AT(sample, ip), AT(sample, tsc),
	AT(sample, period),
	SIZE(time_sample), AT(time_sample, tsc), AT(time_sample, delta),
	SIZE(lost), AT(lost, samples), AT(lost, time),
	SIZE(throttle), AT(throttle, time), AT(throttle, unsampled),
	SIZE(stats), AT(stats, pmis), AT(stats, handler_total),
	SIZE(stats_read), AT(stats_read, buffer),
};
