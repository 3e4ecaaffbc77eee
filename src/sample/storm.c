// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: overflow interrupts that leave too little time for anything else
 *
 * The limit is calibrated on each hardware thread when it comes online.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/attach.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "pmu/hw.h"
#include "sample/storm.h"
#include "sample/throttle.h"

/*
 * A PMI is close if PMIs would take more than a third of the time, or if it comes
 * less than 10 us (perf's initial limit) after the one before. KNC_STORM_PMIS
 * close PMIs within KNC_STORM_GAPS * KNC_STORM_PMIS * @storm_gap cycles are a
 * storm. Samples are then throttled until its interrupts would no longer have been close.
 */
#define KNC_STORM_PER_MS		100
#define KNC_STORM_PMIS		64
#define KNC_STORM_GAPS		4

#define KNC_CALIBRATIONS		16

/*
 * In a virtual machine, entry and exit may take many times what calibration
 * measured. Such PMIs are never close, but may leave no time for ticks. After
 * KNC_STORM_TICK_LATE ms without a tick, two PMIs in each ms are therefore a
 * storm, too.
 */
#define KNC_STORM_TICK_LATE	100
/* Such a storm raises @storm_gap; each tick takes back 1/128 of that. */
#define KNC_STORM_DECAY		7

/**
 * struct knc_pause - how long samples are throttled
 * @until: until this time stamp, or KNC_UNTIL_TICK
 * @pmis: so many interrupts came
 * @took: in so many cycles
 */
struct knc_pause {
	u64 until;
	u64 pmis;
	u64 took;
};

/*
 * About as many events as come until the pause is over, if all interrupts were this event's. Too
 * many for a rare one beside a frequent one: the next tick ends its pause.
 */
static u64 knc_pause_events(const struct knc_pause *pause, const struct knc_count *count, u64 tsc)
{
	u64 ticks;

	if (pause->until == KNC_UNTIL_TICK)
		return pmu_max_load(count->counter);
	ticks = min_t(u64, pause->until - tsc, U32_MAX);
	return div64_u64(min_t(u64, count->period, U32_MAX) * ticks, max_t(u64, pause->took, 1));
}

/*
 * Throttle all samples of @cntrs, which count again after this interrupt. That
 * includes a counter that is just being stopped: with a short period the next
 * interrupt would come before the next instruction, again and again.
 */
static void knc_storm_throttle(struct knc_hwthread *hw, u64 tsc, u64 cntrs,
			       const struct knc_pause *pause)
{
	struct knc_count *count;
	unsigned int n;

	hw->throttled_until = pause->until;
	for_each_counter(n) {
		if (!(cntrs & pmu_bit(n)))
			continue;
		count = hw->count[n];
		if (!count->sampling)
			continue;
		knc_count_update(count);
		knc_sampler_throttle(hw, count, tsc, knc_pause_events(pause, count, tsc));
		knc_count_load(count, count->left);
	}
}

static void knc_storm_begin(struct knc_hwthread *hw, u64 tsc)
{
	hw->storm_began = tsc;
	hw->storm_pmis = hw->stats.pmis;
	hw->storm_total = hw->stats.handler_total;
	hw->nr_close = 0;
}

/*
 * A close interrupt. A late one between close ones does not end a storm. One
 * handler that took very long, as when a virtual machine is stopped, does not
 * count for ever: the mean is of the handlers since @storm_began.
 */
void knc_storm_close_pmi(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	u64 pmis = hw->stats.pmis - hw->storm_pmis;
	u64 total = hw->stats.handler_total - hw->storm_total;
	u64 mean = pmis ? div64_u64(total, pmis) : 0;
	u64 gap = max(hw->storm_gap, knc_storm_factor(hw) * mean);
	struct knc_pause pause;

	if (knc_elapsed(tsc, hw->storm_began) > KNC_STORM_GAPS * KNC_STORM_PMIS * gap)
		knc_storm_begin(hw, tsc);
	if (++hw->nr_close < KNC_STORM_PMIS)
		return;
	pause.pmis = pmis;
	pause.took = knc_elapsed(tsc, hw->storm_began);
	/* not longer than a tick: one very long handler makes the mean huge */
	pause.until = tsc + min(pmis * gap - min(pmis * gap, pause.took), knc_window());
	/* the next storm is measured from the end of the pause */
	knc_storm_begin(hw, pause.until);
	if (pause.until > tsc)
		knc_storm_throttle(hw, tsc, cntrs, &pause);
}

/*
 * If no tick came for too long, throttle, and raise @storm_gap: interrupts like
 * these are close until knc_storm_tick() has lowered it again.
 */
