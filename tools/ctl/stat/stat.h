/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl stat share; cmd/grant.c counts with them too
 *
 *	stat.c		command line
 *	run.c		runs of the command; tells it what the counters count
 *	events.c	the events to be counted
 *	count.c		sessions, counts of each hardware thread
 *	tasks.c		rows of --per-thread
 *	sums.c		differences of two readings, sums, scaling, spread over runs
 *	metrics.c	metrics
 *	rate.c		events in a second
 *	rows.c		rows of events and metrics
 *	table.c		as a table
 *	csv.c		as CSV
 *	json.c		as JSON
 *	output.c	the file of -o
 *	level.c		levels, in place of all of these but the command line
 */
#ifndef KNC_CTL_STAT_H
#define KNC_CTL_STAT_H

#include <stdio.h>

#include "cli/child.h"
#include "cli/event.h"
#include "cli/text.h"
#include "metric/metric.h"
#include "stat/output.h"

#define MAX_ITEMS	128
#define MAX_METRICS	64
#define MAX_PIDS	64	/* of -p or -t */
#define MAX_TASKS	1024	/* of --per-thread, at a time */
/* All that ended and are kept; of the others those of two readings, and the sum */
#define MAX_ROWS	(3 * MAX_TASKS + KNC_PMU_MAX_KEPT)
#define MAX_WANTED	16	/* options -M, -G; --metrics */
#define LABEL_TEXT	(KNCPMU_COMM_LEN + 16)	/* "NAME-TID" */

/**
 * struct wanted - an option -M or -G
 * @names: separated by commas
 * @group: names of groups, not of metrics
 */
struct wanted {
	const char *names;
	int group;
};

/**
 * struct stat_opts - the command line
 * @items: events
 * @nr_items: number of events
 * @level: a level to be read; then there are no @items. NULL: none
 * @lacking: events that the card can't count, to be shown as such
 * @nr_lacking: number of @lacking
 * @card: the card
 * @have_card: @card has been read
 * @ms: all metrics; NULL: not read
 * @metrics: metrics to be shown
 * @nr_metrics: number of @metrics
 * @wanted: options -M and -G
 * @nr_wanted: number of @wanted
 * @metric_files: additional files of metrics
 * @nr_metric_files: number of @metric_files
 * @exact: count without turns where the hardware can
 * @target: what is counted
 * @pid: the first process or thread
 * @pids: all processes or threads
 * @nr_pids: number of @pids
 * @who: their numbers and names
 * @no_inherit: do not follow tasks that the target creates
 * @config: additional KNC_PMU_CONFIG_*
 * @user_only: events without u and k count user mode only, for lack of CAP_PERFMON
 * @passes: --passes: a run for each group of events
 * @cpus: the hardware threads of TARGET_CPUS
 * @have_cpus: -C or -a was given
 * @pin: the CPUs of the command
 * @have_pin: --pin was given
 * @repeat: number of runs
 * @interval: ms between interval counts; 0: none
 * @separator: of CSV fields; NULL: no CSV
 * @json: print JSON
 * @per_cpu: show each hardware thread instead of sums
 * @per_core: show each core
 * @per_thread: show each thread that is followed
 * @detail: how often -d was given
 * @output: file for the counts; NULL: stderr
 * @append: append to an existing file
 * @command: the command and its arguments, up to NULL; NULL: no command
 */
struct stat_opts {
	struct kncpmu_item items[MAX_ITEMS];
	unsigned int nr_items;
	const struct kncpmu_level *level;
	struct kncpmu_item lacking[MAX_ITEMS];
	unsigned int nr_lacking;
	struct kncpmu_card card;
	int have_card;
	struct metrics *ms;
	const struct metric *metrics[MAX_METRICS];
	unsigned int nr_metrics;
	struct wanted wanted[MAX_WANTED];
	unsigned int nr_wanted;
	const char *metric_files[MAX_WANTED];
	unsigned int nr_metric_files;
	int exact;
	enum target target;
	int pid;
	int pids[MAX_PIDS];
	unsigned int nr_pids;
	char who[256];
	int no_inherit;
	unsigned int config;
	int user_only;
	int passes;
	struct kncpmu_cpus cpus;
	int have_cpus;
	struct kncpmu_cpus pin;
	int have_pin;
	unsigned int repeat;
	unsigned int interval;
	const char *separator;
	int json;
	int per_cpu;
	int per_core;
	int per_thread;
	unsigned int detail;
	const char *output;
	int append;
	char **command;
};

