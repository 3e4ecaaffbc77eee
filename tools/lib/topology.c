// SPDX-License-Identifier: GPL-2.0
/*
 * The hardware threads of each core, from sysfs
 *
 * CPU numbers need not follow the cores: in Intel's kernel for Knights Corner the boot CPU, 0, is
 * on the last core, with the three highest CPUs. Numbers are used only to guess the core of offline
 * threads.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "sets.h"
#include "topology.h"

/* Read a number from cpuN/topology; 0: the kernel has no such file */
static int read_number(const char *root, unsigned int cpu, const char *file, unsigned int *number)
{
	char name[64], line[32];
	int ret;

	snprintf(name, sizeof(name), "cpu%u/topology/%s", cpu, file);
	ret = kncpmu_cpu_line(root, name, line, sizeof(line));
	*number = strtoul(line, NULL, 10);
	return ret == -ENOENT ? 0 : ret;
}

/* The hardware threads of @cpu's core that are in @online, @cpu included */
static int read_siblings(const char *root, unsigned int cpu, const struct kncpmu_cpus *online,
			 struct kncpmu_cpus *siblings)
{
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "cpu%u/topology/thread_siblings_list", cpu);
	ret = kncpmu_cpu_list(root, name, siblings);
	/* a list that lacks @cpu is not its own */
	if (!ret && !kncpmu_cpus_test(siblings, cpu))
		return -EXDEV;
	kncpmu_cpus_set(siblings, cpu);
	kncpmu_cpus_and(siblings, online);
	return ret == -ENOENT ? 0 : ret;
}

/* Add the core of @cpu; @left are the CPUs online that are not in a core yet */
static int add_core(struct kncpmu_topology *t, const char *root, unsigned int cpu,
		    const struct kncpmu_cpus *left)
{
	struct kncpmu_core *core;
	int ret;

	core = realloc(t->cores, (t->nr_cores + 1) * sizeof(*core));
	if (!core)
		return -ENOMEM;
	t->cores = core;
	core += t->nr_cores++;
	memset(core, 0, sizeof(*core));
	ret = read_number(root, cpu, "physical_package_id", &core->package);
	if (!ret)
		ret = read_number(root, cpu, "core_id", &core->id);
	return ret ? : read_siblings(root, cpu, left, &core->cpus);
}

static int by_number(const void *one, const void *other)
{
	const struct kncpmu_core *a = one, *b = other;

	if (a->package != b->package)
		return a->package < b->package ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	/* on kernels without core numbers */
	return kncpmu_cpus_next(&a->cpus, 0) < kncpmu_cpus_next(&b->cpus, 0) ? -1 : 1;
}

static int read_cores(struct kncpmu_topology *t, const char *root)
{
	struct kncpmu_cpus left = t->online;
	const struct kncpmu_cpus *siblings;
	unsigned int cpu;
	int ret;

	for (cpu = kncpmu_cpus_next(&left, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(&left, cpu + 1)) {
		ret = add_core(t, root, cpu, &left);
		if (ret)
			return ret;
		siblings = &t->cores[t->nr_cores - 1].cpus;
		kncpmu_cpus_andnot(&left, siblings);
		if (kncpmu_cpus_count(siblings) > t->width)
			t->width = kncpmu_cpus_count(siblings);
	}
	qsort(t->cores, t->nr_cores, sizeof(*t->cores), by_number);
	return 0;
}

int kncpmu_topology_core(const struct kncpmu_topology *t, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < t->nr_cores; i++) {
		if (kncpmu_cpus_test(&t->cores[i].cpus, cpu))
			return i;
	}
	return -1;
}

static int has_room(const struct kncpmu_topology *t, int core)
{
	return core >= 0 && kncpmu_cpus_count(&t->cores[core].cpus) < t->width;
}

