// SPDX-License-Identifier: GPL-2.0
/* Sets of hardware threads */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "kernel-file.h"
#include "sets.h"

#define LONG_BITS	(8 * sizeof(unsigned long))
#define LIST_LEN	4096	/* longest list that sysfs shows */
#define PATH_LEN	512

void kncpmu_cpus_set(struct kncpmu_cpus *cpus, unsigned int cpu)
{
	cpus->bits[cpu / LONG_BITS] |= 1UL << cpu % LONG_BITS;
}

void kncpmu_cpus_clear(struct kncpmu_cpus *cpus, unsigned int cpu)
{
	cpus->bits[cpu / LONG_BITS] &= ~(1UL << cpu % LONG_BITS);
}

int kncpmu_cpus_test(const struct kncpmu_cpus *cpus, unsigned int cpu)
{
	return cpu < KNC_PMU_MAX_CPUS &&
	       (cpus->bits[cpu / LONG_BITS] >> cpu % LONG_BITS & 1);
}

unsigned int kncpmu_cpus_next(const struct kncpmu_cpus *cpus, unsigned int cpu)
{
	while (cpu < KNC_PMU_MAX_CPUS && !kncpmu_cpus_test(cpus, cpu))
		cpu++;
	return cpu;
}

void kncpmu_cpus_or(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others)
{
	unsigned int i;

	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		cpus->bits[i] |= others->bits[i];
}

void kncpmu_cpus_and(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others)
{
	unsigned int i;

	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		cpus->bits[i] &= others->bits[i];
}

void kncpmu_cpus_andnot(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others)
{
	unsigned int i;

	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		cpus->bits[i] &= ~others->bits[i];
}

unsigned int kncpmu_cpus_count(const struct kncpmu_cpus *cpus)
{
	unsigned int i, n = 0;

	for (i = 0; i < KNCPMU_CPUS_LONGS; i++)
		n += __builtin_popcountl(cpus->bits[i]);
	return n;
}

/* "N" at *@at */
static int parse_cpu(const char *text, const char **at, unsigned int *cpu,
		     struct kncpmu_error *err)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**at))
		return kncpmu_fail(err, -EINVAL,
				   "CPU list '%s': a CPU number was expected at character %u; write lists as 0-3,8",
				   text, (unsigned int)(*at - text) + 1);
	value = strtoul(*at, &end, 10);
	if (value >= KNC_PMU_MAX_CPUS)
		return kncpmu_fail(err, -ERANGE,
				   "CPU list '%s': the number at character %u is too large, CPUs end at %d",
				   text, (unsigned int)(*at - text) + 1,
				   KNC_PMU_MAX_CPUS - 1);
	*cpu = value;
	*at = end;
	return 0;
}

/* "N" or "N-M" at *@at */
static int parse_range(const char *text, const char **at,
		       struct kncpmu_cpus *cpus, struct kncpmu_error *err)
{
	unsigned int first, last, column = *at - text + 1;
	int ret;

	ret = parse_cpu(text, at, &first, err);
	if (ret)
		return ret;
	last = first;
	if (**at == '-') {
		(*at)++;
		ret = parse_cpu(text, at, &last, err);
		if (ret)
			return ret;
	}
	if (last < first)
		return kncpmu_fail(err, -EINVAL,
				   "CPU list '%s': the range at character %u runs backwards, %u-%u",
				   text, column, first, last);
	for (; first <= last; first++)
		kncpmu_cpus_set(cpus, first);
	return 0;
}

int kncpmu_cpus_parse(const char *text, struct kncpmu_cpus *cpus,
		      struct kncpmu_error *err)
{
	const char *at = text;
	int ret;

	memset(cpus, 0, sizeof(*cpus));
	if (!*text)
		return kncpmu_fail(err, -EINVAL,
				   "the CPU list is empty: name at least one hardware thread, as in 0-3,8");
	while (1) {
		ret = parse_range(text, &at, cpus, err);
		if (ret)
			return ret;
		if (!*at)
			return 0;
		if (*at != ',')
			return kncpmu_fail(err, -EINVAL,
					   "CPU list '%s': '%c' at character %u; write lists as 0-3,8",
					   text, *at, (unsigned int)(at - text) + 1);
		at++;
	}
}

void kncpmu_cpus_format(const struct kncpmu_cpus *cpus, char *text, size_t size)
{
	unsigned int first, last;
	size_t len = 0;
	char range[32];

	text[0] = '\0';
	for (first = kncpmu_cpus_next(cpus, 0); first < KNC_PMU_MAX_CPUS;
	     first = kncpmu_cpus_next(cpus, last + 1)) {
		last = first;
		while (kncpmu_cpus_test(cpus, last + 1))
			last++;
		if (last == first)
			snprintf(range, sizeof(range), "%s%u", len ? "," : "", first);
		else
			snprintf(range, sizeof(range), "%s%u-%u", len ? "," : "",
				 first, last);
		if (len + strlen(range) + 4 > size) {
			snprintf(text + len, size - len, "...");
			return;
		}
		len += snprintf(text + len, size - len, "%s", range);
	}
}

/* The environment may name a directory that is not the kernel's sysfs */
static const char *named_tree(void)
{
	const char *root = getenv("KNC_PMUCTL_SYSFS");

	return root && *root ? root : NULL;
}

int kncpmu_cpu_line(const char *root, const char *name, char *line, size_t size)
{
	char path[PATH_LEN];

	if (!root)
		root = named_tree();
	snprintf(path, sizeof(path), "%s/%s", root ? : KNCPMU_SYSFS_CPU, name);
	return root ? kncpmu_read_line(path, line, size) : kncpmu_kernel_line(path, line, size);
}

int kncpmu_cpu_list(const char *root, const char *name, struct kncpmu_cpus *cpus)
{
	struct kncpmu_error err;
	char line[LIST_LEN];
	int ret;

	memset(cpus, 0, sizeof(*cpus));
	ret = kncpmu_cpu_line(root, name, line, sizeof(line));
	return ret ? ret : kncpmu_cpus_parse(line, cpus, &err);
}

int kncpmu_cpus_possible(struct kncpmu_cpus *cpus)
{
	return kncpmu_cpu_list(NULL, "possible", cpus);
}

int kncpmu_cpus_online(struct kncpmu_cpus *cpus)
{
	return kncpmu_cpu_list(NULL, "online", cpus);
}

int kncpmu_cpus_siblings(unsigned int cpu, struct kncpmu_cpus *cpus)
{
	char name[64];

	snprintf(name, sizeof(name), "cpu%u/topology/thread_siblings_list", cpu);
	return kncpmu_cpu_list(NULL, name, cpus);
}

int kncpmu_cpus_packages(struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus all = *cpus, package;
	unsigned int cpu;
	char name[64];
	int ret;

	for (cpu = kncpmu_cpus_next(&all, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(&all, cpu + 1)) {
		snprintf(name, sizeof(name), "cpu%u/topology/core_siblings_list", cpu);
		ret = kncpmu_cpu_list(NULL, name, &package);
		if (ret)
			return ret;
		/* keep the package's first CPU, and skip the others */
		kncpmu_cpus_andnot(&all, &package);
		kncpmu_cpus_clear(&package, cpu);
		kncpmu_cpus_andnot(cpus, &package);
	}
	return 0;
}
