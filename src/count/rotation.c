// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a turn: put the next group on the counters
 *
 * The timers run while any session has several groups.
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "count/rotation.h"
#include "count/sched.h"
#include "count/set.h"
#include "pmu/hw.h"

static DEFINE_PER_CPU(struct hrtimer, knc_rotation_timers);
static unsigned int knc_rotation_users;

/* Begin the next turn of @claim, which is the hardware thread's or the running task's. */
static void knc_rotate_claim(struct knc_hwthread *hw, struct knc_claim *claim)
{
	bool open = claim->open;

	if (hw->task_cntrs & claim->cntrs) {
		knc_sched_out_any(hw, claim);
		knc_set_next(claim);
		knc_sched_in_any(hw, claim, true);
		return;
	}
	if (claim->gated)
		claim->open = knc_hw_gate_is_open();
	knc_claim_unprogram(hw, claim);
	knc_set_next(claim);
	knc_claim_program(hw, claim);
	/* keep the initial state of the gate: after hotplug the claim begins with it again */
	claim->open = open;
	knc_claim_run(hw, claim);
}

/**
 * knc_rotation_next() - begin the next turn of each claim whose turn is over
 * @hw: the hardware thread
 */
void knc_rotation_next(struct knc_hwthread *hw)
{
	u64 tsc = knc_hw_read_tsc();
	struct knc_claim *claim;
	unsigned int n;
	u64 done = 0;

	if (!hw->online)
		return;
	for_each_counter(n) {
		claim = knc_claim_on(hw, n);
		if (!claim || done & pmu_bit(n) || !claim->set ||
		    !(hw->started & claim->cntrs) ||
		    !knc_set_is_due(claim->set, tsc))
			continue;
		done |= claim->owned;
		knc_rotate_claim(hw, claim);
	}
}

static enum hrtimer_restart knc_rotate(struct hrtimer *timer)
{
	unsigned long flags;

	local_irq_save(flags);
	knc_rotation_next(this_cpu_ptr(&knc_hwthreads));
	local_irq_restore(flags);
	hrtimer_forward(timer, ns_to_ktime(knc_compat_timer_now(timer, ktime_get_ns())),
			ns_to_ktime(KNC_TURN_MS * NSEC_PER_MSEC));
	return HRTIMER_RESTART;
}

static void knc_rotation_start_here(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&knc_rotation_timers);

	hrtimer_setup(timer, knc_rotate, CLOCK_MONOTONIC,
		      KNC_COMPAT_HRTIMER_MODE);
	hrtimer_start(timer, ns_to_ktime(KNC_TURN_MS * NSEC_PER_MSEC),
		      KNC_COMPAT_HRTIMER_MODE);
}

static void knc_rotation_stop_here(void *unused)
{
	hrtimer_cancel(this_cpu_ptr(&knc_rotation_timers));
}

/* The hotplug lock and knc_claims_lock are held. */
void knc_rotation_get(void)
{
	if (!knc_rotation_users++)
		on_each_cpu(knc_rotation_start_here, NULL, true);
}

/* Undo knc_rotation_get(), with the same locks. */
void knc_rotation_put(void)
{
	if (!--knc_rotation_users)
		on_each_cpu(knc_rotation_stop_here, NULL, true);
}

/* On a hardware thread that came online, or at resume; interrupts off */
void knc_rotation_online(void)
{
	if (knc_rotation_users)
		knc_rotation_start_here(NULL);
}

/* On a hardware thread that goes offline, or at suspend; interrupts off */
void knc_rotation_offline(void)
{
	if (knc_rotation_users)
		knc_rotation_stop_here(NULL);
}
