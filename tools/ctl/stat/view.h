/* SPDX-License-Identifier: GPL-2.0 */
/* What all forms of output show of a count or a metric, computed once */
#ifndef KNC_CTL_STAT_VIEW_H
#define KNC_CTL_STAT_VIEW_H

#include "stat/report.h"

#define NOT_COUNTED	"<not counted>"
#define NOT_AVAILABLE	"<not available>"
#define NOT_SUPPORTED	"<not supported>"

/**
 * struct view - a line of the output: the count of an event, or a metric
 * @r: the report
 * @where: the sum, or a row, as in report.h
 * @label: of the row; "": the sum
 * @name: of the event or metric
 * @missing: the text in place of a value; NULL: there is a value
 * @precision: how exact the value is
 * @spread: of the runs
 * @stand_in: the card counts something else in its place
 * @item: of an event: the event; NULL: a metric
 * @cell: of an event: its counts
 * @count: of an event: the count, or the mean of the runs
 * @core_wide: of an event: it belongs to the core
 * @by_others: of an event: other cores cause it
 * @trial: of an event: a counter is tried that is not known to count it
 * @counter: of an event: its counter, for RDPMC; -1: not to be shown
 * @figure: of an event: CPI, or the rate, in @figure_unit
 * @figure_unit: its unit; NULL: there is no such figure
 * @figure_rough: it is a rough estimate
 * @per_second: of an event: the rate; negative: none
 * @seconds: of an event: the time of its cycles; negative: none
 * @metric: of a metric: the metric
 * @value: of a metric: the value of the last run
 */
struct view {
	const struct report *r;
	unsigned int where;
	char label[LABEL_TEXT];
	const char *name;
	const char *missing;
	enum precision precision;
	const struct spread *spread;
	int stand_in;

	const struct kncpmu_item *item;
	const struct cell *cell;
	unsigned long long count;
	int core_wide;
	int by_others;
	int trial;
	int counter;
	double figure;
	const char *figure_unit;
	int figure_rough;
	double per_second;
	double seconds;

	const struct metric *metric;
	const struct metric_value *value;
};

/* Fill in @v for the @i-th event or metric; @where chooses the sum or a row */
void view_event(const struct report *r, unsigned int i, unsigned int where, struct view *v);
void view_metric(const struct report *r, unsigned int i, unsigned int where, struct view *v);

/* Call @fn for each line: first events, then metrics */
void view_all(const struct report *r, void (*fn)(const struct view *v, void *ctx), void *ctx);

/* "good", "bad" or "" */
const char *view_verdict(const struct view *v);

#endif /* KNC_CTL_STAT_VIEW_H */
