/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl stat share
 *
 *	stat.c		command line, one run after another
 *	count.c		sessions, their turns, counts of each hardware thread
 *	report.c	sums, scaling, metrics, spread over runs
 *	print.c		as a table or CSV
 *	json.c		as JSON
 */
#ifndef KNC_CTL_STAT_H
#define KNC_CTL_STAT_H

#include <stdio.h>

#include "child.h"
#include "ctl.h"

#define MAX_ITEMS	128

/**
 * struct stat_opts - what the command line asks for
 * @items: events
 * @nr_items: how many
 * @exact: count them without turns where the hardware can
 * @cpus: where to count
 * @have_cpus: -C or -a was given
 * @pin: where the command runs
 * @have_pin: --pin was given
 * @repeat: runs
 * @interval: ms between interval counts; 0: none
 * @separator: of CSV fields; NULL: no CSV
 * @json: as JSON
 * @per_cpu: counts of each hardware thread instead of sums
 * @output: where to write the counts; NULL: stderr
 * @command: what to run, ends with NULL
 */
struct stat_opts {
	struct kncpmu_item items[MAX_ITEMS];
	unsigned int nr_items;
	int exact;
	struct kncpmu_cpus cpus;
	int have_cpus;
	struct kncpmu_cpus pin;
	int have_pin;
	unsigned int repeat;
	unsigned int interval;
	const char *separator;
	int json;
	int per_cpu;
	const char *output;
	char **command;
};

/* count.c */

/**
 * struct count - what one event counted on one hardware thread
 * @value: the count
 * @enabled: ns for which its session was started
 * @running: ns of that in which the hardware thread was online
 * @flags: KNC_PMU_THREAD_*
 * @for_core: it is the count of its core
 * @turns: it took turns
 */
struct count {
	unsigned long long value;
	unsigned long long enabled;
	unsigned long long running;
	unsigned int flags;
	int for_core;
	int turns;
};

#define MAX_PARTS	(MAX_ITEMS + KNCPMU_PLACE_MORE)
#define NR_FLAGS	2	/* bits of KNC_PMU_THREAD_* */

/**
 * struct counting - sessions, and sets of events that take turns in them
 * @items: events
 * @nr_items: how many
 * @parts: which session counts which events where; those with turns come last
 * @fd: the sessions; -1: none
 * @nr_parts: how many
 * @nr_turns: how many of them take turns
 * @turn: whose turn it is, from 0
 * @cpus: where
 * @nr_cpus: how many of them
 * @cores: all hardware threads of their cores
 * @records: room for what the kernel returns
 * @base: counts of the sessions that are closed, @nr_items x @nr_cpus
 * @cpu: the CPU numbers, @nr_cpus
 * @core: the first hardware thread of the core of each CPU of @cores
 * @flagged: for each bit of KNC_PMU_THREAD_* the hardware threads that had it
 * @for_core: those of them that counted for their cores
 * @begun: when the first session was started, ns
 * @slice: ns of a turn
 */
struct counting {
	const struct kncpmu_item *items;
	unsigned int nr_items;
	struct kncpmu_part parts[MAX_PARTS];
	int fd[MAX_PARTS];
	unsigned int nr_parts;
	unsigned int nr_turns;
	unsigned int turn;
	const struct kncpmu_cpus *cpus;
	unsigned int nr_cpus;
	struct kncpmu_cpus cores;
	void *records;
	struct count *base;
	unsigned int *cpu;
	unsigned int core[KNC_PMU_MAX_CPUS];
	struct kncpmu_cpus flagged[NR_FLAGS];
	struct kncpmu_cpus for_core;
	unsigned long long begun;
	unsigned long long slice;
};

int counting_init(struct counting *c, const struct stat_opts *opts);
void counting_free(struct counting *c);
int counting_probe(struct counting *c);
int counting_begin(struct counting *c);
int counting_rotate(struct counting *c);
int counting_sample(struct counting *c, struct count *counts);
int counting_end(struct counting *c);
size_t counting_size(const struct counting *c);

/* report.c */

/**
 * struct spread - mean and deviation of several runs
 * @n: how many
 * @mean: of the values
 * @m2: sum of the squares of the distances from it
 * @min: the smallest
 * @max: the largest
 */
struct spread {
	unsigned int n;
	double mean;
	double m2;
	double min;
	double max;
};

void spread_add(struct spread *spread, double value);
double spread_stddev(const struct spread *spread);

/**
 * struct cell - counts of one event, summed up or of one hardware thread
 * @spread: of the runs
 * @value: of the last run; scaled if it took turns
 * @enabled: ns for which it was counted, all runs
 * @running: ns of that with the hardware thread online
 * @wall: ns for which it should have been counted, all runs
 * @flags: KNC_PMU_THREAD_*
 * @turns: it took turns, and is an estimate
 */
struct cell {
	struct spread spread;
	unsigned long long value;
	unsigned long long enabled;
	unsigned long long running;
	unsigned long long wall;
	unsigned int flags;
	int turns;
};

/**
 * struct report - counts of all events
 * @opts: what was asked for
 * @counting: where they come from
 * @cells: for each event 1 + number of CPUs: the sum, then each
 * @elapsed: seconds
 * @user: seconds in user mode
 * @sys: seconds in the kernel
 */
struct report {
	const struct stat_opts *opts;
	const struct counting *counting;
	struct cell *cells;
	struct spread elapsed;
	struct spread user;
	struct spread sys;
};

int report_init(struct report *r, const struct stat_opts *opts,
		const struct counting *counting);
void report_free(struct report *r);
void report_clear(struct report *r);
void report_add(struct report *r, const struct count *now,
		const struct count *before, unsigned long long wall);
const struct cell *report_cell(const struct report *r, unsigned int item,
			       unsigned int where);
double report_percent(const struct cell *cell);
int report_cpi(const struct report *r, unsigned int item, unsigned int where,
	       double *cpi);
void report_warn(const struct report *r);

/* print.c, json.c: @time seconds into the run, the exit status of the command */

/**
 * struct printer - a form of output
 * @begin: prints what stands before all counts; NULL: nothing does
 * @interval: prints the counts of an interval
 * @total: prints the counts of it all
 */
struct printer {
	void (*begin)(FILE *f, const struct report *r);
	void (*interval)(FILE *f, const struct report *r, double time);
	void (*total)(FILE *f, const struct report *r, int status);
};

extern const struct printer table_printer;
extern const struct printer csv_printer;
extern const struct printer json_printer;

#endif /* KNC_CTL_STAT_H */
