/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a sampler and of each event that it samples, for the files of this folder
 */
#ifndef KNC_PMU_STATE_H
#define KNC_PMU_STATE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "compat/compat.h"
#include "count/claim.h"
#include "count/clock.h"
#include "sample/ring.h"

struct knc_sampler;

/* Ticks a second. A tick ends throttling, and adapts periods */
#define KNC_TICK_HZ		100

/**
 * struct knc_sampling - how one event is sampled
 * @sampler: the sampler
 * @fast_period: @period if no sample changes it, and it is not throttled; 0: no fast path
 * @counter_word: the fields of a sample from @counter to @nr_user in one word, for a single store
 * @period: events between samples, at a frequency the running task's mean
 * @least: with a limit: the period that was asked for, the shortest that is used; else 0
 * @size: most bytes of a sample
 * @flags: KNC_SAMPLING_*
 * @ticks: at a frequency: ticks that a period should take; with a limit: the least ticks that a
 *	period may take; else 0
 * @last: time stamp when @period was adapted, plus the time that the task did not run since then
 * @recent: samples since @last
 * @random: state of the random number generator
 * @left_at_load: while throttled: events from the last load to the next sample
 * @pause: while throttled: events for which the counter was last loaded
 * @paused: while throttled: time stamp of that load
 * @skipped: while throttled: unsampled events that UNTHROTTLE will report
 */
struct knc_sampling {
	struct knc_sampler *sampler;
	u64 fast_period;
	u64 counter_word;
	u64 period;
	u64 least;
	u32 size;
	u32 flags;
	u64 ticks;
	u64 last;
	u32 recent;
	u32 random;
	s64 left_at_load;
	s64 pause;
	u64 paused;
	u64 skipped;
};

#define KNC_SAMPLING_FREQ	0x1	/* the period is adapted */
#define KNC_SAMPLING_CHAIN	0x2	/* with call chains */
#define KNC_SAMPLING_PID_NS	0x4	/* with pids of a namespace */
#define KNC_SAMPLING_THROTTLED	0x8	/* no samples at present */
#define KNC_SAMPLING_USER	0x10	/* addresses of the kernel must be hidden */
#define KNC_SAMPLING_STACK	0x20	/* with copies of the user's stack */

/* If one of these is set, all samples take knc_sampler_sample_slow(). */
#define KNC_SAMPLING_ALWAYS_SLOW (KNC_SAMPLING_PID_NS | KNC_SAMPLING_STACK)

/* If one of these is set, samples that interrupt the kernel take knc_sampler_sample_slow(). */
#define KNC_SAMPLING_SLOW	(KNC_SAMPLING_CHAIN | KNC_SAMPLING_USER | \
				 KNC_SAMPLING_ALWAYS_SLOW)

/**
 * struct knc_sampler - takes the samples of one session on one hardware thread,
 * of the thread itself or of the tasks that run there
 * @ring: where the samples go
 * @now: the one of @clock that is in use
 * @record: the header of all samples
 * @sampling: how each event is sampled
 * @chains: KNC_PMU_CONFIG_CHAIN_*
 * @max_frames: most frames of a call chain
 * @stack_size: most bytes of a copy of the user's stack; 0: none
 * @switches: context switches of tasks are recorded
 * @switch_lost: the last record of a context switch was lost
 * @pid_ns: namespace of the pids in samples; NULL: the initial one
 * @clock: two conversions of time stamps to CLOCK_MONOTONIC: one is set while the other is used
 * @claim: the claim that is sampled; NULL: no followed task runs here
 * @task: the task of @claim; NULL: the claim is on the hardware thread
 * @tick: sets the clock, ends throttling, adapts periods
 * @arm: starts @tick after a context switch, which can't start timers
 * @interval: ns from one time sample to the next; 0: no time samples
 * @step: intervals that the timer moves on by: more than 1 if the kernel's timers are too coarse
 * @timer: takes time samples
 * @values: counts at the last time sample
 * @missed: intervals without a time sample since the last one
 */
struct knc_sampler {
	struct knc_ring ring;
	const struct knc_clock *now;
	struct knc_pmu_record record;
	struct knc_sampling sampling[PMU_MAX_COUNTERS];
	u32 chains;
	u32 max_frames;
	u32 stack_size;
	bool switches;
	bool switch_lost;
	struct pid_namespace *pid_ns;
	struct knc_clock clock[2];
	struct knc_claim *claim;
	const struct task_struct *task;
	struct timer_list tick;
	struct irq_work arm;
	u64 interval;
	u32 step;
	struct hrtimer timer;
	u64 values[PMU_MAX_COUNTERS];
	u32 missed;
};

/*
 * CLOCK_MONOTONIC at @tsc, computed by the time stamp counter's rate between the last two ticks. A
 * card's clock source is a register outside the core: to read it takes long, and not every kernel
 * can read it in an NMI.
 */
static inline u64 knc_sampler_time(const struct knc_sampler *s, u64 tsc)
{
	const struct knc_clock *now = READ_ONCE(s->now);

	return now->ns + (((tsc - now->tsc) * now->mult) >> KNC_CLOCK_SHIFT);
}

/* The pids of a task in @s's namespace, or in the initial one */
static inline void knc_sampler_pids(const struct knc_sampler *s, struct task_struct *task,
				    u32 *pid, u32 *tid)
{
	*pid = s->pid_ns ? task_tgid_nr_ns(task, s->pid_ns) : task->tgid;
	*tid = s->pid_ns ? task_pid_nr_ns(task, s->pid_ns) : task->pid;
}

#endif /* KNC_PMU_STATE_H */
