// SPDX-License-Identifier: GPL-2.0
/* Sums, extremes and means of each event and metric, over all ranks and over each host's */
#include <stdlib.h>
#include <string.h>

#include "cli/event.h"
#include "merge/merge.h"

static void add_value(struct figures *f, value_t value, unsigned int rank)
{
	if (!f->nr || value < f->min || (value == f->min && rank < f->min_rank)) {
		f->min = value;
		f->min_rank = rank;
	}
	if (!f->nr || value > f->max || (value == f->max && rank < f->max_rank)) {
		f->max = value;
		f->max_rank = rank;
	}
	f->sum += value;
	f->nr++;
}

/* The figures of a host; makes room for a new host */
static struct figures *host_figures(struct row *row, size_t host)
{
	size_t old = row->room;

	while (host >= row->room) {
		row->hosts = xgrow(row->hosts, row->room, &row->room, sizeof(*row->hosts));
		memset(row->hosts + old, 0, (row->room - old) * sizeof(*row->hosts));
		old = row->room;
	}
	return &row->hosts[host];
}

/* -e may name an event twice: find the next row of this name without a value of this rank */
static struct row *find_row(struct merge *m, int metric, const char *name)
{
	struct row *row;
	size_t i;

	for (i = 0; i < m->nr_rows; i++) {
		row = &m->rows[i];
		if (row->metric == metric && row->seen < m->nr_places && !strcmp(row->name, name))
			return row;
	}
	m->rows = xgrow(m->rows, m->nr_rows, &m->rows_room, sizeof(*m->rows));
	row = &m->rows[m->nr_rows++];
	memset(row, 0, sizeof(*row));
	row->metric = metric;
	row->whole = !metric;
	row->name = xcopy(name);
	row->first = m->nr_places == 1;
	row->unit = xcopy("");
	return row;
}

static int is_set(const json_t *item, const char *key)
{
	return json_is_true(json_object_get(item, key));
}

/* One inexact or incomplete value marks the whole sum */
static void add_marks(struct row *row, const json_t *item)
{
	const char *unit = json_string_value(json_object_get(item, "unit"));
	const json_t *supported = json_object_get(item, "supported");
	int precise = is_set(item, "rough") ? PRECISION_ROUGH :
		      is_set(item, "estimated") ? PRECISION_ESTIMATE : PRECISION_EXACT;

	if (unit && !*row->unit) {
		free(row->unit);
		row->unit = xcopy(unit);
	}
	if (precise > row->precise)
		row->precise = precise;
	row->stand_in |= is_set(item, "stand_in");
	row->core_wide |= is_set(item, "core_wide");
	row->supported |= !supported || json_is_true(supported);
	row->flags |= totals_flags(item) & ~KNC_PMU_THREAD_ENDED;
}

/* Add the mean of several runs, or the count; null means not counted, and must not become 0 */
static void add_item(struct merge *m, struct row *row, const json_t *item, unsigned int rank,
		     size_t host)
{
	const json_t *number = json_object_get(item, "mean") ? : json_object_get(item, "value");
	value_t value;

	row->seen = m->nr_places;
	add_marks(row, item);
	if (!json_is_number(number))
		return;
	row->whole &= json_is_integer(number);
	value = json_is_integer(number) ? (value_t)json_integer_value(number) :
		json_number_value(number);
	add_value(&row->all, value, rank);
	if (m->o->per_host)
		add_value(host_figures(row, host), value, rank);
}

static void add_items(struct merge *m, const json_t *items, int metric, unsigned int rank,
		      size_t host)
{
	const json_t *item;
	const char *name;
	size_t i;

	json_array_foreach(items, i, item) {
		name = json_string_value(json_object_get(item, metric ? "metric" : "event"));
		if (name)
			add_item(m, find_row(m, metric, name), item, rank, host);
	}
}

void rows_add(struct merge *m, const json_t *total, unsigned int rank, size_t host)
{
	add_items(m, json_object_get(total, "events"), 0, rank, host);
	add_items(m, json_object_get(total, "metrics"), 1, rank, host);
}

char *rows_differ(const struct merge *m)
{
	const struct row *row;
	const char *before = "";
	char *text = NULL;
	int has, here;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		out_of_memory();
	for (row = m->rows; row < m->rows + m->nr_rows; row++) {
		has = row->seen == m->nr_places;
		here = row->first;
		if (has == here)
			continue;
		fprintf(f, "%s%s %s", before, has ? "with" : "without", row->name);
		before = ", ";
	}
	if (fclose(f))
		out_of_memory();
	return text;
}

void rows_free(struct merge *m)
{
	struct row *row;

	for (row = m->rows; row < m->rows + m->nr_rows; row++) {
		free(row->name);
		free(row->unit);
		free(row->hosts);
	}
	free(m->rows);
}
