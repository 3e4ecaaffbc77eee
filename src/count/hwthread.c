// SPDX-License-Identifier: GPL-2.0
/*
 * The hardware threads of this machine; calling a function on several of them
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/hwthread.h"

DEFINE_PER_CPU(struct knc_hwthread, knc_hwthreads);

/* Called once, before any other function of struct knc_hwthread */
void knc_hwthreads_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		knc_hwthread_of(cpu)->cpu = cpu;
}

static inline void knc_call_one(struct knc_hwthread *hw,
				const struct knc_hwthread_call *call)
{
	struct knc_claim *claim = knc_hwthread_find(hw, call->owner);

	if (claim || !call->owner || call->all)
		call->fn(hw, claim, call->now);
}

/* Cross-call: runs on each of the hardware threads, interrupts off */
static void knc_call_here(void *call)
{
	knc_call_one(this_cpu_ptr(&knc_hwthreads), call);
}

/**
 * knc_hwthreads_call() - call a function for all these hardware threads, in parallel
 * @cpus: the hardware threads
 * @call: what to call
 *
 * The hotplug lock is held: for a hardware thread that is offline, the function is called here.
 */
void knc_hwthreads_call(const struct cpumask *cpus, struct knc_hwthread_call *call)
{
	unsigned int cpu;

	on_each_cpu_mask(cpus, knc_call_here, call, true);
	if (cpumask_subset(cpus, cpu_online_mask))
		return;
	for_each_cpu(cpu, cpus)
		if (!knc_hwthread_of(cpu)->online)
			knc_call_one(knc_hwthread_of(cpu), call);
}
