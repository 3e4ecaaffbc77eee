/* SPDX-License-Identifier: GPL-2.0 */
/* Units and dimensions */
#ifndef KNC_CTL_METRIC_UNIT_H
#define KNC_CTL_METRIC_UNIT_H

#include "metric/metric.h"

/* Parse a unit of @len characters; returns 0, or -EINVAL with a message in @err */
int metric_unit_parse(const char *text, size_t len, struct metric_unit *unit,
		      struct kncpmu_error *err);
void metric_dim_format(const struct metric_dim *dim, char *text, size_t size);
int metric_dim_equal(const struct metric_dim *a, const struct metric_dim *b);
/* Set @a to @a * @b, or with @power -1 to @a / @b */
void metric_dim_multiply(struct metric_dim *a, const struct metric_dim *b, int power);
/* The dimension of an event: events, or cycles */
void metric_dim_of_event(const struct kncpmu_pmu *pmu, const struct knc_pmu_event *event,
			 struct metric_dim *dim);

#endif /* KNC_CTL_METRIC_UNIT_H */
