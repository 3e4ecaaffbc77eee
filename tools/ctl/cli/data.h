/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data files of knc-pmuctl record (knc.data)
 *
 * A file header, then chunks, each written with one call and complete in
 * itself: a file that was cut off anywhere (full disk, kill -9) is readable up
 * to its last complete chunk. Numbers are little-endian, sizes are multiples of
 * 8 bytes, strings are padded with zeros. A reader skips chunks and records of
 * types that it does not know; a change that it must not skip gets a new version.
 * Documentation/data-file.rst describes the format for other programs.
 *
 * DATA_INFO: {"schema": "knc-pmuctl-data/1", "program": "knc-pmuctl 0.1.0",
 * "host": "mic0", "kernel": "6.1.0", "boot_id": "...", "command": ["./a.out"],
 * "pid": 123, "cpus": "0-3", "tsc_khz": 1100000, "pmi": "nmi", "pmu": "knc",
 * "started": "2026-11-20T21:00:00Z", "started_ns": CLOCK_MONOTONIC,
 * "events": [{"event": "BRANCHES:u", "raw": "r0012", "counter": 0,
 * "period": 1000003, "freq": 0}], "sample_interval_ns": 0, "ring_size": 524288,
 * "max_frames": 0, "stack_size": 0, "switches": false, "chain_user": false,
 * "chain_kernel": false, "target": "command", "followed": 123, "who": "a.out",
 * "inherit": true, "pid_namespace": 4026531836}; command and pid are null
 * without a command, followed and who in a recording of hardware threads, pid_namespace
 * where the kernel does not tell it; an event that is only counted in time samples has
 * period 0 and freq 0.
 *
 * "utc_ns": the time of day at started_ns, ns since 1970. Of a rank of a parallel program also
 * "rank": 3, "ranks": 16, "job": "...": its rank, how many there are, the launcher's name of
 * the run.
 *
 * A file of merge has version DATA_MERGED. After its own DATA_INFO it has for each rank DATA_RANK
 * and all other chunks of that rank's file, and at last a DATA_END of its own.
 *
 * DATA_END: {"ended_ns": CLOCK_MONOTONIC, "status": 0, "rings": [{"cpu": 0,
 * "samples": 100, "lost": 0, "lost_events": [0, 0], "unsampled": [0, 0],
 * "throttles": 0, "switches": 0, "lost_switches": 0}]}: the fields of struct
 * knc_pmu_ring after the last record was read.
 */
#ifndef KNC_CTL_DATA_H
#define KNC_CTL_DATA_H

#include <linux/types.h>

#include <knc/arch_regs.h>
#include <knc_pmu.h>

#define DATA_MAGIC	"KNCDATA\n"
#define DATA_VERSION	3
/* A file of several ranks, whose hosts have equal numbers for other tasks and hardware threads */
#define DATA_MERGED	4
/* The oldest version that is read; its mappings lack struct data_identity */
#define DATA_OLDEST	2
#define DATA_DEFAULT	"knc.data"
/* The most counted events of a recording: as many as a hardware thread of a host has counters */
#define DATA_COUNTED	(ARCH_MAX_GENERAL + ARCH_MAX_FIXED)
/* report and the like add two: the time that threads wait, and the time they are runnable */
#define DATA_EVENTS	(DATA_COUNTED + 2)

/* The kernel's fixed number of the first pid namespace, from which all processes are visible */
#define DATA_FIRST_PID_NS	0xeffffffcU

/* Gives the recording's boot_id */
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"

/**
 * struct data_header - the head of a file
 * @magic: DATA_MAGIC, 8 bytes without a final zero
 * @version: DATA_VERSION; a reader refuses versions that it does not know
 * @header_size: bytes of this header; the first chunk follows
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
 * @DATA_INFO: properties of the recording: a JSON object (see above); the first
 *	chunk, once
 * @DATA_RECORDS: struct data_records and records of a ring (uapi/knc_pmu.h),
 *	without KNC_PMU_RECORD_PAD
 * @DATA_TASKS: records of enum data_task_type
 * @DATA_COUNTS: struct data_counts and the records of a READ, for other programs: report does
 *	not read it
 * @DATA_KSYMS: the symbols of the kernel with samples in them: lines of
 *	/proc/kallsyms, where nothing is known, and modules that came or went
 * @DATA_END: the sums: a JSON object; the last chunk of a recording that was not
 *	cut off; also the last one of a rank
 * @DATA_MARKS: records of enum data_mark_type
 * @DATA_RANK: the DATA_INFO of a rank's file and "shift_ns": what is added to its times;
 *	the chunks up to its DATA_END are that rank's (DATA_MERGED only)
 */
enum data_type {
	DATA_INFO = 1,
	DATA_RECORDS,
	DATA_TASKS,
	DATA_COUNTS,
	DATA_KSYMS,
	DATA_END,
	DATA_MARKS,
	DATA_RANK
};

/* The most ranks of a file: each rank's hardware threads get numbers of their own (data-file.h) */
#define DATA_MAX_RANKS	(~0U / KNC_PMU_MAX_CPUS)

#define DATA_MAX_CHUNK	(64U << 20)

/**
 * struct data_chunk - the head of a chunk
 * @type: enum data_type
 * @crc: CRC-32 (zlib's) of the payload
 * @size: bytes of the payload that follows, a multiple of 8, at most DATA_MAX_CHUNK
 */
struct data_chunk {
	__u32 type;
	__u32 crc;
	__u64 size;
};

/**
 * struct data_records - the head of the payload of DATA_RECORDS
 * @cpu: the hardware thread of the ring
 * @reserved: 0
 */
struct data_records {
	__u32 cpu;
	__u32 reserved;
};

