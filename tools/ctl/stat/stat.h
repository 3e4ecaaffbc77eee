/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl stat and grant share
 *
 *	stat.c		command line
 *	run.c		one run after another
 *	events.c	which events
 *	count.c		sessions, counts of each hardware thread
 *	report.c	sums, scaling, spread over runs
 *	metrics.c	metrics
 *	rows.c		rows of events and metrics
 *	table.c		as a table
 *	csv.c		as CSV
 *	json.c		as JSON
 */
#ifndef KNC_CTL_STAT_H
#define KNC_CTL_STAT_H

#include <stdio.h>

#include "cli/child.h"
#include "cli/event.h"
#include "cli/output.h"
#include "metric/metric.h"

#define MAX_ITEMS	128
#define MAX_METRICS	64
#define MAX_PIDS	64	/* of -p or -t */
#define MAX_TASKS	1024	/* of --per-thread, at a time */
/* Those that have just ended have their rows until they were shown */
#define MAX_ROWS	(3 * MAX_TASKS)
#define MAX_WANTED	16	/* options -M, -G; --metrics */
#define LABEL_TEXT	(KNCPMU_COMM_LEN + 16)	/* "NAME-TID" */

/**
 * struct wanted - an option -M or -G
 * @names: separated by commas
 * @group: they are groups
 */
struct wanted {
	const char *names;
	int group;
};

/**
 * struct stat_opts - what the command line asks for
 * @items: events
 * @nr_items: how many
 * @lacking: events that are not counted, as there is nothing that could count them
 * @nr_lacking: how many
 * @card: what counts here
 * @have_card: it was asked for
 * @ms: all metrics; NULL: not read
 * @metrics: metrics to be shown
 * @nr_metrics: how many
 * @wanted: as they were asked for
 * @nr_wanted: how many
 * @metric_files: data files of metrics besides
 * @nr_metric_files: how many
 * @exact: count them without turns where the hardware can
 * @target: what is counted
 * @pid: the process or thread, the first of them
 * @pids: all
 * @nr_pids: how many
 * @who: they, for people
 * @no_inherit: what is followed, without what it creates
 * @config: KNC_PMU_CONFIG_* besides
 * @user_only: events that name no ring don't count kernel mode, it is not allowed
 * @passes: a run for each two events
 * @cpus: where to count, with TARGET_CPUS
 * @have_cpus: -C or -a was given
 * @pin: where the command runs
 * @have_pin: --pin was given
 * @repeat: runs
 * @interval: ms between interval counts; 0: none
 * @separator: of CSV fields; NULL: no CSV
 * @json: as JSON
 * @per_cpu: counts of each hardware thread instead of sums
 * @per_core: of each core
 * @per_thread: of each thread that is followed
 * @detail: how often -d was given
 * @output: where to write the counts; NULL: stderr
 * @append: behind what is there
 * @command: what to run, ends with NULL; NULL: nothing
 */
