// SPDX-License-Identifier: GPL-2.0
/* Sets of hardware threads: -C and -a, online CPUs, cores, CPUs for this program */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <kernel-file.h>

#include "cli/cpus.h"
#include "cli/options.h"

int online_cpus(struct kncpmu_cpus *cpus)
{
	int ret = kncpmu_cpus_online(cpus);

	if (!ret)
		return 0;
	return complain("can't read from /sys which CPUs are online (%s): name them with -C",
			kncpmu_kernel_why(CPU_DIR "/online", ret));
}

int parse_cpus(const struct command *cmd, const char *text,
	       struct kncpmu_cpus *cpus)
{
	struct kncpmu_error err;

	if (kncpmu_cpus_parse(text, cpus, &err))
		return usage_error(cmd, "%s", err.text);
	if (kncpmu_cpus_check(cpus, &err))
		return complain("%s", err.text);
	return 0;
}

/* Take -a, which has no argument, or -C; refuse both together, and either one twice */
int take_cpus(const struct command *cmd, const struct opt *o, const char *arg)
{
	if (*o->given)
		return usage_error(cmd,
				   "CPUs are given twice: give them once, as in -C 0-3,8");
	return arg ? parse_cpus(cmd, arg, o->to) : online_cpus(o->to);
}

int no_cores(int error)
{
	return complain("can't read from /sys which CPUs make up a core (%s)",
			kncpmu_kernel_why(CPU_DIR, error));
}

int read_topology(struct kncpmu_topology *t)
{
	int ret = kncpmu_topology_read(NULL, t);

	return ret ? no_cores(ret) : 0;
}

/* Keep this program on online CPUs outside of @cpus; returns 0 if there are none, or if refused */
static int run_beside(const struct kncpmu_cpus *cpus)
{
	struct kncpmu_cpus others;

	if (kncpmu_cpus_online(&others))
		return 0;
	kncpmu_cpus_andnot(&others, cpus);
	return kncpmu_cpus_count(&others) &&
	       !sched_setaffinity(0, sizeof(others), (const cpu_set_t *)&others);
}

void keep_off(const struct kncpmu_cpus *cores, const struct kncpmu_cpus *cpus)
{
	if (!run_beside(cores))
		run_beside(cpus);
}
