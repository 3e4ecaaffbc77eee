/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sampler: takes the samples of one session on one hardware thread
 */
#ifndef KNC_PMU_SAMPLER_H
#define KNC_PMU_SAMPLER_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <knc_pmu.h>

#include "compat/compat.h"
#include "count/claim.h"
#include "count/clock.h"
#include "sample/ring.h"

struct knc_request;
struct knc_sampler;

/**
 * struct knc_sampling - how one event is sampled
 * @sampler: for whom
 * @plain: @period, if that is fixed and not throttled, else 0
 * @what: what all its samples have from @counter on: it, the event, no frames
 * @period: events from one sample to the next, at a frequency the mean; if tasks are
 *	followed, of that which runs
 * @size: bytes that a sample may have at most
 * @special: anything but plain samples with a fixed period, see KNC_SPECIAL_*
 * @ticks: time stamp counter ticks that a period should take; 0: any
 * @last: time stamp counter when @period was adapted; of a task as if it had run since
 * @recent: samples since then
 * @random: the state of a random number generator
 * @grid: while throttled: events from then to where the next sample was due
 * @skipped: while throttled: what has been counted, and no record tells yet
 */
struct knc_sampling {
	struct knc_sampler *sampler;
	u64 plain;
	u64 what;
	u64 period;
	u32 size;
	u32 special;
	u64 ticks;
	u64 last;
	u32 recent;
	u32 random;
	s64 grid;
	u64 skipped;
};

#define KNC_SPECIAL_FREQ	0x1	/* the period is adapted */
#define KNC_SPECIAL_CHAIN	0x2	/* with call chains */
#define KNC_SPECIAL_PID_NS	0x4	/* pids of a namespace */
#define KNC_SPECIAL_THROTTLED	0x8	/* no samples at present */
#define KNC_SPECIAL_USER	0x10	/* nothing of the kernel is shown */

/* What makes knc_sampler_careful() take the samples of the kernel */
#define KNC_SPECIAL_CARE	(KNC_SPECIAL_CHAIN | KNC_SPECIAL_PID_NS | \
				 KNC_SPECIAL_USER)

/**
 * struct knc_sampler - takes the samples of one session on one hardware thread, for
 * that or for the tasks that run there
 * @ring: where they go
 * @now: the clock in use
 * @record: how all its samples begin
 * @sampling: how each event is sampled
 * @chains: KNC_PMU_CONFIG_CHAIN_*
 * @max_frames: frames of each call chain
 * @pid_ns: which pids they have; NULL: those of the machine
 * @clock: the time, without asking a clock source that may be slow; one is set
 *	while the other is in use
 * @claim: whose samples they are; NULL: no task that is counted runs here
 * @task: the task that @claim is of; NULL: it is of the hardware thread
 * @tick: ends throttling, adapts periods
 * @arm: starts @tick when a task has been switched to, where that can't be done
 * @interval: from one time sample to the next; 0: none are taken
 * @timer: takes them
 * @values: what had been counted at the last one
 * @missed: intervals without one since then
 */
struct knc_sampler {
	struct knc_ring ring;
	const struct knc_clock *now;
	struct knc_pmu_record record;
	struct knc_sampling sampling[PMU_MAX_COUNTERS];
	u32 chains;
	u32 max_frames;
	struct pid_namespace *pid_ns;
	struct knc_clock clock[2];
	struct knc_claim *claim;
	const struct task_struct *task;
	struct timer_list tick;
	struct irq_work arm;
	u64 interval;
	struct hrtimer timer;
	u64 values[PMU_MAX_COUNTERS];
	u32 missed;
};

int knc_sampler_alloc(struct knc_sampler *s, const struct knc_request *req,
		      unsigned int cpu, wait_queue_head_t *wait);
void knc_sampler_init(struct knc_sampler *s, const struct knc_request *req,
		      struct knc_claim *claim, struct pid_namespace *pid_ns);
void knc_sampler_hide_kernel(struct knc_sampler *s);
void knc_sampler_destroy(struct knc_sampler *s);

void knc_sampler_attach(struct knc_sampler *s);
void knc_sampler_detach(struct knc_sampler *s);
void knc_sampler_load(struct knc_sampler *s, struct knc_claim *claim,
		      const struct task_struct *task);
void knc_sampler_unload(struct knc_sampler *s);
void knc_sampler_inherit(const struct knc_claim *claim, struct knc_claim *child);
void knc_sampler_settle(struct knc_sampler *s, struct knc_claim *claim);
void knc_sampler_start(struct knc_sampler *s);
void knc_sampler_stop(struct knc_sampler *s);

/*
 * The clock source of a card is a register outside of its core, and an NMI can
 * use it on some kernels only. So the time is worked out from the time stamp
 * counter, as it went in the last hundredth of a second.
 */
static inline u64 knc_sampler_time(const struct knc_sampler *s, u64 tsc)
{
	const struct knc_clock *now = READ_ONCE(s->now);

	return now->ns + (((tsc - now->tsc) * now->mult) >> KNC_CLOCK_SHIFT);
}

/* The pids of @s's namespace, or those of the machine */
static inline void knc_pids(const struct knc_sampler *s, struct task_struct *task,
			    u32 *pid, u32 *tid)
{
	*pid = s->pid_ns ? task_tgid_nr_ns(task, s->pid_ns) : task->tgid;
	*tid = s->pid_ns ? task_pid_nr_ns(task, s->pid_ns) : task->pid;
}

#endif /* KNC_PMU_SAMPLER_H */
