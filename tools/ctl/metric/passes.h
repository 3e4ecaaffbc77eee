/* SPDX-License-Identifier: GPL-2.0 */
/* Events of metrics, and the passes that count these */
#ifndef KNC_CTL_METRIC_PASSES_H
#define KNC_CTL_METRIC_PASSES_H

#include "metric/metric.h"
#include <place.h>

/*
 * Append to @items those of @events that are not among its @nr events yet. Returns 0, or -E2BIG if
 * there would be more than @max.
 */
int metric_items(const struct metrics *ms, const unsigned int *events,
		 unsigned int nr_events, struct kncpmu_item *items, unsigned int *nr,
		 unsigned int max);

/*
 * The number of runs that count these events exactly, and in @sets the events of each; @sets
 * has room for @nr_events or is NULL
 */
unsigned int metric_passes(const struct metrics *ms, const unsigned int *events,
			   unsigned int nr_events, struct kncpmu_set *sets);

/* The passes as text: "A + B; C" */
void metric_passes_text(const struct metrics *ms, const unsigned int *events,
			unsigned int nr_events, char *text, size_t size);

/* The index of an event, which is added if it is new; -EINVAL, -ENOMEM */
int metric_event(struct metrics *ms, const char *spec, struct kncpmu_error *err);

#endif /* KNC_CTL_METRIC_PASSES_H */
