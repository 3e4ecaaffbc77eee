/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_CPU_H
#define STUB_LINUX_CPU_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/notifier.h>

extern int register_cpu_notifier(struct notifier_block *nb);
extern void unregister_cpu_notifier(struct notifier_block *nb);
extern void get_online_cpus(void);
extern void put_online_cpus(void);

#define register_hotcpu_notifier(nb) register_cpu_notifier(nb)
#define unregister_hotcpu_notifier(nb) unregister_cpu_notifier(nb)

#endif /* STUB_LINUX_CPU_H */
