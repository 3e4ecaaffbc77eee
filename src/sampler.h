/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples: of events, by the overflow interrupt, and of time, by a timer
 */
#ifndef KNC_PMU_SAMPLER_H
#define KNC_PMU_SAMPLER_H

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <knc_pmu.h>

#include "event.h"
#include "hwthread.h"
#include "ring.h"

struct pid_namespace;
struct pt_regs;

/**
 * struct knc_sampling - how one event is sampled
 * @period: events from one sample to the next; 0: none are taken
 * @ticks: time stamp counter ticks that a period should take; 0: any
 * @last: time stamp counter at the last sample, or when @period was adapted
 * @throttled: no samples are taken at present
 * @grid: while throttled: events from then to where the next sample was due
 */
struct knc_sampling {
	u64 period;
	u64 ticks;
	u64 last;
	bool throttled;
	s64 grid;
};

/**
 * struct knc_clock - CLOCK_MONOTONIC as a function of the time stamp counter
 * @tsc: a time stamp
 * @ns: CLOCK_MONOTONIC then
 * @mult: ns for 2^32 ticks
 */
struct knc_clock {
	u64 tsc;
	u64 ns;
	u64 mult;
};

/**
 * struct knc_sampler - takes the samples of one session on one hardware thread
 * @ring: where they go
 * @sampling: how each event is sampled
 * @chains: KNC_PMU_CONFIG_CHAIN_*
 * @max_frames: frames of each call chain
 * @pid_ns: which pids they have; NULL: those of the machine
 * @clock: the time, without asking a clock source that may be slow; one is set
 *	while the other is in use
 * @clock_now: which one is in use
 * @claim: whose samples they are
 * @tick: ends throttling, adapts periods
 * @interval: from one time sample to the next; 0: none are taken
 * @timer: takes them
 * @values: what had been counted at the last one
 * @missed: intervals without one since then
 * @unsampled: for each event, what was counted while throttled
 */
struct knc_sampler {
	struct knc_ring ring;
	struct knc_sampling sampling[KNC_PMU_MAX_EVENTS];
	u32 chains;
	u32 max_frames;
	struct pid_namespace *pid_ns;
	struct knc_clock clock[2];
	unsigned int clock_now;
	struct knc_claim *claim;
	struct timer_list tick;
	u64 interval;
	struct hrtimer timer;
	u64 values[KNC_PMU_MAX_EVENTS];
	u32 missed;
	u64 unsampled[KNC_PMU_MAX_EVENTS];
};

/**
 * struct knc_overflow - an overflow interrupt
 * @hw: the hardware thread it came to
 * @regs: what it interrupted
 * @tsc: when
 * @throttle: there are too many of them
 */
struct knc_overflow {
	struct knc_hwthread *hw;
	struct pt_regs *regs;
	u64 tsc;
	bool throttle;
};

int knc_sampling_check(const struct knc_pmu_config *c,
		       const struct knc_pmu_event *events,
		       struct knc_refusal *why);
bool knc_sampling_wanted(const struct knc_pmu_config *c,
			 const struct knc_pmu_event *events);

int knc_sampler_init(struct knc_sampler *s, const struct knc_pmu_config *c,
		     const struct knc_pmu_event *events,
		     struct knc_claim *claim, struct pid_namespace *pid_ns,
		     wait_queue_head_t *wait);
void knc_sampler_destroy(struct knc_sampler *s);

void knc_sampler_attach(struct knc_sampler *s);
void knc_sampler_detach(struct knc_sampler *s);
void knc_sampler_start(struct knc_sampler *s);
void knc_sampler_stop(struct knc_sampler *s);

void knc_sampler_overflow(struct knc_sampler *s, struct knc_count *count,
			  const struct knc_overflow *o);

#endif /* KNC_PMU_SAMPLER_H */
