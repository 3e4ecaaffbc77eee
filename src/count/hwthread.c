// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of one hardware thread: program, start, stop, read, reset, and 40 to
 * 64 bits
 *
 * A counter is loaded so that it overflows when the next sample is due, or when
 * half of what it can hold has been counted. The overflow interrupt (pmi.c)
 * folds what it has gained, modulo 2^40, into a 64-bit total and loads it
 * again: so less than 2^40 happen between two foldings, however late the
 * interrupt is, and a count is exact across any number of wraps.
 *
 * The interrupt may be an NMI. Who reads a count looks whether one came
 * meanwhile; who changes one stops its counter and says so in @editing.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "count/hwthread.h"
#include "count/set.h"

/* Ticks in which an interrupt may still come after its status was cleared */
#define KNC_LATE_TICKS		1000000

DEFINE_PER_CPU(struct knc_hwthread, knc_hwthreads);

/* The claim met first at counter n, or NULL: a claim on both is met once. */
static struct knc_claim *knc_claim_at(const struct knc_hwthread *hw,
				      unsigned int n)
{
	if (n && hw->claim[n] == hw->claim[0])
		return NULL;
	return hw->claim[n];
}

/* What an event has counted if its counter stands at @now */
static inline u64 knc_count_at(const struct knc_count *count, u64 now)
{
	return count->total +
	       ((now - count->prev) & knc_hw_model.counter_mask);
}

/**
 * knc_hwthread_suspend() - stop a counter to change its count
 * @hw: the hardware thread
 * @count: what the counter counts
 */
void knc_hwthread_suspend(struct knc_hwthread *hw, const struct knc_count *count)
{
	hw->editing |= 1u << count->counter;
	WRITE_ONCE(hw->running, hw->started & ~hw->editing);
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_hw_write_global_ctrl(hw->running);
}

/**
 * knc_hwthread_resume() - the counter may count again
 * @hw: the hardware thread
 * @count: what the counter counts
 *
 * Its overflow interrupt may have come meanwhile, late, and done nothing: what
 * it gained before is looked at anew.
 */
void knc_hwthread_resume(struct knc_hwthread *hw, struct knc_count *count)
{
	knc_count_fold(count);
	knc_count_load(count, count->left);
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->editing &= ~(1u << count->counter);
	WRITE_ONCE(hw->running, hw->started & ~hw->editing);
	knc_hw_write_global_ctrl(hw->running);
}

static void knc_save(struct knc_hwthread *hw)
{
	unsigned int n;

	hw->saved.global_ctrl = knc_hw_read_global_ctrl();
	knc_hw_write_global_ctrl(0);
	hw->started = 0;
	hw->running = 0;
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		hw->saved.perfevtsel[n] = knc_hw_read_evtsel(n);
		hw->saved.perfcntr[n] = knc_hw_read_counter(n);
		knc_hw_write_evtsel(n, 0);
	}
	hw->saved.spflt_control = knc_hw_read_spflt();
	knc_hw_write_spflt(0);
	/* what overflowed before us is nobody's any more: the line must be low */
	knc_hw_clear_global_status(KNC_GLOBAL_CNTRS);
	hw->ask = false;
	hw->saved.lvtpc = knc_hw_read_lvtpc();
	knc_hw_write_lvtpc(hw->lvtpc);
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->taken = true;
}

/* The mirror image of knc_save(); GLOBAL_CTRL last, so that nothing counts. */
static void knc_restore(struct knc_hwthread *hw)
{
	unsigned int n;

	/* the APIC has delivered an interrupt that was not taken yet */
	if (knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED)
		hw->late_until = knc_hw_read_tsc() + KNC_LATE_TICKS;
	hw->taken = false;
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_hw_write_global_ctrl(0);
	knc_hw_write_lvtpc(hw->saved.lvtpc);
	knc_hw_write_spflt(hw->saved.spflt_control);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		knc_hw_write_counter(n, hw->saved.perfcntr[n]);
		knc_hw_write_evtsel(n, hw->saved.perfevtsel[n]);
	}
	knc_hw_write_global_ctrl(hw->saved.global_ctrl);
}

static noinline void knc_program_spflt(const struct knc_claim *claim)
{
	u64 spflt = knc_hw_read_spflt() & ~KNC_SPFLT_USER_PREF;

	if (claim->user_pref)
		spflt |= KNC_SPFLT_USER_PREF;
	knc_hw_write_spflt(spflt | claim->obey);
}

