// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of one hardware thread: program, start, stop, read, reset, and 40 to
 * 64 bits
 *
 * A counter is never written while it counts. It starts at 0 and runs freely;
 * folding adds what it gained since the last time, modulo 2^40, to a 64-bit
 * total. That is exact as long as less than 2^40 happen between two foldings,
 * which knc_hwthread_fold_cycles() bounds and session.c's timer keeps.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "hw.h"
#include "hwthread.h"

static u64 knc_counter_mask(void)
{
	return (1ULL << knc_hw_model.width) - 1;
}

/**
 * knc_hwthread_fold_cycles() - how long may a counter run unfolded?
 *
 * Return: core clock cycles in which no event can wrap a counter.
 */
u64 knc_hwthread_fold_cycles(void)
{
	return knc_counter_mask() / knc_hw_model.max_per_cycle;
}

/* The claim met first at counter n, or NULL: a claim on both is met once. */
static struct knc_claim *knc_claim_at(const struct knc_hwthread *hw,
				      unsigned int n)
{
	if (n && hw->claim[n] == hw->claim[0])
		return NULL;
	return hw->claim[n];
}

static void knc_fold(struct knc_count *count)
{
	u64 now = knc_hw_read_counter(count->counter);

	count->total += (now - count->prev) & knc_counter_mask();
	count->prev = now;
}

static void knc_claim_fold(struct knc_claim *claim, u64 tsc)
{
	unsigned int i;

	if (tsc - claim->folded_tsc > knc_hwthread_fold_cycles())
		claim->unsure = true;
	claim->folded_tsc = tsc;
	for (i = 0; i < claim->nr; i++)
		knc_fold(&claim->count[i]);
}

/* Bring the counts of all running claims up to date; for the timer. */
void knc_hwthread_fold(struct knc_hwthread *hw)
{
	u64 tsc = knc_hw_read_tsc();
	struct knc_claim *claim;
	unsigned int n;

	if (!hw->online)
		return;
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (claim && claim->started)
			knc_claim_fold(claim, tsc);
	}
}

static void knc_save(struct knc_hwthread *hw)
{
	unsigned int n;

	hw->saved.global_ctrl = knc_hw_read_global_ctrl();
	knc_hw_write_global_ctrl(0);
	hw->global_ctrl = 0;
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		hw->saved.perfevtsel[n] = knc_hw_read_evtsel(n);
		hw->saved.perfcntr[n] = knc_hw_read_counter(n);
		knc_hw_write_evtsel(n, 0);
	}
	hw->saved.spflt_control = knc_hw_read_spflt();
	knc_hw_write_spflt(0);
}

/* The mirror image of knc_save(); GLOBAL_CTRL last, so that nothing counts. */
static void knc_restore(struct knc_hwthread *hw)
{
	unsigned int n;

	knc_hw_write_global_ctrl(0);
	knc_hw_write_spflt(hw->saved.spflt_control);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		knc_hw_write_counter(n, hw->saved.perfcntr[n]);
		knc_hw_write_evtsel(n, hw->saved.perfevtsel[n]);
	}
	knc_hw_write_global_ctrl(hw->saved.global_ctrl);
}

static void knc_program(struct knc_claim *claim)
{
	u64 spflt;
	unsigned int i;

	for (i = 0; i < claim->nr; i++) {
		knc_hw_write_counter(claim->count[i].counter, 0);
		knc_hw_write_evtsel(claim->count[i].counter,
				    claim->count[i].evtsel);
		claim->count[i].prev = 0;
	}
	if (!claim->spflt)
		return;
	spflt = knc_hw_read_spflt() & ~KNC_SPFLT_USER_PREF;
	if (claim->user_pref)
		spflt |= KNC_SPFLT_USER_PREF;
	knc_hw_write_spflt(spflt | claim->spflt);
}

/* Leave nothing on the claim's counters: the next owner finds them at 0. */
static void knc_unprogram(struct knc_hwthread *hw, struct knc_claim *claim)
{
	unsigned int i;

	hw->global_ctrl &= ~(u64)claim->cntrs;
	knc_hw_write_global_ctrl(hw->global_ctrl);
	for (i = 0; i < claim->nr; i++)
		knc_hw_write_evtsel(claim->count[i].counter, 0);
	if (claim->spflt)
		knc_hw_write_spflt(knc_hw_read_spflt() & ~(u64)claim->spflt);
	/* a sticky overflow bit of ours must not surprise who comes next */
	knc_hw_clear_global_status(claim->cntrs);
}

static void knc_run(struct knc_hwthread *hw, struct knc_claim *claim)
{
	claim->folded_tsc = knc_hw_read_tsc();
	hw->global_ctrl |= claim->cntrs;
	knc_hw_write_global_ctrl(hw->global_ctrl);
}

/**
 * knc_hwthread_own() - write down who has a claim's counters
 * @hw: the hardware thread
 * @claim: the claim
 * @owner: @claim, or NULL for nobody
 *
 * Any CPU may call this: what has no started claim is not looked at.
 */
void knc_hwthread_own(struct knc_hwthread *hw, const struct knc_claim *claim,
		      struct knc_claim *owner)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		hw->claim[claim->count[i].counter] = owner;
}

/**
 * knc_hwthread_attach() - program a claim's counters; they are stopped
 * @hw: an online hardware thread
 * @claim: a claim that owns its counters
 *
 * The first one saves what the registers held.
 */
