// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl import: convert a recording of Linux's perf to this tool's format */
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/print.h"
#include "json/text.h"
#include "import/import.h"
#include "record/writer.h"

#define CHUNK	(1U << 20)	/* approximate bytes of a chunk */

static const char *output = DATA_DEFAULT;

/* A sample's sort key, and its offset in @samples */
struct place_of_sample {
	unsigned long long time;
	unsigned int cpu;
	size_t at;
};

/**
 * struct import - a recording while it is converted
 * @p: perf's file
 * @samples: all samples, one after the other
 * @size: bytes of @samples
 * @room: room of @samples
 * @places: each sample
 * @nr: number of @places
 * @room_places: room of @places
 * @tasks: records of tasks
 * @tasks_size: bytes of @tasks
 * @tasks_room: room of @tasks
 * @to: the file that is written
 */
struct import {
	struct perf_file p;
	char *samples;
	size_t size;
	size_t room;
	struct place_of_sample *places;
	size_t nr;
	size_t room_places;
	char *tasks;
	size_t tasks_size;
	size_t tasks_room;
	struct data_writer to;
};

static const char * const usage[] = {
	"usage: knc-pmuctl import [OPTIONS] FILE",
	"",
	"Converts FILE, a recording of Linux's perf (perf.data), to a recording that report, script,",
	"diff and the others show: samples with call chains, threads and files.",
	NULL
};

static const struct opt options[] = {
	{ 'o', "output", "FILE", OUTPUT(&output), "write to FILE (default: knc.data)" },
	END_OF_OPTIONS
};

static void add_bytes(char **to, size_t *size, size_t *room, const void *from, size_t more)
{
	if (more > *room - *size) {
		*room = 2 * *room + more;
		*to = realloc(*to, *room);
		if (!*to)
			out_of_memory();
	}
	memcpy(*to + *size, from, more);
	*size += more;
}

static void take_sample(void *ctx, const struct knc_pmu_sample *sample)
{
	struct import *im = ctx;
	struct place_of_sample *place;

	im->places = xgrow(im->places, im->nr, &im->room_places, sizeof(*im->places));
	place = &im->places[im->nr++];
	place->time = sample->time;
	place->cpu = sample->record.cpu;
	place->at = im->size;
	add_bytes(&im->samples, &im->size, &im->room, sample, sample->record.size);
}

static void take_task(void *ctx, const struct data_task *task)
{
	struct import *im = ctx;

	add_bytes(&im->tasks, &im->tasks_size, &im->tasks_room, task, task->size);
}

/* Order by hardware thread, then by time; equal times keep perf's order */
static int compare(const void *a, const void *b)
{
	const struct place_of_sample *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static json_t *events_json(const struct perf_file *p)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < p->nr_events; i++) {
		int by_time = p->events[i].flags >> 10 & 1;
		json_int_t every = p->events[i].period & 0x7fffffffffffffffULL;

		/* 0 would mean that the event is not sampled */
		every = every ? : 1;
		json_array_append_new(array,
				      json_pack("{s:s, s:I, s:I}", "event", p->events[i].name,
						"period", by_time ? (json_int_t)0 : every,
						"freq", by_time ? every : (json_int_t)0));
	}
	return array;
}

static void find_times(const struct import *im, unsigned long long *first,
		       unsigned long long *last, struct kncpmu_cpus *cpus)
{
	size_t i;

	*first = im->nr ? ~0ULL : 0;
	*last = 0;
	for (i = 0; i < im->nr; i++) {
		if (im->places[i].time < *first)
			*first = im->places[i].time;
		if (im->places[i].time > *last)
			*last = im->places[i].time;
		kncpmu_cpus_set(cpus, im->places[i].cpu);
	}
}

