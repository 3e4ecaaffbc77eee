// SPDX-License-Identifier: GPL-2.0
/* What stat counted, as a table for people or as CSV */
#include <stdlib.h>
#include <string.h>

#include <knc/regs.h>

#include "stat.h"

#define VALUE_COLUMN	18
#define NAME_COLUMN	32
#define NOT_COUNTED	"<not counted>"
#define NOTES_TEXT	256

/* First and last + 1 cell of each event that is shown: the sum, or each CPU */
static unsigned int first_cell(const struct report *r)
{
	return r->opts->per_cpu ? 1 : 0;
}

static unsigned int last_cell(const struct report *r)
{
	return r->opts->per_cpu ? r->counting->nr_cpus : 0;
}

/* The mean of several runs, rounded, or the count of the one */
static unsigned long long shown_value(const struct cell *cell)
{
	return cell->spread.n > 1 ? cell->spread.mean + 0.5 : cell->value;
}

static double deviation_percent(const struct spread *spread)
{
	return spread->mean > 0 ? 100 * spread_stddev(spread) / spread->mean : 0;
}

/* What stands behind the name: core-wide, CPI, spread, percentage of the time */
static void notes_text(const struct report *r, unsigned int item, unsigned int where,
		       char *text, size_t size)
{
	const struct cell *cell = report_cell(r, item, where);
	size_t len = 0;
	double cpi;

	text[0] = '\0';
	if (kncpmu_event_core_wide(&r->counting->items[item].event))
		len += snprintf(text, size, "  core-wide%s", where ? "" : ", once per core");
	if (report_cpi(r, item, where, &cpi))
		len += snprintf(text + len, size - len, "  # %.2f CPI", cpi);
	if (cell->spread.n > 1)
		len += snprintf(text + len, size - len, "  +- %.2f%% (%'.0f to %'.0f)",
				deviation_percent(&cell->spread), cell->spread.min,
				cell->spread.max);
	if (cell->turns && cell->spread.n)
		snprintf(text + len, size - len, "  (%.2f%%)", report_percent(cell));
}

/* The count, flush right: separators of thousands may have more bytes than columns */
static void print_value(FILE *f, const struct cell *cell)
{
	char text[64] = NOT_COUNTED;
	size_t columns;

	if (cell->spread.n)
		snprintf(text, sizeof(text), "%'llu", shown_value(cell));
	columns = mbstowcs(NULL, text, 0);
	if (columns > VALUE_COLUMN)
		columns = VALUE_COLUMN;
	fprintf(f, "%*s%s", VALUE_COLUMN - (int)columns, "", text);
}

static void table_row(FILE *f, const struct report *r, unsigned int item,
		      unsigned int where, const char *stamp)
{
	const char *name = r->counting->items[item].name;
	char notes[NOTES_TEXT];

	fprintf(f, "%s", stamp);
	if (where)
		fprintf(f, "CPU%-5u", r->counting->cpu[where - 1]);
	print_value(f, report_cell(r, item, where));
	notes_text(r, item, where, notes, sizeof(notes));
	fprintf(f, "      %-*s%s\n", notes[0] ? NAME_COLUMN : 0, name, notes);
}

static void csv_row(FILE *f, const struct report *r, unsigned int item,
		    unsigned int where, const char *stamp)
{
	const struct cell *cell = report_cell(r, item, where);
	const char *sep = r->opts->separator;
	double cpi;

	fprintf(f, "%s", stamp);
	if (where)
		fprintf(f, "CPU%u%s", r->counting->cpu[where - 1], sep);
	if (cell->spread.n)
		fprintf(f, "%llu", shown_value(cell));
	else
		fprintf(f, NOT_COUNTED);
	fprintf(f, "%s%s%s%s", sep, sep, r->counting->items[item].name, sep);
	if (r->opts->repeat > 1)
		fprintf(f, "%.2f%%%s", deviation_percent(&cell->spread), sep);
	fprintf(f, "%llu%s%.2f%s", cell->enabled, sep, report_percent(cell), sep);
	if (report_cpi(r, item, where, &cpi))
		fprintf(f, "%.6f%sCPI\n", cpi, sep);
	else
		fprintf(f, "%s\n", sep);
}

