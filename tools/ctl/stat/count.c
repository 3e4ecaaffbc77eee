// SPDX-License-Identifier: GPL-2.0
/*
 * The sessions of stat. If the events need more counters than there are, they take turns in
 * one session, or --passes runs the command once for each set of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>

#include "cli/clock.h"
#include "cli/cpus.h"
#include "cli/device.h"
#include "stat/counting.h"
#include "stat/events.h"
#include "stat/off-cpu.h"

#define CONFIG_TRIES	10

size_t counting_size(const struct counting *c)
{
	return (size_t)c->nr_items * c->nr_rows * sizeof(struct count);
}

/*
 * Set c->core of each hardware thread to the first thread of its core, or to itself without sysfs
 */
static void find_cores(struct counting *c)
{
	struct kncpmu_cpus siblings;
	unsigned int cpu, sibling, i = 0;

	for (cpu = first_cpu(c->cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(c->cpus, cpu)) {
		c->row_id[i++] = cpu;
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

/* Find the hardware threads of @cpus on which no session is known to hold a counter */
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

static struct kncpmu_part *next_part(struct counting *c)
{
	struct kncpmu_part *part = &c->parts[c->nr_parts];

	memset(part, 0, sizeof(*part));
	part->cpus = *c->cpus;
	c->fd[c->nr_parts++] = -1;
	return part;
}

/* Make a part of each set of events that can be counted together */
static void make_passes(struct counting *c)
{
	static struct kncpmu_set sets[MAX_ITEMS];
	struct kncpmu_part *part;
	unsigned int i, nr;

	nr = kncpmu_group(c->pmu, c->items, c->nr_items, sets);
	for (i = 0; i < nr; i++) {
		part = next_part(c);
		part->nr_groups = 1;
		part->nr = sets[i].nr;
		memcpy(part->item, sets[i].item, sets[i].nr * sizeof(*part->item));
	}
	c->nr_passes = nr;
}

static void place_parts(struct counting *c, const struct stat_opts *opts)
{
	struct kncpmu_cpus online, free;
	struct kncpmu_request request = {
		.pmu = c->pmu,
		.items = c->items,
		.nr = c->nr_items,
		.cpus = c->cpus,
		.online = &online,
		.siblings = kncpmu_cpus_siblings,
	};
	unsigned int i;

	find_cores(c);
	if (opts->exact) {
		find_free(&c->cores, &free);
		request.preferred = &free;
		request.flags |= KNCPMU_PLACE_EXACT;
	}
	if (opts->per_cpu)
		request.flags |= KNCPMU_PLACE_PER_CPU;
	if (kncpmu_cpus_online(&online))
		online = *c->cpus;
	c->nr_parts = kncpmu_place(&request, c->parts);
	for (i = 0; i < c->nr_parts; i++)
		c->fd[i] = -1;
}

/* Does a figure need to know which hardware threads make up a core? */
static int needs_cores(const struct counting *c, const struct stat_opts *opts)
{
	unsigned int i;

	for (i = 0; i < c->nr_items; i++) {
		if (kncpmu_event_core_wide(c->pmu, &c->items[i].event))
			return !c->task;
	}
	return opts->per_core;
}

/* Without sysfs a sum would include a core's count several times */
static int check_cores(const struct counting *c, const struct stat_opts *opts)
{
	struct kncpmu_cpus siblings;
	unsigned int cpu;
	int ret;

	if (!needs_cores(c, opts))
		return 0;
	for (cpu = first_cpu(c->cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(c->cpus, cpu)) {
		ret = kncpmu_cpus_siblings(cpu, &siblings);
		/* -ENOENT: the CPU has gone offline, or it is the only one */
		if (ret && ret != -ENOENT)
			return no_cores(ret);
	}
	return 0;
}

static int make_parts(struct counting *c, const struct stat_opts *opts)
{
	c->nr_passes = 1;
	if (check_cores(c, opts))
		return CTL_FAILED;
	if (opts->passes) {
		if (!c->task)
			find_cores(c);
		make_passes(c);
		return 0;
	}
	if (c->nr_items > KNC_PMU_MAX_SET)
		return complain("%u events are too many to take turns, at most %u can: use "
				"--passes to run the command once for each two, or ask for fewer",
				c->nr_items, KNC_PMU_MAX_SET);
	/* uncore events are all counted on each package */
	if (!c->task && is_uncore(c->pmu)) {
		find_cores(c);
		kncpmu_turns(c->pmu, c->items, c->nr_items, next_part(c));
		return 0;
	}
	if (!c->task) {
		place_parts(c, opts);
		return 0;
	}
	do {
		kncpmu_turns(c->pmu, c->items, c->nr_items, next_part(c));
	} while (c->nr_parts < c->nr_pids);
	return 0;
}

/* Bytes of the longest possible record */
static size_t record_size(const struct counting *c)
{
	unsigned int nr = c->nr_items < KNC_PMU_MAX_SET ? c->nr_items : KNC_PMU_MAX_SET;

	return KNC_PMU_SET_SIZE(nr) + (c->per_thread ? KNC_PMU_NAME_SIZE : 0);
}

/* --off-cpu needs an event to sample, and an event that takes turns can't be sampled */
static int init_off_cpu(struct counting *c)
{
	if (c->parts[0].nr_groups > 1)
		return complain("--off-cpu: %u events would take turns, which can't be with it: "
				"ask for those that can be counted at the same time",
				c->nr_items);
	c->flags |= KNC_PMU_CONFIG_KEEP;
	c->off_cpu = off_cpu_new();
	return 0;
}

int counting_init(struct counting *c, const struct stat_opts *opts)
{
	memset(c, 0, sizeof(*c));
	c->items = opts->items;
	c->pmu = stat_pmu(opts);
	c->nr_items = opts->nr_items;
	c->cpus = &opts->cpus;
	c->task = opts->target != TARGET_CPUS;
	c->pid = opts->pid;
	c->pids = opts->pids;
	c->nr_pids = opts->nr_pids;
	c->per_thread = opts->per_thread;
	c->flags = opts->config | follow_flags(opts->target, !opts->no_inherit);
	c->delayed = opts->delay > 0;
	if (c->delayed)
		c->flags &= ~KNC_PMU_CONFIG_ON_EXEC;
	c->nr_rows = c->task ? 1 : kncpmu_cpus_count(&opts->cpus);
	if (c->per_thread) {
		c->flags |= KNC_PMU_CONFIG_KEEP;
		c->nr_rows = MAX_ROWS;
	}
	c->records = calloc(c->nr_rows, record_size(c));
	c->base = calloc(1, counting_size(c));
	c->row_id = calloc(c->nr_rows, sizeof(*c->row_id));
	/* on failure the caller frees what was allocated */
	if (!c->records || !c->base || !c->row_id)
		return complain("out of memory");
	c->row_id[0] = KNC_PMU_NO_CPU;
	c->tsc_khz = opts->card.tsc_khz;
	if (make_parts(c, opts) || (opts->off_cpu && init_off_cpu(c)))
		return CTL_FAILED;
	return c->per_thread ? stat_tasks_init(c) : 0;
}

/* Close the open sessions of parts @first to @end - 1 */
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
	free(c->row_id);
	off_cpu_free(c->off_cpu);
	stat_tasks_free(c);
}

/* EBUSY without a reason: a thread was created during CONFIG. A retry tells the counter's owner */
static int is_passing(int error, const struct knc_pmu_config *config)
{
	return error == -EBUSY && config->reason == KNC_PMU_REASON_NONE;
}

/* CONFIG that follows @pid */
static int config_task(const struct counting *c, int fd, int pid, struct knc_pmu_event *events,
		       unsigned int nr, struct knc_pmu_config *config)
{
	if (!c->off_cpu)
		return kncpmu_config_task(fd, pid, events, nr, c->flags, config);
	memset(config, 0, sizeof(*config));
	config->flags = c->flags;
	config->pid = pid;
	return off_cpu_config(c->off_cpu, fd, events, nr, config);
}

/* config_task() with a message */
static int follow(struct counting *c, unsigned int i, struct knc_pmu_event *events,
		  unsigned int nr)
{
	int pid = c->nr_pids > 1 ? c->pids[i] : c->pid, tries = 0;
	struct knc_pmu_config config;
	struct kncpmu_failure failure = {
		.op = KNCPMU_OP_CONFIG,
		.config = &config,
		.events = events,
		.pmu = c->pmu,
	};

	do {
		failure.error = config_task(c, c->fd[i], pid, events, nr, &config);
	} while (leave_exec_out(&c->flags, failure.error, &config) ||
		 (c->off_cpu && failure.error && off_cpu_smaller(c->off_cpu, &config)) ||
		 (is_passing(failure.error, &config) && tries++ < CONFIG_TRIES));
	return failure.error ? explain(&failure) : 0;
}

/* Configure the session of a part without starting it */
static int open_part(struct counting *c, unsigned int i)
{
	const struct kncpmu_part *part = &c->parts[i];
	struct knc_pmu_event events[KNC_PMU_MAX_SET];
	unsigned int n;
	int status;

	for (n = 0; n < part->nr; n++) {
		events[n] = c->items[part->item[n]].event;
		events[n].flags |= part->flags;
		events[n].group = part->group[n];
	}
	c->fd[i] = open_device();
	if (c->fd[i] < 0 || (c->off_cpu && off_cpu_check(c->fd[i])))
		return CTL_FAILED;
	if (c->task)
		status = follow(c, i, events, part->nr);
	else
		status = configure(c->pmu, c->fd[i], &part->cpus, events, part->nr);
	for (n = 0; n < part->nr; n++)
		c->counter[part->item[n]] = events[n].counter;
	return status;
}

/* Configure every part once, to have a refusal before the command runs */
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

/* The first part of the present pass; without passes, of all */
static unsigned int first_part(const struct counting *c)
{
	return c->nr_passes > 1 ? c->pass : 0;
}

static unsigned int end_part(const struct counting *c)
{
	return c->nr_passes > 1 ? c->pass + 1 : c->nr_parts;
}

/* Configure all sessions before any is started, so that they begin within a short time */
int counting_begin(struct counting *c)
{
	unsigned int i, first = first_part(c), end = end_part(c);

	memset(c->base, 0, counting_size(c));
	c->begun = now_ns();
	for (i = first; i < end; i++) {
		if (open_part(c, i) ||
		    (c->off_cpu && off_cpu_open(c->off_cpu, c->fd[i], c->parts[i].nr))) {
			close_parts(c, first, end);
			return CTL_FAILED;
		}
	}
	return c->flags & KNC_PMU_CONFIG_ON_EXEC || c->delayed ? 0 : counting_start(c);
}

int counting_start(struct counting *c)
{
	unsigned int i, first = first_part(c), end = end_part(c);
	int ret = 0;

	if (c->delayed)
		c->begun = now_ns();
	for (i = first; i < end && !ret; i++)
		ret = kncpmu_start(c->fd[i]);
	if (!ret)
		return c->off_cpu ? off_cpu_begin(c->off_cpu) : 0;
	close_parts(c, first, end);
	return explain_op(KNCPMU_OP_START, ret, 0);
}

/* The k-th record of READ of a part. @running: how long each event was counted, out */
static const struct knc_pmu_thread *record_of(const struct counting *c,
					      const struct kncpmu_part *part,
					      unsigned int k, const __u64 **running)
{
	const struct knc_pmu_thread *record;
	const char *name;

	*running = NULL;
	if (c->per_thread) {
		record = task_record(c, part - c->parts, k, &name);
		*running = record->value + part->nr;
		return record;
	}
	if (part->nr_groups > 1)
		return kncpmu_set_record(c->records, part->nr, k, running);
	return kncpmu_record(c->records, part->nr, k);
}

static int takes_turns(const struct counting *c, const struct kncpmu_part *part,
		       unsigned int n)
{
	return part->nr_groups > 1 &&
	       !(c->items[part->item[n]].event.flags & KNC_PMU_EVENT_PINNED);
}

/* Add the counts of a record to those of its hardware thread */
static void add_record(const struct counting *c, struct count *counts,
		       const struct kncpmu_part *part,
		       const struct knc_pmu_thread *record, const __u64 *running)
{
	struct count *count;
	unsigned int n;
	int turns;

	for (n = 0; n < part->nr; n++) {
		turns = takes_turns(c, part, n);
		count = &counts[part->item[n] * c->nr_rows];
		count->value += record->value[n];
		count->enabled += record->time_enabled;
		count->running += record->time_running;
		count->counted += turns ? running[n] : record->time_running;
		count->flags |= record->flags;
		count->for_core = part->for_core;
		count->turns = turns;
		count->followed = c->task;
	}
}

/* Add the records of part @i; with --per-thread each one to the row of its thread */
static int add_tasks(struct counting *c, struct count *counts, unsigned int i, unsigned int nr)
{
	static unsigned int rows[MAX_ROWS];
	const struct kncpmu_part *part = &c->parts[i];
	const struct knc_pmu_thread *record;
	const __u64 *running;
	unsigned int k;

	memset(rows, 0, sizeof(rows));
	if (c->per_thread && stat_tasks_rows(c, i, nr, rows))
		return CTL_FAILED;
	for (k = 0; k < nr; k++) {
		record = record_of(c, part, k, &running);
		add_record(c, counts + rows[k], part, record, running);
	}
	return 0;
}

/* Add the records of part @i to the counts of their hardware threads */
static void add_records(struct counting *c, struct count *counts,
			unsigned int i, unsigned int nr)
{
	const struct kncpmu_part *part = &c->parts[i];
	const struct knc_pmu_thread *record;
	const __u64 *running;
	unsigned int k, n;

	for (k = 0; k < nr; k++) {
		record = record_of(c, part, k, &running);
		/*
		 * match a package's counts by order, because another of its CPUs may have read them
		 */
		if (is_uncore(c->pmu)) {
			add_record(c, counts + k, part, record, running);
			continue;
		}
		for (n = 0; n < c->nr_rows; n++) {
			if (c->row_id[n] == record->cpu ||
			    (part->for_core && c->core[c->row_id[n]] == c->core[record->cpu]))
				add_record(c, counts + n, part, record, running);
		}
	}
}

/* Remember flags for report_warn(), and whether the tasks of part @i have ended */
static void note_flags(struct counting *c, unsigned int i, unsigned int nr)
{
	const struct kncpmu_part *part = &c->parts[i];
	const struct knc_pmu_thread *record;
	unsigned int k, bit, flags, cpu;
	const __u64 *running;

	for (k = 0; k < nr; k++) {
		record = record_of(c, part, k, &running);
		cpu = is_uncore(c->pmu) ? c->row_id[k] : record->cpu;
		flags = record->flags;
		c->seen |= flags;
		if (c->task) {
			c->ended[i] = !!(flags & (KNC_PMU_THREAD_ENDED |
						  KNC_PMU_THREAD_EVICTED));
			continue;
		}
		/* report_warn() needs one warning for a hardware thread that is offline */
		if (flags & KNC_PMU_THREAD_OFFLINE)
			flags &= ~KNC_PMU_THREAD_GAP;
		for (bit = 0; bit < NR_FLAGS; bit++) {
			if (flags & 1U << bit)
				kncpmu_cpus_set(&c->flagged[bit], cpu);
		}
		if (flags && part->for_core)
			kncpmu_cpus_set(&c->for_core, cpu);
	}
}

/* Read the rate of the time stamp counter on a CPU that counts. A CPU's rate may have changed */
static void ask_rate(struct counting *c, int fd)
{
	struct knc_pmu_info info;

	if (!kncpmu_info(fd, &info))
		c->tsc_khz = info.tsc_khz;
}

static int read_part(struct counting *c, struct count *counts, unsigned int i)
{
	int nr = kncpmu_read(c->fd[i], c->records, c->nr_rows * record_size(c),
			     c->per_thread ? KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES : 0);

	if (nr == -ENOSPC && c->per_thread)
		return too_many_tasks();
	if (nr < 0)
		return explain_op(KNCPMU_OP_READ, nr, 0);
	if (nr)
		c->time = ((const struct knc_pmu_thread *)c->records)->time;
	ask_rate(c, c->fd[i]);
	if (!c->task)
		add_records(c, counts, i, nr);
	else if (add_tasks(c, counts, i, nr))
		return CTL_FAILED;
	if (counts == c->base || c->task)
		note_flags(c, i, nr);
	return 0;
}

/* Read all counts until now */
int counting_read(struct counting *c, struct count *counts)
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

int counting_ended(const struct counting *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_parts && c->ended[i]; i++)
		;
	return i == c->nr_parts;
}

/* Stop all sessions, the last one first, then read and close them */
int counting_end(struct counting *c)
{
	unsigned int i;
	int ret = 0, status = 0;

	for (i = c->nr_parts; i-- > 0;) {
		if (c->fd[i] >= 0 && !ret)
			ret = kncpmu_stop(c->fd[i]);
		/*
		 * -ECANCELED: the session was evicted, and therefore stopped; its records have the
		 * flag
		 */
		if (ret == -ECANCELED)
			ret = 0;
	}
	for (i = 0; i < c->nr_parts && !status; i++) {
		if (c->fd[i] >= 0)
			status = read_part(c, c->base, i);
	}
	if (c->off_cpu && !ret && !status)
		status = off_cpu_end(c->off_cpu);
	close_parts(c, 0, c->nr_parts);
	return ret ? explain_op(KNCPMU_OP_STOP, ret, 0) : status;
}
