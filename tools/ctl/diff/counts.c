// SPDX-License-Identifier: GPL-2.0
/* Two outputs of stat --json: the counts and metrics of their totals, side by side */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/event.h"
#include "cli/totals.h"
#include "diff/diff.h"

#define UNKNOWN	"-"

/**
 * struct counts - an output of stat
 * @path: the file
 * @total: the line with the totals
 */
struct counts {
	const char *path;
	json_t *total;
};

/* The two arrays in a total; for each the key of names, and the decimals of values */
static const struct kind {
	const char *array;
	const char *name;
	int decimals;
} kinds[] = {
	{ "events", "event", 0 },
	{ "metrics", "metric", 4 },
};

/**
 * struct pair - an event or a metric in both
 * @kind: what it is
 * @name: its name
 * @unit: of a metric; "": none
 * @item: its object, in each; NULL: not there
 */
struct pair {
	const struct kind *kind;
	const char *name;
	const char *unit;
	const json_t *item[NR_SIDES];
};

/* The last total of a file; NULL: none */
static json_t *find_total(FILE *f)
{
	json_t *found = NULL, *total;
	enum totals_line line;
	struct totals t;

	totals_open(&t, f);
	do {
		line = totals_next(&t, &total);
		if (total) {
			json_decref(found);
			found = total;
		}
	} while (line != TOTALS_END);
	totals_close(&t);
	return found;
}

static int read_counts(struct counts *c, const char *path, int fd)
{
	FILE *f = fdopen(fd, "r");

	c->path = path;
	if (!f)
		return complain("can't read %s: %s", path, strerror(errno));
	c->total = find_total(f);
	if (c->total)
		return CTL_OK;
	return complain("%s is neither a recording nor the output of stat --json: it has no line "
			"of schema %s with the totals", path, STAT_SCHEMA);
}

static const json_t *find_item(const json_t *array, const struct kind *kind, const char *name)
{
	const char *other;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		other = json_string_value(json_object_get(item, kind->name));
		if (other && !strcmp(other, name))
			return item;
	}
	return NULL;
}

static int item_flag(const json_t *item, const char *key)
{
	return json_is_true(json_object_get(item, key));
}

/* Get the value, or the mean of several runs; returns 0 if there is none */
static int item_value(const json_t *item, double *value)
{
	const json_t *number = json_object_get(item, "mean") ? : json_object_get(item, "value");

	*value = json_number_value(number);
	return json_is_number(number);
}

static void print_value(const struct pair *pair, enum side side)
{
	const json_t *item = pair->item[side];
	char text[64] = UNKNOWN;
	double value;

	if (item_value(item, &value))
		snprintf(text, sizeof(text), "%s%'.*f",
			 precision_mark(item_flag(item, "rough") ? PRECISION_ROUGH :
					item_flag(item, "estimated") ? PRECISION_ESTIMATE :
					PRECISION_EXACT),
			 pair->kind->decimals, value);
	printf(" %20s", text);
}

static int stands_in(const struct pair *pair)
{
	return item_flag(pair->item[OLD], "stand_in") || item_flag(pair->item[NEW], "stand_in");
}

/* The name, with a mark if the emulated card counted something else in the event's place */
static const char *shown_name(const struct pair *pair)
{
	return stands_in(pair) ? intern_format("%s (stand-in)", pair->name) : pair->name;
}

static void print_pair(const struct pair *pair)
{
	double old, new;
	char change[32] = "";

	printf("%-34s", shown_name(pair));
	print_value(pair, OLD);
	print_value(pair, NEW);
	if (!item_value(pair->item[OLD], &old) || !item_value(pair->item[NEW], &new)) {
		putchar('\n');
		return;
	}
	if (old)
		snprintf(change, sizeof(change), "%+.2f%%", 100 * (new - old) / old);
	printf(" %+'20.*f %10s  %s\n", pair->kind->decimals, new - old, change, pair->unit);
}

static void print_csv(const struct pair *pair, const char *sep)
{
	double value[NR_SIDES];
	int side, known = 1;

	csv_text(stdout, sep, shown_name(pair));
	for (side = 0; side < NR_SIDES; side++) {
		printf("%s", sep);
		if (item_value(pair->item[side], &value[side]))
			printf("%.*f", pair->kind->decimals, value[side]);
		else
			known = 0;
	}
	printf("%s", sep);
	if (known)
		printf("%.*f", pair->kind->decimals, value[NEW] - value[OLD]);
	printf("%s", sep);
	if (known && value[OLD])
		printf("%.4f", 100 * (value[NEW] - value[OLD]) / value[OLD]);
	fputs(sep, stdout);
	csv_text(stdout, sep, pair->unit);
	putchar('\n');
}

