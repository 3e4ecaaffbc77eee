// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of one hardware thread: program, start, stop, read, reset, and 40 to
 * 64 bits
 *
 * A counter is never written while it counts. It starts at 0 and runs freely;
 * folding adds what it gained since the last time, modulo 2^40, to a 64-bit
 * total. That is exact as long as less than 2^40 happen between two foldings:
 * session.c's timer folds well within knc_hw_model.wrap_cycles, and a count for
 * which it came too late is marked.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "hw.h"
#include "hwthread.h"

/* The claim met first at counter n, or NULL: a claim on both is met once. */
static struct knc_claim *knc_claim_at(const struct knc_hwthread *hw,
				      unsigned int n)
{
	if (n && hw->claim[n] == hw->claim[0])
		return NULL;
	return hw->claim[n];
}

/* What an event has counted if its counter stands at @now */
static u64 knc_count_at(const struct knc_count *count, u64 now)
{
	return count->total + ((now - count->prev) & knc_hw_model.counter_mask);
}

/*
 * Unfolded for longer than the fastest event takes to wrap a counter? Claims
 * are folded stopped or started: START and STOP need not look at the time.
 */
static void knc_claim_check(struct knc_claim *claim, u64 tsc)
{
	if (unlikely(tsc > claim->sure_until))
		claim->flags |= KNC_PMU_THREAD_UNSURE;
}

static void knc_claim_fold(struct knc_claim *claim)
{
	u64 now[KNC_NR_COUNTERS];
	u64 tsc = knc_hw_read_all(now);
	unsigned int i;

	knc_claim_check(claim, tsc);
	claim->sure_until = tsc + knc_hw_model.wrap_cycles;
	for (i = 0; i < claim->nr; i++) {
		struct knc_count *count = &claim->count[i];

		count->total = knc_count_at(count, now[count->counter]);
		count->prev = now[count->counter];
	}
}

/* Bring the counts of all claims up to date; for the timer. */
void knc_hwthread_fold(struct knc_hwthread *hw)
{
	struct knc_claim *claim;
	unsigned int n;

	if (!hw->online)
		return;
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		/* owned but not yet programmed: nothing of its own there */
		if (claim && hw->attached & claim->cntrs)
			knc_claim_fold(claim);
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

	claim->sure_until = knc_hw_read_tsc() + knc_hw_model.wrap_cycles;
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

static void knc_run(struct knc_hwthread *hw, const struct knc_claim *claim)
{
	hw->global_ctrl |= claim->cntrs;
	knc_hw_write_global_ctrl(hw->global_ctrl);
}

static void knc_halt(struct knc_hwthread *hw, const struct knc_claim *claim)
{
	hw->global_ctrl &= ~(u64)claim->cntrs;
	knc_hw_write_global_ctrl(hw->global_ctrl);
}

/* Stop and free the claim's counters; knc_program() zeroes what they hold. */
static void knc_unprogram(struct knc_hwthread *hw, struct knc_claim *claim)
{
	unsigned int i;

	knc_halt(hw, claim);
	for (i = 0; i < claim->nr; i++)
		knc_hw_write_evtsel(claim->count[i].counter, 0);
	if (claim->spflt)
		knc_hw_write_spflt(knc_hw_read_spflt() & ~(u64)claim->spflt);
	/* a sticky overflow bit of ours must not surprise who comes next */
	knc_hw_clear_global_status(claim->cntrs);
}

/**
 * knc_hwthread_own() - write down who has a claim's counters
 * @hw: the hardware thread
 * @claim: the claim
 * @owner: @claim, or NULL for nobody
 *
 * Any CPU may call this: until it is attached nobody looks at its counts.
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
	if (!hw->attached) {
		knc_save(hw);
		hw->forgotten = false;
	}
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

/*
 * Who asks without the session's lock may have looked at the clock before
 * another who is served first: that makes no time negative.
 */
static u64 knc_elapsed(u64 now, u64 since)
{
	return now > since ? now - since : 0;
}

/**
 * knc_hwthread_start() - begin to count
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim; if it is started, nothing changes
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_hwthread_start(struct knc_hwthread *hw, struct knc_claim *claim,
			u64 now)
{
	if (claim->started)
		return;
	claim->started = true;
	claim->since = now;
	claim->offline_since = now;
	if (hw->online)
		knc_run(hw, claim);
	else
		claim->flags |= KNC_PMU_THREAD_GAP;
}

/**
 * knc_hwthread_stop() - cease to count
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim; if it is stopped, nothing changes
 * @now: CLOCK_MONOTONIC, ns
 */
void knc_hwthread_stop(struct knc_hwthread *hw, struct knc_claim *claim,
		       u64 now)
{
	if (!claim->started)
		return;
	if (hw->online)
		knc_halt(hw, claim);
	else
		claim->offline_time += knc_elapsed(now, claim->offline_since);
	claim->started = false;
	claim->enabled += knc_elapsed(now, claim->since);
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
		knc_claim_fold(claim);
	for (i = 0; i < claim->nr; i++)
		claim->count[i].total = 0;
	claim->flags = 0;
	if (claim->started && !hw->online)
		claim->flags = KNC_PMU_THREAD_GAP;
	claim->since = now;
	claim->enabled = 0;
	claim->offline_since = now;
	claim->offline_time = 0;
}

/* What was counted until the hardware thread went */
static void knc_read_offline(const struct knc_claim *claim,
			     struct knc_pmu_thread *record)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		record->value[i] = claim->count[i].total;
	record->flags = claim->flags | KNC_PMU_THREAD_OFFLINE;
	record->tsc = 0;
}

