// SPDX-License-Identifier: GPL-2.0
/*
 * Questions that any file can be asked: INFO, REGS, OWNER, STATS, GRANTS
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/smp.h>

#include "abi/query.h"
#include "abi/request.h"
#include "compat/compat.h"
#include "compat/mm.h"
#include "compat/tracepoint.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "sample/pmi.h"
#include "session/session.h"
#include "task/grants.h"

long knc_ioctl_info(struct knc_pmu_info __user *arg)
{
	struct knc_pmu_info info;
	int err;

	err = knc_copy_in(&info, sizeof(info), sizeof(info), arg);
	if (err)
		return err;
	if (info.flags || info.reserved)
		return -EINVAL;
	info.nr_counters = knc_hw_model.nr_counters;
	info.counter_width = knc_hw_model.width;
	info.nr_threads = nr_cpu_ids;
	info.nr_online = num_online_cpus();
	info.threads_per_core = knc_hw_model.threads_per_core;
	info.nr_sessions = knc_session_number();
	info.features = KNC_PMU_FEATURE_THREADS | KNC_PMU_FEATURE_SPFLT |
			KNC_PMU_FEATURE_SAMPLING;
	info.features |= KNC_PMU_FEATURE_SETS | KNC_PMU_FEATURE_EVICT;
	if (knc_compat_has_tracepoint("sched_switch"))
		info.features |= KNC_PMU_FEATURE_TASKS;
	if (KNC_COMPAT_RDPMC && knc_compat_has_tracepoint("sched_process_fork"))
		info.features |= KNC_PMU_FEATURE_RDPMC;
	if (KNC_COMPAT_CALLCHAIN)
		info.features |= KNC_PMU_FEATURE_CALLCHAIN;
	if (knc_pmi_is_irq())
		info.features |= KNC_PMU_FEATURE_PMI_IRQ;
	info.tsc_khz = knc_clock_khz();
	return knc_copy_out(arg, &info, sizeof(info), info.size);
}

static void knc_regs_here(void *info)
{
	knc_hwthread_regs(info);
}

/**
 * knc_query_regs() - snapshot of a hardware thread's registers
 * @regs: its @cpu says which; the registers are filled in
 *
 * Return: 0, or -ENXIO if there is no such hardware thread online.
 */
int knc_query_regs(struct knc_pmu_regs *regs)
{
	if (regs->cpu >= nr_cpu_ids)
		return -ENXIO;
	return smp_call_function_single(regs->cpu, knc_regs_here, regs, true);
}

long knc_ioctl_regs(struct knc_pmu_regs __user *arg)
{
	struct knc_pmu_regs regs;
	int err;

	err = knc_copy_in(&regs, sizeof(regs), sizeof(regs), arg);
	if (err)
		return err;
	if (regs.flags)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	err = knc_query_regs(&regs);
	if (err)
		return err;
	return knc_copy_out(arg, &regs, sizeof(regs), regs.size);
}

long knc_ioctl_owner(struct knc_pmu_owner __user *arg)
{
	struct knc_pmu_owner owner;
	int ret;

	ret = knc_copy_in(&owner, sizeof(owner), sizeof(owner), arg);
	if (ret)
		return ret;
	if (owner.flags || owner.reserved)
		return -EINVAL;
	ret = knc_session_owner(owner.cpu, owner.counter, &owner.pid);
	if (ret < 0)
		return ret;
	owner.flags = ret;
	return knc_copy_out(arg, &owner, sizeof(owner), owner.size);
}

/**
 * knc_query_stats() - what overflow interrupts did
 * @buffer: room for the records of all possible hardware threads
 * @size: bytes there
 *
 * Return: how many there are; -ENOSPC or -EFAULT.
 */
int knc_query_stats(void __user *buffer, u64 size)
{
	struct knc_pmu_stats stats;
	unsigned int cpu, nr = 0;

	if (size < num_possible_cpus() * sizeof(stats))
		return -ENOSPC;
	for_each_possible_cpu(cpu) {
		/* each field by itself is right */
		stats = knc_hwthread_of(cpu)->stats;
		stats.cpu = cpu;
		if (copy_to_user(buffer + nr++ * sizeof(stats), &stats,
				 sizeof(stats)))
			return -EFAULT;
	}
	return nr;
}

long knc_ioctl_stats(struct knc_pmu_stats_read __user *arg)
{
	struct knc_pmu_stats_read r;
	int err;

	err = knc_copy_in(&r, sizeof(r), sizeof(r), arg);
	if (err)
		return err;
	if (r.flags)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	return knc_query_stats((void __user *)(unsigned long)r.buffer,
			       r.buffer_size);
}

long knc_ioctl_grants(struct knc_pmu_grants __user *arg)
{
	struct knc_pmu_grants g;
	int err;

	err = knc_copy_in(&g, sizeof(g), sizeof(g), arg);
	if (err)
		return err;
	if (g.flags)
		return -EINVAL;
	return knc_rdpmc_list((void __user *)(unsigned long)g.buffer,
			      div_u64(g.buffer_size, sizeof(struct knc_pmu_grant)));
}