struct stat_opts {
	struct kncpmu_item items[MAX_ITEMS];
	unsigned int nr_items;
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

/* stat.c */

#define NO_STAT_OPTS	{ .repeat = 1 }

/* An option that grant has too */
int take_common_option(const struct command *cmd, struct stat_opts *opts, int opt,
		       const char *arg);

/* events.c */

int stat_parse_events(const struct command *cmd, struct stat_opts *opts, const char *text);

/* Events, if none were named */
int default_events(const struct command *cmd, struct stat_opts *opts);

/* What counts here; asked for once */
const struct kncpmu_card *stat_card(struct stat_opts *opts);

/* An event that is shown as one that can't be counted */
void add_lacking(struct stat_opts *opts, const struct kncpmu_item *item);

/* -d: more than the default, in two levels */
int add_detail(const struct command *cmd, struct stat_opts *opts);

/* If kernel mode may not be counted, events that name no ring count user mode */
void choose_rings(struct stat_opts *opts);

/* run.c */

/* Count what @opts ask for; returns an exit status */
int count_and_print(struct stat_opts *opts);

/* count.c */

/**
 * struct count - what one event counted on one hardware thread, or for a program
 * @value: the count
 * @enabled: ns for which its session was started
 * @running: ns of that in which the hardware thread was online
 * @counted: ns of that in which it was its turn
 * @flags: KNC_PMU_THREAD_*
 * @for_core: it is the count of its core
 * @turns: it took turns
 * @followed: it is that of a program, and 0 if that did not run
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

#define MAX_PARTS	MAX_ITEMS
#define NR_FLAGS	2	/* bits of KNC_PMU_THREAD_* about hardware threads */

/**
 * struct counting - sessions
 * @items: events
 * @nr_items: how many
 * @parts: which session counts which events where
 * @fd: the sessions; -1: none
 * @nr_parts: how many
 * @nr_passes: how many runs it takes: one for each part if more than 1
 * @pass: which run it is, from 0
 * @task: a program is followed: there is one "hardware thread", KNC_PMU_NO_CPU
 * @pid: which; 0: this one
 * @pids: all, a part for each
 * @nr_pids: how many
 * @ended: for each part: all that it followed has ended
 * @per_thread: the "hardware threads" are threads of the program, the first one
 *	is all those that have ended
 * @names: of these threads
 * @flags: KNC_PMU_CONFIG_* for it
 * @seen: KNC_PMU_THREAD_* of it
 * @counter: for each event, the counter it was put on
 * @cpus: where
 * @nr_cpus: how many of them
 * @cores: all hardware threads of their cores
 * @records: room for what the kernel returns
 * @base: counts of the sessions that have ended, @nr_items x @nr_cpus
 * @cpu: the CPU numbers, @nr_cpus; of threads their ids, 0: not yet used
 * @core: the first hardware thread of the core of each CPU of @cores
 * @flagged: for each bit of KNC_PMU_THREAD_* the hardware threads that had it
 * @for_core: those of them that counted for their cores
 * @begun: when the first session was started, ns
 * @time: when they were read last, as the kernel has it, ns
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
	char (*names)[KNCPMU_COMM_LEN];
	unsigned int flags;
	unsigned int seen;
	unsigned int counter[MAX_ITEMS];
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
	unsigned long long time;
	unsigned int tsc_khz;
};

int counting_init(struct counting *c, const struct stat_opts *opts);
void counting_free(struct counting *c);
int counting_probe(struct counting *c);
int counting_begin(struct counting *c);
int counting_sample(struct counting *c, struct count *counts);
int counting_end(struct counting *c);
/* Threads have the names that they have now, if they are still there */
void counting_names(struct counting *c);
/* Threads that neither of two readings has leave room for others */
void counting_forget(struct counting *c, const struct count *now, const struct count *before);
/* Has all that is followed ended? */
int counting_ended(const struct counting *c);
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
 * @enabled: ns for which its session was started, all runs
 * @running: ns of that with the hardware thread online
 * @counted: ns of that in which it was counted
 * @flags: KNC_PMU_THREAD_*
 * @turns: it took turns, and is an estimate
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
 * @value: of the last run
 * @spread: of the runs that have a value
 */
struct metric_cell {
	struct metric_value value;
	struct spread spread;
};

/**
 * struct report - counts of all events
 * @opts: what was asked for
 * @counting: where they come from
 * @cells: for each event 1 + number of CPUs: the sum, then each
 * @metrics: the same for each metric
 * @elapsed: seconds
 * @user: seconds of the command in user mode
 * @sys: seconds of it in the kernel
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
/* Events to be shown, those that are not counted behind the others */
unsigned int report_items(const struct report *r);
const struct kncpmu_item *report_item(const struct report *r, unsigned int item);
/* Is there nothing that could count it? */
int report_unsupported(const struct report *r, unsigned int item, unsigned int where);
const struct cell *report_cell(const struct report *r, unsigned int item,
			       unsigned int where);
/* Is a cell to be shown, and how it is called: "CPU3" */
int report_shows(const struct report *r, unsigned int where);
void report_label(const struct report *r, unsigned int where, char *text, size_t size);
double report_percent(const struct cell *cell);
enum worth report_worth(const struct report *r, unsigned int item, unsigned int where);
/* Runs of the command, or as many times all passes */
unsigned int report_runs(const struct report *r);
void report_warn(const struct report *r);

/* metrics.c */

int stat_metrics(const struct command *cmd, struct stat_opts *opts);
/* Read them if there may be a CPI to be shown */
void metrics_for_cpi(struct stat_opts *opts);
void report_metrics(struct report *r, double seconds);
const struct metric_cell *report_metric(const struct report *r, unsigned int i,
					unsigned int where);
/* For the row of the instructions: 1 if cycles in the same rings are there */
int report_cpi(const struct report *r, unsigned int item, unsigned int where,
	       struct metric_value *cpi);

/* table.c, csv.c, json.c: @time seconds into the run, the exit status of the command */

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
