/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Putting a claim on its counters: program, start, stop, take off. Start and stop are inline, for
 * the context switch.
 */
#ifndef KNC_PMU_PROGRAM_H
#define KNC_PMU_PROGRAM_H

#include <linux/compiler.h>

#include "compat/compat.h"
#include "count/count.h"
#include "count/hwthread.h"
#include "count/set.h"
#include "pmu/hw.h"

void knc_claim_program(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_claim_unprogram(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_claim_unprogram_gate(const struct knc_claim *claim);
void knc_count_edit_begin(struct knc_hwthread *hw,
			  const struct knc_count *count);
void knc_count_edit_end(struct knc_hwthread *hw, struct knc_count *count);
void knc_program_disown_overflown(struct knc_hwthread *hw, u64 cntrs);
void knc_claim_clear_lost_status(struct knc_hwthread *hw,
				 const struct knc_claim *claim);
void knc_program_stop_all(struct knc_hwthread *hw);

/* Let exactly @cntrs count from now on. */
static inline void knc_program_let_run(struct knc_hwthread *hw, u64 cntrs)
{
	hw->started = cntrs;
	knc_hwthread_set_running(hw, cntrs);
}

static inline void knc_claim_run(struct knc_hwthread *hw,
				 const struct knc_claim *claim)
{
	if (claim->set)
		claim->set->since = knc_hw_read_tsc();
	knc_program_let_run(hw, hw->started | claim->cntrs);
}

static inline void knc_claim_halt(struct knc_hwthread *hw,
				  const struct knc_claim *claim)
{
	knc_program_let_run(hw, hw->started & ~claim->cntrs);
	if (claim->set)
		knc_set_pause(claim->set, knc_hw_read_tsc());
}

/*
 * From now on PMIs leave these stopped counters alone. If no status bit of a counter is set, no PMI
 * for these counters is on its way. Returns true if a counter has overflowed.
 */
static __always_inline bool knc_program_disown(struct knc_hwthread *hw, u64 cntrs)
{
	bool overflown = knc_hw_read_global_status() & cntrs;

	if (unlikely(overflown))
		knc_program_disown_overflown(hw, cntrs);
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->attached &= ~cntrs;
	barrier();
	return overflown;
}

/* Disown a claim's counters and update its counts. Returns true if a counter has overflowed. */
static inline bool knc_claim_take(struct knc_hwthread *hw,
				  struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	struct knc_count *count = claim->count;
	bool overflown = knc_program_disown(hw, claim->cntrs);

	do {
		knc_count_update(count);
	} while (++count < end);
	return overflown;
}

#endif /* KNC_PMU_PROGRAM_H */
