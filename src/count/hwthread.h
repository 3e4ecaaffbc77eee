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

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <knc/regs.h>
#include <knc_pmu.h>

#include "pmu/hw.h"

struct knc_sampler;
struct knc_sampling;
struct knc_set;
struct task_struct;

/* Events from loading a counter to its overflow, at most: half of what it holds */
#define KNC_COUNT_MAX		(1ULL << (KNC_COUNTER_WIDTH - 1))

/**
 * struct knc_count - one event on one counter, extended to 64 bits
 * @evtsel: what to put on IA32_PerfEvtSel
 * @counter: the counter
 * @obeys: SPFLT controls it
 * @index: which event of @page it is
 * @prev: the counter when it was last loaded or folded
 * @total: everything counted up to then since the last reset
 * @base: everything counted before that
 * @left: events from then to the next overflow that is wanted
 * @sampling: how it is sampled; NULL: it is not
 * @period: while it is sampled: events from one sample to the next, on average
 * @segment: from the last sample to the next one, in particular
 * @rest: events of longer segments, which were cut short: later samples tell of them
 * @adapted: @base + @total when @period was adapted
 * @ran: of a task that does not run: for how long it had since then
 * @page: tells the task it belongs to; NULL: nobody
 *
 * An overflow interrupt, which may be an NMI, changes @prev, @total and @left, and
 * what @sampling and @page point to.
 */
struct knc_count {
	u64 evtsel;
	unsigned int counter;
	bool obeys;
	u16 index;
	u64 prev;
	u64 total;
	u64 base;
	s64 left;
	struct knc_sampling *sampling;
	u64 period;
	u64 segment;
	u64 rest;
	u64 adapted;
	u64 ran;
	struct knc_pmu_page *page;
};

/**
 * struct knc_claim - what one session has on one hardware thread, or of one task
 * @owner: the session; never followed here
 * @pid: who configured it
 * @cpu: the hardware thread; KNC_PMU_NO_CPU: it goes where its task goes
 * @nr: events, at present
 * @record: where READ's record of this hardware thread goes
 * @count: the events
 * @cntrs: mask of the counters they are on
 * @obey: mask of those that obey SPFLT
 * @owned: mask of all counters it needs
 * @spflt: mask of those that obey SPFLT at any time
 * @set: more events, which take turns with these; NULL: there are none
 * @user_pref: set USER_PREF at first; of a task: what it was when it last ran
 * @sampler: takes its samples; NULL: none are wanted
 * @started: it counts, or would if the hardware thread were online
 * @flags: KNC_PMU_THREAD_GAP
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
	struct knc_count count[KNC_PMU_MAX_EVENTS];
	u32 cntrs;
	u32 obey;
	u32 owned;
	u32 spflt;
	struct knc_set *set;
	bool user_pref;
	struct knc_sampler *sampler;
	bool started;
	u32 flags;
	u64 since;
	u64 enabled;
	u64 offline_since;
	u64 offline_time;
};

/**
 * struct knc_saved - what the registers held before anyone claimed a counter
 * @perfcntr: IA32_PerfCntr0/1
 * @perfevtsel: IA32_PerfEvtSel0/1
 * @spflt_control: PERF_SPFLT_CONTROL
 * @global_ctrl: IA32_PERF_GLOBAL_CTRL
 * @lvtpc: the local APIC's LVT performance counter entry
 */
struct knc_saved {
	u64 perfcntr[KNC_NR_COUNTERS];
	u64 perfevtsel[KNC_NR_COUNTERS];
	u64 spflt_control;
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
 * @running: what is on IA32_PERF_GLOBAL_CTRL while a counter is claimed: those of
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
	u32 loaded;
	struct knc_claim *task[KNC_NR_COUNTERS];
	struct knc_claim *claim[KNC_NR_COUNTERS];
	struct knc_count *count[KNC_NR_COUNTERS];
	u32 attached;
	u32 editing;
	struct knc_saved saved;
	bool forgotten;
	u32 started;
	u32 running;
	u32 lvtpc;
	u64 late_until;
	u64 dense;
	u64 sparse;
	u64 usual;
	u64 dense_began;
	u64 dense_pmis;
	u64 dense_total;
	unsigned int nr_dense;
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
	return hw->claim[0] || hw->claim[1];
}

/* What follows the last event of a claim */
static inline const struct knc_count *knc_claim_end(const struct knc_claim *claim)
{
	return claim->count + claim->nr;
}

