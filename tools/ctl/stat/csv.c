// SPDX-License-Identifier: GPL-2.0
/* What stat counted, as CSV */
#include <stdio.h>
#include <string.h>

#include "cli/csv.h"
#include "stat/printer.h"
#include "stat/rows.h"

/* The field after a value: exact, or an estimate? Of the event itself? */
enum what { ITSELF, STAND_IN, TRIAL };

static const char *precision_text(enum precision precision, enum what what)
{
	static const char * const texts[][3] = {
		[PRECISION_EXACT] = { "", "stand-in", "trial" },
		[PRECISION_ESTIMATE] = { "estimate", "estimate stand-in", "estimate trial" },
		[PRECISION_ROUGH] = { "rough", "rough stand-in", "rough trial" },
		[PRECISION_NONE] = { "", "stand-in", "trial" },
	};

	return texts[precision][what];
}

static enum what what_counts(const struct report *r, unsigned int item)
{
	if (report_stands_in(r, item))
		return STAND_IN;
	return kncpmu_event_tries_counter(&report_item(r, item)->event) ? TRIAL : ITSELF;
}

/* Is it what it seems, and all of it? */
static void csv_marks(FILE *f, const struct report *r, unsigned int item, unsigned int where)
{
	const char *precision = precision_text(report_precision(r, item, where),
					       what_counts(r, item));
	unsigned int flags = report_cell(r, item, where)->flags;
	const char *before = *precision ? " " : "";

	fputs(precision, f);
	if (flags & KNC_PMU_THREAD_GAP)
		fprintf(f, "%sgap", before);
	else if (flags & KNC_PMU_THREAD_PARTIAL)
		fprintf(f, "%spartial", before);
}

static void csv_label(FILE *f, const struct report *r, unsigned int where)
{
	char text[LABEL_TEXT];

	report_label(r, where, text, sizeof(text));
	if (!where)
		return;
	csv_text(f, r->opts->separator, text);
	fputs(r->opts->separator, f);
}

static void csv_row(FILE *f, const struct report *r, unsigned int item,
		    unsigned int where, const char *stamp)
{
	const struct cell *cell = report_cell(r, item, where);
	const char *sep = r->opts->separator;
	struct metric_value cpi;
	struct rate rate;

	fprintf(f, "%s", stamp);
	csv_label(f, r, where);
	if (report_unsupported(r, item, where))
		fprintf(f, NOT_SUPPORTED);
	else if (cell->spread.n)
		fprintf(f, "%llu", shown_value(cell));
	else
		fprintf(f, NOT_COUNTED);
	fputs(sep, f);
	csv_marks(f, r, item, where);
	fputs(sep, f);
	csv_text(f, sep, report_item(r, item)->name);
	fputs(sep, f);
	if (r->opts->repeat > 1)
		fprintf(f, "%.2f%%%s", deviation_percent(&cell->spread), sep);
	fprintf(f, "%llu%s%.2f%s", cell->counted, sep, report_percent(cell), sep);
	if (report_cpi(r, item, where, &cpi))
		fprintf(f, "%.6f%s%sCPI\n", cpi.value, sep,
			cpi.precision == PRECISION_ROUGH ? "rough " : "");
	else if (report_rate(r, item, where, &rate))
		fprintf(f, "%.6f%s%s%s\n", rate.value, sep, rate.rough ? "rough " : "", rate.unit);
	else
		fprintf(f, "%s\n", sep);
}

static void metric_csv_row(FILE *f, const struct report *r, unsigned int i,
			   unsigned int where, const char *stamp)
{
	const struct metric_cell *cell = report_metric(r, i, where);
	const char *sep = r->opts->separator;

	fprintf(f, "%s", stamp);
	csv_label(f, r, where);
	if (cell->spread.n)
		fprintf(f, "%.9g", cell->spread.mean);
	else
		fprintf(f, NOT_AVAILABLE);
	fputs(sep, f);
	csv_text(f, sep, r->opts->metrics[i]->unit_text);
	fputs(sep, f);
	csv_text(f, sep, r->opts->metrics[i]->name);
	fputs(sep, f);
	if (r->opts->repeat > 1)
		fprintf(f, "%.2f%%%s", deviation_percent(&cell->spread), sep);
	fprintf(f, "%s%s%s%s%smetric\n", sep,
		precision_text(cell->value.precision,
			       metric_stands_in(r->opts, r->opts->metrics[i]) ? STAND_IN : ITSELF),
		sep, verdict(&cell->value), sep);
}

static void csv_interval(FILE *f, const struct report *r, double time)
{
	char stamp[64];

	snprintf(stamp, sizeof(stamp), "%.9f%s", time, r->opts->separator);
	print_rows(f, r, stamp, csv_row, metric_csv_row);
}

static void csv_total(FILE *f, const struct report *r, int status)
{
	(void)status;
	if (!r->opts->interval)
		print_rows(f, r, "", csv_row, metric_csv_row);
}

const struct printer csv_printer = {
	.interval = csv_interval,
	.total = csv_total,
};
