/* SPDX-License-Identifier: GPL-2.0 */
/* Metrics of a recording: of all its samples, or of a function's */
#ifndef KNC_CTL_PROFILE_METRICS_H
#define KNC_CTL_PROFILE_METRICS_H

#include "metric/metric.h"
#include "metric/value.h"
#include "profile/profile.h"

/**
 * struct sampled - counts for metrics
 * @p: the recording
 * @events: its events
 * @known: the event is known here, shown, and no stand-in
 * @count: number of events that the samples stand for
 * @samples: number of samples
 */
struct sampled {
	const struct profile *p;
	struct knc_pmu_event events[DATA_EVENTS];
	int known[DATA_EVENTS];
	unsigned long long count[DATA_EVENTS];
	unsigned long long samples[DATA_EVENTS];
};

/* Counts of the recording; they include lost and unsampled events, unless a filter is set */
void sampled_all(struct sampled *s, const struct profile *p);

/* Has the recording all events of the metric? */
int sampled_has(const struct metrics *ms, const struct metric *m, const struct sampled *s);

/* The value of a metric for which sampled_has() is true, or why there is none */
void sampled_metric(const struct metrics *ms, const struct metric *m, const struct sampled *s,
		    struct metric_value *value);

#endif /* KNC_CTL_PROFILE_METRICS_H */
