// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes and offsets of all structs of the ABI, to be compared between compilers: 32-bit programs
 * use the same structs
 */
#include <stddef.h>

#include <knc_pmu.h>

#define SIZE(s)		sizeof(struct knc_pmu_##s)
#define AT(s, field)	offsetof(struct knc_pmu_##s, field)

const unsigned int layout[] = {
	SIZE(list), AT(list, nr), AT(list, size),
	SIZE(desc), AT(desc, counters), AT(desc, fixed_width),
	SIZE(info), AT(info, features), AT(info, reserved),
	SIZE(event), AT(event, sample_period), AT(event, counter),
	SIZE(config), AT(config, cpus), AT(config, events), AT(config, pid),
	AT(config, sample_interval), AT(config, reason), AT(config, reason_pid),
	SIZE(thread), AT(thread, tsc), AT(thread, value), KNC_PMU_THREAD_SIZE(3),
	SIZE(read), AT(read, buffer), AT(read, reserved),
	SIZE(page), AT(page, width), AT(page, counter), AT(page, offset),
	SIZE(grant), AT(grant, session_pid), SIZE(reg), AT(reg, value), SIZE(regs), AT(regs, regs),
	SIZE(owner), AT(owner, reserved), SIZE(evict), AT(evict, flags),
	SIZE(ring), AT(ring, head), AT(ring, tail), AT(ring, lost_events),
	AT(ring, lost_switches), SIZE(record), AT(record, cpu),
	SIZE(sample), AT(sample, ip), AT(sample, tsc),
	AT(sample, period),
	SIZE(time_sample), AT(time_sample, tsc), AT(time_sample, delta),
	SIZE(lost), AT(lost, samples), AT(lost, time), AT(lost, events),
	SIZE(throttle), AT(throttle, time), AT(throttle, unsampled),
	SIZE(stats), AT(stats, pmis), AT(stats, handler_total),
	KNC_PMU_IOC_INFO, KNC_PMU_IOC_CONFIG, KNC_PMU_IOC_READ, KNC_PMU_IOC_REGS,
	KNC_PMU_IOC_OWNER, KNC_PMU_IOC_STATS, KNC_PMU_IOC_GRANTS, KNC_PMU_IOC_EVICT,
};
