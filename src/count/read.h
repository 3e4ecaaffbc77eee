/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading counts and times of a hardware thread; inline for READ on the executing one
 */
#ifndef KNC_PMU_READ_H
#define KNC_PMU_READ_H

#include <linux/compiler.h>

#include <knc_pmu.h>

#include "compat/compat.h"
#include "count/count.h"
#include "count/hwthread.h"
#include "pmu/hw.h"

u64 knc_hwthread_values(const struct knc_hwthread *hw,
			struct knc_claim *claim, u64 *values);
void knc_hwthread_read(const struct knc_hwthread *hw,
		       struct knc_claim *claim,
		       struct knc_pmu_thread *record);
void knc_hwthread_read_set(const struct knc_hwthread *hw,
			   struct knc_claim *claim,
			   struct knc_pmu_thread *record);
void knc_hwthread_read_times(const struct knc_hwthread *hw,
			     const struct knc_claim *claim, u64 now,
			     struct knc_pmu_thread *record);
void knc_hwthread_reset(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now);
void knc_hwthread_update_turns(const struct knc_hwthread *hw);
u64 knc_ticks_to_ns(u64 ticks);

/* The count of an event; @now: its counter's value, just read */
static __always_inline u64 knc_count_at(struct knc_count *count, u64 now)
{
	u64 gained = knc_count_since(count, now);

	/* read @total after the call, which may update it */
	count->shown = count->total + gained;
	return count->shown;
}

/*
 * Read without stopping or updating: if a PMI came meanwhile, repeat. The counters are read as
 * close together as possible. The first one is not in the loops: with the two counters of a card
 * the compiler then needs no loop, and keeps the values in registers.
 */
static __always_inline u64 knc_read_counts(const struct knc_hwthread *hw,
					   struct knc_claim *claim, u64 *values)
{
	u64 now[PMU_MAX_COUNTERS];
	unsigned int i;
	u64 pmis, tsc;

	do {
		pmis = READ_ONCE(hw->stats.pmis);
		barrier(); /* with knc_pmi(), on the same CPU */
		now[0] = knc_hw_read_counter(claim->count[0].counter);
		for (i = 1; i < PMU_MAX_COUNTERS && i < claim->nr; i++)
			now[i] = knc_hw_read_counter(claim->count[i].counter);
		tsc = knc_hw_read_tsc();
		values[0] = knc_count_at(&claim->count[0], now[0]);
		for (i = 1; i < PMU_MAX_COUNTERS && i < claim->nr; i++)
			values[i] = knc_count_at(&claim->count[i], now[i]);
		barrier(); /* with knc_pmi(), on the same CPU */
	} while (unlikely(READ_ONCE(hw->stats.pmis) != pmis));
	return tsc;
}

/* knc_hwthread_read() on its hardware thread, which is online */
static inline void knc_hwthread_read_online(const struct knc_hwthread *hw,
					    struct knc_claim *claim,
					    struct knc_pmu_thread *record)
{
	u16 flags, nr;

	record->tsc = knc_read_counts(hw, claim, record->value);
	/* read both before the writes: the compiler merges each two accesses into one */
	flags = claim->flags;
	nr = claim->nr_events;
	record->cpu = claim->cpu;
	record->flags = flags;
	record->nr_events = nr;
}

#endif /* KNC_PMU_READ_H */
