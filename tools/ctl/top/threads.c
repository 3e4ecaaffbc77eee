// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: hardware threads */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>

#include "cli/cpus.h"
#include "top/rows.h"

/* Retries after a CPU went offline between the list and CONFIG */
#define MAX_TRIES	10

/**
 * struct top_thread - a hardware thread
 * @cpu: its number
 * @package: number of its package; -1: there is only one, or it is not known
 * @core: number of its core in the package; -1: not known
 * @place: its number within the core
 * @before: the last reading
 * @work: ticks for which it was busy (/proc/stat)
 * @idle: ticks for which it was not
 * @fd: of a level: its session; -1: none
 * @note: why it has none
 * @readings: since it has its session
 */
struct top_thread {
	unsigned int cpu;
	int package;
	int core;
	unsigned int place;
	struct top_counts before;
	unsigned long long work;
	unsigned long long idle;
	int fd;
	char note[TOP_NOTE];
	struct level_readings readings;
};

/**
 * struct top_threads - the hardware threads of a session
 * @fd: the session; -1: a level, of which each hardware thread has one
 * @records: room for READ
 * @size: bytes of @records
 * @thread: the hardware threads
 * @nr: number of hardware threads
 */
struct top_threads {
	int fd;
	void *records;
	size_t size;
	struct top_thread *thread;
	unsigned int nr;
};

static int no_memory(struct kncpmu_error *err)
{
	snprintf(err->text, sizeof(err->text), "out of memory");
	return -1;
}

void top_threads_close(struct top *t)
{
	struct top_threads *h = t->threads;
	unsigned int i;

	t->threads = NULL;
	if (!h)
		return;
	for (i = 0; i < h->nr && h->thread; i++)
		kncpmu_close(h->thread[i].fd);
	kncpmu_close(h->fd);
	free(h->records);
	free(h->thread);
	free(h);
}

/* The number of a hardware thread within @core */
static unsigned int place_in(const struct kncpmu_core *core, unsigned int cpu)
{
	unsigned int other, place = 0;

	for (other = first_cpu(&core->cpus); other < cpu; other = next_cpu(&core->cpus, other))
		place++;
	return place;
}

static void find_places(struct top *t, struct top_threads *h)
{
	struct kncpmu_topology topology;
	const struct kncpmu_cpus *cpus = &t->cpus;
	unsigned int i, cpu = first_cpu(cpus);
	int core, known;

	t->no_cores = kncpmu_topology_read(NULL, &topology);
	known = !t->no_cores;

	for (i = 0; i < h->nr; i++, cpu = next_cpu(cpus, cpu)) {
		h->thread[i].cpu = cpu;
		h->thread[i].fd = -1;
		h->thread[i].package = -1;
		h->thread[i].core = -1;
		core = known ? kncpmu_topology_core(&topology, cpu) : -1;
		if (core < 0)
			continue;
		if (several_packages(&topology))
			h->thread[i].package = topology.cores[core].package;
		h->thread[i].core = topology.cores[core].id;
		h->thread[i].place = place_in(&topology.cores[core], cpu);
	}
	if (known)
		kncpmu_topology_free(&topology);
}

static struct top_thread *find_thread(struct top_threads *h, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++) {
		if (h->thread[i].cpu == cpu)
			return &h->thread[i];
	}
	return NULL;
}

/* Find which hardware threads are online, and how busy they were */
static void read_busy(struct top *t, struct top_row *rows)
{
	unsigned long long n[8], work, idle;
	struct top_thread *thread;
	char line[512];
	unsigned int cpu;
	FILE *f = kncpmu_kernel_open("/proc/stat", &t->no_busy);

	while (f && fgets(line, sizeof(line), f)) {
		/*
		 * skip "cpu ", the line of all CPUs, because %u would skip the blank and read a
		 * number
		 */
		if (strncmp(line, "cpu", 3) || line[3] < '0' || line[3] > '9')
			continue;
		memset(n, 0, sizeof(n));
		if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &n[0],
			   &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]) < 5)
			continue;
		thread = find_thread(t->threads, cpu);
		if (!thread)
			continue;
		work = n[0] + n[1] + n[2] + n[5] + n[6] + n[7];
		idle = n[3] + n[4];
		if (rows && work + idle > thread->work + thread->idle)
			rows[thread - t->threads->thread].busy = 100.0 * (work - thread->work) /
				(work + idle - thread->work - thread->idle);
		thread->work = work;
		thread->idle = idle;
	}
	if (f)
		fclose(f);
}

