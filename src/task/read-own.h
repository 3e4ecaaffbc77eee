/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast path of READ in a task that is the only task of the session: inline
 */
#ifndef KNC_PMU_READ_OWN_H
#define KNC_PMU_READ_OWN_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "count/claim.h"
#include "count/hwthread.h"
#include "count/read.h"
#include "task/task.h"

/* @claim is on the counters here. Is it of @f's only task, with one group, and counting? */
static __always_inline bool knc_claim_is_own(const struct knc_hwthread *hw,
					     const struct knc_claim *claim,
					     const struct knc_follow *f)
{
	return claim->owner == f && !claim->set && hw->started & claim->cntrs &&
	       READ_ONCE(f->nr_targets) == 1;
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
 * Return: false if there are several tasks or groups, or nothing counts.
 */
static __always_inline bool knc_follow_read_here(const struct knc_follow *f,
						 struct knc_pmu_thread *record, bool timed)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	unsigned int i, counter = f->claim.count[0].counter;
	struct knc_claim *claim;

	if (!knc_hwthread_has_task(hw, counter))
		return false;
	claim = hw->task[counter];
	if (!knc_claim_is_own(hw, claim, f))
		return false;
	knc_hwthread_read_online(hw, claim, record);
	record->value[0] += f->gone.value[0];
	for (i = 1; i < PMU_MAX_COUNTERS && i < claim->nr; i++)
		record->value[i] += f->gone.value[i];
	if (unlikely(f->partial))
		record->flags |= KNC_PMU_THREAD_PARTIAL;
	if (timed)
		knc_follow_tell_times(f, claim, record);
	record->tsc = 0;
	return true;
}

#endif /* KNC_PMU_READ_OWN_H */
