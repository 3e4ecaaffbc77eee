/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A claim: the events, counts and times that one session has on one hardware thread,
 * or of one task
 */
#ifndef KNC_PMU_CLAIM_H
#define KNC_PMU_CLAIM_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "count/count.h"

struct knc_sampler;
struct knc_set;
struct pid;

/**
 * struct knc_claim - what one session has on one hardware thread, or of one task
 * @owner: the session; never followed here
 * @pid: who configured it
 * @cpu: the hardware thread; KNC_PMU_NO_CPU: it goes where its task goes
 * @nr: events, at present
 * @record: where READ's record of this hardware thread goes
 * @count: the events
 * @cntrs: mask of the counters they are on
 * @obey: mask of those that obey the gate
 * @owned: mask of all counters it needs
 * @gated: mask of those that obey the gate at any time
 * @set: more events, which take turns with these; NULL: there are none
 * @open: open the gate at first; of a task: whether it was when it last ran
 * @sampler: takes its samples; NULL: none are wanted
 * @flags: KNC_PMU_THREAD_GAP
 * @nr_events: events of the session; beside @flags, as in a record of READ
 * @started: it counts, or would if the hardware thread were online
 * @since: while started: when it was started, ns of CLOCK_MONOTONIC
 * @enabled: how long it was started before that, ns
 * @offline_since: while offline and started: since when that has been so, ns
 * @offline_time: how long it was offline while started, ns
 */
struct knc_claim {
	const void *owner;
	struct pid *pid;
	unsigned int cpu;
	unsigned int nr;
	struct knc_pmu_thread *record;
	struct knc_count count[PMU_MAX_COUNTERS];
	u64 cntrs;
	u64 obey;
	u64 owned;
	u64 gated;
	struct knc_set *set;
	bool open;
	struct knc_sampler *sampler;
	u16 flags;
	u16 nr_events;
	bool started;
	u64 since;
	u64 enabled;
	u64 offline_since;
	u64 offline_time;
};

/* What follows the last event of a claim */
static inline const struct knc_count *knc_claim_end(const struct knc_claim *claim)
{
	return claim->count + claim->nr;
}

#endif /* KNC_PMU_CLAIM_H */
