// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a larger recording: times N SAMPLES IN OUT
 *
 * Writes each sample of IN, a file of knc-pmuctl record or perf record, N times, a nanosecond
 * apart. Everything else is copied: readers find the same tasks, mappings and symbols. It fails if
 * OUT does not have SAMPLES, to within one per cent.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../tools/ctl/cli/data.h"

static unsigned long copies, written;
static FILE *out;

static void fail(const char *what)
{
	fprintf(stderr, "times: %s\n", what);
	exit(1);
}

static void put(const void *data, size_t size)
{
	if (size && fwrite(data, size, 1, out) != 1)
		fail("can't write");
}

/* Write @record @copies times, and advance @time, a field of the record */
static size_t put_copies(const void *record, size_t size, __u64 *time)
{
	unsigned long i;

	for (i = 0; i < copies; i++, ++*time, written++)
		put(record, size);
	return copies * size;
}

/* Copy a chunk of a hardware thread's records, with each sample @copies times */
static void put_knc_records(char *payload, size_t size)
{
	struct data_chunk head = { DATA_RECORDS, 0, 0 };
	char *more = malloc(copies * size), *to = more;
	size_t at;
	unsigned long i;

	if (!more || copies * size > DATA_MAX_CHUNK)
		fail("a chunk is too large");
	memcpy(to, payload, sizeof(struct data_records));
	to += sizeof(struct data_records);
	for (at = sizeof(struct data_records); at < size;) {
		struct knc_pmu_sample *s = (void *)(payload + at);
		int sample = s->record.type == KNC_PMU_RECORD_SAMPLE;

		at += s->record.size;
		for (i = 0; i < (sample ? copies : 1); i++) {
			memcpy(to, s, s->record.size);
			to += s->record.size;
			if (sample) {
				s->time++;
				written++;
			}
		}
	}
	head.size = to - more;
	head.crc = crc32(0, (void *)more, head.size);
	put(&head, sizeof(head));
	put(more, head.size);
	free(more);
}

static void multiply_knc(char *data, size_t size)
{
	size_t at = ((struct data_header *)data)->header_size;
	struct data_chunk *chunk;

	put(data, at);
	for (; at < size; at += sizeof(*chunk) + chunk->size) {
		chunk = (void *)(data + at);
		if (chunk->type == DATA_RECORDS)
			put_knc_records((char *)(chunk + 1), chunk->size);
		else
			put(chunk, sizeof(*chunk) + chunk->size);
	}
}

/* The header of perf.data: tools/perf/Documentation/perf.data-file-format.txt of Linux */
struct section {
	__u64 offset, size;
};

struct perf_head {
	char magic[8];
	__u64 size, attr_size;
	struct section attrs, data, types;
	__u64 features[4];
};

#define LEADING	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* Copy the features' sections, which follow the data: their offsets grow by @moved bytes */
static void put_perf_features(const struct perf_head *head, char *data, size_t size, size_t moved)
{
	size_t at = head->data.offset + head->data.size;
	struct section *s = (void *)(data + at);
	int bit;

	for (bit = 0; bit < 256; bit++)
		if (head->features[bit / 64] >> bit % 64 & 1)
			s++->offset += moved;
	put(data + at, size - at);
}

static void multiply_perf(char *data, size_t size)
{
	struct perf_head *head = (void *)data, new = *head;
	struct perf_event_attr *attr = (void *)(data + head->attrs.offset);
	size_t at = head->data.offset, end = at + head->data.size;

	if ((attr->sample_type & LEADING) != LEADING || attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		fail("other samples than expected");
	put(data, at);
	new.data.size = 0;
	while (at < end) {
		struct perf_event_header *e = (void *)(data + at);

		at += e->size;
		if (e->type == PERF_RECORD_SAMPLE) {
			new.data.size += put_copies(e, e->size, (__u64 *)(e + 1) + 2);
		} else {
			put(e, e->size);
			new.data.size += e->size;
		}
	}
	put_perf_features(head, data, size, new.data.size - head->data.size);
	rewind(out);
	put(&new, sizeof(new));
}

static char *load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data;

	if (!f || fseek(f, 0, SEEK_END))
		fail("can't read");
	*size = ftell(f);
	rewind(f);
	data = malloc(*size);
	if (!data || fread(data, *size, 1, f) != 1)
		fail("can't read");
	fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	unsigned long wanted;
	size_t size = 0;
	char *data;

	if (argc != 5)
		fail("usage: times N SAMPLES IN OUT");
	copies = strtoul(argv[1], NULL, 10);
	wanted = strtoul(argv[2], NULL, 10);
	data = load(argv[3], &size);
	out = fopen(argv[4], "wb");
	if (!out)
		fail("can't write");
	if (size > sizeof(struct data_header) && !memcmp(data, DATA_MAGIC, 8))
		multiply_knc(data, size);
	else if (size > sizeof(struct perf_head) && !memcmp(data, "PERFILE2", 8))
		multiply_perf(data, size);
	else
		fail("neither knc.data nor perf.data");
	if (fclose(out))
		fail("can't write");
	if (written < wanted / 100 * 99 || written > wanted / 100 * 101) {
		fprintf(stderr, "times: %lu samples instead of %lu\n", written, wanted);
		return 1;
	}
	return 0;
}