/**
 * struct data_counts - the head of the payload of DATA_COUNTS
 * @nr_threads: number of the records of READ that follow
 * @nr_events: events of each
 */
struct data_counts {
	__u32 nr_threads;
	__u32 nr_events;
};

/**
 * enum data_task_type - events of tasks, for the symbols of addresses
 * @DATA_COMM: struct data_comm: the task has a (new) name
 * @DATA_EXEC: struct data_comm: its name after exec, which removed its mappings
 * @DATA_FORK: struct data_fork: it was created; a new process has the mappings of
 *	its parent
 * @DATA_EXIT: struct data_fork: it ended
 * @DATA_MMAP: struct data_mmap: it has a new executable mapping
 * @DATA_TASKS_LOST: struct data_tasks_lost: records are missing
 * @DATA_CODE: struct data_code: a function that the process has made at run time
 */
enum data_task_type {
	DATA_COMM = 1,
	DATA_EXEC,
	DATA_FORK,
	DATA_EXIT,
	DATA_MMAP,
	DATA_TASKS_LOST,
	DATA_CODE
};

/**
 * struct data_task - the head of each record of DATA_TASKS
 * @type: enum data_task_type
 * @size: bytes of the record, a multiple of 8
 * @pid: process
 * @tid: thread
 * @reserved: 0
 * @time: CLOCK_MONOTONIC, ns; 0: the state when the recording began
 */
struct data_task {
	__u16 type;
	__u16 size;
	__u32 pid;
	__u32 tid;
	__u32 reserved;
	__u64 time;
};

/* Followed by the name, ended and padded by zeros */
struct data_comm {
	struct data_task task;
};

/**
 * struct data_fork - a task was created, or ended
 * @task: the task
 * @parent_pid: process of its parent; 0 when it ended
 * @parent_tid: thread of its parent; 0 when it ended
 */
struct data_fork {
	struct data_task task;
	__u32 parent_pid;
	__u32 parent_tid;
};

/**
 * struct data_mmap - an executable mapping
 * @task: its task
 * @start: its address
 * @length: its bytes
 * @offset: offset of its first byte in the file
 * @build_id_size: bytes of @build_id; 0: not known
 * @identity_size: bytes of struct data_identity; 0: there is none
 * @build_id: build-id of the file; the last bytes of Go's id
 *
 * Followed by struct data_identity, if the file has no id, and by its path, ended and padded by
 * zeros. Names such as [vdso] are in brackets, as in /proc/PID/maps; //anon is memory without a
 * file.
 */
struct data_mmap {
	struct data_task task;
	__u64 start;
	__u64 length;
	__u64 offset;
	__u32 build_id_size;
	__u32 identity_size;
	__u8 build_id[24];
};

/**
 * struct data_identity - what else tells one file from another of the same path
 * @device: its device, as stat() has it
 * @inode: its inode
 * @size: its bytes; 0: when it was recorded, its path already led to another file or to none
 * @modified: when it was last written to, ns since 1970
 */
struct data_identity {
	__u64 device;
	__u64 inode;
	__u64 size;
	__u64 modified;
};

/**
 * struct data_tasks_lost - records of DATA_TASKS for which the kernel had no room
 * @task: pid and tid 0
 * @number: number of lost records
 */
struct data_tasks_lost {
	struct data_task task;
	__u64 number;
};

/**
 * struct data_code - a function that a process has made at run time
 * @task: its process; @time 0: it may have been there at any time
 * @start: its address
 * @length: its bytes
 *
 * Followed by its name, ended and padded by zeros; "": there is code without a name from then on.
 * If several functions contain an address, the latest one before the sample is meant; if several
 * have that time, the last one in the file. Functions are in mappings that are memory only, and
 * stay when the process executes a program.
 */
struct data_code {
	struct data_task task;
	__u64 start;
	__u64 length;
};

/**
 * enum data_mark_type - what ring3.h tells of regions
 * @DATA_MARK_NAME: struct data_mark: the name of a region, before its first visit
 * @DATA_MARK_VISIT: struct data_visit: a visit of a region
 * @DATA_MARK_LOST: struct data_marks_lost: visits are missing
 */
enum data_mark_type {
	DATA_MARK_NAME = 1,
	DATA_MARK_VISIT,
	DATA_MARK_LOST
};

/**
 * struct data_mark - the head of each record of DATA_MARKS
 * @type: enum data_mark_type
 * @size: bytes of the record, a multiple of 8
 * @region: the region; several ones may have the same name
 *
 * DATA_MARK_NAME is followed by the name, ended and padded by zeros.
 */
struct data_mark {
	__u16 type;
	__u16 size;
	__u32 region;
};

/**
 * struct data_visit - a thread was in a region
 * @mark: the region
 * @pid: process
 * @tid: thread
 * @begin: CLOCK_MONOTONIC, ns
 * @end: likewise; if it had not ended, the end of the recording, or of the thread
 * @begin_tsc: time stamp counter at its begin, to be compared with that of samples
 * @end_tsc: likewise at its end
 * @depth: number of visits around it
 * @open: 1: it had not ended when the recording did; an exec of its thread since its begin ends it
 */
struct data_visit {
	struct data_mark mark;
	__u32 pid;
	__u32 tid;
	__u64 begin;
	__u64 end;
	__u64 begin_tsc;
	__u64 end_tsc;
	__u32 depth;
	__u32 open;
};

/**
 * struct data_marks_lost - visits that are missing
 * @mark: region 0
 * @lost: their rings were full, or there was no ring
 * @impossible: they could not be true
 */
struct data_marks_lost {
	struct data_mark mark;
	__u64 lost;
	__u64 impossible;
};

#endif /* KNC_CTL_DATA_H */