/* level.c: can these options be with a level? Then run it; both return an exit status */
int level_check(const struct command *cmd, const struct stat_opts *opts);
int level_stat(const struct stat_opts *opts);

/* stat.c */

#define NO_STAT_OPTS	{ .repeat = 1 }

/* Take an option that grant has too */
int take_common_option(const struct command *cmd, struct stat_opts *opts, int opt,
		       const char *arg);

/* events.c */

/**
 * struct stat_defaults - the events of a PMU that stat counts without -e
 * @pmu: its name
 * @tasks: of programs
 * @cpus: of hardware threads
 * @detail_1: additional ones of -d
 * @detail_2: and of -d -d
 */
struct stat_defaults {
	const char *pmu;
	const char *tasks;
	const char *cpus;
	const char *detail_1;
	const char *detail_2;
};

/* Those of kncpmu_pmu() */
const struct stat_defaults *stat_defaults(void);

/* Bytes of the longest list of events or metrics */
#define LIST_LEN	(MAX_ITEMS * KNCPMU_SPEC_LEN)

/* kncpmu_list_pmu() of -e, -M and -G, which must all name the same PMU; returns 0 or CTL_USAGE */
int stat_list_pmu(const struct command *cmd, const struct stat_opts *opts, const char *text,
		  char *list, size_t size);
int stat_parse_events(const struct command *cmd, struct stat_opts *opts, const char *text);

/* Add the default events if none were named */
int default_events(const struct command *cmd, struct stat_opts *opts);

/* The card, read at the first call */
const struct kncpmu_card *stat_card(struct stat_opts *opts);

/* Is one of the metric's events a stand-in? */
int metric_stands_in(const struct stat_opts *opts, const struct metric *m);

/* Add an event that is shown as one that can't be counted */
void add_lacking(struct stat_opts *opts, const struct kncpmu_item *item);

/* -d: add further events, in two levels */
int add_detail(const struct command *cmd, struct stat_opts *opts);

/* Without the right to kernel mode, let events without u and k count user mode only */
void choose_modes(struct stat_opts *opts);

/* run.c */

/* Count what @opts ask for; returns an exit status */
int count_and_print(struct stat_opts *opts);

/* count.c */

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
#define NR_FLAGS	2	/* bits of KNC_PMU_THREAD_* about hardware threads */

/**
 * struct counting - the sessions of stat
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
 */
struct counting {
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
};

int counting_init(struct counting *c, const struct stat_opts *opts);
void counting_free(struct counting *c);
int counting_probe(struct counting *c);
int counting_begin(struct counting *c);
int counting_read(struct counting *c, struct count *counts);
int counting_end(struct counting *c);
/* Have all tasks that are followed ended? */
int counting_ended(const struct counting *c);
size_t counting_size(const struct counting *c);
/* tasks.c */

/* With @per_thread, the k-th record of READ of part @i */
const struct knc_pmu_thread *task_record(const struct counting *c, unsigned int i,
					 unsigned int k, const char **name);
int stat_tasks_init(struct counting *c);
void stat_tasks_free(struct counting *c);
int too_many_tasks(void);
/* The row of each of the @nr records that part @i has just read, the last of which is a sum */
int stat_tasks_rows(struct counting *c, unsigned int i, unsigned int nr, unsigned int *rows);
void stat_tasks_forget(struct counting *c, const struct count *now, const struct count *before);

/* sums.c */

/**
 * struct spread - mean and deviation of several runs
 * @n: number of values
 * @mean: their mean
 * @m2: sum of the squares of their distances from the mean
 * @min: the smallest value
 * @max: the largest value
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
 * struct cell - the count of one event, a sum or of one hardware thread
 * @spread: spread of the runs
 * @value: value of the last run; scaled if the event took turns
 * @enabled: ns for which its session was started, all runs
 * @running: the part of @enabled with the hardware thread online, ns
 * @counted: the part of @running in which the event was counted, ns
 * @flags: KNC_PMU_THREAD_*
 * @turns: the event took turns: the value is an estimate
 */
