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
#define PERF_TEXT_POKE		20
#define PERF_FINISHED_ROUND	68

/* Flags of records */
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

/* Entries of a call chain: the addresses that follow are the kernel's, or the user's */
#define PERF_CHAIN_KERNEL	(-128LL)
#define PERF_CHAIN_USER		(-512LL)

#define PERF_NOBODY		(~0U)		/* pid of the kernel's mappings */

/* Samples of events that other cores cause get this address, which is in no program */
#define PERF_OTHERS		0xfffffffffffff000ULL
#define PERF_OTHERS_SIZE	0xfffULL

/**
 * struct perf_mapping - the contents of a record of a mapping
 * @pid: its process, or PERF_NOBODY
 * @tid: its thread
 * @start: its address
 * @length: its bytes
 * @offset: position of its first byte in the file
 * @path: the file
 * @build_id: the file's build id; NULL: not known
 * @build_id_size: bytes of @build_id
 * @device: the file's device; 0: not known, or the file has a build id
 * @inode: the file's inode, likewise
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
 * @record: the record that is being made
 * @size: bytes of all records
 * @round: records since the last PERF_FINISHED_ROUND
 * @first: time of the first sample; 0: there was none
 * @last: time of the last sample
 * @cpus: the highest CPU of a sample, plus one
 * @lost: lost samples in all PERF_LOST records
 * @made: functions that processes made at run time
 * @kernel: a sample has an address of the kernel
 * @told: names of threads, as the records up to now tell them
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
	unsigned int cpus;
	unsigned long long lost;
	unsigned long long made;
	int kernel;
	struct told *told;
};

/* perf-records.c */

/* Begin @d->record, to which the caller appends fields; perf_end() writes it to the file */
void perf_begin(struct perf_data *d, unsigned int type, unsigned int flags);
void perf_end(struct perf_data *d);
/* End a record that is not a sample: with sample_id_all, its task, time and CPU follow */
void perf_end_other(struct perf_data *d, unsigned int pid, unsigned int tid,
		    unsigned long long time, unsigned int cpu);
void perf_put_mapping(struct perf_data *d, const struct perf_mapping *m);

/* perf-header.c */

/* The ID by which samples name an event */
static inline unsigned long long perf_id(unsigned int event)
{
	return event + 1;
}

/* Write the part before the records; perf_put_end() completes it */
void perf_put_begin(struct perf_data *d);
/* Write the part after the records, and complete the header; returns 0 or an exit status */
int perf_put_end(struct perf_data *d);

/* perf-kernel.c */

/* The mappings of the kernel and its modules */
void perf_put_kernel(struct perf_data *d);

/* perf-kernel.c */
extern const struct format kallsyms_format;

#endif /* KNC_CTL_PERF_H */
