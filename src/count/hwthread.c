// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of one hardware thread: program, start, stop, take off
 *
 * A counter is loaded to overflow when the next sample is due, or after its
 * largest load, which is half its range or less. The overflow interrupt (pmi.c)
 * adds what it gained, modulo its width, to a 64-bit total and loads it again.
 * A count is exact across any number of wraps unless an interrupt is late by
 * the rest of the range.
 *
 * The interrupt may be an NMI. A reader of counts checks if one came meanwhile,
 * and repeats; a writer stops the counter and sets its bit in @editing.
 */
#include <linux/bug.h>
#include <linux/kernel.h>

#include "compat/compat.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/sched.h"
#include "count/set.h"
#include "pmu/hw.h"

DEFINE_PER_CPU(struct knc_hwthread, knc_hwthreads);
atomic_t knc_nr_hiding;

/**
 * knc_hwthread_edit_begin() - stop a counter to change its count
 * @hw: the hardware thread
 * @count: the count
 */
void knc_hwthread_edit_begin(struct knc_hwthread *hw,
			     const struct knc_count *count)
{
	hw->editing |= pmu_bit(count->counter);
	WRITE_ONCE(hw->running, hw->started & ~hw->editing);
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_hw_write_global_ctrl(hw->running);
}

/**
 * knc_hwthread_edit_end() - load the counter again and let it count
 * @hw: the hardware thread
 * @count: the count
 *
 * Updates first: an overflow interrupt that came meanwhile has left that to us.
 */
void knc_hwthread_edit_end(struct knc_hwthread *hw, struct knc_count *count)
{
	knc_count_update(count);
	knc_count_load(count, count->left);
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->editing &= ~pmu_bit(count->counter);
	WRITE_ONCE(hw->running, hw->started & ~hw->editing);
	knc_hw_write_global_ctrl(hw->running);
}

static void knc_program_gate(const struct knc_claim *claim)
{
	u64 gate = knc_hw_read_gate() & ~this_pmu->gate.open;

	if (claim->open)
		gate |= this_pmu->gate.open;
	knc_hw_write_gate(gate | claim->obey);
}

/* The running task's claim on counter @n, or the hardware thread's own, or NULL */
static struct knc_claim *knc_claim_on(const struct knc_hwthread *hw, unsigned int n)
{
	struct knc_claim *claim = knc_hwthread_task(hw, n);

	return claim ? claim : hw->claim[n];
}

/* Does a claim on other counters, which is programmed already, need NMIs? */
static bool knc_others_need_nmi(const struct knc_hwthread *hw)
{
	unsigned int n;

	for_each_counter(n)
		if (hw->attached & pmu_bit(n) && knc_claim_on(hw, n) &&
		    knc_claim_on(hw, n)->nmi)
			return true;
	return false;
}

/* A vector may still come after this. Its handler serves any overflow. */
static void knc_program_nmi(struct knc_hwthread *hw)
{
	u32 masked = knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED;

	hw->nmi = true;
	hw->lvtpc = KNC_APIC_LVT_NMI;
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_hw_write_lvtpc(hw->lvtpc | masked);
}

/*
 * The entry remains an NMI while one of this thread's may be on its way: after the change no
 * handler would claim it. A sibling's overflow may still send one during the change:
 * KNC_LATE_SWITCH claims that.
 */
static void knc_program_vector(struct knc_hwthread *hw)
{
	const u64 running = hw->running;

	/* an NMI that comes here must not let the counters count */
	WRITE_ONCE(hw->running, 0);
	barrier(); /* with knc_pmi_nmi(), on the same CPU */
	knc_hw_write_global_ctrl(0);
	if (!(knc_hw_read_global_status() & hw->attached) &&
	    !(knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED) &&
	    knc_hw_read_tsc() >= hw->late_until) {
		hw->late_until = KNC_LATE_SWITCH;
		barrier(); /* with knc_pmi_nmi_beside(), on the same CPU */
		hw->nmi = false;
		hw->lvtpc = hw->vector;
		knc_hw_write_lvtpc(hw->lvtpc);
		/* the answer means that the APIC has the entry */
		knc_hw_read_lvtpc();
		barrier(); /* with knc_pmi_nmi_beside(), on the same CPU */
		hw->late_until = 0;
	}
	WRITE_ONCE(hw->running, running);
	knc_hw_write_global_ctrl(running);
}

/*
 * An NMI samples code that runs with interrupts off; a vector takes less time. There is one LVT
 * entry: all claims on a hardware thread share it.
 */
static noinline void knc_program_lvtpc(struct knc_hwthread *hw, bool nmi)
{
	if (!hw->vector)
		return;
	if (nmi)
		knc_program_nmi(hw);
	else if (!knc_others_need_nmi(hw))
		knc_program_vector(hw);
}