/**
 * knc_hwthread_read() - the counts of one hardware thread
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @record: where to put all but the times
 */
void knc_hwthread_read(const struct knc_hwthread *hw, struct knc_claim *claim,
		       struct knc_pmu_thread *record)
{
	u64 now[KNC_NR_COUNTERS];
	unsigned int i = 0;

	record->cpu = claim->cpu;
	if (unlikely(!hw->online)) {
		knc_read_offline(claim, record);
		return;
	}
	record->tsc = knc_hw_read_all(now);
	knc_claim_check(claim, record->tsc);
	record->flags = claim->flags;
	do {
		const struct knc_count *count = &claim->count[i];

		record->value[i] = knc_count_at(count, now[count->counter]);
	} while (++i < claim->nr);
}

/**
 * knc_hwthread_read_times() - the times of one hardware thread
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @now: CLOCK_MONOTONIC, ns
 * @record: where to put them
 */
void knc_hwthread_read_times(const struct knc_hwthread *hw,
			     const struct knc_claim *claim, u64 now,
			     struct knc_pmu_thread *record)
{
	u64 enabled = claim->enabled;
	u64 offline = claim->offline_time;

	if (claim->started)
		enabled += knc_elapsed(now, claim->since);
	if (claim->started && !hw->online)
		offline += knc_elapsed(now, claim->offline_since);
	record->time = now;
	record->time_enabled = enabled;
	record->time_running = knc_elapsed(enabled, offline);
}

/* Put back reset values (327357 1.4.4) instead of what was found. */
void knc_hwthread_forget(struct knc_hwthread *hw)
{
	memset(&hw->saved, 0, sizeof(hw->saved));
	hw->forgotten = true;
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
	if (hw->forgotten)
		knc_hwthread_forget(hw);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_program(claim);
		if (!claim->started)
			continue;
		claim->offline_time += knc_elapsed(now, claim->offline_since);
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

	if (hw->attached) {
		hw->global_ctrl = 0;
		knc_hw_write_global_ctrl(0);
	}
	knc_hwthread_fold(hw);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_unprogram(hw, claim);
		if (claim->started)
			claim->flags |= KNC_PMU_THREAD_GAP;
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
