/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_CURRENT_H
#define STUB_ASM_CURRENT_H

#include <asm/percpu.h>

struct task_struct;

DECLARE_PER_CPU(struct task_struct *, current_task);

#define current this_cpu_read(current_task)

#endif /* STUB_ASM_CURRENT_H */
