/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics and groups of metrics, from files (Documentation/metrics.rst)
 *
 *	unit.c		units and dimensions
 *	events.c	their events, and the passes that count these
 *	lookup.c	metrics and groups by name; problems
 *	expr.c		formulas: parsing, check of the units, evaluation
 *	pmu.c		PMUs that have metrics; uncore.c: those of the uncore
 *	find.c		where the files are, the tool's own
 *	file.c		a file, by itself
 *	link.c		metrics_get(), references, events, passes
 *	show.c		list metrics, list groups, the checker
 *
 * To get the value of a metric:
 *
 *	ms = metrics_get(files, nr_files);
 *	m = metric_find(ms, "cpi");
 *	metric_items(ms, m->events, m->nr_events, items, &nr_items, max);
 *	... count the items, and sum them up (core-wide events once for each core) ...
 *	metric_evaluate(ms, m, &env, &value);
 *	metrics_free(ms);
 */
#ifndef KNC_CTL_METRIC_H
#define KNC_CTL_METRIC_H

#include <kncpmu.h>

#include "cli/event.h"
#include "cli/json.h"

#define METRIC_VERSION	1	/* of the data files */

/* units: unit.c */

enum metric_base { BASE_EVENT, BASE_CYCLE, BASE_BYTE, BASE_SECOND, NR_BASES };

/**
 * struct metric_dim - a dimension: a product of powers of the bases
 * @exp: the exponents; all 0: a plain number
 */
struct metric_dim {
	int exp[NR_BASES];
};

/**
 * struct metric_unit - a unit
 * @dim: its dimension
 * @scale: its value in base units: 1e9 for GB
 */
struct metric_unit {
	struct metric_dim dim;
	double scale;
};

/* Parse a unit of @len characters; returns 0, or -EINVAL with a message in @err */
int metric_unit_parse(const char *text, size_t len, struct metric_unit *unit,
		      struct kncpmu_error *err);
void metric_dim_format(const struct metric_dim *dim, char *text, size_t size);
int metric_dim_equal(const struct metric_dim *a, const struct metric_dim *b);
/* Set @a to @a * @b, or with @power -1 to @a / @b */
void metric_dim_multiply(struct metric_dim *a, const struct metric_dim *b, int power);
/* The dimension of an event: events, or cycles */
void metric_dim_of_event(const struct knc_pmu_event *event, struct metric_dim *dim);

/* formulas: expr.c */

enum metric_op {
	METRIC_OP_NUMBER,
	METRIC_OP_EVENT,	/* @index: of metrics.items */
	METRIC_OP_QUANTITY,	/* @index: enum metric_quantity */
	METRIC_OP_METRIC,	/* @index: of metrics.metrics */
	METRIC_OP_ADD,
	METRIC_OP_SUB,
	METRIC_OP_MUL,
	METRIC_OP_DIV,
	METRIC_OP_NEG
};

/* "time", "tsc", "threads", "cores" in formulas */
enum metric_quantity {
	METRIC_TIME,
	METRIC_TSC,
	METRIC_THREADS,
	METRIC_CORES,
	NR_METRIC_QUANTITIES
};

/**
 * struct metric_step - a step of a formula in reverse Polish notation
 * @op: the operation on the topmost values
 * @at: position in the formula, from 1
 * @index: see @op
 * @number: of METRIC_OP_NUMBER, in base units
 * @dim: dimension of METRIC_OP_NUMBER
 */
struct metric_step {
	enum metric_op op;
	unsigned int at;
	unsigned int index;
	double number;
	struct metric_dim dim;
};

/* metrics and groups */

/**
 * struct metric_limit - a range of values that are good or bad
 * @good: they are good, else bad
 * @from: least value
 * @above: @from itself is not in the range
 * @below: the values are below this one
 * @says: conclusion for the user
 * @source: source of the limit
 * @unverified: the limit was not checked against the source
 */
struct metric_limit {
	int good;
	double from;
	int above;
	double below;
	const char *says;
	const char *source;
	int unverified;
};

