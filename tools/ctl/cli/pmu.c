// SPDX-License-Identifier: GPL-2.0
/* The PMU of this machine, read once, and others by their names */
#include <string.h>

#include "cli/pmu.h"

const struct kncpmu_pmu *own_pmu(void)
{
	static struct kncpmu_pmu own;
	int fd;

	if (own.name)
		return &own;
	fd = kncpmu_open(NULL);
	kncpmu_pmu_get(fd, NULL, &own);
	kncpmu_close(fd);
	return &own;
}

int named_pmu(const char *name, struct kncpmu_pmu *pmu)
{
	*pmu = *own_pmu();
	return strcmp(name, pmu->name) ? kncpmu_pmu_get(-1, name, pmu) : 0;
}
