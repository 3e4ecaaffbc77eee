/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Marks: the regions of a program that knc-pmuctl record has started, for ring3-regions.h, the only
 * file that includes this. Each visit goes into a ring that this thread has in a file shared with
 * the recorder, with the time of RDTSC at its begin and end, and without a system call.
 *
 * Where regions are marked they count nothing. Therefore each of them takes the slow paths, the
 * fast ones have no further instruction, and neither RDPMC nor knc_ring3_init() is needed.
 */
#ifndef KNC_RING3_MARKS_H
#define KNC_RING3_MARKS_H

#include <sys/stat.h>
#include "ring3-marks-file.h"

/* What all files of a program, or of a shared library, share */
struct knc_r3_marking {
	int asked;			/* the environment was looked at */
	struct knc_marks *file;		/* NULL: nobody records */
	struct knc_r3_node *regions;	/* one for each name: its number is in @visits */
};

/* The state of this thread. The file has a copy for the recorder, which is not read here */
struct knc_r3_marker {
	struct knc_marks_thread *ring;	/* NULL: none */
	struct knc_marks_open *open;
	struct knc_marks_visit *visits;
	unsigned int tid;
	unsigned int depth;
	unsigned long head;
};

KNC_R3_NO_WARNING
KNC_R3_SHARED struct knc_r3_marking knc_r3_marking = { 0, NULL, NULL };
KNC_R3_SHARED __thread struct knc_r3_marker knc_r3_marker = { NULL, NULL, NULL, 0, 0, 0 };
KNC_R3_WARNING

#define KNC_R3_BARRIER()	__asm__ __volatile__("" : : : "memory")

/* Take a ring for this thread. Its open visits go on there: as begun at @now, if that is not 0 */
KNC_R3_OUT void knc_r3_mark_claim(unsigned long now)
{
	struct knc_marks *file = knc_r3_marking.file;
	struct knc_r3_marker *m = &knc_r3_marker;
	const struct knc_marks_open *from = now ? m->open : NULL;
	unsigned int i, d, seen;

	/* getpid and gettid are 39 and 186 */
	m->tid = (unsigned int)knc_r3_syscall(186, 0, 0, 0);
	m->ring = NULL;
	for (i = 0; i < KNC_MARKS_THREADS; i++)
		if (!file->thread[i].tid &&
		    __sync_bool_compare_and_swap(&file->thread[i].tid, 0U, m->tid))
			break;
	if (i == KNC_MARKS_THREADS)
		return;
	m->ring = &file->thread[i];
	m->open = file->open[i];
	m->visits = file->visit[i];
	m->head = m->ring->tail;
	m->ring->head = m->head;
	m->ring->pid = (unsigned int)knc_r3_syscall(39, 0, 0, 0);
	for (d = 0; d < KNC_MARKS_DEPTH; d++) {
		m->open[d].region = from && d < m->depth ? from[d].region : 0;
		m->open[d].begin = now;
	}
	m->ring->depth = m->depth;
	while ((seen = file->nr_threads) <= i &&
	       !__sync_bool_compare_and_swap(&file->nr_threads, seen, i + 1))
		;
}

/* A process was forked: its only thread must not write to its parent's ring */
KNC_R3_OUT void knc_r3_mark_forked(void)
{
	if (knc_r3_marking.file && knc_r3_marker.ring)
		knc_r3_mark_claim(knc_rdtsc());
}

#ifdef __cplusplus
extern "C" {
#endif
/* glibc's pthread_atfork() is in an archive, from which a weak reference links nothing */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			void *library) __attribute__((__weak__));
extern void *__dso_handle __attribute__((__weak__, __visibility__("hidden")));
#ifdef __cplusplus
}
#endif
#pragma weak pthread_atfork

/* Map the file of $KNC_MARKS, unless its descriptor is another file's by now */
KNC_R3_COLD struct knc_marks *knc_r3_mark_map(const char *text)
{
	struct knc_marks *file;
	unsigned long device, inode;
	struct stat st;
	char *end;
	long fd;

	fd = strtol(text, &end, 10);
	if (*end != ':' || fstat((int)fd, &st))
		return NULL;
	device = strtoul(end + 1, &end, 10);
	if (*end != ':')
		return NULL;
	inode = strtoul(end + 1, &end, 10);
	if (*end || st.st_dev != device || st.st_ino != inode ||
	    (unsigned long)st.st_size != sizeof(*file))
		return NULL;
	file = (struct knc_marks *)mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED,
					(int)fd, 0);
	if (file == (struct knc_marks *)MAP_FAILED || file->magic != KNC_MARKS_MAGIC)
		return NULL;
	return file;
}

