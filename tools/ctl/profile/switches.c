// SPDX-License-Identifier: GPL-2.0
/*
 * Converts context switches to samples
 *
 * When a thread returns to a hardware thread, the place where it left gets a sample whose period is
 * the time away. The kernel reports that time too: if the record of the leave is lost, the time is
 * known and the place is not.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/hash.h"
#include "profile/ranks.h"
#include "profile/switches.h"

/**
 * struct leave - a thread that is on no hardware thread
 * @tid: the thread
 * @record: the record of its leave; NULL: it is on a hardware thread
 * @hh: place in the table of threads
 */
struct leave {
	unsigned int tid;
	struct knc_pmu_sample *record;
	UT_hash_handle hh;
};

struct switches {
	const struct data_file *f;
	switches_fn fn;
	void *ctx;
	struct leave *threads;
};

struct switches *switches_new(const struct data_file *f, switches_fn fn, void *ctx)
{
	struct switches *w;

	if (f->nr_events == f->nr_counted)
		return NULL;
	w = xalloc(1, sizeof(*w));
	w->f = f;
	w->fn = fn;
	w->ctx = ctx;
	return w;
}

static struct leave *thread_of(struct switches *w, unsigned int tid)
{
	struct leave *t;

	HASH_FIND(hh, w->threads, &tid, sizeof(tid), t);
	if (t)
		return t;
	t = xalloc(1, sizeof(*t));
	t->tid = tid;
	HASH_ADD(hh, w->threads, tid, sizeof(t->tid), t);
	return t;
}

static void forget(struct leave *t)
{
	free(t->record);
	t->record = NULL;
}

void switches_out(struct switches *w, const struct knc_pmu_sample *r)
{
	struct leave *t;

	if (!w)
		return;
	t = thread_of(w, r->tid);
	forget(t);
	t->record = xalloc(1, r->record.size);
	memcpy(t->record, r, r->record.size);
}

/*
 * Show that the thread was away until @time, since its leave. @r: the record of its leave or return
 */
static void show(struct switches *w, struct knc_pmu_sample *r, unsigned long long time,
		 unsigned long long ns)
{
	const int runnable = r->flags & KNC_PMU_SAMPLE_RUNNABLE;

	r->event = w->f->nr_counted + (runnable ? DATA_RUNNABLE : DATA_WAITING);
	r->flags |= KNC_PMU_SAMPLE_USER;
	r->time = time;
	r->period = ns;
	w->fn(w->ctx, r);
}

void switches_in(struct switches *w, const struct knc_pmu_sample *r)
{
	struct knc_pmu_sample unknown = *r;
	struct leave *t;

	if (!w)
		return;
	t = thread_of(w, r->tid);
	/* if both records disagree on the time of the leave, this leave's record was lost */
	if (t->record && t->record->time + r->period == r->time) {
		t->record->record.cpu = r->record.cpu;
		show(w, t->record, r->time, r->period);
	} else if (r->period) {
		unknown.nr_kernel = 0;
		unknown.nr_user = 0;
		unknown.flags = 0;
		unknown.ip = 0;
		show(w, &unknown, r->time, r->period);
	}
	forget(t);
}

void switches_end(struct switches *w)
{
	struct leave *t, *next;
	unsigned long long ended;

	if (!w)
		return;
	HASH_ITER(hh, w->threads, t, next) {
		ended = t->record ? data_rank_ended(w->f, t->record->record.cpu) : 0;
		if (t->record && ended > t->record->time)
			show(w, t->record, ended, ended - t->record->time);
		forget(t);
	}
	free_entries(w->threads);
	free(w);
}
