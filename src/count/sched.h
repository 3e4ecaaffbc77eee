/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's claim on the counters of a hardware thread: inline, for the context switch
 *
 * WRMSR takes long. Therefore a claim that is switched out leaves its counters programmed, and only
 * stops them by the global control. If the task comes back before anything else was programmed
 * here, its counters are only started. Between two tasks of one session the counters go on
 * counting. Where a program may execute RDPMC, the counters are cleared instead.
 */
#ifndef KNC_PMU_SCHED_H
#define KNC_PMU_SCHED_H

#include "count/hwthread.h"
#include "count/program.h"
#include "pmu/hw.h"

void knc_sched_in_any(struct knc_hwthread *hw, struct knc_claim *claim, bool run);
void knc_sched_out_any(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_sched_put(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_sched_drop(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_sched_update(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_sched_abandon(struct knc_hwthread *hw, u64 cntrs);

/**
 * struct knc_next_counts - counters that go on counting from one task of a session to the next
 * @kept_on: @kept_on of the claim that leaves
 * @pmis: number of PMIs before the claim left
 * @prev: @prev of each count of this claim
 */
struct knc_next_counts {
	const struct knc_hwthread *kept_on;
	u64 pmis;
	u64 prev[PMU_MAX_COUNTERS];
};

/* How many sessions may permit RDPMC: rdpmc/hide.c */
extern atomic_t knc_nr_hiding;

/* May ring 3 execute RDPMC on this hardware thread after this context switch? */
static inline bool knc_sched_is_readable(void)
{
	return atomic_read(&knc_nr_hiding) || knc_hw_read_cr4() & KNC_CR4_PCE;
}

/**
 * knc_sched_in() - put the running task's claim on the counters
 * @hw: an online hardware thread
 * @claim: a session's claim on the task
 */
static inline void knc_sched_in(struct knc_hwthread *hw,
				struct knc_claim *claim)
{
	if (likely(claim->kept_on == hw && claim->kept_at == hw->changes))
		hw->attached |= claim->cntrs;
	else
		knc_sched_put(hw, claim);
	hw->task_cntrs |= claim->cntrs;
}

/**
 * knc_sched_out() - take a task's claim off the counters
 * @hw: the hardware thread
 * @claim: a claim that was scheduled in, and whose counters are stopped
 */
static inline void knc_sched_out(struct knc_hwthread *hw,
				 struct knc_claim *claim)
{
	bool overflown = knc_claim_take(hw, claim);

	hw->task_cntrs &= ~claim->cntrs;
	claim->kept_at = hw->changes;
	if (unlikely(overflown || knc_sched_is_readable()))
		knc_sched_drop(hw, claim);
}

static __always_inline void knc_count_hand_off(struct knc_count *count, unsigned int i,
					       struct knc_next_counts *h)
{
	knc_count_update(count);
	h->prev[i] = count->prev;
}

/**
 * knc_sched_hand_off() - a running task's claim leaves its counters, which count on
 * @hw: the hardware thread
 * @claim: the claim, with one group and without samples, gate and page; not used after this
 * @h: state of the counters for the next claim, out
 *
 * Events from now on belong to the next task. PMIs leave the counters alone until
 * knc_sched_hand_on() or knc_sched_abandon(). For the loops see knc_read_counts().
 */
static __always_inline void knc_sched_hand_off(struct knc_hwthread *hw, struct knc_claim *claim,
					       struct knc_next_counts *h)
{
	unsigned int i;

	h->pmis = READ_ONCE(hw->stats.pmis);
	h->kept_on = claim->kept_on;
	claim->kept_on = NULL;
	hw->editing |= claim->cntrs;
	barrier(); /* pairs with knc_pmi() on this CPU */
	knc_count_hand_off(&claim->count[0], 0, h);
	for (i = 1; i < PMU_MAX_COUNTERS && i < claim->nr; i++)
		knc_count_hand_off(&claim->count[i], i, h);
}

/*
 * The counter is not loaded again, and overflows when the previous task's count needed it. @left
 * begins anew. If it went on from the previous task's @left, the value loaded after the overflow
 * would show, by RDPMC, what that task counted.
 */
static __always_inline void knc_count_hand_on(struct knc_hwthread *hw, struct knc_claim *claim,
					      unsigned int i, const struct knc_next_counts *h)
{
	struct knc_count *count = &claim->count[i];
	unsigned int n = count->counter;

	count->prev = h->prev[i];
	count->left = pmu_max_load(n);
	hw->task[n] = claim;
	hw->count[n] = count;
}

/**
 * knc_sched_hand_on() - give the counters to the next task's claim
 * @hw: the hardware thread
 * @claim: the claim, of the same session as the one that left
 * @h: from knc_sched_hand_off()
 */
static __always_inline void knc_sched_hand_on(struct knc_hwthread *hw, struct knc_claim *claim,
					      const struct knc_next_counts *h)
{
	unsigned int i;

	knc_count_hand_on(hw, claim, 0, h);
	for (i = 1; i < PMU_MAX_COUNTERS && i < claim->nr; i++)
		knc_count_hand_on(hw, claim, i, h);
	claim->kept_on = h->kept_on;
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->editing &= ~claim->cntrs;
	barrier(); /* pairs with knc_pmi() on this CPU */
	/* a PMI after hand_off() has left the counters alone: do its work now */
	if (unlikely(READ_ONCE(hw->stats.pmis) != h->pmis))
		knc_sched_update(hw, claim);
}

#endif /* KNC_PMU_SCHED_H */
