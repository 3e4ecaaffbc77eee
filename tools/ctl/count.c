// SPDX-License-Identifier: GPL-2.0
/*
 * Counting: one session if all events fit on the counters, else a session for
 * each turn of a set of events
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

#define SLICE_MIN	(2 * NSEC_PER_MSEC)	/* short programs see every set */
#define SLICE_MAX	(64 * NSEC_PER_MSEC)	/* long ones are disturbed less */
#define SLICE_COST	8			/* times what a change of turns takes */

/* First hardware thread of the core; the thread itself if sysfs says nothing */
static unsigned int core_of(unsigned int cpu)
{
	struct kncpmu_cpus siblings;

	if (kncpmu_cpus_siblings(cpu, &siblings))
		return cpu;
	return kncpmu_cpus_next(&siblings, 0);
}

/*
 * Two events of a command line are counted together or, if that can't be,
 * refused by the kernel; more take turns.
 */
static void make_sets(struct counting *c)
{
	if (c->nr_items > KNC_PMU_MAX_EVENTS) {
		c->nr_sets = kncpmu_group(c->items, c->nr_items, c->sets);
		return;
	}
	c->nr_sets = 1;
	for (c->sets[0].nr = 0; c->sets[0].nr < c->nr_items; c->sets[0].nr++)
		c->sets[0].item[c->sets[0].nr] = c->sets[0].nr;
}

size_t counting_size(const struct counting *c)
{
	return (size_t)c->nr_items * c->nr_cpus * sizeof(struct count);
}

int counting_init(struct counting *c, const struct stat_opts *opts)
{
	unsigned int cpu, i = 0;

	memset(c, 0, sizeof(*c));
	c->fd = -1;
	c->items = opts->items;
	c->nr_items = opts->nr_items;
	c->cpus = &opts->cpus;
	c->nr_cpus = kncpmu_cpus_count(&opts->cpus);
	c->records = calloc(c->nr_cpus, sizeof(struct knc_pmu_thread));
	c->base = calloc(1, counting_size(c));
	c->cpu = calloc(c->nr_cpus, sizeof(*c->cpu));
	c->core = calloc(c->nr_cpus, sizeof(*c->core));
	if (!c->records || !c->base || !c->cpu || !c->core) {
		counting_free(c);
		return complain("out of memory");
	}
	for (cpu = first_cpu(c->cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(c->cpus, cpu)) {
		c->cpu[i] = cpu;
		c->core[i++] = core_of(cpu);
	}
	make_sets(c);
	return 0;
}

void counting_free(struct counting *c)
{
	kncpmu_close(c->fd);
	free(c->records);
	free(c->base);
	free(c->cpu);
	free(c->core);
}

static void close_set(struct counting *c)
{
	kncpmu_close(c->fd);
	c->fd = -1;
}

/* A session for the set whose turn it is, not started */
static int open_set(struct counting *c)
{
	const struct kncpmu_set *set = &c->sets[c->set];
	struct knc_pmu_event events[KNC_PMU_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		events[i] = c->items[set->item[i]].event;
	c->fd = open_device();
	if (c->fd < 0)
		return CTL_FAILED;
	if (!configure(c->fd, c->cpus, events, set->nr))
		return 0;
	close_set(c);
	return CTL_FAILED;
}

/* Will the kernel take every set? Better to know before the command runs */
int counting_probe(struct counting *c)
{
	for (c->set = 0; c->set < c->nr_sets; c->set++) {
		if (open_set(c))
			return CTL_FAILED;
		close_set(c);
	}
	c->set = 0;
	return 0;
}

static int start_set(struct counting *c)
{
	int ret;

	if (open_set(c))
		return CTL_FAILED;
	ret = kncpmu_start(c->fd);
	if (!ret)
		return 0;
	close_set(c);
	return explain_op(KNCPMU_OP_START, ret, 0);
}

/* All counts at zero, the first set is started */
int counting_begin(struct counting *c)
{
	memset(c->base, 0, counting_size(c));
	c->set = 0;
	c->slice = SLICE_MIN;
	c->begun = now_ns();
	return start_set(c);
}

/* Add what record @i says of the set's events */
static void add_record(const struct counting *c, struct count *counts,
		       unsigned int i)
{
	const struct kncpmu_set *set = &c->sets[c->set];
	const struct knc_pmu_thread *record;
	struct count *count;
	unsigned int n;

	record = kncpmu_record(c->records, set->nr, i);
	for (n = 0; n < set->nr; n++) {
		count = &counts[set->item[n] * c->nr_cpus + i];
		count->value += record->value[n];
		count->enabled += record->time_enabled;
		count->running += record->time_running;
		count->flags |= record->flags;
	}
}

/* What was counted until now */
int counting_sample(struct counting *c, struct count *counts)
{
	unsigned int i;
	int nr;

	if (counts != c->base)
		memcpy(counts, c->base, counting_size(c));
	if (c->fd < 0)
		return 0;
	nr = kncpmu_read(c->fd, c->records, c->nr_cpus * sizeof(struct knc_pmu_thread),
			 0);
	if (nr < 0)
		return explain_op(KNCPMU_OP_READ, nr, 0);
	for (i = 0; i < (unsigned int)nr && i < c->nr_cpus; i++)
		add_record(c, counts, i);
	return 0;
}

/* The last session is read and gone */
int counting_end(struct counting *c)
{
	int ret, status;

	if (c->fd < 0)
		return 0;
	ret = kncpmu_stop(c->fd);
	status = counting_sample(c, c->base);
	close_set(c);
	return ret ? explain_op(KNCPMU_OP_STOP, ret, 0) : status;
}

/* The next set's turn; turns grow longer with every round */
int counting_rotate(struct counting *c)
{
	unsigned long long cost, time = now_ns();
	int status;

	if (counting_end(c))
		return CTL_FAILED;
	c->set++;
	if (c->set == c->nr_sets) {
		c->set = 0;
		c->slice *= 2;
	}
	status = start_set(c);
	cost = SLICE_COST * (now_ns() - time);
	if (c->slice < cost)
		c->slice = cost;
	if (c->slice > SLICE_MAX)
		c->slice = SLICE_MAX;
	return status;
}
