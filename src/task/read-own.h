/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast paths of READ in a task that is the only task of a session with one group: inline
 */
#ifndef KNC_PMU_READ_OWN_H
#define KNC_PMU_READ_OWN_H

#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "count/claim.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/read.h"
#include "task/target.h"
#include "task/task.h"

/* Does @claim, which is on the counters here, belong to @f's only task, and does it count? */
static __always_inline bool knc_follow_is_own_claim(const struct knc_hwthread *hw,
						    const struct knc_claim *claim,
						    const struct knc_follow *f)
{
	return claim->owner == f && hw->started & claim->cntrs &&
	       READ_ONCE(f->nr_targets) == 1;
}

/* Write the times of a session that has counted for so many @ticks at tsc_khz */
static __always_inline void knc_follow_tell_times(struct knc_pmu_thread *record, u64 now, u64 ticks)
{
	record->time = now;
	record->time_enabled = knc_clock_ticks_to_ns(ticks);
	record->time_running = record->time_enabled;
}

/**
 * knc_follow_read_here() - read the counts of the caller, if it is the only task
 * @f: the session
 * @record: the record, out; without @timed its times are not set
 * @timed: with times; a constant
 *
 * Interrupts are off, and no lock is needed: before a command changes or frees a claim that is on
 * the counters, it calls this hardware thread. No counter is stopped, and no register is written.
 *
 * Return: false if there are several tasks, or nothing counts.
 */
static __always_inline bool knc_follow_read_here(const struct knc_follow *f,
						 struct knc_pmu_thread *record, bool timed)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int counter = f->claim.count[0].counter;
	/* call this first: counts that are read before a call would have to be saved */
	u64 now = timed ? ktime_get_ns() : 0;
	const struct knc_target *target;
	struct knc_claim *claim;

	if (!knc_hwthread_has_task(hw, counter))
		return false;
	claim = hw->task[counter];
	if (!knc_follow_is_own_claim(hw, claim, f))
		return false;
	knc_claim_read_online(hw, claim, record, f->gone.value, true);
	if (unlikely(f->partial))
		*knc_read_record_flags(record) |= KNC_PMU_THREAD_PARTIAL;
	if (timed) {
		target = knc_target_of(claim);
		knc_follow_tell_times(record, now, f->gone.ticks + target->ticks +
				      knc_clock_ticks(record->tsc - target->since));
	}
	record->tsc = 0;
	return true;
}

/*
 * The target of the caller, if it is @f's only task, and is off the counters. The test of @first
 * comes before the access to the target: see knc_follow_read_stopped()
 */
static __always_inline const struct knc_target *knc_follow_own(const struct knc_follow *f)
{
	const struct knc_target *own;

	if (READ_ONCE(f->first) != current)
		return NULL;
	own = READ_ONCE(f->own);
	if (!own || own->running || READ_ONCE(f->nr_targets) != 1)
		return NULL;
	smp_rmb(); /* pairs with knc_target_end() */
	return own;
}

/**
 * knc_follow_read_stopped() - read the counts of the caller, if it is the only task and is stopped
 * @f: the session, which the caller has seen stopped
 * @record: the record, out; without @timed its times are not set
 * @timed: with times; a constant
 *
 * Interrupts are off, and no lock is needed:
 *
 * * The target is not freed meanwhile: that takes a call of this hardware thread, which waits.
 *   @f->own is cleared before, with a full barrier, so that later READs don't find the target.
 * * A target that STOP has not yet taken off the counters is @running, and not read here. START
 *   changes counts only in its call of this hardware thread, which waits.
 * * RESET, on any hardware thread, changes @f->resets before and after. Tasks that end add to
 *   @f->gone before @f->nr_targets falls.
 *
 * Return: false if the slow path is needed.
 */
static __always_inline bool knc_follow_read_stopped(const struct knc_follow *f,
						    struct knc_pmu_thread *record, bool timed)
{
	unsigned int i, nr, resets = READ_ONCE(f->resets);
	u64 now = timed ? ktime_get_ns() : 0;
	const struct knc_target *own;

	smp_rmb(); /* pairs with knc_follow_reset_stopped() */
	own = knc_follow_own(f);
	if (!own)
		return false;
	record->cpu = KNC_PMU_NO_CPU;
	knc_claim_tell(&own->claim, record);
	record->tsc = 0;
	record->value[0] = f->gone.value[0] + own->claim.count[0].total;
	nr = own->claim.nr;
	for_each_more(i, nr)
		record->value[i] = f->gone.value[i] + own->claim.count[i].total;
	if (unlikely(f->partial))
		*knc_read_record_flags(record) |= KNC_PMU_THREAD_PARTIAL;
	if (timed)
		knc_follow_tell_times(record, now, f->gone.ticks + own->ticks);
	smp_rmb(); /* pairs with knc_follow_reset_stopped() */
	return likely(!(resets & 1) && READ_ONCE(f->resets) == resets);
}

#endif /* KNC_PMU_READ_OWN_H */
