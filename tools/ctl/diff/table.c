// SPDX-License-Identifier: GPL-2.0
/* Tables of two recordings, side by side: the rows, their order, forms of output */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/json.h"
#include "cli/print.h"
#include "diff/diff.h"

/* Printed before a difference that chance may explain */
#define CHANCE	'='
#define WIDEST	48

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct diff_row *x = *(const struct diff_row * const *)a;
	const struct diff_row *y = *(const struct diff_row * const *)b;
	const struct diff_opts *o = ctx;
	double dx = o->by_events ? llabs(row_events(x)) : fabs(row_points(x));
	double dy = o->by_events ? llabs(row_events(y)) : fabs(row_points(y));
	unsigned int i;
	int ret;

	if (dx != dy)
		return dx > dy ? -1 : 1;
	if (x->self[NEW] != y->self[NEW])
		return x->self[NEW] > y->self[NEW] ? -1 : 1;
	for (i = 0; i < o->hist.nr_keys; i++) {
		ret = strcmp(x->key.text[i], y->key.text[i]);
		if (ret)
			return ret;
	}
	return x->key.kernel - y->key.kernel;
}

static struct diff_row **diff_rows(const struct diff_event *e, const struct diff_opts *o,
				   size_t *nr)
{
	struct diff_row **rows = xalloc(HASH_COUNT(e->rows), sizeof(*rows)), *row, *next;

	*nr = 0;
	HASH_ITER(hh, e->rows, row, next) {
		if (row->share[OLD] >= o->hist.limit || row->share[NEW] >= o->hist.limit)
			rows[(*nr)++] = row;
	}
	if (*nr)
		qsort_r(rows, *nr, sizeof(*rows), compare_rows, (void *)o);
	return rows;
}

/* Print the keys of a row. @mode: print the mode (kernel or user) before a symbol */
static void print_key(FILE *f, const struct diff_opts *o, unsigned int i, const char *mode,
		      const char *text, const int *widths)
{
	fprintf(f, "  %s", o->hist.keys[i] == SORT_SYMBOL ? mode : "");
	if (i + 1 < o->hist.nr_keys)
		print_padded(f, text, widths[i]);
	else
		fprintf(f, "%s\n", text);
}

static void print_row(FILE *f, const struct diff_opts *o, const struct diff_row *row,
		      const int *widths)
{
	unsigned int i;
	int side;

	for (side = 0; side < NR_SIDES; side++) {
		if (row->self[side])
			fprintf(f, "%7.2f%% ", row->share[side]);
		else
			fprintf(f, "%8s ", "");
	}
	fprintf(f, "%c%+8.2f%% %+'19lld", row_is_chance(row) ? CHANCE : ' ', row_points(row),
		row_events(row));
	for (i = 0; i < o->hist.nr_keys; i++)
		print_key(f, o, i, row->key.kernel ? "[k] " : "[.] ", row->key.text[i], widths);
}

/* Find the widths of the columns; a name beyond WIDEST shifts only the rest of its own row */
static void find_widths(const struct diff_opts *o, struct diff_row *const *rows, size_t nr,
			int *widths)
{
	unsigned int i;
	size_t n;
	int w;

	for (i = 0; i < o->hist.nr_keys; i++) {
		widths[i] = strlen(sort_name(o->hist.keys[i]));
		for (n = 0; n < nr; n++) {
			w = text_width(rows[n]->key.text[i]);
			if (w > widths[i])
				widths[i] = w < WIDEST ? w : WIDEST;
		}
	}
}

/* "N", or with a filter "N of M" */
static void print_samples(FILE *f, const struct diff_event *e, enum side side)
{
	fprintf(f, "%'llu", e->samples[side]);
	if (e->filtered)
		fprintf(f, " of %'llu", e->all_samples[side]);
}

