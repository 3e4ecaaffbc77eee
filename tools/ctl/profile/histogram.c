// SPDX-License-Identifier: GPL-2.0
/* Tables of events by symbol, file, thread etc. (report --sort) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/text.h"
#include "json/value.h"
#include "profile/histogram.h"
#include "profile/slices.h"

#define BAR		20
/* The widest column; a longer name shifts only the rest of its own row */
#define WIDEST		48

/* Percentages from which a row has a colour, as in perf */
#define HOT		5.0
#define WARM		0.5

static const char * const key_names[NR_SORT_KEYS] = {
	[SORT_SYMBOL] = "symbol",
	[SORT_DSO] = "dso",
	[SORT_COMM] = "comm",
	[SORT_PID] = "pid",
	[SORT_TID] = "tid",
	[SORT_CPU] = "cpu",
	[SORT_RANK] = "rank",
	[SORT_EVENT] = "event",
	[SORT_SRCLINE] = "srcline",
	[SORT_PARALLELISM] = "parallelism",
	[SORT_REGION] = "region",
};

/* The key of a row: addresses of unique objects, or numbers; in the order of --sort */
struct row_key {
	unsigned long long event;
	unsigned long long key[NR_SORT_KEYS];
};

#define ROW_KEY_SIZE(nr_keys)	(offsetof(struct row_key, key) + 8 * (nr_keys))

/**
 * struct row - a row
 * @key: the values that its samples have in common
 * @self: events of samples in it
 * @total: events of samples in it and in its callees
 * @samples: number of samples in it
 * @squares: sum of the squares of the events that these samples stand for
 * @last: number of the sample that was last added to @total
 * @ref: the slice of that sample
 * @hh: in a hash, by @key
 */
struct row {
	struct row_key key;
	unsigned long long self;
	unsigned long long total;
	unsigned long long samples;
	double squares;
	unsigned long long last;
	struct slice_last ref;
	UT_hash_handle hh;
};

/**
 * struct histogram - a table
 * @p: the profile
 * @opts: the command line
 * @rows: the rows
 * @nr_samples: number of samples
 * @by_frame: a sample may be in several rows, one for each frame
 * @by_place: the event and the place of a frame determine its row
 * @slices: sums of slices of time; NULL: not wanted
 */
struct histogram {
	const struct profile *p;
	const struct hist_opts *opts;
	struct row *rows;
	unsigned long long nr_samples;
	int by_frame;
	int by_place;
	struct slices *slices;
};

static int is_of_place(enum sort_key key)
{
	return key == SORT_SYMBOL || key == SORT_DSO || key == SORT_SRCLINE;
}

const char *sort_name(enum sort_key key)
{
	return key_names[key];
}

