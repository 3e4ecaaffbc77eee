// SPDX-License-Identifier: GPL-2.0
/* The records of a perf.data: <linux/perf_event.h>, "struct perf_event_header" and after it */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

/* perf's own records, which the kernel does not write */
enum {
	AUXTRACE = 71,
	COMPRESSED = 81,
	COMPRESSED2 = 83
};

#define COMM_EXEC	(1U << 13)
#define MMAP_IS_DATA	(1U << 13)
#define MMAP_HAS_ID	(1U << 14)
#define MAX_PERIOD	(1ULL << 41)	/* the largest period that a data file may have */
#define MAX_TIME	(1ULL << 62)
#define MAX_PATH	4096

/**
 * struct reading - the records while they are read
 * @p: the file
 * @visitor: takes them
 * @offset: of the present record
 * @head: its head
 * @data: what follows its head
 * @size: bytes of @data
 * @at: bytes of @data that were taken
 * @ours: room for a record in our format
 */
struct reading {
	struct perf_file *p;
	struct perf_visitor *visitor;
	unsigned long long offset;
	struct perf_event_header head;
	unsigned char data[PERF_RECORD_MAX];
	size_t size;
	size_t at;
	union {
		struct knc_pmu_sample sample;
		struct data_task task;
		struct data_comm comm;
		struct data_fork fork;
		struct data_mmap map;
		char bytes[sizeof(struct knc_pmu_sample) + 16 * KNC_PMU_MAX_FRAMES + MAX_PATH];
	} ours;
};

/* The next number, of @size bytes; 0 past the end, where @at exceeds the size */
static unsigned long long number(struct reading *r, size_t size)
{
	unsigned long long value = 0;

	if (r->at <= r->size && size <= r->size - r->at)
		memcpy(&value, r->data + r->at, size);
	r->at += size;
	return value;
}

static int is_cut(const struct reading *r)
{
	return r->at > r->size;
}

/* Skip the event counts in a sample (PERF_SAMPLE_READ) */
static void skip_read(struct reading *r, unsigned long long format)
{
	unsigned int times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	/* the value, its ID, and PERF_FORMAT_LOST */
	unsigned int each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1U << 4));
	unsigned long long nr = 1;

	if (format & PERF_FORMAT_GROUP)
		nr = number(r, 8);
	if (nr > r->size / 8)
		nr = r->size;
	r->at += 8 * (times + nr * each);
}

/* Add the addresses of a call chain; a marker gives the mode of the following addresses */
static void take_chain(struct reading *r, struct knc_pmu_sample *s)
{
	unsigned long long user[KNC_PMU_MAX_FRAMES], addr, nr = number(r, 8), i;
	__u64 *to = (__u64 *)(s + 1);
	int in_user = s->flags & KNC_PMU_SAMPLE_USER, in_kernel = !in_user;

	if (nr > r->size / 8) {
		r->at = r->size + 1;
		return;
	}
	for (i = 0; i < nr; i++) {
		addr = number(r, 8);
		if (addr >= (unsigned long long)PERF_CONTEXT_MAX) {
			in_user = addr == (unsigned long long)PERF_CONTEXT_USER;
			in_kernel = addr == (unsigned long long)PERF_CONTEXT_KERNEL;
		} else if (in_user && s->nr_user < KNC_PMU_MAX_FRAMES) {
			user[s->nr_user++] = addr;
		} else if (in_kernel && s->nr_kernel < KNC_PMU_MAX_FRAMES) {
			to[s->nr_kernel++] = addr;
		}
	}
	memcpy(to + s->nr_kernel, user, 8 * s->nr_user);
}

/* The index of the sample's event; -1: no event has its ID */
static int event_of(const struct reading *r, unsigned long long id)
{
	const struct perf_id *known;

	if (r->p->nr_events == 1)
		return 0;
	HASH_FIND(hh, r->p->ids, &id, sizeof(id), known);
	return known ? (int)known->event : -1;
}

/* Find an event's ID: without PERF_SAMPLE_IDENTIFIER all events must have the same fields */
static unsigned long long id_of(const struct reading *r, unsigned long long type)
{
	static const unsigned int before[] = {
		PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR
	};
	unsigned long long id = 0;
	size_t at = 0;
	unsigned int i;

	for (i = 0; !(type & PERF_SAMPLE_IDENTIFIER) && i < 4; i++)
		at += type & before[i] ? 8 : 0;
	if (r->size >= at + 8)
		memcpy(&id, r->data + at, sizeof(id));
	return id;
}