/* Has a hardware thread gone offline meanwhile? */
static int is_gone(const struct top *t, const struct knc_pmu_config *config)
{
	return !t->have_cpus && config->reason == KNC_PMU_REASON_CPU_OFFLINE;
}

/* Open a session for the level of a hardware thread; without an RMID note that in its row */
static int start_level(struct top *t, struct top_thread *thread, int *again,
		       struct kncpmu_error *err)
{
	struct knc_pmu_config config;
	int ret, once_more = !!thread->note[0];
	struct kncpmu_cpus cpus;

	*again = 0;
	memset(&cpus, 0, sizeof(cpus));
	kncpmu_cpus_set(&cpus, thread->cpu);
	memset(&thread->readings, 0, sizeof(thread->readings));
	thread->note[0] = '\0';
	thread->fd = kncpmu_open(NULL);
	if (thread->fd < 0)
		return top_fail(err, KNCPMU_OP_OPEN, thread->fd, NULL, NULL);
	ret = top_level_config(t, thread->fd, &cpus, 0, &config);
	*again = ret && is_gone(t, &config);
	if (!ret) {
		ret = kncpmu_start(thread->fd);
		return ret ? top_fail(err, KNCPMU_OP_START, ret, NULL, NULL) : 0;
	}
	kncpmu_close(thread->fd);
	thread->fd = -1;
	/* a row that waits for an RMID may have gone offline */
	if (!top_fails_alone(ret, &config) &&
	    !(once_more && config.reason == KNC_PMU_REASON_CPU_OFFLINE))
		return top_fail(err, KNCPMU_OP_CONFIG, ret, &config, t->set.events);
	top_note(thread->note, sizeof(thread->note), ret, &config);
	return 0;
}

/* Open a session for each hardware thread that has none */
static int start_levels(struct top *t, int *again, struct kncpmu_error *err)
{
	struct top_threads *h = t->threads;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < h->nr && !ret; i++) {
		if (h->thread[i].fd < 0)
			ret = start_level(t, &h->thread[i], again, err);
	}
	return ret;
}

/* Open a session; *@again: try again, because a hardware thread has gone offline */
static int start(struct top *t, int *again, struct kncpmu_error *err)
{
	struct top_threads *h = t->threads;
	struct knc_pmu_config config;
	int ret;

	h->fd = kncpmu_open(NULL);
	if (h->fd < 0)
		return top_fail(err, KNCPMU_OP_OPEN, h->fd, NULL, NULL);
	ret = kncpmu_config(h->fd, &t->cpus, t->set.events, t->set.nr, 0, &config);
	*again = ret && is_gone(t, &config);
	if (ret)
		return top_fail(err, KNCPMU_OP_CONFIG, ret, &config, t->set.events);
	ret = kncpmu_start(h->fd);
	return ret ? top_fail(err, KNCPMU_OP_START, ret, NULL, NULL) : 0;
}

static int open_threads(struct top *t, int *again, struct kncpmu_error *err)
{
	struct top_threads *h = calloc(1, sizeof(*h));
	int ret;

	*again = 0;
	if (!h)
		return no_memory(err);
	t->threads = h;
	h->fd = -1;
	ret = t->have_cpus ? 0 : kncpmu_cpus_online(&t->cpus);
	if (ret) {
		snprintf(err->text, sizeof(err->text),
			 "can't read from /sys which CPUs are online (%s): name them with -C",
			 kncpmu_kernel_why(CPU_DIR "/online", ret));
		return -1;
	}
	h->nr = kncpmu_cpus_count(&t->cpus);
	h->size = h->nr * top_record_size(&t->set);
	h->records = calloc(1, h->size);
	h->thread = calloc(h->nr, sizeof(*h->thread));
	if (!h->records || !h->thread) {
		h->nr = 0;
		return no_memory(err);
	}
	find_places(t, h);
	return t->set.level ? start_levels(t, again, err) : start(t, again, err);
}

