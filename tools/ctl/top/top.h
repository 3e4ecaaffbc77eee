/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl top share
 *
 *	top.c		command line, and the loop of -b
 *	screen.c	the terminal and its keys
 *	session.c	sessions of the present mode and set
 *	threads.c	counts of hardware threads
 *	tasks.c		counts of the busiest processes
 *	levels.c	levels of both
 *	columns.c	which columns are shown, how wide, and their headings
 *	view.c		order, lines of text
 *	set.c		sets of events
 *	counts.c	counts of a reading, and of the time between two
 *	fail.c		messages of failed sessions
 *	signals.c	the signals that end the program or stop it
 */
#ifndef KNC_CTL_TOP_H
#define KNC_CTL_TOP_H

#include <kncpmu.h>
#include <kernel-file.h>

#include "cli/event.h"
#include "cli/level.h"

#define TOP_LINE	2048	/* bytes of a line */
#define TOP_NOTE	(KNCPMU_PROCESS_LEN + 16)
#define TOP_MAX_TASKS	64	/* processes at a time: each has a session */

/* Columns of a level; further columns follow, one for each L3 */
enum top_level_value {
	TOP_LEVEL_NOW,		/* bytes, of all L3s */
	TOP_LEVEL_SHARE,
	TOP_LEVEL_LEAST,	/* the lowest of all readings; likewise the next two */
	TOP_LEVEL_MEAN,
	TOP_LEVEL_MOST,
	TOP_NR_LEVEL
};

#define TOP_L3_COLUMNS	(KNC_PMU_MAX_SET - TOP_NR_LEVEL)	/* columns for the first L3s */

/**
 * struct top_set - a set of events, or a level
 * @name: its name
 * @level: the level, NULL: events; with a level @items are titles of columns, @events is unused
 * @items: its events as they were written
 * @events: the events with their groups, for CONFIG
 * @nr: number of events
 * @nr_groups: number of groups; more than 1: they take turns
 * @instructions: index of INSTRUCTIONS_EXECUTED; -1: none
 * @cycles: index of CPU_CLK_UNHALTED; -1: none
 */
struct top_set {
	const char *name;
	const struct kncpmu_level *level;
	struct kncpmu_item items[KNC_PMU_MAX_SET];
	struct knc_pmu_event events[KNC_PMU_MAX_SET];
	unsigned int nr;
	unsigned int nr_groups;
	int instructions;
	int cycles;
};

/**
 * struct top_counts - a reading
 * @flags: KNC_PMU_THREAD_*
 * @enabled: ns for which the session was started
 * @running: the part of @enabled in which it could count, ns
 * @value: counts
 * @counted: ns for which each was counted
 */
struct top_counts {
	unsigned int flags;
	unsigned long long enabled;
	unsigned long long running;
	unsigned long long value[KNC_PMU_MAX_SET];
	unsigned long long counted[KNC_PMU_MAX_SET];
};

/**
 * struct top_row - a hardware thread or a process
 * @id: number of the CPU or process
 * @package: the kernel's number of the package; -1: there is only one, or it is not known
 * @core: the kernel's number of the core in the package; -1: not known
 * @thread: number of the hardware thread within the core
 * @name: name of the process
 * @note: why there are no counts; "": there are
 * @busy: percentage of the time for which it was busy
 * @value: counts of the interval
 * @precision: how exact they are
 */
struct top_row {
	unsigned int id;
	int package;
	int core;
	unsigned int thread;
	char name[KNCPMU_COMM_LEN];
	char note[TOP_NOTE];
	double busy;
	unsigned long long value[KNC_PMU_MAX_SET];
	enum precision precision[KNC_PMU_MAX_SET];
};

/**
 * struct top_level - a level that is shown
 * @pmu: its PMU
 * @l3: a hardware thread of each L3 that a reading has named
 * @bytes: the bytes of all rows of a reading in each L3
 * @nr: number of L3s
 * @partial: something is missing: KNC_PMU_THREAD_PARTIAL
 */
