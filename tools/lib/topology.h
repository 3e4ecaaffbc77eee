/* SPDX-License-Identifier: GPL-2.0 */
/* The hardware threads of each core */
#ifndef KNCPMU_TOPOLOGY_H
#define KNCPMU_TOPOLOGY_H

#include "kncpmu.h"

/**
 * struct kncpmu_core - a core
 * @package: the kernel's number of its package
 * @id: the kernel's number of the core; numbers may be missing
 * @cpus: its hardware threads
 */
struct kncpmu_core {
	unsigned int package;
	unsigned int id;
	struct kncpmu_cpus cpus;
};

/**
 * struct kncpmu_topology - all cores
 * @nr_cores: number of cores
 * @cores: the cores in ascending order
 * @width: the largest number of threads that a core has online
 * @online: the hardware threads online. Sysfs has no core for
 *	offline ones: @cores has such a thread only if one core alone can be its own
 * @unknown: offline hardware threads whose core is not known
 */
struct kncpmu_topology {
	unsigned int nr_cores;
	struct kncpmu_core *cores;
	unsigned int width;
	struct kncpmu_cpus online;
	struct kncpmu_cpus unknown;
};

/**
 * kncpmu_topology_read() - read the topology from sysfs
 * @root: directory to be read; NULL: the one that the environment variable KNC_PMUCTL_SYSFS names,
 *	or else /sys/devices/system/cpu, which must be the kernel's
 * @t: the cores, out; on success kncpmu_topology_free() frees them
 *
 * Return: 0, or the negative errno of reading sysfs; -ENOMEM.
 */
int kncpmu_topology_read(const char *root, struct kncpmu_topology *t);

/**
 * kncpmu_topology_free() - free what kncpmu_topology_read() allocated
 * @t: the cores
 */
void kncpmu_topology_free(struct kncpmu_topology *t);

/**
 * kncpmu_topology_core() - the core of a hardware thread
 * @t: the cores
 * @cpu: the hardware thread
 *
 * Return: the index of the core in @t->cores; -1: not known.
 */
int kncpmu_topology_core(const struct kncpmu_topology *t, unsigned int cpu);

/**
 * enum kncpmu_order - in which order hardware threads are used
 * @KNCPMU_ORDER_CORES: one of each core, and no more
 * @KNCPMU_ORDER_COMPACT: all of a core, then those of the next one
 * @KNCPMU_ORDER_SCATTER: one of each core, then a second one of each
 */
enum kncpmu_order {
	KNCPMU_ORDER_CORES,
	KNCPMU_ORDER_COMPACT,
	KNCPMU_ORDER_SCATTER
};

/**
 * kncpmu_topology_order() - list hardware threads in the order in which to use them
 * @t: the cores
 * @order: the order
 * @of: the hardware threads that can be used
 * @list: room for as many as @of has, out
 *
 * Return: the length of the list.
 */
unsigned int kncpmu_topology_order(const struct kncpmu_topology *t,
				   enum kncpmu_order order,
				   const struct kncpmu_cpus *of, unsigned int *list);

#endif /* KNCPMU_TOPOLOGY_H */