int top_threads_open(struct top *t, struct kncpmu_error *err)
{
	int ret, again, tries = 0;

	do {
		top_threads_close(t);
		ret = open_threads(t, &again, err);
	} while (ret && again && ++tries < MAX_TRIES);
	if (!ret)
		read_busy(t, NULL);
	return ret;
}

static void name_row(const struct top_thread *thread, struct top_row *row)
{
	row->id = thread->cpu;
	row->package = thread->package;
	row->core = thread->core;
	row->thread = thread->place;
}

static void make_row(struct top *t, struct top_thread *thread, const struct top_counts *now,
		     struct top_row *row)
{
	name_row(thread, row);
	if (now->flags & KNC_PMU_THREAD_OFFLINE)
		snprintf(row->note, sizeof(row->note), "offline");
	top_subtract(t, now, &thread->before, row);
	thread->before = *now;
}

/* Is the row the first one of its core? A sum has core-wide counts once for each core */
static int first_of_core(const struct top *t, unsigned int row)
{
	unsigned int i;

	for (i = 0; i < row; i++) {
		if (t->rows[i].package == t->rows[row].package &&
		    t->rows[i].core == t->rows[row].core && !t->rows[i].note[0])
			return 0;
	}
	return 1;
}

static void add_row(struct top *t, unsigned int n)
{
	const struct top_row *row = &t->rows[n];
	struct top_row *total = &t->total;
	unsigned int i;

	total->busy += row->busy / t->nr_rows;
	for (i = 0; i < t->set.nr; i++) {
		if (kncpmu_event_core_wide(t->card.pmu, &t->set.events[i])) {
			if (row->core < 0)
				total->precision[i] = PRECISION_NONE;
			else if (!first_of_core(t, n))
				continue;
		}
		total->value[i] += row->value[i];
		if (row->precision[i] > total->precision[i])
			total->precision[i] = row->precision[i];
	}
}

/* Replace the rows by @nr empty ones */
static int clear_rows(struct top *t, unsigned int nr, struct kncpmu_error *err)
{
	struct top_row *rows = calloc(nr, sizeof(*rows));

	if (!rows)
		return no_memory(err);
	free(t->rows);
	t->rows = rows;
	t->nr_rows = nr;
	memset(&t->total, 0, sizeof(t->total));
	return 0;
}

static void finish_rows(struct top *t)
{
	unsigned int i;

	read_busy(t, t->rows);
	for (i = 0; i < t->nr_rows; i++)
		add_row(t, i);
}

static int read_levels(struct top *t, struct kncpmu_error *err)
{
	struct top_threads *h = t->threads;
	struct top_thread *thread;
	unsigned int i;
	int ret, again;

	if (clear_rows(t, h->nr, err))
		return -1;
	for (i = 0; i < h->nr; i++) {
		thread = &h->thread[i];
		name_row(thread, &t->rows[i]);
		snprintf(t->rows[i].note, TOP_NOTE, "%s", thread->note);
		if (thread->fd < 0)
			continue;
		ret = top_level_read(t, thread->fd, &thread->readings, &t->rows[i]);
		if (ret)
			return top_fail(err, KNCPMU_OP_READ, ret, NULL, NULL);
	}
	finish_rows(t);
	top_level_total(t);
	return start_levels(t, &again, err);
}

int top_threads_read(struct top *t, struct kncpmu_error *err)
{
	struct top_threads *h = t->threads;
	struct top_counts now;
	unsigned int i;
	int nr;

	if (t->set.level)
		return read_levels(t, err);
	nr = kncpmu_read(h->fd, h->records, h->size, 0);
	if (nr < 0)
		return top_fail(err, KNCPMU_OP_READ, nr, NULL, NULL);
	/* an eviction concerns all records */
	if (((const struct knc_pmu_thread *)h->records)->flags & KNC_PMU_THREAD_EVICTED)
		return top_fail(err, KNCPMU_OP_READ, -ECANCELED, NULL, NULL);
	if (clear_rows(t, nr, err))
		return -1;
	for (i = 0; i < t->nr_rows; i++) {
		top_take_record(&t->set, (const void *)((const char *)h->records +
							i * top_record_size(&t->set)), &now);
		make_row(t, &h->thread[i], &now, &t->rows[i]);
	}
	finish_rows(t);
	return 0;
}