/* Find a key; as in perf short names are valid: sym, src */
static int find_key(const char *name, size_t length)
{
	int i, found = -1;

	for (i = 0; i < NR_SORT_KEYS; i++) {
		if (!length || strncmp(key_names[i], name, length))
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

int take_sort(const struct command *cmd, const struct opt *o, const char *text)
{
	struct hist_opts *opts = o->to;
	size_t length;
	unsigned int i;
	int key;

	opts->nr_keys = 0;
	while (1) {
		length = strcspn(text, ",");
		key = find_key(text, length);
		if (key < 0)
			return usage_error(cmd, "can't sort by '%.*s': there are %s", (int)length,
					   text, intern_list(key_names, NR_SORT_KEYS));
		for (i = 0; i < opts->nr_keys; i++) {
			if (opts->keys[i] == (enum sort_key)key)
				return usage_error(cmd, "'%.*s' is there twice: name it once",
						   (int)length, text);
		}
		opts->keys[opts->nr_keys++] = key;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

int hist_has_key(const struct hist_opts *opts, enum sort_key key)
{
	unsigned int i;

	for (i = 0; i < opts->nr_keys; i++) {
		if (opts->keys[i] == key)
			return 1;
	}
	return 0;
}

struct histogram *histogram_new(const struct profile *p, const struct hist_opts *opts)
{
	struct histogram *h = xalloc(1, sizeof(*h));
	unsigned int i;

	h->p = p;
	h->opts = opts;
	h->by_place = 1;
	for (i = 0; i < opts->nr_keys; i++) {
		h->by_frame |= is_of_place(opts->keys[i]);
		h->by_place &= is_of_place(opts->keys[i]) || opts->keys[i] == SORT_EVENT;
	}
	return h;
}

void histogram_free(struct histogram *h)
{
	free_entries(h->rows);
	free(h);
}

void histogram_slices(struct histogram *h, struct slices *slices)
{
	h->slices = slices;
}

static unsigned long long key_value(const struct profile *p, const struct sample *s,
				    enum sort_key key, struct place *place)
{
	switch (key) {
	case SORT_SYMBOL:
		return (unsigned long)place->row;
	case SORT_DSO:
		return (unsigned long)place->dso;
	case SORT_COMM:
		return (unsigned long)s->comm;
	case SORT_PID:
		return s->pid;
	case SORT_TID:
		return s->tid;
	case SORT_CPU:
		return s->cpu;
	case SORT_RANK:
		return s->rank;
	case SORT_SRCLINE:
		return (unsigned long)symbols_srcline(p->symbols, place);
	case SORT_PARALLELISM:
		return s->running;
	case SORT_REGION:
		return (unsigned long)s->region;
	case SORT_EVENT:
	case NR_SORT_KEYS:
		break;
	}
	return s->event;
}

static struct row *find_row(struct histogram *h, const struct sample *s,
			    struct place *place)
{
	unsigned int i, size = ROW_KEY_SIZE(h->opts->nr_keys);
	struct row_key key;
	struct row *row;

	key.event = s->event;
	for (i = 0; i < h->opts->nr_keys; i++)
		key.key[i] = key_value(h->p, s, h->opts->keys[i], place);
	HASH_FIND(hh, h->rows, &key, size, row);
	if (row)
		return row;
	row = xalloc(1, sizeof(*row));
	memcpy(&row->key, &key, size);
	HASH_ADD(hh, h->rows, key, size, row);
	return row;
}

static struct row *get_row(struct histogram *h, const struct sample *s,
			   struct place *place)
{
	void **known = &place->sums[s->event];

	if (!h->by_place)
		return find_row(h, s, place);
	if (!*known)
		*known = find_row(h, s, place);
	return *known;
}

/* Add the sample to the row's slice; @own: also to the row's own part */
static void add_slice(struct histogram *h, struct row *row, const struct sample *s, int own)
{
	struct slice *slice = slices_at(h->slices, row, s->time, &row->ref);

	slice->total += s->period;
	slice->self += own ? s->period : 0;
	slice->samples += own;
}

void histogram_add(struct histogram *h, const struct sample *s)
{
	unsigned int i, nr = h->by_frame ? s->nr : 1;
	struct row *row;

	h->nr_samples++;
	for (i = 0; i < nr; i++) {
		row = get_row(h, s, s->frames[i]);
		if (!i) {
			row->self += s->period;
			row->samples++;
			row->squares += (double)s->period * s->period;
		}
		/* a recursive function has several frames in one sample, which is added once */
		if (row->last == h->nr_samples)
			continue;
		row->last = h->nr_samples;
		row->total += s->period;
		if (h->slices)
			add_slice(h, row, s, !i);
	}
}

/*
 * The number of a task or hardware thread on its host, with the rank, because ranks share numbers
 */
static const char *with_rank(const struct histogram *h, unsigned int number, long long rank)
{
	unsigned int i;

	for (i = 0; i < h->opts->nr_keys; i++) {
		if (h->opts->keys[i] == SORT_RANK)
			return intern_format("%u", number);
	}
	return h->p->file.merged && rank >= 0 ? intern_format("%u (rank %lld)", number, rank) :
						intern_format("%u", number);
}

static const char *key_text(const struct histogram *h, const struct row *row,
			    unsigned int i)
{
	unsigned long long value = row->key.key[i];

	switch (h->opts->keys[i]) {
	case SORT_SYMBOL:
		return ((const struct label *)(unsigned long)value)->key.text;
	case SORT_DSO:
		return ((const struct dso *)(unsigned long)value)->short_name;
	case SORT_COMM:
		return (const char *)(unsigned long)value;
	case SORT_REGION:
		return value ? (const char *)(unsigned long)value : "-";
	case SORT_SRCLINE:
		return symbols_srcline_text(h->p->symbols,
					    (const struct srcline *)(unsigned long)value);
	case SORT_EVENT:
		return h->p->file.events[value].name;
	case SORT_PID:
	case SORT_TID:
		return with_rank(h, data_task_number(&h->p->file, value),
				 data_task_rank(&h->p->file, value));
	case SORT_CPU:
		return with_rank(h, data_cpu(value), data_rank_of(&h->p->file, value));
	case SORT_RANK:
		if (value == ~0ULL)
			return "none";
		break;
	case SORT_PARALLELISM:
	case NR_SORT_KEYS:
		break;
	}
	return intern_format("%llu", value);
}

/* Is column @i a symbol in the kernel? */
static int in_kernel(const struct histogram *h, const struct row *row,
		     unsigned int i)
{
	return h->opts->keys[i] == SORT_SYMBOL &&
	       ((const struct label *)(unsigned long)row->key.key[i])->key.kernel;
}

void histogram_each(const struct histogram *h, unsigned int event,
		    void (*fn)(void *ctx, const struct hist_row *row), void *ctx)
{
	struct row *row, *next;
	struct hist_row text;
	unsigned int i;

	HASH_ITER(hh, h->rows, row, next) {
		if (row->key.event != event)
			continue;
		memset(&text, 0, sizeof(text));
		for (i = 0; i < h->opts->nr_keys; i++) {
			text.keys[i] = intern_text(key_text(h, row, i));
			text.kernel |= in_kernel(h, row, i);
		}
		text.self = row->self;
		text.total = row->total;
		text.samples = row->samples;
		text.squares = row->squares;
		text.of = row;
		fn(ctx, &text);
	}
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct row *x = *(const struct row * const *)a;
	const struct row *y = *(const struct row * const *)b;
	const struct histogram *h = ctx;
	unsigned int i;
	int ret;

	if (h->opts->children && x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	for (i = 0; i < h->opts->nr_keys; i++) {
		ret = strcmp(key_text(h, x, i), key_text(h, y, i));
		if (ret)
			return ret;
	}
	return 0;
}

/* Sort the rows of an event that reach the percentage limit */
static struct row **sorted_rows(const struct histogram *h, unsigned int event,
				size_t *nr)
{
	struct row **rows, *row, *next;

	rows = xalloc(HASH_COUNT(h->rows), sizeof(*rows));
	*nr = 0;
	HASH_ITER(hh, h->rows, row, next) {
		if (row->key.event == event &&
		    percent(row->total, h->p->weight[event]) >= h->opts->limit)
			rows[(*nr)++] = row;
	}
	if (*nr)
		qsort_r(rows, *nr, sizeof(*rows), compare_rows, (void *)h);
	return rows;
}

static const char *colour(double share)
{
	return share >= HOT ? "\033[31m" : share >= WARM ? "\033[32m" : "";
}

static void print_bar(FILE *f, unsigned long long part, unsigned long long most)
{
	int n = most ? (int)((double)part / most * BAR + 0.5) : 0;

	fprintf(f, "  %.*s%*s", n, "####################", BAR - n, "");
}

static void print_share(const struct histogram *h, FILE *f, unsigned int event, double share)
{
	char text[16];

	snprintf(text, sizeof(text), "%s%.2f%%", profile_mark(h->p, event), share);
	fprintf(f, "%8s", text);
}

static void print_row(const struct histogram *h, FILE *f, const struct row *row,
		      unsigned long long most, const int *widths)
{
	unsigned long long whole = h->p->weight[row->key.event];
	int chains = h->p->file.chains && h->by_frame, tty = terminal_colours(f);
	double share = percent(row->self, whole);
	unsigned int i;

	fputs(tty ? colour(share) : "", f);
	print_share(h, f, row->key.event, share);
	fputs(tty && share >= WARM ? "\033[m" : "", f);
	if (chains) {
		fputc(' ', f);
		print_share(h, f, row->key.event, percent(row->total, whole));
	}
	if (profile_seconds(h->p, row->key.event, 0) >= 0)
		fprintf(f, " %12.6f", profile_seconds(h->p, row->key.event, row->self));
	if (h->opts->samples)
		fprintf(f, " %10llu", row->samples);
	print_bar(f, h->opts->children ? row->total : row->self, most);
	for (i = 0; i < h->opts->nr_keys; i++) {
		fputs("  ", f);
		if (h->opts->keys[i] == SORT_SYMBOL)
			fputs(in_kernel(h, row, i) ? "[k] " : "[.] ", f);
		if (i + 1 < h->opts->nr_keys)
			print_padded(f, key_text(h, row, i), widths[i]);
		else
			fputs(key_text(h, row, i), f);
	}
	fputc('\n', f);
}

static void print_names(const struct histogram *h, FILE *f, unsigned int event, const int *widths)
{
	int chains = h->p->file.chains && h->by_frame;
	unsigned int i;

	fprintf(f, "%8s", "self");
	if (chains)
		fprintf(f, " %8s", "total");
	if (profile_seconds(h->p, event, 0) >= 0)
		fprintf(f, " %12s", "seconds");
	if (h->opts->samples)
		fprintf(f, " %10s", "samples");
	fprintf(f, "  %*s", BAR, "");
	for (i = 0; i < h->opts->nr_keys; i++) {
		fputs("  ", f);
		if (h->opts->keys[i] == SORT_SYMBOL)
			fputs("    ", f);
		if (i + 1 < h->opts->nr_keys)
			print_padded(f, key_names[h->opts->keys[i]], widths[i]);
		else
			fputs(key_names[h->opts->keys[i]], f);
	}
	fputs("\n", f);
}

void histogram_print(struct histogram *h, FILE *f, unsigned int event)
{
	int widths[NR_SORT_KEYS], w;
	unsigned long long most = 0;
	struct row **rows;
	unsigned int i;
	size_t nr, n;

	rows = sorted_rows(h, event, &nr);
	for (i = 0; i < h->opts->nr_keys; i++) {
		widths[i] = strlen(key_names[h->opts->keys[i]]);
		for (n = 0; n < nr; n++) {
			w = text_width(key_text(h, rows[n], i));
			if (w > widths[i])
				widths[i] = w < WIDEST ? w : WIDEST;
		}
	}
	if (nr)
		most = h->opts->children ? rows[0]->total : rows[0]->self;
	print_names(h, f, event, widths);
	for (n = 0; n < nr; n++)
		print_row(h, f, rows[n], most, widths);
	free(rows);
}

static json_t *row_json(const struct histogram *h, const struct row *row)
{
	json_t *object = json_object();
	unsigned int i;

	for (i = 0; i < h->opts->nr_keys; i++)
		json_object_set_new(object, key_names[h->opts->keys[i]],
				    json_string(key_text(h, row, i)));
	json_object_set_new(object, "self", json_integer(row->self));
	json_object_set_new(object, "total", json_integer(row->total));
	json_object_set_new(object, "samples", json_integer(row->samples));
	if (profile_seconds(h->p, row->key.event, 0) >= 0)
		json_object_set_new(object, "seconds",
				    json_real(profile_seconds(h->p, row->key.event, row->self)));
	json_object_set_new(object, "self_percent",
			    json_real(percent(row->self, h->p->weight[row->key.event])));
	return object;
}

json_t *histogram_json(struct histogram *h, unsigned int event)
{
	json_t *array = json_array();
	struct row **rows;
	size_t nr, n;

	rows = sorted_rows(h, event, &nr);
	for (n = 0; n < nr; n++)
		json_array_append_new(array, row_json(h, rows[n]));
	free(rows);
	return array;
}
