/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl stat share; cmd/grant.c counts with them too
 *
 *	stat.c		command line
 *	run.c		runs of the command; tells it what the counters count
 *	events.c	the events to be counted
 *	count.c		sessions, counts of each hardware thread
 *	tasks.c		rows of --per-thread
 *	off-cpu.c	context switches of --off-cpu
 *	thread-times.c	what they say of each thread
 *	sums.c		differences of two readings, sums, scaling, spread over runs
 *	metrics.c	metrics
 *	rate.c		events in a second
 *	view.c		what is shown of a count or a metric, computed once
 *	table.c		as a table
 *	csv.c		as CSV
 *	json.c		as JSON
 *	output.c	the file of -o
 *	level.c		levels, in place of all of these but the command line
 */
#ifndef KNC_CTL_STAT_H
#define KNC_CTL_STAT_H

#include <stdio.h>
#include <kernel-file.h>
#include <pmus.h>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/event.h"
#include "cli/options.h"
#include "cli/text.h"
#include "metric/metric.h"
#include "stat/output.h"

#define MAX_ITEMS	128
#define MAX_METRICS	64
#define MAX_PIDS	64	/* of -p or -t */
#define MAX_TASKS	1024	/* threads at a time with --per-thread */
/* Room for kept ended threads, for the live threads of two readings, and for the sum */
#define MAX_ROWS	(3 * MAX_TASKS + KNC_PMU_MAX_KEPT)
#define MAX_WANTED	16	/* of options -M and -G */
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
 * @pmu: the PMU that -e, -M or -G name: see stat_pmu(); without @name none
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
 * @delay: ms before counting begins; 0: it begins at once
 * @verbose: show how each event was counted
 * @separator: of CSV fields; NULL: no CSV
 * @json: print JSON
 * @per_cpu: show each hardware thread instead of sums
 * @per_core: show each core
 * @per_thread: show each thread that is followed
 * @off_cpu: show the time of each thread
 * @detail: how often -d was given
 * @output: file for the counts; NULL: stderr
 * @append: append to an existing file
 * @command: the command and its arguments, up to NULL; NULL: no command
 */
struct stat_opts {
	struct kncpmu_pmu pmu;
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
	struct file_list metric_files;
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
	unsigned int delay;
	int verbose;
	const char *separator;
	int json;
	int per_cpu;
	int per_core;
	int per_thread;
	int off_cpu;
	unsigned int detail;
	const char *output;
	int append;
	char **command;
};

/* level.c: check the options for a level, and run stat of a level; both return an exit status */
int level_check(const struct command *cmd, const struct stat_opts *opts);
int level_stat(const struct stat_opts *opts);

/* stat.c */

#define NO_STAT_OPTS	{ .repeat = 1 }

/* Take -e, and -M or -G; @to of the option points to a struct stat_opts */
take_fn take_stat_events, take_stat_metrics;

/* run.c */

/* Count what @opts ask for; returns an exit status */
int count_and_print(struct stat_opts *opts);

#endif /* KNC_CTL_STAT_H */
