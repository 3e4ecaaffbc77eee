/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One event on one counter: its 40 bits extended to 64
 *
 * Inline, because each overflow interrupt and each context switch do this.
 */
#ifndef KNC_PMU_COUNT_H
#define KNC_PMU_COUNT_H

#include <linux/kernel.h>
#include <linux/types.h>

#include <knc/regs.h>
#include <knc_pmu.h>

#include "pmu/hw.h"

struct knc_sampling;

/* Events from loading a counter to its overflow, at most: half of what it holds */
#define KNC_COUNT_MAX		(1ULL << (KNC_COUNTER_WIDTH - 1))

/**
 * struct knc_count - one event on one counter, extended to 64 bits
 * @evtsel: what to put on IA32_PerfEvtSel
 * @counter: the counter
 * @obeys: SPFLT controls it
 * @index: which event of @page it is
 * @prev: the counter when it was last loaded or folded
 * @total: everything counted up to then since the last reset
 * @base: everything counted before that
 * @left: events from then to the next overflow that is wanted
 * @sampling: how it is sampled; NULL: it is not
 * @period: while it is sampled: events from one sample to the next, on average
 * @segment: from the last sample to the next one, in particular
 * @rest: events of longer segments, which were cut short: later samples tell of them
 * @adapted: @base + @total when @period was adapted
 * @ran: of a task that does not run: for how long it had since then
 * @page: tells the task it belongs to; NULL: nobody
 *
 * An overflow interrupt, which may be an NMI, changes @prev, @total and @left, and
 * what @sampling and @page point to.
 */
struct knc_count {
	u64 evtsel;
	unsigned int counter;
	bool obeys;
	u16 index;
	u64 prev;
	u64 total;
	u64 base;
	s64 left;
	struct knc_sampling *sampling;
	u64 period;
	u64 segment;
	u64 rest;
	u64 adapted;
	u64 ran;
	struct knc_pmu_page *page;
};

/* What the counter has gained since it was loaded or folded */
static inline u64 knc_count_gained(const struct knc_count *count)
{
	u64 now = knc_hw_read_counter(count->counter);

	return (now - count->prev) & knc_hw_model.counter_mask;
}

/**
 * knc_count_fold() - bring a count up to date
 * @count: a count whose counter is stopped
 */
static inline void knc_count_fold(struct knc_count *count)
{
	u64 gained = knc_count_gained(count);

	/* of what does not count nothing is written: a RESET may be under way */
	if (!gained)
		return;
	count->prev += gained;
	count->total += gained;
	count->left -= gained;
}

/* Say what is to be added to the counter from now on. */
static inline void knc_count_tell(const struct knc_count *count)
{
	struct knc_pmu_page *page = count->page;

	page->offset[count->index] = count->total - count->prev;
	page->seq += 2;
}

/**
 * knc_count_load_sampled() - have the counter overflow when a sample is due
 * @count: a folded count that is sampled
 * @left: events from now on; 0 or less: it is overdue, with the next one
 */
static inline void knc_count_load_sampled(struct knc_count *count, s64 left)
{
	u64 next = left;

	if (unlikely(next - 1 >= KNC_COUNT_MAX))
		next = left > 0 ? KNC_COUNT_MAX : 1;
	count->left = left;
	count->prev = -next;
	knc_hw_write_counter(count->counter, -next & knc_hw_model.counter_mask);
}

/**
 * knc_count_load() - have the counter overflow when the count wants to know
 * @count: a folded count
 * @left: events from now on
 *
 * If there are no samples to be taken the counter holds what it would without being
 * loaded, modulo KNC_COUNT_MAX: who reads it himself finds no jump.
 */
static inline void knc_count_load(struct knc_count *count, s64 left)
{
	if (unlikely(count->sampling)) {
		knc_count_load_sampled(count, left);
		return;
	}
	if (unlikely(left <= 0))
		left += KNC_COUNT_MAX;
	count->left = left;
	count->prev = -left;
	if (unlikely(count->page))
		knc_count_tell(count);
	knc_hw_write_counter(count->counter, -left & knc_hw_model.counter_mask);
}

#endif /* KNC_PMU_COUNT_H */