/* The claim that @owner has, or NULL */
static inline struct knc_claim *knc_hwthread_find(const struct knc_hwthread *hw,
						  const void *owner)
{
	if (hw->claim[0] && hw->claim[0]->owner == owner)
		return hw->claim[0];
	if (hw->claim[1] && hw->claim[1]->owner == owner)
		return hw->claim[1];
	return NULL;
}

/* What the counter has gained since it was loaded or folded */
static inline u64 knc_count_gained(const struct knc_count *count)
{
	u64 now = knc_hw_read_counter(count->counter);

	return (now - count->prev) & knc_hw_model.counter_mask;
}

/**
 * knc_count_fold() - bring a count up to date
 * @count: a count whose counter is stopped
 */
static inline void knc_count_fold(struct knc_count *count)
{
	u64 gained = knc_count_gained(count);

	/* of what does not count nothing is written: a RESET may be under way */
	if (!gained)
		return;
	count->prev += gained;
	count->total += gained;
	count->left -= gained;
}

/* Say what is to be added to the counter from now on. */
static inline void knc_count_tell(const struct knc_count *count)
{
	struct knc_pmu_page *page = count->page;

	page->offset[count->index] = count->total - count->prev;
	page->seq += 2;
}

/**
 * knc_count_load_sampled() - have the counter overflow when a sample is due
 * @count: a folded count that is sampled
 * @left: events from now on; 0 or less: it is overdue, with the next one
 */
static inline void knc_count_load_sampled(struct knc_count *count, s64 left)
{
	u64 next = left;

	if (unlikely(next - 1 >= KNC_COUNT_MAX))
		next = left > 0 ? KNC_COUNT_MAX : 1;
	count->left = left;
	count->prev = -next;
	knc_hw_write_counter(count->counter, -next & knc_hw_model.counter_mask);
}

/**
 * knc_count_load() - have the counter overflow when the count wants to know
 * @count: a folded count
 * @left: events from now on
 *
 * If there are no samples to be taken the counter holds what it would without being
 * loaded, modulo KNC_COUNT_MAX: who reads it himself finds no jump.
 */
static inline void knc_count_load(struct knc_count *count, s64 left)
{
	if (unlikely(count->sampling)) {
		knc_count_load_sampled(count, left);
		return;
	}
	if (unlikely(left <= 0))
		left += KNC_COUNT_MAX;
	count->left = left;
	count->prev = -left;
	if (unlikely(count->page))
		knc_count_tell(count);
	knc_hw_write_counter(count->counter, -left & knc_hw_model.counter_mask);
}

void knc_hwthread_own(struct knc_hwthread *hw, const struct knc_claim *claim,
		      struct knc_claim *owner);
void knc_hwthread_attach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_detach(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_start(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now);
void knc_hwthread_stop(struct knc_hwthread *hw, struct knc_claim *claim,
		       u64 now);
void knc_hwthread_reset(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now);
void knc_hwthread_read(const struct knc_hwthread *hw,
		       const struct knc_claim *claim,
		       struct knc_pmu_thread *record);
u64 knc_hwthread_values(const struct knc_hwthread *hw,
			const struct knc_claim *claim, u64 *values);
void knc_hwthread_read_times(const struct knc_hwthread *hw,
			     const struct knc_claim *claim, u64 now,
			     struct knc_pmu_thread *record);
void knc_hwthread_share(struct knc_hwthread *hw);
void knc_hwthread_unshare(struct knc_hwthread *hw);
void knc_hwthread_settle(struct knc_hwthread *hw, const struct knc_claim *claim);
void knc_hwthread_lend(struct knc_hwthread *hw);
void knc_hwthread_unlend(struct knc_hwthread *hw);
void knc_hwthread_load(struct knc_hwthread *hw, struct knc_claim *claim,
		       bool run);
void knc_hwthread_unload(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_fold(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_rotate(struct knc_hwthread *hw);
void knc_hwthread_read_set(const struct knc_hwthread *hw,
			   const struct knc_claim *claim,
			   struct knc_pmu_thread *record);
u64 knc_ticks_to_ns(u64 ticks);
void knc_hwthread_times(const struct knc_hwthread *hw);
void knc_hwthread_suspend(struct knc_hwthread *hw, const struct knc_count *count);
void knc_hwthread_resume(struct knc_hwthread *hw, struct knc_count *count);
void knc_hwthread_forget(struct knc_hwthread *hw);
void knc_hwthread_halt(struct knc_hwthread *hw);
void knc_hwthread_online(struct knc_hwthread *hw, u64 now);
void knc_hwthread_offline(struct knc_hwthread *hw, u64 now);
void knc_hwthread_regs(struct knc_pmu_regs *regs);

#endif /* KNC_PMU_HWTHREAD_H */
