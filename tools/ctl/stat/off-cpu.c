// SPDX-License-Identifier: GPL-2.0
/*
 * stat --off-cpu: the records of context switches. They come beside samples: one event of the
 * session is sampled with the longest period there is, and its samples are skipped.
 *
 * Each hardware thread has a ring, and a thread may leave one and be back on another. Therefore the
 * records of all rings are sorted, except those that are newer than the time when the first ring
 * was emptied.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <kernel-file.h>
#include <sets.h>

#include "cli/device.h"
#include "stat/counting.h"
#include "stat/off-cpu.h"

#define RING_SIZE	(64U << 10)	/* bytes, or less if no more may be locked */
#define LEAST_RING	KNC_PMU_MIN_RING
#define READ_ROOM	1024		/* records of READ, at first */

/**
 * struct switched - a record of a context switch that is not yet in the times
 * @r: the record
 * @nr: its number among all records
 */
struct switched {
	struct knc_pmu_sample r;
	unsigned long long nr;
};

/**
 * struct off_cpu - the context switches of all sessions
 * @times: times of the threads
 * @ring_size: bytes of each ring
 * @fd: the sessions
 * @nr_events: events of each session
 * @nr: number of sessions
 * @rings: all rings
 * @nr_rings: number of rings
 * @rings_room: of @rings
 * @pending: records that are not in the times
 * @nr_pending: number of @pending
 * @room: of @pending
 * @seen: number of records
 * @damaged: a ring was damaged; the message has been printed
 */
struct off_cpu {
	struct thread_times times;
	unsigned int ring_size;
	int fd[MAX_PARTS];
	unsigned int nr_events[MAX_PARTS];
	unsigned int nr;
	struct kncpmu_ring *rings;
	size_t nr_rings;
	size_t rings_room;
	struct switched *pending;
	size_t nr_pending;
	size_t room;
	unsigned long long seen;
	int damaged;
};

struct off_cpu *off_cpu_new(void)
{
	struct off_cpu *o = xalloc(1, sizeof(*o));

	o->ring_size = RING_SIZE;
	return o;
}

void off_cpu_free(struct off_cpu *o)
{
	size_t i;

	if (!o)
		return;
	for (i = 0; i < o->nr_rings; i++)
		kncpmu_ring_unmap(&o->rings[i]);
	times_free(&o->times);
	free(o->rings);
	free(o->pending);
	free(o);
}

int off_cpu_check(int fd)
{
	struct knc_pmu_info info;

	if (!kncpmu_info(fd, &info) && info.features & KNC_PMU_FEATURE_SWITCHES)
		return 0;
	return complain("--off-cpu: the module records no context switches: it is an older one, "
			"load that of this version");
}

int off_cpu_config(const struct off_cpu *o, int fd, struct knc_pmu_event *events,
		   unsigned int nr, struct knc_pmu_config *config)
{
	events[0].flags |= KNC_PMU_EVENT_SAMPLE;
	events[0].sample_period = KNC_PMU_MAX_PERIOD;
	config->flags |= KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_SWITCHES;
	config->ring_size = o->ring_size;
	return kncpmu_config_sampling(fd, NULL, events, nr, config);
}

int off_cpu_smaller(struct off_cpu *o, const struct knc_pmu_config *config)
{
	if (config->reason != KNC_PMU_REASON_RING_MEMLOCK || o->ring_size <= LEAST_RING)
		return 0;
	o->ring_size /= 2;
	return 1;
}

/* Open the rings of a session: one for each possible hardware thread */
int off_cpu_open(struct off_cpu *o, int fd, unsigned int nr)
{
	struct kncpmu_cpus cpus;
	unsigned int i, nr_cpus;
	int ret;

	ret = kncpmu_cpus_possible(&cpus);
	if (ret)
		return complain("can't read from /sys which CPUs there are (%s): mount it",
				strerror(-ret));
	nr_cpus = kncpmu_cpus_count(&cpus);
	for (i = 0; i < nr_cpus; i++) {
		o->rings = xgrow(o->rings, o->nr_rings, &o->rings_room, sizeof(*o->rings));
		memset(&o->rings[o->nr_rings], 0, sizeof(*o->rings));
		ret = kncpmu_ring_map(fd, i, o->ring_size, &o->rings[o->nr_rings++]);
		if (ret)
			return explain_op(KNCPMU_OP_MAP, ret, 0);
	}
	o->fd[o->nr] = fd;
	o->nr_events[o->nr++] = nr;
	return 0;
}

/* READ of all tasks of a session; the number of records, or -1 after a message */
static int read_tasks(const struct off_cpu *o, unsigned int i, void **records)
{
	size_t size = KNC_PMU_THREAD_SIZE(o->nr_events[i]) + KNC_PMU_NAME_SIZE;
	unsigned int room = READ_ROOM / 2;
	int ret;

	*records = NULL;
	do {
		free(*records);
		room *= 2;
		*records = xalloc(room, size);
		ret = kncpmu_read(o->fd[i], *records, room * size,
				  KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES);
	} while (ret == -ENOSPC);
	if (ret >= 0)
		return ret;
	explain_op(KNCPMU_OP_READ, ret, 0);
	return -1;
}

