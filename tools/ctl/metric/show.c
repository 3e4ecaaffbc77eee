// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl list metrics, list groups, and list metrics --check */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "metric/files.h"
#include "metric/passes.h"
#include "metric/show.h"

#define NAME_COLUMN	24
#define UNIT_COLUMN	20
#define MIN_TEXT	40	/* with less room the text gets a line of its own */
#define INDENT		6	/* of text on a line of its own */
#define SCHEMA		"knc-pmuctl-metrics/1"

/* Write for which cards a range is; "" if for all */
static void cores_text(const struct metric_limit *limit, char *text, size_t size)
{
	*text = '\0';
	if (limit->cores_from && limit->cores_below)
		snprintf(text, size, " with %u to %u cores", limit->cores_from,
			 limit->cores_below - 1);
	else if (limit->cores_from)
		snprintf(text, size, " with %u cores or more", limit->cores_from);
	else if (limit->cores_below)
		snprintf(text, size, " with fewer than %u cores", limit->cores_below);
}

void metric_limit_text(const struct metric_limit *limit, char *text, size_t size)
{
	const char *from = limit->above ? "above" : "from";
	char cores[64];

	cores_text(limit, cores, sizeof(cores));
	if (isinf(limit->from))
		snprintf(text, size, "below %g%s", limit->below, cores);
	else if (isinf(limit->below))
		snprintf(text, size, "%s %g%s", from, limit->from, cores);
	else
		snprintf(text, size, "%s %g to below %g%s", from, limit->from, limit->below,
			 cores);
}

static int matches(const char *pattern, const char *name, const char *title)
{
	return !pattern || strcasestr(name, pattern) || strcasestr(title, pattern);
}

/* Print a text after @column columns, or on a line of its own */
static void print_text(const char *text, unsigned int column)
{
	unsigned int width = terminal_width(stdout);

	if (width && width < column + MIN_TEXT) {
		column = INDENT;
		printf("\n%*s", INDENT, "");
	}
	print_wrapped(stdout, text, column, width);
}

static const char *mark(const struct metric *m)
{
	return m->unverified ? "unverified: " : "";
}

/* Does the metric need an event that can't be counted here? */
static int is_lacking(const struct metrics *ms, const struct metric *m,
		      const struct kncpmu_card *card)
{
	unsigned int i;

	for (i = 0; i < m->nr_events; i++) {
		if (kncpmu_card_lacks(card, &ms->items[m->events[i]].event))
			return 1;
	}
	return 0;
}

static void print_metric(const struct metrics *ms, const struct metric *m,
			 const struct kncpmu_card *card)
{
	const char *lacking = "";
	unsigned int column;
	char text[512];

	if (is_lacking(ms, m, card))
		lacking = is_host(ms->pmu) ? "not on this CPU: " : "not on this card: ";
	column = printf("%-*s %6u %-*s ", NAME_COLUMN, m->name, m->passes, UNIT_COLUMN,
			m->unit_text);
	snprintf(text, sizeof(text), "%s%s%s [%s]", lacking, mark(m), m->title, m->source);
	print_text(text, column);
}

static unsigned int print_metrics(const struct metrics *ms, const char *pattern)
{
	struct kncpmu_card card;
	unsigned int i, found = 0;

	/* without the module only the CPU shows that a card is emulated */
	kncpmu_card_read(ms->pmu, &card);
	for (i = 0; i < ms->nr_metrics; i++) {
		if (!matches(pattern, ms->metrics[i].name, ms->metrics[i].title))
			continue;
		if (!found++)
			printf("%-*s PASSES %-*s WHAT IT SAYS [SOURCE]\n", NAME_COLUMN, "NAME",
			       UNIT_COLUMN, "UNIT");
		print_metric(ms, &ms->metrics[i], &card);
	}
	return found;
}

