// SPDX-License-Identifier: GPL-2.0
/*
 * Claims on a hardware thread, online or offline: attach, start, stop, detach
 */
#include <linux/kernel.h>

#include "compat/compat.h"
#include "count/attach.h"
#include "count/clock.h"
#include "count/program.h"
#include "count/registers.h"
#include "pmu/hw.h"

/**
 * knc_claim_set_owner() - give a claim its counters, or free the counters
 * @hw: the hardware thread
 * @claim: the claim
 * @new: @claim, or NULL to free the counters
 *
 * Any CPU may call this: a claim's counts are not used before it is attached.
 */
void knc_claim_set_owner(struct knc_hwthread *hw, const struct knc_claim *claim,
			 struct knc_claim *new)
{
	unsigned int n;

	for_each_counter(n)
		if (claim->owned & pmu_bit(n))
			hw->claim[n] = new;
}

/**
 * knc_claim_attach() - program a claim's counters, stopped
 * @hw: an online hardware thread
 * @claim: a claim that owns its counters
 *
 * The first claim saves the registers.
 */
void knc_claim_attach(struct knc_hwthread *hw, struct knc_claim *claim)
{
	if (!hw->taken) {
		knc_registers_save(hw);
		hw->saved_is_reset = false;
	}
	knc_claim_program(hw, claim);
}

/**
 * knc_claim_detach() - take a claim off its counters and free them
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 *
 * The last claim restores the registers.
 */
void knc_claim_detach(struct knc_hwthread *hw, struct knc_claim *claim)
{
	knc_claim_set_owner(hw, claim, NULL);
	claim->started = false;
	if (!hw->online)
		return;
	knc_claim_unprogram(hw, claim);
	if (hw->for_tasks)
		knc_registers_wipe(hw);
	else if (!hw->attached && !hw->lent)
		knc_registers_restore(hw);
}

/**
 * knc_claim_start() - start a claim's counters
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim; if it is started, nothing changes
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_claim_start(struct knc_hwthread *hw, struct knc_claim *claim,
		     u64 now)
{
	if (claim->started)
		return;
	claim->started = true;
	claim->since = now;
	claim->offline_since = now;
	hw->stale |= claim->cntrs;
	if (hw->online)
		knc_claim_run(hw, claim);
	else
		claim->flags |= KNC_PMU_THREAD_GAP;
}

/**
 * knc_claim_stop() - stop a claim's counters
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim; if it is stopped, nothing changes
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_claim_stop(struct knc_hwthread *hw, struct knc_claim *claim,
		    u64 now)
{
	if (!claim->started)
		return;
	if (hw->online)
		knc_claim_halt(hw, claim);
	else
		claim->offline_time += knc_clock_elapsed(now, claim->offline_since);
	claim->started = false;
	claim->enabled += knc_clock_elapsed(now, claim->since);
}

/**
 * knc_attach_online() - the hardware thread came online
 * @hw: the hardware thread
 * @now: CLOCK_MONOTONIC, ns
 *
 * Programs the counters of its claims, and starts those that were started.
 */
void knc_attach_online(struct knc_hwthread *hw, u64 now)
{
	struct knc_claim *claim;
	unsigned int n;

	hw->online = true;
	hw->late_until = 0;
	if (!knc_hwthread_claimed(hw) && !hw->for_tasks && !hw->lent)
		return;
	knc_registers_save(hw);
	if (hw->for_tasks)
		knc_registers_wipe(hw);
	if (hw->saved_is_reset)
		knc_registers_restore_reset_values(hw);
	for_each_counter(n) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_claim_program(hw, claim);
		if (!claim->started)
			continue;
		claim->offline_time += knc_clock_elapsed(now, claim->offline_since);
		knc_claim_run(hw, claim);
	}
}

/**
 * knc_attach_offline() - the hardware thread is about to go offline
 * @hw: the hardware thread
 * @now: CLOCK_MONOTONIC, ns
 *
 * Takes all claims off; they keep their counts. Restores the registers.
 */
void knc_attach_offline(struct knc_hwthread *hw, u64 now)
{
	struct knc_claim *claim;
	unsigned int n;

	for_each_counter(n) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_claim_unprogram(hw, claim);
		if (claim->started)
			claim->flags |= KNC_PMU_THREAD_GAP;
		claim->offline_since = now;
	}
	if (hw->taken)
		knc_registers_restore(hw);
	hw->online = false;
}