void knc_storm_check_ticks(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	static const struct knc_pause until_tick = { .until = KNC_UNTIL_TICK };
	u64 since = knc_elapsed(tsc, hw->ticked);
	u64 pmis = hw->stats.pmis - hw->ticked_pmis;
	bool ticks = hw->ticks_seen != hw->ticks;

	if (!ticks && since < KNC_STORM_TICK_LATE * (u64)tsc_khz)
		return;
	hw->ticks_seen = hw->ticks;
	hw->ticked = tsc;
	hw->ticked_pmis = hw->stats.pmis;
	if (ticks || pmis * tsc_khz < 2 * since)
		return;
	hw->storm_gap = max(hw->storm_gap, div64_u64(2 * since, pmis));
	knc_storm_throttle(hw, tsc, cntrs, &until_tick);
}

/* A tick: on the hardware thread, interrupts off */
void knc_storm_tick(struct knc_hwthread *hw)
{
	hw->ticks++;
	if (!knc_throttled_ticks(hw, knc_hw_read_tsc()) || hw->throttled_until == KNC_UNTIL_TICK)
		hw->throttled_until = 0;
	hw->storm_gap -= (hw->storm_gap - hw->calibrated_gap) >> KNC_STORM_DECAY;
}

/*
 * A claim that counts the kernel's instructions. knc_calibrate_once() makes the
 * next one overflow.
 */
static void knc_calibrate_init(struct knc_claim *claim, bool nmi)
{
	const struct pmu_select select = {
		.code = this_pmu->instructions,
		.flags = KNC_PMU_EVENT_OS,
	};
	unsigned int counter = pmu_lowest(this_pmu->any);

	memset(claim, 0, sizeof(*claim));
	claim->owner = claim;
	claim->nmi = nmi;
	claim->nr = 1;
	claim->cntrs = pmu_bit(counter);
	claim->owned = claim->cntrs;
	claim->count[0].counter = counter;
	claim->count[0].evtsel = this_pmu->make_select(&select, counter);
	claim->count[0].left = pmu_max_load(counter);
}

static u64 knc_calibrate_once(struct knc_hwthread *hw, struct knc_count *count)
{
	unsigned long flags;
	u64 began;

	local_irq_save(flags);
	knc_hwthread_edit_begin(hw, count);
	/* update before @left is set: edit_end() subtracts what was gained */
	knc_count_update(count);
	count->left = 1;
	began = knc_hw_read_tsc();
	knc_hwthread_edit_end(hw, count);
	local_irq_restore(flags);
	return knc_hw_read_tsc() - began;
}

/*
 * Measure an overflow interrupt with entry and exit: the shortest of some. The
 * PMU has been reserved. An NMI comes although interrupts are off. @nmi: NULL: it is a vector.
 */
static void knc_calibrate(void *nmi)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_pmu_stats stats = hw->stats;
	struct knc_claim claim;
	unsigned long flags;
	u64 least = ~0ULL;
	unsigned int i;

	knc_calibrate_init(&claim, !!nmi);
	local_irq_save(flags);
	hw->online = true;
	knc_hwthread_attach(hw, &claim);
	knc_hwthread_start(hw, &claim, 0);
	local_irq_restore(flags);
	for (i = 0; i < KNC_CALIBRATIONS; i++)
		least = min(least, knc_calibrate_once(hw, &claim.count[0]));
	local_irq_save(flags);
	knc_hwthread_detach(hw, &claim);
	hw->online = false;
	/* if an interrupt did not come in time, @least does not include it */
	if (hw->stats.pmis - stats.pmis == KNC_CALIBRATIONS)
		hw->storm_gap = max(hw->storm_gap, knc_storm_factor(hw) * least);
	hw->stats = stats;
	knc_storm_begin(hw, 0);
	hw->handler_limit = 0;
	local_irq_restore(flags);
}

static void knc_calibrate_on(unsigned int cpu, bool nmi)
{
	if (!nmi) {
		/*
		 * Not by an IPI: its handler has interrupts off, and the vector
		 * would not be taken. The caller runs on @cpu.
		 */
		preempt_disable();
		knc_calibrate(NULL);
		preempt_enable();
	} else {
		smp_call_function_single(cpu, knc_calibrate, &nmi, true);
	}
}

/*
 * @storm_gap becomes the largest of 10 us, the results of earlier calibrations and,
 * unless the PMU is in use, a new one. @nmi: of NMIs, not of the vector.
 */
void knc_storm_calibrate(struct knc_hwthread *hw, unsigned int cpu, bool nmi)
{
	hw->storm_gap = max_t(u64, hw->calibrated_gap,
			      tsc_khz / KNC_STORM_PER_MS);
	if (!knc_hw_reserve()) {
		knc_calibrate_on(cpu, nmi);
		knc_hw_release();
	}
	hw->calibrated_gap = hw->storm_gap;
	hw->throttled_until = 0;
}