struct cell {
	struct spread spread;
	unsigned long long value;
	unsigned long long enabled;
	unsigned long long running;
	unsigned long long counted;
	unsigned int flags;
	int turns;
};

/**
 * struct metric_cell - a metric, of the sums or of one hardware thread
 * @value: value of the last run
 * @spread: spread of the runs that have a value
 */
struct metric_cell {
	struct metric_value value;
	struct spread spread;
};

/**
 * struct report - counts of all events
 * @opts: the command line
 * @counting: the sessions
 * @cells: for each event 1 + number of rows: the sum, then each
 * @metrics: likewise for each metric
 * @elapsed: elapsed seconds
 * @user: seconds of the command in user mode
 * @sys: seconds of the command in the kernel
 */
struct report {
	const struct stat_opts *opts;
	const struct counting *counting;
	struct cell *cells;
	struct metric_cell *metrics;
	struct spread elapsed;
	struct spread user;
	struct spread sys;
};

int report_init(struct report *r, const struct stat_opts *opts,
		const struct counting *counting);
void report_free(struct report *r);
void report_clear(struct report *r);
void report_add(struct report *r, const struct count *now,
		const struct count *before);
/* Number of events to be shown; those that can't be counted are the last ones */
unsigned int report_items(const struct report *r);
const struct kncpmu_item *report_item(const struct report *r, unsigned int item);
/*
 * Is the event shown as one that can't be counted? @where, here and below: 0: the sum; 1 + n: the
 * n-th row of struct counting. (A row in rows.h is a line of the output.)
 */
int report_unsupported(const struct report *r, unsigned int item, unsigned int where);

/* Does the card count something else in the event's place? */
int report_stands_in(const struct report *r, unsigned int item);
const struct cell *report_cell(const struct report *r, unsigned int item,
			       unsigned int where);
/* Is a cell to be shown? Its label: "CPU3" */
int report_shows(const struct report *r, unsigned int where);
/* All cells to be shown, in their order */
const unsigned int *report_places(const struct report *r, unsigned int *nr);
void report_label(const struct report *r, unsigned int where, char *text, size_t size);
double report_percent(const struct cell *cell);
enum precision report_precision(const struct report *r, unsigned int item, unsigned int where);
/* Number of runs; with --passes all passes are one run */
unsigned int report_runs(const struct report *r);
void report_warn(const struct report *r);

/* metrics.c */

int stat_metrics(const struct command *cmd, struct stat_opts *opts);
void report_metrics(struct report *r, double seconds);
const struct metric_cell *report_metric(const struct report *r, unsigned int i,
					unsigned int where);
/* The CPI for the row of the instructions; returns 1 if cycles of the same rings were counted */
int report_cpi(const struct report *r, unsigned int item, unsigned int where,
	       struct metric_value *cpi);

/* The cores of which the sum, or row, counts core-wide events; 1 for a program */
unsigned int report_cores(const struct report *r, unsigned int where);

/* rate.c */

/**
 * struct rate - how often an event occurs
 * @per_second: in a second of the time for which it could be counted
 * @value: the same in @unit
 * @unit: "GHz" of cycles, or "M/sec" and the like
 * @rough: it is a rough estimate
 */
struct rate {
	double per_second;
	double value;
	const char *unit;
	int rough;
};

/* Returns 0 if the time says nothing, as on the emulated card with --realtime */
int report_rate(const struct report *r, unsigned int item, unsigned int where,
		struct rate *rate);
/* The time that the cycles of an event take; returns 0 likewise, and if it counts no cycles */
int report_seconds(const struct report *r, unsigned int item, unsigned int where, double *seconds);

/* table.c, csv.c, json.c; @time: seconds since the start; @status: exit status of the command */

/**
 * struct printer - a form of output
 * @begin: prints the head; NULL: there is none
 * @interval: prints the counts of an interval
 * @total: prints the counts of the whole run
 */
struct printer {
	void (*begin)(FILE *f, const struct report *r);
	void (*interval)(FILE *f, const struct report *r, double time);
	void (*total)(FILE *f, const struct report *r, int status);
};

/* What is counted: the target, the command */
void print_counted(FILE *f, const struct stat_opts *opts);

extern const struct printer table_printer;
extern const struct printer csv_printer;
extern const struct printer json_printer;

#endif /* KNC_CTL_STAT_H */
