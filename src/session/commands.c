// SPDX-License-Identifier: GPL-2.0
/*
 * START, STOP and RESET: on each hardware thread of a session, or for its tasks
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/attach.h"
#include "count/hwthread.h"
#include "count/read.h"
#include "count/registers.h"
#include "host/host.h"
#include "pmu/hw.h"
#include "session/internal.h"
#include "session/run.h"
#include "session/session.h"
#include "task/task.h"

/* Call @fn on all hardware threads in parallel; the hotplug lock is held. */
void knc_session_call_all(struct knc_session *s, knc_hwthread_call_fn fn, u64 now)
{
	struct knc_hwthread_call call = { .owner = s, .fn = fn, .now = now };

	knc_hwthreads_call(s->cpus, &call);
}

void knc_session_call(struct knc_session *s, knc_hwthread_call_fn fn, bool timed)
{
	cpus_read_lock();
	knc_session_call_all(s, fn, timed ? ktime_get_ns() : 0);
	cpus_read_unlock();
}

static __always_inline bool knc_session_call_here(struct knc_session *s,
						  knc_hwthread_call_fn fn)
{
	struct knc_hwthread *hw;
	bool here;

	/* sessions that follow tasks have no @hw, and leave here */
	if (!READ_ONCE(s->hw))
		return false;
	local_irq_disable();
	hw = this_cpu_ptr(&knc_hwthreads);
	here = knc_session_is_here(s, hw);
	if (here)
		fn(hw, s->claims, ktime_get_ns());
	local_irq_enable();
	return here;
}

static void knc_do_forget(struct knc_hwthread *hw, struct knc_claim *claim,
			  u64 now)
{
	knc_registers_restore_reset_values(hw);
}

/* Call @fn on each hardware thread, or @follow for the session's tasks. */
static void knc_session_apply(struct knc_session *s, knc_hwthread_call_fn fn,
			      void (*follow)(struct knc_follow *f))
{
	if (s->follow)
		follow(s->follow);
	else
		knc_session_call(s, fn, true);
}

/* START or STOP, under the session's lock */
static int knc_session_run_locked(struct knc_session *s, bool start)
{
	int err;

	if (knc_session_is_host(s))
		return s->host->run(s->has, start);
	err = knc_session_ready(s);
	if (!err)
		knc_session_apply(s, start ? knc_run_start : knc_run_stop,
				  start ? knc_follow_start : knc_follow_stop);
	return err;
}

/* noinline: otherwise the fast path pays for its stack frame */
static noinline int knc_session_run_slowly(struct knc_session *s, bool start)
{
	int err;

	mutex_lock(&s->lock);
	err = knc_session_run_locked(s, start);
	mutex_unlock(&s->lock);
	return err;
}

/* RESET_REGISTERS is allowed only if the session has all counters of its hardware threads. */
static bool knc_session_has_all(const struct knc_session *s)
{
	return !s->follow && s->groups.owned == this_pmu->counters;
}

static int knc_session_reset_locked(struct knc_session *s, bool registers)
{
	int err;

	if (knc_session_is_host(s))
		return s->host->reset(s->has, registers);
	err = knc_session_ready(s);
	if (err)
		return err;
	if (registers && !knc_session_has_all(s))
		return -EBUSY;
	knc_session_apply(s, knc_claim_reset, knc_follow_reset);
	if (registers)
		knc_session_call(s, knc_do_forget, false);
	return 0;
}

/**
 * knc_session_start() - start counting on every hardware thread of the session, or for
 * every task
 * @s: the session
 *
 * Return: 0; -ENODATA: it is not configured; -ECANCELED: it was evicted.
 */
int knc_session_start(struct knc_session *s)
{
	return knc_session_call_here(s, knc_run_start) ? 0 : knc_session_run_slowly(s, true);
}

/**
 * knc_session_stop() - stop counting on every hardware thread of the session, or for
 * every task
 * @s: the session
 *
 * Return: 0; -ENODATA: it is not configured; -ECANCELED: it was evicted.
 */
int knc_session_stop(struct knc_session *s)
{
	return knc_session_call_here(s, knc_run_stop) ? 0 : knc_session_run_slowly(s, false);
}

/**
 * knc_session_reset() - set counts and times to 0
 * @s: the session
 * @registers: when the session ends, write the reset values to the registers
 *
 * Return: 0; -ENODATA: not configured; -ECANCELED: evicted; -EBUSY: @registers is true, but other
 * sessions may use counters of these hardware threads.
 */
int knc_session_reset(struct knc_session *s, bool registers)
{
	int err;

	mutex_lock(&s->lock);
	err = knc_session_reset_locked(s, registers);
	mutex_unlock(&s->lock);
	return err;
}
