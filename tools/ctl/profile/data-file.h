/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A data file: checked, and its records in the order of time
 *
 *	check.c		is a record possible?
 *	read.c		the chunks
 *	walk.c		the records of all rings and tasks
 *
 * Everything in a data file is taken for wrong until it is checked.
 */
#ifndef KNC_CTL_DATA_FILE_H
#define KNC_CTL_DATA_FILE_H

#include <jansson.h>

#include <kncpmu.h>

#include "cli/data.h"

/**
 * struct data_event - an event of a data file
 * @name: as it was asked for
 * @period: events between two samples; 0: not sampled, or by frequency
 * @freq: samples a second; 0: by period, or not sampled
 */
struct data_event {
	const char *name;
	unsigned long long period;
	unsigned long long freq;
};

/**
 * struct data_sums - what the rings say of themselves
 * @samples: samples there, of each event
 * @times: time samples there
 * @lost: samples lost
 * @throttles: how often samples were throttled
 * @lost_events: what the lost ones stood for
 * @unsampled: events counted while no samples were taken
 * @tasks_lost: task records that the kernel had no room for
 */
struct data_sums {
	unsigned long long samples[KNC_NR_COUNTERS];
	unsigned long long times;
	unsigned long long lost;
	unsigned long long throttles;
	unsigned long long lost_events[KNC_NR_COUNTERS];
	unsigned long long unsampled[KNC_NR_COUNTERS];
	unsigned long long tasks_lost;
};

/**
 * struct data_piece - where records of a ring are
 * @offset: of the first one
 * @size: bytes of records that are good
 * @cpu: the hardware thread
 */
struct data_piece {
	unsigned long long offset;
	unsigned long long size;
	unsigned int cpu;
};

/**
 * struct data_file - a data file that was checked
 * @fd: the file
 * @path: its name
 * @size: its bytes when it was opened
 * @info: INFO
 * @end: END; NULL: the recording did not end by itself
 * @events: the events
 * @nr_events: how many
 * @started: CLOCK_MONOTONIC when it began, ns
 * @sums: of all records
 * @pieces: records, in the order of the file
 * @nr_pieces: how many
 * @room_pieces: room for how many
 * @tasks: task records, one behind the other
 * @tasks_size: bytes of them
 * @ksyms: symbols of the kernel, lines
 * @ksyms_size: bytes of them
 * @chains: there are call chains
 * @cut: the file ends in the middle of a chunk
 * @damaged: something in it is not what was written
 */
struct data_file {
	int fd;
	const char *path;
	unsigned long long size;
	json_t *info;
	json_t *end;
	struct data_event events[KNC_NR_COUNTERS];
	unsigned int nr_events;
	unsigned long long started;
	struct data_sums sums;
	struct data_piece *pieces;
	size_t nr_pieces;
	size_t room_pieces;
	char *tasks;
	size_t tasks_size;
	char *ksyms;
	size_t ksyms_size;
	int chains;
	int cut;
	int damaged;
};

/* Open and check; 0 or an exit status, the message being out */
int data_open(struct data_file *f, const char *path);
/* The same of an open file, which data_close() closes */
int data_open_fd(struct data_file *f, int fd, const char *path);
void data_close(struct data_file *f);

/* check.c */

/* Is the record whole, are its numbers possible? @room: bytes there are */
int data_record_good(const struct data_file *f,
		     const struct knc_pmu_record *record, size_t room);

/* The same of a record of a task */
int data_task_good(const struct data_task *task, size_t room);

/* Frames of its call chain */
unsigned int data_frames(const struct knc_pmu_sample *s);

/* CLOCK_MONOTONIC of a record; 0: it has none */
unsigned long long data_record_time(const struct knc_pmu_record *record);

/* A sampled event; the others come with time samples only */
static inline int data_sampled(const struct data_event *event)
{
	return event->period || event->freq;
}

/* Members of INFO; a string that is not there is "unknown", a number 0 */
const char *data_text(const struct data_file *f, const char *key);
unsigned long long data_number(const struct data_file *f, const char *key);
/* The command as one would type it; NULL: there was none */
const char *data_command(const struct data_file *f);

/* walk.c */

/**
 * struct data_visitor - who is shown the records, in the order of time
 * @record: one of a ring
 * @task: one of a task
 */
struct data_visitor {
	void (*record)(void *ctx, const struct knc_pmu_record *record);
	void (*task)(void *ctx, const struct data_task *task);
};

/* 0 or an exit status, the message being out */
int data_walk(const struct data_file *f, const struct data_visitor *visitor,
	      void *ctx);

#endif /* KNC_CTL_DATA_FILE_H */
