// SPDX-License-Identifier: GPL-2.0
/*
 * When each thread was running, runnable or waiting
 *
 * A thread that existed when the recording began has no record of its arrival. If its first record
 * is a sample or a leave, it ran from the beginning. The end of a thread is recorded only if the
 * kernel told the recorder of processes; otherwise its last part ends with its last record.
 */
#include <stdlib.h>

#include "cli/hash.h"
#include "profile/filter.h"
#include "profile/lanes.h"

const char * const lane_states[NR_LANE_STATES] = {
	[LANE_RUNNING] = "running",
	[LANE_RUNNABLE] = "runnable",
	[LANE_SLEEPING] = "sleeping",
	[LANE_BLOCKED] = "uninterruptible",
};

/**
 * struct current - the thread that presently has a number
 * @tid: the number
 * @lane: the thread
 * @hh: place in the table of threads
 */
struct current {
	unsigned int tid;
	struct thread_lane *lane;
	UT_hash_handle hh;
};

/**
 * struct lanes - all threads
 * @p: the recording
 * @threads: the threads by their numbers
 * @all: all, those that have ended too
 * @nr: number of @all
 * @room: elements of @all
 * @tells_ends: by the index of the rank: its recording has the ends of threads
 * @last: the latest time of a record, CLOCK_MONOTONIC, ns
 * @last_end: where the last part ends, ns since the recording began
 */
struct lanes {
	struct profile *p;
	struct current *threads;
	struct thread_lane **all;
	size_t nr;
	size_t room;
	char *tells_ends;
	unsigned long long last;
	unsigned long long last_end;
};

struct lanes *lanes_new(struct profile *p)
{
	struct lanes *l;

	if (p->file.nr_events == p->file.nr_counted || p->opts->have_cpus ||
	    filter_has_place(p->opts))
		return NULL;
	l = xalloc(1, sizeof(*l));
	l->p = p;
	l->tells_ends = xalloc(p->file.nr_ranks, 1);
	return l;
}

void lanes_free(struct lanes *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < l->nr; i++) {
		free(l->all[i]->parts);
		free(l->all[i]);
	}
	free(l->all);
	free(l->tells_ends);
	free_entries(l->threads);
	free(l);
}

static struct thread_lane *add_lane(struct lanes *l, const struct knc_pmu_sample *r)
{
	struct thread_lane *lane = xalloc(1, sizeof(*lane));

	lane->pid = r->pid;
	lane->tid = r->tid;
	lane->cpu = r->record.cpu;
	l->all = xgrow(l->all, l->nr, &l->room, sizeof(struct thread_lane *));
	l->all[l->nr++] = lane;
	return lane;
}

/* Find the thread of a record; *@fresh: this is its first record */
static struct thread_lane *lane_of(struct lanes *l, const struct knc_pmu_sample *r, int *fresh)
{
	struct current *c;

	HASH_FIND(hh, l->threads, &r->tid, sizeof(r->tid), c);
	/*
	 * an ending thread may still be switched; the switch-in of a new thread with its number
	 * comes first
	 */
	*fresh = !c || (c->lane->ended && r->record.type == KNC_PMU_RECORD_SWITCH_IN &&
			!r->period);
	if (!*fresh)
		return c->lane;
	if (!c) {
		c = xalloc(1, sizeof(*c));
		c->tid = r->tid;
		HASH_ADD(hh, l->threads, tid, sizeof(c->tid), c);
	}
	c->lane = add_lane(l, r);
	return c->lane;
}

static void add_part(struct lanes *l, struct thread_lane *lane, unsigned long long from,
		     unsigned long long to)
{
	struct lane_part *part;

	lane->parts = xgrow(lane->parts, lane->nr, &lane->room, sizeof(*lane->parts));
	part = &lane->parts[lane->nr++];
	part->start = from - l->p->file.started;
	part->end = to - l->p->file.started;
	part->state = lane->state;
	if (part->state == LANE_RUNNING)
		lane->running += part->end - part->start;
	if (part->end > l->last_end)
		l->last_end = part->end;
}

/* End the thread's present part; of it only what --time includes is kept */
static void end_part(struct lanes *l, struct thread_lane *lane, unsigned long long time)
{
	const struct profile *p = l->p;
	unsigned long long from = lane->since > p->from ? lane->since : p->from, to;

	if (from < p->file.started)
		from = p->file.started;
	if (time > p->to)
		time = p->to;
	if (!lane->known)
		return;
	for (; from < time; from = to) {
		to = time;
		if (p->opts->region.text && !regions_narrow(p->regions, lane->tid, &from, &to))
			return;
		add_part(l, lane, from, to);
	}
}

static void begin_part(struct thread_lane *lane, unsigned long long time, enum lane_state state)
{
	lane->known = 1;
	lane->since = time;
	lane->state = state;
}

