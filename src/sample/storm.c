// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: overflow interrupts that leave too little time for anything else
 *
 * How close together they may be is tried out when a hardware thread comes.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "sample/storm.h"
#include "sample/throttle.h"

/*
 * Interrupts are dense if they take up more than a third of the time, and those
 * that are less than 10 us apart in any case (as many as perf allows at first).
 * So many of them in not much more time than they need, and samples are throttled.
 * What a vector's takes is tried out without the softirqs and the rescheduling
 * behind it, which may be as much again.
 */
#define KNC_PMI_SHARE_NMI	3
#define KNC_PMI_SHARE_IRQ	6
#define KNC_PMI_PER_MS		100
#define KNC_PMI_MAX_DENSE	64
#define KNC_PMI_DENSE_TIME	4

#define KNC_PMI_TRIALS		16

/*
 * Where the way into an interrupt and out of it takes many times what was tried out, as in
 * a virtual machine whose processors wait for each other, none of that is dense; but the
 * tick is late by so many ms, and meanwhile there were more than two interrupts in each.
 */
#define KNC_PMI_TICK_LATE	100
/* ... and each tick 1 / 2^this of the difference goes */
#define KNC_PMI_FORGET		7

unsigned int knc_pmi_share __read_mostly = KNC_PMI_SHARE_NMI;

/*
 * The counters are stopped; @cntrs count on after this interrupt. One that is just being
 * stopped does as well: at a small period the next interrupt would come before a single
 * instruction, for ever.
 */
static void knc_pmi_throttle(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	struct knc_count *count;
	unsigned int n;

	for_each_counter(n) {
		if (!(cntrs & pmu_bit(n)))
			continue;
		count = hw->count[n];
		if (!count->sampling)
			continue;
		knc_count_fold(count);
		knc_sampler_throttle(hw, count, tsc);
		knc_count_load(count, count->left);
	}
}

static void knc_pmi_dense_begin(struct knc_hwthread *hw, u64 tsc)
{
	hw->dense_began = tsc;
	hw->dense_pmis = hw->stats.pmis;
	hw->dense_total = hw->stats.handler_total;
	hw->nr_dense = 0;
}

/*
 * Interrupts in between that were late, whyever, don't make it better. One in which the
 * whole machine stood still, as virtual ones do, doesn't make it worse for good: how
 * long they take is asked of those since it began.
 */
void knc_pmi_dense(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	u64 pmis = hw->stats.pmis - hw->dense_pmis;
	u64 total = hw->stats.handler_total - hw->dense_total;
	u64 mean = pmis ? div64_u64(total, pmis) : 0;
	u64 dense = max(hw->dense, knc_pmi_share * mean);

	if (tsc - hw->dense_began >
	    KNC_PMI_DENSE_TIME * KNC_PMI_MAX_DENSE * dense)
		knc_pmi_dense_begin(hw, tsc);
	if (++hw->nr_dense < KNC_PMI_MAX_DENSE)
		return;
	knc_pmi_dense_begin(hw, tsc);
	knc_pmi_throttle(hw, tsc, cntrs);
}

/*
 * Was there no tick for long? Then it is a storm, and so would be others that are as close
 * together: that is forgotten by and by.
 */
void knc_pmi_overdue(struct knc_hwthread *hw, u64 tsc, u64 cntrs)
{
	u64 since = knc_elapsed(tsc, hw->ticked);
	u64 pmis = hw->stats.pmis - hw->ticked_pmis;
	bool ticks = hw->ticks_seen != hw->ticks;

	if (!ticks && since < KNC_PMI_TICK_LATE * (u64)tsc_khz)
		return;
	hw->ticks_seen = hw->ticks;
	hw->ticked = tsc;
	hw->ticked_pmis = hw->stats.pmis;
	if (ticks || pmis * tsc_khz < 2 * since)
		return;
	hw->dense = max(hw->dense, div64_u64(2 * since, pmis));
	knc_pmi_throttle(hw, tsc, cntrs);
}

/* On the hardware thread, interrupts off: a tick, or from now on they come */
void knc_pmi_tick(struct knc_hwthread *hw)
{
	hw->ticks++;
	hw->dense -= (hw->dense - hw->tried) >> KNC_PMI_FORGET;
}

/* An event that comes with every instruction of the kernel, to be overflown */
static void knc_trial_init(struct knc_claim *claim)
{
	const struct pmu_select select = {
		.code = this_pmu->instructions,
		.flags = KNC_PMU_EVENT_OS,
	};
	unsigned int counter = pmu_lowest(this_pmu->any);

	memset(claim, 0, sizeof(*claim));
	claim->owner = claim;
	claim->nr = 1;
	claim->cntrs = pmu_bit(counter);
	claim->owned = claim->cntrs;
	claim->count[0].counter = counter;
	claim->count[0].evtsel = this_pmu->select(&select, counter);
	claim->count[0].left = pmu_max_load(counter);
}

static u64 knc_trial(struct knc_hwthread *hw, struct knc_count *count)
{
	unsigned long flags;
	u64 began;

	local_irq_save(flags);
	knc_hwthread_suspend(hw, count);
	/* or what it has counted since then would be taken from it */
	knc_count_fold(count);
	count->left = 1;
	began = knc_hw_read_tsc();
	knc_hwthread_resume(hw, count);
	local_irq_restore(flags);
	return knc_hw_read_tsc() - began;
}

/*
 * What an overflow interrupt takes, way in and out included: the least of some.
 * The PMU is nobody's. An NMI comes with interrupts off as well.
 */
static void knc_pmi_try(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_pmu_stats stats = hw->stats;
	struct knc_claim claim;
	unsigned long flags;
	u64 least = ~0ULL;
	unsigned int i;

	knc_trial_init(&claim);
	local_irq_save(flags);
	hw->online = true;
	knc_hwthread_attach(hw, &claim);
	knc_hwthread_start(hw, &claim, 0);
	local_irq_restore(flags);
	for (i = 0; i < KNC_PMI_TRIALS; i++)
		least = min(least, knc_trial(hw, &claim.count[0]));
	local_irq_save(flags);
	knc_hwthread_detach(hw, &claim);
	hw->online = false;
	/* if there was none in time, this is the time of nothing */
	if (hw->stats.pmis - stats.pmis == KNC_PMI_TRIALS)
		hw->dense = max(hw->dense, knc_pmi_share * least);
	hw->stats = stats;
	knc_pmi_dense_begin(hw, 0);
	hw->usual = 0;
	local_irq_restore(flags);
}

static void knc_pmi_try_on(unsigned int cpu, bool irq)
{
	if (irq) {
		/* where there are vectors, this runs on the CPU itself */
		preempt_disable();
		knc_pmi_try(NULL);
		preempt_enable();
	} else {
		smp_call_function_single(cpu, knc_pmi_try, NULL, true);
	}
}

/*
 * How close together interrupts are dense, if the PMU is free to try it out;
 * @irq: they are vectors'
 */
void knc_pmi_find_dense(struct knc_hwthread *hw, unsigned int cpu, bool irq)
{
	hw->dense = max_t(u64, hw->tried, tsc_khz / KNC_PMI_PER_MS);
	if (!knc_hw_reserve()) {
		knc_pmi_try_on(cpu, irq);
		knc_hw_release();
	}
	hw->tried = hw->dense;
}

/* Overflow interrupts are vectors'. */
void knc_storm_irq(void)
{
	knc_pmi_share = KNC_PMI_SHARE_IRQ;
}
