/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPU hotplug, suspend and reboot
 */
#ifndef KNC_PMU_COMPAT_HOTPLUG_H
#define KNC_PMU_COMPAT_HOTPLUG_H

/*
 * @online is called on a CPU that has come online, @offline on a CPU before it goes offline. The
 * registration calls @online for each online CPU, and the unregistration calls @offline, both on an
 * arbitrary CPU. Both can sleep, and the set of online CPUs does not change meanwhile.
 *
 * Until 5.10 @offline is called after the CPU went offline, on an arbitrary other CPU. On 2.6.38
 * @online is called on an arbitrary CPU, too, and errors of @online are ignored.
 */
int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu));
void knc_compat_hotplug_unregister(void);

/*
 * On suspend and resume the last online CPU calls @suspend and @resume with interrupts off; on
 * 2.6.38 modules can't register for this. Until 5.10 each CPU that goes offline also calls
 * @suspend, after its last task, and @resume when it comes back, before its first task. @shutdown
 * can sleep: the machine is about to reboot, or to start another kernel (kexec).
 */
typedef void (*knc_compat_power_fn)(void);
void knc_compat_suspend_register(knc_compat_power_fn suspend, knc_compat_power_fn resume,
				 knc_compat_power_fn shutdown);
void knc_compat_suspend_unregister(void);

#endif /* KNC_PMU_COMPAT_HOTPLUG_H */