/* All rows of events, each behind @stamp */
static void print_rows(FILE *f, const struct report *r, const char *stamp)
{
	unsigned int item, where;

	for (item = 0; item < r->counting->nr_items; item++) {
		for (where = first_cell(r); where <= last_cell(r); where++) {
			if (r->opts->separator)
				csv_row(f, r, item, where, stamp);
			else
				table_row(f, r, item, where, stamp);
		}
	}
}

static void table_interval(FILE *f, const struct report *r, double time)
{
	char stamp[32];

	snprintf(stamp, sizeof(stamp), "%15.9f ", time);
	print_rows(f, r, stamp);
	fflush(f);
}

static void table_seconds(FILE *f, const struct spread *spread, const char *what)
{
	fprintf(f, "%*.9f seconds %s", VALUE_COLUMN, spread->mean, what);
	if (spread->n > 1)
		fprintf(f, "  +- %.2f%%", deviation_percent(spread));
	fputc('\n', f);
}

/* What the table has that wants an explanation */
enum remark { REMARK_UNCOUNTED, REMARK_TURNS, REMARK_CORE, NR_REMARKS };

static int has_remark(const struct report *r, enum remark which, unsigned int item,
		      unsigned int where)
{
	const struct cell *cell = report_cell(r, item, where);

	switch (which) {
	case REMARK_UNCOUNTED:
		return !cell->spread.n;
	case REMARK_TURNS:
		return cell->turns && cell->spread.n;
	default:
		return kncpmu_event_core_wide(&r->counting->items[item].event);
	}
}

static int any_has_remark(const struct report *r, enum remark which)
{
	unsigned int item, where;

	for (item = 0; item < r->counting->nr_items; item++) {
		for (where = first_cell(r); where <= last_cell(r); where++) {
			if (has_remark(r, which, item, where))
				return 1;
		}
	}
	return 0;
}

static void table_remarks(FILE *f, const struct report *r)
{
	static const char * const remarks[NR_REMARKS] = {
		[REMARK_UNCOUNTED] = NOT_COUNTED
			": the command ended before its turn; ask for two events, or run longer",
		[REMARK_TURNS] =
			"(%): estimates, taking turns; scaled by the time each set was counted; for exact counts ask for two events a run",
		[REMARK_CORE] =
			"core-wide: of all threads of the cores, not of these CPUs alone",
	};
	const char *before = "\n";
	unsigned int i;

	for (i = 0; i < NR_REMARKS; i++) {
		if (!any_has_remark(r, i))
			continue;
		fprintf(f, "%s %s\n", before, remarks[i]);
		before = "";
	}
}

static void table_head(FILE *f, const struct report *r)
{
	char cpus[CPUS_TEXT];
	char **arg;

	kncpmu_cpus_format(&r->opts->cpus, cpus, sizeof(cpus));
	fprintf(f, "\n Counts of CPU%s %s while '%s", plural(&r->opts->cpus), cpus,
		r->opts->command[0]);
	for (arg = r->opts->command + 1; *arg; arg++)
		fprintf(f, " %s", *arg);
	if (r->opts->interval)
		fprintf(f, "' runs, every %u ms, behind the seconds since its start",
			r->opts->interval);
	else
		fprintf(f, "' ran");
	if (r->elapsed.n > 1)
		fprintf(f, ", mean of %u runs", r->elapsed.n);
	fprintf(f, ":\n\n");
}

/* Intervals are shown as they end, below a head; sums are shown with theirs */
static void table_begin(FILE *f, const struct report *r)
{
	if (r->opts->interval)
		table_head(f, r);
}

static void table_total(FILE *f, const struct report *r, int status)
{
	(void)status;
	if (!r->opts->interval) {
		table_head(f, r);
		print_rows(f, r, "");
	}
	table_remarks(f, r);
	fputc('\n', f);
	table_seconds(f, &r->elapsed, "elapsed");
	table_seconds(f, &r->user, "user");
	table_seconds(f, &r->sys, "sys");
	fputc('\n', f);
}

static void csv_interval(FILE *f, const struct report *r, double time)
{
	char stamp[64];

	snprintf(stamp, sizeof(stamp), "%.9f%s", time, r->opts->separator);
	print_rows(f, r, stamp);
	fflush(f);
}

static void csv_total(FILE *f, const struct report *r, int status)
{
	(void)status;
	if (!r->opts->interval)
		print_rows(f, r, "");
}

const struct printer table_printer = {
	.begin = table_begin,
	.interval = table_interval,
	.total = table_total,
};

const struct printer csv_printer = {
	.interval = csv_interval,
	.total = csv_total,
};
