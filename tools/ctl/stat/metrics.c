// SPDX-License-Identifier: GPL-2.0
/* Metrics of stat: options -M and -G, their events, and their values */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "metric/passes.h"
#include "stat/events.h"
#include "stat/report.h"

#define RINGS		(KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS)

/* Add a metric to those that are shown. */

static int add_metric(const struct command *cmd, struct stat_opts *opts,
		      const struct metric *m)
{
	unsigned int i;

	for (i = 0; i < opts->nr_metrics; i++) {
		if (opts->metrics[i] == m)
			return 0;
	}
	if (opts->nr_metrics == MAX_METRICS)
		return usage_error(cmd, "more than %d metrics: ask for fewer at a time",
				   MAX_METRICS);
	opts->metrics[opts->nr_metrics++] = m;
	return 0;
}

/* Events that the card can't count */

/**
 * struct lack - events that the card lacks, and metrics that need them
 * @metrics: the metrics
 * @nr_metrics: number of metrics
 * @events: the events
 * @nr_events: number of events
 */
struct lack {
	const char *metrics[MAX_METRICS];
	unsigned int nr_metrics;
	const char *events[MAX_ITEMS];
	unsigned int nr_events;
};

static void lack_event(struct lack *lack, const char *name)
{
	unsigned int i;

	for (i = 0; i < lack->nr_events; i++) {
		if (!strcmp(lack->events[i], name))
			return;
	}
	if (lack->nr_events < MAX_ITEMS)
		lack->events[lack->nr_events++] = name;
}

/*
 * The number of events of a metric that the card can't count; they are added to @lack,
 * unless that is NULL
 */
static unsigned int lack_of_metric(const struct stat_opts *opts, const struct metric *m,
				   struct lack *lack)
{
	const struct kncpmu_item *item;
	unsigned int i, nr = 0;

	for (i = 0; i < m->nr_events; i++) {
		item = &opts->ms->items[m->events[i]];
		if (!kncpmu_card_lacks(&opts->card, &item->event))
			continue;
		if (lack)
			lack_event(lack, item->name);
		nr++;
	}
	return nr;
}

int metric_stands_in(const struct stat_opts *opts, const struct metric *m)
{
	unsigned int i;

	for (i = 0; i < m->nr_events; i++) {
		if (kncpmu_card_stands_in(&opts->card, &opts->ms->items[m->events[i]].event))
			return 1;
	}
	return 0;
}

static const char *card_text(const struct stat_opts *opts)
{
	if (is_host(stat_pmu(opts)))
		return opts->card.emulated ? "the emulated host" : "this CPU";
	return opts->card.emulated ? "the emulated card" : "this card";
}

/* Does the card lack events of a metric? @why says which */
static int is_lacking(const struct stat_opts *opts, const struct metric *m, char *why,
		      size_t size)
{
	struct lack lack = { .nr_events = 0 };

	if (!lack_of_metric(opts, m, &lack))
		return 0;
	snprintf(why, size, "it needs %s, which %s lacks",
		 intern_list(lack.events, lack.nr_events), card_text(opts));
	return 1;
}

/* Complain if the card can count nothing of the command line's events and metrics */
static int nothing_left(const struct stat_opts *opts)
{
	struct lack lack = { .nr_events = 0 };
	const char *metrics, *events;
	unsigned int i;

	for (i = 0; i < opts->nr_metrics; i++) {
		if (lack_of_metric(opts, opts->metrics[i], &lack))
			lack.metrics[lack.nr_metrics++] = opts->metrics[i]->name;
	}
	for (i = 0; i < opts->nr_lacking && !lack.nr_metrics; i++)
		lack_event(&lack, opts->lacking[i].name);
	if (!lack.nr_events)
		return 0;
	metrics = intern_list(lack.metrics, lack.nr_metrics);
	events = intern_list(lack.events, lack.nr_events);
	if (!lack.nr_metrics)
		return complain("%s lacks %s: ask for something else, %s list shows what there is",
				card_text(opts), events, PROGRAM);
	return complain("metric%s %s need%s %s, which %s lacks: ask for others, "
			"%s help METRIC shows what one needs",
			plural_of(lack.nr_metrics), metrics, lack.nr_metrics == 1 ? "s" : "",
			events, card_text(opts), PROGRAM);
}

