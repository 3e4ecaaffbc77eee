/* SPDX-License-Identifier: GPL-2.0 */
/* Files of metrics: find.c, file.c, pmu.c */
#ifndef KNC_CTL_METRIC_FILES_H
#define KNC_CTL_METRIC_FILES_H

#include "metric/metric.h"

/**
 * struct metric_own_file - the tool's own file of a PMU, PMU.json
 * @pmu: the PMU
 * @lines: its lines
 * @nr: number of @lines
 */
struct metric_own_file {
	const char *pmu;
	const char * const *lines;
	unsigned int nr;
};

/* The i-th of the tool's own files; NULL: there are fewer */
const struct metric_own_file *metric_own_file(unsigned int i);
/* Are there metrics of a PMU of this name? */
int metric_pmu_known(const char *pmu);
/* Does @pmu use the metrics of the PMU of this name? */
int metric_pmu_is_used(const struct kncpmu_pmu *pmu, const char *name);

/* find.c: read all files for the PMU of @ms into it; formulas remain text */
void metric_files_read(struct metrics *ms, const char * const *files,
		       unsigned int nr_files);
/* The PMU that a file is for; the machine's if the file has an error */
void metric_pmu_of(const char *path, struct kncpmu_pmu *pmu);

/*
 * file.c: read metrics from a file's @text, which is modified. Returns 1; 0 if the file is for
 * another PMU, an error only if it was @named; -1 after an error.
 */
int metric_text_read(struct metrics *ms, const char *name, char *text, size_t size, int named);
json_t *metric_text_parse(char *text, size_t size, json_error_t *err);
const char *metric_root_pmu(const json_t *root);

#endif /* KNC_CTL_METRIC_FILES_H */
