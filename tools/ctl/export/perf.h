/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data: numbers of its format, and what its parts share
 *
 * The format is that of Linux: tools/perf/Documentation/perf.data-file-format.txt for the file,
 * include/uapi/linux/perf_event.h for the records. Headers of older systems lack some of the
 * numbers.
 */
#ifndef KNC_CTL_PERF_H
#define KNC_CTL_PERF_H

#include "cli/hash.h"
#include "export/bytes.h"
#include "export/target.h"

/* Types of records */
#define PERF_COMM		3
#define PERF_EXIT		4
#define PERF_LOST		2
#define PERF_THROTTLE		5
#define PERF_UNTHROTTLE		6
#define PERF_FORK		7
#define PERF_SAMPLE		9
#define PERF_MMAP2		10
#define PERF_LOST_SAMPLES	13
#define PERF_FINISHED_ROUND	68

/* Their flags */
#define PERF_KERNEL		1
#define PERF_USER		2
#define PERF_COMM_EXEC		(1U << 13)
#define PERF_MMAP_BUILD_ID	(1U << 14)

/* What samples have, in the order of put_sample() */
#define PERF_HAS_IP		(1U << 0)
#define PERF_HAS_TID		(1U << 1)
#define PERF_HAS_TIME		(1U << 2)
#define PERF_HAS_CHAIN		(1U << 5)
#define PERF_HAS_CPU		(1U << 7)
#define PERF_HAS_PERIOD		(1U << 8)
#define PERF_HAS_IDENTIFIER	(1U << 16)

/* Marks in call chains */
#define PERF_CHAIN_KERNEL	(-128LL)
#define PERF_CHAIN_USER		(-512LL)

#define PERF_NOBODY		(~0U)		/* the process of the kernel's mappings */

/* The samples that other cores have caused are at an address of their own, in no program */
#define PERF_OTHERS		0xfffffffffffff000ULL
#define PERF_OTHERS_SIZE	0xfffULL

/**
 * struct perf_mapping - a mapping that a record tells
 * @pid: its process, or PERF_NOBODY
 * @tid: its thread
 * @start: its address
 * @length: its bytes
 * @offset: of its first byte in the file
 * @path: the file
 * @build_id: its id; NULL: not known
 * @build_id_size: bytes of @build_id
 * @device: of the file; 0 if it is not known, or has an id
 * @inode: of the file, likewise
 * @time: since when, CLOCK_MONOTONIC; 0: before the recording
 */
struct perf_mapping {
	unsigned int pid;
	unsigned int tid;
	unsigned long long start;
	unsigned long long length;
	unsigned long long offset;
	const char *path;
	const unsigned char *build_id;
	unsigned int build_id_size;
	unsigned long long device;
	unsigned long long inode;
	unsigned long long time;
};

/**
 * struct perf_data - a perf.data that is being written
 * @p: the recording
 * @path: the file's name
 * @f: the file
 * @record: the present record
 * @size: bytes of all records
 * @round: records since the last PERF_FINISHED_ROUND
 * @first: time of the first sample; 0: there was none
 * @last: time of the last one
 * @lost: samples that PERF_LOST has told
 * @made: functions that processes made at run time
 * @kernel: there are addresses of the kernel
 * @told: names of threads, as a reader knows them now
 */
struct perf_data {
	const struct profile *p;
	const char *path;
	FILE *f;
	struct bytes record;
	unsigned long long size;
	unsigned int round;
	unsigned long long first;
	unsigned long long last;
	unsigned long long lost;
	unsigned long long made;
	int kernel;
	struct told *told;
};

/* perf-records.c */

/* Begin @d->record, to which fields are appended; write it */
void perf_begin(struct perf_data *d, unsigned int type, unsigned int flags);
void perf_end(struct perf_data *d);
/* The same for any record but a sample (sample_id_all) */
void perf_end_other(struct perf_data *d, unsigned int pid, unsigned int tid,
		    unsigned long long time, unsigned int cpu);
void perf_put_mapping(struct perf_data *d, const struct perf_mapping *m);

/* perf-header.c */

/* The number of an event in samples */
static inline unsigned long long perf_id(unsigned int event)
{
	return event + 1;
}

/* What comes before the records; it is not complete before perf_put_end() */
void perf_put_begin(struct perf_data *d);
/* What comes after the records, and the header; returns 0, or an exit status after a message */
int perf_put_end(struct perf_data *d);

/* perf-kernel.c */

/* The mappings of the kernel and its modules */
void perf_put_kernel(struct perf_data *d);

/* perf-kernel.c */
extern const struct format kallsyms_format;

#endif /* KNC_CTL_PERF_H */
