/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_SMP_H
#define STUB_LINUX_SMP_H

#include <linux/errno.h>
#include <linux/types.h>
#include <linux/list.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <asm/percpu.h>

typedef void (*smp_call_func_t)(void *info);

DECLARE_PER_CPU(int, cpu_number);

#define raw_smp_processor_id() this_cpu_read(cpu_number)
#define smp_processor_id() raw_smp_processor_id()
#define get_cpu() ({ preempt_disable(); smp_processor_id(); })
#define put_cpu() preempt_enable()

extern int smp_call_function_single(int cpuid, smp_call_func_t func,
				    void *info, int wait);
extern void smp_call_function_many(const struct cpumask *mask,
				   smp_call_func_t func, void *info, bool wait);
extern int on_each_cpu(smp_call_func_t func, void *info, int wait);

#endif /* STUB_LINUX_SMP_H */
