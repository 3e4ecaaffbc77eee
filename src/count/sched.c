// SPDX-License-Identifier: GPL-2.0
/*
 * A task's claim on the counters of a hardware thread: the slow paths of the context switch
 */
#include <linux/kernel.h>

#include "compat/compat.h"
#include "count/program.h"
#include "count/registers.h"
#include "count/sched.h"
#include "count/set.h"
#include "pmu/hw.h"

atomic_t knc_nr_hiding;

/* Program a task's claim. Before the first one the registers are saved. */
void knc_sched_put(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	if (unlikely(!hw->for_tasks))
		knc_registers_admit_tasks(hw);
	do {
		hw->task[count->counter] = claim;
	} while (++count < end);
	knc_claim_program(hw, claim);
	/* if PMIs stay NMIs although this claim needs none, program it again next time */
	claim->kept_on = claim->nmi == hw->nmi || !hw->vector ? hw : NULL;
}

/* A task's claim was taken off the counters. Clear them: it must not be kept in the registers. */
void knc_sched_drop(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	claim->kept_on = NULL;
	do {
		knc_hw_write_counter(count->counter, 0);
	} while (++count < end);
}

/**
 * knc_sched_in_any() - sched in any claim (with set, gate or samples), and start its counters
 * @hw: an online hardware thread
 * @claim: a session's claim on the task
 * @run: start the counters
 */
void knc_sched_in_any(struct knc_hwthread *hw, struct knc_claim *claim, bool run)
{
	knc_sched_in(hw, claim);
	if (run)
		knc_claim_run(hw, claim);
}

/**
 * knc_sched_out_any() - stop the counters of any claim (with set, gate or samples); sched it out
 * @hw: the hardware thread
 * @claim: a claim that was scheduled in
 */
void knc_sched_out_any(struct knc_hwthread *hw, struct knc_claim *claim)
{
	if (claim->gated)
		claim->open = knc_hw_gate_is_open();
	knc_claim_halt(hw, claim);
	knc_sched_out(hw, claim);
	if (!claim->gated)
		return;
	knc_claim_unprogram_gate(claim);
	claim->kept_on = NULL;
}

/**
 * knc_sched_abandon() - stop counters after knc_sched_hand_off(): no claim takes them
 * @hw: the hardware thread
 * @cntrs: the counters
 */
void knc_sched_abandon(struct knc_hwthread *hw, u64 cntrs)
{
	knc_program_let_run(hw, hw->started & ~cntrs);
	knc_program_disown(hw, cntrs);
	hw->editing &= ~cntrs;
	hw->task_cntrs &= ~cntrs;
}

/**
 * knc_sched_update() - bring a running task's counts, and its groups' times, up to date
 * @hw: the hardware thread
 * @claim: a claim that is scheduled in
 */
void knc_sched_update(struct knc_hwthread *hw, struct knc_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		knc_count_edit_begin(hw, &claim->count[i]);
	for (i = 0; i < claim->nr; i++)
		knc_count_edit_end(hw, &claim->count[i]);
	if (claim->set)
		knc_set_update(claim->set, knc_hw_read_tsc());
}
