// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt (performance-monitoring interrupt, PMI)
 *
 * 327357 1.4.3.9 has seven steps, numbered below, in an order that loses no
 * overflow although the line to the local APIC is one bit and the APIC masks its
 * entry when it delivers: while the counters are stopped nothing can set the
 * status again, so it is 0, and the line low, when the entry is unmasked.
 *
 * An event without a thread context overflows while any thread of the core executes,
 * and 1.4.3.8 can be read to mean that this thread is told, whoever has the counter.
 * Therefore an interrupt that finds nothing has the core's other threads look at
 * their own status.
 *
 * No lock is taken here: it may be an NMI.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <asm/irq_regs.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "compat/compat.h"
#include "pmu/hw.h"
#include "count/hwthread.h"
#include "sample/pmi.h"
#include "sample/sampler.h"

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

/**
 * struct knc_core_pmi - overflows that another thread of the core is told of
 * @ask: has the other threads look
 * @look: this one looks at its status
 * @asked: @look is on its way, and must not be queued twice
 */
struct knc_core_pmi {
	struct irq_work ask;
	call_single_data_t look;
	atomic_t asked;
};

static DEFINE_PER_CPU(struct knc_core_pmi, knc_core_pmis);

static unsigned int knc_pmi_share __read_mostly = KNC_PMI_SHARE_NMI;

static char *pmi = "nmi";
module_param(pmi, charp, 0444);
MODULE_PARM_DESC(pmi, "overflow interrupt: nmi (default; samples code with interrupts off too) or irq (a vector of its own)");

/* Step 6 for one counter: what it gained is counted, and it is loaded again. */
static __always_inline void
knc_pmi_counter(struct knc_hwthread *hw, struct knc_count *count,
		struct pt_regs *regs, u64 tsc)
{
	u64 gained = knc_count_gained(count);
	s64 left;

	count->total += gained;
	if (unlikely(!count->sampling)) {
		knc_count_load(count, count->left - gained);
		return;
	}
	left = knc_sampler_overflow(hw, count, gained, regs, tsc);
	knc_count_load_sampled(count, left);
}

/*
 * The counters are stopped; @cntrs count on after this interrupt. One that is just being
 * stopped does as well: at a small period the next interrupt would come before a single
 * instruction, for ever.
 */
static void knc_pmi_throttle(struct knc_hwthread *hw, u64 tsc, u32 cntrs)
{
	struct knc_count *count;
	unsigned int n;

	for (n = 0; n < KNC_NR_COUNTERS; n++) {
		if (!(cntrs & 1u << n))
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
static noinline void knc_pmi_dense(struct knc_hwthread *hw, u64 tsc, u32 cntrs)
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
 * The longest one yet, or one that took longer (because of a call chain) than what
 * was tried out lets expect: then those behind it are dense as well.
 */
static noinline void knc_pmi_long(struct knc_hwthread *hw, u64 began, u64 took)
{
	if (took > hw->stats.handler_max)
		hw->stats.handler_max = took;
	hw->sparse = began + max(hw->dense, knc_pmi_share * took);
	hw->usual = min(hw->stats.handler_max, hw->dense / knc_pmi_share);
}

static __always_inline void
knc_pmi_account(struct knc_hwthread *hw, u64 began, u32 editing)
{
	u32 took;

	if (unlikely(began < hw->sparse))
		knc_pmi_dense(hw, began,
			      editing ? editing & hw->started :
					hw->running & ~hw->editing);
	hw->sparse = began + hw->dense;
	took = knc_hw_read_tsc() - began;
	hw->stats.handler_total += took;
	if (unlikely(took > hw->usual))
		knc_pmi_long(hw, began, took);
}

/* Not ours, and nothing of ours is touched */
static noinline bool knc_pmi_foreign(struct knc_hwthread *hw)
{
	hw->stats.foreign++;
	return false;
}

/*
 * Nothing here is ours any more. One that was may have overflowed at the last
 * moment, and its status have been cleared before the interrupt came.
 */
static noinline bool knc_pmi_late(struct knc_hwthread *hw)
{
	if (knc_hw_read_tsc() >= hw->late_until)
		return knc_pmi_foreign(hw);
	hw->late_until = 0;
	hw->stats.spurious++;
	return true;
}

/* Have the core's other threads look: no lock, no call of another CPU from an NMI. */
static noinline void knc_pmi_ask(void)
{
	irq_work_queue(&this_cpu_ptr(&knc_core_pmis)->ask);
}

/*
 * No overflow of ours. But if the APIC has masked the entry, it was the PMU's
 * line all the same: unless it is unmasked no interrupt comes again. It was late, as
 * above, or another thread of the core has the counter.
 */
static noinline bool knc_pmi_nothing(struct knc_hwthread *hw, u32 status)
{
	if (!(knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED))
		return knc_pmi_late(hw);
	knc_hw_clear_global_status(status);
	knc_hw_write_lvtpc(hw->lvtpc);
	/* if one was late, that was it: the next one may be somebody else's */
	hw->late_until = 0;
	hw->stats.spurious++;
	knc_pmi_ask();
	return true;
}

static inline void knc_pmi_resume(const struct knc_hwthread *hw)
{
	knc_hw_write_global_ctrl(hw->running);
}

/*
 * Steps 1 to 6 where a counter is ours. The counters remain stopped.
 *
 * Return: whether the interrupt was ours.
 */
static __always_inline bool knc_pmi(struct knc_hwthread *hw,
				    struct pt_regs *regs)
{
	/* 1: the interrupt service routine begins */
	u64 tsc = knc_hw_read_tsc();
	u32 status, ours;

	/* 2: stop the counters */
	knc_hw_write_global_ctrl(0);
	/* 3: read the status */
	status = knc_hw_read_global_status();
	ours = status & hw->attached;
	if (unlikely(!ours))
		return knc_pmi_nothing(hw, status);
	hw->stats.pmis++;
	/* 4: clear all of it: what is left would hold the line */
	knc_hw_clear_global_status(status);
	/* 5: unmask the interrupt */
	knc_hw_write_lvtpc(hw->lvtpc);
	/* 6: reset the counters; whoever changes one does that himself */
	if (unlikely(hw->editing))
		ours &= ~hw->editing;
	for (; ours; ours &= ours - 1)
		knc_pmi_counter(hw, hw->count[__ffs(ours)], regs, tsc);
	knc_pmi_account(hw, tsc, 0);
	/* while the entry was masked the APIC may have lost what others' made */
	if (unlikely(hw->ask))
		knc_pmi_ask();
	return true;
}

static int knc_pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	bool ours;

	if (unlikely(!hw->taken))
		return knc_pmi_late(hw) ? NMI_HANDLED : NMI_DONE;
	ours = knc_pmi(hw, regs);
	/* 7: an NMI has no EOI. Count on. */
	knc_pmi_resume(hw);
	return ours ? NMI_HANDLED : NMI_DONE;
}

/* The vector's interrupt; 7: its EOI comes behind all else, @eoi does that. */
static void knc_pmi_irq(struct pt_regs *regs, void (*eoi)(void *arg), void *arg)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	if (unlikely(!hw->taken)) {
		knc_pmi_late(hw);
		eoi(arg);
		return;
	}
	knc_pmi(hw, regs);
	eoi(arg);
	knc_pmi_resume(hw);
}

