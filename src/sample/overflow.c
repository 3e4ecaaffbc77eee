// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of events, which the overflow interrupt takes
 *
 * They lie on a grid: one for each period of the event since CONFIG, whatever else
 * happens. An interrupt that comes late does not shift it; a sample says how many
 * periods it stands for; while throttled the counter goes on, and what passes unsampled
 * is added up. So the samples, those lost, and the unsampled make up the count.
 */
#include <linux/kernel.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include <asm/ptrace.h>

#include "compat/compat.h"
#include "sample/chain.h"
#include "sample/overflow.h"
#include "sample/period.h"
#include "sample/sampler.h"

/* @kernel: it may have been interrupted there. Returns the bytes of the sample. */
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
 * knc_sampler_chain() - the call chain of a sample that is being written
 * @s: the sampler
 * @sample: the sample, which the reader can write: nothing of it is read
 * @regs: what was interrupted, in user mode
 *
 * Return: the bytes of the sample.
 */
u32 knc_sampler_chain(const struct knc_sampler *s, struct knc_pmu_sample *sample,
		      struct pt_regs *regs)
{
	struct knc_user user = { .ip = regs->ip, .bp = regs->bp };
	u32 size = knc_sampler_chains(s, sample, regs, user, false);

	sample->record.size = size;
	return size;
}

/* The reader can look at what is not complete, and write there: nothing is read back. */
static void knc_sampler_write(struct knc_sampling *e, u64 events,
			      struct pt_regs *regs, struct knc_user user,
			      bool early, u64 tsc)
{
	bool hidden = e->special & KNC_SPECIAL_USER;
	struct knc_sampler *s = e->sampler;
	struct task_struct *task = early ? (struct task_struct *)s->task : current;
	struct knc_pmu_sample *sample = knc_ring_end(&s->ring);
	u32 size = sizeof(*sample);

	sample->record = s->record;
	sample->ip = hidden ? user.ip : regs->ip;
	knc_pids(s, task, &sample->pid, &sample->tid);
	*(u64 *)&sample->counter = e->what;
	sample->flags = hidden || user_mode(regs) ? KNC_PMU_SAMPLE_USER : 0;
	sample->tsc = tsc;
	sample->time = knc_sampler_time(s, tsc);
	sample->period = events;
	/* the stack is that of the task before */
	if (!early)
		size = knc_sampler_chains(s, sample, regs, user, true);
	sample->record.size = size;
	knc_ring_commit(&s->ring, size);
}

/**
 * knc_sampler_careful() - what knc_sampler_sample() leaves out
 * @e: the event
 * @hw: the hardware thread
 * @events: what the sample is to stand for
 * @regs: what was interrupted
 * @tsc: when
 *
 * Samples with call chains, of which the kernel is not shown, with pids of a namespace,
 * or of a task that is just being switched to. If the kernel is not shown and nothing
 * is known of the program, no sample is taken: @events are unsampled.
 */
void knc_sampler_careful(struct knc_sampling *e, struct knc_hwthread *hw,
			 u64 events, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampler *s = e->sampler;
	struct knc_pmu_ring *page = s->ring.page;
	bool early = knc_sampler_is_early(s, regs);
	struct knc_user user = { 0 };

	if (!early)
		user = knc_user_find(regs);
	if (!user.ip && e->special & KNC_SPECIAL_USER) {
		page->unsampled[e - s->sampling] += events;
		return;
	}
	hw->stats.samples++;
	page->samples++;
	if (!knc_ring_reserve(&s->ring, e->size)) {
		knc_sampler_lost(e, hw, events, tsc);
		return;
	}
	knc_sampler_write(e, events, regs, user, early, tsc);
}

/* There was no room for a sample. */
void knc_sampler_lost(struct knc_sampling *e, struct knc_hwthread *hw,
		      u64 events, u64 tsc)
{
	struct knc_sampler *s = e->sampler;

	hw->stats.lost++;
	knc_ring_lost(&s->ring, e - s->sampling, events, knc_sampler_time(s, tsc));
}

/**
 * knc_sampler_special() - what knc_sampler_overflow() leaves out
 * @hw: the hardware thread
 * @count: its count; the counter is stopped
 * @gained: what it has gained since @count was brought up to date
 * @regs: what was interrupted
 * @tsc: when
 *
 * A period that has not ended yet because the interrupt was late; several that
 * ended at once; throttled ones; those that are adapted.
 *
 * Return: events to the next overflow.
 */
s64 knc_sampler_special(struct knc_hwthread *hw, struct knc_count *count,
			u64 gained, struct pt_regs *regs, u64 tsc)
{
	struct knc_sampling *e = count->sampling;
	s64 left = count->left - gained;
	u64 events;

	if (left > 0)
		return left;
	if (e->special & KNC_SPECIAL_THROTTLED) {
		e->grid -= pmu_max_load(count->counter);
		return left + pmu_max_load(count->counter);
	}
	if (e->special & KNC_SPECIAL_FREQ && tsc - e->last >= knc_window())
		knc_adapt(e, count, tsc);
	events = knc_next_segment(count, knc_segment(e, count, tsc), &left);
	events += knc_take_rest(count, events);
	knc_sampler_sample(e, hw, events, regs, tsc);
	return left;
}
