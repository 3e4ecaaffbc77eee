// SPDX-License-Identifier: GPL-2.0
/*
 * Files for the Firefox Profiler: docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler.
 * It writes version 47 of the format, which all later versions of the Profiler read.
 *
 * A thread has its own tables. Each is printed column by column, after the last sample.
 */
#include <stdlib.h>

#include "cli/json.h"
#include "export/export.h"
#include "export/numbered.h"

/**
 * struct stack - a frame and the frames that called it
 * @key: @prefix: number of the callers' stack, negative: none; @frame: number of the frame
 * @number: number of this stack
 * @hh: in a hash, by @key, in the order of numbers
 */
struct stack {
	struct {
		int prefix;
		int frame;
	} key;
	int number;
	UT_hash_handle hh;
};

/**
 * struct moment - a sample
 * @time: CLOCK_MONOTONIC, ns
 * @period: number of events it stands for
 * @stack: number of its stack
 */
struct moment {
	unsigned long long time;
	unsigned long long period;
	int stack;
};

/**
 * struct track - samples of an event in a thread
 * @key: the event and the thread
 * @pid: process
 * @comm: name of the thread
 * @texts: texts that the tables refer to
 * @files: files
 * @functions: functions, or files without names
 * @frames: places
 * @stacks: stacks
 * @moments: samples
 * @nr: number of @moments
 * @room: elements of @moments
 * @hh: in a hash, by @key, in the order of their first samples
 */
struct track {
	struct {
		unsigned int event;
		unsigned int tid;
	} key;
	unsigned int pid;
	const char *comm;
	struct numbered *texts;
	struct numbered *files;
	struct numbered *functions;
	struct numbered *frames;
	struct stack *stacks;
	struct moment *moments;
	size_t nr;
	size_t room;
	UT_hash_handle hh;
};

/**
 * struct firefox - a file that will be written
 * @p: the recording
 * @f: the file
 * @tracks: its tracks, each a thread and an event
 */
struct firefox {
	struct profile *p;
	FILE *f;
	struct track *tracks;
};

/**
 * struct column - a column of a table
 * @name: its name
 * @same: its value if all rows have the same; NULL: @put prints it
 * @put: prints the value of a row
 */
struct column {
	const char *name;
	const char *same;
	void (*put)(struct firefox *x, const struct track *t, const struct numbered *item);
};

/* The number of @what, which must be in the table already */
static unsigned int find_number(struct numbered *all, const void *what)
{
	struct numbered *found;

	HASH_FIND_PTR(all, &what, found);
	return found->number;
}

static const char *source_of(struct firefox *x, struct place *place)
{
	const struct srcline *line = symbols_srcline(x->p->symbols, place);

	return line->text ? NULL : line->key.path;
}

static int frame_number(struct firefox *x, struct track *t, struct place *place)
{
	const char *source;
	unsigned int number;
	int fresh;

	number = number_of(&t->frames, place, place, &fresh);
	if (!fresh)
		return number;
	number_of(&t->functions, numbered_function(place), place, &fresh);
	number_of(&t->files, place->dso, place, &fresh);
	number_of(&t->texts, numbered_function_name(place), NULL, &fresh);
	number_of(&t->texts, place->dso->name, NULL, &fresh);
	source = source_of(x, place);
	if (source)
		number_of(&t->texts, source, NULL, &fresh);
	return number;
}

static int stack_number(struct track *t, int prefix, int frame)
{
	struct stack key = { .key = { prefix, frame } }, *found;

	HASH_FIND(hh, t->stacks, &key.key, sizeof(key.key), found);
	if (found)
		return found->number;
	found = xalloc(1, sizeof(*found));
	found->key = key.key;
	found->number = HASH_COUNT(t->stacks);
	HASH_ADD(hh, t->stacks, key, sizeof(found->key), found);
	return found->number;
}

static struct track *track_of(struct firefox *x, const struct sample *s)
{
	struct track key = { .key = { s->event, s->tid } }, *t;

	HASH_FIND(hh, x->tracks, &key.key, sizeof(key.key), t);
	if (t)
		return t;
	t = xalloc(1, sizeof(*t));
	t->key = key.key;
	t->pid = s->pid;
	HASH_ADD(hh, x->tracks, key, sizeof(t->key), t);
	return t;
}

