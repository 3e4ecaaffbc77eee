/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's claim on the counters of a hardware thread: inline, for the context switch
 *
 * A claim that goes leaves its counters programmed, and stopped by the global control. If it
 * comes back before anything else was programmed there, it only starts them: WRMSR takes
 * long. Where a program may execute RDPMC, the counters are cleared instead.
 */
#ifndef KNC_PMU_SCHED_H
#define KNC_PMU_SCHED_H

#include "count/hide.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "pmu/hw.h"

void knc_hwthread_in(struct knc_hwthread *hw, struct knc_claim *claim, bool run);
void knc_hwthread_out(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_put(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_drop(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_update(struct knc_hwthread *hw, struct knc_claim *claim);

/* May ring 3 execute RDPMC on this hardware thread after this context switch? */
static inline bool knc_hwthread_is_readable(void)
{
	return atomic_read(&knc_nr_hiding) || knc_hw_read_cr4() & KNC_CR4_PCE;
}

/**
 * knc_hwthread_sched_in() - put the running task's claim on the counters
 * @hw: an online hardware thread that admits tasks
 * @claim: a session's claim on the task
 */
static inline void knc_hwthread_sched_in(struct knc_hwthread *hw,
					 struct knc_claim *claim)
{
	if (likely(claim->kept_on == hw && claim->kept_at == hw->changes))
		hw->attached |= claim->cntrs;
	else
		knc_hwthread_put(hw, claim);
	hw->task_cntrs |= claim->cntrs;
}

/**
 * knc_hwthread_sched_out() - take a task's claim off the counters
 * @hw: the hardware thread
 * @claim: a claim that was scheduled in, and whose counters are stopped
 */
static inline void knc_hwthread_sched_out(struct knc_hwthread *hw,
					  struct knc_claim *claim)
{
	bool overflown = knc_hwthread_take(hw, claim);

	hw->task_cntrs &= ~claim->cntrs;
	claim->kept_at = hw->changes;
	if (unlikely(overflown || knc_hwthread_is_readable()))
		knc_hwthread_drop(hw, claim);
}

#endif /* KNC_PMU_SCHED_H */
