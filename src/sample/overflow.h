/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The overflow of one counter, and its sample
 *
 * Inline for the hot path: the overflow interrupt
 */
#ifndef KNC_PMU_OVERFLOW_H
#define KNC_PMU_OVERFLOW_H

#include <linux/sched.h>
#include <linux/types.h>

#include <asm/ptrace.h>

#include <knc_pmu.h>

#include "count/hwthread.h"
#include "sample/ring.h"
#include "sample/state.h"
#include "sample/storm.h"

s64 knc_sampler_overflow_slow(struct knc_hwthread *hw, struct knc_count *count,
			      u64 gained, struct pt_regs *regs, u64 tsc);
void knc_sampler_sample_slow(struct knc_sampling *e, struct knc_hwthread *hw,
			     u64 events, struct pt_regs *regs, u64 tsc);
u32 knc_sampler_user_chain(const struct knc_sampler *s,
			   struct knc_pmu_sample *sample, struct pt_regs *regs);
void knc_sampler_lost(struct knc_sampling *e, struct knc_hwthread *hw,
		      u64 events, u64 tsc);

/*
 * Is the sample early? The scheduler's tracepoint comes before the switch: the next task's counters
 * already count while current, stack and memory are still the previous task's.
 */
static inline bool knc_sampler_is_early(const struct knc_sampler *s,
					struct pt_regs *regs)
{
	return !user_mode(regs) && s->task && s->task != current;
}

/*
 * Must knc_sampler_sample_slow() take the sample? In user mode only if it has pids of a namespace
 * or a copy of the stack: there is nothing to hide.
 */
static inline bool knc_sampler_is_slow(const struct knc_sampling *e,
				       struct pt_regs *regs)
{
	if (likely(user_mode(regs)))
		return e->flags & KNC_SAMPLING_ALWAYS_SLOW;
	return e->flags & KNC_SAMPLING_SLOW ||
	       knc_sampler_is_early(e->sampler, regs);
}

/*
 * Write a sample, or count it as lost. Samples of the slow path are written by
 * knc_sampler_write().
 */
static __always_inline void
knc_sampler_sample(struct knc_sampling *e, struct knc_hwthread *hw, u64 events,
		   struct pt_regs *regs, u64 tsc)
{
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_ring *control = s->ring.control;
	struct knc_pmu_sample *sample;
	u32 size = sizeof(*sample);

	if (unlikely(knc_sampler_is_slow(e, regs))) {
		knc_sampler_sample_slow(e, hw, events, regs, tsc);
		return;
	}
	hw->stats.samples++;
	control->samples++;
	if (unlikely(!knc_ring_reserve(&s->ring, e->size))) {
		knc_sampler_lost(e, hw, events, tsc);
		return;
	}
	sample = knc_ring_end(&s->ring);
	sample->record = s->record;
	sample->ip = regs->ip;
	sample->pid = current->tgid;
	sample->tid = current->pid;
	*(u64 *)&sample->counter = e->counter_word;
	BUILD_BUG_ON(KNC_PMU_SAMPLE_USER != 1);
	sample->flags = !!user_mode(regs);
	sample->tsc = tsc;
	sample->time = knc_sampler_time(s, tsc);
	sample->period = events;
	if (unlikely(e->flags & KNC_SAMPLING_CHAIN))
		size = knc_sampler_user_chain(s, sample, regs);
	knc_ring_commit(&s->ring, size);
}

/**
 * knc_sampler_overflow() - take a sample after an overflow, if one is due
 * @hw: the hardware thread
 * @count: a count that is sampled; its counter is stopped
 * @gained: events since @count was last updated
 * @regs: the interrupted registers
 * @tsc: time stamp of the interrupt
 *
 * Return: events to the next overflow.
 */
static __always_inline s64
knc_sampler_overflow(struct knc_hwthread *hw, struct knc_count *count,
		     u64 gained, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	u64 period = e->fast_period;
	u64 over = gained - count->left;

	/*
	 * The fast path: one period has ended, and the next one is equal. @over is huge if no
	 * sample is due yet, and @period is 0 if there is no fast path.
	 */
	if (unlikely(over >= period))
		return knc_sampler_overflow_slow(hw, count, gained, regs, tsc);
	knc_sampler_sample(e, hw, period, regs, tsc);
	return period - over;
}

/* Step 6 for one counter: add what it gained, and load it again. */
static __always_inline void
knc_overflow_counter(struct knc_hwthread *hw, struct knc_count *count,
		     struct pt_regs *regs, u64 tsc)
{
	u64 gained = knc_count_gained(count);
	s64 left;

	count->total += gained;
	if (unlikely(!count->sampling)) {
		knc_count_load(count, count->left - gained);
		return;
	}
	left = knc_sampler_overflow(hw, count, gained, regs, tsc);
	knc_count_load_sampled(count, left);
}

/*
 * Step 6 of 327357 1.4.3.9: reset the counters @cntrs, which have overflowed; all are stopped.
 * @edited: counters that the caller itself edits; 0 in a PMI
 */
static __always_inline void knc_overflow_reset(struct knc_hwthread *hw, u64 cntrs,
					       struct pt_regs *regs, u64 tsc, u64 edited)
{
	for (; cntrs; cntrs &= cntrs - 1)
		knc_overflow_counter(hw, hw->count[pmu_lowest(cntrs)], regs, tsc);
	knc_storm_account(hw, tsc, edited);
}

#endif /* KNC_PMU_OVERFLOW_H */