static int any_pinned(const struct stat_opts *opts)
{
	unsigned int i;

	for (i = 0; i < opts->nr_items; i++) {
		if (opts->items[i].event.flags & KNC_PMU_EVENT_PINNED)
			return 1;
	}
	return 0;
}

static int same_code(const struct knc_pmu_event *a, const struct knc_pmu_event *b)
{
	return a->event == b->event && a->extra == b->extra && a->cmask == b->cmask;
}

static struct kncpmu_item *find_item(struct stat_opts *opts, const struct knc_pmu_event *event)
{
	unsigned int i;

	for (i = 0; i < opts->nr_items; i++) {
		if (same_code(&opts->items[i].event, event) &&
		    opts->items[i].event.flags == event->flags)
			return &opts->items[i];
	}
	return NULL;
}

/* Put the events of a metric into a group, so that they are counted at the same time */
static void keep_together(struct stat_opts *opts, const struct metric *m)
{
	struct kncpmu_item *items[KNCPMU_MAX_COUNTERS];
	unsigned int i;

	if (!m->together || m->nr_events < 2 || any_pinned(opts))
		return;
	for (i = 0; i < m->nr_events; i++) {
		items[i] = find_item(opts, &opts->ms->items[m->events[i]].event);
		if (!items[i] || items[i]->group)
			return;
	}
	for (i = 0; i < m->nr_events; i++)
		items[i]->group = 1 + MAX_ITEMS + (items[0] - opts->items);
}

static int add_events(const struct command *cmd, struct stat_opts *opts,
		      const unsigned int *events, unsigned int nr)
{
	if (!metric_items(opts->ms, events, nr, opts->items, &opts->nr_items, MAX_ITEMS))
		return 0;
	return usage_error(cmd, "more than %d events: ask for fewer metrics at a time", MAX_ITEMS);
}

static int want_metric(const struct command *cmd, struct stat_opts *opts, const char *name)
{
	const struct metric *m = metric_find(opts->ms, name);
	char near[160];

	if (!m) {
		if (!metric_suggest_uncore(stat_pmu(opts), name, near, sizeof(near)))
			metric_suggest(opts->ms, name, near, sizeof(near));
		complain("unknown metric '%s':%s", name, near);
		return CTL_USAGE;
	}
	if (add_metric(cmd, opts, m))
		return CTL_USAGE;
	/* add no event, because the metric is shown without a value and would only cost time */
	if (lack_of_metric(opts, m, NULL))
		return 0;
	if (add_events(cmd, opts, m->events, m->nr_events))
		return CTL_USAGE;
	keep_together(opts, m);
	return 0;
}

/* Does the event belong to a metric of the group? */
static int of_metric(const struct metrics *ms, const struct metric_group *g,
		     unsigned int event)
{
	const struct metric *m;
	unsigned int i, j;

	for (i = 0; i < g->nr_metrics; i++) {
		m = &ms->metrics[g->metrics[i]];
		for (j = 0; j < m->nr_events; j++) {
			if (m->events[j] == event)
				return 1;
		}
	}
	return 0;
}

/* Add an event of the group, unless a metric of the group has added it */
static int want_event(const struct command *cmd, struct stat_opts *opts, unsigned int event)
{
	const struct kncpmu_item *item = &opts->ms->items[event];

	if (!kncpmu_card_lacks(&opts->card, &item->event))
		return add_events(cmd, opts, &event, 1);
	add_lacking(opts, item);
	return 0;
}

