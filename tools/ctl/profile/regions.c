// SPDX-License-Identifier: GPL-2.0
/*
 * When which thread was in which region of ring3.h
 *
 * Visits of a thread nest or overlap. To answer questions about a time they are cut into ordered
 * parts without overlap: one list for the chosen regions, one for the innermost region. Times are
 * those of the time stamp counter, which samples and visits both read: times in ns are computed in
 * several places, and differ by dozens of microseconds. A second list of the chosen regions is in
 * ns, because some records of threads have no other time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hash.h"
#include "cli/text.h"
#include "profile/ranks.h"
#include "profile/regions.h"

/* A region, by its name */
struct region {
	const char *name;
	unsigned long long visits;
	UT_hash_handle hh;
};

/* One of the numbers of a region */
struct number {
	unsigned int number;
	struct region *region;
	UT_hash_handle hh;
};

/* A visit, or a part of it: from @begin up to @end, ticks; @begin_ns and @end_ns: the visit's */
struct visit {
	unsigned int tid;
	unsigned int depth;
	unsigned long long begin;
	unsigned long long end;
	unsigned long long begin_ns;
	unsigned long long end_ns;
	const char *name;
};

/* A thread replaced its program, at this time in ns */
struct exec {
	unsigned int tid;
	unsigned long long time;
};

/* Visits without an overlap, in the order of threads and times */
struct parts {
	struct visit *part;
	size_t nr;
	size_t room;
};

/* From the first begin to the last end of a rank's chosen visits, ns */
struct span {
	unsigned long long from;
	unsigned long long to;
};

struct regions {
	const struct data_file *f;
	struct region *regions;
	struct number *numbers;
	struct visit *visits;
	size_t nr_visits;
	struct exec *execs;
	size_t nr_execs;
	struct span *spans;
	const struct wanted_names *names;
	struct parts chosen;
	struct parts chosen_ns;
	struct parts inner;
	int has_inner;
};

