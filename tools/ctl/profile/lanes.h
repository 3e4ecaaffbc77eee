/* SPDX-License-Identifier: GPL-2.0 */
/* When each thread was running, runnable or waiting, from the context switches of a recording */
#ifndef KNC_CTL_LANES_H
#define KNC_CTL_LANES_H

#include <stddef.h>
#include <stdio.h>

#include "profile/data-file.h"

struct profile;
struct sample;

/* Named as by stat --off-cpu */
enum lane_state { LANE_RUNNING, LANE_RUNNABLE, LANE_SLEEPING, LANE_BLOCKED, NR_LANE_STATES };
extern const char * const lane_states[NR_LANE_STATES];

/**
 * struct lane_part - a thread was in one state for a while
 * @start: its beginning, ns since the recording began
 * @end: its end, likewise
 * @state: the state
 */
struct lane_part {
	unsigned long long start;
	unsigned long long end;
	enum lane_state state;
};

/**
 * struct thread_lane - a thread
 * @pid: its process; after lanes_end() the number on its host, likewise @tid
 * @tid: the thread
 * @cpu: the hardware thread on which it was first
 * @rank: of a file of merge, its rank; else -1
 * @comm: its last name
 * @parts: what it did, in the order of time; gaps are unknown
 * @nr: number of @parts
 * @room: elements of @parts
 * @running: ns of the parts in which it was running
 * @known: its state is known from @since on
 * @since: the beginning of the part that has no end yet, CLOCK_MONOTONIC, ns
 * @state: the state since then
 * @seen: time of its last record, likewise
 * @ended: it has ended
 */
struct thread_lane {
	unsigned int pid;
	unsigned int tid;
	unsigned int cpu;
	long long rank;
	const char *comm;
	struct lane_part *parts;
	size_t nr;
	size_t room;
	unsigned long long running;
	int known;
	unsigned long long since;
	enum lane_state state;
	unsigned long long seen;
	int ended;
};

struct lanes;

/* Returns NULL, which all functions accept, without context switches or if filters are by place */
struct lanes *lanes_new(struct profile *p);
void lanes_free(struct lanes *l);
/* Take context switches, samples and records of tasks, in the order of time */
void lanes_record(struct lanes *l, const struct knc_pmu_sample *r);
void lanes_sample(struct lanes *l, const struct sample *s);
void lanes_task(struct lanes *l, const struct data_task *task);
/* Finish, after all records */
void lanes_end(struct lanes *l);
/* The threads, by rank, process and number */
const struct thread_lane *const *lanes_all(const struct lanes *l, size_t *nr);
/* Where the last part ends, ns since the recording began */
unsigned long long lanes_last(const struct lanes *l);

/* timeline-lanes.c: the height of their plot; 0: there are none */
double lanes_height(const struct lanes *l);
void lanes_svg(const struct lanes *l, unsigned long long end, double top, FILE *f);
/* As CSV */
void lanes_csv(const struct lanes *l, FILE *f);

#endif /* KNC_CTL_LANES_H */