static int want_group(const struct command *cmd, struct stat_opts *opts, const char *name)
{
	const struct metric_group *g = metric_group_find(opts->ms, name);
	char near[160];
	unsigned int i;

	if (!g) {
		if (!metric_suggest_uncore(stat_pmu(opts), name, near, sizeof(near)))
			metric_group_suggest(opts->ms, name, near, sizeof(near));
		complain("unknown group '%s':%s", name, near);
		return CTL_USAGE;
	}
	for (i = 0; i < g->nr_metrics; i++) {
		if (want_metric(cmd, opts, opts->ms->metrics[g->metrics[i]].name))
			return CTL_USAGE;
	}
	for (i = 0; i < g->nr_events; i++) {
		if (!of_metric(opts->ms, g, g->events[i]) && want_event(cmd, opts, g->events[i]))
			return CTL_USAGE;
	}
	return 0;
}

/* Take one list of names, separated by commas */
static int want_list(const struct command *cmd, struct stat_opts *opts,
		     const struct wanted *wanted)
{
	char name[KNCPMU_SPEC_LEN];
	const char *at = wanted->names;
	size_t len;
	int status;

	do {
		len = strcspn(at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		status = wanted->group ? want_group(cmd, opts, name) :
					 want_metric(cmd, opts, name);
		if (status)
			return status;
		at += len;
	} while (*at++);
	return 0;
}

/* Find the metrics of -M and -G, and add their events */
int stat_metrics(const struct command *cmd, struct stat_opts *opts)
{
	unsigned int i;
	int status = 0;

	if (!opts->nr_wanted)
		return 0;
	opts->ms = metrics_get(stat_pmu(opts), opts->metric_files.path, opts->metric_files.nr);
	if (!opts->ms)
		return CTL_FAILED;
	stat_card(opts);
	for (i = 0; i < opts->nr_wanted && !status; i++)
		status = want_list(cmd, opts, &opts->wanted[i]);
	if (!status && !opts->nr_items)
		return nothing_left(opts);
	return status;
}

/* The values of metrics */

/**
 * struct lookup - the counts for a metric
 * @r: the report
 * @where: the cell
 * @flags: look for events with these KNC_PMU_EVENT_*; 0: with their own
 */
struct lookup {
	const struct report *r;
	unsigned int where;
	unsigned int flags;
};

static int flags_match(const struct lookup *l, const struct knc_pmu_event *wanted,
		       const struct knc_pmu_event *counted)
{
	unsigned int flags = l->flags ? l->flags : wanted->flags;
	unsigned int there = counted->flags & ~KNC_PMU_EVENT_PINNED;

	if (flags == there)
		return 1;
	return l->r->opts->user_only && (flags & RINGS) == RINGS &&
	       (flags & ~KNC_PMU_EVENT_OS) == there;
}

static int find_count(void *ctx, const struct kncpmu_item *item, struct metric_count *count)
{
	struct lookup *l = ctx;
	const struct counting *c = l->r->counting;
	const struct cell *cell;
	unsigned int i;

	for (i = 0; i < c->nr_items; i++) {
		cell = report_cell(l->r, i, l->where);
		if (!same_code(&c->items[i].event, &item->event) ||
		    !flags_match(l, &item->event, &c->items[i].event) || !cell->spread.n)
			continue;
		/*
		 * the count is already scaled; after several runs the CPI uses the means of the
		 * counts
		 */
		count->value = l->flags && cell->spread.n > 1 ? cell->spread.mean + 0.5 :
							      cell->value;
		count->precision = report_precision(l->r, i, l->where);
		return 0;
	}
	return -1;
}

/* How many hardware threads were counted on the core of the n-th row */
static unsigned int threads_of_core(const struct counting *c, unsigned int n)
{
	unsigned int i, threads = 0;

	for (i = 0; i < c->nr_rows; i++)
		threads += c->core[c->row_id[i]] == c->core[c->row_id[n]];
	return threads;
}

static unsigned int count_cores(const struct counting *c)
{
	unsigned int n, i, cores = 0;

	for (n = 0; n < c->nr_rows; n++) {
		for (i = 0; i < n && c->core[c->row_id[i]] != c->core[c->row_id[n]]; i++)
			;
		cores += i == n;
	}
	return cores;
}

unsigned int report_cores(const struct report *r, unsigned int where)
{
	return where || r->counting->task ? 1 : count_cores(r->counting);
}

static void evaluate(const struct report *r, const struct metric *m, struct lookup *l,
		     double seconds, struct metric_value *value)
{
	const struct counting *c = r->counting;
	struct metric_env env = {
		.count_of = find_count,
		.ctx = l,
		.seconds = seconds,
		.tsc = seconds * 1000 * c->tsc_khz,
		.threads = 1,
		.cores = report_cores(r, l->where),
	};

	if (!l->where && !c->task)
		env.threads = c->nr_rows;
	if (l->where && r->opts->per_core)
		env.threads = threads_of_core(c, l->where - 1);
	memset(value, 0, sizeof(*value));
	if (is_lacking(r->opts, m, value->why, sizeof(value->why)))
		return;
	if (metric_asks_cores(m))
		env.all_cores = report_all_cores();
	metric_evaluate(r->opts->ms, m, &env, value);
}

static struct metric_cell *metric_at(const struct report *r, unsigned int i,
				     unsigned int where)
{
	return &r->metrics[i * (1 + r->counting->nr_rows) + where];
}

const struct metric_cell *report_metric(const struct report *r, unsigned int i,
					unsigned int where)
{
	return metric_at(r, i, where);
}

/* Compute all metrics of a run or an interval of @seconds */
void report_metrics(struct report *r, double seconds)
{
	struct metric_cell *cell;
	unsigned int i, where;

	for (i = 0; i < r->opts->nr_metrics; i++) {
		for (where = 0; where <= r->counting->nr_rows; where++) {
			struct lookup l = { .r = r, .where = where };

			if (where && !report_shows(r, where))
				continue;
			cell = metric_at(r, i, where);
			evaluate(r, r->opts->metrics[i], &l, seconds, &cell->value);
			if (cell->value.available)
				spread_add(&cell->spread, cell->value.value);
		}
	}
}

static int is_instructions(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event)
{
	const __u32 plain = RINGS | KNC_PMU_EVENT_SPFLT | KNC_PMU_EVENT_PINNED;
	const struct kncpmu_event_desc *desc = kncpmu_event_find(pmu, pmu->instructions);

	return desc && event->event == KNC_PMU_EVENT_CODE(desc->event, desc->umask) &&
	       !event->cmask && !(event->flags & ~plain);
}

/* Find the count of the event @name in the rings of @l; returns 0, or -1 */
static int count_of(struct lookup *l, const char *name, struct metric_count *count)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_find(l->r->counting->pmu, name);
	struct kncpmu_item item;

	if (!desc)
		return -1;
	memset(&item, 0, sizeof(item));
	item.event.event = KNC_PMU_EVENT_CODE(desc->event, desc->umask);
	return find_count(l, &item, count);
}

int report_cpi(const struct report *r, unsigned int item, unsigned int where,
	       struct metric_value *cpi)
{
	const struct knc_pmu_event *event = &r->counting->items[item].event;
	const struct kncpmu_pmu *pmu = r->counting->pmu;
	struct lookup l = {
		.r = r,
		.where = where,
		.flags = event->flags & ~KNC_PMU_EVENT_PINNED,
	};
	struct metric_count cycles, instructions;

	memset(cpi, 0, sizeof(*cpi));
	if (!is_instructions(pmu, event) || count_of(&l, pmu->cycles, &cycles) ||
	    count_of(&l, pmu->instructions, &instructions) || !instructions.value)
		return 0;
	cpi->value = (double)cycles.value / instructions.value;
	cpi->precision = cycles.precision > instructions.precision ? cycles.precision :
								    instructions.precision;
	return 1;
}