void knc_hwthread_attach(struct knc_hwthread *hw, struct knc_claim *claim)
{
	if (!hw->attached)
		knc_save(hw);
	hw->attached |= claim->cntrs;
	knc_program(claim);
}

/**
 * knc_hwthread_detach() - take a claim's counters back
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 *
 * With the last one the registers hold again what they held before the first.
 */
void knc_hwthread_detach(struct knc_hwthread *hw, struct knc_claim *claim)
{
	knc_hwthread_own(hw, claim, NULL);
	claim->started = false;
	hw->attached &= ~claim->cntrs;
	if (!hw->online)
		return;
	knc_unprogram(hw, claim);
	if (!hw->attached)
		knc_restore(hw);
}

/**
 * knc_hwthread_start() - begin to count
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: a stopped claim
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_hwthread_start(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now)
{
	claim->started = true;
	if (hw->online)
		knc_run(hw, claim);
	else
		claim->offline_since = now;
}

/**
 * knc_hwthread_stop() - cease to count
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: a started claim
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_hwthread_stop(struct knc_hwthread *hw, struct knc_claim *claim,
		       u64 now)
{
	if (hw->online) {
		hw->global_ctrl &= ~(u64)claim->cntrs;
		knc_hw_write_global_ctrl(hw->global_ctrl);
		knc_claim_fold(claim, knc_hw_read_tsc());
	} else {
		claim->offline_time += now - claim->offline_since;
	}
	claim->started = false;
}

/**
 * knc_hwthread_reset() - counts and times to 0
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_hwthread_reset(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now)
{
	unsigned int i;

	if (hw->online)
		knc_claim_fold(claim, knc_hw_read_tsc());
	for (i = 0; i < claim->nr; i++)
		claim->count[i].total = 0;
	claim->unsure = false;
	claim->went_offline = !hw->online;
	claim->offline_since = now;
	claim->offline_time = 0;
}

static u64 knc_claim_offline_time(const struct knc_hwthread *hw,
				  const struct knc_claim *claim, u64 now)
{
	if (hw->online || !claim->started)
		return claim->offline_time;
	return claim->offline_time + now - claim->offline_since;
}

/**
 * knc_hwthread_read() - one hardware thread's record for READ
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @now: CLOCK_MONOTONIC, ns
 * @enabled: how long the claim has been started until @now, ns
 * @record: where to put it
 */
void knc_hwthread_read(struct knc_hwthread *hw, struct knc_claim *claim,
		       u64 now, u64 enabled, struct knc_pmu_thread *record)
{
	unsigned int i;

	record->cpu = claim->cpu;
	record->time = now;
	record->time_enabled = enabled;
	record->time_running = enabled - knc_claim_offline_time(hw, claim, now);
	record->tsc = 0;
	if (hw->online) {
		record->tsc = knc_hw_read_tsc();
		if (claim->started)
			knc_claim_fold(claim, record->tsc);
	}
	for (i = 0; i < claim->nr; i++)
		record->value[i] = claim->count[i].total;
	record->flags = (hw->online ? 0 : KNC_PMU_THREAD_OFFLINE) |
			(claim->went_offline ? KNC_PMU_THREAD_GAP : 0) |
			(claim->unsure ? KNC_PMU_THREAD_UNSURE : 0);
}

/* Put back reset values (327357 1.4.4) instead of what was found. */
void knc_hwthread_forget(struct knc_hwthread *hw)
{
	memset(&hw->saved, 0, sizeof(hw->saved));
}

/**
 * knc_hwthread_online() - the hardware thread came (back) online
 * @hw: the hardware thread
 * @now: CLOCK_MONOTONIC, ns
 *
 * Its claims find their counters again, and count if they were started.
 */
void knc_hwthread_online(struct knc_hwthread *hw, u64 now)
{
	struct knc_claim *claim;
	unsigned int n;

	hw->online = true;
	if (!hw->attached)
		return;
	knc_save(hw);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_program(claim);
		if (!claim->started)
			continue;
		claim->offline_time += now - claim->offline_since;
		knc_run(hw, claim);
	}
}

/**
 * knc_hwthread_offline() - the hardware thread is about to go
 * @hw: the hardware thread
 * @now: CLOCK_MONOTONIC, ns
 *
 * Its claims keep what they counted; its registers get back what they held.
 */
void knc_hwthread_offline(struct knc_hwthread *hw, u64 now)
{
	struct knc_claim *claim;
	unsigned int n;

	knc_hwthread_fold(hw);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_unprogram(hw, claim);
		claim->went_offline = true;
		claim->offline_since = now;
	}
	if (hw->attached)
		knc_restore(hw);
	hw->online = false;
}

/* A snapshot of the executing hardware thread's registers; changes nothing. */
void knc_hwthread_regs(struct knc_pmu_regs *regs)
{
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		regs->perfcntr[n] = knc_hw_read_counter(n);
		regs->perfevtsel[n] = knc_hw_read_evtsel(n);
	}
	regs->spflt_control = knc_hw_read_spflt();
	regs->global_status = knc_hw_read_global_status();
	regs->global_ctrl = knc_hw_read_global_ctrl();
	regs->tsc = knc_hw_read_tsc();
	regs->cr4 = knc_hw_read_cr4();
	regs->lvtpc = knc_hw_read_lvtpc();
}
