// SPDX-License-Identifier: GPL-2.0
/*
 * Lost registers: find them, write them again, and flag the loss in the claims
 *
 * After firmware or power management has switched a core off, or reset it, all registers of its PMU
 * are 0, and its local APIC masks the LVT entry (327357 1.4.4). The module is not notified.
 *
 * A counter is loaded in the upper half of its range. If it is below its load, it has overflowed or
 * is lost: the reader calls knc_count_below(). After a loss the count is the one last updated or
 * read: it never goes back. refresh.c finds all other losses.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/lost.h"
#include "count/set.h"
#include "pmu/hw.h"

bool knc_any_lost;

/* Do the registers hold what was written? */
static bool knc_is_intact(const struct knc_hwthread *hw)
{
	unsigned int n;

	for_each_counter(n)
		if (knc_hw_read_evtsel(n) != hw->evtsel[n])
			return false;
	return knc_hw_read_global_ctrl() == hw->running;
}

/*
 * When the claim's counts were last updated or read. The time since then is lost; earlier time is
 * not, because READ has already reported it as running.
 */
static u64 knc_known_until(const struct knc_hwthread *hw, const struct knc_claim *claim)
{
	u64 known = max(hw->refreshed, claim->since);

	return claim->record ? max(known, READ_ONCE(claim->record->time)) : known;
}

/* Flag the loss on the claim of counter @n, unless it stopped before the last refresh */
static void knc_lost_flag(struct knc_hwthread *hw, unsigned int n, u64 now)
{
	struct knc_claim *claim = knc_claim_on(hw, n);

	if (!claim || pmu_lowest(claim->cntrs) != n)
		return;
	if (knc_hwthread_has_task(hw, n)) {
		claim->flags |= KNC_PMU_THREAD_PARTIAL;
	} else if (claim->cntrs & (hw->started | hw->stale)) {
		claim->flags |= KNC_PMU_THREAD_GAP;
		if (claim->started)
			claim->offline_time += knc_clock_elapsed(now, knc_known_until(hw, claim));
	}
	if (claim->set && claim->set->since)
		claim->set->since = knc_hw_read_tsc();
	if (claim->gated)
		knc_claim_program_gate(claim);
}

/* The counter is lost: continue from the last known count, and program the counter again. */
static void knc_count_reload(struct knc_hwthread *hw, struct knc_count *count)
{
	u64 known = count->shown > count->total ? count->shown - count->total : 0;

	count->total += known;
	count->left -= known;
	count->prev = (count->prev + known) & pmu_counter_mask(count->counter);
	knc_hw_write_counter(count->counter, count->prev);
	knc_hwthread_select(hw, count->counter, count->evtsel);
}

/*
 * Write the lost registers again. First stop all counters, because a reset may have enabled them in
 * the global control. Also called in the PMI, which may be an NMI, by knc_count_below().
 */
static void knc_mend(struct knc_hwthread *hw)
{
	u64 now = knc_compat_nmi_ns() ?: hw->refreshed;
	unsigned int n;

	WRITE_ONCE(knc_any_lost, true);
	/* claims that were kept in the registers are lost too */
	hw->changes++;
	knc_hw_write_global_ctrl(0);
	for_each_counter(n) {
		if (hw->attached & pmu_bit(n))
			knc_count_reload(hw, hw->count[n]);
		else if (knc_hw_read_evtsel(n) != hw->evtsel[n])
			knc_hwthread_select(hw, n, 0);
		knc_lost_flag(hw, n, now);
	}
	hw->refreshed = now;
	knc_hw_write_lvtpc(hw->lvtpc);
	knc_hw_write_global_ctrl(hw->running);
}

/**
 * knc_count_below() - a counter is below its load: has it overflowed, or is it lost?
 * @count: its count
 * @now: the value that was read, on this hardware thread
 *
 * A lost counter is loaded again, and its count updated.
 *
 * Return: events since the last load or update.
 */
u64 knc_count_below(struct knc_count *count, u64 now)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	u64 again = knc_count_read(count);

	/* the repair of another counter has reloaded this one since @now was read */
	if (again >= count->prev)
		return again - count->prev;
	/* not knc_is_intact(), which is always false in the PMI: it has stopped all counters */
	if (likely(knc_hw_read_evtsel(count->counter) == count->evtsel))
		return (now - count->prev) & pmu_counter_mask(count->counter);
	knc_mend(hw);
	/* knc_mend() reloads attached counters only: this one is being taken off */
	if (!(hw->attached & pmu_bit(count->counter)))
		knc_count_reload(hw, count);
	return 0;
}

/**
 * knc_lost_mend() - write the registers again if they are lost
 * @hw: the hardware thread, whose registers are ours
 */
void knc_lost_mend(struct knc_hwthread *hw)
{
	if (unlikely(!knc_is_intact(hw)))
		knc_mend(hw);
}
