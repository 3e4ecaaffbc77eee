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
 *	ms = metrics_get(pmu, files, nr_files);
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
 * @above: the range excludes @from itself
 * @below: the values are below this one
 * @cores_from: only on a card (or host) with this many cores or more; 0: on any
 * @cores_below: only on one with fewer cores; 0: on any
 * @says: conclusion for the user
 * @source: source of the limit
 * @unverified: the limit was not checked against the source
 */
struct metric_limit {
	int good;
	double from;
	int above;
	double below;
	unsigned int cores_from;
	unsigned int cores_below;
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
 * @pmu: the PMU whose metrics they are
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
	const struct kncpmu_pmu *pmu;
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
 * Read the files for @pmu, which remains where it is: those of the installation, the user's, then
 * @files. A later definition replaces an earlier one of the same name. If a file has an error
 * metrics_get() prints it and returns NULL; metrics_load() leaves that to its caller (@problems).
 */
struct metrics *metrics_get(const struct kncpmu_pmu *pmu, const char * const *files,
			    unsigned int nr_files);
struct metrics *metrics_load(const struct kncpmu_pmu *pmu, const char * const *files,
			     unsigned int nr_files);
void metrics_free(struct metrics *ms);

const struct metric *metric_find(const struct metrics *ms, const char *name);
const struct metric_group *metric_group_find(const struct metrics *ms, const char *name);

/*
 * Write the similar names of metrics and events as " did you mean A or B?", or how to list all;
 * returns the number of similar names
 */
unsigned int metric_suggest(const struct metrics *ms, const char *name, char *text,
			    size_t size);
/* As metric_suggest(), for groups */
unsigned int metric_group_suggest(const struct metrics *ms, const char *name, char *text,
				  size_t size);

/*
 * If the uncore has a metric or a group of this name, say so. Returns 0 if it has none, is not
 * here, or @pmu is the uncore
 */
int metric_suggest_uncore(const struct kncpmu_pmu *pmu, const char *name, char *text, size_t size);

/* Shared by the files of this folder */

/* Add an error about a metric, a group or a file */
__printf(3, 4)
void metric_problem(struct metrics *ms, const char *where, const char *fmt, ...);

/* The index of a metric, or -1 */
int metric_index(const struct metrics *ms, const char *name);

#endif /* KNC_CTL_METRIC_H */
