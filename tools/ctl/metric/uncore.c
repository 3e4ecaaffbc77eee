// SPDX-License-Identifier: GPL-2.0
/* Metrics and groups of the uncore, for one who asks for them among those of the core */
#include <stdio.h>
#include <string.h>

#include "metric/metric.h"

/* Has the uncore of this machine a metric or a group of this name? */
static int is_of_uncore(const char *name)
{
	const char *mine = kncpmu_pmu()->name;
	struct knc_pmu_desc desc;
	struct metrics *ms;
	int fd, ret;

	fd = is_host() && strcmp(mine, "uncore") ? kncpmu_open(NULL) : -1;
	if (fd < 0)
		return 0;
	ret = kncpmu_pmu_find(fd, "uncore", &desc);
	kncpmu_close(fd);
	if (ret)
		return 0;
	kncpmu_pmu_use("uncore");
	ms = metrics_load(NULL, 0);
	if (ms) {
		ret = metric_find(ms, name) || metric_group_find(ms, name);
		metrics_free(ms);
	}
	kncpmu_pmu_use(mine);
	return ret;
}

int metric_suggest_uncore(const char *name, char *text, size_t size)
{
	if (!is_of_uncore(name))
		return 0;
	snprintf(text, size,
		 " PMU uncore has one: it is uncore/%s/ for stat, and list and help take --pmu uncore",
		 name);
	return 1;
}