/**
 * struct metric - a metric
 * @name: its name
 * @formula: its formula as text
 * @unit_text: its unit as text
 * @title: a short description
 * @says: how to interpret it, or NULL
 * @source: source of the formula
 * @unverified: the formula was not checked against the source
 * @together: its events must be counted at the same time
 * @file: the file that defines it
 * @limits: ranges of values; the first one with the value applies
 * @nr_limits: number of @limits
 * @unit: the unit
 * @steps: the formula
 * @nr_steps: number of @steps; 0: the formula has an error
 * @events: its events, indices of metrics.items
 * @nr_events: number of @events
 * @passes: number of runs that count the events exactly
 * @levels: 1: it refers to no metric; else one more than the highest it refers to; 0: not yet
 *	known
 */
struct metric {
	const char *name;
	const char *formula;
	const char *unit_text;
	const char *title;
	const char *says;
	const char *source;
	int unverified;
	int together;
	const char *file;
	struct metric_limit *limits;
	unsigned int nr_limits;
	struct metric_unit unit;
	struct metric_step *steps;
	unsigned int nr_steps;
	unsigned int *events;
	unsigned int nr_events;
	unsigned int passes;
	unsigned int levels;
};

/**
 * struct metric_group - metrics and events that belong together
 * @name: its name
 * @title: a short description
 * @together: all its events must be counted at the same time
 * @file: the file that defines it
 * @names: names of its metrics, an array of strings
 * @specs: its additional events, an array of strings; NULL: none
 * @metrics: its metrics, indices of metrics.metrics
 * @nr_metrics: number of @metrics
 * @events: as in struct metric: events of the metrics, and additional ones
 * @nr_events: number of @events
 * @passes: as in struct metric
 */
struct metric_group {
	const char *name;
	const char *title;
	int together;
	const char *file;
	json_t *names;
	json_t *specs;
	unsigned int *metrics;
	unsigned int nr_metrics;
	unsigned int *events;
	unsigned int nr_events;
	unsigned int passes;
};

/**
 * struct metrics - the contents of all files
 * @metrics: metrics, in the order of the files
 * @nr_metrics: number of metrics
 * @groups: groups
 * @nr_groups: number of groups
 * @items: the events of all metrics and groups
 * @nr_items: number of @items
 * @roots: the files, an array of JSON values; they own the texts
 * @files: their names, an array of strings
 * @problems: errors in them, an array of strings
 */
struct metrics {
	struct metric *metrics;
	unsigned int nr_metrics;
	struct metric_group *groups;
	unsigned int nr_groups;
	struct kncpmu_item *items;
	unsigned int nr_items;
	json_t *roots;
	json_t *files;
	json_t *problems;
};

/*
 * Read the files: those of the installation, the user's, then @files. A later definition
 * replaces an earlier one of the same name. If a file has an error metrics_get() prints it
 * and returns NULL; metrics_load() leaves that to its caller (@problems).
 */
struct metrics *metrics_get(const char * const *files, unsigned int nr_files);
struct metrics *metrics_load(const char * const *files, unsigned int nr_files);
void metrics_free(struct metrics *ms);

const struct metric *metric_find(const struct metrics *ms, const char *name);
const struct metric_group *metric_group_find(const struct metrics *ms, const char *name);

/*
 * Write the similar names of metrics and events as " did you mean A or B?", or how to list all;
 * returns the number of similar names
 */
unsigned int metric_suggest(const struct metrics *ms, const char *name, char *text,
			    size_t size);
/* The same for groups */
unsigned int metric_group_suggest(const struct metrics *ms, const char *name, char *text,
				  size_t size);

/* Say that the uncore has a metric or a group of this name; 0: it has none, or is not there */
int metric_suggest_uncore(const char *name, char *text, size_t size);

/*
 * Append events to the @nr of @items, unless they are among them. Returns 0, or -E2BIG if
 * there would be more than @max.
 */
int metric_items(const struct metrics *ms, const unsigned int *events,
		 unsigned int nr_events, struct kncpmu_item *items, unsigned int *nr,
		 unsigned int max);

/*
 * The number of runs that count these events exactly, and in @sets the events of each; @sets
 * has room for @nr_events or is NULL
 */
