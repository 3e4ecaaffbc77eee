// SPDX-License-Identifier: GPL-2.0
/* The header of a perf.data: linux, tools/perf/Documentation/perf.data-file-format.txt */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json/value.h"
#include "import/import.h"

#define HEADER_SIZE	104
#define PIPE_SIZE	16
#define ATTR_MIN	64		/* PERF_ATTR_SIZE_VER0 */
#define MAX_ATTR	4096
#define MAX_SECTION	(16U << 20)	/* bytes of a section of the header that is read */
#define BUILD_ID_SIZE	(1U << 15)	/* flag in misc: the record has the size of the build id */

enum feature {
	BUILD_ID = 2,
	HOSTNAME = 3,
	OSRELEASE = 4,
	CMDLINE = 11,
	EVENT_DESC = 12,
	NR_FEATURES = 256
};

/* A section that was read */
struct section {
	unsigned char *data;
	size_t size;
	size_t at;
};

int perf_damaged(const struct perf_file *p, const char *what, unsigned long long offset)
{
	return complain("%s is damaged: %s at byte %llu; record again", p->path, what, offset);
}

static int read_at(const struct perf_file *p, unsigned long long offset, void *to, size_t size)
{
	return fseeko(p->f, offset, SEEK_SET) || fread(to, 1, size, p->f) != size ? -1 : 0;
}

static int is_within(const struct perf_file *p, unsigned long long offset, unsigned long long size)
{
	return offset <= p->size && size <= p->size - offset;
}

/* Read a section, and append a NUL; returns 0, or -1 if it is not in the file */
static int read_section(const struct perf_file *p, struct section *s, unsigned long long offset,
			unsigned long long size)
{
	memset(s, 0, sizeof(*s));
	if (!is_within(p, offset, size) || size > MAX_SECTION)
		return -1;
	s->data = xalloc(1, size + 1);
	s->size = size;
	return read_at(p, offset, s->data, size);
}

/* The next @size bytes; NULL: the section has fewer */
static const void *take(struct section *s, size_t size)
{
	const void *at = s->data + s->at;

	if (size > s->size - s->at)
		return NULL;
	s->at += size;
	return at;
}

