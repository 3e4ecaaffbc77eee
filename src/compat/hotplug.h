/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPU hotplug and suspend
 */
#ifndef KNC_PMU_COMPAT_HOTPLUG_H
#define KNC_PMU_COMPAT_HOTPLUG_H

/*
 * @online runs on a CPU after that came online, and @offline before it goes. @online also
 * runs at registration, and @offline at unregistration, for each online CPU. Both can
 * sleep, and the set of online CPUs does not change. On 2.6.38 they run on any CPU, and an
 * error of @online is ignored.
 */
int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu));
void knc_compat_hotplug_unregister(void);

/*
 * On suspend and resume the CPU that hotplug leaves online calls these with
 * interrupts off. Before 2.6.39 modules can't register for that.
 */
void knc_compat_suspend_register(void (*suspend)(void), void (*resume)(void));
void knc_compat_suspend_unregister(void);

#endif /* KNC_PMU_COMPAT_HOTPLUG_H */