unsigned int metric_passes(const struct metrics *ms, const unsigned int *events,
			   unsigned int nr_events, struct kncpmu_set *sets);

/* The passes as text: "A + B; C" */
void metric_passes_text(const struct metrics *ms, const unsigned int *events,
			unsigned int nr_events, char *text, size_t size);

/**
 * struct metric_count - a count for metrics
 * @value: the count, scaled. A sum contains core-wide counts once for each core, not for each
 *	of its threads
 * @precision: how exact it is
 */
struct metric_count {
	unsigned long long value;
	enum precision precision;
};

/**
 * struct metric_env - the input for the values of metrics
 * @count_of: gets the count of @item; returns 0, or -1: it was not counted
 * @ctx: argument of @count_of
 * @seconds: elapsed time
 * @tsc: elapsed time in cycles of the time stamp counter; 0: not known
 * @threads: number of hardware threads that were counted
 * @cores: number of their cores
 */
struct metric_env {
	int (*count_of)(void *ctx, const struct kncpmu_item *item,
			struct metric_count *count);
	void *ctx;
	double seconds;
	double tsc;
	unsigned int threads;
	unsigned int cores;
};

/**
 * struct metric_value - the value of a metric
 * @value: in the unit of the metric
 * @available: there is a value
 * @precision: the least exact one of its counts
 * @limit: the range with the value; NULL: none
 * @why: why there is no value
 */
struct metric_value {
	double value;
	int available;
	enum precision precision;
	const struct metric_limit *limit;
	char why[256];
};

void metric_evaluate(const struct metrics *ms, const struct metric *m,
		     const struct metric_env *env, struct metric_value *value);

/* Shared by the files of this folder */

/* Add an error about a metric, a group or a file */
__printf(3, 4)
void metric_problem(struct metrics *ms, const char *where, const char *fmt, ...);

/* The index of an event, which is added if it is new; -EINVAL, -ENOMEM */
int metric_event(struct metrics *ms, const char *spec, struct kncpmu_error *err);

/* The index of a metric, or -1 */
int metric_index(const struct metrics *ms, const char *name);

/* pmu.c */

/**
 * struct metric_own_file - the tool's own file of a PMU, PMU.json
 * @pmu: the PMU
 * @lines: its lines
 * @nr: number of @lines
 */
struct metric_own_file {
	const char *pmu;
	const char * const *lines;
	unsigned int nr;
};

/* All of them; NULL: there are not so many */
const struct metric_own_file *metric_own_file(unsigned int i);
/* Are there metrics of a PMU of this name? */
int metric_pmu_known(const char *pmu);
/* Are they among those of kncpmu_pmu()? */
int metric_pmu_is_used(const char *pmu);

/* find.c: read all files that are for kncpmu_pmu() into @ms, formulas as text */
void metric_files_read(struct metrics *ms, const char * const *files,
		       unsigned int nr_files);
/* Choose the PMU that a file is for, unless the file has an error */
void metric_use_pmu_of(const char *path);

/*
 * file.c: read the text of a file, which is changed. Returns 1; 0: it is for another PMU, which
 * is an error if the file was @named; -1: it has an error.
 */
int metric_text_read(struct metrics *ms, const char *name, char *text, size_t size, int named);
json_t *metric_text_parse(char *text, size_t size, json_error_t *err);
const char *metric_root_pmu(const json_t *root);

/* expr.c; return 0, or -EINVAL with a message in @err */
int metric_expr_parse(struct metrics *ms, struct metric *m, struct kncpmu_error *err);
int metric_expr_check(const struct metrics *ms, const struct metric *m,
		      struct kncpmu_error *err);
int metric_quantity_find(const char *name);

/* show.c: list metrics or groups (@groups); return exit statuses */
int metric_list(int groups, const char *pattern, const char * const *files,
		unsigned int nr_files, int json);
int metric_check(const char *file);

/* Write a limit as "from 8", "above 8", "below 2" or "from 1 to below 2" */
void metric_limit_text(const struct metric_limit *limit, char *text, size_t size);

#endif /* KNC_CTL_METRIC_H */
