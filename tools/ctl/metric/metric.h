/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics and groups of metrics, from data files (Documentation/metrics.rst)
 *
 *	unit.c		units and dimensions
 *	events.c	the events that are counted for them, and in how many passes
 *	lookup.c	metrics and groups by name; what is wrong
 *	expr.c		formulas: parsing, check of the units, evaluation
 *	file.c		the data files
 *	load.c		what these mean together: references, events, passes
 *	list.c		list metrics, list groups, the checker
 *
 * Who wants values of metrics:
 *
 *	ms = metrics_get(files, nr_files);
 *	m = metric_find(ms, "cpi");
 *	metric_items(ms, m->events, m->nr_events, items, &nr_items, max);
 *	... count these, sum them up (those of the core once for each core) ...
 *	metric_evaluate(ms, m, &env, &value);
 *	metrics_free(ms);
 */
#ifndef KNC_CTL_METRIC_H
#define KNC_CTL_METRIC_H

#include <kncpmu.h>

#include "cli/json.h"

#define METRIC_VERSION	1	/* of the data files */

/* units: unit.c */

enum metric_base { BASE_EVENT, BASE_CYCLE, BASE_BYTE, BASE_SECOND, NR_BASES };

/**
 * struct metric_dim - what is measured: a product of powers of the bases
 * @exp: the exponents; all 0: a plain number
 */
struct metric_dim {
	int exp[NR_BASES];
};

/**
 * struct metric_unit - a unit
 * @dim: what it measures
 * @scale: how many of the bases it is: 1e9 for GB
 */
struct metric_unit {
	struct metric_dim dim;
	double scale;
};

/* What @len characters mean; 0 or -EINVAL with @err saying why */
int metric_unit_parse(const char *text, size_t len, struct metric_unit *unit,
		      struct kncpmu_error *err);
void metric_dim_format(const struct metric_dim *dim, char *text, size_t size);
int metric_dim_equal(const struct metric_dim *a, const struct metric_dim *b);
/* @a becomes @a * @b, or (@power is -1) @a / @b */
void metric_dim_multiply(struct metric_dim *a, const struct metric_dim *b, int power);
/* What an event counts: events, or cycles */
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
 * @op: what to do with the topmost values
 * @at: the character it stands at, from 1
 * @index: what of its kind
 * @number: for METRIC_OP_NUMBER, in base units
 * @dim: likewise: what it measures
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
 * struct metric_limit - a range of values, and what it says
 * @good: it is good, or else bad
 * @from: values from this
 * @above: without this itself
 * @below: values below this
 * @says: what follows from it
 * @source: who says so
 * @unverified: the source was not checked
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
 * @formula: as it is written
 * @unit_text: the unit, as it is written
 * @title: what it is, in half a line
 * @says: how to read it; NULL: nothing to be said
 * @source: where the formula is from
 * @unverified: the source was not checked
 * @together: its events must be counted at the same time
 * @file: where it was defined
 * @limits: ranges of values, the first that fits counts
 * @nr_limits: how many
 * @unit: the unit
 * @steps: the formula
 * @nr_steps: how many; 0: it could not be read
 * @events: indices of metrics.items: what has to be counted
 * @nr_events: how many
 * @passes: how many runs of the program their exact counts take
 * @levels: levels of metrics below it; 0: not yet known
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
 * @title: what for, in half a line
 * @together: all its events must be counted at the same time
 * @file: where it was defined
 * @names: of its metrics, an array of strings
 * @specs: of its events besides, an array of strings; NULL: none
 * @metrics: indices of metrics.metrics
 * @nr_metrics: how many
 * @events: as in struct metric, of the metrics and besides
 * @nr_events: how many
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
 * struct metrics - all that was found in the data files
 * @metrics: metrics, in the order of the files
 * @nr_metrics: how many
 * @groups: groups
 * @nr_groups: how many
 * @items: the events of all of them
 * @nr_items: how many
 * @roots: the files, an array of JSON values; they own the texts
 * @files: their names, an array of strings
 * @problems: what is wrong with them, an array of strings
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
 * Read the data files: those of the installation, the user's, then @files (later
 * ones replace what has the same name). metrics_get() says what is wrong with them
 * and returns NULL then; metrics_load() leaves that to its caller.
 */
