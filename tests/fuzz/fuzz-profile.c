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

#include "json/text.h"
#include "profile/annotate.h"
#include "profile/curves.h"
#include "profile/page.h"
#include "profile/pictures.h"
#include "profile/slices.h"

/* All outputs for an input go here */
static FILE *out;

/* Print nothing, because the fuzzer's output would be nothing but messages */
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

/* Output must be UTF-8 without anything that a terminal obeys, whatever names the data has */
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

/* Correct the checksums of complete chunks, except every 16th */
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
	struct stacks stacks[DATA_EVENTS];
	struct speedscope *speedscope;
	struct annotation *annotation;
	struct slices *slices;
};

static void take_sample(void *ctx, const struct sample *s)
{
	struct views *v = ctx;
	struct node *ends[NR_VIEWS];

	histogram_add(v->hist, s);
	annotation_add(v->annotation, s);
	stacks_add(&v->stacks[s->event], v->p.symbols, s, 1, ends);
	slices_add(v->slices, s, ends);
	speedscope_add(v->speedscope, s, ends[VIEW_CALLS]);
}

static void show_event(struct views *v, unsigned int event)
{
	struct stacks *stacks = &v->stacks[event];
	struct calltree *calls = &stacks->views[VIEW_CALLS];
	const struct flamegraph graph = {
		.p = &v->p,
		.event = event,
		.stacks = stacks,
		.title = "fuzz",
	};
	json_t *table;
	int view;

	stacks_sort(stacks);
	for (view = 0; view < NR_VIEWS; view++) {
		if (stacks->views[view].root.total != v->p.weight[event])
			abort();
	}
	histogram_print(v->hist, out, event);
	table = histogram_json(v->hist, event);
	json_dumpf(table, out, 0);
	json_decref(table);
	calltree_folded(calls, out);
	flamegraph_write(&graph, out);
	calltree_sort(calls, 1);
	calltree_print(calls, out, 0, "");
}

static void show_page(struct views *v, const struct hist_opts *opts)
{
	struct metrics *ms = metrics_load(&v->p.file.pmu, NULL, 0);
	struct timeline t;
	struct page page = {
		.p = &v->p,
		.title = profile_title(&v->p),
		.hist = v->hist,
		.hist_opts = opts,
		.stacks = v->stacks,
		.timeline = &t,
		.ms = ms,
	};

	page.slice = slices_end(v->slices, v->stacks, flamegraph_draws);
	page.slices = page.slice ? v->slices : NULL;
	if (timeline_read(&t, &v->p, 0))
		abort();
	page_write(&page, out);
	timeline_csv(&t, &v->p, out);
	timeline_svg(&t, &v->p, out, 0);
	timeline_free(&t);
	metrics_free(ms);
}

static void show_samples(struct views *v)
{
	static const struct profile_visitor visitor = { .sample = take_sample };
	static const struct hist_opts opts = {
		.keys = {
			SORT_SYMBOL, SORT_DSO, SORT_COMM, SORT_PID, SORT_TID, SORT_CPU,
			SORT_EVENT, SORT_SRCLINE, SORT_PARALLELISM,
		},
		.nr_keys = NR_SORT_KEYS,
		.samples = 1,
	};
	unsigned int i;

	v->hist = histogram_new(&v->p, &opts);
	v->slices = slices_new(&v->p);
	histogram_slices(v->hist, v->slices);
	v->speedscope = speedscope_new(&v->p, 1);
	v->annotation = annotation_new(&v->p, "main");
	if (profile_walk(&v->p, &visitor, v))
		abort();	/* a file that was accepted must be readable */
	profile_heading(&v->p, out, "# ");
	annotation_print(v->annotation, out);
	speedscope_write(v->speedscope, out);
	for (i = 0; i < v->p.file.nr_events; i++)
		show_event(v, i);
	show_page(v, &opts);
	for (i = 0; i < v->p.file.nr_events; i++)
		stacks_free(&v->stacks[i]);
	annotation_free(v->annotation);
	speedscope_free(v->speedscope);
	histogram_free(v->hist);
	slices_free(v->slices);
}

static void show(struct views *v)
{
	int fd = v->p.file.fd;
	/* ask half of the files how many threads ran; those that do not say so are refused */
	const int odd = lseek(fd, 0, SEEK_END) / 8 & 1;
	/* names in the data must not open files of this machine */
	const struct profile_opts opts = {
		.input = "fuzz",
		.sysroot = "/dev/null",
		.latency = odd,
		.parallelism = odd,
	};

	if (!profile_open(&v->p, &opts, fd))
		show_samples(v);
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
