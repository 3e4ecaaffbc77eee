// SPDX-License-Identifier: GPL-2.0
/* What info and doctor both ask: who has the counters, and who may execute RDPMC */
#include <stdio.h>
#include <string.h>

#include <knc/registers.h>

#include "cmd/query.h"

/* The first that has @counter on one of @cpus; its CPUs leave @cpus */
int next_holder(int fd, unsigned int counter, struct kncpmu_cpus *cpus, struct holder *holder)
{
	struct knc_pmu_owner owner;
	unsigned int cpu;

	memset(holder, 0, sizeof(*holder));
	holder->pid = -1;
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (kncpmu_owner(fd, cpu, counter, &owner) ||
		    !(owner.flags & KNC_PMU_OWNER_SESSION)) {
			kncpmu_cpus_clear(cpus, cpu);
			continue;
		}
		if (holder->pid >= 0 &&
		    (owner.pid != holder->pid || owner.flags != holder->flags))
			continue;
		holder->pid = owner.pid;
		holder->flags = owner.flags;
		kncpmu_cpus_set(&holder->cpus, cpu);
		kncpmu_cpus_clear(cpus, cpu);
	}
	return holder->pid >= 0;
}

/* perf's setting: 0: to nobody, 1: by process, 2: to everybody; -1: there is none */
int rdpmc_setting(void)
{
	FILE *f = fopen(RDPMC_SETTING, "re");
	int value = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%d", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* CPUs whose CR4 permits RDPMC now; a negative errno */
int get_pce(int fd, struct kncpmu_cpus *pce)
{
	struct knc_pmu_reg regs[KNC_NR_REGISTERS];
	struct kncpmu_cpus online;
	unsigned int cpu;
	int i, ret;

	memset(pce, 0, sizeof(*pce));
	ret = kncpmu_cpus_online(&online);
	for (cpu = first_cpu(&online); cpu < KNC_PMU_MAX_CPUS && ret >= 0;
	     cpu = next_cpu(&online, cpu)) {
		ret = kncpmu_regs(fd, cpu, regs, KNC_NR_REGISTERS);
		for (i = 0; i < ret && i < KNC_NR_REGISTERS; i++)
			if (regs[i].space == KNC_PMU_SPACE_CR && regs[i].number == KNC_CR4 &&
			    regs[i].value & KNC_CR4_PCE)
				kncpmu_cpus_set(pce, cpu);
	}
	return ret < 0 ? ret : 0;
}

/* What sessions without CAP_PERFMON can have; NULL: the module does not say */
const char *read_unprivileged(char *word, size_t size)
{
	if (kncpmu_read_line(MODULE_DIR "/parameters/unprivileged", word, size))
		return NULL;
	return *word ? word : NULL;
}
