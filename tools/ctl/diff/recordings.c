// SPDX-License-Identifier: GPL-2.0
/* The functions of two recordings, side by side */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/print.h"
#include "diff/diff.h"

/* Chance may explain a difference of up to this many standard errors (table.c says "two") */
#define CHANCE_ERRORS	2

/**
 * struct comparison - two recordings
 * @o: the command line
 * @opts: the options of each
 * @p: the recordings
 * @hist: their tables
 * @stacks: their stacks, by event
 * @events: what they have in common
 * @nr_events: number of these
 */
struct comparison {
	const struct diff_opts *o;
	struct profile_opts opts[NR_SIDES];
	struct profile p[NR_SIDES];
	struct histogram *hist[NR_SIDES];
	struct stacks stacks[NR_SIDES][DATA_EVENTS];
	struct diff_event events[DATA_EVENTS];
	unsigned int nr_events;
};

/* A walk over one of the two recordings */
struct side_walk {
	struct comparison *c;
	enum side side;
};

static void take_sample(void *ctx, const struct sample *s)
{
	struct side_walk *w = ctx;
	struct comparison *c = w->c;
	struct node *ends[NR_VIEWS];

	histogram_add(c->hist[w->side], s);
	if (c->o->flamegraph)
		stacks_add(&c->stacks[w->side][s->event], c->p[w->side].symbols, s, 1, ends);
}

static int read_side(struct comparison *c, enum side side)
{
	static const struct profile_visitor visitor = { .sample = take_sample };
	struct side_walk w = { .c = c, .side = side };
	int status;

	c->opts[side] = c->o->common;
	c->opts[side].parallelism = hist_has_key(&c->o->hist, SORT_PARALLELISM);
	c->opts[side].regions = hist_has_key(&c->o->hist, SORT_REGION);
	c->opts[side].input = c->o->path[side];
	status = profile_open(&c->p[side], &c->opts[side], c->o->fd[side]);
	if (status)
		return status;
	c->hist[side] = histogram_new(&c->p[side], &c->o->hist);
	return profile_walk(&c->p[side], &visitor, &w);
}

/* The event of this name that has samples, or -1 */
static int find_event(const struct profile *p, const char *name)
{
	unsigned int i;

	for (i = 0; i < p->file.nr_events; i++) {
		if (data_sampled(&p->file.events[i]) && !strcmp(p->file.events[i].name, name))
			return i;
	}
	return -1;
}

static int pair_events(struct comparison *c)
{
	const struct profile *old = &c->p[OLD], *new = &c->p[NEW];
	struct diff_event *e;
	unsigned int i;
	int other;

	for (i = 0; i < new->file.nr_events; i++) {
		other = find_event(old, new->file.events[i].name);
		if (other < 0 || find_event(new, new->file.events[i].name) != (int)i ||
		    !profile_wants(new, i))
			continue;
		e = &c->events[c->nr_events++];
		e->name = new->file.events[i].name;
		e->index[OLD] = other;
		e->index[NEW] = i;
		e->all[OLD] = old->weight[other];
		e->all[NEW] = new->weight[i];
		e->samples[OLD] = old->nr[other];
		e->samples[NEW] = new->nr[i];
		e->all_samples[OLD] = old->all_nr[other];
		e->all_samples[NEW] = new->all_nr[i];
		e->filtered = profile_has_filter(new);
	}
	if (c->nr_events)
		return CTL_OK;
	return complain("%s and %s have samples of no event in common: %s has %s, %s has %s",
			c->o->path[OLD], c->o->path[NEW], c->o->path[OLD],
			old->file.events[0].name, c->o->path[NEW], new->file.events[0].name);
}

/* Where take_row() adds the rows of one recording */
struct row_sink {
	struct diff_event *e;
	enum side side;
};

static void take_row(void *ctx, const struct hist_row *from)
{
	struct row_sink *sink = ctx;
	struct diff_row key, *row;

	if (!from->samples)
		return;
	memset(&key.key, 0, sizeof(key.key));
	memcpy(key.key.text, from->keys, sizeof(key.key.text));
	key.key.kernel = from->kernel;
	HASH_FIND(hh, sink->e->rows, &key.key, sizeof(key.key), row);
	if (!row) {
		row = xalloc(1, sizeof(*row));
		row->key = key.key;
		HASH_ADD(hh, sink->e->rows, key, sizeof(row->key), row);
	}
	row->self[sink->side] += from->self;
	row->squares[sink->side] += from->squares;
}

/*
 * The square of a share's standard error. Samples are taken by chance, each with the weight of the
 * events that it stands for. @squares: sum of the squared weights of all samples
 */
static double error_square(const struct diff_event *e, const struct diff_row *row,
			   enum side side, double squares)
{
	double all = e->all[side], share = all ? row->self[side] / all : 0;

	if (!all)
		return 0;
	return (row->squares[side] * (1 - 2 * share) + squares * share * share) / (all * all);
}

