/* SPDX-License-Identifier: GPL-2.0 */
/* Names and mappings of processes, from /proc */
#ifndef KNC_CTL_RECORD_PROC_H
#define KNC_CTL_RECORD_PROC_H

#include "record/buffer.h"

/* kncpmu_proc_own(), which is not asked again after a success, because the answer can't change */
int proc_own(void);
/* The process of thread @tid; 0: it has ended */
int proc_of_thread(int tid);
/* Call @fn for each thread of a process until it returns nonzero; returns the last value */
int proc_threads(int pid, int (*fn)(int tid, void *ctx), void *ctx);

/**
 * struct last_written - what was last written of a process
 * @process: hash of its name and mappings; 0: nothing was written
 * @threads: hash of the names of its threads
 */
struct last_written {
	__u64 process;
	__u64 threads;
};

/*
 * Write the name and mappings of process @pid and the names of its threads if they differ from
 * @last, and update @last. Writes nothing if the process has ended.
 */
void proc_process(struct sideband *sb, int pid, unsigned long long time,
		  struct last_written *last);

#endif /* KNC_CTL_RECORD_PROC_H */
