/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What CONFIG asks for, parsed and checked: all that the floors below abi/ see of it
 */
#ifndef KNC_PMU_REQUEST_PARSED_H
#define KNC_PMU_REQUEST_PARSED_H

#include <linux/types.h>

#include "count/event.h"
#include "count/layout.h"

struct cpumask;

/**
 * struct knc_request - a session to be, as struct knc_pmu_config describes it
 * @flags: KNC_PMU_CONFIG_*
 * @pid: the thread to be followed, in the caller's pid namespace; 0: the caller
 * @cpus: the hardware threads; NULL: none were named
 * @nr_events: events, 1 to KNC_PMU_MAX_SET
 * @events: the events; CONFIG fills in their counters
 * @layout: the same in groups
 * @sample_interval: ns from one time sample to the next; 0: none
 * @max_frames: frames of each call chain
 * @ring_size: bytes of records of each ring; 0: nothing is sampled
 * @watermark: unread bytes that wake the reader; 0: half of the ring
 */
struct knc_request {
	u32 flags;
	s32 pid;
	const struct cpumask *cpus;
	unsigned int nr_events;
	struct knc_event *events;
	struct knc_layout layout;
	u64 sample_interval;
	u32 max_frames;
	u32 ring_size;
	u32 watermark;
};

#endif /* KNC_PMU_REQUEST_PARSED_H */
