// SPDX-License-Identifier: GPL-2.0
/* Rows of events and metrics, for all forms of output */
#include <stdio.h>

#include "stat/report.h"
#include "stat/rows.h"

unsigned long long shown_value(const struct cell *cell)
{
	return cell->spread.n > 1 ? cell->spread.mean + 0.5 : cell->value;
}

double deviation_percent(const struct spread *spread)
{
	return spread->mean > 0 ? 100 * spread_stddev(spread) / spread->mean : 0;
}

const char *verdict(const struct metric_value *value)
{
	if (!value->limit)
		return "";
	return value->limit->good ? "good" : "bad";
}

static void print_places(FILE *f, const struct report *r, const char *stamp, unsigned int i,
			 row_fn row)
{
	const unsigned int *places;
	unsigned int n, nr;

	places = report_places(r, &nr);
	for (n = 0; n < nr; n++)
		row(f, r, i, places[n], stamp);
}

void print_rows(FILE *f, const struct report *r, const char *stamp, row_fn event,
		row_fn metric)
{
	unsigned int i;

	for (i = 0; i < report_items(r); i++)
		print_places(f, r, stamp, i, event);
	for (i = 0; i < r->opts->nr_metrics; i++)
		print_places(f, r, stamp, i, metric);
}
