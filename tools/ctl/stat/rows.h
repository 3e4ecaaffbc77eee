/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of events and metrics, for all forms of output */
#ifndef KNC_CTL_ROWS_H
#define KNC_CTL_ROWS_H

#include <stdio.h>

#include "stat/report.h"
#include "stat/stat.h"

#define NOT_COUNTED	"<not counted>"
#define NOT_AVAILABLE	"<not available>"
#define NOT_SUPPORTED	"<not supported>"

/* Prints the row of the @i-th event or metric, after @stamp */
typedef void (*row_fn)(FILE *f, const struct report *r, unsigned int i, unsigned int where,
		       const char *stamp);

/* Print all rows of events, then those of metrics */
void print_rows(FILE *f, const struct report *r, const char *stamp, row_fn event,
		row_fn metric);

/* The rounded mean of several runs, or the count of the only one */
unsigned long long shown_value(const struct cell *cell);
double deviation_percent(const struct spread *spread);

/* "good", "bad" or "" */
const char *verdict(const struct metric_value *value);

#endif /* KNC_CTL_ROWS_H */
