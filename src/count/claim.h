/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A claim: the events, counts and times that one session has on one hardware
 * thread, or of one task
 */
#ifndef KNC_PMU_CLAIM_H
#define KNC_PMU_CLAIM_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "count/count.h"
#include "pmu/hw.h"

struct knc_hwthread;
struct knc_sampler;
struct knc_set;
struct pid;

/**
 * struct knc_claim - what a session has on one hardware thread, or of one task
 * @owner: the session or its struct knc_follow, only compared here
 * @pid: the process that configured the session
 * @cpu: the hardware thread; KNC_PMU_NO_CPU: the one that runs the task
 * @nr: events of the present group
 * @record: where READ puts the record of this hardware thread
 * @count: the counts of the present group
 * @cntrs: mask of the counters of @count
 * @obey: mask of those in @cntrs that obey the gate
 * @owned: mask of the counters of all groups
 * @gated: mask of those in @owned that obey the gate in any group
 * @set: the other groups, which take turns with this one; NULL: only one group
 * @nmi: it is sampled where interrupts may be off: its overflow interrupts must be NMIs
 * @kept_on: of a task: the hardware thread that was programmed for it last, and still is
 *	if @changes of that is @kept_at; NULL: none
 * @kept_at: @changes of @kept_on when the claim left it
 * @open: initial state of the gate; of a task: its state when the task last ran
 * @sampler: takes the samples; NULL: no event is sampled
 * @flags: KNC_PMU_THREAD_GAP; of a task KNC_PMU_THREAD_PARTIAL
 * @nr_events: events of the session; next to @flags, as in a record of READ
 * @started: the claim counts, or will when its hardware thread comes online
 * @since: while started: time of the last START or RESET, ns of CLOCK_MONOTONIC
 * @enabled: time for which it was started before @since, ns
 * @offline_since: while started and offline: since when, ns of CLOCK_MONOTONIC
 * @offline_time: time for which it was started and offline before that, ns
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
	bool nmi;
	bool open;
	const struct knc_hwthread *kept_on;
	u64 kept_at;
	struct knc_sampler *sampler;
	u16 flags;
	u16 nr_events;
	bool started;
	u64 since;
	u64 enabled;
	u64 offline_since;
	u64 offline_time;
};

/* The end of the present group's counts */
static inline const struct knc_count *knc_claim_end(const struct knc_claim *claim)
{
	return claim->count + claim->nr;
}

/* The gate of a claim that is put on its counters */
static inline void knc_claim_program_gate(const struct knc_claim *claim)
{
	u64 gate = knc_hw_read_gate() & ~this_pmu->gate.open;

	if (claim->open)
		gate |= this_pmu->gate.open;
	knc_hw_write_gate(gate | claim->obey);
}

#endif /* KNC_PMU_CLAIM_H */