/* Each claim has an event. */
static void knc_program(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	struct knc_count *count = claim->count;

	if (unlikely(claim->nmi != hw->nmi))
		knc_program_lvtpc(hw, claim->nmi);
	do {
		knc_count_load(count, count->left);
		knc_hw_write_evtsel(count->counter, count->evtsel);
		hw->count[count->counter] = count;
	} while (++count < end);
	hw->changes++;
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->attached |= claim->cntrs;
	if (unlikely(claim->gated))
		knc_program_gate(claim);
}

/*
 * An interrupt that comes after the counters are given up is late. Clear their
 * sticky status for the next owner.
 */
void knc_hwthread_disown_overflown(struct knc_hwthread *hw,
				   const struct knc_claim *claim)
{
	hw->late_until = knc_hw_read_tsc() + KNC_LATE_TICKS;
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->attached &= ~claim->cntrs;
	barrier();
	/* the interrupt came before that, and cleared the status */
	if (!(knc_hw_read_global_status() & claim->cntrs))
		hw->late_until = 0;
	knc_hw_clear_global_status(claim->cntrs);
}

static void knc_unprogram_gate(const struct knc_claim *claim)
{
	knc_hw_write_gate(knc_hw_read_gate() & ~claim->obey);
}

/* Stop and give up the claim's counters; update their counts. */
static void knc_unprogram(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	knc_hwthread_halt(hw, claim);
	knc_hwthread_take(hw, claim);
	do {
		knc_hw_write_evtsel(count->counter, 0);
		hw->count[count->counter] = NULL;
	} while (++count < end);
	if (claim->gated)
		knc_unprogram_gate(claim);
}

/**
 * knc_hwthread_own() - give a claim its counters, or free them
 * @hw: the hardware thread
 * @claim: the claim
 * @new: the counters' claim from now on: @claim, or NULL to free them
 *
 * Any CPU may call this: a claim's counts are not used before it is attached.
 */
void knc_hwthread_own(struct knc_hwthread *hw, const struct knc_claim *claim,
		      struct knc_claim *new)
{
	unsigned int n;

	for_each_counter(n)
		if (claim->owned & pmu_bit(n))
			hw->claim[n] = new;
}

/**
 * knc_hwthread_attach() - program a claim's counters, stopped
 * @hw: an online hardware thread
 * @claim: a claim that owns its counters
 *
 * The first claim saves the registers.
 */
void knc_hwthread_attach(struct knc_hwthread *hw, struct knc_claim *claim)
{
	if (!hw->taken) {
		knc_save(hw);
		hw->saved_is_reset = false;
	}
	knc_program(hw, claim);
}

/**
 * knc_hwthread_detach() - take a claim off its counters and free them
 * @hw: its hardware thread; if that is offline, any CPU may call this
 * @claim: the claim
 *
 * The last claim restores the registers.
 */
void knc_hwthread_detach(struct knc_hwthread *hw, struct knc_claim *claim)
{
	knc_hwthread_own(hw, claim, NULL);
	claim->started = false;
	if (!hw->online)
		return;
	knc_unprogram(hw, claim);
	if (hw->for_tasks)
		knc_wipe(hw);
	else if (!hw->attached && !hw->lent)
		knc_restore(hw);
}

/**
 * knc_hwthread_clear_lost_status() - clear the status of a lost interrupt
 * @hw: an online hardware thread
 * @claim: a claim whose counts are being edited
 *
 * The interrupt may have gone to another thread of the core, whose APIC lost
 * it. With the status still set the next overflow would not interrupt at all.
 */
void knc_hwthread_clear_lost_status(struct knc_hwthread *hw,
				    const struct knc_claim *claim)
{
	/* if the entry is masked, the interrupt is on its way here */
	if (!(knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED))
		knc_hw_clear_global_status(claim->cntrs);
}

/* Program a task's claim, whose values are not in the registers. */
void knc_hwthread_put(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	do {
		hw->task[count->counter] = claim;
	} while (++count < end);
	knc_program(hw, claim);
	/* an NMI where a vector would do: try again next time */
	claim->kept_on = claim->nmi == hw->nmi || !hw->vector ? hw : NULL;
}

/* A task's claim has left, but its values must not stay in the registers. */
void knc_hwthread_drop(struct knc_hwthread *hw, struct knc_claim *claim)
{
	const struct knc_count *end = knc_claim_end(claim);
	const struct knc_count *count = claim->count;

	claim->kept_on = NULL;
	do {
		knc_hw_write_counter(count->counter, 0);
	} while (++count < end);
}

/**
 * knc_hwthread_in() - knc_hwthread_sched_in(), and start any claim's counters
 * @hw: an online hardware thread that admits tasks
 * @claim: a session's claim on the task
 * @run: start them
 */
void knc_hwthread_in(struct knc_hwthread *hw, struct knc_claim *claim, bool run)
{
	knc_hwthread_sched_in(hw, claim);
	if (run)
		knc_hwthread_run(hw, claim);
}

