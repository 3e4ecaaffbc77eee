/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A claim: the events, counts and times of one session on one hardware thread, or for one task
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
 * struct knc_claim - the part of a session on one hardware thread, or for one task
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
 * @nmi: code with interrupts off is sampled: the claim's PMIs must be NMIs
 * @kept_on: for a task: the hardware thread whose registers were last programmed for the claim, and
 *	still are if @kept_on->changes is @kept_at; or NULL
 * @kept_at: @changes of @kept_on when the claim left it
 * @open: initial state of the gate; for a task: its state when the task last ran
 * @sampler: takes the samples; NULL: no event is sampled
 * @flags: KNC_PMU_THREAD_GAP; for a task KNC_PMU_THREAD_PARTIAL
 * @nr_events: events of the session; follows @flags, as in a record of READ
 * @started: the claim counts, or will when its hardware thread comes online
 * @since: while started: time of the last START or RESET, ns of CLOCK_MONOTONIC
 * @enabled: time for which it was started before @since, ns
 * @offline_since: while started and offline: since when, ns of CLOCK_MONOTONIC
 * @offline_time: time for which it was started and offline before that, ns
 * @off_since: for a task whose context switches are recorded: since when it is on no hardware
 *	thread, ns of CLOCK_MONOTONIC; KNC_CLAIM_IS_ON; or 0: not known
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
	u64 off_since;
};

/* @off_since: the task is on a hardware thread */
#define KNC_CLAIM_IS_ON		(~0ULL)

/* One past the last count of the present group, for loops */
static inline const struct knc_count *knc_claim_end(const struct knc_claim *claim)
{
	return claim->count + claim->nr;
}

/* Set the gate when a claim is put on its counters: its state, and which counters obey */
static inline void knc_claim_program_gate(const struct knc_claim *claim)
{
	u64 gate = knc_hw_read_gate() & ~this_pmu->gate.open;

	if (claim->open)
		gate |= this_pmu->gate.open;
	knc_hw_write_gate(gate | claim->obey);
}

#endif /* KNC_PMU_CLAIM_H */
