// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a data file and checks every chunk and record
 *
 * Records stay in the file: memory holds only one chunk, the tasks and the symbols.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <kernel-file.h>
#include <names.h>
#include <pmus.h>

#include "cli/crc.h"
#include "cli/json.h"
#include "cli/memory.h"
#include "cli/pmu.h"
#include "cli/progress.h"
#include "cli/read-at.h"
#include "profile/properties.h"
#include "profile/ranks.h"

#define MAX_HEADER	4096

static unsigned long long samples(const struct data_file *f)
{
	unsigned long long sum = 0;
	unsigned int i;
	size_t n;

	for (n = 0; n < f->nr_ranks; n++) {
		sum += f->ranks[n].sums.times;
		for (i = 0; i < f->nr_events; i++)
			sum += f->ranks[n].sums.samples[i];
	}
	return sum;
}

/* The recording whose chunks are read; NULL: none has begun */
static struct data_rank *present(const struct data_file *f)
{
	return f->nr_ranks ? &f->ranks[f->nr_ranks - 1] : NULL;
}

static int cut_off(struct data_file *f, unsigned long long offset)
{
	static const char text[] =
		"warning: %s is cut off at byte %llu (no space left, or its recorder was killed): "
		"the %llu samples before are shown";

	f->cut = 1;
	if (f->info && !f->quiet)
		complain(text, f->path, offset, samples(f));
	return 1;
}

/* Mark the file as damaged; only the first damage is reported */
static int mark_damaged(struct data_file *f, const char *what,
			unsigned long long offset, const char *then)
{
	if (!f->damaged && f->info && !f->quiet)
		complain("warning: %s is damaged: %s at byte %llu; %s", f->path, what,
			 offset, then);
	if (!f->damaged) {
		f->damage = what;
		f->damaged_at = offset;
	}
	f->damaged = 1;
	return 1;
}

/* Check a record and add it to the sums; returns its bytes, or 0 if it is impossible */
static size_t take_record(struct data_file *f, const void *at, size_t room)
{
	const struct knc_pmu_record *record = at;
	const struct knc_pmu_throttle *throttle = at;
	const struct knc_pmu_sample *sample = at;
	const struct knc_pmu_lost *lost = at;
	struct data_sums *sums = &present(f)->sums;
	unsigned int i;

	if (!data_record_good(f, record, room))
		return 0;
	switch (record->type) {
	case KNC_PMU_RECORD_SAMPLE:
		sums->samples[sample->event]++;
		f->chains |= data_frames(sample) > 0 || data_stack(sample);
		break;
	case KNC_PMU_RECORD_SWITCH_OUT:
		f->chains |= data_frames(sample) > 0 || data_stack(sample);
		break;
	case KNC_PMU_RECORD_TIME:
		sums->times++;
		break;
	case KNC_PMU_RECORD_LOST:
		sums->lost += lost->samples;
		for (i = 0; i < lost->nr_events; i++)
			sums->lost_events[i] += lost->events[i];
		break;
	case KNC_PMU_RECORD_THROTTLE:
		sums->throttles++;
		break;
	case KNC_PMU_RECORD_UNTHROTTLE:
		sums->unsampled[throttle->event] += throttle->unsampled;
		break;
	}
	return record->size;
}

static void add_piece(struct data_file *f, unsigned int cpu,
		      unsigned long long offset, unsigned long long size)
{
	f->pieces = xgrow(f->pieces, f->nr_pieces, &f->room_pieces,
			  sizeof(*f->pieces));
	f->pieces[f->nr_pieces].cpu = (f->nr_ranks - 1) * KNC_PMU_MAX_CPUS + cpu;
	f->pieces[f->nr_pieces].offset = offset;
	f->pieces[f->nr_pieces].size = size;
	f->nr_pieces++;
}

/*
 * Take the records of a chunk up to the first bad one, whose size can't be trusted to find the
 * next. @take: checks one and sums it up. Returns the bytes of the good ones.
 */
static size_t take_each(struct data_file *f, const char *data, size_t size,
			unsigned long long offset, const char *damage,
			size_t (*take)(struct data_file *f, const void *at, size_t room))
{
	size_t at = 0, n;

	while (at < size) {
		n = take(f, data + at, size - at);
		if (!n) {
			mark_damaged(f, damage, offset + at, "the rest of its chunk is left out");
			break;
		}
		at += n;
	}
	return at;
}