struct metrics *metrics_get(const char * const *files, unsigned int nr_files);
struct metrics *metrics_load(const char * const *files, unsigned int nr_files);
void metrics_free(struct metrics *ms);

const struct metric *metric_find(const struct metrics *ms, const char *name);
const struct metric_group *metric_group_find(const struct metrics *ms, const char *name);

/* " did you mean A or B?" behind a ':', or how to see them all; how many were near */
unsigned int metric_suggest(const struct metrics *ms, const char *name, char *text,
			    size_t size);
unsigned int metric_group_suggest(const struct metrics *ms, const char *name, char *text,
				  size_t size);

/*
 * Put events behind the @nr that are in @items, unless they are there. Returns 0
 * or -E2BIG: there is room for @max only.
 */
int metric_items(const struct metrics *ms, const unsigned int *events,
		 unsigned int nr_events, struct kncpmu_item *items, unsigned int *nr,
		 unsigned int max);

/*
 * The runs that exact counts of these events take, with the events of each; @sets
 * has room for @nr_events and may be NULL
 */
unsigned int metric_passes(const struct metrics *ms, const unsigned int *events,
			   unsigned int nr_events, struct kncpmu_set *sets);

/* The same in words: "A + B; C" */
void metric_passes_text(const struct metrics *ms, const unsigned int *events,
			unsigned int nr_events, char *text, size_t size);

/**
 * struct metric_count - a count for metrics
 * @value: the count, as it was counted
 * @enabled: ns for which it should have been counted
 * @running: ns for which it was counted; 0: not at all
 *
 * Values are scaled by @enabled / @running. Counts of the core are to be there
 * once for each core, not for each of its threads.
 */
struct metric_count {
	unsigned long long value;
	unsigned long long enabled;
	unsigned long long running;
};

/**
 * struct metric_env - what metrics are worked out from
 * @count: says what @item counted; returns 0, or -1: it was not counted
 * @ctx: for @count
 * @seconds: elapsed time
 * @tsc: elapsed time in cycles of the time stamp counter; 0: not known
 * @threads: hardware threads that the counts are of
 * @cores: cores that these belong to
 */
struct metric_env {
	int (*count)(void *ctx, const struct kncpmu_item *item,
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
 * @available: there is one
 * @estimated: a count was scaled
 * @rough: and is a rough estimate
 * @limit: the range it is in; NULL: nothing is said about it
 * @why: why there is none
 */
struct metric_value {
	double value;
	int available;
	int estimated;
	int rough;
	const struct metric_limit *limit;
	char why[256];
};

void metric_evaluate(const struct metrics *ms, const struct metric *m,
		     const struct metric_env *env, struct metric_value *value);

/* between the files */

/* One line about a metric, a group or a file */
__printf(3, 4)
void metric_problem(struct metrics *ms, const char *where, const char *fmt, ...);

/* The index of an event, which is taken in if need be; -EINVAL, -ENOMEM */
int metric_event(struct metrics *ms, const char *spec, struct kncpmu_error *err);

/* The index of a metric, or -1 */
int metric_index(const struct metrics *ms, const char *name);

/* file.c: all files into @ms, formulas as text */
void metric_files_read(struct metrics *ms, const char * const *files,
		       unsigned int nr_files);

/* expr.c; 0 or -EINVAL, with what is wrong in @err */
int metric_expr_parse(struct metrics *ms, struct metric *m, struct kncpmu_error *err);
int metric_expr_check(const struct metrics *ms, const struct metric *m,
		      struct kncpmu_error *err);
int metric_quantity_find(const char *name);

/* list.c: list "metrics" or "groups" (@groups); exit statuses */
int metric_list(int groups, const char *pattern, const char * const *files,
		unsigned int nr_files, int json);
int metric_check(const char *file);

/* How a limit reads: "at least 8", "from 1 to below 2" */
void metric_limit_text(const struct metric_limit *limit, char *text, size_t size);

#endif /* KNC_CTL_METRIC_H */