static int compare_visits(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static int compare_execs(const void *a, const void *b)
{
	const struct exec *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* Call @fn for each record of @type */
static void each_mark(struct regions *r, unsigned int type,
		      void (*fn)(struct regions *r, const struct data_mark *mark))
{
	const struct data_mark *mark;
	size_t at;

	for (at = 0; at < r->f->marks_size; at += mark->size) {
		mark = (const void *)(r->f->marks + at);
		if (mark->type == type)
			fn(r, mark);
	}
}

static struct region *get_region(struct regions *r, const char *name)
{
	struct region *region;

	HASH_FIND_PTR(r->regions, &name, region);
	if (region)
		return region;
	region = xalloc(1, sizeof(*region));
	region->name = name;
	HASH_ADD_PTR(r->regions, name, region);
	return region;
}

static void take_name(struct regions *r, const struct data_mark *mark)
{
	struct number *number;

	HASH_FIND_INT(r->numbers, &mark->region, number);
	if (number)
		return;
	number = xalloc(1, sizeof(*number));
	number->number = mark->region;
	number->region = get_region(r, intern_text((const char *)(mark + 1)));
	HASH_ADD_INT(r->numbers, number, number);
}

/* Find the region of a number; NULL: a truncated or changed file may lack it */
static struct region *find_region(const struct regions *r, const struct data_mark *mark)
{
	struct number *number;

	HASH_FIND_INT(r->numbers, &mark->region, number);
	return number ? number->region : NULL;
}

/* Find the times at which threads replaced their programs, in order */
static void find_execs(struct regions *r)
{
	const struct data_task *task;
	size_t at, room = 0;

	for (at = 0; at < r->f->tasks_size; at += task->size) {
		task = (const void *)(r->f->tasks + at);
		if (task->type != DATA_EXEC)
			continue;
		r->execs = xgrow(r->execs, r->nr_execs, &room, sizeof(*r->execs));
		r->execs[r->nr_execs].tid = task->tid;
		r->execs[r->nr_execs++].time = task->time;
	}
	if (r->nr_execs)
		qsort(r->execs, r->nr_execs, sizeof(*r->execs), compare_execs);
}

/*
 * The end of a visit, in ns. If an exec replaced the program before its end, the first exec after
 * the begin ends the visit.
 */
static unsigned long long end_of(const struct regions *r, const struct data_visit *v)
{
	const struct exec begin = { .tid = v->tid, .time = v->begin };
	size_t low = 0, high = v->open ? r->nr_execs : 0, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare_execs(&r->execs[middle], &begin) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!v->open || low == r->nr_execs || r->execs[low].tid != v->tid ||
	    r->execs[low].time >= v->end)
		return v->end;
	return r->execs[low].time;
}

/* The same end, @time in ns, in ticks */
static unsigned long long end_tsc_of(const struct data_visit *v, unsigned long long time)
{
	if (time == v->end)
		return v->end_tsc;
	return v->begin_tsc + (double)(time - v->begin) / (v->end - v->begin) *
			      (v->end_tsc - v->begin_tsc);
}

static void take_visit(struct regions *r, const struct data_mark *mark)
{
	const struct data_visit *visit = (const void *)mark;
	struct region *region = find_region(r, mark);
	unsigned long long end = end_of(r, visit);

	if (!region)
		return;
	region->visits++;
	r->visits[r->nr_visits++] = (struct visit){
		.tid = visit->tid,
		.depth = visit->depth,
		.begin = visit->begin_tsc,
		.end = end_tsc_of(visit, end),
		.begin_ns = visit->begin,
		.end_ns = end,
		.name = region->name,
	};
}

struct regions *regions_new(const struct data_file *f)
{
	struct regions *r = xalloc(1, sizeof(*r));

	r->f = f;
	each_mark(r, DATA_MARK_NAME, take_name);
	if (!f->sums.visits || !r->regions)
		return r;
	r->visits = xalloc(f->sums.visits, sizeof(*r->visits));
	find_execs(r);
	each_mark(r, DATA_MARK_VISIT, take_visit);
	if (!r->nr_visits)
		return r;
	qsort(r->visits, r->nr_visits, sizeof(*r->visits), compare_visits);
	return r;
}

void regions_free(struct regions *r)
{
	if (!r)
		return;
	free_entries(r->regions);
	free_entries(r->numbers);
	free(r->visits);
	free(r->execs);
	free(r->spans);
	free(r->chosen.part);
	free(r->chosen_ns.part);
	free(r->inner.part);
	free(r);
}

static void add_part(struct parts *to, const struct visit *v, unsigned long long begin,
		     unsigned long long end)
{
	if (begin >= end)
		return;
	to->part = xgrow(to->part, to->nr, &to->room, sizeof(*to->part));
	to->part[to->nr] = *v;
	to->part[to->nr].begin = begin;
	to->part[to->nr++].end = end;
}

/* Find the first part of the thread that ends after @time */
static const struct visit *part_after(const struct parts *p, unsigned int tid,
				      unsigned long long time)
{
	size_t low = 0, high = p->nr, middle;
	const struct visit *v;

	while (low < high) {
		middle = low + (high - low) / 2;
		v = &p->part[middle];
		if (v->tid < tid || (v->tid == tid && v->end <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->nr && p->part[low].tid == tid ? &p->part[low] : NULL;
}

static const struct visit *part_at(const struct parts *p, unsigned int tid, unsigned long long tsc)
{
	const struct visit *v = part_after(p, tid, tsc);

	return v && v->begin <= tsc ? v : NULL;
}

static int is_one_of(const struct wanted_names *names, const char *name)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		if (!strcmp(names->name[i], name))
			return 1;
	}
	return 0;
}

/* Does the recording have one of these regions? */
static int has_one_of(const struct regions *r, const struct wanted_names *names)
{
	const struct region *region;

	for (region = r->regions; region; region = region->hh.next) {
		if (is_one_of(names, region->name))
			return 1;
	}
	return 0;
}

static int has_none_of(const struct regions *r, const struct wanted_names *names)
{
	char text[512];

	if (!r->regions)
		return complain("%s has no region '%s', and no other: regions of ring3.h are in "
				"the recording of a command that was compiled with its present "
				"version, and that record starts itself; a part of the recording "
				"is --time FROM,TO in seconds", r->f->path, names->text);
	regions_describe(r, text, sizeof(text));
	return complain("%s has no region '%s', but %s", r->f->path, names->text, text);
}

/* Extend the time span of its rank to include a chosen visit */
static void extend(struct regions *r, const struct data_mark *mark)
{
	const struct data_visit *visit = (const void *)mark;
	const struct region *region = find_region(r, mark);
	struct span *span;

	if (!region || !is_one_of(r->names, region->name))
		return;
	span = &r->spans[data_task_index(r->f, visit->tid)];
	if (!span->to || visit->begin < span->from)
		span->from = visit->begin;
	if (visit->end > span->to)
		span->to = visit->end;
}

/* Add the time of a visit; if it overlaps or follows the thread's last part, extend that part */
static void add_time(struct parts *to, const struct visit *v, unsigned long long begin,
		     unsigned long long end)
{
	struct visit *last = to->nr ? &to->part[to->nr - 1] : NULL;

	if (!last || last->tid != v->tid || last->end < begin)
		add_part(to, v, begin, end);
	else if (last->end < end)
		last->end = end;
}

int regions_choose(struct regions *r, const struct wanted_names *names)
{
	const struct visit *v;

	if (!has_one_of(r, names))
		return has_none_of(r, names);
	r->names = names;
	r->spans = xalloc(r->f->nr_ranks, sizeof(*r->spans));
	each_mark(r, DATA_MARK_VISIT, extend);
	for (v = r->visits; v < r->visits + r->nr_visits; v++) {
		if (!is_one_of(names, v->name))
			continue;
		add_time(&r->chosen, v, v->begin, v->end);
		add_time(&r->chosen_ns, v, v->begin_ns, v->end_ns);
	}
	return 0;
}

int regions_last(const struct regions *r, unsigned int cpu, unsigned long long time)
{
	const struct span *span = &r->spans[data_rank_index(cpu)];

	return time >= span->from && time < span->to;
}

int regions_chosen(const struct regions *r, unsigned int tid, unsigned long long tsc)
{
	return !!part_at(&r->chosen, tid, tsc);
}

int regions_narrow(const struct regions *r, unsigned int tid, unsigned long long *from,
		   unsigned long long *to)
{
	const struct visit *v = part_after(&r->chosen_ns, tid, *from);

	if (!v || v->begin >= *to)
		return 0;
	*from = v->begin > *from ? v->begin : *from;
	*to = v->end < *to ? v->end : *to;
	return 1;
}

/*
 * Close the visits on @stack that end before @time. The visits are open at *@at, the innermost one
 * last. Add the parts up to @time; return the number of visits that remain open.
 */
static size_t close_visits(struct regions *r, const struct visit **stack, size_t nr,
			   unsigned long long *at, unsigned long long time)
{
	while (nr && stack[nr - 1]->end <= time) {
		add_part(&r->inner, stack[nr - 1], *at, stack[nr - 1]->end);
		if (*at < stack[nr - 1]->end)
			*at = stack[nr - 1]->end;
		nr--;
	}
	if (nr)
		add_part(&r->inner, stack[nr - 1], *at, time);
	*at = time;
	return nr;
}

static void find_innermost(struct regions *r)
{
	const struct visit **stack = xalloc(r->nr_visits + 1, sizeof(const struct visit *)), *v;
	unsigned long long at = 0;
	size_t nr = 0;

	for (v = r->visits; v < r->visits + r->nr_visits; v++) {
		if (nr && stack[nr - 1]->tid != v->tid)
			nr = close_visits(r, stack, nr, &at, ~0ULL);
		nr = close_visits(r, stack, nr, &at, v->begin);
		stack[nr++] = v;
	}
	close_visits(r, stack, nr, &at, ~0ULL);
	free(stack);
	r->has_inner = 1;
}

const char *regions_innermost(struct regions *r, unsigned int tid, unsigned long long tsc)
{
	const struct visit *v;

	if (!r->has_inner)
		find_innermost(r);
	v = part_at(&r->inner, tid, tsc);
	return v ? v->name : NULL;
}

void regions_describe(const struct regions *r, char *text, size_t size)
{
	const struct region *region;
	size_t len = 0;

	text[0] = '\0';
	for (region = r->regions; region && len < size; region = region->hh.next)
		len += snprintf(text + len, size - len, "%s%s (%llu visit%s)", len ? ", " : "",
				region->name, region->visits, plural_of(region->visits));
}
