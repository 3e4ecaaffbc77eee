/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data files of knc-pmuctl record (knc.data)
 *
 * A file header, then chunks, each written with one call and complete in
 * itself: a file that was cut off anywhere (full disk, kill -9) is readable up
 * to its last complete chunk. Numbers are little-endian, everything is a
 * multiple of 8 bytes, strings are padded with zeros. A reader skips chunks and
 * records of types it does not know; what it must not skip changes the version.
 * Documentation/data-file.rst describes the same for others.
 *
 * DATA_INFO: {"schema": "knc-pmuctl-data/1", "program": "knc-pmuctl 0.1.0",
 * "host": "mic0", "kernel": "6.1.0", "boot_id": "...", "command": ["./a.out"],
 * "pid": 123, "cpus": "0-3", "tsc_khz": 1100000, "pmi": "nmi",
 * "started": "2026-11-20T21:00:00Z", "started_ns": CLOCK_MONOTONIC,
 * "events": [{"event": "BRANCHES:u", "raw": "r0012", "counter": 0,
 * "period": 1000003, "freq": 0}], "sample_interval_ns": 0, "ring_size": 524288,
 * "max_frames": 0, "chain_user": false, "chain_kernel": false, "target":
 * "command", "followed": 123, "who": "a.out", "inherit": true}; command and pid
 * are null without one, followed and who if hardware threads were recorded; an event
 * that is not sampled (but shown with time samples) has period 0 and freq 0.
 *
 * DATA_END: {"ended_ns": CLOCK_MONOTONIC, "status": 0, "rings": [{"cpu": 0,
 * "samples": 100, "lost": 0, "lost_events": [0, 0], "unsampled": [0, 0],
 * "throttles": 0}]}: the fields of struct knc_pmu_ring when all had been read.
 */
#ifndef KNC_CTL_DATA_H
#define KNC_CTL_DATA_H

#include <linux/types.h>

#include <knc_pmu.h>

#define DATA_MAGIC	"KNCDATA\n"
#define DATA_VERSION	2
#define DATA_DEFAULT	"knc.data"

/* Where boot_id comes from, and is compared with */
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"

/**
 * struct data_header - how a file begins
 * @magic: DATA_MAGIC, 8 bytes without a final zero
 * @version: DATA_VERSION; a reader refuses those it does not know
 * @header_size: bytes of this header; the first chunk is behind them
 * @reserved: 0
 */
struct data_header {
	char magic[8];
	__u32 version;
	__u32 header_size;
	__u64 reserved[2];
};

/**
 * enum data_type - chunks
 * @DATA_INFO: what was recorded where: a JSON object (see data-file.rst); the
 *	first chunk, once
 * @DATA_RECORDS: struct data_records and what a ring held: records of
 *	uapi/knc_pmu.h without KNC_PMU_RECORD_PAD
 * @DATA_TASKS: records of enum data_task_type
 * @DATA_COUNTS: struct data_counts and the records of a READ
 * @DATA_KSYMS: symbols of the kernel that was recorded, lines of /proc/kallsyms
 *	that samples fall into
 * @DATA_END: the sums: a JSON object; the last chunk of a recording that ended
 *	by itself
 */
enum data_type {
	DATA_INFO = 1,
	DATA_RECORDS,
	DATA_TASKS,
	DATA_COUNTS,
	DATA_KSYMS,
	DATA_END
};

#define DATA_MAX_CHUNK	(64U << 20)

/**
 * struct data_chunk - how a chunk begins
 * @type: enum data_type
 * @crc: CRC-32 (zlib's) of the payload
 * @size: bytes of payload behind this, a multiple of 8, at most DATA_MAX_CHUNK
 */
struct data_chunk {
	__u32 type;
	__u32 crc;
	__u64 size;
};

/**
 * struct data_records - how the payload of DATA_RECORDS begins
 * @cpu: whose ring it was
 * @reserved: 0
 */
struct data_records {
	__u32 cpu;
	__u32 reserved;
};

/**
 * struct data_counts - how the payload of DATA_COUNTS begins
 * @nr_threads: records of READ behind this
 * @nr_events: events of each
 */
struct data_counts {
	__u32 nr_threads;
	__u32 nr_events;
};

/**
 * enum data_task_type - what happened to a task, to find the symbol of an address
 * @DATA_COMM: struct data_comm: it has a (new) name
 * @DATA_EXEC: struct data_comm: the same by exec: its mappings are gone
 * @DATA_FORK: struct data_fork: it was born, with the mappings of its parent if
 *	it is a new process
 * @DATA_EXIT: struct data_fork: it ended
 * @DATA_MMAP: struct data_mmap: it has a new executable mapping
 * @DATA_TASKS_LOST: struct data_tasks_lost: some of these are missing
 */
enum data_task_type {
	DATA_COMM = 1,
	DATA_EXEC,
	DATA_FORK,
	DATA_EXIT,
	DATA_MMAP,
	DATA_TASKS_LOST
};

/**
 * struct data_task - how each of them begins
 * @type: enum data_task_type
 * @size: bytes of the record, a multiple of 8
 * @pid: process
 * @tid: thread
 * @reserved: 0
 * @time: CLOCK_MONOTONIC, ns; 0: it was so when the recording began
 */
struct data_task {
	__u16 type;
	__u16 size;
	__u32 pid;
	__u32 tid;
	__u32 reserved;
	__u64 time;
};

/* Behind it: the name, ended and padded by zeros */
struct data_comm {
	struct data_task task;
};

/**
 * struct data_fork - a task was born (or ended: then the parent is 0)
 * @task: the new one
 * @parent_pid: its parent's process
 * @parent_tid: its parent's thread
 */
struct data_fork {
	struct data_task task;
	__u32 parent_pid;
	__u32 parent_tid;
};

/**
 * struct data_mmap - an executable mapping
 * @task: whose
 * @start: where it begins
 * @length: bytes
 * @offset: where in the file it begins
 * @build_id_size: bytes of @build_id; 0: not known
 * @reserved: 0
 * @build_id: of the file
 *
 * Behind it: the file's path, ended and padded by zeros. [vdso] and the like
 * are in brackets, as in /proc/PID/maps; //anon is memory without a file.
 */
struct data_mmap {
	struct data_task task;
	__u64 start;
	__u64 length;
	__u64 offset;
	__u32 build_id_size;
	__u32 reserved;
	__u8 build_id[24];
};

/**
 * struct data_tasks_lost - the kernel had no room for some of these
 * @task: pid and tid 0
 * @number: how many
 */
struct data_tasks_lost {
	struct data_task task;
	__u64 number;
};

#endif /* KNC_CTL_DATA_H */
