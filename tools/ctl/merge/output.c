// SPDX-License-Identifier: GPL-2.0
/* What was merged, as a table, as CSV or as JSON */
#include <locale.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/event.h"
#include "cli/print.h"
#include "merge/merge.h"

#define DECIMALS	4	/* decimal places of a metric */
#define NAME		34
#define VALUE		64	/* bytes of a printed value */
#define LARGEST		9223372036854775807.0L

/* Relative load imbalance in per cent, as ranks.rst defines it; negative: all counts are 0 */
static double imbalance(const struct figures *f)
{
	if (!f->nr || f->max <= 0)
		return -1;
	return 100 * (1 - f->sum / f->nr / f->max);
}

/* The text in place of a value that no rank has */
static const char *nothing(const struct row *row)
{
	return row->metric ? "<not available>" : row->supported ? "<not counted>" :
	       "<not supported>";
}

static const char *shown_name(const struct row *row)
{
	return row->stand_in ? intern_format("%s (stand-in)", row->name) : row->name;
}

static void print_value(const struct row *row, value_t value, int fraction)
{
	char text[VALUE];

	snprintf(text, sizeof(text), "%s%'.*Lf", precision_mark(row->precise),
		 row->metric ? DECIMALS : fraction, value);
	printf(" %18s", text);
}

/* The notes at the end of a line: ranks without a value, core-wide, flags, the unit */
static void print_notes(const struct row *row, const struct figures *f, unsigned int of)
{
	unsigned int flags = row->flags;
	const char *flag;

	if (f->nr < of)
		printf("  %u of %u ranks", f->nr, of);
	if (row->core_wide)
		printf("  core-wide");
	while ((flag = totals_flag(&flags)))
		printf("  %s", flag);
	if (*row->unit)
		printf("  %s", row->unit);
	putchar('\n');
}

static void print_figures(const struct row *row, const char *label, const struct figures *f,
			  unsigned int of)
{
	double lost = imbalance(f);

	print_padded(stdout, label, NAME);
	if (!f->nr) {
		printf(" %18s\n", nothing(row));
		return;
	}
	if (row->metric)
		printf(" %18s", "-");
	else
		print_value(row, f->sum, 0);
	print_value(row, f->min, 0);
	printf(" %6u", f->min_rank);
	print_value(row, f->sum / f->nr, 1);
	print_value(row, f->max, 0);
	printf(" %6u", f->max_rank);
	if (lost < 0)
		printf(" %10s", "-");
	else
		printf(" %9.2f%%", lost);
	print_notes(row, f, of);
}

/* @row->hosts ends at the last host with a value: hosts beyond it have none */
static const struct figures *figures_of(const struct row *row, size_t host)
{
	static const struct figures none;

	return host < row->room ? &row->hosts[host] : &none;
}

static const char *host_name(const struct host *host)
{
	return *host->name ? host->name : "unknown";
}

static void print_head(const struct merge *m)
{
	printf("%zu rank%s", m->nr_places, plural_of(m->nr_places));
	if (m->ranks)
		printf(" of %u", m->ranks);
	printf(" on %zu host%s", m->nr_hosts, plural_of(m->nr_hosts));
	if (*m->missing)
		printf("; missing: %s", m->missing_hosts);
	printf("\n\n%-*s %18s %18s %6s %18s %18s %6s %10s\n", NAME, "", "sum", "minimum", "rank",
	       "mean", "maximum", "rank", "imbalance");
}

static void print_foot(const struct merge *m)
{
	const struct problem *p;
	int wide = 0;
	size_t i;

	for (i = 0; i < m->nr_rows; i++)
		wide |= m->rows[i].core_wide;
	if (wide)
		printf("\ncore-wide: each rank counted all threads of its core; the sum has those "
		       "of a core that ranks share more than once\n");
	for (i = 0; i < m->nr_problems; i++) {
		p = &m->problems[i];
		printf("%s%s", i ? "" : "\n", p->merged ? "note" : "left out");
		if (p->rank >= 0)
			printf(": rank %lld", p->rank);
		printf(": %s: %s\n", intern_text(p->path), intern_text(p->why));
	}
}

static void print_table(const struct merge *m)
{
	const struct row *row;
	size_t i;

	/* group digits as the tables of stat do */
	setlocale(LC_NUMERIC, "");
	print_head(m);
	for (row = m->rows; row < m->rows + m->nr_rows; row++) {
		print_figures(row, shown_name(row), &row->all, m->nr_places);
		for (i = 0; m->o->per_host && i < m->nr_hosts; i++)
			print_figures(row, intern_format("  %s", host_name(&m->hosts[i])),
				      figures_of(row, i), m->hosts[i].nr);
	}
	print_foot(m);
}

static void csv_number(const char *sep, const struct row *row, value_t value, int fraction)
{
	if (row->metric)
		printf("%s%.9Lg", sep, value);
	else
		printf("%s%.*Lf", sep, fraction, value);
}

/* Words as in the CSV of stat, for instance "rough stand-in gap" */
static void csv_marks(const char *sep, const struct row *row)
{
	const char *marks = row->precise == PRECISION_ROUGH ? "rough" :
			    row->precise == PRECISION_ESTIMATE ? "estimate" : "", *flag;
	unsigned int flags = row->flags;

	if (row->stand_in)
		marks = intern_format("%s%sstand-in", marks, *marks ? " " : "");
	while ((flag = totals_flag(&flags)))
		marks = intern_format("%s%s%s", marks, *marks ? " " : "", flag);
	fputs(sep, stdout);
	csv_text(stdout, sep, marks);
}

