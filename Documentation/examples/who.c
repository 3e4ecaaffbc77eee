// SPDX-License-Identifier: GPL-2.0
/* Who counts on which hardware thread, and what the machine and its registers say */
#include <kncpmu.h>
#include <stdio.h>
#include <string.h>

/* The sessions that have counters, and the registers' number */
static void print_cpu(int fd, unsigned int cpu, unsigned int counters)
{
	struct knc_pmu_owner owner;
	struct knc_pmu_reg regs[64];
	unsigned int i;
	int nr;

	for (i = 0; i < counters; i++) {
		if (!kncpmu_owner(fd, cpu, i, &owner) && owner.pid)
			printf("CPU %u counter %u: process %d\n", cpu, i, owner.pid);
	}
	nr = kncpmu_regs(fd, cpu, regs, sizeof(regs) / sizeof(*regs));
	if (nr > 0)
		printf("CPU %u: %d registers\n", cpu, nr);
}

int main(void)
{
	const struct kncpmu_event_desc *cycles;
	struct knc_pmu_desc all[KNCPMU_MAX_PMUS];
	struct knc_pmu_stats stats[KNC_PMU_MAX_CPUS];
	struct knc_pmu_grant grants[64];
	struct knc_pmu_info info;
	struct kncpmu_cpus online;
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;
	unsigned int cpu;
	int fd = kncpmu_open(NULL), error = fd < 0 ? fd : kncpmu_info(fd, &info);
	char name[64];

	if (!error)
		error = kncpmu_pmu_get(fd, NULL, &pmu);
	if (error) {
		fprintf(stderr, "who: %s\n", kncpmu_strerror(fd < 0 ? KNCPMU_OP_OPEN :
							      KNCPMU_OP_INFO, error, &err));
		return 1;
	}
	cycles = kncpmu_event_find(&pmu, pmu.cycles);
	kncpmu_pmus(fd, all, KNCPMU_MAX_PMUS);
	kncpmu_clean(all[0].name, strnlen(all[0].name, sizeof(all[0].name)), name, sizeof(name));
	printf("libkncpmu %s, PMU %s, %u sessions, %u events; %s\n", kncpmu_version(), name,
	       info.nr_sessions, pmu.nr_events, cycles ? cycles->desc : "no cycles");
	printf("%d processes with RDPMC\n", kncpmu_grants(fd, grants, 64));
	printf("statistics of %d hardware threads\n",
	       kncpmu_stats(fd, stats, KNC_PMU_MAX_CPUS));
	kncpmu_cpus_online(&online);
	for (cpu = kncpmu_cpus_next(&online, 0); cpu < KNC_PMU_MAX_CPUS;
	     cpu = kncpmu_cpus_next(&online, cpu + 1))
		print_cpu(fd, cpu, all[0].nr_counters);
	kncpmu_close(fd);
	return 0;
}
