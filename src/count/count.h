/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One event on one counter: its bits extended to 64
 *
 * Inline, because each overflow interrupt and each context switch do this.
 */
#ifndef KNC_PMU_COUNT_H
#define KNC_PMU_COUNT_H

#include <linux/kernel.h>
#include <linux/types.h>

#include <knc_pmu.h>

#include "pmu/hw.h"

struct knc_sampling;

/**
 * struct knc_count - one event on one counter, extended to 64 bits
 * @evtsel: its event select
 * @counter: the counter
 * @obeys: it is gated
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

	return (now - count->prev) & pmu_counter_mask(count->counter);
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
	u64 max = pmu_max_load(count->counter);
	u64 next = left;

	if (unlikely(next - 1 >= max))
		next = left > 0 ? max : 1;
	count->left = left;
	count->prev = -next;
	knc_hw_write_counter(count->counter, -next);
}

/**
 * knc_count_load() - have the counter overflow when the count wants to know
 * @count: a folded count
 * @left: events from now on
 *
 * If there are no samples to be taken the counter holds what it would without being
 * loaded, modulo the most that it is loaded with: who reads it himself finds no jump.
 */
static inline void knc_count_load(struct knc_count *count, s64 left)
{
	s64 max = pmu_max_load(count->counter);

	if (unlikely(count->sampling)) {
		knc_count_load_sampled(count, left);
		return;
	}
	/* an interrupt may be later than that */
	if (unlikely(left <= 0))
		left = max - (-left & (max - 1));
	count->left = left;
	count->prev = -left;
	if (unlikely(count->page))
		knc_count_tell(count);
	knc_hw_write_counter(count->counter, -left);
}

#endif /* KNC_PMU_COUNT_H */
