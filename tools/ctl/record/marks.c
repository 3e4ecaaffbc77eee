// SPDX-License-Identifier: GPL-2.0
/*
 * Visits of ring3.h's regions
 *
 * The command inherits a memory file in which each of its threads has a ring of visits. Any process
 * that it starts may write garbage there or truncate the file. Therefore the recorder does not map
 * the file: it copies and checks what it reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/data.h"
#include "record/marks.h"

#define BUFFER_SIZE	(256U << 10)
/* The most visits of a recording: report keeps them all in memory, 320 MB */
#define MOST_VISITS	(8ULL << 20)
/* The shortest time between two looks, ms */
#define HURRY		20
/* The shortest time between two readings of the clock; closer ones are no better */
#define CLOCK_EVERY	(100 * NSEC_PER_MSEC)

#ifndef __NR_memfd_create
#define __NR_memfd_create	319	/* Linux 3.17 */
#endif

static void note_clocks(struct marks *m)
{
	struct ticks now, *more;

	now.tsc = read_clocks(&now.ns);
	if (m->nr_ticks && now.tsc <= m->ticks[m->nr_ticks - 1].tsc)
		return;
	if (m->nr_ticks > 1 && now.ns - m->ticks[m->nr_ticks - 2].ns < CLOCK_EVERY)
		m->nr_ticks--;
	if (m->nr_ticks == m->room_ticks) {
		more = realloc(m->ticks, 2 * (m->room_ticks + 8) * sizeof(*more));
		if (!more)
			return;
		m->ticks = more;
		m->room_ticks = 2 * (m->room_ticks + 8);
	}
	m->ticks[m->nr_ticks++] = now;
}

/* Convert the time of a visit's begin or end to ns; 0: it is not in this recording */
static unsigned long long to_ns(const struct marks *m, unsigned long long at)
{
	size_t low = 0, high = m->nr_ticks - 1, middle;
	const struct ticks *t = m->ticks;

	if (m->nr_ticks < 2 || at < t[low].tsc || at > t[high].tsc)
		return 0;
	while (high - low > 1) {
		middle = (low + high) / 2;
		if (at < t[middle].tsc)
			high = middle;
		else
			low = middle;
	}
	return t[low].ns + (double)(at - t[low].tsc) * (t[high].ns - t[low].ns) /
	       (t[high].tsc - t[low].tsc);
}

/* Create an unnamed file: by memfd, or before Linux 3.17 a temporary one */
static int make_file(void)
{
	int fd = syscall(__NR_memfd_create, "knc-marks", 0);
	FILE *file;

	if (fd >= 0 || errno != ENOSYS)
		return fd;
	file = tmpfile();
	if (!file)
		return -1;
	fd = dup(fileno(file));
	fclose(file);
	return fd;
}

/* Give the file its size, and tell the command its descriptor; returns 0 or -1 */
static int offer(int fd)
{
	const unsigned long magic = KNC_MARKS_MAGIC;
	struct stat st;
	char text[96];

	if (ftruncate(fd, sizeof(struct knc_marks)) || fstat(fd, &st) ||
	    pwrite(fd, &magic, sizeof(magic), 0) != sizeof(magic))
		return -1;
	snprintf(text, sizeof(text), "%d:%lu:%lu", fd, (unsigned long)st.st_dev,
		 (unsigned long)st.st_ino);
	return setenv(KNC_MARKS_ENV, text, 1);
}

static int allocate(struct marks *m)
{
	m->threads = calloc(KNC_MARKS_THREADS, sizeof(*m->threads));
	m->visits = calloc(KNC_MARKS_VISITS, sizeof(*m->visits));
	m->read = calloc(KNC_MARKS_THREADS, sizeof(*m->read));
	m->names = calloc(KNC_MARKS_NAMES, sizeof(*m->names));
	m->buffer = malloc(BUFFER_SIZE);
	return m->threads && m->visits && m->read && m->names && m->buffer ? 0 : -1;
}

