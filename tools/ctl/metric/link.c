// SPDX-License-Identifier: GPL-2.0
/* Resolves the references between metrics and groups, and computes their events and passes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/files.h"
#include "metric/passes.h"
#include "metric/unit.h"
#include "metric/value.h"

#define MAX_LEVELS	8	/* the longest chain of metrics that refer to one another */

static void metric_fault(struct metrics *ms, const struct metric *m, const char *text)
{
	char where[512];

	snprintf(where, sizeof(where), "%s: metric %s", m->file, m->name);
	metric_problem(ms, where, "%s", text);
}

/* Append @index to the list, which has room, unless it contains it */
static void add_index(unsigned int *list, unsigned int *nr, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < *nr; i++) {
		if (list[i] == index)
			return;
	}
	list[(*nr)++] = index;
}

/* Write the events of an impossible pass as "A, B and C" */
static void together_text(const struct metrics *ms, const unsigned int *events,
			  unsigned int nr, char *text, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < nr && len < size; i++)
		len += snprintf(text + len, size - len, "%s%s",
				!i ? "" : i + 1 < nr ? ", " : " and ",
				ms->items[events[i]].name);
}

/* Can the events not be counted at the same time? @text says why */
static int not_together(const struct metrics *ms, const unsigned int *events,
			unsigned int nr, unsigned int passes, char *text, size_t size)
{
	const char *why = "there are not enough counters that can count them";
	char names[256];

	if (passes <= 1)
		return 0;
	if (!is_host(ms->pmu))
		why = nr > KNC_NR_COUNTERS ? "a hardware thread has two counters" :
					     "only counter 0 can count either";
	together_text(ms, events, nr, names, sizeof(names));
	snprintf(text, size, "it says \"together\", but %s take %u passes: %s", names, passes, why);
	return 1;
}

/* Metrics: references and units; a metric with an error loses its steps */

static void drop(struct metrics *ms, struct metric *m, const char *text)
{
	metric_fault(ms, m, text);
	m->nr_steps = 0;
}

/* Find a reference to a metric that is not below @level, or (@wrong) that has an error */
static const struct metric_step *find_reference(const struct metrics *ms,
						const struct metric *m, int wrong,
						unsigned int level)
{
	const struct metric *other;
	unsigned int i;

	for (i = 0; i < m->nr_steps; i++) {
		if (m->steps[i].op != METRIC_OP_METRIC)
			continue;
		other = &ms->metrics[m->steps[i].index];
		if (wrong ? !other->nr_steps : !other->levels || other->levels >= level)
			return &m->steps[i];
	}
	return NULL;
}

/* Collect the events of the formula and of the metrics it refers to; returns 0 without memory */
static int collect_events(const struct metrics *ms, struct metric *m)
{
	const struct metric *other;
	unsigned int i, j;

	m->events = calloc(ms->nr_items + 1, sizeof(*m->events));
	for (i = 0; m->events && i < m->nr_steps; i++) {
		if (m->steps[i].op == METRIC_OP_EVENT)
			add_index(m->events, &m->nr_events, m->steps[i].index);
		if (m->steps[i].op != METRIC_OP_METRIC)
			continue;
		other = &ms->metrics[m->steps[i].index];
		for (j = 0; j < other->nr_events; j++)
			add_index(m->events, &m->nr_events, other->events[j]);
	}
	return !!m->events;
}

/* All metrics that @m refers to are finished: finish it too */
static void finish_metric(struct metrics *ms, struct metric *m, unsigned int level)
{
	struct kncpmu_error err;
	char text[600];

	m->levels = level;
	if (level > MAX_LEVELS) {
		snprintf(text, sizeof(text),
			 "formula: metrics that refer to metrics, more than %d deep: put their formulas into one",
			 MAX_LEVELS);
		drop(ms, m, text);
		return;
	}
	if (metric_expr_check(ms, m, &err)) {
		snprintf(text, sizeof(text), "formula: %s", err.text);
		drop(ms, m, text);
		return;
	}
	if (!collect_events(ms, m)) {
		drop(ms, m, "out of memory");
		return;
	}
	m->passes = metric_passes(ms, m->events, m->nr_events, NULL);
	if (m->together && not_together(ms, m->events, m->nr_events, m->passes, text,
					sizeof(text)))
		drop(ms, m, text);
}

/* Finish a metric if that is possible at this level; returns 1 on progress */
static int link_metric(struct metrics *ms, struct metric *m, unsigned int level)
{
	const struct metric_step *step;
	char text[256];

	if (!m->nr_steps || m->levels)
		return 0;
	step = find_reference(ms, m, 1, level);
	if (step) {
		snprintf(text, sizeof(text), "formula: at character %u: metric %s is wrong itself",
			 step->at, ms->metrics[step->index].name);
		drop(ms, m, text);
		return 1;
	}
	if (find_reference(ms, m, 0, level))
		return 0;
	finish_metric(ms, m, level);
	return 1;
}