/* The same in irq_work: hard interrupt context */
static void knc_pmi_ask_siblings(struct irq_work *work)
{
	unsigned int self = smp_processor_id();
	struct knc_core_pmi *core;
	unsigned int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(self)) {
		core = &per_cpu(knc_core_pmis, cpu);
		if (cpu == self || !READ_ONCE(knc_hwthread_of(cpu)->attached) ||
		    atomic_xchg(&core->asked, 1))
			continue;
		/* it goes offline: its counts are brought up to date there */
		if (smp_call_function_single_async(cpu, &core->look))
			atomic_set(&core->asked, 0);
	}
}

/* Has the counter, which is stopped, overflowed since it was loaded? */
static bool knc_pmi_wrapped(const struct knc_count *count)
{
	u64 prev = count->prev & knc_hw_model.counter_mask;

	return prev + knc_count_gained(count) > knc_hw_model.counter_mask;
}

/*
 * Steps 2 to 6 for an overflow that another thread was told of. The counters are being
 * edited: an NMI in between clears the status at most, and leaves them alone. Whether
 * they have overflown is therefore asked of what they hold as well.
 */
static void knc_pmi_serve(struct knc_hwthread *hw, struct pt_regs *regs)
{
	u64 tsc = knc_hw_read_tsc();
	u32 cntrs = hw->attached;
	u32 status;
	unsigned int n;

	hw->editing = cntrs;
	WRITE_ONCE(hw->running, 0);
	barrier(); /* with knc_pmi(), on the same CPU */
	knc_hw_write_global_ctrl(0);
	status = knc_hw_read_global_status();
	knc_hw_clear_global_status(cntrs);
	hw->stats.pmis++;
	for (n = 0; n < KNC_NR_COUNTERS; n++)
		if (cntrs & 1u << n &&
		    (status & 1u << n || knc_pmi_wrapped(hw->count[n])))
			knc_pmi_counter(hw, hw->count[n], regs, tsc);
	knc_pmi_account(hw, tsc, cntrs);
	barrier(); /* with knc_pmi(), on the same CPU */
	hw->editing = 0;
	WRITE_ONCE(hw->running, hw->started);
	knc_hw_write_global_ctrl(hw->running);
}

/* The hardware does tell other threads: overflows may hide each other. */
static void knc_pmi_found(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(smp_processor_id()))
		WRITE_ONCE(knc_hwthread_of(cpu)->ask, true);
}

/* An idle loop that polls calls functions without an interrupt. */
static void knc_pmi_regs_here(struct pt_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
	regs->ip = _THIS_IP_;
	regs->sp = (unsigned long)__builtin_frame_address(0);
	regs->cs = __KERNEL_CS;
}

/*
 * Another thread of the core was interrupted: has a counter of this one overflowed?
 * On it, interrupts off. If the APIC has masked the entry an interrupt is on its way
 * here, whose handler looks as well.
 */
