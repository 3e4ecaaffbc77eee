// SPDX-License-Identifier: GPL-2.0
/*
 * Records of tasks while they are sampled: exec, mmap, fork, exit, new names
 *
 * They come from a software event on all CPUs, which counts nothing and uses no counter: a task
 * that is sampled on one CPU may have been created, and have mapped its libraries, on another.
 * Records of tasks that are not followed are left out. If the kernel refuses the event, each
 * process with samples is read from /proc.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "record/build-id.h"
#include "record/jit.h"
#include "record/known.h"
#include "record/listen.h"
#include "record/sideband.h"

#define RECORD_MMAP2		10
#define MISC_COMM_EXEC		(1U << 13)
#define MISC_MMAP_BUILD_ID	(1U << 14)

int sideband_init(struct sideband *sb, struct data_writer *file)
{
	memset(sb, 0, sizeof(*sb));
	sb->file = file;
	return buffer_init(sb);
}

void sideband_free(struct sideband *sb)
{
	listen_stop(sb);
	known_free(sb);
	free(sb->buffer);
	build_ids_free();
	jit_free();
}

void sideband_poll(const struct sideband *sb, struct pollfd *fds)
{
	unsigned int i;

	for (i = 0; i < sb->nr_rings; i++) {
		fds[i].fd = sb->rings[i].fd;
		fds[i].events = POLLIN;
	}
}

static void take_comm(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	struct data_comm comm = {
		.task.type = record->header.misc & MISC_COMM_EXEC ? DATA_EXEC : DATA_COMM,
		.task.pid = record->comm.pid,
		.task.tid = record->comm.tid,
		.task.time = time,
	};

	buffer_put(sb, &comm.task, sizeof(comm), record->comm.name,
		   sizeof(record->comm.name));
}

static void take_fork(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	int ends = record->header.type == PERF_RECORD_EXIT;
	struct data_fork fork = {
		.task.type = ends ? DATA_EXIT : DATA_FORK,
		.task.pid = record->fork.pid,
		.task.tid = record->fork.tid,
		.task.time = time,
		.parent_pid = ends ? 0 : record->fork.ppid,
		.parent_tid = ends ? 0 : record->fork.ptid,
	};

	buffer_put(sb, &fork.task, sizeof(fork), NULL, 0);
}

/* MMAP and MMAP2 records have the same first fields */
static void take_mmap(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	int new = record->header.type == RECORD_MMAP2;
	int has_id = new && record->header.misc & MISC_MMAP_BUILD_ID &&
		     record->mmap2.id_size <= sizeof(record->mmap2.id);
	const char *name = new ? record->mmap2.name : record->mmap.name;
	struct identified_mmap map = {
		.map = {
			.task.type = DATA_MMAP,
			.task.pid = record->mmap.pid,
			.task.tid = record->mmap.tid,
			.task.time = time,
			.start = record->mmap.start,
			.length = record->mmap.length,
			.offset = record->mmap.offset,
		},
	};

	if (has_id) {
		map.map.build_id_size = record->mmap2.id_size;
		memcpy(map.map.build_id, record->mmap2.id, record->mmap2.id_size);
	}
	jit_note(map.map.task.pid, name);
	buffer_put_map(sb, &map, name, new && !has_id ? record->mmap2.inode : 0);
}

static void take_lost(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	struct data_tasks_lost lost = {
		.task.type = DATA_TASKS_LOST,
		.task.time = time,
		.number = record->lost.number,
	};

	buffer_put(sb, &lost.task, sizeof(lost), NULL, 0);
}

static void take_record(struct sideband *sb, const struct perf_record *record,
			unsigned long long time)
{
	time += sb->clock;
	switch (record->header.type) {
	case PERF_RECORD_COMM:
		take_comm(sb, record, time);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_fork(sb, record, time);
		break;
	case PERF_RECORD_MMAP:
	case RECORD_MMAP2:
		take_mmap(sb, record, time);
		break;
	case PERF_RECORD_LOST:
		take_lost(sb, record, time);
		break;
	}
}

void sideband_drain(struct sideband *sb)
{
	struct perf_ring *ring;
	unsigned int i;

	for (i = 0; i < sb->nr_rings; i++) {
		ring = &sb->rings[i];
		ring->tail = perf_ring_walk(sb, ring, take_record);
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	}
	buffer_flush(sb);
	sb->round++;
}
