/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU of one hardware thread
 *
 * Functions that take a struct knc_hwthread run on that hardware thread with interrupts off, unless
 * they say otherwise: then only the PMI, as an NMI, can change its registers or counts meanwhile.
 */
#ifndef KNC_PMU_HWTHREAD_H
#define KNC_PMU_HWTHREAD_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "count/claim.h"
#include "pmu/hw.h"

struct cpumask;
struct task_struct;

/* Value of @throttled_until if the samplers' ticks are late: throttled until the next one */
#define KNC_UNTIL_TICK		(~0ULL)

/**
 * struct knc_storm - PMIs that leave too little time for anything else (sample/storm.c)
 * @gap: two PMIs are close if less time than this lies between them, in cycles
 * @close_until: a PMI before this time stamp is close to the last one
 * @handler_limit: cycles of handler time up to which close PMIs are never a storm
 * @began: time stamp of the first of the close PMIs in @nr_close, or of the end of the
 *	pause before them
 * @pmis: number of PMIs at @began
 * @total: cycles spent in their handlers at @began
 * @nr_close: close PMIs since @began
 * @ticks: number of ticks and starts of samplers
 * @ticks_seen: @ticks at @ticked
 * @ticked: time stamp of the last check that found new ticks, or missed them for too long
 * @ticked_pmis: number of PMIs at @ticked
 * @throttled_until: no samples are taken before this time stamp; 0: samples are taken;
 *	KNC_UNTIL_TICK: until a tick comes
 */
struct knc_storm {
	u64 gap;
	u64 close_until;
	u64 handler_limit;
	u64 began;
	u64 pmis;
	u64 total;
	unsigned int nr_close;
	unsigned int ticks;
	unsigned int ticks_seen;
	u64 ticked;
	u64 ticked_pmis;
	u64 throttled_until;
};

/**
 * struct knc_saved - values of the registers before the first claim
 * @perfcntr: counters, by number
 * @perfevtsel: event selects
 * @gate: the gate
 * @global_ctrl: global control
 * @lvtpc: LVT performance counter entry of the local APIC
 */
struct knc_saved {
	u64 perfcntr[PMU_MAX_NUMBER];
	u64 perfevtsel[PMU_MAX_NUMBER];
	u64 gate;
	u64 global_ctrl;
	u32 lvtpc;
};

/**
 * struct knc_hwthread - the PMU of one hardware thread
 * @cpu: the CPU's number
 * @last_task: the followed task that was last switched to here, only compared
 * @online: the registers may be touched
 * @taken: the registers are ours, their former values in @saved
 * @for_tasks: @taken for claims of tasks, which are put on counters
 * @lent: the PMI may report overflows of the core's other threads
 * @task_cntrs: mask of the counters that the running task's claims are on
 * @tells: number of the running task's claims whose context switches are recorded
 * @leaves: during a context switch, if @tells: KNC_SWITCH_LEAVES and KNC_PMU_SAMPLE_* of the task
 *	that leaves; else 0
 * @task: the running task's claim on each of @task_cntrs. Elsewhere it may point to freed memory:
 *	use knc_hwthread_task()
 * @claim: the claim that owns each counter
 * @count: the count that each attached counter is programmed for
 * @evtsel: the value last written to each event select, while @taken
 * @changes: how often counters were programmed, cleared or saved here: while it is unchanged, a
 *	kept claim is still in the registers
 * @attached: mask of the counters that are programmed, and whose overflows are ours
 * @editing: mask of the counters that are stopped while their counts change:
 *	the PMI leaves them alone
 * @saved: former contents of the registers, restored after the last claim
 * @saved_is_reset: @saved has reset values instead of the former ones
 * @started: mask of the counters of started claims
 * @running: value of the global control while @taken: @started without @editing
 * @stale: mask of the counters that have counted since @refreshed, or may have
 * @refreshed: when all counts were last updated, ns of CLOCK_MONOTONIC
 * @nmi: the overflow interrupt is an NMI at present
 * @vector: value of the LVT performance counter entry for a vector; 0: there is none
 * @lvtpc: value of the LVT performance counter entry while @taken
 * @late_until: time stamp until which a PMI without an overflow status may still be ours
 * @storm: recognition of storms, and whether the hardware thread is throttled
 * @ask: PMIs here may stand for overflows of siblings: ask the siblings to look at their status
 * @stats: statistics of PMIs
 */
