// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug and suspend
 */
#include <linux/cpu.h>

#include "compat/hotplug.h"
#include "compat/versions.h"

#if !KNC_COMPAT_MPSS
#include <linux/syscore_ops.h>

static int knc_compat_hotplug_state;

int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu))
{
	int state;

	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "knc_pmu:online",
				  online, offline);
	if (state < 0)
		return state;
	knc_compat_hotplug_state = state;
	return 0;
}

void knc_compat_hotplug_unregister(void)
{
	cpuhp_remove_state(knc_compat_hotplug_state);
}

static void (*knc_compat_suspend)(void);
static void (*knc_compat_resume)(void);

/* Kbuild has looked: some stable kernels have the newer interface as well. */
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

void knc_compat_suspend_register(void (*suspend)(void), void (*resume)(void))
{
	knc_compat_suspend = suspend;
	knc_compat_resume = resume;
	register_syscore(&knc_compat_syscore);
}

void knc_compat_suspend_unregister(void)
{
	unregister_syscore(&knc_compat_syscore);
}
#else
static int (*knc_compat_online)(unsigned int cpu);
static int (*knc_compat_offline)(unsigned int cpu);

static int knc_compat_hotplug_notify(struct notifier_block *nb,
				     unsigned long action, void *hcpu)
{
	unsigned int cpu = (unsigned long)hcpu;

	switch (action & ~CPU_TASKS_FROZEN) {
	case CPU_ONLINE:
	case CPU_DOWN_FAILED:
		knc_compat_online(cpu);
		break;
	case CPU_DOWN_PREPARE:
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
	/* not in get_online_cpus(): that would invert hotplug's lock order */
	register_hotcpu_notifier(&knc_compat_hotplug_nb);
	get_online_cpus();
	for_each_online_cpu(cpu)
		online(cpu);
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

void knc_compat_suspend_register(void (*suspend)(void), void (*resume)(void))
{
}

void knc_compat_suspend_unregister(void)
{
}
#endif
