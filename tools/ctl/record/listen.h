/* SPDX-License-Identifier: GPL-2.0 */
/* The rings with the kernel's records of tasks */
#ifndef KNC_CTL_LISTEN_H
#define KNC_CTL_LISTEN_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "record/record.h"

#define MAX_RECORD	(64U << 10)

/**
 * struct perf_ring - the ring of a CPU
 * @fd: the event
 * @cpu: the CPU
 * @page: the mapped memory
 * @data: its records
 * @size: bytes of @data
 * @tail: position up to which records were read
 */
struct perf_ring {
	int fd;
	int cpu;
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;
	__u64 tail;
};

/* A record of the kernel, copied from the ring; it ends with its time */
struct perf_record {
	struct perf_event_header header;
	union {
		struct {
			__u32 pid, tid;
			char name[MAX_RECORD - 16];
		} comm;
		struct {
			__u32 pid, ppid, tid, ptid;
		} fork;
		struct {
			__u32 pid, tid;
			__u64 start, length, offset;
			char name[MAX_RECORD - 40];
		} mmap;
		struct {
			__u32 pid, tid;
			__u64 start, length, offset;
			union {
				struct {
					__u8 id_size, reserved[3], id[20];
				};
				struct {
					__u32 major, minor;
					__u64 inode, generation;
				} __attribute((__packed__, __aligned__(8)));
			};
			__u32 prot, flags;
			char name[MAX_RECORD - 72];
		} mmap2;
		struct {
			__u64 id, number;
		} lost;
	};
};

typedef void (*perf_record_fn)(struct sideband *sb, const struct perf_record *record,
			       unsigned long long time);

/* Hand all records to @take without releasing them; returns the new tail */
__u64 perf_ring_walk(struct sideband *sb, const struct perf_ring *ring, perf_record_fn take);

void listen_stop(struct sideband *sb);

/*
 * Receive the records of process @pid and its descendants; 0: of all processes. Warns if the kernel
 * refuses.
 */
void listen_start(struct sideband *sb, int pid);

#endif /* KNC_CTL_LISTEN_H */
