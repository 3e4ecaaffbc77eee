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
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "sample/storm.h"
#include "sample/throttle.h"

/*
 * Interrupts are dense if they take more than a third of the time, or if they
 * are less than 10 us apart (perf's initial limit). MAX_DENSE dense interrupts
 * within DENSE_TIME * MAX_DENSE * @dense ticks: throttle. Calibration of a
 * vector does not measure the softirqs and the rescheduling after it, which may
 * take as long again: hence SHARE_IRQ.
 */
#define KNC_PMI_SHARE_NMI	3
#define KNC_PMI_SHARE_IRQ	6
#define KNC_PMI_PER_MS		100
#define KNC_PMI_MAX_DENSE	64
#define KNC_PMI_DENSE_TIME	4

#define KNC_PMI_TRIALS		16

/*
 * Interrupt entry and exit may take many times what was calibrated, as in a
 * virtual machine whose processors wait for each other: no interrupt is dense.
 * Without a tick for TICK_LATE ms, 2 interrupts in each ms are a storm, too.
 */
#define KNC_PMI_TICK_LATE	100
/* Such a storm raises @dense; each tick takes back 1/128 of that. */
#define KNC_PMI_FORGET		7

unsigned int knc_pmi_share __read_mostly = KNC_PMI_SHARE_NMI;

/*
 * Throttle all samples of @cntrs, which count again after this interrupt. That
 * includes a counter that is just being stopped: with a short period the next
 * interrupt would come before the next instruction, again and again.
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
 * A dense interrupt. A late one between dense ones does not end a storm. One
 * handler that took very long, as when a virtual machine is stopped, does not
 * count for ever: the mean is of the handlers since @dense_began.
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
 * If no tick came for too long, throttle, and raise @dense: interrupts as close
 * as these are dense until knc_pmi_tick() has lowered it again.
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

/* A tick, or ticks have been started: on the hardware thread, interrupts off */
void knc_pmi_tick(struct knc_hwthread *hw)
{
	hw->ticks++;
	hw->dense -= (hw->dense - hw->tried) >> KNC_PMI_FORGET;
}

/* A claim that counts the kernel's instructions: the next one overflows */
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
	/* fold before @left is set: resume subtracts what was gained */
	knc_count_fold(count);
	count->left = 1;
	began = knc_hw_read_tsc();
	knc_hwthread_resume(hw, count);
	local_irq_restore(flags);
	return knc_hw_read_tsc() - began;
}

/*
 * Measure an overflow interrupt with entry and exit: the shortest of some. The
 * PMU has been reserved. An NMI comes although interrupts are off.
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
	/* if an interrupt did not come in time, @least does not include it */
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
		/* on kernels with vectors the caller runs on @cpu itself */
		preempt_disable();
		knc_pmi_try(NULL);
		preempt_enable();
	} else {
		smp_call_function_single(cpu, knc_pmi_try, NULL, true);
	}
}

/*
 * Calibrate @dense, unless the PMU is in use: then earlier results apply, or
 * 10 us. @irq: interrupts come by a vector.
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

/* Overflow interrupts come by a vector. */
void knc_storm_irq(void)
{
	knc_pmi_share = KNC_PMI_SHARE_IRQ;
}