/* Begin with metrics that refer to no other; any that remain at the end form a cycle */
static void link_metrics(struct metrics *ms)
{
	const struct metric_step *step;
	unsigned int i, level = 0;
	int progress;
	char text[256];

	do {
		progress = 0;
		level++;
		for (i = 0; i < ms->nr_metrics; i++)
			progress |= link_metric(ms, &ms->metrics[i], level);
	} while (progress);
	for (i = 0; i < ms->nr_metrics; i++) {
		if (!ms->metrics[i].nr_steps || ms->metrics[i].levels)
			continue;
		step = find_reference(ms, &ms->metrics[i], 0, level);
		snprintf(text, sizeof(text),
			 "formula: at character %u: metric %s refers in a circle", step->at,
			 ms->metrics[step->index].name);
		metric_fault(ms, &ms->metrics[i], text);
	}
	for (i = 0; i < ms->nr_metrics; i++) {
		if (!ms->metrics[i].levels)
			ms->metrics[i].nr_steps = 0;
	}
}

static void parse_metric(struct metrics *ms, struct metric *m)
{
	struct kncpmu_error err;
	char text[600];

	if (metric_unit_parse(m->unit_text, strlen(m->unit_text), &m->unit, &err)) {
		snprintf(text, sizeof(text), "unit: %s", err.text);
		metric_fault(ms, m, text);
		return;
	}
	if (metric_expr_parse(ms, m, &err)) {
		snprintf(text, sizeof(text), "formula: %s", err.text);
		metric_fault(ms, m, text);
	}
}

/* groups */

static void group_metric(struct metrics *ms, struct metric_group *g, const char *where,
			 const char *name)
{
	const struct metric *m = metric_find(ms, name);
	char near[128];
	unsigned int i;

	if (!m) {
		metric_suggest(ms, name, near, sizeof(near));
		metric_problem(ms, where, "no metric is called '%s':%s", name, near);
		return;
	}
	if (!m->nr_steps) {
		metric_problem(ms, where, "metric %s is wrong itself", name);
		return;
	}
	add_index(g->metrics, &g->nr_metrics, m - ms->metrics);
	for (i = 0; i < m->nr_events; i++)
		add_index(g->events, &g->nr_events, m->events[i]);
}

static void link_group(struct metrics *ms, struct metric_group *g)
{
	struct kncpmu_error err;
	char where[512], text[600];
	json_t *value;
	size_t i;
	int index;

	snprintf(where, sizeof(where), "%s: group %s", g->file, g->name);
	g->metrics = calloc(json_array_size(g->names) + 1, sizeof(*g->metrics));
	/* this group may add events to ms->items */
	g->events = calloc(ms->nr_items + json_array_size(g->specs) + 1, sizeof(*g->events));
	if (!g->metrics || !g->events) {
		metric_problem(ms, where, "out of memory");
		return;
	}
	json_array_foreach(g->names, i, value)
		group_metric(ms, g, where, json_string_value(value));
	json_array_foreach(g->specs, i, value) {
		index = metric_event(ms, json_string_value(value), &err);
		if (index < 0)
			metric_problem(ms, where, "%s", err.text);
		else
			add_index(g->events, &g->nr_events, index);
	}
	g->passes = metric_passes(ms, g->events, g->nr_events, NULL);
	if (g->together &&
	    not_together(ms, g->events, g->nr_events, g->passes, text, sizeof(text)))
		metric_problem(ms, where, "%s", text);
}

/* Loading: read the files, then resolve all references */

struct metrics *metrics_load(const struct kncpmu_pmu *pmu, const char * const *files,
			     unsigned int nr_files)
{
	struct metrics *ms = calloc(1, sizeof(*ms));
	unsigned int i;

	if (!ms)
		return NULL;
	ms->pmu = pmu;
	ms->roots = json_array();
	ms->files = json_array();
	ms->problems = json_array();
	if (!ms->roots || !ms->files || !ms->problems) {
		metrics_free(ms);
		return NULL;
	}
	metric_files_read(ms, files, nr_files);
	for (i = 0; i < ms->nr_metrics; i++)
		parse_metric(ms, &ms->metrics[i]);
	link_metrics(ms);
	for (i = 0; i < ms->nr_groups; i++)
		link_group(ms, &ms->groups[i]);
	return ms;
}

struct metrics *metrics_get(const struct kncpmu_pmu *pmu, const char * const *files,
			    unsigned int nr_files)
{
	struct metrics *ms = metrics_load(pmu, files, nr_files);
	size_t nr;

	if (!ms) {
		complain("out of memory");
		return NULL;
	}
	nr = json_array_size(ms->problems);
	if (!nr)
		return ms;
	if (nr == 1)
		complain("%s", json_string_value(json_array_get(ms->problems, 0)));
	else
		complain("%s (and %zu problems more: %s list metrics --check FILE shows all)",
			 json_string_value(json_array_get(ms->problems, 0)), nr - 1, PROGRAM);
	metrics_free(ms);
	return NULL;
}

void metrics_free(struct metrics *ms)
{
	unsigned int i;

	for (i = 0; i < ms->nr_metrics; i++) {
		free(ms->metrics[i].limits);
		free(ms->metrics[i].steps);
		free(ms->metrics[i].events);
	}
	for (i = 0; i < ms->nr_groups; i++) {
		free(ms->groups[i].metrics);
		free(ms->groups[i].events);
	}
	free(ms->metrics);
	free(ms->groups);
	free(ms->items);
	json_decref(ms->roots);
	json_decref(ms->files);
	json_decref(ms->problems);
	free(ms);
}
