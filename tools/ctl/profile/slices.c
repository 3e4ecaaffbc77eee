// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over slices of time, from which a page's reader selects
 *
 * Neither the length of the recording nor the number of its functions and stacks is known before
 * its end. Therefore slices are short at first, and are widened until there are few enough sums.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/slices.h"

#define FIRST_WIDTH	1000ULL	/* ns */
#define MAX_SLICES	256
#define MAX_SUMS	30000		/* a sum has about a dozen bytes, for stacks thrice */

/**
 * struct stack_end - a stack, by the node of each view where it ends
 * @key: the nodes, which belong to trees of one event
 * @event: index of the event
 * @ref: the slice of its last sample
 * @hh: in a hash, by @key
 */
struct stack_end {
	struct {
		struct node *ends[NR_VIEWS];
	} key;
	unsigned int event;
	struct slice_last ref;
	UT_hash_handle hh;
};

/**
 * struct slices - all sums
 * @started: when the recording began, ns
 * @width: ns of a slice
 * @last: the largest number of a slice
 * @all: hash of the sums
 * @sorted: them by what they are of, and time, once nothing is added
 * @nr: number of @sorted
 * @stacks: hash of the stacks
 * @events: what sums of whole events are of: the slice of each one's last sample
 */
struct slices {
	unsigned long long started;
	unsigned long long width;
	unsigned long long last;
	struct slice *all;
	struct slice **sorted;
	size_t nr;
	struct stack_end *stacks;
	struct slice_last events[DATA_EVENTS];
};

struct slices *slices_new(const struct profile *p)
{
	struct slices *s = xalloc(1, sizeof(*s));

	s->started = p->file.started;
	s->width = FIRST_WIDTH;
	return s;
}

void slices_free(struct slices *s)
{
	free_entries(s->all);
	free_entries(s->stacks);
	free(s->sorted);
	free(s);
}

static struct slice *get_slice(struct slices *s, const void *of, unsigned long long number)
{
	struct slice key, *slice;

	memset(&key.key, 0, sizeof(key.key));
	key.key.of = of;
	key.key.number = number;
	HASH_FIND(hh, s->all, &key.key, sizeof(key.key), slice);
	if (slice)
		return slice;
	slice = xalloc(1, sizeof(*slice));
	slice->key = key.key;
	HASH_ADD(hh, s->all, key, sizeof(slice->key), slice);
	if (number > s->last)
		s->last = number;
	return slice;
}

static void add_up(struct slice *to, const struct slice *from)
{
	to->self += from->self;
	to->total += from->total;
	to->samples += from->samples;
}

/* Merge each pair of slices */
static void widen(struct slices *s)
{
	struct slice *old = s->all, *slice, *next;

	s->width *= 2;
	s->last /= 2;
	s->all = NULL;
	HASH_ITER(hh, old, slice, next) {
		HASH_DEL(old, slice);
		add_up(get_slice(s, slice->key.of, slice->key.number / 2), slice);
		free(slice);
	}
}

struct slice *slices_at(struct slices *s, const void *of, unsigned long long time,
			struct slice_last *ref)
{
	unsigned long long at = time > s->started ? time - s->started : 0;

	if (ref->slice && ref->width == s->width &&
	    at - ref->slice->key.number * s->width < s->width)
		return ref->slice;
	while (at / s->width >= MAX_SLICES)
		widen(s);
	/* stop at one slice: there are no more sums than rows and stacks */
	while (s->last && HASH_COUNT(s->all) >= MAX_SUMS)
		widen(s);
	ref->slice = get_slice(s, of, at / s->width);
	ref->width = s->width;
	return ref->slice;
}

