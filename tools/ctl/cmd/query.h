/* SPDX-License-Identifier: GPL-2.0 */
/* What info and doctor both ask: who has the counters, and who may execute RDPMC */
#ifndef KNC_CTL_QUERY_H
#define KNC_CTL_QUERY_H

#include <kncpmu.h>

#include "cli/cpus.h"

#define MODULE_DIR	"/sys/module/knc_pmu"
#define RDPMC_SETTING	"/sys/bus/event_source/devices/cpu/rdpmc"

/**
 * struct holder - hardware threads whose counter one process has
 * @pid: the process
 * @flags: KNC_PMU_OWNER_*
 * @cpus: the threads
 */
struct holder {
	int pid;
	unsigned int flags;
	struct kncpmu_cpus cpus;
};

/* The first that has @counter on one of @cpus; its CPUs leave @cpus */
int next_holder(int fd, unsigned int counter, struct kncpmu_cpus *cpus, struct holder *holder);

/* perf's setting: 0: to nobody, 1: by process, 2: to everybody; -1: there is none */
int rdpmc_setting(void);

/* CPUs whose CR4 permits RDPMC now; a negative errno */
int get_pce(int fd, struct kncpmu_cpus *pce);

/* What sessions without CAP_PERFMON can have; NULL: the module does not say */
const char *read_unprivileged(char *word, size_t size);

#endif /* KNC_CTL_QUERY_H */
