// SPDX-License-Identifier: GPL-2.0
/*
 * Visits the records of all rings and tasks in the order of time
 *
 * Each ring is in order, except for some microseconds (@time of struct knc_pmu_sample); a heap has
 * the next record of each. At equal times records of tasks come first, because they apply to the
 * sample, then lower CPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/read-at.h"
#include "profile/ranks.h"

#define WINDOW	(1U << 17)	/* at least twice the longest record */
#define WINDOWS	(1U << 26)	/* bytes of all windows together, but each has at least LEAST */
#define LEAST	(1U << 12)

/**
 * struct cursor - the position in a ring
 * @cpu: the hardware thread of the ring
 * @pieces: indices of its pieces
 * @nr: number of pieces
 * @room: elements of @pieces
 * @piece: the present piece
 * @offset: bytes of it that were read into the window
 * @window: a part of the piece
 * @size: bytes that @window has room for
 * @at: position of the next record in the window
 * @end: bytes in the window
 * @time: time of the next record
 */
struct cursor {
	unsigned int cpu;
	size_t *pieces;
	size_t nr;
	size_t room;
	size_t piece;
	unsigned long long offset;
	char *window;
	size_t size;
	size_t at;
	size_t end;
	unsigned long long time;
};

/**
 * struct walk - a walk over a file
 * @f: the file
 * @cursors: one for each ring
 * @nr: number of @cursors
 * @heap: cursors with records, the earliest first
 * @nr_heap: number of cursors in @heap
 * @tasks: records of tasks, in order
 * @nr_tasks: number of @tasks
 * @task: index of the next one
 * @done: bytes of records that were visited
 * @error: errno of an error of reading
 */
struct walk {
	const struct data_file *f;
	struct cursor *cursors;
	size_t nr;
	struct cursor **heap;
	size_t nr_heap;
	const struct data_task **tasks;
	size_t nr_tasks;
	size_t task;
	unsigned long long done;
	int error;
};

static const struct knc_pmu_record *current(const struct cursor *c)
{
	return (const void *)(c->window + c->at);
}

/* Fill the window; returns 0 at the end of the piece */
static int fill(struct walk *w, struct cursor *c)
{
	const struct data_piece *p = &w->f->pieces[c->pieces[c->piece]];
	size_t left = c->end - c->at, want = c->size - left;
	ssize_t n;

	memmove(c->window, c->window + c->at, left);
	c->at = 0;
	if (want > p->size - c->offset)
		want = p->size - c->offset;
	n = read_at(w->f->fd, c->window + left, want, p->offset + c->offset);
	if (n < (ssize_t)want) {
		/* the file was truncated after it was opened */
		w->error = n < 0 ? errno : EIO;
		return 0;
	}
	c->offset += want;
	c->end = left + want;
	return c->end > 0;
}

/* Is the next record complete within the window? */
static int whole(const struct cursor *c)
{
	return c->end - c->at >= sizeof(struct knc_pmu_record) &&
	       c->end - c->at >= current(c)->size;
}

/* Load the next record into the window; returns 0 at the end of the piece */
static int load(struct walk *w, struct cursor *c)
{
	if (whole(c))
		return 1;
	if (!fill(w, c))
		return 0;
	if (whole(c) || c->size >= WINDOW)
		return 1;
	/* room for a long record, such as one with a copy of the stack */
	c->size = WINDOW;
	c->window = realloc(c->window, c->size);
	if (!c->window)
		out_of_memory();
	return fill(w, c);
}

/* Go to the next record; returns 0 if there is none */
static int step(struct walk *w, struct cursor *c)
{
	unsigned long long time;

	while (c->piece < c->nr && !w->error) {
		if (!load(w, c)) {
			c->piece++;
			c->offset = 0;
			c->at = 0;
			c->end = 0;
			continue;
		}
		/* check again, because the file may have changed since */
		if (!data_record_good(w->f, current(c), c->end - c->at)) {
			w->error = EIO;
			return 0;
		}
		ranks_take_record(w->f, data_rank_index(c->cpu), (void *)(c->window + c->at));
		time = data_record_time(current(c));
		if (time)
			c->time = time;
		return 1;
	}
	return 0;
}

static int earlier(const struct cursor *a, const struct cursor *b)
{
	return a->time != b->time ? a->time < b->time : a->cpu < b->cpu;
}

