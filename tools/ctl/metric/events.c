// SPDX-License-Identifier: GPL-2.0
/* The events of metrics: a list without duplicates, and the passes that count them */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>

#include "metric/passes.h"

static int same_event(const struct knc_pmu_event *a, const struct knc_pmu_event *b)
{
	return a->event == b->event && a->extra == b->extra && a->cmask == b->cmask &&
	       a->flags == b->flags && a->counters == b->counters;
}

/* Check for modifiers that CONFIG always refuses; returns 0 if there are none */
static int never_counted(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event,
			 const char *spec, struct kncpmu_error *err)
{
	struct knc_pmu_event own = *event;
	const char *why = NULL;

	own.flags &= ~KNC_PMU_EVENT_THREAD_MODE;
	if (event->flags & KNC_PMU_EVENT_INV && !event->cmask)
		why = "modifier i inverts the comparison with a counter mask, but there is none: "
		      "add c=N, or leave i out";
	if (event->flags & KNC_PMU_EVENT_THREAD_MODE && kncpmu_event_core_wide(pmu, &own))
		why = "modifier t is not possible with a core-wide event, which counts for all "
		      "threads of the core anyway: leave it out";
	if (event->flags & KNC_PMU_EVENT_PINNED)
		why = "modifier D (pinned) is for the command line of stat, not for metrics: "
		      "leave it out";
	if (why)
		snprintf(err->text, sizeof(err->text), "event %s: %s", spec, why);
	return why ? -EINVAL : 0;
}

int metric_event(struct metrics *ms, const char *spec, struct kncpmu_error *err)
{
	struct kncpmu_item item, *items;
	unsigned int i;
	int ret;

	memset(&item, 0, sizeof(item));
	ret = kncpmu_spec_parse(ms->pmu, spec, &item.event, err);
	if (!ret)
		ret = never_counted(ms->pmu, &item.event, spec, err);
	if (ret)
		return ret;
	for (i = 0; i < ms->nr_items; i++) {
		if (same_event(&ms->items[i].event, &item.event))
			return i;
	}
	kncpmu_spec_format(ms->pmu, &item.event, item.name, sizeof(item.name));
	items = realloc(ms->items, (ms->nr_items + 1) * sizeof(*items));
	if (!items) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	items[ms->nr_items] = item;
	ms->items = items;
	return ms->nr_items++;
}

int metric_items(const struct metrics *ms, const unsigned int *events,
		 unsigned int nr_events, struct kncpmu_item *items, unsigned int *nr,
		 unsigned int max)
{
	unsigned int i, j;

	for (i = 0; i < nr_events; i++) {
		for (j = 0; j < *nr; j++) {
			if (same_event(&items[j].event, &ms->items[events[i]].event))
				break;
		}
		if (j < *nr)
			continue;
		if (*nr == max)
			return -E2BIG;
		items[(*nr)++] = ms->items[events[i]];
	}
	return 0;
}

unsigned int metric_passes(const struct metrics *ms, const unsigned int *events,
			   unsigned int nr_events, struct kncpmu_set *sets)
{
	struct kncpmu_item *items = calloc(nr_events + 1, sizeof(*items));
	struct kncpmu_set *room = calloc(nr_events + 1, sizeof(*room));
	unsigned int i, nr = 0;

	for (i = 0; items && i < nr_events; i++)
		items[i] = ms->items[events[i]];
	if (items && room)
		nr = kncpmu_group(ms->pmu, items, nr_events, sets ? : room);
	free(items);
	free(room);
	return nr;
}

void metric_passes_text(const struct metrics *ms, const unsigned int *events,
			unsigned int nr_events, char *text, size_t size)
{
	struct kncpmu_set *sets = calloc(nr_events + 1, sizeof(*sets));
	unsigned int i, j, nr = 0;
	size_t len = 0;

	snprintf(text, size, "%s", nr_events ? "" : "nothing is counted");
	if (sets)
		nr = metric_passes(ms, events, nr_events, sets);
	for (i = 0; i < nr; i++) {
		for (j = 0; j < sets[i].nr && len < size; j++)
			len += snprintf(text + len, size - len, "%s%s",
					j ? " + " : i ? "; " : "",
					ms->items[events[sets[i].item[j]]].name);
	}
	free(sets);
}
