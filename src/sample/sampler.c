// SPDX-License-Identifier: GPL-2.0
/*
 * Samplers: create, attach, start, and the reverse; context switches
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "pmu/hw.h"
#include "request/request.h"
#include "request/samples.h"
#include "sample/chain.h"
#include "sample/period.h"
#include "sample/sampler.h"
#include "sample/storm.h"
#include "sample/switches.h"
#include "sample/tick.h"
#include "sample/timed.h"

/* The seed of random number generator @n: not 0, from which xorshift yields only 0 */
#define KNC_RANDOM(n)		(((n) + 1) * 0x9e3779b9U | 1)

/* Initialize the period: at a frequency, with a limit, or fixed */
static void knc_sampling_init_rate(struct knc_sampling *e, const struct knc_event *event,
				   u32 random)
{
	bool freq = event->flags & KNC_PMU_EVENT_FREQ;
	bool limit = event->flags & KNC_PMU_EVENT_LIMIT;

	e->period = freq ? KNC_FIRST_PERIOD : event->sample_period;
	e->fast_period = freq ? 0 : e->period;
	if (!freq && !limit)
		return;
	e->flags |= KNC_SAMPLING_FREQ;
	e->random = random;
	e->least = limit ? event->sample_period : 0;
	e->ticks = div64_u64(tsc_khz * 1000ULL, limit ? event->max_freq : event->sample_period);
}

static void knc_sampling_init(struct knc_sampler *s, unsigned int i,
			      const struct knc_event *event)
{
	struct knc_sampling *e = &s->sampling[i];

	e->sampler = s;
	e->size = sizeof(struct knc_pmu_sample);
	e->counter_word = event->counter | i << 8;
	BUILD_BUG_ON(offsetof(struct knc_pmu_sample, event) !=
		     offsetof(struct knc_pmu_sample, counter) + 1);
	BUILD_BUG_ON(offsetof(struct knc_pmu_sample, tsc) !=
		     offsetof(struct knc_pmu_sample, counter) + sizeof(u64));
	BUILD_BUG_ON(KNC_PMU_SAMPLE_SIZE(0) !=
		     sizeof(struct knc_pmu_sample) + KNC_CHAIN_MORE * sizeof(u64));
	/* the size of a record has 16 bits */
	BUILD_BUG_ON(KNC_PMU_SAMPLE_SIZE(KNC_PMU_MAX_FRAMES) +
		     KNC_PMU_STACK_SIZE(KNC_PMU_MAX_STACK) > 0xffff);
	if (s->chains) {
		e->size = KNC_PMU_SAMPLE_SIZE(s->max_frames);
		e->flags |= KNC_SAMPLING_CHAIN;
	}
	if (s->stack_size) {
		e->size = KNC_PMU_SAMPLE_SIZE(s->max_frames) + KNC_PMU_STACK_SIZE(s->stack_size);
		e->flags |= KNC_SAMPLING_STACK;
	}
	if (s->pid_ns)
		e->flags |= KNC_SAMPLING_PID_NS;
	knc_sampling_init_rate(e, event, KNC_RANDOM(s->ring.cpu * this_pmu->nr_counters + i));
}

/**
 * knc_sampler_alloc() - allocate the ring of a sampler
 * @s: the sampler, zeroed
 * @req: the request of CONFIG, checked
 * @cpu: the hardware thread
 * @wait: where the session's reader waits
 *
 * Return: 0, or -ENOMEM.
 */
int knc_sampler_alloc(struct knc_sampler *s, const struct knc_request *req,
		      unsigned int cpu, wait_queue_head_t *wait)
{
	return knc_ring_init(&s->ring, cpu, req->nr_events, req->ring_size,
			     req->watermark ?: req->ring_size / 2, wait);
}

/**
 * knc_sampler_init() - prepare to sample a session on one hardware thread
 * @s: the sampler, with its ring
 * @req: the request of CONFIG; its events have their counters
 * @claim: the session's claim there, which gets this sampler
 * @pid_ns: namespace of the pids in samples; NULL: the initial one
 */
void knc_sampler_init(struct knc_sampler *s, const struct knc_request *req,
		      struct knc_claim *claim, struct pid_namespace *pid_ns)
{
	unsigned int i;