/* Also done when a task is switched to: a claim has an event, or more. */
static inline void knc_program(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	struct knc_count *count = claim->count;

	do {
		knc_count_load(count, count->left);
		knc_hw_write_evtsel(count->counter, count->evtsel);
		hw->count[count->counter] = count;
	} while (++count < end);
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->attached |= claim->cntrs;
	if (unlikely(claim->spflt))
		knc_program_spflt(claim);
}

static void knc_run(struct knc_hwthread *hw, const struct knc_claim *claim)
{
	if (unlikely(claim->set))
		claim->set->since = knc_hw_read_tsc();
	hw->started |= claim->cntrs;
	WRITE_ONCE(hw->running, hw->started);
	knc_hw_write_global_ctrl(hw->started);
}

static void knc_halt(struct knc_hwthread *hw, const struct knc_claim *claim)
{
	hw->started &= ~claim->cntrs;
	WRITE_ONCE(hw->running, hw->started);
	knc_hw_write_global_ctrl(hw->started);
	if (unlikely(claim->set))
		knc_set_pause(claim->set, knc_hw_read_tsc());
}

/*
 * From when they are not ours any more an interrupt of theirs is late; and a sticky
 * overflow bit must not surprise who comes next.
 */
static noinline void knc_disown_overflown(struct knc_hwthread *hw,
					  const struct knc_claim *claim)
{
	hw->late_until = knc_hw_read_tsc() + KNC_LATE_TICKS;
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->attached &= ~claim->cntrs;
	barrier();
	/* it came just before */
	if (!(knc_hw_read_global_status() & claim->cntrs))
		hw->late_until = 0;
	knc_hw_clear_global_status(claim->cntrs);
}

/* The counters are stopped: if none has overflown no interrupt is on its way. */
static inline void knc_disown(struct knc_hwthread *hw,
			      const struct knc_claim *claim)
{
	if (unlikely(knc_hw_read_global_status() & claim->cntrs)) {
		knc_disown_overflown(hw, claim);
		return;
	}
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->attached &= ~claim->cntrs;
	barrier();
}

static noinline void knc_unprogram_spflt(const struct knc_claim *claim)
{
	knc_hw_write_spflt(knc_hw_read_spflt() & ~(u64)claim->obey);
}

/* Stop and free the claim's counters; their counts are folded. */
static inline void knc_unprogram(struct knc_hwthread *hw,
				 struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	struct knc_count *count = claim->count;

	knc_halt(hw, claim);
	knc_disown(hw, claim);
	do {
		knc_count_fold(count);
		knc_hw_write_evtsel(count->counter, 0);
		hw->count[count->counter] = NULL;
	} while (++count < end);
	if (unlikely(claim->spflt))
		knc_unprogram_spflt(claim);
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
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++)
		if (claim->owned & 1u << n)
			hw->claim[n] = owner;
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
	if (!hw->taken) {
		knc_save(hw);
		hw->forgotten = false;
	}
	knc_program(hw, claim);
}

/* What counted for somebody before is not for the next to read. */
static void knc_wipe(const struct knc_hwthread *hw)
{
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++)
		if (!hw->claim[n] && !hw->task[n])
			knc_hw_write_counter(n, 0);
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
	if (!hw->online)
		return;
	knc_unprogram(hw, claim);
	if (hw->shared)
		knc_wipe(hw);
	else if (!hw->attached && !hw->lent)
		knc_restore(hw);
}

/**
 * knc_hwthread_share() - get ready to count for tasks
 * @hw: the hardware thread; if that is offline, any CPU may call this
 */
void knc_hwthread_share(struct knc_hwthread *hw)
{
	hw->shared = true;
	if (!knc_hwthread_claimed(hw))
		hw->forgotten = false;
	if (!hw->online)
		return;
	if (!hw->taken)
		knc_save(hw);
	knc_wipe(hw);
}

/**
 * knc_hwthread_unshare() - no task is counted any more
 * @hw: the hardware thread; if that is offline, any CPU may call this
 */
void knc_hwthread_unshare(struct knc_hwthread *hw)
{
	hw->shared = false;
	if (hw->online && !hw->attached && !hw->lent)
		knc_restore(hw);
}

/**
 * knc_hwthread_settle() - no overflow of stopped counters waits for an interrupt
 * @hw: an online hardware thread
 * @claim: a claim whose counters are suspended
 *
 * Another thread may have been told, and its APIC have lost that. A status that remains
 * would keep the next overflow from being told.
 */
void knc_hwthread_settle(struct knc_hwthread *hw, const struct knc_claim *claim)
{
	/* else it is on its way here */
	if (!(knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED))
		knc_hw_clear_global_status(claim->cntrs);
}

