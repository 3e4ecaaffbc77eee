// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of serve, and the counts of each hardware thread. If a session is evicted, or a hardware
 * thread comes online later, serve opens another session and adds its counts to the earlier ones.
 * While a hardware thread has no session its counts are missing, not 0.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/cpus.h"
#include "cli/device.h"
#include "serve/counts.h"
#include "stat/events.h"

static unsigned int make_events(const struct serve_counts *c, struct knc_pmu_event *events)
{
	unsigned int i;

	for (i = 0; i < c->part.nr; i++) {
		events[i] = c->opts->items[c->part.item[i]].event;
		events[i].group = c->part.group[i];
	}
	return c->part.nr;
}

/*
 * Count @cpus in a session of their own. On failure @failure has the reason, and points to @config
 */
static int open_session(struct serve_counts *c, const struct kncpmu_cpus *cpus,
			struct kncpmu_failure *failure, struct knc_pmu_config *config,
			struct knc_pmu_event *events)
{
	struct serve_session *s = calloc(1, sizeof(*s));
	unsigned int nr = make_events(c, events);

	memset(failure, 0, sizeof(*failure));
	failure->op = KNCPMU_OP_OPEN;
	failure->error = -ENOMEM;
	if (!s)
		return -1;
	s->cpus = *cpus;
	s->fd = kncpmu_open(NULL);
	failure->error = s->fd < 0 ? s->fd : 0;
	if (s->fd >= 0) {
		failure->op = KNCPMU_OP_CONFIG;
		failure->config = config;
		failure->events = events;
		failure->pmu = stat_pmu(c->opts);
		failure->error = kncpmu_config(s->fd, cpus, events, nr, 0, config);
		if (!failure->error)
			failure->error = kncpmu_start(s->fd);
	}
	if (failure->error) {
		kncpmu_close(s->fd);
		free(s);
		return -1;
	}
	s->next = c->sessions;
	c->sessions = s;
	return 0;
}

/* Find the hardware threads of -C that are online, and that no session counts */
static void find_missing(const struct serve_counts *c, struct kncpmu_cpus *missing)
{
	const struct serve_session *s;

	if (kncpmu_cpus_online(missing))
		memset(missing, 0, sizeof(*missing));
	if (c->opts->have_cpus)
		kncpmu_cpus_and(missing, &c->opts->cpus);
	for (s = c->sessions; s; s = s->next)
		kncpmu_cpus_andnot(missing, &s->cpus);
}

/* Open one session for all that find_missing() found; if it is refused, one for each thread */
static int count_missing(struct serve_counts *c, struct kncpmu_failure *failure,
			 struct knc_pmu_config *config, struct knc_pmu_event *events)
{
	struct knc_pmu_event own[KNC_PMU_MAX_SET];
	struct kncpmu_cpus missing, one;
	struct kncpmu_failure ignored;
	struct knc_pmu_config other;
	unsigned int cpu;

	find_missing(c, &missing);
	failure->error = 0;
	if (!kncpmu_cpus_count(&missing) || !open_session(c, &missing, failure, config, events))
		return 0;
	if (kncpmu_cpus_count(&missing) == 1)
		return -1;
	for (cpu = first_cpu(&missing); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&missing, cpu)) {
		memset(&one, 0, sizeof(one));
		kncpmu_cpus_set(&one, cpu);
		open_session(c, &one, &ignored, &other, own);
	}
	return c->sessions ? 0 : -1;
}

static const struct knc_pmu_thread *record_at(const struct serve_counts *c, int k,
					      const __u64 **running)
{
	*running = NULL;
	if (c->part.nr_groups > 1)
		return kncpmu_set_record(c->records, c->part.nr, k, running);
	return kncpmu_record(c->records, c->part.nr, k);
}

static void add_record(const struct serve_counts *c, struct serve_thread *t,
		       const struct knc_pmu_thread *record, const __u64 *running)
{
	unsigned int i;

	t->known = 1;
	t->running += record->time_running;
	for (i = 0; i < c->part.nr; i++) {
		t->value[c->part.item[i]] += record->value[i];
		t->counted[c->part.item[i]] += running ? running[i] : record->time_running;
	}
}

/*
 * Read a session and add its counts to @now; if it was evicted, also to @base, because this reading
 * is its last. Returns nonzero then.
 */
