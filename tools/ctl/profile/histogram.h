/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of events by symbol, file, thread etc. (report --sort) */
#ifndef KNC_CTL_HISTOGRAM_H
#define KNC_CTL_HISTOGRAM_H

#include "json/value.h"
#include <stdio.h>

#include "profile/profile.h"

struct slices;

enum sort_key {
	SORT_SYMBOL,
	SORT_DSO,
	SORT_COMM,
	SORT_PID,
	SORT_TID,
	SORT_CPU,
	SORT_RANK,
	SORT_EVENT,
	SORT_SRCLINE,
	SORT_PARALLELISM,
	SORT_REGION,
	NR_SORT_KEYS
};

/**
 * struct hist_opts - options of the tables
 * @keys: keys of --sort
 * @nr_keys: number of keys
 * @limit: rows with a smaller percentage, callees included, are left out
 * @children: sort by the sum that includes callees
 * @samples: show numbers of samples
 */
struct hist_opts {
	enum sort_key keys[NR_SORT_KEYS];
	unsigned int nr_keys;
	double limit;
	int children;
	int samples;
};

struct histogram;

/**
 * struct hist_row - a row for histogram_each()
 * @keys: the texts of its keys, each the only copy (intern())
 * @kernel: its symbol is in the kernel
 * @self: events of samples in it
 * @total: events of samples in it and in its callees
 * @samples: number of samples in it
 * @squares: sum of the squares of the events that its samples stand for
 * @of: what its sums in slices are of
 */
struct hist_row {
	const char *keys[NR_SORT_KEYS];
	int kernel;
	unsigned long long self;
	unsigned long long total;
	unsigned long long samples;
	double squares;
	const void *of;
};

/* The name of a key, as --sort has it */
const char *sort_name(enum sort_key key);
take_fn take_sort;

/* Options of @hist, a struct hist_opts */
#define SORT_OPTION(hist)						\
	{ 0, "sort", "KEY,...", CALL(take_sort, OPT_TO(struct hist_opts, hist)),	\
	  "group samples by symbol, dso (file), comm (name of the thread), "		\
	  "pid, tid, cpu, rank (of a parallel program), event, srcline, "	\
	  "parallelism (how many threads ran; see record --off-cpu), region (the innermost "	\
	  "one of ring3.h) (default: symbol,dso)" }
#define LIMIT_OPTION(hist, where)					\
	{ 0, "percent-limit", "N", NUMBER(&(hist)->limit, "percent limit", 0, 100),	\
	  "leave out rows of less than N percent" where }

/* Without --sort */
#define DEFAULT_SORT	.keys = { SORT_SYMBOL, SORT_DSO }, .nr_keys = 2

/* Do the tables have this key? Otherwise, what only it needs is not looked up */
int hist_has_key(const struct hist_opts *opts, enum sort_key key);
struct histogram *histogram_new(const struct profile *p,
				const struct hist_opts *opts);
void histogram_free(struct histogram *h);
/* From now on also add rows to sums of slices of time */
void histogram_slices(struct histogram *h, struct slices *slices);
void histogram_add(struct histogram *h, const struct sample *sample);
void histogram_print(struct histogram *h, FILE *f, unsigned int event);
/* Call @fn for each row of @event; some have only samples of their callees */
void histogram_each(const struct histogram *h, unsigned int event,
		    void (*fn)(void *ctx, const struct hist_row *row), void *ctx);
json_t *histogram_json(struct histogram *h, unsigned int event);

#endif /* KNC_CTL_HISTOGRAM_H */
