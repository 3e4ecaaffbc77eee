/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_PERCPU_H
#define STUB_LINUX_PERCPU_H

#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/cpumask.h>
#include <asm/percpu.h>

#define get_cpu_var(var) (*({ preempt_disable(); &__get_cpu_var(var); }))
#define put_cpu_var(var) do { (void)&(var); preempt_enable(); } while (0)

#endif /* STUB_LINUX_PERCPU_H */
