/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_TOPOLOGY_H
#define STUB_ASM_TOPOLOGY_H

#include <asm/percpu.h>

DECLARE_PER_CPU(cpumask_var_t, cpu_sibling_map);

/* a card is one NUMA node */
#define cpu_to_node(cpu) ((void)(cpu), 0)
#define topology_thread_cpumask(cpu) (per_cpu(cpu_sibling_map, cpu))

#endif /* STUB_ASM_TOPOLOGY_H */
