// SPDX-License-Identifier: GPL-2.0
/*
 * Files for pprof: https://github.com/google/pprof/blob/main/proto/profile.proto
 *
 * The texts, functions and places of a sample may stand anywhere in the file: each is written
 * before the first sample that needs it. Memory has only their numbers.
 */
#include <stdlib.h>

#include "cli/text.h"
#include "export/export.h"
#include "export/gzip.h"
#include "export/numbered.h"
#include "export/protobuf.h"

/* Fields of a profile */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	MAPPING = 3,
	LOCATION = 4,
	FUNCTION = 5,
	STRING_TABLE = 6,
	TIME_NANOS = 9,
	DURATION_NANOS = 10,
	PERIOD_TYPE = 11,
	PERIOD = 12,
	COMMENT = 13,
	DEFAULT_SAMPLE_TYPE = 14
};

static const char * const labels[] = { "thread", "pid", "tid", "cpu", "rank" };

/**
 * struct pprof - a file that is being written
 * @p: the recording
 * @out: the file
 * @texts: numbers of texts
 * @files: numbers of files
 * @functions: numbers of functions
 * @places: numbers of places
 * @keys: numbers of the labels' names
 * @field: buffer for a field of the profile
 * @message: buffer for the message in @field
 * @inner: buffer for a message inside of @message
 */
struct pprof {
	struct profile *p;
	struct gzip out;
	struct numbered *texts;
	struct numbered *files;
	struct numbered *functions;
	struct numbered *places;
	unsigned long long keys[ARRAY_SIZE(labels)];
	struct bytes field;
	struct bytes message;
	struct bytes inner;
};

/* Write @message as a field of the profile */
static void write_message(struct pprof *x, unsigned int field, struct bytes *message)
{
	put_message(&x->field, field, message);
	gzip_put(&x->out, x->field.data, x->field.nr);
	x->field.nr = 0;
}

static void write_number(struct pprof *x, unsigned int field, unsigned long long value)
{
	put_number_field(&x->field, field, value);
	gzip_put(&x->out, x->field.data, x->field.nr);
	x->field.nr = 0;
}

/* The number of a text; intern() makes equal texts one address */
static unsigned long long text_number(struct pprof *x, const char *text)
{
	unsigned long long number;
	int fresh;

	number = number_of(&x->texts, text, NULL, &fresh);
	if (!fresh)
		return number;
	put_bytes_field(&x->field, STRING_TABLE, text, strlen(text));
	gzip_put(&x->out, x->field.data, x->field.nr);
	x->field.nr = 0;
	return number;
}

static const char *id_text(const struct dso *dso)
{
	const char *text = "";
	unsigned int i;

	for (i = 0; i < dso->build_id_size; i++)
		text = intern_format("%s%02x", text, dso->build_id[i]);
	return intern_text(text);
}

static unsigned long long file_number(struct pprof *x, const struct dso *dso)
{
	unsigned long long number, name, id;
	int fresh;

	number = 1 + number_of(&x->files, dso, NULL, &fresh);
	if (!fresh)
		return number;
	name = text_number(x, intern_text(dso->name));
	id = text_number(x, id_text(dso));
	put_number_field(&x->inner, 1, number);
	put_number_field(&x->inner, 5, name);
	put_number_field(&x->inner, 6, id);
	/* has_functions, has_filenames, has_line_numbers: pprof then does not search for symbols */
	put_number_field(&x->inner, 7, 1);
	put_number_field(&x->inner, 8, 1);
	put_number_field(&x->inner, 9, 1);
	write_message(x, MAPPING, &x->inner);
	return number;
}

static unsigned long long function_number(struct pprof *x, const struct place *place,
					  const struct srcline *line)
{
	unsigned long long number, name, path;
	int fresh;

	/* always give a function: speedscope drops frames without one */
	number = 1 + number_of(&x->functions, numbered_function(place), NULL, &fresh);
	if (!fresh)
		return number;
	name = text_number(x, numbered_function_name(place));
	path = text_number(x, line->text ? intern_text("") : line->key.path);
	put_number_field(&x->inner, 1, number);
	put_number_field(&x->inner, 2, name);
	put_number_field(&x->inner, 3, name);
	put_number_field(&x->inner, 4, path);
	write_message(x, FUNCTION, &x->inner);
	return number;
}