/* At the first region: is there a recorder? Set-user-ID programs are never recorded */
KNC_R3_COLD void knc_r3_mark_open(void)
{
	const char *text = getenv(KNC_MARKS_ENV);
	struct knc_marks *file = NULL;
	int error = errno;

	if (text && getuid() == geteuid() && getgid() == getegid())
		file = knc_r3_mark_map(text);
	if (file && __register_atfork)
		__register_atfork(NULL, NULL, knc_r3_mark_forked,
				  &__dso_handle ? __dso_handle : NULL);
	else if (file && pthread_atfork)
		pthread_atfork(NULL, NULL, knc_r3_mark_forked);
	(void)__sync_bool_compare_and_swap(&knc_r3_marking.file, (struct knc_marks *)NULL, file);
	KNC_R3_BARRIER();
	knc_r3_marking.asked = 1;
	errno = error;
}

/* Are regions marked, and not counted? */
KNC_R3_INLINE int knc_r3_marked(void)
{
	if (KNC_R3_UNLIKELY(!knc_r3_marking.asked))
		knc_r3_mark_open();
	return !!knc_r3_marking.file;
}

/* The number of a name; 0: the file has no room. If two threads add a name at once, it gets two */
KNC_R3_OUT unsigned int knc_r3_mark_number(const char *name)
{
	struct knc_marks *file = knc_r3_marking.file;
	unsigned int i, nr = file->nr_names;

	for (i = 1; i <= nr && i < KNC_MARKS_NAMES; i++)
		if (!strncmp(file->name[i].text, name, KNC_MARKS_NAME - 1))
			return i;
	if (nr >= KNC_MARKS_NAMES - 1)
		return 0;
	i = __sync_add_and_fetch(&file->nr_names, 1U);
	if (i >= KNC_MARKS_NAMES)
		return 0;
	for (nr = 0; nr < KNC_MARKS_NAME - 1 && name[nr]; nr++)
		file->name[i].text[nr] = name[nr];
	return i;
}

/* A node with the number of @name in @visits. Like trees, these are never freed */
KNC_R3_OUT struct knc_r3_node *knc_r3_mark_node(const char *name)
{
	struct knc_r3_site *site;
	struct knc_r3_node *n;
	size_t size = strlen(name) + 1;

	for (n = knc_r3_marking.regions; n; n = n->sibling)
		if (!strcmp(n->site->name, name))
			return n;
	n = (struct knc_r3_node *)calloc(1, sizeof(*n) + sizeof(*site) + size);
	if (!n)
		return NULL;
	site = (struct knc_r3_site *)(n + 1);
	site->name = (char *)memcpy(site + 1, name, size);
	n->site = site;
	n->visits = knc_r3_mark_number(name);
	do {
		n->sibling = knc_r3_marking.regions;
	} while (!__sync_bool_compare_and_swap(&knc_r3_marking.regions, n->sibling, n));
	return n;
}

/* A visit of @region begins; the clock is read last */
KNC_R3_INLINE void knc_r3_mark_begin(unsigned long region)
{
	struct knc_r3_marker *m = &knc_r3_marker;
	struct knc_marks_open *open;
	unsigned int depth;

	/* the recorder takes the rings of dead threads, and may have been wrong about this one */
	if (KNC_R3_UNLIKELY(!m->ring || m->ring->tid != m->tid))
		knc_r3_mark_claim(0);
	depth = m->depth++;
	if (depth >= KNC_MARKS_DEPTH || !m->ring)
		return;
	open = &m->open[depth];
	open->region = region;
	m->ring->depth = depth + 1;
	KNC_R3_BARRIER();
	open->begin = knc_rdtsc();
}

/* The visit at @depth has ended at @now: it goes into the ring, or is lost */
KNC_R3_INLINE void knc_r3_mark_write(unsigned int depth, unsigned long now)
{
	struct knc_r3_marker *m = &knc_r3_marker;
	struct knc_marks_thread *t = m->ring;
	const struct knc_marks_open *open = &m->open[depth];
	struct knc_marks_visit *v;

	if (KNC_R3_UNLIKELY(!t)) {
		__sync_fetch_and_add(&knc_r3_marking.file->lost, 1UL);
		return;
	}
	if (KNC_R3_UNLIKELY(depth >= KNC_MARKS_DEPTH || !open->region ||
			    m->head - t->tail >= KNC_MARKS_VISITS)) {
		t->lost++;
		return;
	}
	v = &m->visits[m->head % KNC_MARKS_VISITS];
	v->begin = open->begin;
	v->end = now;
	v->region = (unsigned int)open->region;
	v->depth = depth;
	KNC_R3_BARRIER();
	t->head = ++m->head;
}

/* End the innermost visit; if there is none, ignore this surplus KNC_END() */
KNC_R3_OUT void knc_r3_mark_end(void)
{
	unsigned long now = knc_rdtsc();
	struct knc_r3_marker *m = &knc_r3_marker;

	if (!m->depth)
		return;
	m->depth--;
	if (m->ring)
		m->ring->depth = m->depth;
	knc_r3_mark_write(m->depth, now);
}

#endif /* KNC_RING3_MARKS_H */
