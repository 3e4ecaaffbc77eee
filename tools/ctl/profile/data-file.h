/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A data file: checked, and its records in the order of time
 *
 *	check.c		is a record possible?
 *	read.c		the chunks
 *	walk.c		the records of all rings and tasks
 *	ranks.c		several recordings in one file (ranks.h)
 *
 * Nothing in a data file is used before it is checked.
 */
#ifndef KNC_CTL_DATA_FILE_H
#define KNC_CTL_DATA_FILE_H

#include "json/value.h"

#include <stddef.h>

#include <kncpmu.h>

#include "cli/array.h"
#include "cli/data.h"

/**
 * struct data_event - an event of a data file
 * @spec: its name on record's command line
 * @name: the same, to be shown: with a mark if it is a stand-in
 * @period: events between two samples; 0: not sampled, or by frequency
 * @freq: samples a second; 0: by period, or not sampled
 * @max_freq: samples a second from which on the period is lengthened; 0: never
 * @stand_in: the emulated card counted something else in its place
 * @event: the event of that name; all 0: there is none
 * @by_others: other cores cause it: its samples have no place in the program
 * @core_wide: each thread of a core counts the events of the whole core
 * @cycles: it counts cycles
 * @timed: all of these cycles take the same time
 * @off_cpu: no event: the time of threads on no hardware thread, ns; @spec is one of data_off_cpu
 */
struct data_event {
	const char *spec;
	const char *name;
	unsigned long long period;
	unsigned long long freq;
	unsigned long long max_freq;
	int stand_in;
	struct knc_pmu_event event;
	int by_others;
	int core_wide;
	int cycles;
	int timed;
	int off_cpu;
};

/*
 * Events that are made of context switches, numbered after the counted ones: the time that threads
 * wait, and the time that they are runnable
 */
enum data_off_cpu {
	DATA_WAITING,
	DATA_RUNNABLE,
	NR_DATA_OFF_CPU
};

/**
 * struct data_sums - sums over all records and rings
 * @samples: number of samples in the file, of each event
 * @times: number of time samples in the file
 * @lost: number of lost samples
 * @throttles: how often samples were throttled
 * @lost_events: events that the lost samples stood for
 * @unsampled: events that were counted but are in no sample
 * @tasks_lost: task records that the kernel had no room for
 * @lost_switches: lost records of context switches
 * @visits: visits of regions
 * @lost_visits: lost ones
 */
struct data_sums {
	unsigned long long samples[DATA_EVENTS];
	unsigned long long times;
	unsigned long long lost;
	unsigned long long throttles;
	unsigned long long lost_events[DATA_EVENTS];
	unsigned long long unsampled[DATA_EVENTS];
	unsigned long long tasks_lost;
	unsigned long long lost_switches;
	unsigned long long visits;
	unsigned long long lost_visits;
};

/**
 * struct data_piece - contiguous records of a ring
 * @offset: offset of the first one in the file
 * @size: bytes of the records that passed the checks
 * @cpu: the hardware thread
 */
struct data_piece {
	unsigned long long offset;
	unsigned long long size;
	unsigned int cpu;
};

struct data_numbers;

/**
 * struct data_rank - a recording in the file: that of a rank, in a file of merge; else the only one
 * @info: the object of its DATA_INFO; of a file of merge, that of DATA_RANK
 * @end: the object of its DATA_END, in a file of merge; NULL: that is missing
 * @rank: the rank in its program; -1: none
 * @shift: what is added to its times, ns
 * @sums: sums over its records
 * @ksyms: symbols of its kernel, lines
 * @ksyms_size: their bytes
 */
struct data_rank {
	json_t *info;
	json_t *end;
	long long rank;
	long long shift;
	struct data_sums sums;
	char *ksyms;
	size_t ksyms_size;
};

/**
 * struct data_file - a data file that was checked
 * @fd: the file
 * @path: its name
 * @size: its bytes when it was opened
 * @info: the object of DATA_INFO
 * @end: the object of DATA_END; NULL: the recording was cut off
 * @pmu: the PMU of the events
 * @events: the events
 * @nr_events: number of events
 * @nr_counted: number of those of the records; the others are of enum data_off_cpu
 * @started: CLOCK_MONOTONIC when the recording began, ns
 * @sums: sums over all records
 * @pieces: pieces of records, in the order of the file
 * @nr_pieces: number of pieces
 * @room_pieces: elements of @pieces
 * @tasks: task records, one after the other
 * @tasks_size: their bytes
 * @marks: records of regions, one after the other
 * @marks_size: their bytes
 * @ranks: the recordings in it
 * @nr_ranks: number of these
 * @room_ranks: elements of @ranks
 * @merged: it is of merge: numbers of tasks and hardware threads are those of ranks.c
 * @numbers: the numbers of tasks; NULL unless @merged
 * @lost_rank: the present chunks are of a rank whose DATA_RANK is damaged
 * @quiet: say nothing of damage
 * @damage: what is damaged, at byte @damaged_at; NULL: nothing
 * @chains: there are call chains
 * @cut: the file ends in the middle of a chunk
 * @damaged: a check failed
 */