void marks_open(struct marks *m, struct data_writer *file)
{
	m->file = file;
	m->fd = make_file();
	if (m->fd >= 0 && !allocate(m) && !offer(m->fd)) {
		note_clocks(m);
		return;
	}
	complain("warning: regions of ring3.h are not marked: can't make a file in memory: %s%s",
		 strerror(errno), remedy(errno));
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

void marks_hide(const struct marks *m)
{
	if (m->fd < 0)
		return;
	fcntl(m->fd, F_SETFD, FD_CLOEXEC);
	unsetenv(KNC_MARKS_ENV);
}

void marks_free(struct marks *m)
{
	if (m->fd >= 0)
		close(m->fd);
	free(m->ticks);
	free(m->threads);
	free(m->visits);
	free(m->read);
	free(m->names);
	free(m->buffer);
}

/* Read a part of the shared file; 0: the file was truncated */
static int get(const struct marks *m, void *to, size_t size, size_t offset)
{
	return pread(m->fd, to, size, offset) == (ssize_t)size;
}

static void set(const struct marks *m, const void *from, size_t size, size_t offset)
{
	if (pwrite(m->fd, from, size, offset) < 0)
		return;
}

static void flush(struct marks *m)
{
	if (m->used)
		writer_put(m->file, DATA_MARKS, NULL, 0, m->buffer, m->used);
	m->used = 0;
}

/* Put a record of @fixed bytes, and a text if it is not NULL, into the buffer */
static void put(struct marks *m, struct data_mark *mark, size_t fixed, const char *text)
{
	size_t len = text ? strlen(text) : 0, bytes = fixed + (text ? (len + 8) & ~7UL : 0);

	if (m->used + bytes > BUFFER_SIZE)
		flush(m);
	mark->size = bytes;
	memset(m->buffer + m->used, 0, bytes);
	memcpy(m->buffer + m->used, mark, fixed);
	memcpy(m->buffer + m->used + fixed, text ? text : "", len);
	m->used += bytes;
}

/* The data file's number for a name; writes a new name before its first visit */
static int number_of(struct marks *m, const struct knc_marks_name *name)
{
	struct data_mark mark = { .type = DATA_MARK_NAME };
	unsigned int i;

	for (i = 0; i < m->nr_regions; i++) {
		if (!strcmp(m->names[i].text, name->text))
			return i + 1;
	}
	m->names[m->nr_regions++] = *name;
	mark.region = m->nr_regions;
	put(m, &mark, sizeof(mark), name->text);
	return mark.region;
}

/* The data file's number for a region, which two threads may both have named. 0: it has none */
static unsigned int find_region(struct marks *m, unsigned int region)
{
	struct knc_marks_name name;

	if (!region || region >= KNC_MARKS_NAMES)
		return 0;
	if (m->number[region])
		return m->number[region] > 0 ? m->number[region] : 0;
	m->number[region] = -1;
	if (!get(m, &name, sizeof(name), offsetof(struct knc_marks, name[region])))
		return 0;
	name.text[sizeof(name.text) - 1] = '\0';
	if (!name.text[0])
		return 0;
	m->number[region] = number_of(m, &name);
	return m->number[region];
}

static void put_visit(struct marks *m, const struct knc_marks_thread *t,
		      const struct knc_marks_visit *v, int open)
{
	struct data_visit visit = {
		.mark.type = DATA_MARK_VISIT,
		.mark.region = find_region(m, v->region),
		.pid = t->pid,
		.tid = t->tid,
		.begin = to_ns(m, v->begin),
		.end = to_ns(m, v->end),
		.begin_tsc = v->begin,
		.end_tsc = v->end,
		.depth = v->depth,
		.open = open,
	};

	if (!visit.begin || !visit.end || v->end < v->begin || visit.end < visit.begin ||
	    v->depth >= KNC_MARKS_DEPTH || !t->pid || t->pid > INT_MAX || t->tid > INT_MAX ||
	    !visit.mark.region) {
		m->impossible++;
		return;
	}
	if (m->nr_visits == MOST_VISITS) {
		m->beyond++;
		return;
	}
	m->nr_visits++;
	put(m, &visit.mark, sizeof(visit), NULL);
}

/* Take the visits @from up to @to of a ring; they are contiguous in it */
static void take_piece(struct marks *m, unsigned int ring, unsigned long from, unsigned long to)
{
	unsigned long i, nr = to - from;

	if (!nr || !get(m, m->visits, nr * sizeof(*m->visits),
			offsetof(struct knc_marks, visit[ring][from % KNC_MARKS_VISITS])))
		return;
	for (i = 0; i < nr; i++)
		put_visit(m, &m->threads[ring], &m->visits[i], 0);
}

/* Take all visits of a ring, and free their space */
static void take_ring(struct marks *m, unsigned int ring)
{
	const struct knc_marks_thread *t = &m->threads[ring];
	unsigned long from = m->read[ring], wrap;

	if (t->head == from)
		return;
	m->read[ring] = t->head;
	if (t->head - from > KNC_MARKS_VISITS) {
		m->impossible++;
	} else {
		if (m->fullest < t->head - from)
			m->fullest = t->head - from;
		wrap = (from / KNC_MARKS_VISITS + 1) * KNC_MARKS_VISITS;
		if (wrap - from > t->head - from)
			wrap = t->head;
		take_piece(m, ring, from, wrap);
		take_piece(m, ring, wrap, t->head);
	}
	set(m, &m->read[ring], sizeof(m->read[ring]),
	    offsetof(struct knc_marks, thread[ring].tail));
}

/*
 * Take visits that have not ended. They end at the last reading of the clock; or if @replaced, an
 * exec may have ended them
 */
static void take_open(struct marks *m, unsigned int ring, int replaced)
{
	const struct knc_marks_thread *t = &m->threads[ring];
	struct knc_marks_open open[KNC_MARKS_DEPTH];
	struct knc_marks_visit v = { .end = m->ticks[m->nr_ticks - 1].tsc };
	unsigned int nr = t->depth < KNC_MARKS_DEPTH ? t->depth : KNC_MARKS_DEPTH;

	if (!nr || !get(m, open, sizeof(open), offsetof(struct knc_marks, open[ring])))
		return;
	for (; v.depth < nr; v.depth++) {
		/* visits begun before the thread had a ring are lost */
		if (!open[v.depth].region)
			continue;
		v.begin = open[v.depth].begin;
		v.region = open[v.depth].region < KNC_MARKS_NAMES ? open[v.depth].region : 0;
		put_visit(m, t, &v, replaced);
	}
}

/* If many rings are in use, free the rings of ended threads, which don't do it themselves */
static void free_ring(struct marks *m, unsigned int ring)
{
	const struct knc_marks_thread *t = &m->threads[ring];
	const unsigned int none = 0;

	if (!syscall(SYS_tgkill, t->pid, t->tid, 0) || errno != ESRCH)
		return;
	take_open(m, ring, 0);
	set(m, &none, sizeof(none), offsetof(struct knc_marks, thread[ring].depth));
	set(m, &none, sizeof(none), offsetof(struct knc_marks, thread[ring].tid));
}

/* Read the state of all rings that were ever in use; returns their number */
static unsigned int look(struct marks *m)
{
	struct { unsigned int names, threads; unsigned long lost; } head;
	unsigned int nr, i;

	if (m->fd < 0 || !get(m, &head, sizeof(head), offsetof(struct knc_marks, nr_names)))
		return 0;
	nr = head.threads < KNC_MARKS_THREADS ? head.threads : KNC_MARKS_THREADS;
	if (!nr || !get(m, m->threads, nr * sizeof(*m->threads),
			offsetof(struct knc_marks, thread)))
		return 0;
	m->lost = head.lost;
	for (i = 0; i < nr; i++)
		m->lost += m->threads[i].lost;
	note_clocks(m);
	return nr;
}

void marks_drain(struct marks *m)
{
	unsigned int i, nr = look(m);

	m->fullest = 0;
	for (i = 0; i < nr; i++) {
		if (!m->threads[i].tid)
			continue;
		take_ring(m, i);
		if (nr > KNC_MARKS_THREADS / 2)
			free_ring(m, i);
	}
	flush(m);
}

int marks_wait(const struct marks *m, int every)
{
	int wait = every;
	unsigned long fill;

	for (fill = m->fullest; fill > KNC_MARKS_VISITS / 16 && wait > HURRY; fill /= 2)
		wait /= 4;
	return wait > HURRY ? wait : every < HURRY ? every : HURRY;
}

void marks_end(struct marks *m, int execs)
{
	struct data_marks_lost lost = { .mark.type = DATA_MARK_LOST };
	unsigned int i, nr;

	marks_drain(m);
	nr = look(m);
	for (i = 0; i < nr; i++) {
		if (m->threads[i].tid)
			take_open(m, i, execs);
	}
	lost.lost = m->lost + m->beyond;
	lost.impossible = m->impossible;
	if (lost.lost || lost.impossible)
		put(m, &lost.mark, sizeof(lost), NULL);
	flush(m);
}
