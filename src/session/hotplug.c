// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug, suspend and shutdown: claims keep their counts
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "count/attach.h"
#include "count/hwthread.h"
#include "count/program.h"
#include "count/rotation.h"
#include "host/host.h"
#include "rdpmc/perf.h"
#include "sample/delivery.h"
#include "sample/sampler.h"
#include "session/internal.h"
#include "session/session.h"
#include "task/task.h"
#include "task/tsc-rate.h"

/* Call @fn once for each sampler of a hardware thread. */
static void knc_samplers_of(unsigned int cpu, void (*fn)(struct knc_sampler *s))
{
	const struct knc_hwthread *hw = knc_hwthread_of(cpu);
	const struct knc_claim *claim;
	unsigned int n;

	for_each_counter(n) {
		claim = knc_claim_at(hw, n);
		if (claim && claim->sampler)
			fn(claim->sampler);
	}
}

static void knc_start_again(struct knc_sampler *s)
{
	if (s->claim->started)
		knc_sampler_start(s);
}

/* knc_online_here() and knc_offline_here() are idempotent: until 5.10 hotplug calls them twice. */
static void knc_online_here(void *info)
{
	if (this_cpu_read(knc_hwthreads.online))
		return;
	knc_rotation_online();
	knc_samplers_of(smp_processor_id(), knc_start_again);
	if (pmu_has_extras())
		knc_offcore_online_here();
	knc_attach_online(this_cpu_ptr(&knc_hwthreads), *(u64 *)info);
}

static void knc_offline_here(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);

	if (!hw->online)
		return;
	knc_rotation_offline();
	knc_task_sched_out();
	knc_program_stop_all(hw);
	knc_samplers_of(smp_processor_id(), knc_sampler_stop);
	knc_attach_offline(hw, *(u64 *)info);
}

/*
 * A hardware thread came online: its claims count again. This must not fail, because the kernel
 * would take the CPU offline again. The caller holds the hotplug lock: no session claims or
 * releases counters now.
 */
int knc_sessions_online(unsigned int cpu)
{
	u64 now = ktime_get_ns();

	knc_delivery_online(cpu);
	knc_reserve_online(cpu);
	knc_samplers_of(cpu, knc_sampler_attach);
	knc_tsc_rate_online(cpu);
	smp_call_function_single(cpu, knc_online_here, &now, true);
	knc_host_online(cpu);
	return 0;
}

/*
 * The machine is about to be suspended, and the registers will be lost: update the counts now. Runs
 * on the only CPU that is online, interrupts off, before timekeeping stops.
 */
void knc_sessions_suspend(void)
{
	u64 now = ktime_get_ns();

	knc_offline_here(&now);
	knc_host_suspend();
}

/* The machine was resumed: the registers hold what the firmware left there. */
void knc_sessions_resume(void)
{
	u64 now = ktime_get_ns();

	knc_online_here(&now);
	knc_host_resume();
}

/*
 * The machine is about to reboot. A kernel started by kexec would find our registers: restore the
 * saved ones. Sessions keep their counts, but count no longer.
 */
void knc_sessions_shutdown(void)
{
	u64 now = ktime_get_ns();

	cpus_read_lock();
	mutex_lock(&knc_claims_lock);
	knc_shut_down = true;
	on_each_cpu(knc_offline_here, &now, true);
	mutex_unlock(&knc_claims_lock);
	cpus_read_unlock();
}

/*
 * A hardware thread is about to go offline. Until 5.10 it is offline already, and has called
 * knc_sessions_suspend() before.
 */
int knc_sessions_offline(unsigned int cpu)
{
	u64 now = ktime_get_ns();

	smp_call_function_single(cpu, knc_offline_here, &now, true);
	knc_samplers_of(cpu, knc_sampler_detach);
	knc_tsc_rate_offline(cpu);
	knc_delivery_offline(cpu);
	knc_takeover_offline(cpu);
	knc_host_offline(cpu);
	return 0;
}