static void take_records(struct data_file *f, const char *data, size_t size,
			 unsigned long long offset)
{
	const struct data_records *head = (const void *)data;
	const size_t skip = sizeof(*head);

	if (size < skip || head->cpu >= KNC_PMU_MAX_CPUS) {
		mark_damaged(f, "records of no CPU", offset, "they are left out");
		return;
	}
	add_piece(f, head->cpu, offset + skip,
		  take_each(f, data + skip, size - skip, offset + skip, "an impossible record",
			    take_record));
}

/* Returns the copy; NULL if @size is 0 */
static char *append(char **to, size_t *to_size, const char *data, size_t size)
{
	if (!size)
		return NULL;
	*to = realloc(*to, *to_size + size);
	if (!*to)
		out_of_memory();
	*to_size += size;
	return memcpy(*to + *to_size - size, data, size);
}

static size_t take_task(struct data_file *f, const void *at, size_t room)
{
	const struct data_tasks_lost *lost = at;
	const struct data_task *task = at;

	if (!data_task_good(task, room))
		return 0;
	if (task->type == DATA_TASKS_LOST)
		present(f)->sums.tasks_lost += lost->number;
	return task->size;
}

static void take_tasks(struct data_file *f, const char *data, size_t size,
		       unsigned long long offset)
{
	size_t good = take_each(f, data, size, offset, "an impossible record of a task",
				take_task);

	ranks_take_tasks(f, append(&f->tasks, &f->tasks_size, data, good), good);
}

static size_t take_mark(struct data_file *f, const void *at, size_t room)
{
	const struct data_marks_lost *lost = at;
	const struct data_mark *mark = at;

	if (!data_mark_good(mark, room))
		return 0;
	if (mark->type == DATA_MARK_VISIT)
		f->sums.visits++;
	else if (mark->type == DATA_MARK_LOST)
		f->sums.lost_visits += lost->lost + lost->impossible;
	return mark->size;
}

static void take_marks(struct data_file *f, const char *data, size_t size,
		       unsigned long long offset)
{
	size_t good = take_each(f, data, size, offset, "an impossible record of a region",
				take_mark);

	ranks_take_marks(f, append(&f->marks, &f->marks_size, data, good), good);
}

/* Parse the object of a chunk, which is padded with zeros */
static json_t *parse_json(const char *data, size_t size)
{
	json_t *value = load_json(data, strnlen(data, size), 0, 0, NULL);

	if (json_is_object(value))
		return value;
	json_decref(value);
	return NULL;
}

static void know_event(const struct kncpmu_pmu *pmu, struct data_event *event)
{
	struct kncpmu_error err;

	if (kncpmu_spec_parse(pmu, event->spec, &event->event, &err)) {
		memset(&event->event, 0, sizeof(event->event));
		return;
	}
	event->by_others = kncpmu_event_by_others(pmu, &event->event);
	event->core_wide = kncpmu_event_core_wide(pmu, &event->event);
	event->cycles = kncpmu_event_cycles(pmu, &event->event);
	event->timed = kncpmu_event_timed(pmu, &event->event);
}

/* @known: this tool knows the events of that PMU */
static int take_event(struct data_file *f, const json_t *object, int known)
{
	struct data_event *event = &f->events[f->nr_events];
	const char *name = json_string_value(json_object_get(object, "event"));

	if (!name || !*name)
		return 0;
	event->stand_in = json_is_true(json_object_get(object, "stand_in"));
	event->spec = intern_text(name);
	event->name = event->stand_in ? intern_format("%s (stand-in)", event->spec) : event->spec;
	if (known)
		know_event(&f->pmu, event);
	event->period = data_member(object, "period");
	event->freq = data_member(object, "freq");
	event->max_freq = data_member(object, "max_freq");
	f->nr_events++;
	return 1;
}

/* Add the events made of context switches; perf calls the first offcpu-time */
static void add_off_cpu(struct data_file *f)
{
	static const char * const specs[] = {
		[DATA_WAITING] = "off-cpu",
		[DATA_RUNNABLE] = "runnable",
	};
	struct data_event *event;
	unsigned int i;

	for (i = 0; i < NR_DATA_OFF_CPU; i++) {
		event = &f->events[f->nr_events++];
		event->spec = specs[i];
		event->name = intern_format("%s (ns)", specs[i]);
		event->period = 1;
		event->off_cpu = 1;
	}
}

/*
 * A recording without a PMU's name is from the PMU of this machine. Returns 0 if this tool does not
 * know the PMU.
 */
static int take_pmu(struct data_file *f)
{
	const char *name = json_string_value(json_object_get(f->info, "pmu"));

	return !named_pmu(name ? : own_pmu()->name, &f->pmu);
}

