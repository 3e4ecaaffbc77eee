// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of events: all but the fast path of overflow.h
 *
 * With a fixed period samples lie on a grid, one for each period since CONFIG. At a frequency the
 * distance to the next sample is drawn at random (period.c). A late PMI shifts neither: its sample
 * says how many events it stands for. While throttled the counter counts, and its events are
 * unsampled. Therefore samples, lost samples and unsampled events add up to the count, except for
 * the present segment and @carry.
 */
#include <linux/kernel.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include <asm/ptrace.h>

#include "compat/compat.h"
#include "sample/chain.h"
#include "sample/overflow.h"
#include "sample/period.h"
#include "sample/stack.h"
#include "sample/state.h"
#include "sample/storm.h"

/*
 * Write the call chains. @kernel: the kernel may have been interrupted, write its chain too.
 * Returns the bytes of the sample.
 */
static __always_inline u32
knc_sampler_chains(const struct knc_sampler *s, struct knc_pmu_sample *sample,
		   struct pt_regs *regs, struct knc_user user, bool kernel)
{
	u64 *begin = (u64 *)(sample + 1);
	u64 *chain = begin;

	if (kernel && s->chains & KNC_PMU_CONFIG_CHAIN_KERNEL) {
		chain = knc_chain_kernel(regs, chain, s->max_frames);
		sample->nr_kernel = chain - begin;
	}
	if (s->chains & KNC_PMU_CONFIG_CHAIN_USER && (!kernel || user.ip)) {
		begin = chain;
		chain = knc_chain_user(regs, user, chain, s->max_frames);
		sample->nr_user = chain - begin;
	}
	return (void *)chain - (void *)sample;
}

/**
 * knc_sampler_user_chain() - write the call chain of a sample of user mode
 * @s: the sampler
 * @sample: the sample; never read here, because the reader can write to it
 * @regs: the interrupted registers
 *
 * Return: the bytes of the sample.
 */
u32 knc_sampler_user_chain(const struct knc_sampler *s,
			   struct knc_pmu_sample *sample, struct pt_regs *regs)
{
	struct knc_user user = { .ip = regs->ip, .bp = regs->bp };
	u32 size = knc_sampler_chains(s, sample, regs, user, false);

	sample->record.size = size;
	return size;
}

/*
 * Write a sample of the slow path; knc_sampler_sample() writes those of the fast path. Memory of
 * the ring is never read here, because the reader can write to it. @room: the ring has room for a
 * copy of the stack
 */
static void knc_sampler_write(struct knc_sampling *e, u64 events,
			      struct pt_regs *regs, struct knc_user user,
			      bool early, u64 tsc, bool room)
{
	bool hidden = e->flags & KNC_SAMPLING_USER;
	struct knc_sampler *s = e->sampler;
	struct task_struct *task = early ? (struct task_struct *)s->task : current;
	struct knc_pmu_sample *sample = knc_ring_end(&s->ring);
	u8 flags = hidden || user_mode(regs) ? KNC_PMU_SAMPLE_USER : 0;
	u32 size = sizeof(*sample);

	sample->record = s->record;
	sample->ip = hidden ? user.ip : regs->ip;
	knc_sampler_pids(s, task, &sample->pid, &sample->tid);
	*(u64 *)&sample->counter = e->counter_word;
	sample->tsc = tsc;
	sample->time = knc_sampler_time(s, tsc);
	sample->period = events;
	/* no chain of an early sample: the stack is still the previous task's */
	if (!early)
		size = knc_sampler_chains(s, sample, regs, user, true);
	if (e->flags & KNC_SAMPLING_STACK && user.ip) {
		flags |= KNC_PMU_SAMPLE_STACK;
		size += knc_stack_write(regs, (void *)sample + size, room ? s->stack_size : 0);
	}
	sample->flags = flags;
	sample->record.size = size;
	knc_ring_commit(&s->ring, size);
}

/* Reserve room for a sample; if it does not fit, without the copy of the stack (@room false). */
static bool knc_sampler_reserve(struct knc_sampling *e, bool *room)
{
	struct knc_sampler *s = e->sampler;

	*room = knc_ring_reserve(&s->ring, e->size);
	return *room || (e->flags & KNC_SAMPLING_STACK &&
			 knc_ring_reserve(&s->ring, e->size - s->stack_size));
}

/**
 * knc_sampler_sample_slow() - take a sample that knc_sampler_sample() can't
 * @e: the event
 * @hw: the hardware thread
 * @events: events that the sample stands for
 * @regs: the interrupted registers
 * @tsc: time stamp of the interrupt
 *
 * These are samples with pids of a namespace or a copy of the stack, and samples of kernel mode
 * that have a call chain, must hide the kernel, or are early (knc_sampler_is_early()). If the
 * kernel must be hidden and the program's address is not known, @events are counted as unsampled.
 */
void knc_sampler_sample_slow(struct knc_sampling *e, struct knc_hwthread *hw,
			     u64 events, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_ring *control = s->ring.control;
	bool early = knc_sampler_is_early(s, regs);
	struct knc_user user = { 0 };
	bool room;

	if (!early)
		user = knc_user_find(regs);
	if (!user.ip && e->flags & KNC_SAMPLING_USER) {
		control->unsampled[e - s->sampling] += events;
		return;
	}
	hw->stats.samples++;
	control->samples++;
	if (!knc_sampler_reserve(e, &room)) {
		knc_sampler_lost(e, hw, events, tsc);
		return;
	}
	knc_sampler_write(e, events, regs, user, early, tsc, room);
}

/* Count a sample that was lost because the ring is full. */
void knc_sampler_lost(struct knc_sampling *e, struct knc_hwthread *hw,
		      u64 events, u64 tsc)
{
	struct knc_sampler *s = e->sampler;

	hw->stats.lost++;
	knc_ring_lost(&s->ring, e - s->sampling, events, knc_sampler_time(s, tsc));
}

/**
 * knc_sampler_overflow_slow() - the slow path of knc_sampler_overflow()
 * @hw: the hardware thread
 * @count: a count that is sampled; its counter is stopped
 * @gained: events since @count was last updated
 * @regs: the interrupted registers
 * @tsc: time stamp of the interrupt
 *
 * For throttled events, for adapted periods, for periods longer than the largest load, and after a
 * late PMI, when several periods may have ended.
 *
 * Return: events to the next overflow.
 */
s64 knc_sampler_overflow_slow(struct knc_hwthread *hw, struct knc_count *count,
			      u64 gained, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	s64 left = count->left - gained;
	u64 events;

	if (left > 0)
		return left;
	if (e->flags & KNC_SAMPLING_THROTTLED)
		return knc_storm_overflow(hw, count, left, tsc);
	if (e->flags & KNC_SAMPLING_FREQ && tsc - e->last >= knc_period_window())
		knc_period_adapt(e, count, tsc);
	events = knc_period_next_segment(count, knc_period_segment(e, count, tsc), &left);
	events += knc_period_take_carry(count, events);
	if (e->least)
		e->fast_period = knc_period_fast(e, count);
	knc_sampler_sample(e, hw, events, regs, tsc);
	return left;
}