static void put_info(struct import *im, unsigned long long first, const struct kncpmu_cpus *cpus)
{
	json_t *command = json_array_size(im->p.command) ? im->p.command : json_null();
	char list[4096];

	if (command == im->p.command)
		im->p.command = NULL;
	kncpmu_cpus_format(cpus, list, sizeof(list));
	writer_put_json(&im->to, DATA_INFO,
			json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:I, s:o, s:I}",
				  "schema", "knc-pmuctl-data/1", "program", "perf",
				  "host", im->p.host ? : "unknown",
				  "kernel", im->p.kernel ? : "unknown",
				  "command", command,
				  "cpus", list, "pmu", "perf", "started", "unknown",
				  "started_ns", (json_int_t)first, "events", events_json(&im->p),
				  "followed", (json_int_t)1));
}

static void put_samples(struct import *im)
{
	struct data_records head = { .cpu = 0 };
	const struct knc_pmu_sample *s;
	char *chunk = NULL;
	size_t i, size = 0, room = 0;

	for (i = 0; i < im->nr; i++) {
		if (size && (size >= CHUNK || im->places[i].cpu != head.cpu)) {
			writer_put(&im->to, DATA_RECORDS, &head, sizeof(head), chunk, size);
			size = 0;
		}
		head.cpu = im->places[i].cpu;
		s = (const void *)(im->samples + im->places[i].at);
		add_bytes(&chunk, &size, &room, s, s->record.size);
	}
	if (size)
		writer_put(&im->to, DATA_RECORDS, &head, sizeof(head), chunk, size);
	free(chunk);
}

static void put_tasks(struct import *im)
{
	const struct data_task *task;
	size_t at, from = 0;

	for (at = 0; at < im->tasks_size; at += task->size) {
		task = (const void *)(im->tasks + at);
		if (at - from >= CHUNK) {
			writer_put(&im->to, DATA_TASKS, NULL, 0, im->tasks + from, at - from);
			from = at;
		}
	}
	if (at > from)
		writer_put(&im->to, DATA_TASKS, NULL, 0, im->tasks + from, at - from);
}

static int write_all(struct import *im, unsigned long long lost)
{
	unsigned long long first, last;
	struct kncpmu_cpus cpus;

	memset(&cpus, 0, sizeof(cpus));
	find_times(im, &first, &last, &cpus);
	put_info(im, first, &cpus);
	put_tasks(im);
	put_samples(im);
	writer_put_json(&im->to, DATA_END,
			json_pack("{s:I, s:i, s:[{s:i, s:I}]}", "ended_ns", (json_int_t)last,
				  "status", 0, "rings", "cpu", 0, "lost", (json_int_t)lost));
	if (writer_close(&im->to))
		return cant_write(im->to.path, im->to.error, "-o");
	return writer_keep(&im->to);
}

static int import(struct import *im, const char *path)
{
	struct perf_visitor visitor = { .sample = take_sample, .task = take_task, .ctx = im };
	int status = perf_file_open(&im->p, path);

	if (!status)
		status = perf_read(&im->p, &visitor);
	if (status)
		return status;
	if (im->nr)
		qsort(im->places, im->nr, sizeof(*im->places), compare);
	status = writer_create(&im->to, output);
	if (!status)
		status = write_all(im, visitor.lost);
	if (!status)
		printf("%zu sample%s of %s are in %s\n", im->nr, plural_of(im->nr),
		       intern_text(path), intern_text(output));
	else
		writer_discard(&im->to);
	return status;
}

static int run_import(const struct command *cmd, int argc, char **argv)
{
	struct import im;
	int status;

	if (argc != 1)
		return usage_error(cmd, "name one file: the recording of perf");
	memset(&im, 0, sizeof(im));
	im.to.fd = -1;
	status = import(&im, argv[0]);
	perf_file_close(&im.p);
	free(im.samples);
	free(im.places);
	free(im.tasks);
	intern_free();
	return status;
}

const struct command import_command = {
	.name = "import",
	.summary = "convert a recording of Linux's perf",
	.usage = usage,
	.options = options,
	.operands = 1,
	.run = run_import,
};
