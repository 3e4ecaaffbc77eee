// SPDX-License-Identifier: GPL-2.0
/* The thread that a request follows: is it a kernel thread, and does /proc show those? */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "private.h"
#include "kernel-file.h"

#define KTHREADD	2	/* its number in the first pid namespace */
#define KERNEL_THREAD	0x00200000	/* PF_KTHREAD, of the flags in /proc/PID/stat */

int kncpmu_followed_pid(const struct knc_pmu_config *config)
{
	const __s32 *pids;

	if (!config || !(config->flags & KNC_PMU_CONFIG_PIDS))
		return config ? config->pid : 0;
	pids = (const __s32 *)(uintptr_t)config->cpus;
	return config->reason_other < config->cpus_size / sizeof(*pids) ?
	       pids[config->reason_other] : 0;
}

int kncpmu_is_kernel_thread(int pid)
{
	unsigned int flags = 0;
	const char *rest;
	char text[512];

	if (pid <= 0 || kncpmu_proc_own())
		return 0;
	rest = kncpmu_proc_stat(pid, text, sizeof(text));
	return rest && sscanf(rest, "%*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & KERNEL_THREAD;
}

int kncpmu_proc_all(void)
{
	int error = kncpmu_proc_own();

	if (error)
		return error;
	return kncpmu_is_kernel_thread(KTHREADD) ? 0 : -EACCES;
}
