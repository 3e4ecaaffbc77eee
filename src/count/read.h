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

u64 knc_claim_values(const struct knc_hwthread *hw,
		     struct knc_claim *claim, u64 *values);
void knc_claim_read(const struct knc_hwthread *hw,
		    struct knc_claim *claim,
		    struct knc_pmu_thread *record);
void knc_claim_read_set(const struct knc_hwthread *hw,
			struct knc_claim *claim,
			struct knc_pmu_thread *record);
void knc_claim_read_times(const struct knc_hwthread *hw,
			  const struct knc_claim *claim, u64 now,
			  struct knc_pmu_thread *record);
void knc_claim_reset(struct knc_hwthread *hw, struct knc_claim *claim,
		     u64 now);
void knc_read_update_turns(const struct knc_hwthread *hw);

/* Access @flags and @nr_events of a record together, as knc_records_put_one() does. */
static __always_inline u32 *knc_read_record_flags(struct knc_pmu_thread *record)
{
	return (u32 *)&record->flags;
}

static __always_inline void knc_claim_tell(const struct knc_claim *claim,
					   struct knc_pmu_thread *record)
{
	*knc_read_record_flags(record) = *(const u32 *)&claim->flags;
}

/* The count of an event; @now: its counter's value, just read */
static __always_inline u64 knc_count_at(struct knc_count *count, u64 now)
{
	u64 gained = knc_count_since(count, now);

	/* read @total after the call, which may update it */
	count->shown = count->total + gained;
	return count->shown;
}

/*
 * Read the counts without stopping a counter or updating a count. If a PMI came meanwhile, repeat.
 * The counters are read as close together as possible.
 *
 * The first counter is read outside of the loops: for the two counters of a card the compiler then
 * makes no loop, and keeps the values in registers. @gone is what each event counted elsewhere. It
 * is added if the constant @adds says so: testing @gone would take a test for each event.
 */
static __always_inline u64 knc_read_counts(const struct knc_hwthread *hw,
					   struct knc_claim *claim, u64 *values,
					   const u64 *gone, bool adds)
{
	unsigned int i, nr = claim->nr;
	u64 now[PMU_MAX_COUNTERS];
	u64 pmis, tsc;

	do {
		pmis = READ_ONCE(hw->stats.pmis);
		barrier(); /* pairs with knc_pmi() on this CPU */
		now[0] = knc_count_read(&claim->count[0]);
		for_each_more(i, nr)
			now[i] = knc_count_read(&claim->count[i]);
		tsc = knc_hw_read_tsc();
		values[0] = knc_count_at(&claim->count[0], now[0]) + (adds ? gone[0] : 0);
		for_each_more(i, nr)
			values[i] = knc_count_at(&claim->count[i], now[i]) + (adds ? gone[i] : 0);
		barrier(); /* pairs with knc_pmi() on this CPU */
	} while (unlikely(READ_ONCE(hw->stats.pmis) != pmis));
	return tsc;
}

/* knc_claim_read() on its hardware thread, which is online; @gone: see knc_read_counts() */
static __always_inline void knc_claim_read_online(const struct knc_hwthread *hw,
						  struct knc_claim *claim,
						  struct knc_pmu_thread *record,
						  const u64 *gone, bool adds)
{
	record->tsc = knc_read_counts(hw, claim, record->value, gone, adds);
	record->cpu = claim->cpu;
	knc_claim_tell(claim, record);
}

#endif /* KNC_PMU_READ_H */
