// SPDX-License-Identifier: GPL-2.0
/*
 * What compat.h can't say in a line or two
 */
#include <linux/smp.h>

#include "compat.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
/* The rule of today's function: what the kernel does not know must be zero. */
int copy_struct_from_user(void *dst, size_t ksize, const void __user *src,
			  size_t usize)
{
	const u8 __user *rest = (const u8 __user *)src + ksize;
	size_t size = min(ksize, usize);
	size_t i;
	u8 byte;

	for (i = ksize; i < usize; i++, rest++) {
		if (get_user(byte, rest))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	if (copy_from_user(dst, src, size))
		return -EFAULT;
	memset(dst + size, 0, ksize - size);
	return 0;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 4, 0)
void on_each_cpu_mask(const struct cpumask *mask, void (*fn)(void *),
		      void *info, bool wait)
{
	unsigned long flags;
	int cpu = get_cpu();

	smp_call_function_many(mask, fn, info, wait);
	if (cpumask_test_cpu(cpu, mask)) {
		local_irq_save(flags);
		fn(info);
		local_irq_restore(flags);
	}
	put_cpu();
}
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 10, 0)

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
	/* not under get_online_cpus(): hotplug takes its locks the other way */
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

#endif