/* List the metrics and the additional events of a group */
static void members_text(const struct metrics *ms, const struct metric_group *g,
			 char *text, size_t size)
{
	json_t *value;
	unsigned int i;
	size_t len = 0, at;

	text[0] = '\0';
	for (i = 0; i < g->nr_metrics && len < size; i++)
		len += snprintf(text + len, size - len, "%s%s", len ? ", " : "",
				ms->metrics[g->metrics[i]].name);
	json_array_foreach(g->specs, at, value) {
		if (len < size)
			len += snprintf(text + len, size - len, "%s%s", len ? ", " : "",
					json_string_value(value));
	}
}

static unsigned int print_groups(const struct metrics *ms, const char *pattern)
{
	const struct metric_group *g;
	char members[1024], text[1200];
	unsigned int i, column, found = 0;

	for (i = 0; i < ms->nr_groups; i++) {
		g = &ms->groups[i];
		if (!matches(pattern, g->name, g->title))
			continue;
		if (!found++)
			printf("%-*s PASSES WHAT IT IS ABOUT: WHAT IT HAS\n", NAME_COLUMN, "NAME");
		column = printf("%-*s %6u ", NAME_COLUMN, g->name, g->passes);
		members_text(ms, g, members, sizeof(members));
		snprintf(text, sizeof(text), "%s: %s", g->title, members);
		print_text(text, column);
	}
	return found;
}

static json_t *events_json(const struct metrics *ms, const unsigned int *events,
			   unsigned int nr)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < nr; i++)
		json_array_append_new(array, json_string(ms->items[events[i]].name));
	return array;
}

static json_t *limits_json(const struct metric *m)
{
	const struct metric_limit *limit;
	json_t *array = json_array(), *object;
	unsigned int i;

	for (i = 0; i < m->nr_limits; i++) {
		limit = &m->limits[i];
		object = json_pack("{s:s, s:s, s:s, s:b}",
				   "verdict", limit->good ? "good" : "bad", "says", limit->says,
				   "source", limit->source, "unverified", limit->unverified);
		if (!isinf(limit->from))
			json_object_set_new(object, limit->above ? "above" : "from",
					    json_real(limit->from));
		if (!isinf(limit->below))
			json_object_set_new(object, "below", json_real(limit->below));
		if (limit->cores_from)
			json_object_set_new(object, "cores_from", json_integer(limit->cores_from));
		if (limit->cores_below)
			json_object_set_new(object, "cores_below",
					    json_integer(limit->cores_below));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *metric_json(const struct metrics *ms, const struct metric *m)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:i, s:s}",
			 "name", m->name, "title", m->title, "formula", m->formula,
			 "unit", m->unit_text, "says", m->says ? : "", "source", m->source,
			 "unverified", m->unverified, "together", m->together,
			 "limits", limits_json(m),
			 "events", events_json(ms, m->events, m->nr_events),
			 "passes", (int)m->passes, "file", m->file);
}

static json_t *group_json(const struct metrics *ms, const struct metric_group *g)
{
	json_t *names = json_array();
	unsigned int i;

	for (i = 0; i < g->nr_metrics; i++)
		json_array_append_new(names, json_string(ms->metrics[g->metrics[i]].name));
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:i, s:s}", "name", g->name,
			 "title", g->title, "together", g->together, "metrics", names,
			 "events", events_json(ms, g->events, g->nr_events),
			 "passes", (int)g->passes, "file", g->file);
}

/* The matching metrics, or @groups, as JSON; @found: how many match */
static json_t *list_json(const struct metrics *ms, int groups, const char *pattern,
			 unsigned int *found)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; groups && i < ms->nr_groups; i++) {
		if (matches(pattern, ms->groups[i].name, ms->groups[i].title))
			json_array_append_new(array, group_json(ms, &ms->groups[i]));
	}
	for (i = 0; !groups && i < ms->nr_metrics; i++) {
		if (matches(pattern, ms->metrics[i].name, ms->metrics[i].title))
			json_array_append_new(array, metric_json(ms, &ms->metrics[i]));
	}
	*found = json_array_size(array);
	return json_pack("{s:s, s:s, s:o}", "schema", SCHEMA, "pmu", ms->pmu->name,
			 groups ? "groups" : "metrics", array);
}

