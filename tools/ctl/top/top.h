/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of knc-pmuctl top share
 *
 *	top.c		command line, one refresh after another as plain text
 *	screen.c	the terminal and its keys
 *	session.c	sessions of the present mode and set
 *	threads.c	counts of hardware threads
 *	tasks.c		counts of the busiest processes
 *	view.c		columns, order, lines of text
 *	set.c		which events
 *	fail.c		what is wrong
 *	signals.c	the signal that ends it
 */
#ifndef KNC_CTL_TOP_H
#define KNC_CTL_TOP_H

#include <kncpmu.h>

#define TOP_LINE	2048	/* bytes of a line */
#define TOP_NOTE	(KNCPMU_PROCESS_LEN + 16)
#define TOP_MAX_TASKS	64	/* processes at a time: a session each */

/**
 * struct top_set - what is counted
 * @name: of the set
 * @items: its events as they were written
 * @events: the same with their groups, for the kernel
 * @nr: how many
 * @nr_groups: of them that take turns if more than 1
 * @instructions: which is INSTRUCTIONS_EXECUTED; -1: none
 * @cycles: which is CPU_CLK_UNHALTED; -1: none
 */
struct top_set {
	const char *name;
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
 * @running: ns of that in which it could count
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

/* what a count is worth */
enum top_state { TOP_EXACT, TOP_SCALED, TOP_ROUGH, TOP_NONE };

/**
 * struct top_row - a hardware thread or a process
 * @id: number of the CPU or process
 * @core: number of the core as the kernel has it; -1: not known
 * @thread: which of its hardware threads
 * @name: of the process
 * @note: why there are no counts; "": there are
 * @busy: percent of the time
 * @value: counts of the interval
 * @state: what they are worth
 */
struct top_row {
	unsigned int id;
	int core;
	unsigned int thread;
	char name[KNCPMU_COMM_LEN];
	char note[TOP_NOTE];
	double busy;
	unsigned long long value[KNC_PMU_MAX_SET];
	enum top_state state[KNC_PMU_MAX_SET];
};

enum top_mode { TOP_THREADS, TOP_TASKS };

struct top_threads;
struct top_tasks;

/**
 * struct top - all of it
 * @card: what counts here
 * @mode: what the rows are
 * @fixed_mode: the command line says so
 * @cpus: hardware threads to be shown
 * @have_cpus: -C was given
 * @pids: processes to be shown
 * @nr_pids: how many; 0: the busiest
 * @max_tasks: how many of these
 * @delay: ns between refreshes
 * @count: refreshes until the end; 0: no end
 * @batch: plain text
 * @own: events were chosen
 * @chosen: those
 * @set_index: which set; 0 is the chosen one if @own
 * @set: the present set
 * @user_only: kernel mode is not counted, it is not allowed
 * @threads: sessions, or NULL
 * @tasks: sessions, or NULL
 * @rows: what is shown
 * @nr_rows: how many
 * @total: their sum
 * @interval: ns since the refresh before
 * @opened: how often sessions have been opened
 * @sort: index of the column
 * @reverse: the other way round
 * @message: for whoever looks at it
 */
struct top {
	struct kncpmu_card card;
	enum top_mode mode;
	int fixed_mode;
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
	int user_only;
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
 * Sessions for the present mode and set instead of those there are. 0, or what is
 * wrong is in @err, and there are none.
 */
int top_open(struct top *t, struct kncpmu_error *err);
void top_close(struct top *t);

/* The rows of what was counted since the last time; 0, or @err says what is wrong */
int top_refresh(struct top *t, struct kncpmu_error *err);

/* Another mode or set; if that can't be counted, the old one and a message */
void top_change_mode(struct top *t);
void top_change_set(struct top *t, const struct top_set *chosen);

/* signals.c */

/* From now on; an exit status */
int top_take_signals(void);
/* The signal that ends it all; 0: none yet */
int top_signal(void);
/* Readable when there is one */
int top_signal_fd(void);

/* fail.c */

/* What is wrong with a session, or its configuration */
int top_fail(struct kncpmu_error *err, enum kncpmu_op op, int error,
	     const struct knc_pmu_config *config, const struct knc_pmu_event *events);

/* set.c */

unsigned int top_nr_sets(const struct top *t);
/* The @index-th set; those built in are all valid */
void top_get_set(const struct top *t, unsigned int index, struct top_set *set);
/* 0, or @err says what is wrong */
int top_parse_set(struct top_set *set, const char *text, struct kncpmu_error *err);
/* Kernel mode is not allowed: 0 if an event counts nothing else */
int top_user_only(struct top_set *set);
/* Bytes of a record */
size_t top_record_size(const struct top_set *set);
void top_take_record(const struct top_set *set, const struct knc_pmu_thread *record,
		     struct top_counts *counts);
/* Counts of the interval, scaled */
void top_subtract(const struct top *t, const struct top_counts *now,
		  const struct top_counts *before, struct top_row *row);

/* threads.c, tasks.c: those that fail return -1 and say why */

int top_threads_open(struct top *t, struct kncpmu_error *err);
int top_threads_read(struct top *t, struct kncpmu_error *err);
void top_threads_close(struct top *t);
int top_tasks_open(struct top *t, struct kncpmu_error *err);
int top_tasks_read(struct top *t, struct kncpmu_error *err);
void top_tasks_close(struct top *t);

/* view.c */

unsigned int top_nr_columns(const struct top *t);
const char *top_column_title(const struct top *t, unsigned int column);
/* The rows in the order of the chosen column */
void top_sort(struct top *t);
/* Lines for @width columns; 0: as wide as it takes, with all digits */
void top_heading(const struct top *t, unsigned int width, char *line, size_t size);
void top_line(const struct top *t, const struct top_row *row, unsigned int width,
	      char *line, size_t size);
/* Where the column begins and ends in those lines */
void top_column_place(const struct top *t, unsigned int column, unsigned int width,
		      unsigned int *first, unsigned int *end);
/* What marks mean, one after the other from 0 on; NULL: no more */
const char *top_remark(const struct top *t, unsigned int n);
void top_print(const struct top *t);

/* screen.c: returns an exit status */

int top_interactive(struct top *t);

/* Column of CPU or PID, and of the time it was busy */
#define TOP_COLUMN_ID	0
#define TOP_COLUMN_BUSY	2

#endif /* KNC_CTL_TOP_H */