static int take_info(struct data_file *f, const char *data, size_t size)
{
	const json_t *events;
	size_t i, nr;
	int known;

	f->info = parse_json(data, size);
	known = take_pmu(f);
	events = json_object_get(f->info, "events");
	nr = json_array_size(events);
	if (!nr || nr > DATA_COUNTED)
		return complain("%s is damaged: it has no list of events, or too long a one; "
				"record again", f->path);
	for (i = 0; i < nr; i++) {
		if (!take_event(f, json_array_get(events, i), known))
			return complain("%s is damaged: an event has no name; record "
					"again", f->path);
	}
	f->nr_counted = f->nr_events;
	if (json_is_true(json_object_get(f->info, "switches")))
		add_off_cpu(f);
	f->started = data_number(f, "started_ns");
	if (!f->merged)
		ranks_begin(f, f->info);
	return 0;
}

static unsigned long long element(const json_t *object, const char *key, size_t i)
{
	const json_t *array = json_object_get(object, key);
	json_int_t value = json_integer_value(json_array_get(array, i));

	return value > 0 ? value : 0;
}

/* Take the sums of DATA_END, because the last losses may have no record */
static void take_sums(const struct data_file *f, const json_t *end)
{
	struct data_sums *s = &present(f)->sums;
	const json_t *ring;
	unsigned int i;
	size_t n;

	if (!json_is_array(json_object_get(end, "rings")))
		return;
	s->lost = 0;
	s->throttles = 0;
	memset(s->lost_events, 0, sizeof(s->lost_events));
	memset(s->unsampled, 0, sizeof(s->unsampled));
	json_array_foreach(json_object_get(end, "rings"), n, ring) {
		s->lost += data_member(ring, "lost");
		s->throttles += data_member(ring, "throttles");
		s->lost_switches += data_member(ring, "lost_switches");
		for (i = 0; i < f->nr_events; i++) {
			s->lost_events[i] += element(ring, "lost_events", i);
			s->unsampled[i] += element(ring, "unsampled", i);
		}
	}
}

/* Take an end: in a file of merge each rank has one, and then the file */
static void take_end(struct data_file *f, const char *data, size_t size,
		     unsigned long long offset)
{
	json_t **end = f->merged && !present(f)->end ? &present(f)->end : &f->end;

	if (*end)
		return;
	*end = parse_json(data, size);
	if (!*end)
		mark_damaged(f, "the final sums", offset, "those of the records are shown");
	else if (!f->merged || end != &f->end)
		take_sums(f, *end);
}

static void take_rank(struct data_file *f, const char *data, size_t size,
		      unsigned long long offset)
{
	json_t *info = parse_json(data, size);

	f->lost_rank = !info || !ranks_begin(f, info);
	if (f->lost_rank)
		mark_damaged(f, "what is known of a rank", offset, "the rank is left out");
	json_decref(info);
}

static void take_chunk(struct data_file *f, const struct data_chunk *chunk,
		       const char *data, unsigned long long offset)
{
	struct data_rank *rank = present(f);

	if (f->merged && chunk->type == DATA_RANK) {
		take_rank(f, data, chunk->size, offset);
		return;
	}
	if (!rank)
		mark_damaged(f, "a part of no rank", offset, "it is left out");
	if (!rank || f->lost_rank)
		return;
	switch (chunk->type) {
	case DATA_RECORDS:
		take_records(f, data, chunk->size, offset);
		break;
	case DATA_TASKS:
		take_tasks(f, data, chunk->size, offset);
		break;
	case DATA_MARKS:
		take_marks(f, data, chunk->size, offset);
		break;
	case DATA_KSYMS:
		append(&rank->ksyms, &rank->ksyms_size, data, strnlen(data, chunk->size));
		break;
	case DATA_END:
		take_end(f, data, chunk->size, offset);
		break;
	}
}

/**
 * struct scan - going through the chunks
 * @buffer: the payload of the present chunk
 * @room: bytes of @buffer
 * @offset: offset of the next chunk
 * @chunk: the head of the present chunk
 */
struct scan {
	char *buffer;
	size_t room;
	unsigned long long offset;
	struct data_chunk chunk;
};

