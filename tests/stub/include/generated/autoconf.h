/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_GENERATED_AUTOCONF_H
#define STUB_GENERATED_AUTOCONF_H

/*
 * The configuration of a card's kernel, as far as the module or these headers ask
 */
#define CONFIG_SMP 1
#define CONFIG_X86_64 1
#define CONFIG_NR_CPUS 255
#define CONFIG_HZ 100
#define CONFIG_MODULES 1
#define CONFIG_MODULE_UNLOAD 1
#define CONFIG_TRACEPOINTS 1
#define CONFIG_PERF_EVENTS 1
#define CONFIG_HOTPLUG_CPU 1
#define CONFIG_PREEMPT_VOLUNTARY 1

#endif /* STUB_GENERATED_AUTOCONF_H */