static int nothing_found(const struct metrics *ms, int groups, const char *pattern)
{
	char near[256];

	if (groups)
		metric_group_suggest(ms, pattern, near, sizeof(near));
	else
		metric_suggest(ms, pattern, near, sizeof(near));
	return complain("no %s matches '%s':%s", groups ? "group" : "metric", pattern, near);
}

int metric_list(const struct kncpmu_pmu *pmu, int groups, const char *pattern,
		const char * const *files, unsigned int nr_files, int json)
{
	struct metrics *ms = metrics_get(pmu, files, nr_files);
	int status = CTL_OK;
	unsigned int found;
	json_t *list;

	if (!ms)
		return CTL_FAILED;
	if (json) {
		list = list_json(ms, groups, pattern, &found);
		if (found || !pattern)
			status = print_json(stdout, list, JSON_INDENT(1));
		else
			json_decref(list);
	} else if (groups) {
		found = print_groups(ms, pattern);
	} else {
		found = print_metrics(ms, pattern);
	}
	if (!found && pattern)
		status = nothing_found(ms, groups, pattern);
	metrics_free(ms);
	return status;
}

/* Print units and passes of the metrics and groups of @file */
static void print_proof(const struct metrics *ms, const char *file)
{
	const struct metric_group *g;
	const struct metric *m;
	char passes[1024];
	unsigned int i;

	for (i = 0; i < ms->nr_metrics; i++) {
		m = &ms->metrics[i];
		if (m->file != file || !m->nr_steps)
			continue;
		metric_passes_text(ms, m->events, m->nr_events, passes, sizeof(passes));
		printf("metric %s: %s; %u pass%s: %s\n", m->name, m->unit_text, m->passes,
		       m->passes == 1 ? "" : "es", passes);
	}
	for (i = 0; i < ms->nr_groups; i++) {
		g = &ms->groups[i];
		if (g->file != file)
			continue;
		metric_passes_text(ms, g->events, g->nr_events, passes, sizeof(passes));
		printf("group %s: %u pass%s: %s\n", g->name, g->passes,
		       g->passes == 1 ? "" : "es", passes);
	}
}

/*
 * Print all problems; return how many are of @file, because files that were read before may have
 * some
 */
static size_t print_problems(const struct metrics *ms, const char *file)
{
	char head[256];
	/* a truncated name proves nothing: take all problems as @file's */
	int cut = snprintf(head, sizeof(head), "%s: ", file) >= (int)sizeof(head), own;
	json_t *problem, *clean = text_json(head);
	size_t i, nr = 0, length = json_string_length(clean);
	const char *text;

	json_array_foreach(ms->problems, i, problem) {
		text = json_string_value(problem);
		own = cut || !clean || !strncmp(text, json_string_value(clean), length);
		printf("%s: %s\n", own ? "wrong" : "wrong elsewhere", text);
		nr += own;
	}
	json_decref(clean);
	return nr;
}

int metric_check(const char *file)
{
	struct kncpmu_pmu pmu;
	struct metrics *ms;
	size_t i, nr;

	metric_pmu_of(file, &pmu);
	ms = metrics_load(&pmu, &file, 1);
	if (!ms)
		return complain("out of memory");
	nr = print_problems(ms, file);
	if (!nr) {
		i = json_array_size(ms->files);
		print_proof(ms, json_string_value(json_array_get(ms->files, i - 1)));
	}
	metrics_free(ms);
	if (!nr)
		return CTL_OK;
	return complain("%s: %zu problem%s, see above; metrics.rst has the format",
			file, nr, plural_of(nr));
}