struct data_file {
	int fd;
	const char *path;
	unsigned long long size;
	json_t *info;
	json_t *end;
	struct kncpmu_pmu pmu;
	struct data_event events[DATA_EVENTS];
	unsigned int nr_events;
	unsigned int nr_counted;
	unsigned long long started;
	struct data_sums sums;
	struct data_piece *pieces;
	size_t nr_pieces;
	size_t room_pieces;
	char *tasks;
	size_t tasks_size;
	char *marks;
	size_t marks_size;
	struct data_rank *ranks;
	size_t nr_ranks;
	size_t room_ranks;
	int merged;
	struct data_numbers *numbers;
	int lost_rank;
	int quiet;
	const char *damage;
	unsigned long long damaged_at;
	int chains;
	int cut;
	int damaged;
};

/* Check the file that input_open() returned; returns 0, or an exit status after a message */
int data_open(struct data_file *f, int fd, const char *path);
/* data_open(), but damage and a missing end are only noted in @f */
int data_open_quietly(struct data_file *f, int fd, const char *path);
/* Closes the file too */
void data_close(struct data_file *f);

/* check.c */

/* Is the record complete within @room bytes, and are its values possible? */
int data_record_good(const struct data_file *f,
		     const struct knc_pmu_record *record, size_t room);

/* Is the record of a task complete within @room bytes, and are its values possible? */
int data_task_good(const struct data_task *task, size_t room);

/* Is the record of a region complete within @room bytes, and are its values possible? */
int data_mark_good(const struct data_mark *mark, size_t room);

/* The number of frames in a sample's call chain */
static inline unsigned int data_frames(const struct knc_pmu_sample *s)
{
	return s->nr_kernel + s->nr_user;
}

/* The copy of the stack in a sample; NULL: the sample has none */
static inline const struct knc_pmu_stack *data_stack(const struct knc_pmu_sample *s)
{
	if (!(s->flags & KNC_PMU_SAMPLE_STACK))
		return NULL;
	return (const void *)((const __u64 *)(s + 1) + data_frames(s));
}

/* CLOCK_MONOTONIC of a record; 0: it has none */
static inline unsigned long long data_record_time(const struct knc_pmu_record *record)
{
	static const unsigned char where[] = {
		[KNC_PMU_RECORD_SAMPLE] = offsetof(struct knc_pmu_sample, time),
		[KNC_PMU_RECORD_TIME] = offsetof(struct knc_pmu_time_sample, time),
		[KNC_PMU_RECORD_LOST] = offsetof(struct knc_pmu_lost, time),
		[KNC_PMU_RECORD_THROTTLE] = offsetof(struct knc_pmu_throttle, time),
		[KNC_PMU_RECORD_UNTHROTTLE] = offsetof(struct knc_pmu_throttle, time),
		[KNC_PMU_RECORD_SWITCH_OUT] = offsetof(struct knc_pmu_sample, time),
		[KNC_PMU_RECORD_SWITCH_IN] = offsetof(struct knc_pmu_sample, time),
	};
	unsigned int at = record->type < ARRAY_SIZE(where) ? where[record->type] : 0;

	return at ? *(const __u64 *)((const char *)record + at) : 0;
}

/* read.c */

/* Is the event sampled, not only counted in time samples? */
static inline int data_sampled(const struct data_event *event)
{
	return event->period || event->freq;
}

/* walk.c */

/**
 * struct data_visitor - functions that are called for the records, in the order of time
 * @record: for a record of a ring
 * @task: for a record of a task
 * @prints: they print: nothing else may be on the terminal meanwhile
 */
struct data_visitor {
	void (*record)(void *ctx, const struct knc_pmu_record *record);
	void (*task)(void *ctx, const struct data_task *task);
	int prints;
};

/* Walk over all records; returns 0, or an exit status after a message */
int data_walk(const struct data_file *f, const struct data_visitor *visitor,
	      void *ctx);

#endif /* KNC_CTL_DATA_FILE_H */
