// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows of one thread's counter that interrupt another thread of the core
 *
 * A counter of an event without a thread context may overflow while any thread of the core
 * executes. 327357 1.4.3.8 can be read to mean that the executing thread is interrupted, whichever
 * thread has the counter. Therefore a PMI that finds no overflow asks the core's other threads to
 * look at their own status.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <asm/irq_regs.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "count/lvtpc.h"
#include "pmu/hw.h"
#include "sample/overflow.h"
#include "sample/siblings.h"

/**
 * struct knc_sibling - asking the siblings, and being asked by them
 * @ask: asks the siblings to look at their status
 * @look: makes this thread look at its status
 * @queued: @look is queued, and must not be queued twice
 */
struct knc_sibling {
	struct irq_work ask;
	call_single_data_t look;
	atomic_t queued;
};

static DEFINE_PER_CPU(struct knc_sibling, knc_siblings);

/* Ask the siblings to look at their status; by irq_work, because an NMI can't call other CPUs. */
void knc_siblings_ask(void)
{
	irq_work_queue(&this_cpu_ptr(&knc_siblings)->ask);
}

/* In hard interrupt context */
static void knc_siblings_ask_work(struct irq_work *work)
{
	unsigned int self = smp_processor_id();
	struct knc_sibling *sibling;
	unsigned int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(self)) {
		sibling = &per_cpu(knc_siblings, cpu);
		if (cpu == self || !READ_ONCE(knc_hwthread_of(cpu)->attached) ||
		    atomic_xchg(&sibling->queued, 1))
			continue;
		/* fails if @cpu goes offline: its counts are updated then */
		if (smp_call_function_single_async(cpu, &sibling->look))
			atomic_set(&sibling->queued, 0);
	}
}

/* Are counters of another thread of this core programmed? */
bool knc_siblings_count(void)
{
	unsigned int self = smp_processor_id();
	unsigned int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(self))
		if (cpu != self && READ_ONCE(knc_hwthread_of(cpu)->attached))
			return true;
	return false;
}

/* Has the stopped counter overflowed since it was loaded? */
static bool knc_siblings_wrapped(const struct knc_count *count)
{
	u64 mask = pmu_counter_mask(count->counter);

	return (count->prev & mask) + knc_count_gained(count) > mask;
}

/*
 * Steps 2 to 6 of 327357 1.4.3.9 for an overflow that interrupted another thread. An NMI meanwhile
 * leaves counters in @editing alone, but may clear their status: therefore their values are tested
 * for an overflow, too.
 */
static void knc_siblings_serve(struct knc_hwthread *hw, struct pt_regs *regs)
{
	u64 cntrs = hw->attached;
	u64 ours, tsc;
	unsigned int n;

	hw->editing = cntrs;
	knc_hwthread_set_running(hw, 0);
	/* an earlier NMI may have written samples: read the time stamp now, to keep the order */
	tsc = knc_hw_read_tsc();
	ours = knc_hw_read_global_status() & cntrs;
	knc_hw_clear_global_status(cntrs);
	hw->stats.pmis++;
	for_each_counter(n)
		if (cntrs & pmu_bit(n) && knc_siblings_wrapped(hw->count[n]))
			ours |= pmu_bit(n);
	knc_overflow_reset(hw, ours, regs, tsc, cntrs);
	barrier(); /* pairs with knc_pmi() on this CPU */
	hw->editing = 0;
	knc_hwthread_set_running(hw, hw->started);
}

/* This hardware interrupts other threads: from now on PMIs ask siblings. */
static void knc_siblings_found(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(smp_processor_id()))
		WRITE_ONCE(knc_hwthread_of(cpu)->ask, true);
}

/* A polling idle loop calls knc_siblings_look() without interrupted registers: use our own. */
static void knc_siblings_regs_here(struct pt_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
	regs->ip = _THIS_IP_;
	regs->sp = (unsigned long)__builtin_frame_address(0);
	regs->cs = __KERNEL_CS;
}

/*
 * A sibling was interrupted: serve overflows of this thread. Interrupts are off. If the LVT entry
 * is masked, a PMI is on its way here, and its handler will serve them.
 */
static void knc_siblings_look(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct pt_regs *regs = get_irq_regs();
	struct knc_sibling *sibling = info;
	struct pt_regs here;

	atomic_set(&sibling->queued, 0);
	smp_mb(); /* a later overflow queues @look again */
	/*
	 * On 2.6.38 @look is a timer, which CPU hotplug moves here if @sibling's hardware thread
	 * goes offline. That thread has updated its counts: nothing remains to be done.
	 */
	if (sibling != this_cpu_ptr(&knc_siblings))
		return;
	if (!hw->taken || knc_lvtpc_is_masked() ||
	    !(knc_hw_read_global_status() & hw->attached))
		return;
	knc_siblings_found();
	if (!regs) {
		knc_siblings_regs_here(&here);
		regs = &here;
	}
	knc_siblings_serve(hw, regs);
}

void knc_siblings_init(void)
{
	struct knc_sibling *sibling;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		sibling = &per_cpu(knc_siblings, cpu);
		init_irq_work(&sibling->ask, knc_siblings_ask_work);
		knc_compat_call_init(&sibling->look, knc_siblings_look, sibling);
		atomic_set(&sibling->queued, 0);
	}
}

static void knc_siblings_nop(void *unused)
{
}

/* PMIs have ended: wait for the work that they queued. */
void knc_siblings_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(knc_siblings, cpu).ask);
	for_each_possible_cpu(cpu)
		while (atomic_read(&per_cpu(knc_siblings, cpu).queued))
			msleep(20);
	for_each_possible_cpu(cpu)
		knc_compat_call_sync(&per_cpu(knc_siblings, cpu).look);
	/*
	 * knc_siblings_look() has cleared @queued at its beginning: wait for its end. It runs with
	 * interrupts off.
	 */
	on_each_cpu(knc_siblings_nop, NULL, true);
}
