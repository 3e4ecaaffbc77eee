/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of hardware threads: options, words, which there are */
#ifndef KNC_CTL_CPUS_H
#define KNC_CTL_CPUS_H

#include <kncpmu.h>

#include "cli/message.h"

/* Bytes for CPUs as a list in a message */
#define CPUS_TEXT	256

/* The first CPU of a set, and the one behind @cpu; KNC_PMU_MAX_CPUS: none */
static inline unsigned int first_cpu(const struct kncpmu_cpus *cpus)
{
	return kncpmu_cpus_next(cpus, 0);
}

static inline unsigned int next_cpu(const struct kncpmu_cpus *cpus,
				    unsigned int cpu)
{
	return kncpmu_cpus_next(cpus, cpu + 1);
}

/* What follows "CPU" before a list of them */
static inline const char *plural(const struct kncpmu_cpus *cpus)
{
	return kncpmu_cpus_count(cpus) == 1 ? "" : "s";
}

/* "-C" or "-a", which may be there once: @given says whether it was */
int take_cpus(const struct command *cmd, int opt, const char *arg,
	      struct kncpmu_cpus *cpus, int *given);

/* A list of CPUs */
int parse_cpus(const struct command *cmd, const char *text,
	       struct kncpmu_cpus *cpus);

/* All CPUs online; complains if that can't be found out */
int online_cpus(struct kncpmu_cpus *cpus);

/* All cores, for kncpmu_topology_free(); complains if they can't be found out */
int read_topology(struct kncpmu_topology *t);

/* Keep this program off @cores, or at least off @cpus, where there are others */
void keep_off(const struct kncpmu_cpus *cores, const struct kncpmu_cpus *cpus);

#endif /* KNC_CTL_CPUS_H */
