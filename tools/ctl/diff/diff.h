/* SPDX-License-Identifier: GPL-2.0 */
/*
 * knc-pmuctl diff: what grew from one recording, or one count, to the next
 *
 *	command.c	the command
 *	recordings.c	the functions of two recordings, side by side
 *	table.c		tables of these, and the order of their rows
 *	counts.c	two outputs of stat --json
 */
#ifndef KNC_CTL_DIFF_H
#define KNC_CTL_DIFF_H

#include <math.h>

#include "cli/data.h"
#include "profile/histogram.h"
#include "profile/pictures.h"

/* The sides of every comparison */
enum side {
	OLD,
	NEW,
	NR_SIDES
};

/**
 * struct diff_opts - the command line
 * @common: what is shown of both recordings
 * @hist: the keys of rows, and the limit
 * @by_events: order rows by events, not by shares
 * @json: print JSON
 * @csv: the separator of columns; NULL: no CSV
 * @flamegraph: file for a flame graph; NULL: none
 * @title: its title; NULL: the names of the files
 * @path: the two files
 * @fd: the same, opened; a command reads each once
 */
struct diff_opts {
	struct profile_opts common;
	struct hist_opts hist;
	int by_events;
	int json;
	const char *csv;
	const char *flamegraph;
	const char *title;
	const char *path[NR_SIDES];
	int fd[NR_SIDES];
};

/**
 * struct diff_row - what the samples of both recordings with the same keys stand for
 * @key: @text: keys, as in struct hist_row; @kernel: likewise
 * @self: events, in each
 * @squares: likewise
 * @share: per cent of all events, in each
 * @chance: points that chance may explain: two standard errors of the difference
 * @hh: in a hash, by @key
 */
struct diff_row {
	struct {
		const char *text[NR_SORT_KEYS];
		int kernel;
	} key;
	unsigned long long self[NR_SIDES];
	double squares[NR_SIDES];
	double share[NR_SIDES];
	double chance;
	UT_hash_handle hh;
};

static inline double row_points(const struct diff_row *row)
{
	return row->share[NEW] - row->share[OLD];
}

static inline long long row_events(const struct diff_row *row)
{
	return (long long)(row->self[NEW] - row->self[OLD]);
}

/* Is the difference no larger than what chance explains? */
static inline int row_is_chance(const struct diff_row *row)
{
	return fabs(row_points(row)) <= row->chance;
}

/**
 * struct diff_event - an event that both recordings have
 * @name: its name
 * @index: its index, in each
 * @all: events of all samples, in each
 * @samples: their number, in each
 * @all_samples: their number before the filters, in each
 * @filtered: there are filters
 * @rows: hash of rows
 */
struct diff_event {
	const char *name;
	unsigned int index[NR_SIDES];
	unsigned long long all[NR_SIDES];
	unsigned long long samples[NR_SIDES];
	unsigned long long all_samples[NR_SIDES];
	int filtered;
	struct diff_row *rows;
};

/* Compare two recordings; returns an exit status */
int diff_recordings(const struct diff_opts *o);

/* Print the table of an event */
void diff_table(const struct diff_event *e, const struct diff_opts *o, FILE *f);
void diff_csv(const struct diff_event *e, const struct diff_opts *o, FILE *f);
json_t *diff_json(const struct diff_event *e, const struct diff_opts *o);

/* Compare two outputs of stat --json; returns an exit status */
int diff_counts(const struct diff_opts *o);

#endif /* KNC_CTL_DIFF_H */