static const struct knc_pmu_thread *task_at(const struct off_cpu *o, unsigned int i,
					    const void *records, unsigned int k,
					    const char **name)
{
	return kncpmu_named_record(records, KNC_PMU_THREAD_SIZE(o->nr_events[i]), k, name);
}

/* Record the state of existing threads, which may wait long before their first context switch */
static int begin_tasks(struct off_cpu *o, unsigned int i)
{
	const struct knc_pmu_thread *task;
	const char *name, *state;
	char text[512];
	void *records;
	int k, nr;

	nr = read_tasks(o, i, &records);
	for (k = 0; k + 1 < nr; k++) {
		task = task_at(o, i, records, k, &name);
		state = kncpmu_proc_stat(task->cpu, text, sizeof(text));
		times_begin(&o->times, task->cpu, state ? *state : 'S', task->time);
	}
	free(records);
	return nr < 0 ? CTL_FAILED : 0;
}

int off_cpu_begin(struct off_cpu *o)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < o->nr && !status; i++)
		status = begin_tasks(o, i);
	return status;
}

/* Put one contiguous piece of a ring with the pending records; returns its bytes */
static long drain_piece(struct off_cpu *o, struct kncpmu_ring *ring)
{
	const struct knc_pmu_record *record;
	const void *records;
	size_t at = 0;
	long size;

	size = kncpmu_ring_read(ring, &records);
	if (size < 0 && !o->damaged)
		o->damaged = complain("the ring of CPU %u is damaged: records end here; please "
				      "report this", ring->page->cpu);
	if (size <= 0)
		return 0;
	while ((record = kncpmu_ring_next(records, size, &at))) {
		if (record->type != KNC_PMU_RECORD_SWITCH_OUT &&
		    record->type != KNC_PMU_RECORD_SWITCH_IN)
			continue;
		o->pending = xgrow(o->pending, o->nr_pending, &o->room, sizeof(*o->pending));
		memcpy(&o->pending[o->nr_pending].r, record, sizeof(o->pending->r));
		o->pending[o->nr_pending++].nr = o->seen++;
	}
	kncpmu_ring_release(ring);
	return size;
}

static int by_time(const void *a, const void *b)
{
	const struct switched *x = a, *y = b;

	if (x->r.time != y->r.time)
		return x->r.time < y->r.time ? -1 : 1;
	return x->nr < y->nr ? -1 : 1;
}

/* Add the pending records up to @until to the times */
static void take_pending(struct off_cpu *o, unsigned long long until)
{
	size_t i;

	if (o->nr_pending)
		qsort(o->pending, o->nr_pending, sizeof(*o->pending), by_time);
	for (i = 0; i < o->nr_pending && o->pending[i].r.time <= until; i++)
		times_switch(&o->times, &o->pending[i].r);
	o->nr_pending -= i;
	memmove(o->pending, o->pending + i, o->nr_pending * sizeof(*o->pending));
}

void off_cpu_drain(struct off_cpu *o)
{
	/* one millisecond back, because clocks of hardware threads may differ by microseconds */
	unsigned long long until = now_ns() - NSEC_PER_MSEC;
	size_t i;

	/* a whole ring has at most two pieces */
	for (i = 0; i < o->nr_rings && !o->damaged; i++) {
		drain_piece(o, &o->rings[i]);
		drain_piece(o, &o->rings[i]);
	}
	take_pending(o, until);
}

/* Take ended threads first, because their numbers may be in use again */
static int end_tasks(struct off_cpu *o, unsigned int i, unsigned long long *time)
{
	const struct knc_pmu_thread *task;
	const char *name;
	void *records;
	int k, nr, ended;

	nr = read_tasks(o, i, &records);
	for (ended = 1; ended >= 0; ended--) {
		for (k = 0; k < nr; k++) {
			task = task_at(o, i, records, k, &name);
			*time = task->time;
			if (ended == !!(task->flags & KNC_PMU_THREAD_ENDED))
				times_read(&o->times, task, name);
		}
	}
	free(records);
	return nr < 0 ? CTL_FAILED : 0;
}

int off_cpu_end(struct off_cpu *o)
{
	unsigned long long time = 0;
	unsigned int i;
	int status = 0;

	off_cpu_drain(o);
	take_pending(o, ~0ULL);
	for (i = 0; i < o->nr && !status; i++)
		status = end_tasks(o, i, &time);
	times_end(&o->times, time);
	return status;
}

const struct thread_times *off_cpu_times(const struct off_cpu *o)
{
	return &o->times;
}

unsigned long long off_cpu_switches(const struct off_cpu *o, unsigned long long *lost)
{
	unsigned long long switches = 0;
	size_t i;

	*lost = 0;
	for (i = 0; i < o->nr_rings; i++) {
		switches += o->rings[i].page->switches;
		*lost += o->rings[i].page->lost_switches;
	}
	return switches;
}

void off_cpu_warn(const struct off_cpu *o)
{
	unsigned long long lost;
	unsigned long long switches = off_cpu_switches(o, &lost);

	if (lost)
		complain("warning: %llu of %llu context switches found no room in the ring: part "
			 "of the time off the hardware threads is missing, or its reason is "
			 "unknown", lost, switches);
}
