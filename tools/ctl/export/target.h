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
 * @seeks: its file must be one that is not a pipe
 * @begin: before the first record: @target->own is the format's
 * @sample: for a sample that passes the filters
 * @task: for a record of a task; may be NULL
 * @other: for any other record; may be NULL
 * @finish: after the last record; returns an exit status
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
 * @path: its name; NULL: not wanted
 * @f: the file
 * @begun: the format has begun
 * @p: the recording
 * @kallsyms: the file that has the kernel's functions for it; NULL: none
 * @own: what the format remembers
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
/* Warn of events that are in no sample, for which a format has no place */
void target_tell_unsampled(const struct target *target);

#endif /* KNC_CTL_TARGET_H */
