// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that only return information, and need no session: INFO, REGS, OWNER, STATS, GRANTS
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/tsc.h>

#include "abi/copy.h"
#include "abi/query.h"
#include "compat/compat.h"
#include "compat/tracepoint.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "pmu/hw.h"
#include "rdpmc/grants.h"
#include "request/event.h"
#include "sample/delivery.h"
#include "session/session.h"

static u64 knc_features(void)
{
	u64 features = KNC_PMU_FEATURE_THREADS | KNC_PMU_FEATURE_SETS |
		       KNC_PMU_FEATURE_EVICT;

	if (pmu_has_gate())
		features |= KNC_PMU_FEATURE_SPFLT;
	if (this_pmu->interrupts)
		features |= KNC_PMU_FEATURE_SAMPLING | (tsc_khz ? KNC_PMU_FEATURE_LIMIT : 0);
	if (knc_compat_has_tracepoint("sched_switch"))
		features |= KNC_PMU_FEATURE_TASKS |
			    (this_pmu->interrupts ? KNC_PMU_FEATURE_SWITCHES : 0);
	if (knc_compat_has_tracepoint("sched_process_fork"))
		features |= KNC_PMU_FEATURE_RDPMC;
	if (KNC_COMPAT_TASK_WORK)
		features |= KNC_PMU_FEATURE_ON_EXEC;
	if (KNC_COMPAT_CALLCHAIN)
		features |= KNC_PMU_FEATURE_CALLCHAIN | KNC_PMU_FEATURE_STACK;
	if (knc_delivery_has_vectors())
		features |= KNC_PMU_FEATURE_PMI_IRQ;
	if (knc_delivery_has_nmis())
		features |= KNC_PMU_FEATURE_PMI_NMI;
	if (knc_event_any_counter())
		features |= KNC_PMU_FEATURE_ANY_COUNTER;
	return features;
}

/* Write the description of the @n-th PMU of host/ */
static int knc_tell_host(const struct knc_copy_list *out, unsigned int n)
{
	struct knc_pmu_desc desc = { 0 };

	knc_host_nth(n)->describe(&desc);
	return knc_copy_list_put(out, KNC_NR_PMUS + n, &desc, sizeof(desc));
}

/*
 * List the PMU of the hardware threads, then those of host/; returns their number. struct
 * knc_pmu_desc belongs to the ABI, struct pmu_desc (@this_pmu) to the module
 */
static int knc_tell_pmus(const struct knc_pmu_list *list, u64 features)
{
	struct knc_pmu_desc desc = {
		.id = KNC_NR_PMUS,
		.scope = this_pmu->shared_by,
		.counters = this_pmu->counters,
		.features = features,
		.nr_counters = this_pmu->bank[0].nr,
		.width = this_pmu->bank[0].width,
	};
	struct knc_copy_list out;
	unsigned int n;
	int err;

	strscpy(desc.name, this_pmu->name, sizeof(desc.name));
	if (this_pmu->nr_banks > 1) {
		desc.nr_fixed = this_pmu->bank[1].nr;
		desc.fixed_width = this_pmu->bank[1].width;
	}

	err = knc_copy_list_init(&out, list);
	if (!err)
		err = knc_copy_list_put(&out, 0, &desc, sizeof(desc));
	for (n = 0; !err && knc_host_nth(n); n++)
		err = knc_tell_host(&out, n);
	return err ? err : KNC_NR_PMUS + (int)n;
}

long knc_query_ioctl_info(struct knc_pmu_info __user *arg, unsigned int cmd)
{
	struct knc_pmu_info info;
	int err, nr;

	err = knc_copy_in(&info, sizeof(info), arg, cmd);
	if (err)
		return err;
	if (info.reserved)
		return -EINVAL;
	info.features = knc_features();
	info.nr_threads = nr_cpu_ids;
	info.nr_online = num_online_cpus();
	info.threads_per_core = this_pmu->threads_per_core;
	info.nr_sessions = knc_session_number();
	info.tsc_khz = knc_clock_khz();
	nr = knc_tell_pmus(&info.pmus, info.features);
	if (nr < 0)
		return nr;
	err = knc_copy_out(arg, &info, sizeof(info), cmd);
	return err ? err : nr;
}