/**
 * knc_hwthread_out() - stop any claim's counters, and knc_hwthread_sched_out()
 * @hw: the hardware thread
 * @claim: a claim that was scheduled in
 */
void knc_hwthread_out(struct knc_hwthread *hw, struct knc_claim *claim)
{
	if (claim->gated)
		claim->open = knc_hw_gate_is_open();
	knc_hwthread_halt(hw, claim);
	knc_hwthread_sched_out(hw, claim);
	if (!claim->gated)
		return;
	knc_unprogram_gate(claim);
	claim->kept_on = NULL;
}

/* @claim is of the hardware thread or of the task that runs on it. */
static void knc_rotate_claim(struct knc_hwthread *hw, struct knc_claim *claim)
{
	bool open = claim->open;

	if (hw->task_cntrs & claim->cntrs) {
		knc_hwthread_out(hw, claim);
		knc_set_next(claim);
		knc_hwthread_in(hw, claim, true);
		return;
	}
	if (claim->gated)
		claim->open = knc_hw_gate_is_open();
	knc_unprogram(hw, claim);
	knc_set_next(claim);
	knc_program(hw, claim);
	/* hotplug needs CONFIG's state */
	claim->open = open;
	knc_hwthread_run(hw, claim);
}

/**
 * knc_hwthread_rotate() - begin the next turn of each claim where it is due
 * @hw: the hardware thread
 */
void knc_hwthread_rotate(struct knc_hwthread *hw)
{
	u64 tsc = knc_hw_read_tsc();
	struct knc_claim *claim;
	unsigned int n;
	u64 done = 0;

	if (!hw->online)
		return;
	for_each_counter(n) {
		claim = knc_claim_on(hw, n);
		if (!claim || done & pmu_bit(n) || !claim->set ||
		    !(hw->started & claim->cntrs) ||
		    !knc_set_is_due(claim->set, tsc))
			continue;
		done |= claim->owned;
		knc_rotate_claim(hw, claim);
	}
}

/**
 * knc_hwthread_update() - bring a running task's counts, and its groups' times, up to date
 * @hw: the hardware thread
 * @claim: a claim that is scheduled in
 */
void knc_hwthread_update(struct knc_hwthread *hw, struct knc_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->nr; i++)
		knc_hwthread_edit_begin(hw, &claim->count[i]);
	for (i = 0; i < claim->nr; i++)
		knc_hwthread_edit_end(hw, &claim->count[i]);
	if (claim->set)
		knc_set_update(claim->set, knc_hw_read_tsc());
}

/**
 * knc_hwthread_start() - start a claim's counters
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
		knc_hwthread_run(hw, claim);
	else
		claim->flags |= KNC_PMU_THREAD_GAP;
}

/**
 * knc_hwthread_stop() - stop a claim's counters
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
		knc_hwthread_halt(hw, claim);
	else
		claim->offline_time += knc_elapsed(now, claim->offline_since);
	claim->started = false;
	claim->enabled += knc_elapsed(now, claim->since);
}

/**
 * knc_hwthread_online() - the hardware thread came online
 * @hw: the hardware thread
 * @now: CLOCK_MONOTONIC, ns
 *
 * Programs the counters of its claims, and starts those that were started.
 */
void knc_hwthread_online(struct knc_hwthread *hw, u64 now)
{
	struct knc_claim *claim;
	unsigned int n;

	hw->online = true;
	hw->late_until = 0;
	if (!knc_hwthread_claimed(hw) && !hw->for_tasks && !hw->lent)
		return;
	knc_save(hw);
	if (hw->for_tasks)
		knc_wipe(hw);
	if (hw->saved_is_reset)
		knc_hwthread_save_reset_values(hw);
	for_each_counter(n) {
		claim = knc_claim_at(hw, n);
		if (!claim)
			continue;
		knc_program(hw, claim);
		if (!claim->started)
			continue;
		claim->offline_time += knc_elapsed(now, claim->offline_since);
		knc_hwthread_run(hw, claim);
	}
}

/*
 * Before the hardware thread goes offline: nothing may count while its samplers
 * stop.
 */
void knc_hwthread_stop_all(struct knc_hwthread *hw)
{
	if (!hw->attached)
		return;
	hw->started = 0;
	WRITE_ONCE(hw->running, 0);
	knc_hw_write_global_ctrl(0);
}

/**
 * knc_hwthread_offline() - the hardware thread is about to go offline
 * @hw: the hardware thread
 * @now: CLOCK_MONOTONIC, ns
 *
 * Takes all claims off; they keep their counts. Restores the registers.
 */
void knc_hwthread_offline(struct knc_hwthread *hw, u64 now)
{
	struct knc_claim *claim;
	unsigned int n;

	for_each_counter(n) {
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