static void csv_row(const struct merge *m, const struct row *row, const char *host,
		    const struct figures *f)
{
	const char *sep = m->o->csv;
	double lost = imbalance(f);

	if (host) {
		csv_text(stdout, sep, host);
		fputs(sep, stdout);
	}
	csv_text(stdout, sep, row->name);
	fputs(sep, stdout);
	csv_text(stdout, sep, row->unit);
	printf("%s%u", sep, f->nr);
	if (f->nr) {
		if (row->metric)
			fputs(sep, stdout);
		else
			csv_number(sep, row, f->sum, 0);
		csv_number(sep, row, f->min, 0);
		printf("%s%u", sep, f->min_rank);
		csv_number(sep, row, f->sum / f->nr, 4);
		csv_number(sep, row, f->max, 0);
		printf("%s%u%s", sep, f->max_rank, sep);
		if (lost >= 0)
			printf("%.4f", lost);
	} else {
		printf("%s%s%s%s%s%s%s%s", sep, nothing(row), sep, sep, sep, sep, sep, sep);
	}
	csv_marks(sep, row);
	putchar('\n');
}

static void print_csv(const struct merge *m)
{
	const struct row *row;
	size_t i;

	for (row = m->rows; row < m->rows + m->nr_rows; row++) {
		csv_row(m, row, m->o->per_host ? "" : NULL, &row->all);
		for (i = 0; m->o->per_host && i < m->nr_hosts; i++)
			csv_row(m, row, host_name(&m->hosts[i]), figures_of(row, i));
	}
}

static json_t *number_json(const struct row *row, value_t value)
{
	if (row->whole && value <= LARGEST)
		return json_integer((json_int_t)value);
	return json_real(value);
}

static void figures_json(json_t *object, const struct row *row, const struct figures *f)
{
	double lost = imbalance(f);

	json_object_set_new(object, "ranks", json_integer(f->nr));
	if (!row->metric)
		json_object_set_new(object, "sum", f->nr ? number_json(row, f->sum) : json_null());
	json_object_set_new(object, "min", f->nr ? number_json(row, f->min) : json_null());
	json_object_set_new(object, "mean", f->nr ? json_real(f->sum / f->nr) : json_null());
	json_object_set_new(object, "max", f->nr ? number_json(row, f->max) : json_null());
	json_object_set_new(object, "min_rank", f->nr ? json_integer(f->min_rank) : json_null());
	json_object_set_new(object, "max_rank", f->nr ? json_integer(f->max_rank) : json_null());
	json_object_set_new(object, "imbalance_percent", lost < 0 ? json_null() : json_real(lost));
}

static json_t *row_json(const struct merge *m, const struct row *row)
{
	json_t *object, *hosts, *host;
	size_t i;

	object = json_pack("{s:s, s:b, s:b, s:b, s:b, s:b, s:o}", row->metric ? "metric" : "event",
			   row->name, "estimated", row->precise != PRECISION_EXACT,
			   "rough", row->precise == PRECISION_ROUGH, "stand_in", row->stand_in,
			   "core_wide", row->core_wide, "supported", row->supported, "flags",
			   totals_flags_json(row->flags));
	if (row->metric)
		json_object_set_new(object, "unit", json_string(row->unit));
	figures_json(object, row, &row->all);
	if (!m->o->per_host)
		return object;
	hosts = json_array();
	for (i = 0; i < m->nr_hosts; i++) {
		host = json_pack("{s:s}", "host", m->hosts[i].name);
		figures_json(host, row, figures_of(row, i));
		json_array_append_new(hosts, host);
	}
	json_object_set_new(object, "hosts", hosts);
	return object;
}

static json_t *rows_json(const struct merge *m, int metric)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < m->nr_rows; i++) {
		if (m->rows[i].metric == metric)
			json_array_append_new(array, row_json(m, &m->rows[i]));
	}
	return array;
}

static json_t *hosts_json(const struct merge *m)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < m->nr_hosts; i++)
		json_array_append_new(array, json_pack("{s:s, s:i}", "host", m->hosts[i].name,
						       "ranks", (int)m->hosts[i].nr));
	return array;
}

static json_t *problems_json(const struct merge *m)
{
	json_t *array = json_array(), *object;
	const struct problem *p;
	size_t i;

	for (i = 0; i < m->nr_problems; i++) {
		p = &m->problems[i];
		object = json_pack("{s:o, s:o, s:b, s:o}", "file", text_json(p->path), "rank",
				   p->rank < 0 ? json_null() : json_integer(p->rank), "merged",
				   p->merged, "why", text_json(p->why));
		if (p->host)
			json_object_set_new(object, "host", text_json(p->host));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *merge_json(const struct merge *m)
{
	json_t *ranks = m->ranks ? json_integer(m->ranks) : json_null();

	return json_pack("{s:s, s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:o}", "schema",
			 "knc-pmuctl-merge/1", "version", kncpmu_version(), "merged",
			 (json_int_t)m->nr_places, "ranks", ranks, "missing", m->missing, "hosts",
			 hosts_json(m), "problems", problems_json(m), "events", rows_json(m, 0),
			 "metrics", rows_json(m, 1));
}

int merge_print(const struct merge *m)
{
	if (m->o->json)
		return print_json(stdout, merge_json(m), JSON_INDENT(1));
	if (m->o->csv)
		print_csv(m);
	else
		print_table(m);
	return CTL_OK;
}
