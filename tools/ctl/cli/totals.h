/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the totals of stat --json line by line, for diff and merge; names flags as they do */
#ifndef KNC_CTL_TOTALS_H
#define KNC_CTL_TOTALS_H

#include "cli/json.h"

#define STAT_SCHEMA	"knc-pmuctl-stat/1"
/* Most bytes of a line: twice as many as 3,000 threads with 32 events take */
#define MAX_TOTAL	(64 << 20)

/* What totals_next() found */
enum totals_line {
	TOTALS_END,	/* the end of the file */
	TOTALS_TOTAL,	/* a total */
	TOTALS_OTHER,	/* an object of another schema */
	TOTALS_DAMAGED	/* no JSON, or no object of a schema */
};

/**
 * struct totals - a file that is read
 * @f: the file
 * @line: the line that was read last
 * @room: bytes of @line
 * @number: of that line; the first one is 1
 * @open: intervals, or the beginning of a rank's counts, have followed the last total
 * @begin: the beginning that the next total belongs to; NULL: there was none
 * @schema: of an object of another schema, clean
 * @why: why a line is damaged
 */
struct totals {
	FILE *f;
	char *line;
	size_t room;
	unsigned int number;
	int open;
	json_t *begin;
	const char *schema;
	char why[96];
};

void totals_open(struct totals *t, FILE *f);
/* Get the next total, for the caller to free, or the kind of line that stands in its place */
enum totals_line totals_next(struct totals *t, json_t **total);
/* Also closes the file */
void totals_close(struct totals *t);

/* KNC_PMU_THREAD_* of an event as an array of words, and back */
json_t *totals_flags_json(unsigned int flags);
unsigned int totals_flags(const json_t *event);
/* The word for one of @flags, which is then cleared in @flags; NULL: no flag is left */
const char *totals_flag(unsigned int *flags);

#endif /* KNC_CTL_TOTALS_H */
