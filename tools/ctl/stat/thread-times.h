/* SPDX-License-Identifier: GPL-2.0 */
/* The time of each thread on hardware threads and off them: stat --off-cpu */
#ifndef KNC_CTL_STAT_THREAD_TIMES_H
#define KNC_CTL_STAT_THREAD_TIMES_H

#include <kncpmu.h>
#include <kernel-file.h>

#include "cli/memory.h"

/* Why a thread is on no hardware thread; OFF_UNKNOWN: the record with the reason was lost */
enum off_reason { OFF_RUNNABLE, OFF_SLEEPING, OFF_BLOCKED, OFF_UNKNOWN, NR_OFF };

/**
 * struct thread_time - what a thread did with its time
 * @tid: the thread; 0: the sum of the ended threads that the module did not keep
 * @name: its name
 * @on: ns on hardware threads, as READ has it
 * @off: ns on none, by the reason
 * @began: it has been on a hardware thread
 * @is_off: it is on none
 * @why: if @is_off, the reason
 * @since: if @is_off, the time since when, ns
 * @ended: it has ended
 * @read: READ had a record of it
 * @before: the thread before it with the same hash of its number: place + 1
 */
struct thread_time {
	unsigned int tid;
	char name[KNCPMU_COMM_LEN];
	unsigned long long on;
	unsigned long long off[NR_OFF];
	int began;
	int is_off;
	enum off_reason why;
	unsigned long long since;
	int ended;
	int read;
	size_t before;
};

#define TIMES_HASH	1024

/**
 * struct thread_times - all threads, in the order in which they were seen
 * @threads: the threads
 * @nr: number of threads
 * @room: of @threads
 * @last: by a hash of its number, the last thread: place + 1
 */
struct thread_times {
	struct thread_time *threads;
	size_t nr;
	size_t room;
	size_t last[TIMES_HASH];
};

/* Number of times that are shown of a thread; the first is @on */
#define NR_TIMES	(1 + NR_OFF)
const char *time_name(unsigned int i);
unsigned long long time_of(const struct thread_time *t, unsigned int i);
/* The time for which the thread was followed */
unsigned long long time_followed(const struct thread_time *t);

/* Add a thread that is followed from the start; /proc/TID/stat at @time shows its state */
void times_begin(struct thread_times *times, unsigned int tid, char state,
		 unsigned long long time);
/* Take a record of a context switch; call in the order of time */
void times_switch(struct thread_times *times, const struct knc_pmu_sample *r);
/* Take a record of READ; call for ended threads first */
void times_read(struct thread_times *times, const struct knc_pmu_thread *record,
		const char *name);
/* Finish, after all records of READ at @time */
void times_end(struct thread_times *times, unsigned long long time);
/* NAME-TID, or "ended" */
void time_label(const struct thread_time *t, char *text, size_t size);
/* Percentage of the time for which the thread was followed */
double time_percent(const struct thread_time *t, unsigned int i);
/* The sum of all threads */
void times_sum(const struct thread_times *times, struct thread_time *sum);
void times_free(struct thread_times *times);

#endif /* KNC_CTL_STAT_THREAD_TIMES_H */