/* Read the next chunk into @s; returns 0, 1 if there is none, or a negative errno */
static int next_chunk(struct data_file *f, struct scan *s)
{
	const char *then = "what comes before is shown";
	struct data_chunk *chunk = &s->chunk;
	ssize_t n;

	if (s->offset == f->size)
		return 1;
	n = read_at(f->fd, chunk, sizeof(*chunk), s->offset);
	if (n < 0)
		return -errno;
	if (n < (ssize_t)sizeof(*chunk))
		return cut_off(f, s->offset);
	if (!chunk->type || chunk->size % 8 || chunk->size > DATA_MAX_CHUNK)
		return mark_damaged(f, "no chunk begins", s->offset, then);
	if (chunk->size > f->size - s->offset - sizeof(*chunk))
		return cut_off(f, s->offset);
	if (chunk->size + 8 > s->room) {
		free(s->buffer);
		s->room = chunk->size + 8;
		s->buffer = xalloc(1, s->room);
	}
	n = read_at(f->fd, s->buffer, chunk->size, s->offset + sizeof(*chunk));
	if (n < 0)
		return -errno;
	if (n < (ssize_t)chunk->size)
		return cut_off(f, s->offset);
	if (add_crc(0, s->buffer, chunk->size) != chunk->crc)
		return mark_damaged(f, "wrong checksum of the chunk", s->offset, then);
	return 0;
}

static int cant_read(const struct data_file *f, int error)
{
	return complain("can't read %s: %s", f->path, strerror(error));
}

/* Take all chunks up to the end, or to an error */
static int scan_chunks(struct data_file *f, struct scan *s)
{
	unsigned long long payload;
	int ret;

	while (1) {
		progress("checking", f->path, s->offset, f->size);
		ret = next_chunk(f, s);
		if (ret < 0)
			return cant_read(f, -ret);
		if (ret && !f->info)
			return complain("%s has nothing in it: its first chunk is %s",
					f->path, f->damaged ? "damaged" : "not complete");
		if (ret)
			return 0;
		payload = s->offset + sizeof(s->chunk);
		if (!f->info) {
			if (s->chunk.type != DATA_INFO)
				return complain("%s is damaged: it does not say what was recorded",
						f->path);
			ret = take_info(f, s->buffer, s->chunk.size);
			if (ret)
				return ret;
		} else {
			take_chunk(f, &s->chunk, s->buffer, payload);
		}
		s->offset = payload + s->chunk.size;
	}
}

static int check_header(struct data_file *f, unsigned long long *offset)
{
	static const char later[] =
		"%s was written by a later version (%u), this one reads up to %u: use that one";
	static const char earlier[] =
		"%s was written by an earlier version (%u), this one reads %u and later: "
		"record again";
	struct data_header header;
	ssize_t n = read_at(f->fd, &header, sizeof(header), 0);

	if (n < 0)
		return cant_read(f, errno);
	if (!n)
		return complain("%s is empty: its recorder was killed, or had no space",
				f->path);
	if (n < (ssize_t)sizeof(header) ||
	    memcmp(header.magic, DATA_MAGIC, sizeof(header.magic)))
		return complain("%s is no data file of %s record", f->path, PROGRAM);
	if (header.version > DATA_MERGED)
		return complain(later, f->path, header.version, DATA_MERGED);
	if (header.version && header.version < DATA_OLDEST)
		return complain(earlier, f->path, header.version, DATA_OLDEST);
	if (!header.version || header.header_size < sizeof(header) ||
	    header.header_size % 8 || header.header_size > MAX_HEADER ||
	    header.header_size > f->size)
		return complain("%s is damaged: its header is impossible", f->path);
	f->merged = header.version == DATA_MERGED;
	*offset = header.header_size;
	return 0;
}

static int check_file(struct data_file *f, int fd, const char *path)
{
	struct scan s = { .buffer = NULL };
	struct stat st;
	int status;

	f->fd = fd;
	f->path = path;
	if (fd < 0)
		return CTL_FAILED;
	if (fstat(fd, &st))
		return cant_read(f, errno);
	f->size = st.st_size;
	status = check_header(f, &s.offset);
	if (!status)
		status = scan_chunks(f, &s);
	progress_end();
	free(s.buffer);
	ranks_sum(f);
	return status;
}

int data_open(struct data_file *f, int fd, const char *path)
{
	memset(f, 0, sizeof(*f));
	return check_file(f, fd, path);
}

int data_open_quietly(struct data_file *f, int fd, const char *path)
{
	memset(f, 0, sizeof(*f));
	f->quiet = 1;
	return check_file(f, fd, path);
}

void data_close(struct data_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	json_decref(f->info);
	json_decref(f->end);
	free(f->pieces);
	free(f->tasks);
	free(f->marks);
	ranks_free(f);
}
