// SPDX-License-Identifier: GPL-2.0
/* The header and events of perf.data, and the feature sections at the end of the file */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "cli/clock.h"
#include "export/perf.h"

#define MAGIC		"PERFILE2"
#define HEADER_SIZE	104
#define ATTR_SIZE	112		/* PERF_ATTR_SIZE_VER5 */
#define TYPE_RAW	4
/*
 * The event in which perf record --off-cpu puts times: PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT
 */
#define TYPE_OFF_CPU	1
#define CODE_OFF_CPU	10
#define TEXT_ALIGN	64

/* Flags of struct perf_event_attr */
#define INHERIT		(1ULL << 1)
#define EXCLUDE_USER	(1ULL << 4)
#define EXCLUDE_KERNEL	(1ULL << 5)
#define EXCLUDE_HV	(1ULL << 6)
#define MMAP		(1ULL << 8)
#define COMM		(1ULL << 9)
#define FREQ		(1ULL << 10)
#define TASK		(1ULL << 13)
#define SAMPLE_ID_ALL	(1ULL << 18)
#define MMAP2		(1ULL << 23)
#define COMM_EXEC	(1ULL << 24)
#define USE_CLOCKID	(1ULL << 25)
#define BUILD_ID	(1ULL << 34)

/* Feature sections, in the order of their numbers */
enum feature {
	HOSTNAME = 3,
	OSRELEASE = 4,
	VERSION = 5,
	ARCH = 6,
	NRCPUS = 7,
	CMDLINE = 11,
	EVENT_DESC = 12,
	SAMPLE_TIME = 21,
	NR_FEATURES
};

static unsigned long long flags_of(const struct profile *p, const struct data_event *e)
{
	unsigned long long flags = EXCLUDE_HV | MMAP | COMM | TASK | SAMPLE_ID_ALL | MMAP2 |
				   COMM_EXEC | USE_CLOCKID | BUILD_ID;

	if (json_is_true(json_object_get(p->file.info, "inherit")))
		flags |= INHERIT;
	if (!e->period)
		flags |= FREQ;
	/* flags are 0 if this tool does not know the event: then no mode is excluded */
	if (e->event.flags && !(e->event.flags & KNC_PMU_EVENT_USR))
		flags |= EXCLUDE_USER;
	if (e->event.flags && !(e->event.flags & KNC_PMU_EVENT_OS))
		flags |= EXCLUDE_KERNEL;
	return flags;
}

/* The code of an event in INFO, "r0016" */
static unsigned long long code_of(const struct profile *p, unsigned int event)
{
	const json_t *object = json_array_get(json_object_get(p->file.info, "events"), event);
	const char *raw = json_string_value(json_object_get(object, "raw"));

	return raw && *raw == 'r' ? strtoull(raw + 1, NULL, 16) : 0;
}

/* The value of sample_period or sample_freq */
static unsigned long long period_of(const struct profile *p, const struct data_event *e)
{
	unsigned long long interval = data_number(&p->file, "sample_interval_ns");

	if (data_sampled(e))
		return e->period ? : e->freq;
	return interval && interval < NSEC_PER_SEC ? NSEC_PER_SEC / interval : 1;
}

/* Append a struct perf_event_attr */
static void put_attr(struct bytes *b, const struct profile *p, unsigned int event)
{
	const struct data_event *e = &p->file.events[event];
	size_t begin = b->nr;

	put_u32(b, e->off_cpu ? TYPE_OFF_CPU : TYPE_RAW);
	put_u32(b, ATTR_SIZE);
	put_u64(b, e->off_cpu ? CODE_OFF_CPU : code_of(p, event));
	put_u64(b, period_of(p, e));
	put_u64(b, PERF_HAS_IP | PERF_HAS_TID | PERF_HAS_TIME | PERF_HAS_CPU | PERF_HAS_PERIOD |
		   PERF_HAS_IDENTIFIER | (p->file.chains ? PERF_HAS_CHAIN : 0));
	put_u64(b, 0);
	put_u64(b, flags_of(p, e));
	put_zeros(b, begin + 88);
	/* sample_stack_user is 0; clockid follows it */
	put_u64(b, (unsigned long long)CLOCK_MONOTONIC << 32);
	put_zeros(b, begin + ATTR_SIZE);
}

static void put_section(struct bytes *b, unsigned long long offset, unsigned long long size)
{
	put_u64(b, offset);
	put_u64(b, size);
}

static unsigned long long data_offset(const struct perf_data *d)
{
	/* the number of each event, and its description with the place of the number */
	return HEADER_SIZE + d->p->file.nr_events * (8ULL + ATTR_SIZE + 16);
}

