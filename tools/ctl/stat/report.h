/* SPDX-License-Identifier: GPL-2.0 */
/* Sums of what was counted, metrics and rates: sums.c, metrics.c, rate.c */
#ifndef KNC_CTL_STAT_REPORT_H
#define KNC_CTL_STAT_REPORT_H

#include "metric/value.h"
#include "stat/counting.h"

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
/* The standard deviation, in percent of the mean */
double deviation_percent(const struct spread *spread);

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
/* Number of events to be shown; events that can't be counted come last */
unsigned int report_items(const struct report *r);
const struct kncpmu_item *report_item(const struct report *r, unsigned int item);
/*
 * Is the event listed as one that can't be counted? @where, here and below: 0 is the sum, 1 + n the
 * n-th row of struct counting. (A view is a line of the output.)
 */
int report_unsupported(const struct report *r, unsigned int item, unsigned int where);

/* Is the event's count a stand-in? */
int report_stands_in(const struct report *r, unsigned int item);
const struct cell *report_cell(const struct report *r, unsigned int item,
			       unsigned int where);
/* Is the cell at @where shown? report_label() has its label, such as "CPU3" */
int report_shows(const struct report *r, unsigned int where);
/* All places to be shown, in order */
const unsigned int *report_places(const struct report *r, unsigned int *nr);
void report_label(const struct report *r, unsigned int where, char *text, size_t size);
/* The count of the only run, or the rounded mean of several */
unsigned long long report_shown(const struct cell *cell);
double report_percent(const struct cell *cell);
enum precision report_precision(const struct report *r, unsigned int item, unsigned int where);
/* Number of runs; with --passes all passes are one run */
unsigned int report_runs(const struct report *r);
void report_warn(const struct report *r);

int stat_metrics(const struct command *cmd, struct stat_opts *opts);
void report_metrics(struct report *r, double seconds);
const struct metric_cell *report_metric(const struct report *r, unsigned int i,
					unsigned int where);
/* The CPI, for the row of the instructions; returns 1 if cycles of the same rings were counted */
int report_cpi(const struct report *r, unsigned int item, unsigned int where,
	       struct metric_value *cpi);

/* The number of cores whose core-wide events are in the sum, or in a row; 1 for a program */
unsigned int report_cores(const struct report *r, unsigned int where);
/* How many cores this machine has; 0: not known */
unsigned int report_all_cores(void);

/**
 * struct rate - how often an event occurs
 * @per_second: events in a second of the time for which they could be counted
 * @value: the rate in @unit
 * @unit: "GHz" for cycles, or "M/sec" and the like
 * @rough: the rate is a rough estimate
 */
struct rate {
	double per_second;
	double value;
	const char *unit;
	int rough;
};

/* Returns 0 if the time is meaningless, as on the emulated card with --realtime */
int report_rate(const struct report *r, unsigned int item, unsigned int where,
		struct rate *rate);
/* The time that an event's cycles took; returns 0 also if it does not count cycles */
int report_seconds(const struct report *r, unsigned int item, unsigned int where, double *seconds);

/* Is one of the metric's events a stand-in? */
int metric_stands_in(const struct stat_opts *opts, const struct metric *m);

#endif /* KNC_CTL_STAT_REPORT_H */
