// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug, suspend and reboot
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/sched.h>

#include "compat/hotplug.h"
#include "compat/versions.h"

/*
 * Until 5.10 a CPU that goes offline still runs tasks after the callbacks that may sleep. To count
 * these tasks, the CPU itself saves and loads its counters with interrupts off, as at suspend and
 * resume.
 */
#ifndef KNC_COMPAT_WAIT_EMPTY
#define KNC_COMPAT_BY_ITSELF 1
#else
#define KNC_COMPAT_BY_ITSELF 0
#endif

static void (*knc_compat_suspend)(void);
static void (*knc_compat_resume)(void);
static void (*knc_compat_shutdown)(void);
static int (*knc_compat_offline)(unsigned int cpu);

static int knc_compat_reboot_notify(struct notifier_block *nb, unsigned long action, void *command)
{
	knc_compat_shutdown();
	return NOTIFY_DONE;
}

static struct notifier_block knc_compat_reboot_nb = {
	.notifier_call = knc_compat_reboot_notify,
};

static void knc_compat_reboot_register(void (*shutdown)(void))
{
	knc_compat_shutdown = shutdown;
	register_reboot_notifier(&knc_compat_reboot_nb);
}

#if KNC_COMPAT_BY_ITSELF
static int (*knc_compat_online)(unsigned int cpu);

/* CPUs that were online since loading: preparations that may sleep are done for them */
static struct cpumask knc_compat_seen;

static int knc_compat_came(unsigned int cpu)
{
	int err = knc_compat_online(cpu);

	if (!err)
		cpumask_set_cpu(cpu, &knc_compat_seen);
	return err;
}

/* On a CPU that comes online, before its first task */
static int knc_compat_starting(unsigned int cpu)
{
	if (knc_compat_resume && cpumask_test_cpu(cpu, &knc_compat_seen))
		knc_compat_resume();
	return 0;
}

/* On a CPU that goes offline, after its last task */
static int knc_compat_dying(unsigned int cpu)
{
	if (knc_compat_suspend)
		knc_compat_suspend();
	return 0;
}
#endif

#if !KNC_COMPAT_MPSS
#include <linux/syscore_ops.h>

static int knc_compat_hotplug_state;

/*
 * Call @fn for each online CPU, on this CPU. cpuhp_setup_state() would call it in a thread of each
 * CPU, and wait for ever if a real-time program leaves this thread no time. The hotplug lock is
 * held.
 */
static int knc_compat_on_each(int (*fn)(unsigned int cpu))
{
	unsigned int cpu;
	int err = 0;

	for_each_online_cpu(cpu)
		err = err ?: fn(cpu);
	return err;
}

#if KNC_COMPAT_BY_ITSELF
/*
 * A hotplug state of another architecture, because none of the STARTING states is dynamic. It comes
 * before CPUHP_AP_SMPCFD_DYING, which runs pending irq_work.
 */
#define KNC_COMPAT_STARTING	CPUHP_AP_ARM_CACHE_B15_RAC_DYING

static int knc_compat_dead_state;

static int knc_compat_hotplug_states(int (*online)(unsigned int cpu),
				     int (*offline)(unsigned int cpu))
{
	int state;

	knc_compat_online = online;
	knc_compat_offline = offline;
	state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN, "knc_pmu:dead", NULL,
						     offline);
	if (state < 0)
		return state;
	knc_compat_dead_state = state;
	state = cpuhp_setup_state_nocalls_cpuslocked(KNC_COMPAT_STARTING, "knc_pmu:starting",
						     knc_compat_starting, knc_compat_dying);
	if (state < 0)
		goto err_dead;
	state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_AP_ONLINE_DYN, "knc_pmu:online",
						     knc_compat_came, NULL);
	if (state < 0)
		goto err_starting;
	knc_compat_hotplug_state = state;
	return knc_compat_on_each(knc_compat_came);

err_starting:
	cpuhp_remove_state_nocalls_cpuslocked(KNC_COMPAT_STARTING);
err_dead:
	cpuhp_remove_state_nocalls_cpuslocked(knc_compat_dead_state);
	return state;
}

void knc_compat_hotplug_unregister(void)
{
	cpus_read_lock();
	cpuhp_remove_state_nocalls_cpuslocked(knc_compat_hotplug_state);
	cpuhp_remove_state_nocalls_cpuslocked(KNC_COMPAT_STARTING);
	cpuhp_remove_state_nocalls_cpuslocked(knc_compat_dead_state);
	knc_compat_on_each(knc_compat_offline);
	cpus_read_unlock();
}
#else
static int knc_compat_hotplug_states(int (*online)(unsigned int cpu),
				     int (*offline)(unsigned int cpu))
{
	int state;

	knc_compat_offline = offline;
	state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_AP_ONLINE_DYN, "knc_pmu:online", online,
						     offline);
	if (state < 0)
		return state;
	knc_compat_hotplug_state = state;
	return knc_compat_on_each(online);
}

