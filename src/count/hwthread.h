/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU of one hardware thread
 *
 * Functions that take a struct knc_hwthread run on that hardware thread with
 * interrupts off, unless they say otherwise: then nothing else can touch its
 * registers or its counts.
 */
#ifndef KNC_PMU_HWTHREAD_H
#define KNC_PMU_HWTHREAD_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "count/claim.h"

struct task_struct;

/* Ticks in which an interrupt may still come after its status was cleared */
#define KNC_LATE_TICKS		1000000

/**
 * struct knc_saved - what the registers held before anyone claimed a counter
 * @perfcntr: the counters, by number
 * @perfevtsel: their event selects
 * @gate: the gate
 * @global_ctrl: the global control
 * @lvtpc: the local APIC's LVT performance counter entry
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
 * @cpu: its number
 * @who: the followed task that was last switched to here; never followed
 * @online: its registers may be touched
 * @taken: they are ours: what they held is in @saved
 * @shared: counters are lent to the tasks that run here
 * @lent: overflows of other threads of the core may interrupt this one
 * @loaded: mask of the counters that count for the running task
 * @task: what of it each of them counts
 * @claim: who has each counter
 * @count: what each counter counts, if it is attached
 * @attached: mask of the counters that are programmed
 * @editing: mask of those that are stopped and being changed: the overflow
 *	interrupt keeps off
 * @saved: put back at the last release
 * @forgotten: reset values are to be put back instead
 * @started: mask of the counters that are to count
 * @running: what is on the global control while a counter is claimed: those of
 *	them that are not being changed
 * @lvtpc: what the LVT performance counter entry is to be meanwhile
 * @late_until: until then an interrupt that finds nothing to do may be ours: its
 *	status was cleared before it came, in time stamp counter ticks
 * @dense: overflow interrupts that follow each other in less than this leave too
 *	little time for anything else, in ticks
 * @sparse: from then on the next one is not one of them
 * @usual: what a handler takes that is neither the longest nor too long for that
 * @dense_began: since when those have been counted
 * @dense_pmis: interrupts until then
 * @dense_total: time stamp counter ticks that they took
 * @nr_dense: how many dense ones there were since
 * @tried: what @dense is by trial; after a storm that was not dense by that it is more
 *	for a while
 * @ticks: ticks of samplers
 * @ticks_seen: those seen by the last look whether there are any
 * @ticked: when that was
 * @ticked_pmis: interrupts until then
 * @ask: an overflow here may hide that of another thread of the core: that is asked
 * @stats: what they did
 */
struct knc_hwthread {
	unsigned int cpu;
	const struct task_struct *who;
	bool online;
	bool taken;
	bool shared;
	bool lent;
	u64 loaded;
	struct knc_claim *task[PMU_MAX_NUMBER];
	struct knc_claim *claim[PMU_MAX_NUMBER];
	struct knc_count *count[PMU_MAX_NUMBER];
	u64 attached;
	u64 editing;
	struct knc_saved saved;
	bool forgotten;
	u64 started;
	u64 running;
	u32 lvtpc;
	u64 late_until;
	u64 dense;
	u64 sparse;
	u64 usual;
	u64 dense_began;
	u64 dense_pmis;
	u64 dense_total;
	unsigned int nr_dense;
	u64 tried;
	unsigned int ticks;
	unsigned int ticks_seen;
	u64 ticked;
	u64 ticked_pmis;
	bool ask;
	struct knc_pmu_stats stats;
};

DECLARE_PER_CPU(struct knc_hwthread, knc_hwthreads);

static inline struct knc_hwthread *knc_hwthread_of(unsigned int cpu)
{
	return &per_cpu(knc_hwthreads, cpu);
}

static inline bool knc_hwthread_claimed(const struct knc_hwthread *hw)
{
	unsigned int n;

	for_each_counter(n)
		if (hw->claim[n])
			return true;
	return false;
}

/* The claim that @owner has, or NULL */
static inline struct knc_claim *knc_hwthread_find(const struct knc_hwthread *hw,
						  const void *owner)
{
	unsigned int n;

	for_each_counter(n)
		if (hw->claim[n] && hw->claim[n]->owner == owner)
			return hw->claim[n];
	return NULL;
}

/* The claim whose lowest counter is n, or NULL: each claim is met once. */
static inline struct knc_claim *knc_claim_at(const struct knc_hwthread *hw,
					     unsigned int n)
{
	struct knc_claim *claim = hw->claim[n];

	return claim && pmu_lowest(claim->owned) == n ? claim : NULL;
}

/*
 * Who asks without the session's lock may have looked at the clock before
 * another who is served first: that makes no time negative.
 */
static inline u64 knc_elapsed(u64 now, u64 since)
{
	return now > since ? now - since : 0;
}

/* hwthread.c: put claims on the counters, start, stop, take off */
void knc_hwthread_own(struct knc_hwthread *hw, const struct knc_claim *claim,
		      struct knc_claim *owner);
void knc_hwthread_attach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_detach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_start(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now);
void knc_hwthread_stop(struct knc_hwthread *hw, struct knc_claim *claim,
		       u64 now);
void knc_hwthread_load(struct knc_hwthread *hw, struct knc_claim *claim,
		       bool run);
void knc_hwthread_unload(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_fold(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_rotate(struct knc_hwthread *hw);
void knc_hwthread_suspend(struct knc_hwthread *hw, const struct knc_count *count);
void knc_hwthread_resume(struct knc_hwthread *hw, struct knc_count *count);
void knc_hwthread_settle(struct knc_hwthread *hw, const struct knc_claim *claim);
void knc_hwthread_halt(struct knc_hwthread *hw);
void knc_hwthread_online(struct knc_hwthread *hw, u64 now);
void knc_hwthread_offline(struct knc_hwthread *hw, u64 now);

/* read.c: what was counted, and for how long */
u64 knc_hwthread_values(const struct knc_hwthread *hw,
			const struct knc_claim *claim, u64 *values);
void knc_hwthread_read(const struct knc_hwthread *hw,
		       const struct knc_claim *claim,
		       struct knc_pmu_thread *record);
void knc_hwthread_read_set(const struct knc_hwthread *hw,
			   const struct knc_claim *claim,
			   struct knc_pmu_thread *record);
void knc_hwthread_read_times(const struct knc_hwthread *hw,
			     const struct knc_claim *claim, u64 now,
			     struct knc_pmu_thread *record);
void knc_hwthread_reset(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now);
void knc_hwthread_times(const struct knc_hwthread *hw);
u64 knc_ticks_to_ns(u64 ticks);

/* saved.c: take the registers, and put back what they held */
void knc_save(struct knc_hwthread *hw);
void knc_restore(struct knc_hwthread *hw);
void knc_wipe(const struct knc_hwthread *hw);
void knc_hwthread_share(struct knc_hwthread *hw);
void knc_hwthread_unshare(struct knc_hwthread *hw);
void knc_hwthread_lend(struct knc_hwthread *hw);
void knc_hwthread_unlend(struct knc_hwthread *hw);
void knc_hwthread_forget(struct knc_hwthread *hw);

#endif /* KNC_PMU_HWTHREAD_H */
