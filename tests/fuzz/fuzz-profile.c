// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer (libFuzzer) of the reader of data files: any bytes are read, summed up and
 * shown in every way. The worst result may be a message, and no output may have
 * characters that a terminal obeys.
 *
 * Checksums are corrected first: otherwise the code after their check would not be reached.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "profile/annotate.h"
#include "profile/histogram.h"
#include "profile/pictures.h"
#include "profile/timeline.h"

/* The whole output for an input */
static FILE *out;

/* The fuzzer would print nothing but messages */
int complain(const char *fmt, ...)
{
	(void)fmt;
	return CTL_FAILED;
}

int usage_error(const struct command *cmd, const char *fmt, ...)
{
	(void)cmd;
	(void)fmt;
	return CTL_USAGE;
}

/* Whatever names the data has: the output has nothing that a terminal obeys, and is UTF-8 */
static void check_shown(const char *text, size_t size)
{
	size_t len, rest;

	while (size) {
		for (len = 0; len < size && text[len] != '\n' && text[len] != '\t'; len++)
			;
		if (kncpmu_clean(text, len, NULL, 0) != len)
			abort();
		rest = len < size;
		text += len + rest;
		size -= len + rest;
	}
}

/* The checksums of the chunks that are complete; every 16th stays wrong */
static void put_right(unsigned char *data, size_t size)
{
	struct data_header *header = (void *)data;
	struct data_chunk *chunk;
	size_t at;

	if (size < sizeof(*header) || header->header_size > size || header->header_size % 8)
		return;
	for (at = header->header_size; size - at >= sizeof(*chunk);
	     at += sizeof(*chunk) + chunk->size) {
		chunk = (void *)(data + at);
		if (chunk->size > size - at - sizeof(*chunk) || chunk->size % 8)
			return;
		if (chunk->crc % 16)
			chunk->crc = crc32(0, data + at + sizeof(*chunk), chunk->size);
	}
}

struct views {
	struct profile p;
	struct histogram *hist;
	struct calltree trees[KNC_NR_COUNTERS];
	struct speedscope *speedscope;
	struct annotation *annotation;
};

static void take_sample(void *ctx, const struct sample *s)
{
	struct views *v = ctx;

	histogram_add(v->hist, s);
	annotation_add(v->annotation, s);
	speedscope_add(v->speedscope, s,
		       calltree_add(&v->trees[s->event], v->p.symbols, s));
}

static void show_event(struct views *v, unsigned int event)
{
	json_t *table;

	calltree_sort(&v->trees[event], 0);
	if (v->trees[event].root.total != v->p.weight[event])
		abort();
	histogram_print(v->hist, out, event);
	table = histogram_json(v->hist, event);
	json_dumpf(table, out, 0);
	json_decref(table);
	calltree_folded(&v->trees[event], out);
	flamegraph_write(&v->p, &v->trees[event], event, "fuzz", out);
	calltree_sort(&v->trees[event], 1);
	calltree_print(&v->trees[event], out, 0);
	calltree_free(&v->trees[event]);
}

static void show_samples(struct views *v)
{
	static const struct profile_visitor visitor = { .sample = take_sample };
	static const struct hist_opts opts = {
		.keys = {
			SORT_SYMBOL, SORT_DSO, SORT_COMM, SORT_PID, SORT_TID, SORT_CPU,
			SORT_EVENT, SORT_SRCLINE,
		},
		.nr_keys = NR_SORT_KEYS,
		.samples = 1,
	};
	unsigned int i;

	v->hist = histogram_new(&v->p, &opts);
	v->speedscope = speedscope_new(&v->p, 1);
	v->annotation = annotation_new(&v->p, "main");
	if (profile_walk(&v->p, &visitor, v))
		abort();	/* a file that was accepted must be readable */
	profile_heading(&v->p, out, "# ");
	annotation_print(v->annotation, out);
	speedscope_write(v->speedscope, out);
	for (i = 0; i < v->p.file.nr_events; i++)
		show_event(v, i);
	annotation_free(v->annotation);
	speedscope_free(v->speedscope);
	histogram_free(v->hist);
}

static void show_timeline(struct profile *p, unsigned long long bin)
{
	struct timeline t;

	if (timeline_read(&t, p, bin))
		abort();
	timeline_csv(&t, p, out);
	timeline_svg(&t, p, out);
	timeline_free(&t);
}

static void show(struct views *v)
{
	/* names in the data open no file of this machine */
	static const struct profile_opts opts = {
		.input = "fuzz",
		.sysroot = "/dev/null",
		.pid = -1,
		.tid = -1,
	};
	int fd = v->p.file.fd;

	if (!profile_open_fd(&v->p, &opts, fd)) {
		show_samples(v);
		show_timeline(&v->p, 0);
	}
	profile_close(&v->p);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size + 1);
	size_t shown_size = 0;
	char *shown = NULL;
	struct views v;

	memset(&v, 0, sizeof(v));
	memcpy(copy, data, size);
	put_right(copy, size);
	v.p.file.fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (v.p.file.fd < 0 || write(v.p.file.fd, copy, size) != (ssize_t)size)
		abort();
	free(copy);
	out = open_memstream(&shown, &shown_size);
	if (!out)
		abort();
	show(&v);
	fclose(out);
	check_shown(shown, shown_size);
	free(shown);
	return 0;
}
