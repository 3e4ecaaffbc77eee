// SPDX-License-Identifier: GPL-2.0
/*
 * knc_pmu: the core performance-monitoring unit of the Intel Xeon Phi "Knights
 * Corner"
 *
 * Load and unload the module, refuse the wrong CPU, register for CPU hotplug, suspend and
 * reboot. Documentation/design.rst shows the floors and what each file does.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "abi/chardev.h"
#include "compat/compat.h"
#include "compat/hotplug.h"
#include "count/hwthread.h"
#include "host/host.h"
#include "pmu/hw.h"
#include "rdpmc/grants.h"
#include "sample/delivery.h"
#include "session/session.h"
#include "task/task.h"

/* Can the module work with this kernel and this CPU? */
static int __init knc_pmu_probe(void)
{
	int err;

	if (KNC_COMPAT_RT) {
		pr_err("this is a real-time kernel (PREEMPT_RT): tracepoint probes can't take its locks, which following tasks needs; boot a kernel without PREEMPT_RT\n");
		return -EOPNOTSUPP;
	}
	if (!boot_cpu_has(X86_FEATURE_APIC)) {
		pr_err("the kernel does not use the local APIC, which overflow interrupts need; boot without nolapic\n");
		return -ENODEV;
	}
	err = knc_hw_probe();
	if (err) {
		pr_err("this module needs a %s, and this CPU (vendor %s, family %#x, model %#x) is none\n",
		       this_pmu->cpu, boot_cpu_data.x86_vendor_id, boot_cpu_data.x86,
		       boot_cpu_data.x86_model);
		return err;
	}
	if (!tsc_khz)
		pr_warn("the kernel has not measured the time stamp counter (tsc_khz is 0): counts are right, times and rates are not; dmesg | grep -i tsc shows why\n");
	return 0;
}

static int __init knc_pmu_init(void)
{
	int err = knc_pmu_probe();

	if (err)
		return err;
	knc_hwthreads_init();
	err = knc_delivery_init();
	if (err)
		return err;
	knc_host_init();
	knc_tasks_init();
	knc_rdpmc_init(current->mm);
	err = knc_compat_hotplug_register(knc_sessions_online,
					  knc_sessions_offline);
	if (err)
		goto err_pmi;
	knc_compat_suspend_register(knc_sessions_suspend, knc_sessions_resume,
				    knc_sessions_shutdown);
	err = knc_chardev_register();
	if (err)
		goto err_suspend;
	return 0;

err_suspend:
	knc_compat_suspend_unregister();
	knc_compat_hotplug_unregister();
err_pmi:
	knc_rdpmc_exit();
	knc_delivery_exit();
	knc_tasks_exit();
	return err;
}

static void __exit knc_pmu_exit(void)
{
	knc_chardev_unregister();
	knc_host_exit();
	knc_reserve_exit();
	knc_rdpmc_exit();
	knc_probes_exit();
	knc_compat_suspend_unregister();
	knc_compat_hotplug_unregister();
	knc_delivery_exit();
	rcu_barrier(); /* wait for callbacks of targets.c, permissions.c and host/ */
	knc_tasks_exit();
}

module_init(knc_pmu_init);
module_exit(knc_pmu_exit);

MODULE_DESCRIPTION("Intel Xeon Phi Knights Corner core PMU");
MODULE_AUTHOR("knc_pmu developers");
MODULE_VERSION(KNC_PMU_VERSION);
MODULE_LICENSE("GPL");
