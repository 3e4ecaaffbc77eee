// SPDX-License-Identifier: GPL-2.0
/* What all forms of output show of a count or a metric, computed once */
#include <stdlib.h>
#include <string.h>
#include <names.h>

#include "stat/view.h"

static void view_begin(const struct report *r, unsigned int where, struct view *v)
{
	memset(v, 0, sizeof(*v));
	v->r = r;
	v->where = where;
	if (where)
		report_label(r, where, v->label, sizeof(v->label));
}

/* Compute the figures beside a count: CPI of instructions, else the rate; seconds of cycles too */
static void view_figures(unsigned int i, struct view *v)
{
	struct metric_value cpi;
	struct rate rate;

	v->per_second = -1;
	v->seconds = -1;
	if (v->missing && !strcmp(v->missing, NOT_SUPPORTED))
		return;
	if (report_rate(v->r, i, v->where, &rate)) {
		v->per_second = rate.per_second;
		v->figure = rate.value;
		v->figure_unit = rate.unit;
		v->figure_rough = rate.rough;
	}
	if (report_cpi(v->r, i, v->where, &cpi)) {
		v->figure = cpi.value;
		v->figure_unit = "CPI";
		v->figure_rough = cpi.precision == PRECISION_ROUGH;
	}
	if (!report_seconds(v->r, i, v->where, &v->seconds))
		v->seconds = -1;
}

void view_event(const struct report *r, unsigned int i, unsigned int where, struct view *v)
{
	view_begin(r, where, v);
	v->item = report_item(r, i);
	v->cell = report_cell(r, i, where);
	v->name = v->item->name;
	v->spread = &v->cell->spread;
	v->count = report_shown(v->cell);
	if (report_unsupported(r, i, where))
		v->missing = NOT_SUPPORTED;
	else if (!v->spread->n)
		v->missing = NOT_COUNTED;
	v->precision = report_precision(r, i, where);
	v->stand_in = report_stands_in(r, i);
	v->core_wide = kncpmu_event_core_wide(r->counting->pmu, &v->item->event);
	v->by_others = kncpmu_event_by_others(r->counting->pmu, &v->item->event);
	v->trial = kncpmu_event_tries_counter(r->counting->pmu, &v->item->event);
	v->counter = r->opts->config & KNC_PMU_CONFIG_RDPMC ? (int)r->counting->counter[i] : -1;
	view_figures(i, v);
}

void view_metric(const struct report *r, unsigned int i, unsigned int where, struct view *v)
{
	const struct metric_cell *cell = report_metric(r, i, where);

	view_begin(r, where, v);
	v->metric = r->opts->metrics[i];
	v->value = &cell->value;
	v->name = v->metric->name;
	v->spread = &cell->spread;
	if (!v->spread->n)
		v->missing = NOT_AVAILABLE;
	v->precision = cell->value.precision;
	v->stand_in = metric_stands_in(r->opts, v->metric);
}

void view_all(const struct report *r, void (*fn)(const struct view *v, void *ctx), void *ctx)
{
	unsigned int events = report_items(r), i, n, nr;
	const unsigned int *places = report_places(r, &nr);
	struct view v;

	for (i = 0; i < events + r->opts->nr_metrics; i++) {
		for (n = 0; n < nr; n++) {
			if (i < events)
				view_event(r, i, places[n], &v);
			else
				view_metric(r, i - events, places[n], &v);
			fn(&v, ctx);
		}
	}
}

const char *view_verdict(const struct view *v)
{
	if (!v->value->limit)
		return "";
	return v->value->limit->good ? "good" : "bad";
}