void perf_put_begin(struct perf_data *d)
{
	unsigned int i, nr = d->p->file.nr_events;
	struct bytes b = { .nr = 0 };

	put_zeros(&b, HEADER_SIZE);
	for (i = 0; i < nr; i++)
		put_u64(&b, perf_id(i));
	for (i = 0; i < nr; i++) {
		put_attr(&b, d->p, i);
		put_section(&b, HEADER_SIZE + 8 * i, 8);
	}
	fwrite_unlocked(b.data, 1, b.nr, d->f);
	free(b.data);
}

static void put_string(struct bytes *b, const char *text)
{
	put_u32(b, (strlen(text) + TEXT_ALIGN) / TEXT_ALIGN * TEXT_ALIGN);
	put_text(b, text, TEXT_ALIGN);
}

static void put_command(struct bytes *b, const struct profile *p)
{
	const json_t *command = json_object_get(p->file.info, "command");
	unsigned int i, nr = json_array_size(command);

	put_u32(b, nr ? : 1);
	if (!nr)
		put_string(b, profile_title(p));
	for (i = 0; i < nr; i++)
		put_string(b, json_string_value(json_array_get(command, i)) ? : "?");
}

static void put_events(struct bytes *b, const struct profile *p)
{
	unsigned int i;

	put_u32(b, p->file.nr_events);
	put_u32(b, ATTR_SIZE);
	for (i = 0; i < p->file.nr_events; i++) {
		put_attr(b, p, i);
		put_u32(b, 1);
		put_string(b, p->file.events[i].name);
		put_u64(b, perf_id(i));
	}
}

/*
 * The number of CPUs, once for possible and once for online ones: perf script -C refuses higher
 * CPUs
 */
static void put_cpus(struct bytes *b, const struct perf_data *d)
{
	unsigned int cpu, nr = d->cpus;
	struct kncpmu_cpus cpus;
	struct kncpmu_error err;

	if (!kncpmu_cpus_parse(data_text(&d->p->file, "cpus"), &cpus, &err)) {
		for (cpu = 0; (cpu = kncpmu_cpus_next(&cpus, cpu)) < KNC_PMU_MAX_CPUS; cpu++)
			nr = cpu + 1 > nr ? cpu + 1 : nr;
	}
	put_u32(b, nr);
	put_u32(b, nr);
}

static void put_feature(struct bytes *b, const struct perf_data *d, enum feature feature)
{
	switch (feature) {
	case HOSTNAME:
		put_string(b, data_text(&d->p->file, "host"));
		break;
	case OSRELEASE:
		put_string(b, data_text(&d->p->file, "kernel"));
		break;
	case VERSION:
		put_string(b, data_text(&d->p->file, "program"));
		break;
	case ARCH:
		/* perf annotate chooses the disassembler by the architecture */
		put_string(b, "x86_64");
		break;
	case NRCPUS:
		put_cpus(b, d);
		break;
	case CMDLINE:
		put_command(b, d->p);
		break;
	case EVENT_DESC:
		put_events(b, d->p);
		break;
	case SAMPLE_TIME:
		put_u64(b, d->first);
		put_u64(b, d->last);
		break;
	default:
		break;
	}
}

static const enum feature features[] = {
	HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS, CMDLINE, EVENT_DESC, SAMPLE_TIME
};

static void put_features(struct perf_data *d)
{
	unsigned long long offset = data_offset(d) + d->size + 16 * ARRAY_SIZE(features);
	struct bytes table = { .nr = 0 }, all = { .nr = 0 };
	size_t begin;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		begin = all.nr;
		put_feature(&all, d, features[i]);
		put_section(&table, offset + begin, all.nr - begin);
	}
	fwrite_unlocked(table.data, 1, table.nr, d->f);
	fwrite_unlocked(all.data, 1, all.nr, d->f);
	free(table.data);
	free(all.data);
}

/* Write the struct perf_file_header */
static void put_header(struct perf_data *d)
{
	unsigned int i, nr = d->p->file.nr_events;
	unsigned long long set = 0;
	struct bytes b = { .nr = 0 };

	for (i = 0; i < ARRAY_SIZE(features); i++)
		set |= 1ULL << features[i];
	put_bytes(&b, MAGIC, 8);
	put_u64(&b, HEADER_SIZE);
	put_u64(&b, ATTR_SIZE + 16);
	put_section(&b, HEADER_SIZE + 8 * nr, nr * (ATTR_SIZE + 16));
	put_section(&b, data_offset(d), d->size);
	put_section(&b, 0, 0);
	put_u64(&b, set);
	put_zeros(&b, HEADER_SIZE);
	fwrite_unlocked(b.data, 1, b.nr, d->f);
	free(b.data);
}

int perf_put_end(struct perf_data *d)
{
	put_features(d);
	if (fseeko(d->f, 0, SEEK_SET))
		return errno;
	put_header(d);
	return 0;
}
