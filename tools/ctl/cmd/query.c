// SPDX-License-Identifier: GPL-2.0
/* What info and doctor both ask the module and the kernel */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <knc/registers.h>
#include <kernel-file.h>

#include "cmd/query.h"

int get_info(int fd, struct knc_pmu_info *info, struct knc_pmu_desc *pmu)
{
	int ret = kncpmu_info(fd, info);

	memset(pmu, 0, sizeof(*pmu));
	if (!ret)
		ret = kncpmu_pmus(fd, pmu, 1);
	return ret < 0 ? ret : 0;
}

/* Find the process that holds @h->counter on the first held CPU of @h->left; move its CPUs to @h */
static int find_holder(int fd, struct holder *h)
{
	struct knc_pmu_owner owner;
	unsigned int cpu;

	memset(&h->cpus, 0, sizeof(h->cpus));
	h->pid = -1;
	for (cpu = first_cpu(&h->left); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&h->left, cpu)) {
		if (kncpmu_owner(fd, cpu, h->counter, &owner) ||
		    !(owner.flags & KNC_PMU_OWNER_SESSION)) {
			kncpmu_cpus_clear(&h->left, cpu);
		} else if (h->pid < 0 || (owner.pid == h->pid && owner.flags == h->flags)) {
			h->pid = owner.pid;
			h->flags = owner.flags;
			kncpmu_cpus_set(&h->cpus, cpu);
		}
	}
	kncpmu_cpus_andnot(&h->left, &h->cpus);
	return h->pid >= 0;
}

int next_holder(int fd, __u64 counters, struct holder *holder)
{
	while (!find_holder(fd, holder)) {
		if (!(counters >> holder->next))
			return 0;
		while (!(counters >> holder->next & 1))
			holder->next++;
		/*
		 * a container hides possible CPUs: try every number, OWNER refuses those that don't
		 * exist
		 */
		if (kncpmu_cpus_possible(&holder->left))
			memset(&holder->left, 0xff, sizeof(holder->left));
		holder->counter = holder->next++;
	}
	return 1;
}

int rdpmc_setting(void)
{
	char line[16];
	int value;

	int ret = kncpmu_kernel_line(RDPMC_SETTING, line, sizeof(line));

	if (ret && ret != -ENOENT)
		return ret;
	return sscanf(line, "%d", &value) == 1 ? value : -ENOENT;
}

int module_loaded(void)
{
	int ret = kncpmu_kernel_has(MODULE_DIR), fd;

	if (!ret || ret == -ENOENT)
		return !ret;
	fd = kncpmu_open(NULL);
	kncpmu_close(fd);
	return fd >= 0 ? 1 : ret;
}

int get_pce(int fd, struct kncpmu_cpus *pce)
{
	struct knc_pmu_reg regs[MAX_REGISTERS];
	struct kncpmu_cpus online;
	unsigned int cpu;
	int i, ret;

	memset(pce, 0, sizeof(*pce));
	ret = kncpmu_cpus_online(&online);
	for (cpu = first_cpu(&online); cpu < KNC_PMU_MAX_CPUS && ret >= 0;
	     cpu = next_cpu(&online, cpu)) {
		ret = kncpmu_regs(fd, cpu, regs, MAX_REGISTERS);
		for (i = 0; i < ret && i < MAX_REGISTERS; i++)
			if (regs[i].space == KNC_PMU_SPACE_CR && regs[i].number == KNC_CR4 &&
			    regs[i].value & KNC_CR4_PCE)
				kncpmu_cpus_set(pce, cpu);
	}
	return ret < 0 ? ret : 0;
}

enum unprivileged read_unprivileged(char *word, size_t size)
{
	static const char * const words[UNPRIVILEGED_UNKNOWN] = {
		[UNPRIVILEGED_ALL] = "all",
		[UNPRIVILEGED_THREAD] = "thread",
		[UNPRIVILEGED_SELF] = "self",
		[UNPRIVILEGED_NONE] = "none",
	};
	unsigned int i;

	kncpmu_read_line(MODULE_DIR "/parameters/unprivileged", word, size);
	for (i = 0; i < UNPRIVILEGED_UNKNOWN && strcmp(word, words[i]); i++)
		;
	return i;
}