static void knc_pmi_look(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct pt_regs *regs = get_irq_regs();
	struct pt_regs here;

	atomic_set(&this_cpu_ptr(&knc_core_pmis)->asked, 0);
	smp_mb(); /* the next overflow asks anew */
	if (!hw->taken || knc_hw_read_lvtpc() & KNC_APIC_LVT_MASKED ||
	    !(knc_hw_read_global_status() & hw->attached))
		return;
	knc_pmi_found();
	if (!regs) {
		knc_pmi_regs_here(&here);
		regs = &here;
	}
	knc_pmi_serve(hw, regs);
}

/*
 * The NMI where overflow interrupts are vectors': it is ours on a hardware thread for
 * which there was none.
 */
static int knc_pmi_nmi_beside(unsigned int type, struct pt_regs *regs)
{
	if (this_cpu_ptr(&knc_hwthreads)->lvtpc != KNC_APIC_LVT_NMI)
		return NMI_DONE;
	return knc_pmi_nmi(type, regs);
}

/* Is the overflow interrupt a vector's, no NMI? */
bool knc_pmi_is_irq(void)
{
	return pmi[0] == 'i';
}

/* An event that comes with every instruction of the kernel, to be overflown */
static void knc_trial_init(struct knc_claim *claim)
{
	memset(claim, 0, sizeof(*claim));
	claim->owner = claim;
	claim->nr = 1;
	claim->cntrs = KNC_GLOBAL_CNTR(0);
	claim->owned = claim->cntrs;
	claim->count[0].evtsel = KNC_EVTSEL_EN | KNC_EVTSEL_INT |
				 KNC_EVTSEL_OS | KNC_EVTSEL_CODE(0x16, 0);
	claim->count[0].left = KNC_COUNT_MAX;
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

/* How close together interrupts are dense, if the PMU is free to try it out */
static void knc_pmi_find_dense(struct knc_hwthread *hw, unsigned int cpu)
{
	hw->dense = max_t(u64, hw->dense, tsc_khz / KNC_PMI_PER_MS);
	if (knc_hw_reserve())
		return;
	if (knc_pmi_is_irq()) {
		/* where there are vectors, this runs on the CPU itself */
		preempt_disable();
		knc_pmi_try(NULL);
		preempt_enable();
	} else {
		smp_call_function_single(cpu, knc_pmi_try, NULL, true);
	}
	knc_hw_release();
}

/* An LVT entry with a vector of its own; without one its interrupts are NMIs. */
static u32 knc_pmi_vector(unsigned int cpu)
{
	int vector = knc_compat_vector_alloc(cpu);

	if (vector >= 0)
		return vector;
	pr_warn("CPU %u: there is no free interrupt vector (%d); its overflow interrupts are NMIs\n",
		cpu, vector);
	return KNC_APIC_LVT_NMI;
}

/**
 * knc_pmi_online() - a hardware thread can have overflow interrupts from now on
 * @cpu: it; in process context, able to sleep
 */
void knc_pmi_online(unsigned int cpu)
{
	struct knc_hwthread *hw = knc_hwthread_of(cpu);

	hw->sparse = 0;
	hw->lvtpc = KNC_APIC_LVT_NMI;
	if (knc_pmi_is_irq())
		hw->lvtpc = knc_pmi_vector(cpu);
	knc_pmi_find_dense(hw, cpu);
}

/* It has none any more; its LVT entry is what it was before the first. */
void knc_pmi_offline(unsigned int cpu)
{
	if (knc_pmi_is_irq())
		knc_compat_vector_free(cpu);
}

static void knc_core_pmis_init(void)
{
	struct knc_core_pmi *core;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		core = &per_cpu(knc_core_pmis, cpu);
		init_irq_work(&core->ask, knc_pmi_ask_siblings);
		core->look.func = knc_pmi_look;
		atomic_set(&core->asked, 0);
	}
}

static void knc_pmi_nop(void *unused)
{
}

/* Interrupts are off while an interrupt's function is called. */
static void knc_pmi_wait(void)
{
	on_each_cpu(knc_pmi_nop, NULL, true);
}

/**
 * knc_pmi_init() - get ready for overflow interrupts
 *
 * Return: 0; -EINVAL: there is no such mode; -EOPNOTSUPP: this kernel gives
 * modules no vectors; or what registering an NMI handler returns.
 */
int knc_pmi_init(void)
{
	knc_core_pmis_init();
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
	knc_pmi_share = KNC_PMI_SHARE_IRQ;
	return register_nmi_handler(NMI_LOCAL, knc_pmi_nmi_beside,
				    NMI_FLAG_FIRST, KBUILD_MODNAME);
}

/* No overflow interrupt comes any more; what one has asked for comes to its end. */
void knc_pmi_exit(void)
{
	unsigned int cpu;

	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(knc_core_pmis, cpu).ask);
	for_each_possible_cpu(cpu)
		while (atomic_read(&per_cpu(knc_core_pmis, cpu).asked))
			msleep(20);
	/* and those that were just at their end have returned */
	knc_pmi_wait();
}
