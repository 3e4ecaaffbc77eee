/* SPDX-License-Identifier: GPL-2.0 */
/* What info and doctor both ask the module and the kernel */
#ifndef KNC_CTL_QUERY_H
#define KNC_CTL_QUERY_H

#include <kncpmu.h>

#include "cli/cpus.h"

#define MODULE_DIR	"/sys/module/knc_pmu"
/* the most registers that REGS returns for any PMU */
#define MAX_REGISTERS	64
#define RDPMC_SETTING	"/sys/bus/event_source/devices/cpu/rdpmc"

/**
 * struct holder - hardware threads whose counter one process has
 * @counter: the counter
 * @pid: the process
 * @flags: KNC_PMU_OWNER_*
 * @cpus: the threads
 * @next: the counter to search after @counter
 * @left: the hardware threads that remain to be searched for @counter
 */
struct holder {
	unsigned int counter;
	int pid;
	unsigned int flags;
	struct kncpmu_cpus cpus;
	unsigned int next;
	struct kncpmu_cpus left;
};

/* Get INFO, and INFO's entry for the hardware threads' PMU; returns 0 or a negative errno */
int get_info(int fd, struct knc_pmu_info *info, struct knc_pmu_desc *pmu);

/*
 * Find the first holder (@holder is all 0), or the next one. Returns 1; 0: there are no more;
 * or a negative errno.
 */
int next_holder(int fd, __u64 counters, struct holder *holder);

/*
 * Which processes may execute RDPMC by perf's setting: 0: none, 1: those that were granted it, 2:
 * all; -ENOENT: there is no such setting; another negative errno: it is hidden
 */
int rdpmc_setting(void);

/*
 * Is the module loaded? Returns 1, 0, or a negative errno if the module refuses to answer and the
 * list of modules is hidden
 */
int module_loaded(void);

/* Get the CPUs whose CR4 permits RDPMC now; returns 0 or a negative errno */
int get_pce(int fd, struct kncpmu_cpus *pce);

/* What users without CAP_PERFMON can count, from the module's parameter of that name */
enum unprivileged {
	UNPRIVILEGED_ALL,	/* every event */
	UNPRIVILEGED_THREAD,	/* events of one hardware thread */
	UNPRIVILEGED_SELF,	/* every event, of the process that asks */
	UNPRIVILEGED_NONE,
	UNPRIVILEGED_UNKNOWN	/* the parameter can't be read, or has an unknown word */
};

/* @word: the text of the parameter, out; "" if it can't be read */
enum unprivileged read_unprivileged(char *word, size_t size);

#endif /* KNC_CTL_QUERY_H */
