/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware threads come and go, and the machine is suspended
 */
#ifndef KNC_PMU_COMPAT_HOTPLUG_H
#define KNC_PMU_COMPAT_HOTPLUG_H

/*
 * Hotplug: @online runs after a CPU came, @offline before it goes, both able
 * to sleep and with the set of online CPUs stable.
 */
int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu));
void knc_compat_hotplug_unregister(void);

/*
 * Suspend of the machine: the CPU that hotplug leaves online calls these, interrupts
 * off. Before 2.6.39 modules are not told.
 */
void knc_compat_suspend_register(void (*suspend)(void), void (*resume)(void));
void knc_compat_suspend_unregister(void);

#endif /* KNC_PMU_COMPAT_HOTPLUG_H */