	s->chains = knc_samples_chains(req);
	s->max_frames = req->max_frames;
	s->stack_size = req->stack_size;
	s->switches = req->flags & KNC_PMU_CONFIG_SWITCHES;
	s->pid_ns = pid_ns;
	s->interval = req->sample_interval;
	if (s->interval)
		s->step = DIV_ROUND_UP(knc_compat_timer_resolution(), s->interval);
	s->now = &s->clock[0];
	s->record.type = KNC_PMU_RECORD_SAMPLE;
	s->record.size = sizeof(struct knc_pmu_sample);
	s->record.cpu = s->ring.cpu;
	s->claim = claim;
	timer_setup(&s->tick, knc_tick, TIMER_PINNED);
	init_irq_work(&s->arm, knc_tick_arm);
	hrtimer_setup(&s->timer, knc_timed_timer, CLOCK_MONOTONIC,
		      KNC_COMPAT_HRTIMER_MODE);
	for (i = 0; i < claim->nr; i++) {
		if (!knc_event_is_sampled(&req->events[i]))
			continue;
		knc_sampling_init(s, i, &req->events[i]);
		claim->count[i].sampling = &s->sampling[i];
		claim->count[i].left = s->sampling[i].period;
		claim->count[i].period = s->sampling[i].period;
		claim->count[i].segment = s->sampling[i].period;
	}
	claim->sampler = s;
}

/*
 * For sessions that must not see the kernel: a sample in the kernel gets the address where the
 * program will continue.
 */
void knc_sampler_hide_kernel(struct knc_sampler *s)
{
	unsigned int i;

	for (i = 0; i < PMU_MAX_COUNTERS; i++)
		s->sampling[i].flags |= KNC_SAMPLING_USER;
}

/* Free the ring; the sampler is detached, or was never attached. */
void knc_sampler_destroy(struct knc_sampler *s)
{
	knc_ring_destroy(&s->ring);
}

static bool knc_sampler_ticks(const struct knc_sampler *s)
{
	unsigned int i;

	for (i = 0; i < PMU_MAX_COUNTERS; i++)
		if (s->sampling[i].period)
			return true;
	return false;
}

/**
 * knc_sampler_attach() - start the tick, at CONFIG or when the CPU came online
 * @s: the sampler
 *
 * In process context, on any CPU.
 */
void knc_sampler_attach(struct knc_sampler *s)
{
	if (!knc_sampler_ticks(s))
		return;
	s->tick.expires = jiffies + knc_tick_jiffies();
	add_timer_on(&s->tick, s->ring.cpu);
}

/**
 * knc_sampler_detach() - stop the tick: the session ends or the CPU goes offline
 * @s: the sampler
 *
 * In process context, on any CPU.
 */
void knc_sampler_detach(struct knc_sampler *s)
{
	irq_work_sync(&s->arm);
	timer_delete_sync(&s->tick);
}

/**
 * knc_sampler_sched_in() - begin to sample a task that is switched in
 * @s: the sampler
 * @claim: the session's claim on the task, not on the counters yet
 * @task: the task, which may not be current yet
 *
 * On the hardware thread, interrupts off, during a context switch. An adapted
 * period and the time since its adaptation belong to the task: otherwise each
 * switch would look like a change of the event's rate.
 */
void knc_sampler_sched_in(struct knc_sampler *s, struct knc_claim *claim,
			  const struct task_struct *task)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	const bool ticking = timer_pending(&s->tick);
	u64 tsc = knc_hw_read_tsc();
	struct knc_sampling *e;
	unsigned int i;

	/* without ticks the clock may be hours old: set it before the first sample */
	if (unlikely(!ticking || !s->now->mult)) {
		knc_sampler_set_clock(s);
		/* knc_sampler_time() takes no time stamp from before the clock was set */
		tsc = knc_hw_read_tsc();
	}
	s->claim = claim;
	s->task = task;
	if (unlikely(s->switches))
		knc_switches_in(s, hw, tsc);
	for (i = 0; i < claim->nr; i++) {
		if (!claim->count[i].sampling)
			continue;
		e = &s->sampling[i];
		claim->count[i].sampling = e;
		e->period = claim->count[i].period;
		e->last = tsc - claim->count[i].ran;
		e->recent = 0;
		/* adapt the period here too, because a tick may never come while this task runs */
		if (e->flags & KNC_SAMPLING_FREQ)
			knc_period_adapt_if_due(e, &claim->count[i], tsc);
		if (unlikely(hw->storm.throttled_until || e->flags & KNC_SAMPLING_THROTTLED))
			knc_storm_resume(hw, &claim->count[i], tsc);
	}
	if (ticking)
		return;
	knc_storm_ticks_start(hw);
	irq_work_queue(&s->arm);
}

static void knc_sampling_sched_out(struct knc_sampler *s,
				   struct knc_sampling *e,
				   struct knc_count *count, u64 tsc)
{
	bool throttled = e->flags & KNC_SAMPLING_THROTTLED;
	u64 skipped;

	count->ran = tsc - e->last;
	if (throttled)
		count->left = knc_storm_left(e, count->left);
	/* take an overdue sample when the task runs again, unless the claim is stopped */
	if (!throttled && s->claim->started)
		return;
	skipped = knc_period_skip(s, e, count, &count->left);
	if (throttled)
		e->skipped += skipped;
}

