/* SPDX-License-Identifier: GPL-2.0 */
/* The value of a metric */
#ifndef KNC_CTL_METRIC_VALUE_H
#define KNC_CTL_METRIC_VALUE_H

#include "cli/event.h"
#include "metric/metric.h"

/**
 * struct metric_count - a count for metrics
 * @value: the count, scaled. A sum contains core-wide counts once for each core, not for each
 *	of its threads
 * @precision: how exact it is
 */
struct metric_count {
	unsigned long long value;
	enum precision precision;
};

/**
 * struct metric_env - the input for the values of metrics
 * @count_of: gets the count of @item; returns 0, or -1: it was not counted
 * @ctx: argument of @count_of
 * @seconds: elapsed time
 * @tsc: elapsed time in cycles of the time stamp counter; 0: not known
 * @threads: number of hardware threads that were counted
 * @cores: number of their cores
 * @all_cores: number of cores that the card (or host) has, for metric_asks_cores(); 0: not known,
 *	no range applies that depends on it
 */
struct metric_env {
	int (*count_of)(void *ctx, const struct kncpmu_item *item,
			struct metric_count *count);
	void *ctx;
	double seconds;
	double tsc;
	unsigned int threads;
	unsigned int cores;
	unsigned int all_cores;
};

/**
 * struct metric_value - the value of a metric
 * @value: in the unit of the metric
 * @available: there is a value
 * @precision: the least exact one of its counts
 * @limit: the range with the value; NULL: none
 * @why: why there is no value
 */
struct metric_value {
	double value;
	int available;
	enum precision precision;
	const struct metric_limit *limit;
	char why[256];
};

/* Does the metric's verdict depend on the number of the card's cores? */
int metric_asks_cores(const struct metric *m);
void metric_evaluate(const struct metrics *ms, const struct metric *m,
		     const struct metric_env *env, struct metric_value *value);

/* expr.c; return 0, or -EINVAL with a message in @err */
int metric_expr_parse(struct metrics *ms, struct metric *m, struct kncpmu_error *err);
int metric_expr_check(const struct metrics *ms, const struct metric *m,
		      struct kncpmu_error *err);
int metric_quantity_find(const char *name);

#endif /* KNC_CTL_METRIC_VALUE_H */
