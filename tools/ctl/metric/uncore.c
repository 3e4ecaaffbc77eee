// SPDX-License-Identifier: GPL-2.0
/* Finds metrics and groups of the uncore for users who look for them among the core's */
#include <stdio.h>
#include <pmus.h>

#include "metric/metric.h"

#define EVENT	"uncore/CLK_UNHALTED/"	/* any of its events */

/* Has the uncore of this machine a metric or a group of this name? */
static int is_of_uncore(const struct kncpmu_pmu *pmu, const char *name)
{
	struct kncpmu_pmu uncore = *pmu;
	struct kncpmu_error err;
	char list[sizeof(EVENT)];
	struct metrics *ms;
	int ret = 0;

	if (!is_host(pmu) || is_uncore(pmu) ||
	    kncpmu_list_pmu(&uncore, EVENT, list, sizeof(list), &err))
		return 0;
	ms = metrics_load(&uncore, NULL, 0);
	if (ms) {
		ret = metric_find(ms, name) || metric_group_find(ms, name);
		metrics_free(ms);
	}
	return ret;
}

int metric_suggest_uncore(const struct kncpmu_pmu *pmu, const char *name, char *text, size_t size)
{
	if (!is_of_uncore(pmu, name))
		return 0;
	snprintf(text, size,
		 " PMU uncore has one: it is uncore/%s/ for stat, and list and help take --pmu uncore",
		 name);
	return 1;
}