/**
 * knc_sampler_sched_out() - the task is switched out, or not counted any more
 * @s: the sampler, whose claim is not on the counters any more
 *
 * On the hardware thread, interrupts off, during a context switch. Throttling
 * belongs to the hardware thread, the rest of a period to the task.
 */
void knc_sampler_sched_out(struct knc_sampler *s)
{
	u64 tsc = knc_hw_read_tsc();
	unsigned int i;

	if (unlikely(s->switches))
		knc_switches_out(s, tsc);
	for (i = 0; i < s->claim->nr; i++)
		if (s->claim->count[i].sampling)
			knc_sampling_sched_out(s, s->claim->count[i].sampling,
					       &s->claim->count[i], tsc);
	/* @left may have changed: the counter must be loaded again */
	s->claim->kept_on = NULL;
	s->claim = NULL;
}

/**
 * knc_sampler_inherit() - let a new task begin with its creator's periods
 * @claim: a session's claim on the creator, which runs here
 * @child: the session's claim on the new task
 *
 * Many tasks end before their own period would be adapted.
 */
void knc_sampler_inherit(const struct knc_claim *claim, struct knc_claim *child)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++) {
		child->count[i].period = READ_ONCE(claim->count[i].period);
		if (claim->count[i].sampling)
			child->count[i].left = child->count[i].period;
		child->count[i].segment = child->count[i].period;
	}
}

/**
 * knc_sampler_drop_overdue() - drop the overdue samples of a stopped task
 * @s: the sampler of the executing hardware thread, interrupts off
 * @claim: the session's claim on the task, on no counters
 *
 * Samples that were due when the task was switched out become unsampled events.
 */
void knc_sampler_drop_overdue(struct knc_sampler *s, struct knc_claim *claim)
{
	unsigned int i;

	/* the time for which the session is stopped is not part of a wait */
	claim->off_since = 0;
	for (i = 0; i < claim->nr; i++)
		if (claim->count[i].sampling)
			knc_period_skip(s, &s->sampling[i], &claim->count[i],
					&claim->count[i].left);
}

/* The hardware thread is still throttled: throttle the samples of this session, too. */
static void knc_sampler_start_throttled(struct knc_sampler *s, struct knc_hwthread *hw, u64 tsc)
{
	struct knc_count *count;
	unsigned int i;

	for (i = 0; i < s->claim->nr; i++) {
		count = &s->claim->count[i];
		if (!count->sampling)
			continue;
		knc_count_edit_begin(hw, count);
		knc_count_update(count);
		knc_storm_resume(hw, count, tsc);
		knc_count_edit_end(hw, count);
	}
}

/**
 * knc_sampler_start() - start sampling: the claim is being started
 * @s: the sampler
 *
 * On its hardware thread, interrupts off.
 */
void knc_sampler_start(struct knc_sampler *s)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	u64 tsc = knc_hw_read_tsc();
	unsigned int i;

	knc_sampler_set_clock(s);
	knc_storm_ticks_start(hw);
	for (i = 0; i < PMU_MAX_COUNTERS; i++)
		s->sampling[i].last = tsc;
	for (i = 0; i < s->claim->nr; i++)
		s->claim->count[i].adapted = s->claim->count[i].base +
					     s->claim->count[i].total;
	if (unlikely(hw->storm.throttled_until))
		knc_sampler_start_throttled(s, hw, tsc);
	if (s->interval && !hrtimer_active(&s->timer))
		hrtimer_start(&s->timer, ns_to_ktime(s->interval),
			      KNC_COMPAT_HRTIMER_MODE);
}

/* An overflow just before STOP, for which no PMI has come: its events are unsampled. */
static void knc_drop_missed_overflow(struct knc_sampler *s, struct knc_count *count)
{
	struct knc_sampling *e = count->sampling;

	if (!e || e->flags & KNC_SAMPLING_THROTTLED)
		return;
	knc_count_update(count);
	knc_period_skip(s, e, count, &count->left);
}

/**
 * knc_sampler_stop() - stop sampling: the claim has been stopped
 * @s: the sampler
 *
 * On its hardware thread, interrupts off: its timers can't be running. On return lost and unsampled
 * events have been reported, if the ring had room.
 */
void knc_sampler_stop(struct knc_sampler *s)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int i;

	if (s->interval)
		hrtimer_cancel(&s->timer);
	knc_tick_counts(s, true);
	for (i = 0; i < s->claim->nr; i++)
		knc_count_edit_begin(hw, &s->claim->count[i]);
	knc_claim_clear_lost_status(hw, s->claim);
	for (i = 0; i < s->claim->nr; i++)
		knc_drop_missed_overflow(s, &s->claim->count[i]);
	knc_ring_flush(&s->ring);
	for (i = 0; i < s->claim->nr; i++)
		knc_count_edit_end(hw, &s->claim->count[i]);
}