static void knc_regs_here(void *regs)
{
	knc_hw_snapshot(regs);
}

/**
 * knc_query_regs() - read the PMU registers of a hardware thread
 * @cpu: the hardware thread
 * @regs: room for all registers of the PMU
 *
 * Return: 0, or -ENXIO if there is no such hardware thread online.
 */
int knc_query_regs(unsigned int cpu, struct knc_pmu_reg *regs)
{
	if (cpu >= nr_cpu_ids)
		return -ENXIO;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	return smp_call_function_single(cpu, knc_regs_here, regs, true);
}

long knc_query_ioctl_regs(struct knc_pmu_regs __user *arg, unsigned int cmd)
{
	struct knc_pmu_reg regs[PMU_MAX_REGISTERS];
	struct knc_pmu_regs r;
	struct knc_copy_list out;
	unsigned int i;
	int err;

	err = knc_copy_in(&r, sizeof(r), arg, cmd);
	if (!err)
		err = knc_copy_list_init(&out, &r.regs);
	if (err)
		return err;
	err = knc_query_need_counters(r.pmu);
	if (err)
		return err;
	if (!perfmon_capable())
		return -EPERM;
	err = knc_query_regs(r.cpu, regs);
	for (i = 0; !err && i < this_pmu->nr_registers; i++)
		err = knc_copy_list_put(&out, i, &regs[i], sizeof(regs[i]));
	return err ? err : (long)this_pmu->nr_registers;
}

long knc_query_ioctl_owner(struct knc_pmu_owner __user *arg, unsigned int cmd)
{
	const struct knc_host_pmu *host;
	struct knc_pmu_owner owner;
	int ret;

	ret = knc_copy_in(&owner, sizeof(owner), arg, cmd);
	if (ret)
		return ret;
	if (owner.reserved)
		return -EINVAL;
	host = knc_host_find(owner.pmu);
	if (host && host->owner) {
		ret = host->owner(owner.cpu, owner.counter, &owner.pid);
	} else {
		ret = knc_query_need_counters(owner.pmu);
		if (!ret)
			ret = knc_session_owner(owner.cpu, owner.counter, &owner.pid);
	}
	if (ret < 0)
		return ret;
	owner.flags = ret;
	return knc_copy_out(arg, &owner, sizeof(owner), cmd);
}

/**
 * knc_query_stats() - statistics of PMIs
 * @out: the caller's array, for a struct knc_pmu_stats of each possible hardware thread
 *
 * Return: the number of possible hardware threads, or -EFAULT.
 */
int knc_query_stats(const struct knc_copy_list *out)
{
	struct knc_pmu_stats stats;
	unsigned int cpu, nr = 0;
	int err;

	for_each_possible_cpu(cpu) {
		/* a PMI may come during the copy: then some fields are older than others */
		stats = knc_hwthread_of(cpu)->stats;
		stats.cpu = cpu;
		err = knc_copy_list_put(out, nr++, &stats, sizeof(stats));
		if (err)
			return err;
	}
	return nr;
}

/* Copy the argument of STATS or GRANTS */
static int knc_list_in(struct knc_copy_list *out, struct knc_pmu_list __user *arg,
		       unsigned int cmd)
{
	struct knc_pmu_list list;
	int err;

	err = knc_copy_in(&list, sizeof(list), arg, cmd);
	return err ? err : knc_copy_list_init(out, &list);
}

long knc_query_ioctl_stats(struct knc_pmu_list __user *arg, unsigned int cmd)
{
	struct knc_copy_list out;
	int err;

	err = knc_list_in(&out, arg, cmd);
	if (err)
		return err;
	if (!perfmon_capable())
		return -EPERM;
	return knc_query_stats(&out);
}

long knc_query_ioctl_grants(struct knc_pmu_list __user *arg, unsigned int cmd)
{
	struct knc_pmu_grant *list = NULL;
	struct knc_copy_list out;
	int err, i, nr;

	err = knc_list_in(&out, arg, cmd);
	if (err)
		return err;
	nr = knc_rdpmc_list(out.nr ? &list : NULL);
	for (i = 0; list && !err && i < nr; i++)
		err = knc_copy_list_put(&out, i, &list[i], sizeof(list[i]));
	kvfree(list);
	return err ? err : nr;
}
