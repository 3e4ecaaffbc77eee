// SPDX-License-Identifier: GPL-2.0
/*
 * How many of the recorded threads ran at a time
 *
 * A thread that existed when the recording began has no record of its arrival. If its first record
 * is a sample or a leave, it ran from the beginning. Lost records are guessed: the return of a
 * thread that seems to run tells how long it was away. Each rank's recording has its own begin and
 * end.
 */
#include <stdlib.h>

#include "cli/hash.h"
#include "cli/message.h"
#include "profile/parallelism.h"
#include "profile/ranks.h"

/**
 * struct runner - a thread
 * @tid: the thread
 * @cpu: the hardware thread of its last record
 * @runs: it is on a hardware thread
 * @seen: the time of its last record, ns
 * @hh: place in the table of threads
 */
struct runner {
	unsigned int tid;
	unsigned int cpu;
	int runs;
	unsigned long long seen;
	UT_hash_handle hh;
};

/**
 * struct change - the number of running threads changes
 * @time: from this time on, ns
 * @by: the difference; after settle() the number of threads
 */
struct change {
	unsigned long long time;
	int by;
};

/**
 * struct parallelism - all of the recording
 * @f: its file
 * @threads: the threads, while it is read
 * @changes: by time
 * @nr: number of @changes
 * @room: elements of @changes
 */
struct parallelism {
	const struct data_file *f;
	struct runner *threads;
	struct change *changes;
	size_t nr;
	size_t room;
};

static void change(struct parallelism *p, unsigned long long time, int by)
{
	const struct change c = { .time = time, .by = by };

	p->changes = xgrow(p->changes, p->nr, &p->room, sizeof(*p->changes));
	p->changes[p->nr++] = c;
}

/* Find the thread; *@fresh: this is its first record */
static struct runner *runner_of(struct parallelism *p, unsigned int tid, int *fresh)
{
	struct runner *r;

	HASH_FIND(hh, p->threads, &tid, sizeof(tid), r);
	*fresh = !r;
	if (r)
		return r;
	r = xalloc(1, sizeof(*r));
	r->tid = tid;
	HASH_ADD(hh, p->threads, tid, sizeof(r->tid), r);
	return r;
}

/* The thread has run until now, by this record */
static void ran(struct parallelism *p, struct runner *r, int fresh, unsigned long long time)
{
	if (r->runs)
		return;
	change(p, fresh ? data_rank_started(p->f, r->cpu) : time, 1);
	r->runs = 1;
}

static void left(struct parallelism *p, struct runner *r, unsigned long long time)
{
	change(p, time, -1);
	r->runs = 0;
}

static void take_record(void *ctx, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	struct parallelism *p = ctx;
	struct runner *r;
	int fresh;

	if (record->type != KNC_PMU_RECORD_SAMPLE && record->type != KNC_PMU_RECORD_SWITCH_OUT &&
	    record->type != KNC_PMU_RECORD_SWITCH_IN)
		return;
	r = runner_of(p, s->tid, &fresh);
	r->cpu = record->cpu;
	r->seen = s->time;
	if (record->type == KNC_PMU_RECORD_SWITCH_IN) {
		if (r->runs)
			left(p, r, s->time - s->period);
		change(p, s->time, 1);
		r->runs = 1;
		return;
	}
	ran(p, r, fresh, s->time);
	if (record->type == KNC_PMU_RECORD_SWITCH_OUT)
		left(p, r, s->time);
}

/* Threads that still run do so until their rank's recording ends: those of other ranks go on */
static void end_threads(struct parallelism *p)
{
	unsigned long long ended;
	struct runner *r, *next;

	HASH_ITER(hh, p->threads, r, next) {
		ended = data_rank_ended(p->f, r->cpu);
		if (r->runs && ended >= r->seen)
			left(p, r, ended);
	}
}

static void ignore_task(void *ctx, const struct data_task *task)
{
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Convert the changes: from differences to numbers of threads */
static void settle(struct parallelism *p)
{
	int sum = 0;
	size_t i;

	if (p->nr)
		qsort(p->changes, p->nr, sizeof(*p->changes), by_time);
	for (i = 0; i < p->nr; i++) {
		sum += p->changes[i].by;
		p->changes[i].by = sum;
	}
}

static void free_threads(struct parallelism *p)
{
	free_entries(p->threads);
	p->threads = NULL;
}

struct parallelism *parallelism_new(const struct data_file *f)
{
	static const struct data_visitor visitor = { .record = take_record, .task = ignore_task };
	struct parallelism *p;

	if (f->nr_events == f->nr_counted) {
		complain("%s has no context switches, which tell how many threads ran: record with "
			 "--off-cpu", f->path);
		return NULL;
	}
	p = xalloc(1, sizeof(*p));
	p->f = f;
	if (data_walk(f, &visitor, p)) {
		parallelism_free(p);
		return NULL;
	}
	end_threads(p);
	settle(p);
	free_threads(p);
	return p;
}

void parallelism_free(struct parallelism *p)
{
	if (!p)
		return;
	free_threads(p);
	free(p->changes);
	free(p);
}

unsigned int parallelism_at(const struct parallelism *p, unsigned long long time)
{
	size_t low = 0, high = p->nr, mid;

	/* find the first change after @time */
	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->changes[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low && p->changes[low - 1].by > 1 ? p->changes[low - 1].by : 1;
}
