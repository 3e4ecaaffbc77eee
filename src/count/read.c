// SPDX-License-Identifier: GPL-2.0
/*
 * Counts and times of one hardware thread: READ and RESET
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "count/read.h"
#include "count/set.h"
#include "pmu/hw.h"

/**
 * knc_claim_values() - counts of an online hardware thread since CONFIG
 * @hw: the hardware thread
 * @claim: the claim
 * @values: the count of each event of the present group, not affected by RESET,
 *	out
 *
 * Return: the time stamp of the reading.
 */
u64 knc_claim_values(const struct knc_hwthread *hw,
		     struct knc_claim *claim, u64 *values)
{
	u64 tsc = knc_read_counts(hw, claim, values, NULL, false);
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		values[i] += claim->count[i].base;
	return tsc;
}

/* Counts of an offline hardware thread: unchanged since it went offline */
static void knc_read_offline(const struct knc_claim *claim, u64 *values)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		values[i] = claim->count[i].total;
}

static void knc_count_reset(struct knc_hwthread *hw, struct knc_count *count)
{
	if (hw->online) {
		knc_count_edit_begin(hw, count);
		knc_count_update(count);
	}
	knc_count_restart(count);
	if (hw->online)
		knc_count_edit_end(hw, count);
}

/**
 * knc_claim_reset() - set counts and times to 0
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @now: CLOCK_MONOTONIC, ns
 *
 * Samples are not affected.
 */
void knc_claim_reset(struct knc_hwthread *hw, struct knc_claim *claim,
		     u64 now)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		knc_count_reset(hw, &claim->count[i]);
	if (claim->set)
		knc_set_reset(claim);
	claim->flags = 0;
	if (claim->started && !hw->online)
		claim->flags = KNC_PMU_THREAD_GAP;
	claim->since = now;
	claim->enabled = 0;
	claim->offline_since = now;
	claim->offline_time = 0;
}

/**
 * knc_claim_read() - read the counts of one hardware thread
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @record: the record without its times, out
 */
void knc_claim_read(const struct knc_hwthread *hw,
		    struct knc_claim *claim,
		    struct knc_pmu_thread *record)
{
	if (likely(hw->online)) {
		knc_claim_read_online(hw, claim, record, NULL, false);
		return;
	}
	record->cpu = claim->cpu;
	record->flags = claim->flags | KNC_PMU_THREAD_OFFLINE;
	record->nr_events = claim->nr_events;
	record->tsc = 0;
	knc_read_offline(claim, record->value);
}

/* The TSC's rate was measured: convert times of turns up to now with this rate. */
void knc_read_update_turns(const struct knc_hwthread *hw)
{
	u64 tsc = knc_hw_read_tsc();
	struct knc_claim *claim;
	unsigned int n;

	for_each_counter(n) {
		claim = knc_claim_at(hw, n);
		if (claim && claim->set)
			knc_set_update(claim->set, tsc);
	}
}

/**
 * knc_claim_read_set() - read the counts of all groups of a hardware thread
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: a claim with several groups
 * @record: the record without its times, KNC_PMU_SET_SIZE bytes, out
 */
void knc_claim_read_set(const struct knc_hwthread *hw,
			struct knc_claim *claim,
			struct knc_pmu_thread *record)
{
	unsigned int i, nr = claim->set->groups->nr_events;
	struct knc_pmu_thread present;
	u64 *values = record->value;
	u64 *running = values + nr;

	knc_claim_read(hw, claim, &present);
	memcpy(record, &present, KNC_PMU_THREAD_SIZE(0));
	record->nr_events = nr;
	knc_set_read(claim, present.value, present.tsc, values, running);
	for (i = 0; i < nr; i++)
		running[i] = knc_clock_ticks_to_ns(running[i]);
}

/**
 * knc_claim_read_times() - read the times of one hardware thread
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @now: CLOCK_MONOTONIC, ns
 * @record: the record whose times are set
 */
void knc_claim_read_times(const struct knc_hwthread *hw,
			  const struct knc_claim *claim, u64 now,
			  struct knc_pmu_thread *record)
{
	u64 enabled = claim->enabled;
	u64 offline = claim->offline_time;

	if (claim->started)
		enabled += knc_clock_elapsed(now, claim->since);
	if (claim->started && !hw->online)
		offline += knc_clock_elapsed(now, claim->offline_since);
	record->time = now;
	record->time_enabled = enabled;
	record->time_running = knc_clock_elapsed(enabled, offline);
}