static void complete_rows(struct diff_event *e)
{
	double squares[NR_SIDES] = { 0 }, error;
	struct diff_row *row, *next;
	int side;

	HASH_ITER(hh, e->rows, row, next) {
		for (side = 0; side < NR_SIDES; side++)
			squares[side] += row->squares[side];
	}
	HASH_ITER(hh, e->rows, row, next) {
		error = 0;
		for (side = 0; side < NR_SIDES; side++) {
			row->share[side] = percent(row->self[side], e->all[side]);
			error += error_square(e, row, side, squares[side]);
		}
		/* rounding may make @error negative if a row has nearly all events */
		row->chance = error > 0 ? 100 * CHANCE_ERRORS * sqrt(error) : 0;
	}
}

static void pair_rows(struct comparison *c)
{
	struct row_sink sink;
	unsigned int i;
	int side;

	for (i = 0; i < c->nr_events; i++) {
		sink.e = &c->events[i];
		for (side = 0; side < NR_SIDES; side++) {
			sink.side = side;
			histogram_each(c->hist[side], sink.e->index[side], take_row, &sink);
		}
		complete_rows(sink.e);
	}
}

/* The event of the flame graph: the first one with samples in both */
static const struct diff_event *one_event(const struct comparison *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++) {
		if (c->events[i].samples[OLD] && c->events[i].samples[NEW])
			return &c->events[i];
	}
	return &c->events[0];
}

static int write_flamegraph(struct comparison *c)
{
	const struct diff_event *e = one_event(c);
	struct stacks *old = &c->stacks[OLD][e->index[OLD]];
	struct stacks *new = &c->stacks[NEW][e->index[NEW]];
	const char *title = c->o->title;
	struct flamegraph graph = {
		.p = &c->p[NEW],
		.event = e->index[NEW],
		.stacks = new,
		.old = old,
	};
	FILE *f = fopen(c->o->flamegraph, "we");

	if (!f)
		return cant_write(c->o->flamegraph, errno, "--flamegraph");
	if (!title)
		title = intern_format("%s to %s", c->o->path[OLD], c->o->path[NEW]);
	graph.title = intern_text(title);
	stacks_sort(old);
	stacks_sort(new);
	flamegraph_write(&graph, f);
	return close_output(f, c->o->flamegraph);
}

static void print_json_of(const struct comparison *c)
{
	json_t *events = json_array();
	unsigned int i;

	for (i = 0; i < c->nr_events; i++)
		json_array_append_new(events, diff_json(&c->events[i], c->o));
	print_json(stdout, json_pack("{s:s, s:o, s:o, s:o}", "schema", "knc-pmuctl-diff/1",
				     "old", text_json(c->o->path[OLD]),
				     "new", text_json(c->o->path[NEW]), "events", events),
		   JSON_INDENT(1));
}

static void print_tables(const struct comparison *c)
{
	unsigned int i;
	int side;

	/* print numbers as stat does; undone below, because a flame graph may follow */
	setlocale(LC_NUMERIC, "");
	for (side = 0; side < NR_SIDES; side++)
		printf("%-10s%s: %s\n", side == OLD ? "old" : "new",
		       intern_text(c->o->path[side]), profile_title(&c->p[side]));
	for (i = 0; i < c->nr_events; i++)
		diff_table(&c->events[i], c->o, stdout);
	setlocale(LC_NUMERIC, "C");
}

static int show(struct comparison *c)
{
	const struct diff_opts *o = c->o;
	unsigned int i;

	if (o->flamegraph && !o->json && !o->csv)
		return write_flamegraph(c);
	if (o->json)
		print_json_of(c);
	for (i = 0; o->csv && i < c->nr_events; i++)
		diff_csv(&c->events[i], o, stdout);
	if (!o->json && !o->csv)
		print_tables(c);
	return o->flamegraph ? write_flamegraph(c) : CTL_OK;
}

static void warn_of_losses(const struct comparison *c)
{
	char text[256];
	unsigned int i;
	int side;

	for (i = 0; i < c->nr_events; i++) {
		for (side = 0; side < NR_SIDES; side++) {
			profile_missing(&c->p[side], c->events[i].index[side], text, sizeof(text));
			if (*text)
				complain("warning: %s is not complete, %s: %s", c->o->path[side],
					 c->events[i].name, text);
		}
	}
}

static void close_sides(struct comparison *c)
{
	unsigned int i;
	int side;

	for (i = 0; i < c->nr_events; i++)
		free_entries(c->events[i].rows);
	for (side = 0; side < NR_SIDES; side++) {
		for (i = 0; i < DATA_EVENTS; i++)
			stacks_free(&c->stacks[side][i]);
		if (c->hist[side])
			histogram_free(c->hist[side]);
		/* a recording without options was never opened */
		if (c->p[side].opts)
			profile_close(&c->p[side]);
	}
}

int diff_recordings(const struct diff_opts *o)
{
	struct comparison *c = xalloc(1, sizeof(*c));
	int status;

	c->o = o;
	status = read_side(c, OLD);
	if (!status)
		status = read_side(c, NEW);
	if (!status)
		status = pair_events(c);
	if (!status) {
		warn_of_losses(c);
		symbols_agree(c->p[OLD].symbols, c->p[NEW].symbols);
		pair_rows(c);
		status = show(c);
	}
	if (!status)
		status = profile_status(&c->p[OLD]) ? : profile_status(&c->p[NEW]);
	close_sides(c);
	free(c);
	return status;
}
