// SPDX-License-Identifier: GPL-2.0
/* Counts over time, of each hardware thread */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/bins.h"
#include "profile/filter.h"
#include "profile/lanes.h"

#define DEFAULT_BIN	10000000	/* ns */

/* The current bin of an event on a hardware thread */
struct open_bin {
	struct {
		unsigned int cpu;
		unsigned int event;
	} key;
	unsigned long long start;	/* begin of the bin, or time of the last time sample */
	unsigned long long time;	/* of the last record put into the bin */
	double count;
	UT_hash_handle hh;
};

struct reading {
	struct timeline *t;
	struct profile *p;
	unsigned long long bin;
	struct open_bin *lanes;
};

/* ns since the recording began */
static unsigned long long since(const struct reading *r, unsigned long long time)
{
	return time > r->p->file.started ? time - r->p->file.started : 0;
}

static struct open_bin *get_lane(struct reading *r, unsigned int cpu, unsigned int event)
{
	struct open_bin key, *lane;

	key.key.cpu = cpu;
	key.key.event = event;
	HASH_FIND(hh, r->lanes, &key.key, sizeof(key.key), lane);
	if (lane)
		return lane;
	lane = xalloc(1, sizeof(*lane));
	lane->key = key.key;
	/* the first time sample counts from the begin of its rank's recording */
	if (r->t->by_time)
		lane->start = since(r, data_rank_started(&r->p->file, cpu));
	HASH_ADD(hh, r->lanes, key, sizeof(lane->key), lane);
	return lane;
}

static void add_bin(struct reading *r, const struct open_bin *lane,
		    unsigned long long end)
{
	struct timeline *t = r->t;
	struct bin *bin;

	t->bins = xgrow(t->bins, t->nr, &t->room, sizeof(*t->bins));
	bin = &t->bins[t->nr++];
	bin->cpu = lane->key.cpu;
	bin->event = lane->key.event;
	bin->start = lane->start;
	bin->end = end;
	bin->count = lane->count;
}

/* Take a time sample: add the counts since the previous one */
static void take_time(struct reading *r, const struct knc_pmu_time_sample *s)
{
	const int shown = profile_passes_time(r->p, s->time);
	unsigned long long now = since(r, s->time);
	struct open_bin *lane;
	unsigned int i;

	for (i = 0; i < r->p->file.nr_events; i++) {
		if (!profile_wants(r->p, i))
			continue;
		lane = get_lane(r, s->record.cpu, i);
		/* the first bin begins at the last time sample before the part that is shown */
		if (!shown) {
			lane->start = lane->count ? lane->start : now;
			continue;
		}
		lane->count += s->delta[i];
		lane->time = now;
		if (now <= lane->start || now - lane->start < r->bin)
			continue;
		add_bin(r, lane, now);
		lane->start = now;
		lane->count = 0;
	}
}

/* Take a sample that passes the filters: add its whole period to its bin */
static void take_sample(void *ctx, const struct sample *s)
{
	struct reading *r = ctx;
	unsigned long long start = since(r, s->time);
	struct open_bin *lane;

	lanes_sample(r->t->lanes, s);
	start -= start % r->bin;
	lane = get_lane(r, s->cpu, s->event);
	if (start > lane->start) {
		if (lane->count)
			add_bin(r, lane, lane->start + r->bin);
		lane->start = start;
		lane->count = 0;
	}
	lane->count += s->period;
}

static void take_record(void *ctx, const struct knc_pmu_record *record)
{
	struct reading *r = ctx;

	if (record->type == KNC_PMU_RECORD_TIME && profile_passes_cpu(r->p, record->cpu) &&
	    profile_passes_rank(r->p, data_rank_of(&r->p->file, record->cpu)))
		take_time(r, (const void *)record);
}

static void take_switch(void *ctx, const struct knc_pmu_record *record)
{
	struct reading *r = ctx;

	if (record->type == KNC_PMU_RECORD_SWITCH_OUT || record->type == KNC_PMU_RECORD_SWITCH_IN)
		lanes_record(r->t->lanes, (const void *)record);
}

static void take_task(void *ctx, const struct data_task *task)
{
	lanes_task(((struct reading *)ctx)->t->lanes, task);
}

static void no_sample(void *ctx, const struct sample *s)
{
}

static int compare_bins(const void *a, const void *b)
{
	const struct bin *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Finish the current bins, and free memory */
static void finish(struct reading *r)
{
	struct open_bin *lane, *next;
	unsigned long long end;

	HASH_ITER(hh, r->lanes, lane, next) {
		end = r->t->by_time ? lane->time : lane->start + r->bin;
		if (lane->count && end > lane->start)
			add_bin(r, lane, end);
		HASH_DEL(r->lanes, lane);
		free(lane);
	}
	if (r->t->nr)
		qsort(r->t->bins, r->t->nr, sizeof(*r->t->bins), compare_bins);
}

/* @bin: ns of each bin; 0 means the intervals of time samples, or DEFAULT_BIN */
int timeline_read(struct timeline *t, struct profile *p, unsigned long long bin)
{
	static const struct profile_visitor by_sample = {
		.sample = take_sample,
		.other = take_switch,
		.task = take_task,
		.no_places = 1,
	};
	static const struct profile_visitor by_time = {
		.sample = no_sample,
		.other = take_record,
		.no_places = 1,
	};
	struct reading r = { .t = t, .p = p, .bin = bin };
	int status;

	memset(t, 0, sizeof(*t));
	/* counts of time samples can't be divided among threads or functions */
	t->by_time = p->file.sums.times > 0 && !filter_has_thread(p->opts) &&
		     !filter_has_place(p->opts);
	if (!bin && !t->by_time)
		r.bin = DEFAULT_BIN;
	t->lanes = lanes_new(p);
	status = profile_walk(p, t->by_time ? &by_time : &by_sample, &r);
	finish(&r);
	lanes_end(t->lanes);
	return status;
}

void timeline_free(struct timeline *t)
{
	lanes_free(t->lanes);
	free(t->bins);
}