/* The core of CPU @cpu - 1 or @cpu + 1 that lacks a thread; -1: neither or both lack one */
static int neighbours_core(const struct kncpmu_topology *t, unsigned int cpu)
{
	int before = cpu ? kncpmu_topology_core(t, cpu - 1) : -1;
	int behind = kncpmu_topology_core(t, cpu + 1);

	if (!has_room(t, before))
		before = -1;
	if (!has_room(t, behind))
		behind = -1;
	if (before >= 0 && behind >= 0 && before != behind)
		return -1;
	return before >= 0 ? before : behind;
}

static void put_in_core(struct kncpmu_topology *t, unsigned int cpu, int core)
{
	kncpmu_cpus_set(&t->cores[core].cpus, cpu);
	kncpmu_cpus_clear(&t->unknown, cpu);
}

/* Guess: threads of one core have consecutive numbers */
static void place_by_neighbours(struct kncpmu_topology *t)
{
	unsigned int cpu;
	int core, again;

	do {
		again = 0;
		for (cpu = kncpmu_cpus_next(&t->unknown, 0); cpu < KNC_PMU_MAX_CPUS;
		     cpu = kncpmu_cpus_next(&t->unknown, cpu + 1)) {
			core = neighbours_core(t, cpu);
			if (core < 0)
				continue;
			put_in_core(t, cpu, core);
			again = 1;
		}
	} while (again);
}

/* Put all remaining threads into the only core that lacks threads, if it lacks that many */
static void place_by_room(struct kncpmu_topology *t)
{
	unsigned int i, cpu;
	int core = -1;

	for (i = 0; i < t->nr_cores; i++) {
		if (!has_room(t, i))
			continue;
		if (core >= 0)
			return;
		core = i;
	}
	if (core < 0 || kncpmu_cpus_count(&t->cores[core].cpus) +
	    kncpmu_cpus_count(&t->unknown) != t->width)
		return;
	for (cpu = kncpmu_cpus_next(&t->unknown, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(&t->unknown, cpu + 1))
		put_in_core(t, cpu, core);
}

int kncpmu_topology_read(const char *root, struct kncpmu_topology *t)
{
	struct kncpmu_cpus present;
	unsigned int i;
	int ret;

	memset(t, 0, sizeof(*t));
	ret = kncpmu_cpu_list(root, "online", &t->online);
	if (ret)
		return ret;
	if (kncpmu_cpu_list(root, "present", &present))
		present = t->online;
	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		t->unknown.bits[i] = present.bits[i] & ~t->online.bits[i];
	ret = read_cores(t, root);
	if (ret) {
		kncpmu_topology_free(t);
		return ret;
	}
	/* the kernel does not tell the core of a CPU that is offline */
	place_by_neighbours(t);
	place_by_room(t);
	return 0;
}

void kncpmu_topology_free(struct kncpmu_topology *t)
{
	free(t->cores);
	memset(t, 0, sizeof(*t));
}

/* The @n-th thread, from 0, of the core's threads in @of; KNC_PMU_MAX_CPUS if it has fewer */
static unsigned int nth_thread(const struct kncpmu_core *core,
			       const struct kncpmu_cpus *of, unsigned int n)
{
	unsigned int cpu;

	for (cpu = kncpmu_cpus_next(&core->cpus, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(&core->cpus, cpu + 1)) {
		if (kncpmu_cpus_test(of, cpu) && !n--)
			break;
	}
	return cpu;
}

unsigned int kncpmu_topology_order(const struct kncpmu_topology *t,
				   enum kncpmu_order order,
				   const struct kncpmu_cpus *of, unsigned int *list)
{
	unsigned int i, n, cpu, nr = 0, rows = t->nr_cores, columns = t->width;

	if (order == KNCPMU_ORDER_CORES)
		columns = 1;
	if (order != KNCPMU_ORDER_COMPACT) {
		rows = columns;
		columns = t->nr_cores;
	}
	for (i = 0; i < rows; i++) {
		for (n = 0; n < columns; n++) {
			if (order == KNCPMU_ORDER_COMPACT)
				cpu = nth_thread(&t->cores[i], of, n);
			else
				cpu = nth_thread(&t->cores[n], of, i);
			if (cpu < KNC_PMU_MAX_CPUS)
				list[nr++] = cpu;
		}
	}
	return nr;
}