static void take_sample(struct target *target, const struct sample *s)
{
	struct firefox *x = target->own;
	struct track *t = track_of(x, s);
	struct moment *moment;
	int stack = -1;
	unsigned int i;

	for (i = s->nr; i-- > 0;)
		stack = stack_number(t, stack, frame_number(x, t, s->frames[i]));
	/* the format has one name for a thread: use the last; if empty ":TID", as script does */
	t->comm = *s->comm ? s->comm :
		  intern_format(":%u", data_task_number(&x->p->file, s->tid));
	if (x->p->file.merged)
		t->comm = intern_format("%s (rank %lld)", t->comm, s->rank);
	t->moments = xgrow(t->moments, t->nr, &t->room, sizeof(*t->moments));
	moment = &t->moments[t->nr++];
	moment->time = s->time;
	moment->period = s->period;
	moment->stack = stack;
}

static void put_text_number(struct firefox *x, const struct track *t, const char *text)
{
	fprintf(x->f, "%u", find_number(t->texts, text));
}

static void put_text(struct firefox *x, const struct track *t, const struct numbered *item)
{
	(void)t;
	put_json_text(x->f, item->what);
}

static void put_file_name(struct firefox *x, const struct track *t, const struct numbered *item)
{
	put_text_number(x, t, item->place->dso->name);
}

static void put_file(struct firefox *x, const struct track *t, const struct numbered *item)
{
	fprintf(x->f, "%u", find_number(t->files, item->place->dso));
}

static void put_function_name(struct firefox *x, const struct track *t, const struct numbered *item)
{
	put_text_number(x, t, numbered_function_name(item->place));
}

static void put_source(struct firefox *x, const struct track *t, const struct numbered *item)
{
	const char *source = source_of(x, item->place);

	if (source)
		put_text_number(x, t, source);
	else
		fputs("null", x->f);
}

static void put_line(struct firefox *x, const struct track *t, const struct numbered *item)
{
	const struct srcline *line = symbols_srcline(x->p->symbols, item->place);

	(void)t;
	if (line->key.line)
		fprintf(x->f, "%llu", line->key.line);
	else
		fputs("null", x->f);
}

static void put_function(struct firefox *x, const struct track *t, const struct numbered *item)
{
	fprintf(x->f, "%u", find_number(t->functions, numbered_function(item->place)));
}

static void put_address(struct firefox *x, const struct track *t, const struct numbered *item)
{
	(void)t;
	fprintf(x->f, "%llu", item->place->addr);
}

/* The index in meta.categories: 1 is the kernel, 0 user code */
static void put_category(struct firefox *x, const struct track *t, const struct numbered *item)
{
	(void)t;
	fputc(item->place->row->key.kernel ? '1' : '0', x->f);
}

static void put_column(struct firefox *x, const struct track *t, const struct numbered *items,
		       const struct column *column)
{
	const struct numbered *item;

	fprintf(x->f, ",\n\"%s\":[", column->name);
	for (item = items; item; item = item->hh.next) {
		if (item != items)
			fputc(',', x->f);
		if (column->same)
			fputs(column->same, x->f);
		else
			column->put(x, t, item);
	}
	fputc(']', x->f);
}

static void put_table(struct firefox *x, const struct track *t, const char *name,
		      const struct numbered *items, const struct column *columns)
{
	fprintf(x->f, "\"%s\":{\"length\":%u", name, HASH_COUNT(items));
	for (; columns->name; columns++)
		put_column(x, t, items, columns);
	fputs("},\n", x->f);
}

static const struct column resource_columns[] = {
	{ "lib", "null", NULL },
	{ "name", NULL, put_file_name },
	{ "host", "null", NULL },
	/* the type 1 is a library */
	{ "type", "1", NULL },
	{ NULL, NULL, NULL }
};

static const struct column function_columns[] = {
	{ "name", NULL, put_function_name },
	{ "isJS", "false", NULL },
	{ "relevantForJS", "false", NULL },
	{ "resource", NULL, put_file },
	{ "fileName", NULL, put_source },
	{ "lineNumber", "null", NULL },
	{ "columnNumber", "null", NULL },
	{ NULL, NULL, NULL }
};

static const struct column frame_columns[] = {
	{ "address", NULL, put_address },
	{ "inlineDepth", "0", NULL },
	{ "category", NULL, put_category },
	{ "subcategory", "0", NULL },
	{ "func", NULL, put_function },
	{ "nativeSymbol", "null", NULL },
	{ "innerWindowID", "null", NULL },
	{ "implementation", "null", NULL },
	{ "line", NULL, put_line },
	{ "column", "null", NULL },
	{ NULL, NULL, NULL }
};

