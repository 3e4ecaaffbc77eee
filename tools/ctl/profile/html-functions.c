// SPDX-License-Identifier: GPL-2.0
/* The functions of a page: a table that html.js sorts and searches */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/value.h"
#include "profile/page.h"
#include "profile/slices.h"

#define MIN_SAMPLES	10	/* of each event of a function, for the function to get a metric */

/**
 * struct function - a row of the table: what hist_row has, for all events
 * @key: @keys, @kernel: as in struct hist_row
 * @self: by event, likewise
 * @total: likewise
 * @samples: likewise
 * @of: by event, what its sums in slices are of
 * @most: the largest share of @self
 * @most_total: the largest share of @total
 * @hh: in a hash, by @key
 */
struct function {
	struct {
		const char *keys[NR_SORT_KEYS];
		int kernel;
	} key;
	unsigned long long self[DATA_EVENTS];
	unsigned long long total[DATA_EVENTS];
	unsigned long long samples[DATA_EVENTS];
	const void *of[DATA_EVENTS];
	double most;
	double most_total;
	UT_hash_handle hh;
};

/**
 * struct table - the table
 * @page: its page
 * @f: the file
 * @functions: hash of rows
 * @event: the event whose rows are added
 * @all: the counts of the recording
 * @metric: the metric that each function has; NULL: none
 */
struct table {
	const struct page *page;
	FILE *f;
	struct function *functions;
	unsigned int event;
	struct sampled all;
	const struct metric *metric;
};

static void take_row(void *ctx, const struct hist_row *from)
{
	struct table *t = ctx;
	unsigned int event = t->event;
	unsigned long long whole = t->page->p->weight[event];
	struct function key, *row;

	memset(&key.key, 0, sizeof(key.key));
	memcpy(key.key.keys, from->keys, sizeof(key.key.keys));
	key.key.kernel = from->kernel;
	HASH_FIND(hh, t->functions, &key.key, sizeof(key.key), row);
	if (!row) {
		row = xalloc(1, sizeof(*row));
		row->key = key.key;
		HASH_ADD(hh, t->functions, key, sizeof(row->key), row);
	}
	row->self[event] = from->self;
	row->total[event] = from->total;
	row->samples[event] = from->samples;
	row->of[event] = from->of;
	row->most = fmax(row->most, percent(from->self, whole));
	row->most_total = fmax(row->most_total, percent(from->total, whole));
}

static int by_share(struct function *a, struct function *b)
{
	int i, ret;

	if (a->most != b->most)
		return a->most > b->most ? -1 : 1;
	for (i = 0; i < DATA_EVENTS; i++) {
		if (a->total[i] != b->total[i])
			return a->total[i] > b->total[i] ? -1 : 1;
	}
	for (i = 0; i < NR_SORT_KEYS && a->key.keys[i]; i++) {
		ret = strcmp(a->key.keys[i], b->key.keys[i]);
		if (ret)
			return ret;
	}
	return a->key.kernel - b->key.kernel;
}

/* The first metric that compares the events of the recording; NULL: none */
static const struct metric *find_metric(const struct metrics *ms, const struct sampled *all)
{
	struct metric_value value;
	unsigned int i;

	for (i = 0; i < ms->nr_metrics; i++) {
		if (ms->metrics[i].nr_events < 2 || !sampled_has(ms, &ms->metrics[i], all))
			continue;
		sampled_metric(ms, &ms->metrics[i], all, &value);
		if (value.available)
			return &ms->metrics[i];
	}
	return NULL;
}

static void print_column(FILE *f, const char *class, const char *name, const char *tip)
{
	fprintf(f, "<th scope=\"col\" class=\"%s\"><button type=\"button\" title=\"", class);
	print_xml(f, tip);
	fputs("\">", f);
	print_xml(f, name);
	fputs("</button></th>\n", f);
}

static void print_columns(const struct table *t)
{
	const struct hist_opts *o = t->page->hist_opts;
	const struct profile *p = t->page->p;
	unsigned int i;

	fputs("<tr>\n", t->f);
	for (i = 0; i < p->file.nr_events; i++) {
		if (!p->nr[i])
			continue;
		print_column(t->f, "number", "self", "events in the function itself");
		if (p->file.chains)
			print_column(t->f, "number total", "total",
				     "events in it and in the functions that it called");
		print_column(t->f, "number samples", "samples", "samples in the function itself");
	}
	if (t->metric)
		print_column(t->f, "number", t->metric->name,
			     intern_format("%s [%s]", t->metric->title, t->metric->unit_text));
	for (i = 0; i < o->nr_keys; i++)
		print_column(t->f, sort_name(o->keys[i]), sort_name(o->keys[i]), "");
	fputs("</tr>\n", t->f);
}

/* Count the events that are shown */
static unsigned int count_events(const struct profile *p)
{
	unsigned int i, nr = 0;

	for (i = 0; i < p->file.nr_events; i++)
		nr += p->nr[i] > 0;
	return nr;
}

/*
 * The line above the columns says which event each belongs to; html.css hides some on small screens
 */
