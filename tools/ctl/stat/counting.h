/* SPDX-License-Identifier: GPL-2.0 */
/* The sessions of stat, and what they have counted: count.c, tasks.c */
#ifndef KNC_CTL_STAT_COUNTING_H
#define KNC_CTL_STAT_COUNTING_H

#include "stat/stat.h"
#include <place.h>

struct off_cpu;

/**
 * struct count - the count of one event on one hardware thread, or for a program
 * @value: the count
 * @enabled: ns for which its session was started
 * @running: the part of @enabled in which the hardware thread was online, ns
 * @counted: the part of @running in which it was the event's turn, ns
 * @flags: KNC_PMU_THREAD_*
 * @for_core: the hardware thread counted for its core
 * @turns: the event took turns
 * @followed: a program is followed; if it did not run the count is 0
 */
struct count {
	unsigned long long value;
	unsigned long long enabled;
	unsigned long long running;
	unsigned long long counted;
	unsigned int flags;
	int for_core;
	int turns;
	int followed;
};

/**
 * struct task_row - the thread of a row of --per-thread
 * @name: its name
 * @ended: it has ended: another thread with its number is another row
 */
struct task_row {
	char name[KNCPMU_COMM_LEN];
	int ended;
};

/**
 * struct ended_rows - the rows of the ended threads of one part, in the order in which they ended
 * @nr: number of threads
 * @row: their rows; 0: none of their own
 */
struct ended_rows {
	unsigned int nr;
	unsigned int row[KNC_PMU_MAX_KEPT];
};

#define MAX_PARTS	MAX_ITEMS
#define NR_FLAGS	2	/* number of KNC_PMU_THREAD_* flags about hardware threads */

/**
 * struct counting - the sessions of stat
 * @pmu: the PMU of the events
 * @items: events
 * @nr_items: number of events
 * @parts: the events and hardware threads of each session
 * @fd: the sessions; -1: none
 * @nr_parts: number of sessions
 * @nr_passes: number of runs: one for each part if more than 1
 * @pass: the present run, from 0
 * @task: a program is followed: there is one row, KNC_PMU_NO_CPU
 * @pid: its process; 0: this one
 * @pids: all processes, a part for each
 * @nr_pids: number of @pids
 * @ended: for each part: all tasks that it followed have ended
 * @per_thread: the rows are threads of the program, see tasks.c
 * @tasks: with @per_thread, the thread of each row
 * @ended_rows: with @per_thread, for each part
 * @nr_ended: ended threads that have rows
 * @flags: KNC_PMU_CONFIG_* for following
 * @delayed: counting_start() starts the sessions, later
 * @seen: KNC_PMU_THREAD_* of the followed tasks
 * @counter: for each event, its counter
 * @cpus: the hardware threads
 * @nr_rows: number of rows of counts: one for each of @cpus, or for each thread
 * @cores: all hardware threads of their cores
 * @records: room for READ
 * @base: counts of the sessions that have ended, @nr_items x @nr_rows
 * @row_id: CPU of each row; with @per_thread the thread, 0: free; KNC_PMU_NO_CPU: the program,
 *	or threads of it without a row
 * @core: the first hardware thread of the core of each CPU of @cores
 * @flagged: for each bit of KNC_PMU_THREAD_* the hardware threads that had it
 * @for_core: hardware threads of @flagged that counted for their cores
 * @begun: when the first session was started, ns
 * @time: @time of the last READ, ns
 * @tsc_khz: ticks of the time stamp counter in a millisecond; 0: not known
 * @off_cpu: with --off-cpu the context switches; NULL: without
 */
struct counting {
	const struct kncpmu_pmu *pmu;
	const struct kncpmu_item *items;
	unsigned int nr_items;
	struct kncpmu_part parts[MAX_PARTS];
	int fd[MAX_PARTS];
	unsigned int nr_parts;
	unsigned int nr_passes;
	unsigned int pass;
	int task;
	int pid;
	const int *pids;
	unsigned int nr_pids;
	int ended[MAX_PARTS];
	int per_thread;
	struct task_row *tasks;
	struct ended_rows *ended_rows;
	unsigned int nr_ended;
	unsigned int flags;
	int delayed;
	unsigned int seen;
	unsigned int counter[MAX_ITEMS];
	const struct kncpmu_cpus *cpus;
	unsigned int nr_rows;
	struct kncpmu_cpus cores;
	void *records;
	struct count *base;
	unsigned int *row_id;
	unsigned int core[KNC_PMU_MAX_CPUS];
	struct kncpmu_cpus flagged[NR_FLAGS];
	struct kncpmu_cpus for_core;
	unsigned long long begun;
	unsigned long long time;
	unsigned int tsc_khz;
	struct off_cpu *off_cpu;
};

int counting_init(struct counting *c, const struct stat_opts *opts);
void counting_free(struct counting *c);
int counting_probe(struct counting *c);
/* Configure the sessions, and start them unless exec or counting_start() does */
int counting_begin(struct counting *c);
int counting_start(struct counting *c);
int counting_read(struct counting *c, struct count *counts);
int counting_end(struct counting *c);
/* Have all tasks ended that are followed? */
int counting_ended(const struct counting *c);
size_t counting_size(const struct counting *c);
/* With @per_thread, the k-th record of READ of part @i */
const struct knc_pmu_thread *task_record(const struct counting *c, unsigned int i,
					 unsigned int k, const char **name);
int stat_tasks_init(struct counting *c);
void stat_tasks_free(struct counting *c);
int too_many_tasks(void);
/* Find the row of each of the @nr records that part @i has just read; the last record is a sum */
int stat_tasks_rows(struct counting *c, unsigned int i, unsigned int nr, unsigned int *rows);
void stat_tasks_forget(struct counting *c, const struct count *now, const struct count *before);

#endif /* KNC_CTL_STAT_COUNTING_H */
