// SPDX-License-Identifier: GPL-2.0
/*
 * Make changed permissions for RDPMC take effect on the CPUs that run the process
 *
 * The kernel tests the permission when a CPU switches to another mm. A kernel thread on each CPU
 * that uses the mm makes the CPU leave it; the CPU's next task of the process switches back.
 *
 * A real-time program without a limit (kernel.sched_rt_runtime_us is -1) leaves kernel threads no
 * time. stop_machine() works even then, but stops all CPUs for a moment: it is the last resort.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "pmu/hw.h"
#include "rdpmc/permissions.h"

/* How long to wait for the kernel threads: an idle machine needs microseconds. */
#define KNC_RELOAD_WAIT		(HZ / 10)

/*
 * Each reload has a number. A CPU reads the last number and then leaves its mm: this completes all
 * reloads up to this number.
 */
static atomic_long_t knc_reloads;
static DEFINE_PER_CPU(long, knc_reloaded);
static DEFINE_PER_CPU(struct work_struct, knc_reload_works);
static DECLARE_WAIT_QUEUE_HEAD(knc_reload_wait);

/* Runs in a kernel thread of a CPU, or on any other CPU if that CPU went offline meanwhile. */
static void knc_reload_work(struct work_struct *work)
{
	long nr;

	preempt_disable();
	nr = atomic_long_read(&knc_reloads);
	/* pairs with atomic_long_inc_return(): the permission was written before it */
	smp_mb();
	knc_compat_mm_leave();
	__this_cpu_write(knc_reloaded, nr);
	preempt_enable();
	wake_up(&knc_reload_wait);
}

/*
 * Have all CPUs that use @mm left it since reload @nr began? Queues the work of those that have
 * not, unless it is queued already.
 */
static bool knc_reload_done(struct mm_struct *mm, long nr)
{
	bool done = true;
	unsigned int cpu;

	for_each_cpu(cpu, mm_cpumask(mm)) {
		if (!cpu_online(cpu) || READ_ONCE(per_cpu(knc_reloaded, cpu)) - nr >= 0)
			continue;
		knc_compat_queue_on(cpu, &per_cpu(knc_reload_works, cpu));
		done = false;
	}
	return done;
}

static void knc_rdpmc_here(void *unused)
{
	knc_hw_permit_rdpmc(current->mm && knc_grant_exists(current->mm));
}

/**
 * knc_rdpmc_try_reload() - make changed permissions of a process take effect
 * @mm: the mm of the process
 *
 * Waits for kernel threads, up to KNC_RELOAD_WAIT.
 *
 * Return: false: the kernel thread of a CPU that uses @mm got no time.
 */
bool knc_rdpmc_try_reload(struct mm_struct *mm)
{
	long nr;

	if (!KNC_COMPAT_MM_RDPMC) {
		on_each_cpu(knc_rdpmc_here, NULL, true);
		return true;
	}
	nr = atomic_long_inc_return(&knc_reloads);
	if (knc_reload_done(mm, nr))
		return true;
	/* let this CPU's kernel thread run first: often no wait is needed then */
	cond_resched();
	return wait_event_timeout(knc_reload_wait, knc_reload_done(mm, nr), KNC_RELOAD_WAIT);
}

/* As knc_rdpmc_try_reload(), but stops all CPUs if it fails. The hotplug lock is not held. */
void knc_rdpmc_reload(struct mm_struct *mm)
{
	if (!knc_rdpmc_try_reload(mm))
		knc_compat_mm_stop(mm);
}

/* As knc_rdpmc_reload(), for all processes at once */
void knc_rdpmc_reload_all(void)
{
	knc_compat_mm_stop(NULL);
}

void knc_reload_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu(knc_reload_works, cpu), knc_reload_work);
}

void knc_reload_exit(void)
{
	unsigned int cpu;

	/* some may still be queued, because a real-time program left them no time */
	for_each_possible_cpu(cpu)
		cancel_work_sync(&per_cpu(knc_reload_works, cpu));
}