static void print_events(const struct table *t)
{
	const struct profile *p = t->page->p;
	unsigned int i;

	fputs("<tr class=\"events\">\n", t->f);
	for (i = 0; i < p->file.nr_events; i++) {
		if (!p->nr[i])
			continue;
		fprintf(t->f, "<th scope=\"colgroup\" class=\"wide\" colspan=\"%d\">",
			p->file.chains ? 3 : 2);
		print_xml(t->f, p->file.events[i].name);
		fputs("</th><th class=\"slim\">", t->f);
		print_xml(t->f, p->file.events[i].name);
		fputs("</th>\n", t->f);
	}
	fprintf(t->f, "<th colspan=\"%u\"></th>\n</tr>\n",
		t->page->hist_opts->nr_keys + !!t->metric);
}

static void print_metric(const struct table *t, const struct function *row)
{
	struct sampled counts = t->all;
	struct metric_value value;
	unsigned int i;
	int enough = 1;

	for (i = 0; i < t->page->p->file.nr_events; i++) {
		counts.count[i] = row->self[i];
		counts.samples[i] = row->samples[i];
		enough &= !counts.known[i] || row->samples[i] >= MIN_SAMPLES ||
			  !data_sampled(&t->page->p->file.events[i]);
	}
	sampled_metric(t->page->ms, t->metric, &counts, &value);
	if (enough && value.available)
		fprintf(t->f, "<td class=\"number%s\" data-v=\"%.6g\">%.3g</td>",
			!value.limit ? "" : value.limit->good ? " good" : " bad", value.value,
			value.value);
	else
		fputs("<td class=\"number\" data-v=\"-1\" title=\"too few samples\">-</td>", t->f);
}

static void print_row(const struct table *t, const struct function *row)
{
	const struct hist_opts *o = t->page->hist_opts;
	const struct profile *p = t->page->p;
	unsigned int i;
	double share;

	fputs("<tr", t->f);
	for (i = 0; t->page->slices && i < p->file.nr_events; i++) {
		if (row->of[i])
			slices_of_row(t->page->slices, row->of[i], i, t->f);
	}
	fputc('>', t->f);
	for (i = 0; i < p->file.nr_events; i++) {
		if (!p->nr[i])
			continue;
		share = percent(row->self[i], p->weight[i]);
		fprintf(t->f,
			"<td class=\"number share\" data-v=\"%llu\" style=\"--share:%.2f%%\">%s%.2f%%</td>",
			row->self[i], share, profile_mark(p, i), share);
		if (p->file.chains)
			fprintf(t->f, "<td class=\"number total\" data-v=\"%llu\">%s%.2f%%</td>",
				row->total[i], profile_mark(p, i),
				percent(row->total[i], p->weight[i]));
		fprintf(t->f, "<td class=\"number samples\" data-v=\"%llu\">%llu</td>",
			row->samples[i], row->samples[i]);
	}
	if (t->metric)
		print_metric(t, row);
	for (i = 0; i < o->nr_keys; i++) {
		fprintf(t->f, "<td class=\"%s\">", sort_name(o->keys[i]));
		if (o->keys[i] == SORT_SYMBOL && row->key.kernel)
			fputs("<i>[k]</i> ", t->f);
		print_xml(t->f, row->key.keys[i]);
		fputs("</td>", t->f);
	}
	fputs("</tr>\n", t->f);
}

static void print_sums(const struct table *t)
{
	const struct profile *p = t->page->p;
	char sum[256];
	unsigned int i;

	for (i = 0; i < p->file.nr_events; i++) {
		if (!profile_wants(p, i))
			continue;
		profile_sum(p, i, sum, sizeof(sum));
		fputs("<p>", t->f);
		print_xml(t->f, sum);
		fprintf(t->f, "%s%s%s%s</p>\n", *profile_few(p, i) ? ": " : "", profile_few(p, i),
			p->file.events[i].by_others ? "; " : "",
			p->file.events[i].by_others ? profile_others_text : "");
	}
}

void page_functions(const struct page *page, FILE *f)
{
	struct table t = { .page = page, .f = f };
	struct function *row, *next;

	sampled_all(&t.all, page->p);
	t.metric = find_metric(page->ms, &t.all);
	for (t.event = 0; t.event < page->p->file.nr_events; t.event++)
		histogram_each(page->hist, t.event, take_row, &t);
	HASH_SORT(t.functions, by_share);
	fputs("<section id=\"functions\">\n<h2>Functions</h2>\n", f);
	print_sums(&t);
	fprintf(f, "<div class=\"scroll\">\n<table class=\"%s\"",
		count_events(page->p) > 1 ? "several" : "one");
	for (t.event = 0; page->slices && t.event < page->p->file.nr_events; t.event++)
		slices_of_event(page->slices, t.event, f);
	fputs(">\n<tbody class=\"heads\">\n", f);
	print_events(&t);
	print_columns(&t);
	fputs("</tbody>\n<tbody class=\"rows\">\n", f);
	HASH_ITER(hh, t.functions, row, next) {
		if (row->most_total >= page->hist_opts->limit)
			print_row(&t, row);
	}
	fputs("</tbody>\n</table>\n</div>\n<p class=\"more\"></p>\n</section>\n", f);
	free_entries(t.functions);
}