/**
 * knc_hwthread_lend() - take overflow interrupts of the core's other threads
 * @hw: the hardware thread; if that is offline, any CPU may call this
 *
 * 327357 1.4.3.8: for an event without a thread context that is the thread in the
 * execution stage. Its local APIC's entry must be ours then.
 */
void knc_hwthread_lend(struct knc_hwthread *hw)
{
	hw->lent = true;
	if (!hw->online || hw->taken)
		return;
	knc_save(hw);
	hw->forgotten = false;
}

/**
 * knc_hwthread_unlend() - no other thread's overflow comes here any more
 * @hw: the hardware thread; if that is offline, any CPU may call this
 */
void knc_hwthread_unlend(struct knc_hwthread *hw)
{
	hw->lent = false;
	if (hw->online && !hw->attached && !hw->shared)
		knc_restore(hw);
}

/**
 * knc_hwthread_load() - a task runs here from now on
 * @hw: an online hardware thread that is shared
 * @claim: what a session has of the task
 * @run: count for it
 */
void knc_hwthread_load(struct knc_hwthread *hw, struct knc_claim *claim,
		       bool run)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	do {
		hw->task[count->counter] = claim;
	} while (++count < end);
	hw->loaded |= claim->cntrs;
	knc_program(hw, claim);
	if (likely(run))
		knc_run(hw, claim);
}

static noinline void knc_keep_pref(struct knc_claim *claim)
{
	claim->user_pref = !!(knc_hw_read_spflt() & KNC_SPFLT_USER_PREF);
}

/**
 * knc_hwthread_unload() - the task does not run here any more, or is not counted
 * @hw: the hardware thread
 * @claim: what was loaded
 */
void knc_hwthread_unload(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	if (unlikely(claim->spflt))
		knc_keep_pref(claim);
	knc_unprogram(hw, claim);
	hw->loaded &= ~claim->cntrs;
	do {
		hw->task[count->counter] = NULL;
		knc_hw_write_counter(count->counter, 0);
	} while (++count < end);
}

/* What is counted for a hardware thread, or for the task that runs on it */
static void knc_rotate_claim(struct knc_hwthread *hw, struct knc_claim *claim)
{
	bool user_pref = claim->user_pref;

	if (hw->loaded & claim->cntrs) {
		knc_hwthread_unload(hw, claim);
		knc_set_next(claim);
		knc_hwthread_load(hw, claim, true);
		return;
	}
	if (claim->spflt)
		knc_keep_pref(claim);
	knc_unprogram(hw, claim);
	knc_set_next(claim);
	knc_program(hw, claim);
	/* a hardware thread that comes back begins with what CONFIG said */
	claim->user_pref = user_pref;
	knc_run(hw, claim);
}

/**
 * knc_hwthread_rotate() - it may be another group's turn
 * @hw: the hardware thread
 */
void knc_hwthread_rotate(struct knc_hwthread *hw)
{
	struct knc_claim *claim, *done = NULL;
	u64 tsc = knc_hw_read_tsc();
	unsigned int n;

	for (n = 0; hw->online && n < KNC_NR_COUNTERS; n++) {
		claim = hw->task[n] ? hw->task[n] : hw->claim[n];
		if (!claim || claim == done || !claim->set ||
		    !(hw->started & claim->cntrs) ||
		    !knc_set_is_due(claim->set, tsc))
			continue;
		done = claim;
		knc_rotate_claim(hw, claim);
	}
}

/**
 * knc_hwthread_fold() - bring the counts of a task that runs here up to date
 * @hw: the hardware thread
 * @claim: what is loaded
 */
void knc_hwthread_fold(struct knc_hwthread *hw, struct knc_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		knc_hwthread_suspend(hw, &claim->count[i]);
	for (i = 0; i < claim->nr; i++)
		knc_hwthread_resume(hw, &claim->count[i]);
	if (claim->set)
		knc_set_fold(claim->set, knc_hw_read_tsc());
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

/*
 * What the counters gained since they were loaded is read, not folded: then the
 * overflow interrupt need only be looked out for.
 */
static inline u64 knc_read_counts(const struct knc_hwthread *hw,
				  const struct knc_claim *claim, u64 *values)
{
	u64 now[KNC_NR_COUNTERS];
	unsigned int i;
	u64 pmis, tsc;

	do {
		pmis = READ_ONCE(hw->stats.pmis);
		barrier(); /* with knc_pmi(), on the same CPU */
		tsc = knc_hw_read_all(now);
		i = 0;
		do {
			const struct knc_count *count = &claim->count[i];

			values[i] = knc_count_at(count, now[count->counter]);
		} while (++i < claim->nr);
		barrier(); /* with knc_pmi(), on the same CPU */
	} while (unlikely(READ_ONCE(hw->stats.pmis) != pmis));
	return tsc;
}

/**
 * knc_hwthread_values() - what an online hardware thread has counted since CONFIG
 * @hw: the hardware thread
 * @claim: the claim
 * @values: a count for each event, whatever was reset, out
 *
 * Return: the time stamp counter at that time.
 */
u64 knc_hwthread_values(const struct knc_hwthread *hw,
			const struct knc_claim *claim, u64 *values)
{
	u64 tsc = knc_read_counts(hw, claim, values);
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		values[i] += claim->count[i].base;
	return tsc;
}

/* What was counted until the hardware thread went */
static void knc_read_offline(const struct knc_claim *claim, u64 *values)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		values[i] = claim->count[i].total;
}