void knc_compat_hotplug_unregister(void)
{
	cpus_read_lock();
	cpuhp_remove_state_nocalls_cpuslocked(knc_compat_hotplug_state);
	knc_compat_on_each(knc_compat_offline);
	cpus_read_unlock();
}
#endif

int knc_compat_hotplug_register(int (*online)(unsigned int cpu), int (*offline)(unsigned int cpu))
{
	int err;

	cpus_read_lock();
	err = knc_compat_hotplug_states(online, offline);
	cpus_read_unlock();
	return err;
}

/* some stable kernels have the newer interface, too */
#ifdef KNC_COMPAT_SYSCORE
#define KNC_COMPAT_SYSCORE_DATA void *data
#else
#define KNC_COMPAT_SYSCORE_DATA void
#endif

static int knc_compat_syscore_suspend(KNC_COMPAT_SYSCORE_DATA)
{
	knc_compat_suspend();
	return 0;
}

static void knc_compat_syscore_resume(KNC_COMPAT_SYSCORE_DATA)
{
	knc_compat_resume();
}

#ifdef KNC_COMPAT_SYSCORE
static const struct syscore_ops knc_compat_syscore_ops = {
	.suspend	= knc_compat_syscore_suspend,
	.resume		= knc_compat_syscore_resume,
};

static struct syscore knc_compat_syscore = {
	.ops = &knc_compat_syscore_ops,
};
#else
static struct syscore_ops knc_compat_syscore = {
	.suspend	= knc_compat_syscore_suspend,
	.resume		= knc_compat_syscore_resume,
};

#define register_syscore register_syscore_ops
#define unregister_syscore unregister_syscore_ops
#endif

void knc_compat_suspend_register(knc_compat_power_fn suspend, knc_compat_power_fn resume,
				 knc_compat_power_fn shutdown)
{
	knc_compat_reboot_register(shutdown);
	knc_compat_suspend = suspend;
	knc_compat_resume = resume;
	register_syscore(&knc_compat_syscore);
}

void knc_compat_suspend_unregister(void)
{
	unregister_reboot_notifier(&knc_compat_reboot_nb);
	unregister_syscore(&knc_compat_syscore);
}
#else
#include <linux/hardirq.h>
#include <linux/irq_work.h>

/*
 * Run pending irq_work: on a dying CPU no interrupt will run it, and irq_work_sync() would wait for
 * ever. irq_work_run() must be called in hard interrupt context.
 */
static void knc_compat_run_irq_work(void)
{
	__irq_enter();
	irq_work_run();
	__irq_exit();
}

static int knc_compat_hotplug_notify(struct notifier_block *nb,
				     unsigned long action, void *hcpu)
{
	unsigned int cpu = (unsigned long)hcpu;

	switch (action & ~CPU_TASKS_FROZEN) {
	case CPU_STARTING:
		knc_compat_starting(cpu);
		break;
	case CPU_ONLINE:
		knc_compat_came(cpu);
		break;
	case CPU_DYING:
		knc_compat_dying(cpu);
		knc_compat_run_irq_work();
		break;
	case CPU_DEAD:
		knc_compat_offline(cpu);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block knc_compat_hotplug_nb = {
	.notifier_call = knc_compat_hotplug_notify,
};

int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu))
{
	unsigned int cpu;

	knc_compat_online = online;
	knc_compat_offline = offline;
	/* outside of get_online_cpus(): CPU hotplug takes the notifiers' lock first */
	register_hotcpu_notifier(&knc_compat_hotplug_nb);
	get_online_cpus();
	for_each_online_cpu(cpu)
		knc_compat_came(cpu);
	put_online_cpus();
	return 0;
}

void knc_compat_hotplug_unregister(void)
{
	unsigned int cpu;

	unregister_hotcpu_notifier(&knc_compat_hotplug_nb);
	get_online_cpus();
	for_each_online_cpu(cpu)
		knc_compat_offline(cpu);
	put_online_cpus();
}

void knc_compat_suspend_register(knc_compat_power_fn suspend, knc_compat_power_fn resume,
				 knc_compat_power_fn shutdown)
{
	knc_compat_reboot_register(shutdown);
	knc_compat_suspend = suspend;
	knc_compat_resume = resume;
}

void knc_compat_suspend_unregister(void)
{
	unregister_reboot_notifier(&knc_compat_reboot_nb);
	knc_compat_resume = NULL;
	knc_compat_suspend = NULL;
}
#endif