static int add_session(struct serve_counts *c, const struct serve_session *s)
{
	int k, nr = kncpmu_read(s->fd, c->records, c->size, 0), evicted = nr < 0;
	const struct knc_pmu_thread *record;
	const __u64 *running;

	for (k = 0; k < nr; k++)
		evicted |= record_at(c, k, &running)->flags & KNC_PMU_THREAD_EVICTED;
	for (k = 0; k < nr; k++) {
		record = record_at(c, k, &running);
		if (record->cpu >= KNC_PMU_MAX_CPUS)
			continue;
		add_record(c, &c->now[record->cpu], record, running);
		if (evicted)
			add_record(c, &c->base[record->cpu], record, running);
		else
			c->now[record->cpu].counting = !(record->flags & KNC_PMU_THREAD_OFFLINE);
	}
	return evicted;
}

/* Read the sessions before @end in the list, and close those that were evicted */
static void read_sessions(struct serve_counts *c, const struct serve_session *end)
{
	struct serve_session **at = &c->sessions, *s;

	while (*at != end) {
		s = *at;
		if (!add_session(c, s)) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		kncpmu_close(s->fd);
		free(s);
	}
}

static void find_places(struct serve_counts *c)
{
	struct kncpmu_topology topology;
	unsigned int cpu;
	int core, known = !kncpmu_topology_read(NULL, &topology);

	for (cpu = 0; cpu < KNC_PMU_MAX_CPUS; cpu++) {
		core = known ? kncpmu_topology_core(&topology, cpu) : -1;
		/* sysfs has no core for an offline thread: keep the last one */
		if (core < 0 && c->base[cpu].since)
			continue;
		c->base[cpu].core = core < 0 ? cpu : topology.cores[core].id;
		c->base[cpu].package = core < 0 ? 0 : topology.cores[core].package;
		c->now[cpu].core = c->base[cpu].core;
		c->now[cpu].package = c->base[cpu].package;
	}
	if (known)
		kncpmu_topology_free(&topology);
}

/* Add to the time without counts; it begins when a thread is first counted, and never decreases */
static void add_missing(struct serve_counts *c)
{
	struct serve_thread *t, *base;
	unsigned long long all;
	unsigned int cpu;

	for (cpu = 0; cpu < KNC_PMU_MAX_CPUS; cpu++) {
		t = &c->now[cpu];
		base = &c->base[cpu];
		if (!t->known)
			continue;
		if (!base->since)
			base->since = c->read_at - t->running;
		all = c->read_at - base->since;
		if (all > t->running && all - t->running > base->missing)
			base->missing = all - t->running;
		t->missing = base->missing;
	}
}

void serve_read(struct serve_counts *c)
{
	struct knc_pmu_event events[KNC_PMU_MAX_SET];
	unsigned long long now = now_ns();
	struct kncpmu_failure failure;
	struct knc_pmu_config config;
	const struct serve_session *old;
	unsigned int cpu;

	if (c->read_at && now - c->read_at < SERVE_FRESH_MS * NSEC_PER_MSEC)
		return;
	memcpy(c->now, c->base, KNC_PMU_MAX_CPUS * sizeof(*c->now));
	read_sessions(c, NULL);
	old = c->sessions;
	/* new sessions come before @old; after a refusal the next reading tries again */
	count_missing(c, &failure, &config, events);
	read_sessions(c, old);
	find_places(c);
	for (cpu = 0; cpu < KNC_PMU_MAX_CPUS; cpu++)
		c->base[cpu].known = c->now[cpu].known;
	c->read_at = now_ns();
	c->readings++;
	add_missing(c);
}

int serve_begin(struct serve_counts *c, struct stat_opts *opts)
{
	struct knc_pmu_event events[KNC_PMU_MAX_SET];
	struct kncpmu_failure failure;
	struct knc_pmu_config config;

	memset(c, 0, sizeof(*c));
	c->opts = opts;
	kncpmu_turns(stat_pmu(opts), opts->items, opts->nr_items, &c->part);
	c->size = KNC_PMU_MAX_CPUS * KNC_PMU_SET_SIZE(c->part.nr);
	c->records = malloc(c->size);
	c->base = calloc(KNC_PMU_MAX_CPUS, sizeof(*c->base));
	c->now = calloc(KNC_PMU_MAX_CPUS, sizeof(*c->now));
	if (!c->records || !c->base || !c->now)
		return complain("out of memory");
	return count_missing(c, &failure, &config, events) ? explain(&failure) : 0;
}

void serve_end(struct serve_counts *c)
{
	struct serve_session *s;

	while (c->sessions) {
		s = c->sessions;
		c->sessions = s->next;
		kncpmu_close(s->fd);
		free(s);
	}
	free(c->records);
	free(c->base);
	free(c->now);
}