static void sift_down(struct walk *w, size_t i)
{
	struct cursor *moving = w->heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < w->nr_heap; i = child) {
		if (child + 1 < w->nr_heap && earlier(w->heap[child + 1], w->heap[child]))
			child++;
		if (!earlier(w->heap[child], moving))
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = moving;
}

/* @index: by the number on the host, because the pieces of a rank are contiguous */
static struct cursor *cursor_of(struct walk *w, size_t *index, unsigned int cpu)
{
	size_t *at = &index[data_cpu(cpu)];

	if (!*at || w->cursors[*at - 1].cpu != cpu) {
		w->cursors[w->nr].cpu = cpu;
		*at = ++w->nr;
	}
	return &w->cursors[*at - 1];
}

/* Choose the window's size: small for a short piece, or if there are many rings */
static void make_window(const struct walk *w, struct cursor *c)
{
	unsigned long long all = 0, most = WINDOWS / w->nr;
	size_t i;

	for (i = 0; i < c->nr; i++)
		all += w->f->pieces[c->pieces[i]].size;
	most = most > WINDOW ? WINDOW : most < LEAST ? LEAST : most;
	c->size = all < most ? all : most;
	c->window = xalloc(1, c->size);
}

static void make_cursors(struct walk *w)
{
	size_t *index = xalloc(KNC_PMU_MAX_CPUS, sizeof(*index));
	size_t i, max = w->f->nr_ranks * KNC_PMU_MAX_CPUS;
	struct cursor *c;

	w->cursors = xalloc(w->f->nr_pieces < max ? w->f->nr_pieces : max, sizeof(*w->cursors));
	for (i = 0; i < w->f->nr_pieces; i++) {
		c = cursor_of(w, index, w->f->pieces[i].cpu);
		c->pieces = xgrow(c->pieces, c->nr, &c->room, sizeof(*c->pieces));
		c->pieces[c->nr++] = i;
	}
	free(index);
	w->heap = xalloc(w->nr, sizeof(*w->heap));
	for (i = 0; i < w->nr; i++) {
		make_window(w, &w->cursors[i]);
		if (step(w, &w->cursors[i]))
			w->heap[w->nr_heap++] = &w->cursors[i];
	}
	for (i = w->nr_heap / 2; i-- > 0;)
		sift_down(w, i);
}

/* Order by time; records of the same time in the order of the file */
static int compare_tasks(const void *a, const void *b)
{
	const struct data_task *x = *(const struct data_task * const *)a;
	const struct data_task *y = *(const struct data_task * const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_tasks(struct walk *w)
{
	const struct data_task *task;
	size_t at, room = 0;

	for (at = 0; at < w->f->tasks_size; at += task->size) {
		task = (const void *)(w->f->tasks + at);
		w->tasks = xgrow(w->tasks, w->nr_tasks, &room, sizeof(*w->tasks));
		w->tasks[w->nr_tasks++] = task;
	}
	if (w->nr_tasks)
		qsort(w->tasks, w->nr_tasks, sizeof(*w->tasks), compare_tasks);
}

/* Visit the records of tasks up to the record's time, then the record */
static void visit(struct walk *w, const struct data_visitor *visitor, void *ctx,
		  const struct cursor *c)
{
	while (w->task < w->nr_tasks && w->tasks[w->task]->time <= c->time)
		visitor->task(ctx, w->tasks[w->task++]);
	if (!visitor->prints)
		progress("reading", w->f->path, w->done, w->f->size);
	w->done += current(c)->size;
	visitor->record(ctx, current(c));
}

static void walk_free(struct walk *w)
{
	size_t i;

	for (i = 0; i < w->nr; i++) {
		free(w->cursors[i].pieces);
		free(w->cursors[i].window);
	}
	free(w->cursors);
	free(w->heap);
	free(w->tasks);
}

int data_walk(const struct data_file *f, const struct data_visitor *visitor,
	      void *ctx)
{
	struct walk w = { .f = f };
	struct cursor *c;

	sort_tasks(&w);
	make_cursors(&w);
	while (w.nr_heap) {
		c = w.heap[0];
		visit(&w, visitor, ctx, c);
		c->at += current(c)->size;
		if (!step(&w, c))
			w.heap[0] = w.heap[--w.nr_heap];
		if (w.nr_heap)
			sift_down(&w, 0);
	}
	while (w.task < w.nr_tasks)
		visitor->task(ctx, w.tasks[w.task++]);
	progress_end();
	walk_free(&w);
	if (!w.error)
		return 0;
	return complain("can't read %s: %s; it may have been changed meanwhile: try again", f->path,
			strerror(w.error));
}