/* The thread runs again. If the record of its leave was lost, infer when it left */
static void came(struct lanes *l, struct thread_lane *lane, const struct knc_pmu_sample *r)
{
	const int away = lane->known && lane->state != LANE_RUNNING;
	unsigned long long left = r->time - r->period;

	/*
	 * it was running all the time: START, for example, puts a running thread on the counters
	 * again
	 */
	if (lane->known && !away && !r->period)
		return;
	if (away && lane->since == left)
		end_part(l, lane, r->time);
	else if (!away)
		end_part(l, lane, left);
	begin_part(lane, r->time, LANE_RUNNING);
}

static enum lane_state state_off(unsigned int flags)
{
	return flags & KNC_PMU_SAMPLE_RUNNABLE ? LANE_RUNNABLE :
	       flags & KNC_PMU_SAMPLE_BLOCKED ? LANE_BLOCKED : LANE_SLEEPING;
}

void lanes_record(struct lanes *l, const struct knc_pmu_sample *r)
{
	struct thread_lane *lane;
	int fresh;

	if (!l)
		return;
	lane = lane_of(l, r, &fresh);
	lane->comm = tasks_comm(l->p->tasks, r->pid, r->tid);
	lane->seen = r->time;
	if (r->time > l->last)
		l->last = r->time;
	if (r->record.type == KNC_PMU_RECORD_SWITCH_IN) {
		came(l, lane, r);
		return;
	}
	if (fresh)
		begin_part(lane, data_rank_started(&l->p->file, lane->cpu), LANE_RUNNING);
	if (r->record.type != KNC_PMU_RECORD_SWITCH_OUT)
		return;
	if (lane->state == LANE_RUNNING)
		end_part(l, lane, r->time);
	begin_part(lane, r->time, state_off(r->flags));
}

void lanes_sample(struct lanes *l, const struct sample *s)
{
	struct knc_pmu_sample r = {
		.record.type = KNC_PMU_RECORD_SAMPLE,
		.record.cpu = s->cpu,
		.pid = s->pid,
		.tid = s->tid,
		.time = s->time,
	};

	/* skip samples of waiting, because context switches already tell when threads waited */
	if (l && s->event < l->p->file.nr_counted)
		lanes_record(l, &r);
}

void lanes_task(struct lanes *l, const struct data_task *task)
{
	struct current *c;

	if (!l || (task->type != DATA_EXIT && task->type != DATA_FORK))
		return;
	l->tells_ends[data_task_index(&l->p->file, task->tid)] = 1;
	if (task->type != DATA_EXIT)
		return;
	HASH_FIND(hh, l->threads, &task->tid, sizeof(task->tid), c);
	if (!c || c->lane->ended)
		return;
	if (c->lane->state == LANE_RUNNING) {
		end_part(l, c->lane, task->time);
		begin_part(c->lane, task->time, LANE_RUNNING);
	}
	c->lane->ended = 1;
}

/* Order by rank, process and thread */
static int by_thread(const void *a, const void *b)
{
	const struct thread_lane *x = *(const struct thread_lane * const *)a;
	const struct thread_lane *y = *(const struct thread_lane * const *)b;

	if (data_rank_index(x->cpu) != data_rank_index(y->cpu))
		return data_rank_index(x->cpu) < data_rank_index(y->cpu) ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* When the recording of the thread ended */
static unsigned long long end_of(const struct lanes *l, const struct thread_lane *lane)
{
	unsigned long long ended = data_rank_ended(&l->p->file, lane->cpu);
	unsigned long long last = l->p->file.merged ? lane->seen : l->last;

	return ended < last ? last : ended;
}

static int is_shown(const struct lanes *l, const struct thread_lane *lane)
{
	return lane->nr && filter_passes_task(l->p, data_rank_of(&l->p->file, lane->cpu),
					      lane->pid, lane->tid, lane->comm);
}

/* Replace numbers by those on the thread's host, because from here on they are only shown */
static void take_own_numbers(const struct data_file *f, struct thread_lane *lane)
{
	lane->rank = f->merged ? data_rank_of(f, lane->cpu) : -1;
	lane->pid = data_task_number(f, lane->pid);
	lane->tid = data_task_number(f, lane->tid);
}

void lanes_end(struct lanes *l)
{
	struct thread_lane *lane;
	size_t i, kept = 0;
	int tells_end;

	if (!l)
		return;
	for (i = 0; i < l->nr; i++) {
		lane = l->all[i];
		tells_end = l->tells_ends[data_rank_index(lane->cpu)];
		if (!lane->ended)
			end_part(l, lane, lane->state == LANE_RUNNING && !tells_end ?
				 lane->seen : end_of(l, lane));
		if (is_shown(l, lane)) {
			take_own_numbers(&l->p->file, lane);
			l->all[kept++] = lane;
			continue;
		}
		free(lane->parts);
		free(lane);
	}
	l->nr = kept;
	if (l->nr)
		qsort(l->all, l->nr, sizeof(struct thread_lane *), by_thread);
}

const struct thread_lane *const *lanes_all(const struct lanes *l, size_t *nr)
{
	*nr = l ? l->nr : 0;
	return l ? (const struct thread_lane *const *)l->all : NULL;
}

unsigned long long lanes_last(const struct lanes *l)
{
	return l ? l->last_end : 0;
}