struct knc_hwthread {
	unsigned int cpu;
	const struct task_struct *last_task;
	bool online;
	bool taken;
	bool for_tasks;
	bool lent;
	u64 task_cntrs;
	u32 tells;
	u32 leaves;
	struct knc_claim *task[PMU_MAX_NUMBER];
	struct knc_claim *claim[PMU_MAX_NUMBER];
	struct knc_count *count[PMU_MAX_NUMBER];
	u64 evtsel[PMU_MAX_NUMBER];
	u64 changes;
	u64 attached;
	u64 editing;
	struct knc_saved saved;
	bool saved_is_reset;
	u64 started;
	u64 running;
	u64 stale;
	u64 refreshed;
	bool nmi;
	u32 vector;
	u32 lvtpc;
	u64 late_until;
	struct knc_storm storm;
	bool ask;
	struct knc_pmu_stats stats;
};

DECLARE_PER_CPU(struct knc_hwthread, knc_hwthreads);

/* Called on the hardware thread, interrupts off; if it is offline, on any CPU */
typedef void (*knc_hwthread_call_fn)(struct knc_hwthread *hw, struct knc_claim *claim,
				     u64 now);

/**
 * struct knc_hwthread_call - a function to call on hardware threads
 * @owner: call @fn only where this owner has a claim. NULL: call it everywhere,
 *	without a claim
 * @all: call @fn without a claim where @owner has none
 * @fn: what to call
 * @now: CLOCK_MONOTONIC, ns, read under the hotplug lock; 0: @fn needs no time
 */
struct knc_hwthread_call {
	const void *owner;
	bool all;
	knc_hwthread_call_fn fn;
	u64 now;
};

void knc_hwthreads_init(void);
void knc_hwthreads_call(const struct cpumask *cpus, struct knc_hwthread_call *call);

static inline struct knc_hwthread *knc_hwthread_of(unsigned int cpu)
{
	return &per_cpu(knc_hwthreads, cpu);
}

static inline void knc_hwthread_select(struct knc_hwthread *hw, unsigned int n, u64 evtsel)
{
	hw->evtsel[n] = evtsel;
	knc_hw_write_evtsel(n, evtsel);
}

/* Let exactly @cntrs count. A PMI before the write loads @running, whose value is already new. */
static inline void knc_hwthread_set_running(struct knc_hwthread *hw, u64 cntrs)
{
	WRITE_ONCE(hw->running, cntrs);
	barrier(); /* pairs with knc_pmi() on this CPU */
	knc_hw_write_global_ctrl(cntrs);
}

/* Is a claim of the running task on counter @n? */
static inline bool knc_hwthread_has_task(const struct knc_hwthread *hw, unsigned int n)
{
	return hw->task_cntrs >> n & 1;
}

/* The running task's claim on counter @n, or NULL */
static inline struct knc_claim *knc_hwthread_task(const struct knc_hwthread *hw,
						  unsigned int n)
{
	return knc_hwthread_has_task(hw, n) ? hw->task[n] : NULL;
}

static inline bool knc_hwthread_claimed(const struct knc_hwthread *hw)
{
	unsigned int n;

	for_each_counter(n)
		if (hw->claim[n])
			return true;
	return false;
}

/* The claim of @owner on this hardware thread, or NULL */
static inline struct knc_claim *knc_hwthread_find(const struct knc_hwthread *hw,
						  const void *owner)
{
	unsigned int n;

	for_each_counter(n)
		if (hw->claim[n] && hw->claim[n]->owner == owner)
			return hw->claim[n];
	return NULL;
}

/* The running task's claim on counter @n, or the hardware thread's own, or NULL */
static inline struct knc_claim *knc_claim_on(const struct knc_hwthread *hw, unsigned int n)
{
	struct knc_claim *claim = knc_hwthread_task(hw, n);

	return claim ? claim : hw->claim[n];
}

/* The claim whose lowest counter is @n, or NULL: a loop over all counters finds each claim once */
static inline struct knc_claim *knc_claim_at(const struct knc_hwthread *hw,
					     unsigned int n)
{
	struct knc_claim *claim = hw->claim[n];

	return claim && pmu_lowest(claim->owned) == n ? claim : NULL;
}

#endif /* KNC_PMU_HWTHREAD_H */