static void put_stacks(struct firefox *x, const struct track *t)
{
	const struct stack *s;

	fprintf(x->f, "\"stackTable\":{\"length\":%u,\n\"frame\":[", HASH_COUNT(t->stacks));
	for (s = t->stacks; s; s = s->hh.next)
		fprintf(x->f, "%s%d", s == t->stacks ? "" : ",", s->key.frame);
	fputs("],\n\"prefix\":[", x->f);
	for (s = t->stacks; s; s = s->hh.next) {
		if (s != t->stacks)
			fputc(',', x->f);
		if (s->key.prefix < 0)
			fputs("null", x->f);
		else
			fprintf(x->f, "%d", s->key.prefix);
	}
	fputs("]},\n", x->f);
}

static void put_samples(struct firefox *x, const struct track *t)
{
	unsigned long long started = x->p->file.started;
	size_t i;

	fprintf(x->f, "\"samples\":{\"length\":%zu,\"weightType\":\"samples\",\n", t->nr);
	fputs("\"stack\":[", x->f);
	for (i = 0; i < t->nr; i++)
		fprintf(x->f, "%s%d", i ? "," : "", t->moments[i].stack);
	fputs("],\n\"time\":[", x->f);
	for (i = 0; i < t->nr; i++)
		fprintf(x->f, "%s%.6f", i ? "," : "",
			((double)t->moments[i].time - (double)started) / 1e6);
	fputs("],\n\"weight\":[", x->f);
	for (i = 0; i < t->nr; i++)
		fprintf(x->f, "%s%llu", i ? "," : "", t->moments[i].period);
	fputs("]},\n", x->f);
}

static const struct column text_column = { "stringArray", NULL, put_text };

/* The fields that are the same for all threads */
static const char thread_begins[] =
	"{\"processType\":\"default\",\"processStartupTime\":0,\n"
	"\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\n"
	"\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],\n"
	"\"name\":[],\"phase\":[],\"startTime\":[]},\n"
	"\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\n"
	"\"libIndex\":[],\"name\":[]},\n"
	"\"name\":";

/* "meta" without "product" and "startTime", and the text from there to the threads */
static const char meta_goes_on[] =
	",\"interval\":1,\"processType\":0,\"stackwalk\":1,\n"
	"\"version\":24,\"preprocessedProfileVersion\":47,\"symbolicated\":true,\n"
	"\"categories\":[\n"
	"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},\n"
	"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}],\n"
	"\"markerSchema\":[],\n"
	"\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]}},\n"
	"\"libs\":[],\"pages\":[],\"counters\":[],\n"
	"\"threads\":[";

static void put_track(struct firefox *x, const struct track *t)
{
	const char *event = x->p->file.events[t->key.event].name;
	int only = x->p->file.nr_events == 1;

	fputs(thread_begins, x->f);
	put_json_text(x->f, only ? t->comm : intern_format("%s, %s", t->comm, event));
	fprintf(x->f, ",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":%u,\n",
		t->pid == t->key.tid ? "true" : "false", t->pid, t->key.tid);
	put_table(x, t, "resourceTable", t->files, resource_columns);
	put_table(x, t, "funcTable", t->functions, function_columns);
	put_table(x, t, "frameTable", t->frames, frame_columns);
	put_stacks(x, t);
	put_samples(x, t);
	fprintf(x->f, "\"processShutdownTime\":null");
	put_column(x, t, t->texts, &text_column);
	fputc('}', x->f);
}

static void begin(struct target *target)
{
	struct firefox *x = xalloc(1, sizeof(*x));

	target->own = x;
	x->p = target->p;
	x->f = target->f;
}

static int finish(struct target *target)
{
	struct firefox *x = target->own;
	const struct track *t;

	fputs("{\"meta\":{\"product\":", x->f);
	put_json_text(x->f, profile_title(x->p));
	fprintf(x->f, ",\"startTime\":%.3f,\"importedFrom\":\"%s %s\"",
		target_started_ns(target) / 1e6, PROGRAM, kncpmu_version());
	fputs(meta_goes_on, x->f);
	for (t = x->tracks; t; t = t->hh.next) {
		fputs(t == x->tracks ? "\n" : ",\n", x->f);
		put_track(x, t);
	}
	fputs("]}\n", x->f);
	target_tell_unsampled(target);
	return 0;
}

static void end(struct target *target)
{
	struct firefox *x = target->own;
	struct track *t, *next;

	HASH_ITER(hh, x->tracks, t, next) {
		HASH_DEL(x->tracks, t);
		free_entries(t->texts);
		free_entries(t->files);
		free_entries(t->functions);
		free_entries(t->frames);
		free_entries(t->stacks);
		free(t->moments);
		free(t);
	}
	free(x);
}

const struct format firefox_format = {
	.option = "--firefox",
	.begin = begin,
	.sample = take_sample,
	.finish = finish,
	.end = end,
};
