/* SPDX-License-Identifier: GPL-2.0 */
/* Metrics as text */
#ifndef KNC_CTL_METRIC_SHOW_H
#define KNC_CTL_METRIC_SHOW_H

#include "metric/metric.h"

/* show.c: list metrics or groups (@groups); return exit statuses */
int metric_list(const struct kncpmu_pmu *pmu, int groups, const char *pattern,
		const char * const *files, unsigned int nr_files, int json);
int metric_check(const char *file);

/* Write a limit as "from 8", "above 8", "below 2" or "from 1 to below 2" */
void metric_limit_text(const struct metric_limit *limit, char *text, size_t size);

#endif /* KNC_CTL_METRIC_SHOW_H */