static unsigned int take_u32(struct section *s)
{
	unsigned int value = 0;
	const void *at = take(s, sizeof(value));

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/* A text preceded by its length; NULL: there is none */
static const char *take_string(struct section *s)
{
	unsigned int size = take_u32(s);
	const char *text = take(s, size);

	return text ? intern(text, strnlen(text, size)) : NULL;
}

static void add_id(struct perf_file *p, unsigned long long id, unsigned int event)
{
	struct perf_id *known;

	HASH_FIND(hh, p->ids, &id, sizeof(id), known);
	if (known)
		return;
	known = xalloc(1, sizeof(*known));
	known->id = id;
	known->event = event;
	HASH_ADD(hh, p->ids, id, sizeof(known->id), known);
}

static int take_ids(struct perf_file *p, const unsigned long long *where, unsigned int event)
{
	struct section s;
	unsigned long long id;
	const void *at;
	int bad = where[1] % sizeof(id) || read_section(p, &s, where[0], where[1]);

	while (!bad && (at = take(&s, sizeof(id)))) {
		memcpy(&id, at, sizeof(id));
		add_id(p, id, event);
	}
	if (!(where[1] % sizeof(id)))
		free(s.data);
	return bad ? perf_damaged(p, "numbers of an event", where[0]) : 0;
}

/* struct perf_event_attr: after 16 bytes the period, sample_type, read_format and flags */
static void take_attr(struct perf_event *e, const unsigned char *attr)
{
	memcpy(&e->period, attr + 16, 8);
	memcpy(&e->sample_type, attr + 24, 8);
	memcpy(&e->read_format, attr + 32, 8);
	memcpy(&e->flags, attr + 40, 8);
	e->name = "event";
}

static int take_attrs(struct perf_file *p, unsigned long long size,
		      const unsigned long long *where)
{
	unsigned char entry[MAX_ATTR];
	unsigned long long ids[2];
	unsigned int i;
	int status;

	if (size < ATTR_MIN + sizeof(ids) || size > sizeof(entry) || !where[1] ||
	    where[1] % size || !is_within(p, where[0], where[1]))
		return perf_damaged(p, "impossible events", where[0]);
	if (where[1] / size > DATA_EVENTS)
		return complain("%s has %llu events: there are at most %u in a recording; record "
				"fewer at once", p->path, where[1] / size, DATA_EVENTS);
	for (i = 0; i < where[1] / size; i++) {
		if (read_at(p, where[0] + i * size, entry, size))
			return perf_damaged(p, "an event", where[0] + i * size);
		take_attr(&p->events[p->nr_events++], entry);
		memcpy(ids, entry + size - sizeof(ids), sizeof(ids));
		status = take_ids(p, ids, i);
		if (status)
			return status;
	}
	return 0;
}

static void take_names(struct perf_file *p, struct section *s)
{
	unsigned int i, ids, nr = take_u32(s), size = take_u32(s);
	const char *name;

	for (i = 0; i < nr && i < p->nr_events && take(s, size); i++) {
		ids = take_u32(s);
		name = take_string(s);
		if (name && *name)
			p->events[i].name = name;
		if (!take(s, 8ULL * ids))
			return;
	}
}

static void take_command(struct perf_file *p, struct section *s)
{
	unsigned int i, nr = take_u32(s);
	const char *word;

	p->command = json_array();
	for (i = 0; i < nr; i++) {
		word = take_string(s);
		if (!word)
			return;
		json_array_append_new(p->command, json_string(word));
	}
}

/* Records of a header, a pid, 20 bytes of the build id, its size, and the path */
static void take_build_ids(struct perf_file *p, struct section *s)
{
	const unsigned char *at;
	struct perf_build_id *id, *known;
	unsigned short misc, size;

	while ((at = take(s, 8))) {
		memcpy(&misc, at + 4, 2);
		memcpy(&size, at + 6, 2);
		if (size < 37 || !take(s, size - 8))
			return;
		id = xalloc(1, sizeof(*id));
		memcpy(id->id, at + 12, sizeof(id->id));
		id->size = sizeof(id->id);
		if (misc & BUILD_ID_SIZE && at[32] < id->size)
			id->size = at[32];
		id->path = intern((const char *)at + 36, strnlen((const char *)at + 36, size - 36));
		HASH_FIND(hh, p->build_ids, &id->path, sizeof(id->path), known);
		if (known)
			free(id);
		else
			HASH_ADD(hh, p->build_ids, path, sizeof(id->path), id);
	}
}

static void take_feature(struct perf_file *p, unsigned int feature, struct section *s)
{
	switch (feature) {
	case BUILD_ID:
		take_build_ids(p, s);
		break;
	case HOSTNAME:
		p->host = take_string(s);
		break;
	case OSRELEASE:
		p->kernel = take_string(s);
		break;
	case CMDLINE:
		take_command(p, s);
		break;
	case EVENT_DESC:
		take_names(p, s);
		break;
	}
}

/* The table of sections after the records has one for each feature bit */
static int take_features(struct perf_file *p, const unsigned char *bits)
{
	unsigned long long where[2], table = p->end;
	struct section s;
	unsigned int i;

	for (i = 0; i < NR_FEATURES; i++) {
		if (!(bits[i / 8] >> i % 8 & 1))
			continue;
		if (read_at(p, table, where, sizeof(where)) || !is_within(p, where[0], where[1]))
			return perf_damaged(p, "the table of its features", table);
		table += sizeof(where);
		if (i != BUILD_ID && i != HOSTNAME && i != OSRELEASE && i != CMDLINE &&
		    i != EVENT_DESC)
			continue;
		if (!read_section(p, &s, where[0], where[1]))
			take_feature(p, i, &s);
		free(s.data);
	}
	return 0;
}

static int take_header(struct perf_file *p)
{
	unsigned char h[HEADER_SIZE];
	unsigned long long at[8];
	int status;

	memset(h, 0, sizeof(h));
	if (read_at(p, 0, h, PIPE_SIZE))
		return complain("%s is no recording of perf: it has no header", p->path);
	if (!memcmp(h, "2ELIFREP", 8))
		return complain("%s was recorded by a machine with another order of bytes: import "
				"can't read it", p->path);
	memcpy(at, h, PIPE_SIZE);
	if (memcmp(h, "PERFILE2", 8))
		return complain("%s is no recording of perf: it does not begin with PERFILE2",
				p->path);
	if (at[1] == PIPE_SIZE)
		return complain("%s is what perf writes to a pipe: write it to a file (perf record "
				"-o FILE)", p->path);
	if (at[1] != HEADER_SIZE || read_at(p, 0, h, sizeof(h)))
		return perf_damaged(p, "the size of its header", 8);
	memcpy(at, h, sizeof(at));
	if (!is_within(p, at[5], at[6]))
		return perf_damaged(p, "the place of its records", 40);
	p->begin = at[5];
	p->end = at[5] + at[6];
	if (!at[6])
		return complain("%s has no records: perf was killed, or recorded nothing", p->path);
	status = take_attrs(p, at[2], at + 3);
	return status ? : take_features(p, h + 72);
}

int perf_file_open(struct perf_file *p, const char *path)
{
	struct stat st;

	memset(p, 0, sizeof(*p));
	p->path = path;
	p->f = fopen(path, "re");
	if (!p->f || fstat(fileno(p->f), &st))
		return complain("can't open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return complain("%s is no file: import reads its header and its end, so write a "
				"file first", path);
	p->size = st.st_size;
	return take_header(p);
}

void perf_file_close(struct perf_file *p)
{
	free_entries(p->ids);
	free_entries(p->build_ids);
	json_decref(p->command);
	if (p->f)
		fclose(p->f);
}
