// SPDX-License-Identifier: GPL-2.0
/* The PMUs that have metrics, by name */
#include <string.h>

#include "cli/array.h"
#include "metric/metric.h"

int metric_pmu_known(const char *pmu)
{
	static const char * const names[] = { "knc", "arch", "westmere", "uncore" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], pmu))
			return 1;
	}
	return 0;
}

/* Westmere's PMU has the events of the architectural one too */
int metric_pmu_is_used(const char *pmu)
{
	const char *name = kncpmu_pmu()->name;

	return !strcmp(pmu, name) || (!strcmp(pmu, "arch") && !strcmp(name, "westmere"));
}
