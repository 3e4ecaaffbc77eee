// SPDX-License-Identifier: GPL-2.0
/*
 * Putting a claim on its counters: program, change, take off
 *
 * A counter is loaded so that it overflows when the next sample is due, or after as many events as
 * possible, at most half of its range. The PMI (pmi.c) adds the counter's gain, modulo its width,
 * to a 64-bit total, and loads the counter again. Counts are exact across any number of overflows,
 * unless a PMI is late by half the range.
 *
 * The PMI may be an NMI. A reader of counts repeats if a PMI came meanwhile; a writer stops the
 * counter and sets its bit in @editing.
 */
#include <linux/kernel.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/lvtpc.h"
#include "count/program.h"
#include "pmu/hw.h"

/**
 * knc_count_edit_begin() - stop a counter to change its count
 * @hw: the hardware thread
 * @count: the count
 */
void knc_count_edit_begin(struct knc_hwthread *hw,
			  const struct knc_count *count)
{
	hw->editing |= pmu_bit(count->counter);
	knc_hwthread_set_running(hw, hw->started & ~hw->editing);
}

/**
 * knc_count_edit_end() - load the counter again and let it count
 * @hw: the hardware thread
 * @count: the count
 *
 * Updates the count first: a PMI that came meanwhile has left the counter alone.
 */
void knc_count_edit_end(struct knc_hwthread *hw, struct knc_count *count)
{
	knc_count_update(count);
	knc_count_load(count, count->left);
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->editing &= ~pmu_bit(count->counter);
	knc_hwthread_set_running(hw, hw->started & ~hw->editing);
}

/*
 * On some PMUs a new event is counted wrongly unless the counters settle first (@settle of the
 * PMU). Counters of other claims are stopped until knc_program_settled().
 */
static noinline void knc_program_settle(struct knc_hwthread *hw)
{
	unsigned int n;

	for (n = 0; n < this_pmu->nr_settle; n++) {
		if (!(hw->attached & pmu_bit(n)))
			continue;
		knc_count_edit_begin(hw, hw->count[n]);
		knc_count_update(hw->count[n]);
	}
	knc_hw_settle(hw->evtsel);
}

/* The new event is selected: let the counters of other claims count again. */
static noinline void knc_program_settled(struct knc_hwthread *hw)
{
	unsigned int n;

	for (n = 0; n < this_pmu->nr_settle; n++) {
		if (!(hw->attached & pmu_bit(n)))
			continue;
		/* settling changed the counter: load it, because this is no count of the claim */
		knc_count_load(hw->count[n], hw->count[n]->left);
		knc_count_edit_end(hw, hw->count[n]);
	}
	knc_hw_write_global_ctrl(hw->running);
}

/**
 * knc_claim_program() - put a claim on its counters, stopped
 * @hw: the hardware thread, whose registers are ours
 * @claim: the claim, with one event or more
 */
void knc_claim_program(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	struct knc_count *count = claim->count;

	if (unlikely(claim->nmi != hw->nmi))
		knc_lvtpc_choose(hw, claim->nmi);
	if (pmu_settles())
		knc_program_settle(hw);
	do {
		knc_count_load(count, count->left);
		knc_hwthread_select(hw, count->counter, count->evtsel);
		hw->count[count->counter] = count;
	} while (++count < end);
	hw->changes++;
	if (pmu_settles())
		knc_program_settled(hw);
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->attached |= claim->cntrs;
	if (unlikely(claim->gated))
		knc_claim_program_gate(claim);
}

/*
 * A PMI that comes after the counters were given up is late, and still ours. Clear their sticky
 * status for the next owner.
 */
void knc_program_disown_overflown(struct knc_hwthread *hw, u64 cntrs)
{
	knc_lvtpc_expect(hw);
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->attached &= ~cntrs;
	barrier();
	/* the status is clear now: the PMI came before @attached changed, and has handled it */
	if (!(knc_hw_read_global_status() & cntrs))
		hw->late_until = 0;
	knc_hw_clear_global_status(cntrs);
}

/* When a claim leaves its counters, these obey the gate no longer. */
void knc_claim_unprogram_gate(const struct knc_claim *claim)
{
	knc_hw_write_gate(knc_hw_read_gate() & ~claim->obey);
}

/**
 * knc_claim_unprogram() - stop and give up a claim's counters; update their counts
 * @hw: the hardware thread
 * @claim: a claim that is on its counters
 */
void knc_claim_unprogram(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	knc_claim_halt(hw, claim);
	knc_claim_take(hw, claim);
	do {
		knc_hwthread_select(hw, count->counter, 0);
		hw->count[count->counter] = NULL;
	} while (++count < end);
	if (claim->gated)
		knc_claim_unprogram_gate(claim);
}

/**
 * knc_claim_clear_lost_status() - clear the status of a lost interrupt
 * @hw: an online hardware thread
 * @claim: a claim whose counts are being edited
 *
 * The PMI may have gone to another thread of the core, whose APIC lost it. Further overflows cause
 * no interrupt while the status is set.
 */
void knc_claim_clear_lost_status(struct knc_hwthread *hw,
				 const struct knc_claim *claim)
{
	/* if the LVT entry is masked, the PMI is on its way here */
	if (!knc_lvtpc_is_masked())
		knc_hw_clear_global_status(claim->cntrs);
}

/*
 * Called before the hardware thread goes offline: no counter may count while the samplers are being
 * stopped.
 */
void knc_program_stop_all(struct knc_hwthread *hw)
{
	if (!hw->attached)
		return;
	knc_program_let_run(hw, 0);
}
