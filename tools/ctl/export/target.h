/* SPDX-License-Identifier: GPL-2.0 */
/* What the formats of export share: a file that is being written */
#ifndef KNC_CTL_TARGET_H
#define KNC_CTL_TARGET_H

#include <stdio.h>

#include "profile/profile.h"

struct target;

/**
 * struct format - a format of other tools
 * @option: the option that names its file
 * @seeks: it writes its header last: the file must not be a pipe
 * @begin: called before the first record; may set @target->own
 * @sample: called for each sample that passes the filters
 * @task: called for each record of a task; may be NULL
 * @other: called for each other record; may be NULL
 * @finish: called after the last record; returns an exit status
 * @end: frees @target->own
 */
struct format {
	const char *option;
	int seeks;
	void (*begin)(struct target *target);
	void (*sample)(struct target *target, const struct sample *sample);
	void (*task)(struct target *target, const struct data_task *task);
	void (*other)(struct target *target, const struct knc_pmu_record *record);
	int (*finish)(struct target *target);
	void (*end)(struct target *target);
};

/**
 * struct target - a file that is being written
 * @format: its format
 * @path: its name; NULL: the user did not ask for this format
 * @f: the file
 * @begun: the format has begun
 * @p: the recording
 * @kallsyms: the file with the kernel's functions for perf; NULL: none
 * @own: the state of the format
 */
struct target {
	const struct format *format;
	const char *path;
	FILE *f;
	int begun;
	struct profile *p;
	const char *kallsyms;
	void *own;
};

/* When the recording began, ns since 1970; 0: not known */
unsigned long long target_started_ns(const struct target *target);
/* Warn of unsampled events: the formats have no place for their number */
void target_tell_unsampled(const struct target *target);

#endif /* KNC_CTL_TARGET_H */