static void knc_count_reset(struct knc_hwthread *hw, struct knc_count *count)
{
	if (hw->online) {
		knc_hwthread_suspend(hw, count);
		knc_count_fold(count);
	}
	count->base += count->total;
	count->total = 0;
	if (hw->online)
		knc_hwthread_resume(hw, count);
}

/**
 * knc_hwthread_reset() - counts and times to 0
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @now: CLOCK_MONOTONIC, ns
 *
 * Samples go on as if nothing had happened.
 */
void knc_hwthread_reset(struct knc_hwthread *hw, struct knc_claim *claim,
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
 * knc_hwthread_read() - the counts of one hardware thread
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 * @record: where to put all but the times
 */
void knc_hwthread_read(const struct knc_hwthread *hw,
		       const struct knc_claim *claim,
		       struct knc_pmu_thread *record)
{
	record->cpu = claim->cpu;
	record->flags = claim->flags;
	if (likely(hw->online)) {
		record->tsc = knc_read_counts(hw, claim, record->value);
		return;
	}
	knc_read_offline(claim, record->value);
	record->flags |= KNC_PMU_THREAD_OFFLINE;
	record->tsc = 0;
}

/* Ticks at tsc_khz, see knc_clock_ticks() */
u64 knc_ticks_to_ns(u64 ticks)
{
	u64 khz = max(tsc_khz, 1u);
	u64 ms = div64_u64(ticks, khz);

	return ms * 1000000 + div64_u64((ticks - ms * khz) * 1000000, khz);
}

/* The rate of the time stamp counter changes: turns up to now had the last one. */
void knc_hwthread_times(const struct knc_hwthread *hw)
{
	u64 tsc = knc_hw_read_tsc();
	struct knc_claim *claim;
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (claim && claim->set)
			knc_set_fold(claim->set, tsc);
	}
}

/**
 * knc_hwthread_read_set() - the counts of one hardware thread, of all groups
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: a claim with several groups
 * @record: where to put all but the times; KNC_PMU_SET_SIZE bytes
 */
void knc_hwthread_read_set(const struct knc_hwthread *hw,
			   const struct knc_claim *claim,
			   struct knc_pmu_thread *record)
{
	unsigned int i, nr = claim->set->layout->nr_events;
	struct knc_pmu_thread present;
	u64 *values = record->value;
	u64 *running = values + nr;

	knc_hwthread_read(hw, claim, &present);
	memcpy(record, &present, KNC_PMU_THREAD_SIZE(0));
	knc_set_read(claim, present.value, present.tsc, values, running);
	for (i = 0; i < nr; i++)
		running[i] = knc_ticks_to_ns(running[i]);
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

/*
 * Put back reset values (327357 1.4.4) instead of what was found; but the local
 * APIC's entry is the kernel's.
 */
void knc_hwthread_forget(struct knc_hwthread *hw)
{
	u32 lvtpc = hw->saved.lvtpc;

	memset(&hw->saved, 0, sizeof(hw->saved));
	hw->saved.lvtpc = lvtpc;
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
	hw->late_until = 0;
	if (!knc_hwthread_claimed(hw) && !hw->shared && !hw->lent)
		return;
	knc_save(hw);
	if (hw->shared)
		knc_wipe(hw);
	if (hw->forgotten)
		knc_hwthread_forget(hw);
	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_program(hw, claim);
		if (!claim->started)
			continue;
		claim->offline_time += knc_elapsed(now, claim->offline_since);
		knc_run(hw, claim);
	}
}

/* All that counts ceases to. */
void knc_hwthread_halt(struct knc_hwthread *hw)
{
	if (!hw->attached)
		return;
	hw->started = 0;
	WRITE_ONCE(hw->running, 0);
	knc_hw_write_global_ctrl(0);
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

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_unprogram(hw, claim);
		if (claim->started)
			claim->flags |= KNC_PMU_THREAD_GAP;
		claim->offline_since = now;
	}
	if (hw->taken)
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
