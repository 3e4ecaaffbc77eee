/* SPDX-License-Identifier: GPL-2.0 */
/* Buffers records of tasks for the data file */
#ifndef KNC_CTL_RECORD_BUFFER_H
#define KNC_CTL_RECORD_BUFFER_H

#include "cli/data.h"
#include "cli/message.h"
#include "record/writer.h"

struct perf_ring;
/**
 * struct sideband - records of tasks: names, mappings, fork, exec, exit
 * @file: the data file
 * @rings: rings of the kernel's software events, one a CPU
 * @nr_rings: number of @rings; 0: the kernel refused, and /proc is read
 * @ring_size: bytes of records of each
 * @more: events of further threads, which write into the same rings
 * @nr_more: number of @more
 * @clock: to be added to the kernel's times, ns
 * @buffer: records that are not written yet
 * @used: bytes of records in @buffer
 * @room: bytes of @buffer
 * @hold: keep records in @buffer, write nothing yet
 * @known: processes that were read from /proc, if @nr_rings is 0; of tsearch()
 * @round: how often the rings of samples were emptied
 */
struct sideband {
	struct data_writer *file;
	struct perf_ring *rings;
	unsigned int nr_rings;
	size_t ring_size;
	int *more;
	unsigned int nr_more;
	long long clock;
	unsigned char *buffer;
	size_t used;
	size_t room;
	int hold;
	void *known;
	unsigned int round;
};

int buffer_init(struct sideband *sb);
void buffer_flush(struct sideband *sb);
/* Put a record into the buffer: @fixed bytes, and a text of at most @size bytes or NULL */
void buffer_put(struct sideband *sb, struct data_task *task, size_t fixed,
		const char *text, size_t size);

/* A mapping, with an id of its file, as the data file has it */
struct identified_mmap {
	struct data_mmap map;
	struct data_identity identity;
};

/*
 * Put a mapping of @path into the buffer; identify its file if it has no id. @inode: see identify()
 */
void buffer_put_map(struct sideband *sb, struct identified_mmap *map, const char *path,
		    unsigned long long inode);

#endif /* KNC_CTL_RECORD_BUFFER_H */