static json_t *side_json(const json_t *item)
{
	double value;

	return item_value(item, &value) ? json_real(value) : json_null();
}

static json_t *pair_json(const struct pair *pair)
{
	int rough = 0, estimated = 0, side;

	for (side = 0; side < NR_SIDES; side++) {
		rough |= item_flag(pair->item[side], "rough");
		estimated |= item_flag(pair->item[side], "estimated");
	}
	return json_pack("{s:s, s:o, s:o, s:s, s:b, s:b, s:b}", pair->kind->name, pair->name,
			 "old", side_json(pair->item[OLD]), "new", side_json(pair->item[NEW]),
			 "unit", pair->unit, "estimated", estimated, "rough", rough,
			 "stand_in", stands_in(pair));
}

/* Print the pair, or add it to @array */
static void show_pair(const struct diff_opts *o, const struct pair *pair, json_t *array)
{
	if (array)
		json_array_append_new(array, pair_json(pair));
	else if (o->csv)
		print_csv(pair, o->csv);
	else
		print_pair(pair);
}

/* Show the items of @first with their counterparts; with @alone only items that have none */
static unsigned int show_items(const struct diff_opts *o, const struct counts *counts,
			       const struct kind *kind, enum side first, int alone,
			       json_t *array)
{
	const json_t *items = json_object_get(counts[first].total, kind->array), *item;
	enum side other = first == OLD ? NEW : OLD;
	struct pair pair = { .kind = kind };
	unsigned int both = 0;
	size_t i;

	json_array_foreach(items, i, item) {
		pair.name = member_text(item, kind->name);
		pair.unit = member_text(item, "unit");
		pair.item[first] = item;
		pair.item[other] = find_item(json_object_get(counts[other].total, kind->array),
					     kind, pair.name);
		both += !!pair.item[other];
		if (!alone || !pair.item[other])
			show_pair(o, &pair, array);
	}
	return both;
}

static void warn_of_runs(const struct counts *counts)
{
	json_int_t old = json_integer_value(json_object_get(counts[OLD].total, "passes"));
	json_int_t new = json_integer_value(json_object_get(counts[NEW].total, "passes"));

	if (old != new)
		complain("warning: %s was counted in %lld passes, %s in %lld: each pass is a run "
			 "of its own", counts[OLD].path, (long long)old, counts[NEW].path,
			 (long long)new);
}

static int show_counts(const struct diff_opts *o, const struct counts *counts)
{
	json_t *arrays[ARRAY_SIZE(kinds)] = { NULL };
	unsigned int i, both = 0;

	if (!o->json && !o->csv) {
		/* separate thousands as stat's tables do */
		setlocale(LC_NUMERIC, "");
		printf("%-34s %20s %20s %20s %10s\n", "", "old", "new", "difference", "change");
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (o->json)
			arrays[i] = json_array();
		both += show_items(o, counts, &kinds[i], NEW, 0, arrays[i]);
		show_items(o, counts, &kinds[i], OLD, 1, arrays[i]);
	}
	if (o->json)
		print_json(stdout, json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema",
					     "knc-pmuctl-diff/1", "old", text_json(o->path[OLD]),
					     "new", text_json(o->path[NEW]), "events", arrays[0],
					     "metrics", arrays[1]), JSON_INDENT(1));
	if (both)
		return CTL_OK;
	return complain("%s and %s have no event and no metric in common", o->path[OLD],
			o->path[NEW]);
}

int diff_counts(const struct diff_opts *o)
{
	struct counts counts[NR_SIDES];
	int status;

	memset(counts, 0, sizeof(counts));
	status = read_counts(&counts[OLD], o->path[OLD], o->fd[OLD]);
	if (!status)
		status = read_counts(&counts[NEW], o->path[NEW], o->fd[NEW]);
	if (!status) {
		warn_of_runs(counts);
		status = show_counts(o, counts);
	}
	json_decref(counts[OLD].total);
	json_decref(counts[NEW].total);
	intern_free();
	return status;
}
