// SPDX-License-Identifier: GPL-2.0
/*
 * Counting: sessions that count all the time and, where the events don't fit on
 * the counters, a session for each turn of a set of events
 */
#include <stdlib.h>
#include <string.h>

#include "stat.h"

#define SLICE_MIN	(2 * NSEC_PER_MSEC)	/* short programs see every set */
#define SLICE_MAX	(64 * NSEC_PER_MSEC)	/* long ones are disturbed less */
#define SLICE_COST	8			/* times what a change of turns takes */

size_t counting_size(const struct counting *c)
{
	return (size_t)c->nr_items * c->nr_cpus * sizeof(struct count);
}

/*
 * All hardware threads of the cores get the number of the first; a thread is
 * its own core if sysfs says nothing.
 */
static void find_cores(struct counting *c)
{
	struct kncpmu_cpus siblings;
	unsigned int cpu, sibling, i = 0;

	for (cpu = first_cpu(c->cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(c->cpus, cpu)) {
		c->cpu[i++] = cpu;
		if (kncpmu_cpus_siblings(cpu, &siblings))
			memset(&siblings, 0, sizeof(siblings));
		kncpmu_cpus_set(&siblings, cpu);
		for (sibling = first_cpu(&siblings); sibling < KNC_PMU_MAX_CPUS;
		     sibling = next_cpu(&siblings, sibling)) {
			c->core[sibling] = first_cpu(&siblings);
			kncpmu_cpus_set(&c->cores, sibling);
		}
	}
}

/* Those of @cpus no counter of which a session has, as far as that can be told */
static void find_free(const struct kncpmu_cpus *cpus, struct kncpmu_cpus *free)
{
	struct knc_pmu_owner owner;
	unsigned int cpu;
	int fd = kncpmu_open(NULL);

	*free = *cpus;
	if (fd < 0)
		return;
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		if (cpu_owner(fd, cpu, &owner) > 0)
			kncpmu_cpus_clear(free, cpu);
	}
	kncpmu_close(fd);
}

static void make_parts(struct counting *c, const struct stat_opts *opts)
{
	static struct kncpmu_set sets[MAX_ITEMS];
	struct kncpmu_cpus online, free;
	struct kncpmu_request request = {
		.items = c->items,
		.nr = c->nr_items,
		.sets = sets,
		.cpus = c->cpus,
		.online = &online,
		.siblings = kncpmu_cpus_siblings,
	};
	unsigned int i;

	if (opts->exact) {
		find_free(&c->cores, &free);
		request.free = &free;
		request.flags |= KNCPMU_PLACE_EXACT;
	}
	if (opts->per_cpu)
		request.flags |= KNCPMU_PLACE_PER_CPU;
	if (kncpmu_cpus_online(&online))
		online = *c->cpus;
	c->nr_parts = kncpmu_place(&request, c->parts);
	for (i = 0; i < c->nr_parts; i++) {
		c->fd[i] = -1;
		if (c->parts[i].turn)
			c->nr_turns++;
	}
}

int counting_init(struct counting *c, const struct stat_opts *opts)
{
	memset(c, 0, sizeof(*c));
	c->items = opts->items;
	c->nr_items = opts->nr_items;
	c->cpus = &opts->cpus;
	c->nr_cpus = kncpmu_cpus_count(&opts->cpus);
	c->records = calloc(c->nr_cpus, sizeof(struct knc_pmu_thread));
	c->base = calloc(1, counting_size(c));
	c->cpu = calloc(c->nr_cpus, sizeof(*c->cpu));
	if (!c->records || !c->base || !c->cpu) {
		counting_free(c);
		return complain("out of memory");
	}
	find_cores(c);
	make_parts(c, opts);
	return 0;
}

/* Parts from @first up to @end are closed, if they are open */
static void close_parts(struct counting *c, unsigned int first, unsigned int end)
{
	for (; first < end; first++) {
		kncpmu_close(c->fd[first]);
		c->fd[first] = -1;
	}
}

void counting_free(struct counting *c)
{
	close_parts(c, 0, c->nr_parts);
	free(c->records);
	free(c->base);
	free(c->cpu);
}

/* A session for a part, not started */
static int open_part(struct counting *c, unsigned int i)
{
	const struct kncpmu_part *part = &c->parts[i];
	struct knc_pmu_event events[KNC_PMU_MAX_EVENTS];
	unsigned int n;

	for (n = 0; n < part->set.nr; n++) {
		events[n] = c->items[part->set.item[n]].event;
		events[n].flags |= part->flags;
	}
	c->fd[i] = open_device();
	if (c->fd[i] < 0)
		return CTL_FAILED;
	return configure(c->fd[i], &part->cpus, events, part->set.nr);
}

/* Will the kernel take every part? Better to know before the command runs */
int counting_probe(struct counting *c)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < c->nr_parts && !status; i++) {
		status = open_part(c, i);
		close_parts(c, i, i + 1);
	}
	return status;
}

