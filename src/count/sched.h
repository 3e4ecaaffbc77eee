/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's claim on the counters of a hardware thread: inline, for the context switch
 *
 * A claim that goes leaves its counters programmed, and stopped by the global control. If it
 * comes back before anything else was programmed there, it only starts them: WRMSR takes
 * long. From one task of a session to another the counters count on. Where a program may
 * execute RDPMC, the counters are cleared instead.
 */
#ifndef KNC_PMU_SCHED_H
#define KNC_PMU_SCHED_H

#include "count/hwthread.h"
#include "count/program.h"
#include "pmu/hw.h"

void knc_hwthread_in(struct knc_hwthread *hw, struct knc_claim *claim, bool run);
void knc_hwthread_out(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_put(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_drop(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_update(struct knc_hwthread *hw, struct knc_claim *claim);
void knc_hwthread_abandon(struct knc_hwthread *hw, u64 cntrs);

/**
 * struct knc_next_counts - counters that count on between two tasks of a session
 * @kept_on: of the claim that leaves
 * @pmis: PMIs before that
 * @prev: of each of its counts
 */
struct knc_next_counts {
	const struct knc_hwthread *kept_on;
	u64 pmis;
	u64 prev[PMU_MAX_COUNTERS];
};

/* How many sessions may permit RDPMC: rdpmc/hide.c */
extern atomic_t knc_nr_hiding;

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

static __always_inline void knc_count_hand_off(struct knc_count *count, unsigned int i,
					       struct knc_next_counts *h)
{
	knc_count_update(count);
	h->prev[i] = count->prev;
}

/**
 * knc_hwthread_hand_off() - a running task's claim leaves its counters, which count on
 * @hw: the hardware thread
 * @claim: the claim, with one group and without samples, gate and page; not used any more
 * @h: what the next claim needs, out
 *
 * What is counted from now on belongs to the next task. The overflow interrupt leaves the
 * counters alone until knc_hwthread_hand_on() or knc_hwthread_abandon(). The loops are like
 * those of knc_read_counts().
 */
static __always_inline void knc_hwthread_hand_off(struct knc_hwthread *hw, struct knc_claim *claim,
						  struct knc_next_counts *h)
{
	unsigned int i;

	h->pmis = READ_ONCE(hw->stats.pmis);
	h->kept_on = claim->kept_on;
	claim->kept_on = NULL;
	hw->editing |= claim->cntrs;
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_count_hand_off(&claim->count[0], 0, h);
	for (i = 1; i < PMU_MAX_COUNTERS && i < claim->nr; i++)
		knc_count_hand_off(&claim->count[i], i, h);
}

/*
 * The counter overflows when the task that left would have needed it. @left is the task's own: when
 * its counter is loaded, RDPMC must not tell what the other one has counted.
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
 * knc_hwthread_hand_on() - the next task's claim has the counters
 * @hw: the hardware thread
 * @claim: the claim, of the same session as the one that left
 * @h: of knc_hwthread_hand_off()
 */
static __always_inline void knc_hwthread_hand_on(struct knc_hwthread *hw, struct knc_claim *claim,
						 const struct knc_next_counts *h)
{
	unsigned int i;

	knc_count_hand_on(hw, claim, 0, h);
	for (i = 1; i < PMU_MAX_COUNTERS && i < claim->nr; i++)
		knc_count_hand_on(hw, claim, i, h);
	claim->kept_on = h->kept_on;
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->editing &= ~claim->cntrs;
	barrier(); /* with knc_pmi(), on the same CPU */
	/* an interrupt meanwhile has left the counters alone; one to come finds the new claim */
	if (unlikely(READ_ONCE(hw->stats.pmis) != h->pmis))
		knc_hwthread_update(hw, claim);
}

#endif /* KNC_PMU_SCHED_H */
