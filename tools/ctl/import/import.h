/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts recordings of Linux's perf
 *
 *	import.c	the command; it sorts samples and writes them
 *	perf-file.c	the header of perf.data: events, names, build ids
 *	perf-read.c	the records of perf.data
 *
 * Nothing in a perf.data is used before it is checked.
 */
#ifndef KNC_CTL_IMPORT_H
#define KNC_CTL_IMPORT_H

#include <stdio.h>

#include "cli/data.h"
#include "cli/hash.h"
#include "cli/message.h"
#include "cli/text.h"
#include "json/value.h"

#define PERF_RECORD_MAX	65536	/* bytes of a record: its size has 16 bits */

/* The fields of an event's struct perf_event_attr that reading needs */
struct perf_event {
	unsigned long long period;
	unsigned long long sample_type;
	unsigned long long read_format;
	unsigned long long flags;
	const char *name;
};

/* The event to which a sample's ID belongs */
struct perf_id {
	unsigned long long id;
	unsigned int event;
	UT_hash_handle hh;
};

/* A file's build id by its path */
struct perf_build_id {
	const char *path;
	unsigned char id[20];
	unsigned int size;
	UT_hash_handle hh;
};

/**
 * struct perf_file - a perf.data that is read
 * @f: the file
 * @path: its name
 * @size: its bytes
 * @begin: offset of the records
 * @end: where they end
 * @events: its events
 * @nr_events: number of @events
 * @ids: IDs of events
 * @build_ids: build ids of files
 * @host: name of the machine; NULL: not known
 * @kernel: its kernel, likewise
 * @command: the command line of perf, likewise
 */
struct perf_file {
	FILE *f;
	const char *path;
	unsigned long long size;
	unsigned long long begin;
	unsigned long long end;
	struct perf_event events[DATA_EVENTS];
	unsigned int nr_events;
	struct perf_id *ids;
	struct perf_build_id *build_ids;
	const char *host;
	const char *kernel;
	json_t *command;
};

/* Check the header and read it; returns 0, or an exit status after a message */
int perf_file_open(struct perf_file *p, const char *path);
void perf_file_close(struct perf_file *p);
int perf_damaged(const struct perf_file *p, const char *what, unsigned long long offset);

/**
 * struct perf_visitor - takes what is read
 * @sample: takes a sample in our format, with its call chain
 * @task: takes a record of a task in our format
 * @ctx: their argument
 * @lost: number of samples that perf has lost
 */
struct perf_visitor {
	void (*sample)(void *ctx, const struct knc_pmu_sample *sample);
	void (*task)(void *ctx, const struct data_task *task);
	void *ctx;
	unsigned long long lost;
};

/* Read all records; returns 0, or an exit status after a message */
int perf_read(struct perf_file *p, struct perf_visitor *visitor);

#endif /* KNC_CTL_IMPORT_H */
