/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of hardware threads */
#ifndef KNC_CTL_CPUS_H
#define KNC_CTL_CPUS_H

#include <kncpmu.h>
#include <sets.h>
#include <topology.h>

#include "cli/message.h"

#define CPU_DIR		"/sys/devices/system/cpu"

/* Bytes for CPUs as a list in a message */
#define CPUS_TEXT	256

/* The first CPU of a set, and the next one after @cpu; KNC_PMU_MAX_CPUS: none */
static inline unsigned int first_cpu(const struct kncpmu_cpus *cpus)
{
	return kncpmu_cpus_next(cpus, 0);
}

static inline unsigned int next_cpu(const struct kncpmu_cpus *cpus,
				    unsigned int cpu)
{
	return kncpmu_cpus_next(cpus, cpu + 1);
}

/* The plural ending of "CPU" before a list of @cpus */
static inline const char *plural(const struct kncpmu_cpus *cpus)
{
	return kncpmu_cpus_count(cpus) == 1 ? "" : "s";
}

/* Numbers of cores are unique only within a package */
static inline int several_packages(const struct kncpmu_topology *t)
{
	return t->nr_cores && t->cores[0].package != t->cores[t->nr_cores - 1].package;
}

/* Parse a list of online CPUs; returns 0 or an exit status */
int parse_cpus(const struct command *cmd, const char *text,
	       struct kncpmu_cpus *cpus);

/* Get all online CPUs; returns 0 or an exit status */
int online_cpus(struct kncpmu_cpus *cpus);

/* Explain why the cores are unknown, by the library's negative errno */
int no_cores(int error);

/* Read all cores, which kncpmu_topology_free() frees; returns 0 or an exit status */
int read_topology(struct kncpmu_topology *t);

/* Keep this program off @cores, or at least off @cpus, if there are other CPUs */
void keep_off(const struct kncpmu_cpus *cores, const struct kncpmu_cpus *cpus);

#endif /* KNC_CTL_CPUS_H */