void slices_add(struct slices *s, const struct sample *sample, struct node *const *ends)
{
	struct slice_last *event = &s->events[sample->event];
	struct stack_end key, *stack;

	slices_at(s, event, sample->time, event)->self += sample->period;
	memcpy(key.key.ends, ends, sizeof(key.key.ends));
	HASH_FIND(hh, s->stacks, &key.key, sizeof(key.key), stack);
	if (!stack) {
		stack = xalloc(1, sizeof(*stack));
		stack->key = key.key;
		stack->event = sample->event;
		HASH_ADD(hh, s->stacks, key, sizeof(stack->key), stack);
	}
	slices_at(s, stack, sample->time, &stack->ref)->self += sample->period;
}

static int by_what(const void *a, const void *b)
{
	const struct slice *x = *(const struct slice * const *)a;
	const struct slice *y = *(const struct slice * const *)b;

	if (x->key.of != y->key.of)
		return x->key.of < y->key.of ? -1 : 1;
	return x->key.number < y->key.number ? -1 : x->key.number > y->key.number;
}

static void sort(struct slices *s)
{
	struct slice *slice, *next;

	free(s->sorted);
	s->sorted = xalloc(HASH_COUNT(s->all) + 1, sizeof(*s->sorted));
	s->nr = 0;
	HASH_ITER(hh, s->all, slice, next)
		s->sorted[s->nr++] = slice;
	qsort(s->sorted, s->nr, sizeof(*s->sorted), by_what);
}

/* The index of the first sum of @of, or where it would be */
static size_t first_of(const struct slices *s, const void *of)
{
	size_t from = 0, to = s->nr, at;

	while (from < to) {
		at = from + (to - from) / 2;
		if (s->sorted[at]->key.of < of)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

/* The sum at an index; NULL: it is not of @of */
static const struct slice *sum_at(const struct slices *s, size_t at, const void *of)
{
	return at < s->nr && s->sorted[at]->key.of == of ? s->sorted[at] : NULL;
}

/* Add a stack's sum to the frames in which the views show it */
static void give_to_frames(struct slices *s, const struct stack_end *stack,
			   const struct slice *sum, const struct stacks *stacks,
			   slices_draws_fn *draws)
{
	const struct calltree *tree;
	const struct node *node;
	int view;

	for (view = 0; view < NR_VIEWS; view++) {
		tree = &stacks[stack->event].views[view];
		node = stack->key.ends[view];
		while (!draws(tree, node))
			node = node->key.parent;
		add_up(get_slice(s, node, sum->key.number), sum);
	}
}

unsigned long long slices_end(struct slices *s, const struct stacks *stacks,
			      slices_draws_fn *draws)
{
	struct stack_end *stack, *next;
	const struct slice *sum;
	size_t at;

	if (!s->last)
		return 0;
	sort(s);
	HASH_ITER(hh, s->stacks, stack, next) {
		for (at = first_of(s, stack); (sum = sum_at(s, at, stack)); at++)
			give_to_frames(s, stack, sum, stacks, draws);
	}
	sort(s);
	return s->width;
}

/* Print the sums of @of as an attribute: for each slice its number and @nr sums */
static void print_sums(const struct slices *s, const void *of, const char *name, int nr, FILE *f)
{
	size_t at = first_of(s, of);
	const struct slice *sum;

	if (!sum_at(s, at, of))
		return;
	fprintf(f, " %s=\"", name);
	for (; (sum = sum_at(s, at, of)); at++) {
		fprintf(f, "%llu %llu ", sum->key.number, sum->self);
		if (nr > 1)
			fprintf(f, "%llu %llu ", sum->total, sum->samples);
	}
	fputc('"', f);
}

void slices_of_frame(const struct slices *s, const struct node *node, FILE *f)
{
	print_sums(s, node, "data-p", 1, f);
}

void slices_of_event(const struct slices *s, unsigned int event, FILE *f)
{
	char name[16];

	snprintf(name, sizeof(name), "data-p%u", event);
	print_sums(s, &s->events[event], name, 1, f);
}

void slices_of_row(const struct slices *s, const void *row, unsigned int event, FILE *f)
{
	char name[16];

	snprintf(name, sizeof(name), "data-p%u", event);
	print_sums(s, row, name, 3, f);
}