/* Nothing is started before all is there: START is all that comes in between */
static int start_parts(struct counting *c, unsigned int first, unsigned int end)
{
	unsigned int i;
	int ret = 0;

	for (i = first; i < end; i++) {
		if (open_part(c, i)) {
			close_parts(c, first, end);
			return CTL_FAILED;
		}
	}
	for (i = first; i < end && !ret; i++)
		ret = kncpmu_start(c->fd[i]);
	if (!ret)
		return 0;
	close_parts(c, first, end);
	return explain_op(KNCPMU_OP_START, ret, 0);
}

/* The part whose turn it is, which stands behind those that take none */
static unsigned int turn_part(const struct counting *c)
{
	return c->nr_parts - c->nr_turns + c->turn;
}

/* All counts at zero; what takes no turns is started, and the first turn */
int counting_begin(struct counting *c)
{
	memset(c->base, 0, counting_size(c));
	c->turn = 0;
	c->slice = SLICE_MIN;
	c->begun = now_ns();
	return start_parts(c, 0, turn_part(c) + (c->nr_turns ? 1 : 0));
}

/* The counts of a record that are of the n-th hardware thread or of its core */
static void add_record(const struct counting *c, struct count *counts,
		       const struct kncpmu_part *part,
		       const struct knc_pmu_thread *record)
{
	struct count *count;
	unsigned int n;

	for (n = 0; n < part->set.nr; n++) {
		count = &counts[part->set.item[n] * c->nr_cpus];
		count->value += record->value[n];
		count->enabled += record->time_enabled;
		count->running += record->time_running;
		count->flags |= record->flags;
		count->for_core = part->for_core;
		count->turns = part->turn;
	}
}

/* Add what was read of part @i */
static void add_records(const struct counting *c, struct count *counts,
			unsigned int i, unsigned int nr)
{
	const struct kncpmu_part *part = &c->parts[i];
	const struct knc_pmu_thread *record;
	unsigned int k, n;

	for (k = 0; k < nr; k++) {
		record = kncpmu_record(c->records, part->set.nr, k);
		for (n = 0; n < c->nr_cpus; n++) {
			if (c->cpu[n] == record->cpu ||
			    (part->for_core && c->core[c->cpu[n]] == c->core[record->cpu]))
				add_record(c, counts + n, part, record);
		}
	}
}

/* Which hardware threads the final counts say something about */
static void note_flags(struct counting *c, unsigned int i, unsigned int nr)
{
	const struct kncpmu_part *part = &c->parts[i];
	const struct knc_pmu_thread *record;
	unsigned int k, bit, flags;

	for (k = 0; k < nr; k++) {
		record = kncpmu_record(c->records, part->set.nr, k);
		flags = record->flags;
		/* who is offline now was so for some of the time */
		if (flags & KNC_PMU_THREAD_OFFLINE)
			flags &= ~KNC_PMU_THREAD_GAP;
		for (bit = 0; bit < NR_FLAGS; bit++) {
			if (flags & 1U << bit)
				kncpmu_cpus_set(&c->flagged[bit], record->cpu);
		}
		if (flags && part->for_core)
			kncpmu_cpus_set(&c->for_core, record->cpu);
	}
}

static int read_part(struct counting *c, struct count *counts, unsigned int i)
{
	int nr = kncpmu_read(c->fd[i], c->records,
			     c->nr_cpus * sizeof(struct knc_pmu_thread), 0);

	if (nr < 0)
		return explain_op(KNCPMU_OP_READ, nr, 0);
	add_records(c, counts, i, nr);
	if (counts == c->base)
		note_flags(c, i, nr);
	return 0;
}

/* What was counted until now */
int counting_sample(struct counting *c, struct count *counts)
{
	unsigned int i;
	int status = 0;

	memcpy(counts, c->base, counting_size(c));
	for (i = 0; i < c->nr_parts && !status; i++) {
		if (c->fd[i] >= 0)
			status = read_part(c, counts, i);
	}
	return status;
}

/* Parts are stopped, the last one first, then read, and gone */
static int end_parts(struct counting *c, unsigned int first, unsigned int end)
{
	unsigned int i;
	int ret = 0, status = 0;

	for (i = end; i-- > first;) {
		if (c->fd[i] >= 0 && !ret)
			ret = kncpmu_stop(c->fd[i]);
	}
	for (i = first; i < end && !status; i++) {
		if (c->fd[i] >= 0)
			status = read_part(c, c->base, i);
	}
	close_parts(c, first, end);
	return ret ? explain_op(KNCPMU_OP_STOP, ret, 0) : status;
}

/* All sessions are read and gone */
int counting_end(struct counting *c)
{
	return end_parts(c, 0, c->nr_parts);
}

/* The next turn; turns grow longer with every round */
int counting_rotate(struct counting *c)
{
	unsigned long long cost, time = now_ns();
	int status;

	if (end_parts(c, turn_part(c), turn_part(c) + 1))
		return CTL_FAILED;
	c->turn++;
	if (c->turn == c->nr_turns) {
		c->turn = 0;
		c->slice *= 2;
	}
	status = start_parts(c, turn_part(c), turn_part(c) + 1);
	cost = SLICE_COST * (now_ns() - time);
	if (c->slice < cost)
		c->slice = cost;
	if (c->slice > SLICE_MAX)
		c->slice = SLICE_MAX;
	return status;
}