static void print_heading(FILE *f, const struct diff_opts *o, const struct diff_event *e,
			  const int *widths)
{
	unsigned int i;

	fprintf(f, "\n%s: %'llu events in ", e->name, e->all[OLD]);
	print_samples(f, e, OLD);
	fprintf(f, " sample%s, then %'llu in ", plural_of(e->filtered ? 2 : e->samples[OLD]),
		e->all[NEW]);
	print_samples(f, e, NEW);
	if (e->all[OLD])
		fprintf(f, " (%+.2f%%)", percent(e->all[NEW], e->all[OLD]) - 100);
	fprintf(f, "\n\n%8s %8s %10s %19s", "old", "new", "points", "events");
	for (i = 0; i < o->hist.nr_keys; i++)
		print_key(f, o, i, "    ", sort_name(o->hist.keys[i]), widths);
}

void diff_table(const struct diff_event *e, const struct diff_opts *o, FILE *f)
{
	int widths[NR_SORT_KEYS];
	struct diff_row **rows;
	unsigned int marked = 0;
	size_t nr, i;

	rows = diff_rows(e, o, &nr);
	find_widths(o, rows, nr, widths);
	print_heading(f, o, e, widths);
	for (i = 0; i < nr; i++) {
		print_row(f, o, rows[i], widths);
		marked += row_is_chance(rows[i]);
	}
	free(rows);
	if (marked)
		fprintf(f, "\n%c chance may explain the difference, which is within two standard "
			"errors\n", CHANCE);
}

void diff_csv(const struct diff_event *e, const struct diff_opts *o, FILE *f)
{
	const char *sep = o->csv;
	struct diff_row **rows;
	unsigned int k;
	size_t nr, i;

	rows = diff_rows(e, o, &nr);
	for (i = 0; i < nr; i++) {
		csv_text(f, sep, e->name);
		fprintf(f, "%s%.4f%s%.4f%s%.4f%s%llu%s%llu%s%lld%s%d", sep,
			rows[i]->share[OLD], sep, rows[i]->share[NEW], sep,
			row_points(rows[i]), sep, rows[i]->self[OLD], sep, rows[i]->self[NEW],
			sep, row_events(rows[i]), sep, row_is_chance(rows[i]));
		for (k = 0; k < o->hist.nr_keys; k++) {
			fputs(sep, f);
			csv_text(f, sep, rows[i]->key.text[k]);
		}
		fputc('\n', f);
	}
	free(rows);
}

static json_t *row_json(const struct diff_row *row, const struct diff_opts *o)
{
	json_t *object = json_object();
	unsigned int i;

	for (i = 0; i < o->hist.nr_keys; i++)
		json_object_set_new(object, sort_name(o->hist.keys[i]),
				    json_string(row->key.text[i]));
	json_object_set_new(object, "kernel", json_boolean(row->key.kernel));
	json_object_set_new(object, "old_events", json_integer(row->self[OLD]));
	json_object_set_new(object, "new_events", json_integer(row->self[NEW]));
	json_object_set_new(object, "old_percent", json_real(row->share[OLD]));
	json_object_set_new(object, "new_percent", json_real(row->share[NEW]));
	json_object_set_new(object, "points", json_real(row_points(row)));
	json_object_set_new(object, "chance_points", json_real(row->chance));
	json_object_set_new(object, "by_chance", json_boolean(row_is_chance(row)));
	return object;
}

json_t *diff_json(const struct diff_event *e, const struct diff_opts *o)
{
	json_t *array = json_array();
	struct diff_row **rows;
	size_t nr, i;

	rows = diff_rows(e, o, &nr);
	for (i = 0; i < nr; i++)
		json_array_append_new(array, row_json(rows[i], o));
	free(rows);
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "event", e->name,
			 "old_events", (json_int_t)e->all[OLD],
			 "new_events", (json_int_t)e->all[NEW],
			 "old_samples", (json_int_t)e->samples[OLD],
			 "new_samples", (json_int_t)e->samples[NEW], "rows", array);
}
