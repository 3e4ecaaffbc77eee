/* SPDX-License-Identifier: GPL-2.0 */
/* The measured operations of /dev/knc_pmu, for knc-pmuctl bench and for tests/bench */
#ifndef KNC_CTL_BENCH_OPERATIONS_H
#define KNC_CTL_BENCH_OPERATIONS_H

#include <kncpmu.h>

#include "bench/measure.h"

/**
 * struct scope - events to be measured, of a task or of a hardware thread
 * @name: its part of the figures' names
 * @flags: flags of CONFIG
 * @event_flags: flags of all events
 * @names: perf's names of the events, one for each counter
 * @codes: codes of the events on this machine's PMU
 */
struct scope {
	const char *name;
	unsigned int flags;
	unsigned int event_flags;
	const char *names[MAX_MEASURED];
	unsigned int codes[MAX_MEASURED];
};

/* The caller, in user mode; a hardware thread, in all modes */
extern struct scope own_task, own_thread;

/* Call this first: looks the events up. @fd is the device's. Returns 0 or a negative errno. */
int operations_init(int fd);

/**
 * struct setup - a session to be measured
 * @scope: whose events
 * @nr: how many of its events
 * @flags: flags of CONFIG, besides the scope's
 * @event_flags: flags of the events, besides the scope's
 * @pid: with own_task: the task to be followed instead of the caller
 * @cpu: with own_thread: the first hardware thread
 * @threads: with own_thread: how many besides that one
 * @period: instructions in user mode from one sample to the next, of all events; 0: no samples
 */
struct setup {
	const struct scope *scope;
	unsigned int nr;
	unsigned int flags;
	unsigned int event_flags;
	int pid;
	unsigned int cpu;
	unsigned int threads;
	unsigned long period;
};

/*
 * Configure the session that START, STOP and READ are measured with. Returns its file, or a
 * negative errno, which session_failure() explains. There is one such session at a time; the file
 * of an earlier one stays open until close().
 */
int session_open(const struct setup *setup);
const struct kncpmu_failure *session_failure(void);
/* Start counting; returns 0 or a negative errno */
int session_start(void);
void session_close(void);
/* Map the ring of a session with samples. While the caller stays on @cpu no other ring is used */
struct knc_pmu_ring *session_map(unsigned int cpu);
void session_unmap(void);

/* Choose the session that work_open() opens, configures and closes */
void open_with(const struct setup *setup);
long work_open(void);
/* RESET */
long work_reset(void);
/* Set the flags of READ for work_read() */
void read_with(unsigned int flags);
long work_read(void);
long work_start_stop(void);
/* START, then READ. With KNC_PMU_READ_STOP in the flags the session is stopped at each START */
long work_start_read(void);

/* struct operation @kind */
#define OF_TASK		(1U << 0)	/* measured with own_task */
#define OF_THREAD	(1U << 1)	/* measured with own_thread */
#define OF_SAMPLES	(1U << 2)	/* an overflow with a sample */
#define OF_SWITCH	(1U << 3)	/* what a session adds to a context switch */
#define WITH_ONE	(1U << 4)	/* measured with one event */
#define WITH_TWO	(1U << 5)	/* measured with two events */
#define NO_SESSION	(1U << 6)	/* the work opens a session itself, or needs none */
#define STARTED		(1U << 7)	/* the session counts */
#define ELSEWHERE	(1U << 8)	/* the session follows another task, which sleeps */
#define IN_RING_3	(1U << 9)	/* reads the counts by the session's page */
#define GATED		(1U << 10)	/* events gated by SPFLT, by the task's own USER_PREF */
#define LONG		(1U << 11)	/* takes long: few runs are enough */
#define WITH_ALL	(1U << 12)	/* measured with all counters, if there are more than two */

/**
 * struct operation - a row
 * @name: name of the figure; the scope's name precedes it, except for switches
 * @title: what the table shows
 * @kind: the flags above
 * @config: flags of CONFIG, besides the scope's
 * @read: flags of READ
 * @work: what is measured, unless that is an overflow or a switch
 */
struct operation {
	const char *name;
	const char *title;
	unsigned int kind;
	unsigned int config;
	unsigned int read;
	long (*work)(void);
};

/* All operations; the last one has no name */
extern const struct operation operations[];

/* The most rows of one operation: with no event or one, with two, with all */
#define MAX_SIZES	3

/* @sizes: the numbers of events to measure an operation with on this machine; returns how many */
unsigned int operation_sizes(const struct operation *op, unsigned int sizes[MAX_SIZES]);

/* Write the name of a figure, for instance "task.read.2" */
void operation_name(const struct operation *op, const struct scope *scope, unsigned int nr,
		    char *name, size_t size);

/*
 * Measure @op with @nr events on CPU @cpu, on which the caller must stay. Returns 0, or a negative
 * errno, which session_failure() explains.
 */
int operation_cost(const struct operation *op, const struct scope *scope, unsigned int nr,
		   unsigned int cpu, struct cost *cost);

#endif /* KNC_CTL_BENCH_OPERATIONS_H */
