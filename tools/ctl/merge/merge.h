/* SPDX-License-Identifier: GPL-2.0 */
/*
 * knc-pmuctl merge: the counts of all processes of a parallel program in one table
 *
 *	command.c	the command
 *	read.c		reads files of stat --json, one at a time, and finds their ranks
 *	recordings.c	checks recordings of ranks, and writes them into one file; joined.c:
 *			what is known of all of them
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
 * @output: the file that recordings are merged into; NULL: none
 */
struct merge_opts {
	int json;
	const char *csv;
	int per_host;
	const char *output;
};

#define NO_RANK		(-1LL)

/* Has room for any 64-bit integer and any double without rounding */
typedef long double value_t;

/**
 * struct figures - the values that several ranks have for one event or metric
 * @nr: number of values
 * @sum: their sum
 * @min: the smallest value
 * @max: the largest value
 * @min_rank: the rank that has @min, the lowest of several
 * @max_rank: the rank that has @max, the lowest of several
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
 * @metric: the row is a metric, of which no sum is shown
 * @whole: all values are whole numbers
 * @name: the event or metric
 * @unit: unit of a metric; "": none
 * @precise: enum precision of the least exact value
 * @stand_in: a value is a stand-in's (see the glossary)
 * @core_wide: the event is core-wide
 * @supported: at least one rank's PMU can count the event
 * @flags: flags that any value has, KNC_PMU_THREAD_*, except "ended"
 * @first: the first rank has this row
 * @seen: how many ranks were merged, with the last one that has this row
 * @all: figures of all ranks
 * @hosts: figures of each host
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
 * @nr: number of its ranks
 * @cpus: hardware threads that its ranks counted with -a or -C
 */
struct host {
	char *name;
	unsigned int nr;
	struct kncpmu_cpus cpus;
};

/**
 * struct place - the file in which a rank was found
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
 * @host: the host of a rank that began to count, and left no total; NULL: not known
 * @merged: its counts are in the table
 * @why: what is wrong
 */
struct problem {
	const char *path;
	long long rank;
	char *host;
	int merged;
	char *why;
};

/**
 * struct merge - what was merged
 * @o: the command line
 * @recordings: the files are recordings
 * @rows: events, then metrics, each in the order of their first rank
 * @hosts: hosts, in the order of their first rank
 * @places: the ranks, by their number
 * @problems: in the order in which they were found
 * @nr_rows: number of @rows; likewise nr_hosts, nr_places, nr_problems
 * @rows_room: elements of @rows; likewise hosts_room, places_room, problems_room
 * @ranks: how many ranks the program had; 0: not known
 * @first: the rank that was merged first, and its file
 * @version: version of the tool that counted rank @first
 * @missing: ranks without counts, as in "3,7-9"
 * @missing_hosts: the same with their hosts, "3 (host unknown), 7-9 (mic2)", if one is known
 */
struct merge {
	const struct merge_opts *o;
	int recordings;
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
	char *missing_hosts;
};

/* read.c: merge all totals of a file */
void merge_file(struct merge *m, const char *path);
/* After the last file, report the missing ranks */
void merge_end(struct merge *m);
void merge_free(struct merge *m);

/* Report what is wrong with @path, and keep the text for the output */
__printf(5, 6)
void merge_problem(struct merge *m, const char *path, long long rank, int merged,
		   const char *fmt, ...);
/* The rank of a total, of a beginning, or of a recording; NO_RANK if it has none */
long long merge_rank_of(const json_t *object);
/* Take the rank of @total; refuse those of another run, and a rank that was merged already */
int merge_rank(struct merge *m, const json_t *total, const char *path, unsigned int *rank);
size_t merge_host(struct merge *m, const json_t *total);
/* Report ranks that count the same CPU with -a or -C, because sums would include it twice */
void merge_check_cpus(struct merge *m, const json_t *total, struct host *host,
		      unsigned int rank, const char *path);

/* rows.c: add the counts and metrics of @rank, which is in m->places, to those of @host */
void rows_add(struct merge *m, const json_t *total, unsigned int rank, size_t host);
/* How the rows of the last rank differ from the first rank's: "without A, with B", or "" */
char *rows_differ(const struct merge *m);
void rows_free(struct merge *m);

/* output.c */
int merge_print(const struct merge *m);

#endif /* KNC_CTL_MERGE_H */