static unsigned long long place_number(struct pprof *x, struct place *place)
{
	unsigned long long number, file, function;
	const struct srcline *line;
	int fresh;

	number = 1 + number_of(&x->places, place, NULL, &fresh);
	if (!fresh)
		return number;
	file = file_number(x, place->dso);
	put_number_field(&x->message, 1, number);
	put_number_field(&x->message, 2, file);
	put_number_field(&x->message, 3, place->addr);
	line = symbols_srcline(x->p->symbols, place);
	function = function_number(x, place, line);
	put_number_field(&x->inner, 1, function);
	put_number_field(&x->inner, 2, line->key.line);
	put_message(&x->message, 4, &x->inner);
	write_message(x, LOCATION, &x->message);
	return number;
}

static void put_label(struct pprof *x, unsigned long long key, unsigned long long text,
		      unsigned long long number)
{
	put_number_field(&x->inner, 1, key);
	put_number_field(&x->inner, 2, text);
	put_number_field(&x->inner, 3, number);
	put_message(&x->message, 3, &x->inner);
}

/* Labels for the sample's task, hardware thread and rank, with the numbers of its host */
static void put_labels(struct pprof *x, const struct sample *s)
{
	put_label(x, x->keys[0], text_number(x, s->comm), 0);
	put_label(x, x->keys[1], 0, data_task_number(&x->p->file, s->pid));
	put_label(x, x->keys[2], 0, data_task_number(&x->p->file, s->tid));
	put_label(x, x->keys[3], 0, data_cpu(s->cpu));
	if (s->rank >= 0)
		put_label(x, x->keys[4], 0, s->rank);
}

static void take_sample(struct target *t, const struct sample *s)
{
	unsigned long long numbers[SAMPLE_FRAMES];
	struct pprof *x = t->own;
	unsigned int i;

	/* a message can't be begun inside of another: write new places before the sample */
	for (i = 0; i < s->nr; i++)
		numbers[i] = place_number(x, s->frames[i]);
	for (i = 0; i < s->nr; i++)
		put_varint(&x->inner, numbers[i]);
	put_message(&x->message, 1, &x->inner);
	for (i = 0; i < x->p->file.nr_events; i++)
		put_varint(&x->inner, i == s->event ? s->period : 0);
	put_message(&x->message, 2, &x->inner);
	put_labels(x, s);
	write_message(x, SAMPLE, &x->message);
}

/* The type of a sample's values: the event, and its unit */
static void write_type(struct pprof *x, unsigned int field, unsigned int event)
{
	unsigned long long name = text_number(x, intern_text(x->p->file.events[event].name));
	unsigned long long unit = text_number(x, intern_text(x->p->file.events[event].off_cpu ?
						       "nanoseconds" : "count"));

	put_number_field(&x->message, 1, name);
	put_number_field(&x->message, 2, unit);
	write_message(x, field, &x->message);
}

static void write_comment(void *ctx, const char *what, const char *text)
{
	struct pprof *x = ctx;

	write_number(x, COMMENT, text_number(x, intern_format("%s: %s", what, text)));
}

static void begin(struct target *t)
{
	struct pprof *x = xalloc(1, sizeof(*x));
	const struct data_file *f = &t->p->file;
	unsigned long long ended = data_ended(f);
	unsigned int i;

	t->own = x;
	x->p = t->p;
	gzip_begin(&x->out, t->f);
	text_number(x, intern_text(""));
	for (i = 0; i < ARRAY_SIZE(labels); i++)
		x->keys[i] = text_number(x, intern_text(labels[i]));
	for (i = 0; i < f->nr_events; i++)
		write_type(x, SAMPLE_TYPE, i);
	write_type(x, PERIOD_TYPE, 0);
	write_number(x, PERIOD, f->events[0].period);
	write_number(x, TIME_NANOS, target_started_ns(t));
	write_number(x, DURATION_NANOS, ended > f->started ? ended - f->started : 0);
	profile_heading_lines(t->p, write_comment, x);
}

static int finish(struct target *t)
{
	struct pprof *x = t->own;
	unsigned int i, chosen = 0;

	/* pprof shows this one at first: the first event that has samples */
	for (i = x->p->file.nr_events; i-- > 0;) {
		if (x->p->nr[i])
			chosen = i;
	}
	write_number(x, DEFAULT_SAMPLE_TYPE,
		     text_number(x, intern_text(x->p->file.events[chosen].name)));
	gzip_end(&x->out);
	return 0;
}

static void end(struct target *t)
{
	struct pprof *x = t->own;

	free_entries(x->texts);
	free_entries(x->files);
	free_entries(x->functions);
	free_entries(x->places);
	free(x->field.data);
	free(x->message.data);
	free(x->inner.data);
	free(x);
}

const struct format pprof_format = {
	.option = "--pprof",
	.begin = begin,
	.sample = take_sample,
	.finish = finish,
	.end = end,
};
