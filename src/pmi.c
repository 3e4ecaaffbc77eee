// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt (performance-monitoring interrupt, PMI)
 *
 * 327357 1.4.3.9 has seven steps, numbered below, in an order that loses no
 * overflow although the line to the local APIC is one bit and the APIC masks its
 * entry when it delivers: while the counters are stopped nothing can set the
 * status again, so it is 0, and the line low, when the entry is unmasked.
 *
 * No lock is taken here: it may be an NMI.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include <asm/nmi.h>

#include "compat.h"
#include "hw.h"
#include "hwthread.h"
#include "pmi.h"
#include "sampler.h"

/*
 * So many interrupts may come in one go, and for each of them so many times as
 * much time is to pass as its handler takes at least; else samples are
 * throttled. The way in and out of an NMI takes four times as much as the
 * handler (Documentation/bench.rst): so two thirds of the time are left.
 */
#define KNC_PMI_BURST		64
#define KNC_PMI_SHARE		16

static char *pmi = "nmi";
module_param(pmi, charp, 0444);
MODULE_PARM_DESC(pmi, "overflow interrupt: nmi (default; samples code with interrupts off too) or irq (a vector of its own)");

/* Are there too many? Time gives credit, an interrupt takes @cost of it. */
static inline bool knc_pmi_storm(struct knc_hwthread *hw, u64 tsc)
{
	s64 credit = hw->credit + tsc - hw->began;

	hw->began = tsc;
	hw->credit = min_t(s64, credit, KNC_PMI_BURST * hw->cost) - hw->cost;
	return hw->credit < 0;
}

/* A handler takes as long as it does when nothing disturbs it. */
static noinline void knc_pmi_cheaper(struct knc_hwthread *hw, u64 took)
{
	hw->cost = KNC_PMI_SHARE * took;
	hw->credit = KNC_PMI_BURST * hw->cost;
}

static inline void knc_pmi_account(struct knc_hwthread *hw, u64 began)
{
	u64 took = knc_hw_read_tsc() - began;

	hw->stats.handler_total += took;
	if (unlikely(took > hw->stats.handler_max))
		hw->stats.handler_max = took;
	if (unlikely(KNC_PMI_SHARE * took < hw->cost || !hw->cost))
		knc_pmi_cheaper(hw, took);
}

/* Step 6 for one counter: what it gained is counted, and it is loaded again. */
static inline void knc_pmi_counter(struct knc_count *count,
				   const struct knc_overflow *o)
{
	knc_count_fold(count);
	if (count->sampler)
		knc_sampler_overflow(count->sampler, count, o);
	else
		count->left = KNC_COUNT_MAX;
	knc_count_load(count);
}

/* Nothing to do: is it one of ours all the same? */
static bool knc_pmi_late(struct knc_hwthread *hw, u64 tsc)
{
	if (tsc >= hw->late_until) {
		hw->stats.foreign++;
		return false;
	}
	hw->late_until = 0;
	hw->stats.spurious++;
	return true;
}

static void knc_pmi_resume(const struct knc_hwthread *hw)
{
	knc_hw_write_global_ctrl(hw->global_ctrl & ~(u64)hw->editing);
}

/* Return: whether it was ours */
static inline bool knc_pmi(struct pt_regs *regs)
{
	struct knc_overflow o;
	u64 status;

	/* 1: the interrupt service routine begins */
	o.hw = this_cpu_ptr(&knc_hwthreads);
	o.tsc = knc_hw_read_tsc();
	if (!o.hw->attached)
		return knc_pmi_late(o.hw, o.tsc);
	o.regs = regs;
	/* 2: stop the counters */
	knc_hw_write_global_ctrl(0);
	/* 3: read the status */
	status = knc_hw_read_global_status() & o.hw->attached;
	if (unlikely(!status)) {
		knc_pmi_resume(o.hw);
		return knc_pmi_late(o.hw, o.tsc);
	}
	o.hw->stats.pmis++;
	/* 4: clear it */
	knc_hw_clear_global_status(status);
	/* 5: unmask the interrupt */
	knc_hw_write_lvtpc(o.hw->lvtpc);
	/* 6: reset the counters; whoever changes one does that himself */
	o.throttle = knc_pmi_storm(o.hw, o.tsc);
	status &= ~o.hw->editing;
	if (status & KNC_GLOBAL_CNTR(0))
		knc_pmi_counter(o.hw->count[0], &o);
	if (status & KNC_GLOBAL_CNTR(1))
		knc_pmi_counter(o.hw->count[1], &o);
	knc_pmi_account(o.hw, o.tsc);
	return true;
}

static int knc_pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!knc_pmi(regs))
		return NMI_DONE;
	/* 7: an NMI has no EOI. Count on. */
	knc_pmi_resume(this_cpu_ptr(&knc_hwthreads));
	return NMI_HANDLED;
}

/* The vector's interrupt; 7: its EOI comes behind all else, @eoi does that. */
static void knc_pmi_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg)
{
	bool ours = knc_pmi(regs);

	eoi(arg);
	if (ours)
		knc_pmi_resume(this_cpu_ptr(&knc_hwthreads));
}

/* Is the overflow interrupt a vector's, no NMI? */
bool knc_pmi_is_irq(void)
{
	return pmi[0] == 'i';
}

/**
 * knc_pmi_online() - a hardware thread can have overflow interrupts from now on
 * @cpu: it; in process context, able to sleep
 *
 * Return: 0, or a negative errno: there is no vector for it.
 */
int knc_pmi_online(unsigned int cpu)
{
	struct knc_hwthread *hw = knc_hwthread_of(cpu);
	int vector;

	hw->stats.cpu = cpu;
	hw->lvtpc = KNC_APIC_LVT_NMI;
	if (!knc_pmi_is_irq())
		return 0;
	vector = knc_compat_vector_alloc(cpu);
	if (vector < 0)
		return vector;
	hw->lvtpc = vector;
	return 0;
}

/* It has none any more; its LVT entry is what it was before the first. */
void knc_pmi_offline(unsigned int cpu)
{
	if (knc_pmi_is_irq())
		knc_compat_vector_free(cpu);
}

/**
 * knc_pmi_init() - get ready for overflow interrupts
 *
 * Return: 0; -EINVAL: there is no such mode; -EOPNOTSUPP: this kernel gives
 * modules no vectors; or what registering an NMI handler returns.
 */
int knc_pmi_init(void)
{
	if (!strcmp(pmi, "nmi"))
		return register_nmi_handler(NMI_LOCAL, knc_pmi_nmi,
					    NMI_FLAG_FIRST, KBUILD_MODNAME);
	if (strcmp(pmi, "irq")) {
		pr_err("pmi=%s: the overflow interrupt can be nmi or irq\n", pmi);
		return -EINVAL;
	}
	if (!KNC_COMPAT_VECTORS) {
		pr_err("pmi=irq: this kernel gives modules no interrupt vectors; use pmi=nmi\n");
		return -EOPNOTSUPP;
	}
	knc_compat_vector_handler = knc_pmi_irq;
	return 0;
}

void knc_pmi_exit(void)
{
	if (!knc_pmi_is_irq())
		unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}
