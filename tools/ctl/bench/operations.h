/* SPDX-License-Identifier: GPL-2.0 */
/* The measured operations of /dev/knc_pmu, for knc-pmuctl bench and for tests/bench */
#ifndef KNC_CTL_BENCH_OPERATIONS_H
#define KNC_CTL_BENCH_OPERATIONS_H

#include <kncpmu.h>

#include "bench/measure.h"

/**
 * struct scope - whose events, and which
 * @name: in names of figures
 * @flags: of CONFIG
 * @event_flags: of all events
 * @names: of the events, as perf has them: one for each counter
 * @codes: their codes on the PMU of this machine
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

/* First: look the events up. @fd: of the device. Returns 0 or a negative errno. */
int operations_init(int fd);

/**
 * struct setup - a session to be measured
 * @scope: whose events
 * @nr: the first ones of them
 * @flags: of CONFIG, besides the scope's
 * @event_flags: likewise
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
 * negative errno: session_failure() has the rest. It is for one session at a time; the file of an
 * earlier one stays open, for close().
 */
int session_open(const struct setup *setup);
const struct kncpmu_failure *session_failure(void);
/* Begin to count; 0 or a negative errno */
int session_start(void);
void session_close(void);
/* Of a session with samples: its only ring in use, while the caller stays on @cpu */
struct knc_pmu_ring *session_map(unsigned int cpu);
void session_unmap(void);

/* CONFIG to close of this session, which work_open() opens and closes */
void open_with(const struct setup *setup);
long work_open(void);
/* RESET */
long work_reset(void);
/* Flags of READ for work_read() */
void read_with(unsigned int flags);
long work_read(void);
long work_start_stop(void);
/* START, and READ: with KNC_PMU_READ_STOP it begins anew each time */
long work_start_read(void);

/* struct operation @kind */
#define OF_TASK		(1U << 0)	/* of own_task */
#define OF_THREAD	(1U << 1)	/* of own_thread */
#define OF_SAMPLES	(1U << 2)	/* an overflow with a sample */
#define OF_SWITCH	(1U << 3)	/* a context switch, more than without a session */
#define WITH_ONE	(1U << 4)	/* with one event */
#define WITH_TWO	(1U << 5)	/* with two */
#define NO_SESSION	(1U << 6)	/* the work opens its own, or needs none */
#define STARTED		(1U << 7)	/* the session counts */
#define ELSEWHERE	(1U << 8)	/* it is that of another task, which sleeps */
#define IN_RING_3	(1U << 9)	/* by its page */
#define GATED		(1U << 10)	/* SPFLT gates its events: USER_PREF is the task's own */
#define LONG		(1U << 11)	/* few runs are enough */
#define WITH_ALL	(1U << 12)	/* with as many as there are counters, if more than two */

/**
 * struct operation - a row
 * @name: of the figure; after the scope's name, unless it is of a switch
 * @title: for people
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

/* All of them, up to one without a name */
extern const struct operation operations[];

/* Rows of one operation, at most: no event or one, two, all */
#define MAX_SIZES	3

/* With how many events an operation is measured on this machine. Returns the number of @sizes. */
unsigned int operation_sizes(const struct operation *op, unsigned int sizes[MAX_SIZES]);

/* The name of a figure, for instance "task.read.2" */
void operation_name(const struct operation *op, const struct scope *scope, unsigned int nr,
		    char *name, size_t size);

/*
 * Measure one with @nr events on CPU @cpu, where the caller has to stay. Returns 0, or a negative
 * errno: session_failure() has the rest.
 */
int operation_cost(const struct operation *op, const struct scope *scope, unsigned int nr,
		   unsigned int cpu, struct cost *cost);

#endif /* KNC_CTL_BENCH_OPERATIONS_H */
