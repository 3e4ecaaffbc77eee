/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions and their rows: threads.c, tasks.c, levels.c */
#ifndef KNC_CTL_TOP_ROWS_H
#define KNC_CTL_TOP_ROWS_H

#include "top/fail.h"

/* threads.c, tasks.c: on failure they return less than 0 with a message in @err */

int top_threads_open(struct top *t, struct kncpmu_error *err);
int top_threads_read(struct top *t, struct kncpmu_error *err);
void top_threads_close(struct top *t);
int top_tasks_open(struct top *t, struct kncpmu_error *err);
int top_tasks_read(struct top *t, struct kncpmu_error *err);
void top_tasks_close(struct top *t);

/* Make the set of a level */
void top_level_set(struct top_set *set, const struct kncpmu_level *level);
/* Find the level's PMU; returns 0, or less with a message in @err */
int top_level_prepare(struct top *t, struct kncpmu_error *err);
/* CONFIG for hardware threads, or for a process if @cpus is NULL; returns 0 or a negative errno */
int top_level_config(const struct top *t, int fd, const struct kncpmu_cpus *cpus, int pid,
		     struct knc_pmu_config *config);
/* Read a session into @row, and add that to @readings; returns 0 or a negative errno */
int top_level_read(struct top *t, int fd, struct level_readings *readings, struct top_row *row);
/* Make the sum of all rows */
void top_level_total(struct top *t);
/* top_remark() for a level */
const char *top_level_remark(const struct top *t, unsigned int n);

#endif /* KNC_CTL_TOP_ROWS_H */
