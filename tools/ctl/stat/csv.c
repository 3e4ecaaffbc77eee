// SPDX-License-Identifier: GPL-2.0
/* What stat counted, as CSV */
#include <stdio.h>
#include <string.h>

#include "cli/csv.h"
#include "stat/off-cpu.h"
#include "stat/printer.h"
#include "stat/view.h"

#define FIELD	64	/* bytes of a field other than a name */

/* The output file, and the text before each line: the time of the interval */
struct csv {
	FILE *f;
	const char *sep;
	const char *stamp;
};

/* Print a field, followed by the separator */
static void csv_field(const struct csv *c, const char *text)
{
	csv_text(c->f, c->sep, text);
	fputs(c->sep, c->f);
}

/* Print words that qualify the value: "estimate", "rough stand-in", "trial gap" */
static void csv_marks(const struct csv *c, const struct view *v)
{
	static const char * const precisions[] = {
		[PRECISION_EXACT] = "",
		[PRECISION_ESTIMATE] = " estimate",
		[PRECISION_ROUGH] = " rough",
		[PRECISION_NONE] = "",
	};
	unsigned int flags = v->cell ? v->cell->flags : 0;
	char text[FIELD];

	snprintf(text, sizeof(text), "%s%s%s", precisions[v->precision],
		 v->stand_in ? " stand-in" : v->trial ? " trial" : "",
		 flags & KNC_PMU_THREAD_GAP ? " gap" :
		 flags & KNC_PMU_THREAD_PARTIAL ? " partial" : "");
	csv_field(c, text + (text[0] == ' '));
}

static void csv_spread(const struct csv *c, const struct view *v)
{
	if (v->r->opts->repeat > 1)
		fprintf(c->f, "%.2f%%%s", deviation_percent(v->spread), c->sep);
}

static void csv_event(const struct csv *c, const struct view *v)
{
	if (v->missing)
		fputs(v->missing, c->f);
	else
		fprintf(c->f, "%llu", v->count);
	fputs(c->sep, c->f);
	csv_marks(c, v);
	csv_field(c, v->name);
	csv_spread(c, v);
	fprintf(c->f, "%llu%s%.2f%s", v->cell->counted, c->sep, report_percent(v->cell), c->sep);
	if (v->figure_unit)
		fprintf(c->f, "%.6f%s%s%s\n", v->figure, c->sep, v->figure_rough ? "rough " : "",
			v->figure_unit);
	else
		fprintf(c->f, "%s\n", c->sep);
}

static void csv_metric(const struct csv *c, const struct view *v)
{
	if (v->missing)
		fputs(v->missing, c->f);
	else
		fprintf(c->f, "%.9g", v->spread->mean);
	fputs(c->sep, c->f);
	csv_field(c, v->metric->unit_text);
	csv_field(c, v->name);
	csv_spread(c, v);
	fputs(c->sep, c->f);
	csv_marks(c, v);
	csv_field(c, view_verdict(v));
	fprintf(c->f, "metric\n");
}

static void csv_line(const struct view *v, void *ctx)
{
	const struct csv *c = ctx;

	fputs(c->stamp, c->f);
	if (v->where)
		csv_field(c, v->label);
	if (v->item)
		csv_event(c, v);
	else
		csv_metric(c, v);
}

static void csv_interval(FILE *f, const struct report *r, double time)
{
	char stamp[FIELD];
	struct csv c = { .f = f, .sep = r->opts->separator, .stamp = stamp };

	snprintf(stamp, sizeof(stamp), "%.9f%s", time, c.sep);
	view_all(r, csv_line, &c);
}

/* --off-cpu: in the columns of an event's time print the thread's time, and its percentage */
static void csv_time(const struct csv *c, const struct thread_time *t, const char *label)
{
	unsigned int i;

	for (i = 0; i < NR_TIMES; i++) {
		if (label)
			csv_field(c, label);
		fprintf(c->f, "%.9f%ss%s%s%s%llu%s%.2f%s%stime\n",
			(double)time_of(t, i) / NSEC_PER_SEC, c->sep, c->sep, time_name(i), c->sep,
			time_followed(t), c->sep, time_percent(t, i), c->sep, c->sep);
	}
}

static void csv_times(const struct csv *c, const struct report *r)
{
	const struct thread_times *times = off_cpu_times(r->counting->off_cpu);
	struct thread_time sum;
	char label[LABEL_TEXT];
	size_t i;

	if (!r->opts->per_thread) {
		times_sum(times, &sum);
		csv_time(c, &sum, NULL);
		return;
	}
	for (i = 0; i < times->nr; i++) {
		time_label(&times->threads[i], label, sizeof(label));
		csv_time(c, &times->threads[i], label);
	}
}

static void csv_total(FILE *f, const struct report *r, int status)
{
	struct csv c = { .f = f, .sep = r->opts->separator, .stamp = "" };

	if (!r->opts->interval)
		view_all(r, csv_line, &c);
	if (r->opts->off_cpu)
		csv_times(&c, r);
}

const struct printer csv_printer = {
	.interval = csv_interval,
	.total = csv_total,
};
