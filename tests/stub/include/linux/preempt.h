/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_PREEMPT_H
#define STUB_LINUX_PREEMPT_H

#include <linux/compiler.h>
#include <asm/percpu.h>

/* neither PREEMPT nor PREEMPT_NOTIFIERS */
#define preempt_disable() barrier()
#define preempt_enable() barrier()

#define add_preempt_count(val) do { preempt_count() += (val); } while (0)
#define sub_preempt_count(val) do { preempt_count() -= (val); } while (0)

DECLARE_PER_CPU(unsigned long, kernel_stack);
#define preempt_count() (*(int *)this_cpu_read(kernel_stack))

#endif /* STUB_LINUX_PREEMPT_H */
