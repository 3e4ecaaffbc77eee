/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One event on one counter, extended to 64 bits
 *
 * Inline for the hot paths: the overflow interrupt and the context switch
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
 * @evtsel: the event select
 * @counter: the counter
 * @read_index: its index for RDPMC
 * @obeys: the counter obeys the gate
 * @index: index of the event in @page
 * @prev: value of the counter at the last load or update
 * @total: events from the last RESET to the last load or update
 * @base: events before the last RESET
 * @shown: the count that was last read; lower than @total after an update. The count never goes
 *	below either
 * @left: events from the last load or update to the next overflow that is needed
 * @sampling: how the event is sampled; NULL: it is not
 * @period: if sampled: events between two samples, on average: the present period
 *	of the task or hardware thread. @sampling has a copy while the claim is
 *	on the counters
 * @segment: if sampled: events between the last sample and the next
 * @carry: events of segments that were cut short, to be added to later samples
 * @adapted: @base + @total when @period was last adapted
 * @ran: for a task that is switched out: ticks that it ran since @period was last adapted
 * @page: where a task reads its own counts; NULL: no page is mapped
 *
 * The PMI, which may be an NMI, changes @prev, @total and @left; if the event is sampled, also
 * @period, @segment, @carry and @adapted, and the objects at @sampling and @page.
 */
struct knc_count {
	u64 evtsel;
	unsigned int counter;
	u32 read_index;
	bool obeys;
	u16 index;
	u64 prev;
	u64 total;
	u64 base;
	u64 shown;
	s64 left;
	struct knc_sampling *sampling;
	u64 period;
	u64 segment;
	u64 carry;
	u64 adapted;
	u64 ran;
	struct knc_pmu_page *page;
};

/* lost.c: the counter is below its load; returns the events since the last load or update */
u64 knc_count_below(struct knc_count *count, u64 now);

/* The value of its counter. @read_index saves looking it up in the descriptor of the PMU. */
static __always_inline u64 knc_count_read(const struct knc_count *count)
{
	if (pmu_has_one_bank())
		return knc_hw_read_counter(count->counter);
	return knc_hw_ops->read_pmc(count->read_index);
}

/* Events since the last load or update */
static inline u64 knc_count_gained(const struct knc_count *count)
{
	u64 now = knc_count_read(count);

	return (now - count->prev) & pmu_counter_mask(count->counter);
}

/* Events since the last load or update; @now: the counter's value, just read */
static inline u64 knc_count_since(struct knc_count *count, u64 now)
{
	u64 gained = now - count->prev;

	/* true if @now is below @prev: testing the difference saves a comparison */
	if (unlikely(gained > now))
		return knc_count_below(count, now);
	return gained;
}

/**
 * knc_count_update() - bring a count up to date
 * @count: a count whose counter is stopped
 */
static inline void knc_count_update(struct knc_count *count)
{
	u64 now = knc_count_read(count);
	u64 gained = knc_count_since(count, now);

	/* write nothing if nothing was counted: another CPU may run RESET */
	if (!gained)
		return;
	count->prev = now;
	count->total += gained;
	count->left -= gained;
}

/* RESET; the count is up to date */
static inline void knc_count_restart(struct knc_count *count)
{
	count->base += count->total;
	count->total = 0;
	count->shown = 0;
}

/* The counter is loaded with -@left: set the offset that the task adds to what RDPMC returns. */
static inline void knc_count_publish(const struct knc_count *count)
{
	struct knc_pmu_page *page = count->page;

	page->offset[count->index] = count->total + count->left;
	page->seq += 2;
}

/**
 * knc_count_load_sampled() - load a counter to overflow when a sample is due
 * @count: the count, up to date; it is sampled
 * @left: events to the sample; 0 or less: overdue, taken with the next event
 */
static inline void knc_count_load_sampled(struct knc_count *count, s64 left)
{
	u64 max = pmu_max_load(count->counter);
	u64 next = left;

	/* one unsigned test finds @left <= 0 and @left > max */
	if (unlikely(next - 1 >= max))
		next = left > 0 ? max : 1;
	count->left = left;
	count->prev = -next & pmu_counter_mask(count->counter);
	knc_hw_write_counter(count->counter, count->prev);
}

/**
 * knc_count_load() - load a counter to overflow after @left events
 * @count: the count, up to date
 * @left: events to the overflow
 *
 * If the event is not sampled, the load does not change the counter modulo its
 * largest load: differences that a program reads by RDPMC remain right.
 */
static inline void knc_count_load(struct knc_count *count, s64 left)
{
	s64 max = pmu_max_load(count->counter);

	if (unlikely(count->sampling)) {
		knc_count_load_sampled(count, left);
		return;
	}
	/* the overflow is -@left events late: subtract these from the next load */
	if (unlikely(left <= 0))
		left = max - (-left & (max - 1));
	count->left = left;
	count->prev = -left & pmu_counter_mask(count->counter);
	if (unlikely(count->page))
		knc_count_publish(count);
	knc_hw_write_counter(count->counter, count->prev);
}

#endif /* KNC_PMU_COUNT_H */