struct top_level {
	struct knc_pmu_desc pmu;
	unsigned int l3[KNC_PMU_MAX_CPUS];
	unsigned long long bytes[KNC_PMU_MAX_CPUS];
	unsigned int nr;
	int partial;
};

enum top_mode { TOP_THREADS, TOP_TASKS };

/* Columns: CPU or PID, place or command, busy time, CPI, then one for each event */
enum top_column {
	TOP_COLUMN_ID,
	TOP_COLUMN_NAME,
	TOP_COLUMN_BUSY,
	TOP_COLUMN_CPI,
	TOP_NR_FIXED
};

struct top_threads;
struct top_tasks;

/**
 * struct top - the state of top
 * @card: the card
 * @mode: rows of hardware threads or of processes
 * @no_threads: processes are shown because hardware threads are not permitted
 * @cpus: hardware threads to be shown
 * @have_cpus: -C was given
 * @pids: processes to be shown
 * @nr_pids: number of @pids; 0: the busiest processes
 * @max_tasks: number of busiest processes
 * @delay: ns between refreshes
 * @count: refreshes until the end; 0: no end
 * @batch: plain text
 * @own: the user has chosen events
 * @chosen: these events
 * @set_index: index of the present set; 0 is @chosen if @own
 * @set: the present set
 * @level: the level, if @set is one
 * @user_only: kernel mode is not counted, for lack of CAP_PERFMON
 * @no_busy: 0, or the negative errno of /proc/stat: how busy hardware threads are is not known
 * @no_cores: likewise of /sys: the cores of hardware threads are not known
 * @threads: sessions, or NULL
 * @tasks: sessions, or NULL
 * @rows: the rows
 * @nr_rows: number of rows
 * @total: their sum
 * @interval: ns since the last refresh
 * @opened: how often sessions have been opened
 * @sort: index of the column that determines the order
 * @reverse: reverse the order
 * @message: message for the user
 */
struct top {
	struct kncpmu_card card;
	enum top_mode mode;
	int no_threads;
	struct kncpmu_cpus cpus;
	int have_cpus;
	int pids[TOP_MAX_TASKS];
	unsigned int nr_pids;
	unsigned int max_tasks;
	unsigned long long delay;
	unsigned int count;
	int batch;
	int own;
	struct top_set chosen;
	unsigned int set_index;
	struct top_set set;
	struct top_level level;
	int user_only;
	int no_busy;
	int no_cores;
	struct top_threads *threads;
	struct top_tasks *tasks;
	struct top_row *rows;
	unsigned int nr_rows;
	struct top_row total;
	unsigned long long interval;
	unsigned int opened;
	unsigned int sort;
	int reverse;
	struct kncpmu_error message;
};

/* session.c */

/*
 * Replace the sessions by those of the present mode and set. Returns 0, or less with a message
 * in @err, and there are no sessions.
 */
int top_open(struct top *t, struct kncpmu_error *err);
void top_close(struct top *t);

/*
 * Read the counts since the last refresh into the rows; open the sessions if there are none.
 * Returns 0, or less with a message in @err.
 */
int top_refresh(struct top *t, struct kncpmu_error *err);

/* Change the mode or set; if that fails keep the old one, and set @message */
void top_change_mode(struct top *t);
void top_change_set(struct top *t, const struct top_set *chosen);

/* set.c */

unsigned int top_nr_sets(const struct top *t);
/* Get the @index-th set; built-in sets are valid */
void top_get_set(const struct top *t, unsigned int index, struct top_set *set);
/* Parse the user's set; returns 0, or less with a message in @err */
int top_parse_set(struct top_set *set, const char *text, struct kncpmu_error *err);
/* Exclude kernel mode; returns 0 if an event counts kernel mode only */
int top_user_only(struct top_set *set);

/* counts.c */

/* Bytes of a record of READ */
size_t top_record_size(const struct top_set *set);
void top_take_record(const struct top_set *set, const struct knc_pmu_thread *record,
		     struct top_counts *counts);
/* Compute the counts of the interval, scaled */
void top_subtract(const struct top *t, const struct top_counts *now,
		  const struct top_counts *before, struct top_row *row);

#endif /* KNC_CTL_TOP_H */