static void take_fields(struct reading *r, struct knc_pmu_sample *s, const struct perf_event *e)
{
	const unsigned long long type = e->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		number(r, 8);
	if (type & PERF_SAMPLE_IP)
		s->ip = number(r, 8);
	if (type & PERF_SAMPLE_TID) {
		s->pid = number(r, 4);
		s->tid = number(r, 4);
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = number(r, 8);
	r->at += 8 * (!!(type & PERF_SAMPLE_ADDR) + !!(type & PERF_SAMPLE_ID) +
		      !!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU) {
		s->record.cpu = number(r, 4);
		number(r, 4);
	}
	s->period = type & PERF_SAMPLE_PERIOD ? number(r, 8) : e->period;
	if (type & PERF_SAMPLE_READ)
		skip_read(r, e->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(r, s);
}

static int take_sample(struct reading *r)
{
	struct knc_pmu_sample *s = &r->ours.sample;
	int event = event_of(r, id_of(r, r->p->events[0].sample_type));
	unsigned int mode = r->head.misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (event < 0)
		return perf_damaged(r->p, "a sample of no event", r->offset);
	memset(s, 0, sizeof(*s));
	s->record.type = KNC_PMU_RECORD_SAMPLE;
	s->event = event;
	s->flags = mode == PERF_RECORD_MISC_USER ? KNC_PMU_SAMPLE_USER : 0;
	take_fields(r, s, &r->p->events[event]);
	s->record.size = sizeof(*s) + 8 * (s->nr_kernel + s->nr_user);
	if (is_cut(r) || s->record.cpu >= KNC_PMU_MAX_CPUS || s->period > MAX_PERIOD ||
	    s->time > MAX_TIME)
		return perf_damaged(r->p, "an impossible sample", r->offset);
	r->visitor->sample(r->visitor->ctx, s);
	return 0;
}

/* Find the time. It is among the last fields, if the events have them (sample_id_all) */
static unsigned long long time_of(const struct reading *r)
{
	static const unsigned int after[] = {
		PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER
	};
	const unsigned long long type = r->p->events[0].sample_type;
	unsigned long long time = 0;
	size_t back = 8;
	unsigned int i;

	if (!(r->p->events[0].flags >> 18 & 1) || !(type & PERF_SAMPLE_TIME))
		return 0;
	for (i = 0; i < 4; i++)
		back += type & after[i] ? 8 : 0;
	if (r->size >= back)
		memcpy(&time, r->data + r->size - back, sizeof(time));
	return time <= MAX_TIME ? time : 0;
}

/* Complete a record of a task by @text, at most @room bytes, and pass it to the visitor */
static void end_task(struct reading *r, unsigned int type, size_t head, const void *text,
		     size_t room)
{
	struct data_task *task = &r->ours.task;
	size_t length = text ? strnlen(text, room) : 0;

	if (length >= MAX_PATH)
		length = MAX_PATH - 1;
	task->type = type;
	task->time = time_of(r);
	task->size = head;
	if (text) {
		memset(r->ours.bytes + head, 0, length + 8);
		memcpy(r->ours.bytes + head, text, length);
		task->size = (head + length + 8) & ~7U;
	}
	r->visitor->task(r->visitor->ctx, task);
}

static void begin_task(struct reading *r)
{
	memset(&r->ours, 0, sizeof(struct data_mmap));
	r->ours.task.pid = number(r, 4);
	r->ours.task.tid = number(r, 4);
}

/* Complete a record by the rest of perf's record, which is a text */
static void end_with_text(struct reading *r, unsigned int type, size_t head)
{
	if (r->at < r->size)
		end_task(r, type, head, r->data + r->at, r->size - r->at);
}

/* A fork record has the parent between the pid and the tid of the task */
static void take_fork(struct reading *r, unsigned int type)
{
	begin_task(r);
	r->ours.fork.parent_pid = r->ours.task.tid;
	r->ours.task.tid = number(r, 4);
	r->ours.fork.parent_tid = number(r, 4);
	if (type == DATA_EXIT) {
		r->ours.fork.parent_pid = 0;
		r->ours.fork.parent_tid = 0;
	}
	if (!is_cut(r))
		end_task(r, type, sizeof(struct data_fork), NULL, 0);
}

/* Look up the file's build id by its path, in the header's table */
static void find_build_id(struct reading *r)
{
	const char *text = (const char *)r->data + r->at;
	const struct perf_build_id *known;
	const char *path;

	if (r->at >= r->size || r->ours.map.build_id_size)
		return;
	path = intern(text, strnlen(text, r->size - r->at));
	HASH_FIND(hh, r->p->build_ids, &path, sizeof(path), known);
	if (!known)
		return;
	memcpy(r->ours.map.build_id, known->id, known->size);
	r->ours.map.build_id_size = known->size;
}

/* Skip the fields that only PERF_RECORD_MMAP2 has; returns 0 if the mapping is not executable */
static int take_mmap2(struct reading *r)
{
	struct data_mmap *map = &r->ours.map;
	unsigned int size;

	if (r->head.misc & MMAP_HAS_ID) {
		size = number(r, 4) & 0xff;
		if (size > 20 || r->at + 20 > r->size)
			return 0;
		map->build_id_size = size;
		memcpy(map->build_id, r->data + r->at, size);
		r->at += 20;
	} else {
		r->at += 24;
	}
	size = number(r, 4);
	number(r, 4);
	return size & 4;
}

static void take_mmap(struct reading *r)
{
	struct data_mmap *map = &r->ours.map;
	unsigned int mode = r->head.misc & PERF_RECORD_MISC_CPUMODE_MASK;

	begin_task(r);
	map->start = number(r, 8);
	map->length = number(r, 8);
	map->offset = number(r, 8);
	/* leave out mappings of the kernel, which a data file does not have */
	if (mode != PERF_RECORD_MISC_USER || !map->length ||
	    map->start + map->length <= map->start)
		return;
	if (r->head.type == PERF_RECORD_MMAP2 ? !take_mmap2(r) : r->head.misc & MMAP_IS_DATA)
		return;
	find_build_id(r);
	end_with_text(r, DATA_MMAP, sizeof(*map));
}

static int take_record(struct reading *r)
{
	r->at = 0;
	switch (r->head.type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(r);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_mmap(r);
		break;
	case PERF_RECORD_COMM:
		begin_task(r);
		end_with_text(r, r->head.misc & COMM_EXEC ? DATA_EXEC : DATA_COMM,
			      sizeof(struct data_comm));
		break;
	case PERF_RECORD_FORK:
		take_fork(r, DATA_FORK);
		break;
	case PERF_RECORD_EXIT:
		take_fork(r, DATA_EXIT);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->visitor->lost += number(r, 8) & 0xffffffff;
		break;
	case COMPRESSED:
	case COMPRESSED2:
		return complain("%s is compressed: record without -z", r->p->path);
	}
	return 0;
}

static int read_one(struct reading *r)
{
	struct perf_file *p = r->p;
	unsigned long long more = 0;
	int status;

	if (p->end - r->offset < sizeof(r->head) ||
	    fread(&r->head, 1, sizeof(r->head), p->f) != sizeof(r->head) ||
	    r->head.size < sizeof(r->head) || r->head.size > p->end - r->offset)
		return perf_damaged(p, "an impossible record", r->offset);
	r->size = r->head.size - sizeof(r->head);
	if (fread(r->data, 1, r->size, p->f) != r->size)
		return perf_damaged(p, "the end of a record", r->offset);
	status = take_record(r);
	r->offset += r->head.size;
	if (status || r->head.type != AUXTRACE)
		return status;
	/* bytes of a hardware trace follow, whose size is not in the record's header */
	r->at = 0;
	more = number(r, 8);
	if (more > p->end - r->offset || fseeko(p->f, more, SEEK_CUR))
		return perf_damaged(p, "an impossible trace", r->offset);
	r->offset += more;
	return 0;
}

int perf_read(struct perf_file *p, struct perf_visitor *visitor)
{
	struct reading *r = xalloc(1, sizeof(*r));
	int status = 0;

	r->p = p;
	r->visitor = visitor;
	r->offset = p->begin;
	if (fseeko(p->f, p->begin, SEEK_SET))
		status = perf_damaged(p, "the place of its records", p->begin);
	while (!status && r->offset < p->end)
		status = read_one(r);
	free(r);
	return status;
}
