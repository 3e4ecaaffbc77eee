/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings in the formats of other tools: one walk over the samples feeds each file that is
 * asked for
 *
 *	export.c	the command
 *	perf-data.c	perf.data: samples and tasks; perf-kernel.c: the kernel
 *	perf-records.c	what all its records have; perf-header.c: the header
 *	pprof.c		for pprof; protobuf.c, gzip.c: the form of its file
 *	bytes.c		numbers and texts, one after the other
 */
#ifndef KNC_CTL_EXPORT_H
#define KNC_CTL_EXPORT_H

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

extern const struct format perf_data_format;
extern const struct format kallsyms_format;
extern const struct format pprof_format;

#endif /* KNC_CTL_EXPORT_H */
