// SPDX-License-Identifier: GPL-2.0
/* Metrics and groups by name, suggestions for misspelt names, problems of their files */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"
#include "metric/metric.h"

void metric_problem(struct metrics *ms, const char *where, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int len;

	len = snprintf(text, sizeof(text), "%s: ", where);
	va_start(ap, fmt);
	if (len < (int)sizeof(text))
		vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	json_array_append_new(ms->problems, text_json(text));
}

int metric_index(const struct metrics *ms, const char *name)
{
	unsigned int i;

	for (i = 0; i < ms->nr_metrics; i++) {
		if (!strcmp(ms->metrics[i].name, name))
			return i;
	}
	return -1;
}

const struct metric *metric_find(const struct metrics *ms, const char *name)
{
	int index = metric_index(ms, name);

	return index < 0 ? NULL : &ms->metrics[index];
}

const struct metric_group *metric_group_find(const struct metrics *ms, const char *name)
{
	unsigned int i;

	for (i = 0; i < ms->nr_groups; i++) {
		if (!strcmp(ms->groups[i].name, name))
			return &ms->groups[i];
	}
	return NULL;
}

/* Write the suggestions; returns their number */
static unsigned int near_text(const struct kncpmu_near *near, const char *list, char *text,
			      size_t size)
{
	char otherwise[64];

	snprintf(otherwise, sizeof(otherwise), "see: %s list %s", PROGRAM, list);
	snprintf(text, size, " %s", suggest(near, otherwise));
	return near->nr;
}

unsigned int metric_suggest(const struct metrics *ms, const char *name, char *text,
			    size_t size)
{
	struct kncpmu_near near = { .word = name };
	unsigned int i;

	for (i = 0; i < ms->nr_metrics; i++)
		kncpmu_near_add(&near, ms->metrics[i].name);
	for (i = 0; i < ms->pmu->nr_events; i++)
		kncpmu_near_add(&near, ms->pmu->events[i].name);
	return near_text(&near, "metrics", text, size);
}

unsigned int metric_group_suggest(const struct metrics *ms, const char *name, char *text,
				  size_t size)
{
	struct kncpmu_near near = { .word = name };
	unsigned int i;

	for (i = 0; i < ms->nr_groups; i++)
		kncpmu_near_add(&near, ms->groups[i].name);
	return near_text(&near, "groups", text, size);
}
