/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A parsed CONFIG request, for the floors below abi/
 */
#ifndef KNC_PMU_REQUEST_H
#define KNC_PMU_REQUEST_H

#include <linux/types.h>

#include "request/event.h"
#include "request/groups.h"

struct cpumask;
struct knc_host_pmu;

/**
 * struct knc_request - the session that struct knc_pmu_config asks for
 * @host: the PMU of host/ that it asks for; NULL: counters of hardware threads
 * @flags: KNC_PMU_CONFIG_*
 * @pid: the thread to follow, in the caller's pid namespace; 0: the caller
 * @pids: with PIDS: the tasks, as in @pid
 * @nr_pids: number of @pids
 * @cpus: the hardware threads; NULL: none were named
 * @nr_events: number of events, 1 to KNC_PMU_MAX_SET
 * @events: the events; CONFIG sets their counters
 * @groups: the groups of the events
 * @sample_interval: ns between time samples; 0: no time samples
 * @max_frames: most frames of a call chain
 * @stack_size: most bytes of a copy of the user's stack; 0: none
 * @ring_size: bytes for records in each ring; 0: nothing is sampled
 * @watermark: unread bytes that wake the reader; 0: half of the ring
 */
struct knc_request {
	const struct knc_host_pmu *host;
	u32 flags;
	s32 pid;
	const s32 *pids;
	unsigned int nr_pids;
	const struct cpumask *cpus;
	unsigned int nr_events;
	struct knc_event *events;
	struct knc_groups groups;
	u64 sample_interval;
	u32 max_frames;
	u32 stack_size;
	u32 ring_size;
	u32 watermark;
};

#endif /* KNC_PMU_REQUEST_H */
