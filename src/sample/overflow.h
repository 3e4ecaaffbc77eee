/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is done for one counter that has overflowed, with its sample
 *
 * Inline: this is done for each overflow.
 */
#ifndef KNC_PMU_OVERFLOW_H
#define KNC_PMU_OVERFLOW_H

#include <linux/sched.h>
#include <linux/types.h>

#include <asm/ptrace.h>

#include <knc_pmu.h>

#include "count/hwthread.h"
#include "sample/ring.h"
#include "sample/sampler.h"

s64 knc_sampler_special(struct knc_hwthread *hw, struct knc_count *count,
			u64 gained, struct pt_regs *regs, u64 tsc);
void knc_sampler_careful(struct knc_sampling *e, struct knc_hwthread *hw,
			 u64 events, struct pt_regs *regs, u64 tsc);
u32 knc_sampler_chain(const struct knc_sampler *s, struct knc_pmu_sample *sample,
		      struct pt_regs *regs);
void knc_sampler_lost(struct knc_sampling *e, struct knc_hwthread *hw,
		      u64 events, u64 tsc);

/*
 * The scheduler says that a task is switched to before it is: its counters run while
 * the kernel still executes, and has the memory, of the one before.
 */
static inline bool knc_sampler_is_early(const struct knc_sampler *s,
					struct pt_regs *regs)
{
	return !user_mode(regs) && s->task && s->task != current;
}

/*
 * Is the sample one for knc_sampler_careful()? In user mode it shows what the session may
 * see anyway, but for the pids.
 */
static inline bool knc_sampler_needs_care(const struct knc_sampling *e,
					  struct pt_regs *regs)
{
	if (likely(user_mode(regs)))
		return e->special & KNC_SPECIAL_PID_NS;
	return e->special & KNC_SPECIAL_CARE ||
	       knc_sampler_is_early(e->sampler, regs);
}

/* Write a sample, or say that it is lost. */
static __always_inline void
knc_sampler_sample(struct knc_sampling *e, struct knc_hwthread *hw, u64 events,
		   struct pt_regs *regs, u64 tsc)
{
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_ring *page = s->ring.page;
	struct knc_pmu_sample *sample;
	u32 size = sizeof(*sample);

	if (unlikely(knc_sampler_needs_care(e, regs))) {
		knc_sampler_careful(e, hw, events, regs, tsc);
		return;
	}
	hw->stats.samples++;
	page->samples++;
	if (unlikely(!knc_ring_reserve(&s->ring, e->size))) {
		knc_sampler_lost(e, hw, events, tsc);
		return;
	}
	sample = knc_ring_end(&s->ring);
	sample->record = s->record;
	sample->ip = regs->ip;
	sample->pid = current->tgid;
	sample->tid = current->pid;
	*(u64 *)&sample->counter = e->what;
	BUILD_BUG_ON(KNC_PMU_SAMPLE_USER != 1);
	sample->flags = !!user_mode(regs);
	sample->tsc = tsc;
	sample->time = knc_sampler_time(s, tsc);
	sample->period = events;
	if (unlikely(e->special & KNC_SPECIAL_CHAIN))
		size = knc_sampler_chain(s, sample, regs);
	knc_ring_commit(&s->ring, size);
}

/**
 * knc_sampler_overflow() - a counter that is sampled has overflowed
 * @hw: the hardware thread
 * @count: its count; the counter is stopped
 * @gained: what it has gained since @count was brought up to date
 * @regs: what was interrupted
 * @tsc: when
 *
 * Takes the sample, if one is due. Inline, as what it calls: this is done for
 * each overflow.
 *
 * Return: events to the next one.
 */
static __always_inline s64
knc_sampler_overflow(struct knc_hwthread *hw, struct knc_count *count,
		     u64 gained, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	u64 plain = e->plain;
	u64 over = gained - count->left;

	/* one period has ended, and it is followed by one that is the same */
	if (unlikely(over >= plain))
		return knc_sampler_special(hw, count, gained, regs, tsc);
	knc_sampler_sample(e, hw, plain, regs, tsc);
	return plain - over;
}

/* Step 6 for one counter: what it gained is counted, and it is loaded again. */
static __always_inline void
knc_pmi_counter(struct knc_hwthread *hw, struct knc_count *count,
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

#endif /* KNC_PMU_OVERFLOW_H */
