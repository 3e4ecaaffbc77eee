/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPU hotplug, suspend and reboot
 */
#ifndef KNC_PMU_COMPAT_HOTPLUG_H
#define KNC_PMU_COMPAT_HOTPLUG_H

/*
 * @online runs on a CPU after that came online, and @offline before it goes. @online also
 * runs at registration, and @offline at unregistration, for each online CPU, but on any CPU. Both
 * can sleep, and the set of online CPUs does not change. Until 5.10 @offline runs on any CPU, after
 * its own has gone. On 2.6.38 @online does so as well, and an error of it is ignored.
 */
int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu));
void knc_compat_hotplug_unregister(void);

/*
 * On suspend and resume the CPU that hotplug leaves online calls these with
 * interrupts off; on 2.6.38 modules can't register for that. Until 5.10 each CPU that goes
 * calls @suspend as well, after its last task, and @resume when it is back, before its first.
 * @shutdown can sleep: the machine is about to be rebooted, or to start another kernel (kexec).
 */
typedef void (*knc_compat_power_fn)(void);
void knc_compat_suspend_register(knc_compat_power_fn suspend, knc_compat_power_fn resume,
				 knc_compat_power_fn shutdown);
void knc_compat_suspend_unregister(void);

#endif /* KNC_PMU_COMPAT_HOTPLUG_H */
