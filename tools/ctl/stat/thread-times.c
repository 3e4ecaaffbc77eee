// SPDX-License-Identifier: GPL-2.0
/*
 * stat --off-cpu: the time of each thread
 *
 * READ has the time that a thread was on hardware threads. The records of context switches have the
 * time that it was on none, and why.
 *
 * If a thread ends and its number is used again, the new thread has its own first record. READ
 * lists ended threads in the order of their ends, which is the order of these first records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/thread-times.h"

const char *time_name(unsigned int i)
{
	static const char * const names[NR_TIMES] = {
		"running", "runnable", "sleeping", "uninterruptible", "unknown"
	};

	return names[i];
}

unsigned long long time_of(const struct thread_time *t, unsigned int i)
{
	return i ? t->off[i - 1] : t->on;
}

unsigned long long time_followed(const struct thread_time *t)
{
	unsigned long long sum = 0;
	unsigned int i;

	for (i = 0; i < NR_TIMES; i++)
		sum += time_of(t, i);
	return sum;
}

void time_label(const struct thread_time *t, char *text, size_t size)
{
	if (t->tid)
		snprintf(text, size, "%s-%u", t->name, t->tid);
	else
		snprintf(text, size, "ended");
}

double time_percent(const struct thread_time *t, unsigned int i)
{
	unsigned long long followed = time_followed(t);

	return followed ? 100.0 * time_of(t, i) / followed : 0;
}

static struct thread_time *add_thread(struct thread_times *times, unsigned int tid)
{
	size_t *last = &times->last[tid % TIMES_HASH];
	struct thread_time *t;

	times->threads = xgrow(times->threads, times->nr, &times->room, sizeof(*t));
	t = &times->threads[times->nr++];
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->before = *last;
	*last = times->nr;
	return t;
}

/*
 * Find the last thread with this number; with @unread, the first such thread that READ has not
 * listed yet
 */
static struct thread_time *find_thread(const struct thread_times *times, unsigned int tid,
				       int unread)
{
	struct thread_time *t, *found = NULL;
	size_t i;

	for (i = times->last[tid % TIMES_HASH]; i; i = t->before) {
		t = &times->threads[i - 1];
		if (t->tid != tid || (unread && t->read))
			continue;
		found = t;
		if (!unread)
			break;
	}
	return found;
}

void times_begin(struct thread_times *times, unsigned int tid, char state,
		 unsigned long long time)
{
	struct thread_time *t = add_thread(times, tid);

	t->is_off = 1;
	t->since = time;
	t->why = state == 'R' ? OFF_RUNNABLE : state == 'D' ? OFF_BLOCKED : OFF_SLEEPING;
}

static void thread_out(struct thread_time *t, const struct knc_pmu_sample *r)
{
	t->began = 1;
	t->is_off = 1;
	t->since = r->time;
	t->why = r->flags & KNC_PMU_SAMPLE_RUNNABLE ? OFF_RUNNABLE :
		 r->flags & KNC_PMU_SAMPLE_BLOCKED ? OFF_BLOCKED : OFF_SLEEPING;
}

/* Take the kernel's time off the CPU, unless the thread was off before it was followed */
static void thread_in(struct thread_time *t, const struct knc_pmu_sample *r)
{
	if (!r->period && t->is_off && r->time > t->since)
		t->off[t->why] += r->time - t->since;
	else if (r->period)
		t->off[t->is_off && t->since + r->period == r->time ? t->why : OFF_UNKNOWN] +=
			r->period;
	t->began = 1;
	t->is_off = 0;
}

void times_switch(struct thread_times *times, const struct knc_pmu_sample *r)
{
	struct thread_time *t = find_thread(times, r->tid, 0);
	int first = r->record.type == KNC_PMU_RECORD_SWITCH_IN && !r->period;

	if (!t || (first && t->began))
		t = add_thread(times, r->tid);
	if (r->record.type == KNC_PMU_RECORD_SWITCH_OUT)
		thread_out(t, r);
	else
		thread_in(t, r);
}

/* The row without a number is the sum of threads that were not kept */
static struct thread_time *sum_row(struct thread_times *times,
				   const struct knc_pmu_thread *record)
{
	struct thread_time *t = find_thread(times, 0, 0);

	return t || !record->time_enabled ? t : add_thread(times, 0);
}

void times_read(struct thread_times *times, const struct knc_pmu_thread *record,
		const char *name)
{
	struct thread_time *t;

	if (record->cpu == KNC_PMU_NO_CPU) {
		t = sum_row(times, record);
		if (!t)
			return;
	} else {
		t = find_thread(times, record->cpu, 1);
		if (!t)
			t = add_thread(times, record->cpu);
		kncpmu_clean(name, strlen(name), t->name, sizeof(t->name));
	}
	t->read = 1;
	t->on += record->time_enabled;
	t->ended = record->cpu == KNC_PMU_NO_CPU || record->flags & KNC_PMU_THREAD_ENDED;
}

/* Move threads that READ does not list to its sum */
static void move_to_sum(struct thread_times *times)
{
	struct thread_time *t, *sum = NULL;
	size_t i, kept = 0;

	for (i = 0; i < times->nr; i++) {
		if (!times->threads[i].tid)
			sum = &times->threads[i];
	}
	for (i = 0; sum && i < times->nr; i++) {
		unsigned int k;

		t = &times->threads[i];
		for (k = 0; !t->read && k < NR_OFF; k++)
			sum->off[k] += t->off[k];
	}
	for (i = 0; i < times->nr; i++) {
		if (times->threads[i].read)
			times->threads[kept++] = times->threads[i];
	}
	times->nr = kept;
	memset(times->last, 0, sizeof(times->last));
}

/* Order by number, which is mostly the order of creation; the sum is last */
static int by_number(const void *a, const void *b)
{
	unsigned int x = ((const struct thread_time *)a)->tid - 1;
	unsigned int y = ((const struct thread_time *)b)->tid - 1;

	return x < y ? -1 : x > y;
}

void times_end(struct thread_times *times, unsigned long long time)
{
	struct thread_time *t;

	for (t = times->threads; t < times->threads + times->nr; t++) {
		if (t->is_off && !t->ended && time > t->since)
			t->off[t->why] += time - t->since;
	}
	move_to_sum(times);
	if (times->nr)
		qsort(times->threads, times->nr, sizeof(*times->threads), by_number);
}

void times_sum(const struct thread_times *times, struct thread_time *sum)
{
	unsigned int k;
	size_t i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < times->nr; i++) {
		sum->on += times->threads[i].on;
		for (k = 0; k < NR_OFF; k++)
			sum->off[k] += times->threads[i].off[k];
	}
}

void times_free(struct thread_times *times)
{
	free(times->threads);
}
