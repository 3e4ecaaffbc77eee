/* SPDX-License-Identifier: GPL-2.0 */
/*
 * knc-pmuctl merge: the counts of all processes of a parallel program in one table
 *
 *	command.c	the command
 *	read.c		files of stat --json, one at a time: which ranks they have
 *	rows.c		sums, extremes and means of each event and metric
 *	output.c	as a table, CSV or JSON
 */
#ifndef KNC_CTL_MERGE_H
#define KNC_CTL_MERGE_H

#include "cli/memory.h"
#include "cli/totals.h"

/**
 * struct merge_opts - the command line
 * @json: print JSON
 * @csv: the separator of columns; NULL: no CSV
 * @per_host: show each host, too
 */
struct merge_opts {
	int json;
	const char *csv;
	int per_host;
};

/* Any 64-bit integer, and any double */
typedef long double value_t;

/**
 * struct figures - a value of several ranks
 * @nr: ranks that have one
 * @sum: of all
 * @min: the smallest one
 * @max: the largest one
 * @min_rank: the rank that has @min
 * @max_rank: the rank that has @max
 */
struct figures {
	unsigned int nr;
	value_t sum;
	value_t min;
	value_t max;
	unsigned int min_rank;
	unsigned int max_rank;
};

/**
 * struct row - an event or a metric
 * @metric: it is a metric: it has no sum
 * @whole: all values are whole numbers
 * @name: its name
 * @unit: of a metric; "": none
 * @precise: enum precision, of the least exact one
 * @stand_in: the emulated card counted something else
 * @core_wide: it belongs to the core
 * @supported: a card can count it
 * @flags: of its values, but for "ended": bits for row_flag()
 * @first: the first rank has it
 * @seen: the last output of a rank that has it
 * @all: of all ranks
 * @hosts: by host
 * @room: elements of @hosts
 */
struct row {
	int metric;
	int whole;
	char *name;
	char *unit;
	int precise;
	int stand_in;
	int core_wide;
	int supported;
	unsigned int flags;
	int first;
	unsigned int seen;
	struct figures all;
	struct figures *hosts;
	size_t room;
};

/**
 * struct host - a host
 * @name: its name; "": not known
 * @nr: its ranks
 * @cpus: hardware threads that these counted as such
 */
struct host {
	char *name;
	unsigned int nr;
	struct kncpmu_cpus cpus;
};

/**
 * struct place - where a rank was found
 * @rank: the rank
 * @path: the file
 */
struct place {
	unsigned int rank;
	const char *path;
};

/**
 * struct problem - what is wrong with a file or a rank
 * @path: the file
 * @rank: the rank; negative: not known
 * @merged: its counts are in the table
 * @why: what is wrong
 */
struct problem {
	const char *path;
	long long rank;
	int merged;
	char *why;
};

/**
 * struct merge - what was merged
 * @o: the command line
 * @rows: events, then metrics, each in the order of their first rank
 * @hosts: hosts, in the order of their first rank
 * @places: the ranks, by their number
 * @problems: in the order in which they were found
 * @nr_rows: number of @rows; likewise nr_hosts, nr_places, nr_problems
 * @rows_room: elements of @rows; likewise hosts_room, places_room, problems_room
 * @ranks: how many ranks the program had; 0: not known
 * @first: the rank that was merged first, and its file
 * @version: of the tool that counted it
 * @missing: ranks without a file, as in "3,7-9"
 */
struct merge {
	const struct merge_opts *o;
	struct row *rows;
	struct host *hosts;
	struct place *places;
	struct problem *problems;
	size_t nr_rows, nr_hosts, nr_places, nr_problems;
	size_t rows_room, hosts_room, places_room, problems_room;
	unsigned int ranks;
	struct place first;
	char *version;
	char *missing;
};

/* read.c: merge all totals of a file */
void merge_file(struct merge *m, const char *path);
/* After the last file: which ranks are missing */
void merge_end(struct merge *m);
void merge_free(struct merge *m);

/* rows.c: add the counts and metrics of a rank, which is the last one in m->places, of a host */
void rows_add(struct merge *m, const json_t *total, unsigned int rank, size_t host);
/* How the last rank's rows differ from the first one's, "without A, with B"; "": not at all */
char *rows_differ(const struct merge *m);
/* The next of a row's flags from *@at on, 0 at first; NULL: there is none */
const char *row_flag(const struct row *row, unsigned int *at);
void rows_free(struct merge *m);

/* output.c */
int merge_print(const struct merge *m);

#endif /* KNC_CTL_MERGE_H */
