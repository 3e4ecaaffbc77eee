// SPDX-License-Identifier: GPL-2.0
/*
 * Counts as text: OpenMetrics 1.0, or the text format of Prometheus, which node_exporter reads.
 * Only Prometheus has "_total" in the TYPE and HELP of a counter; only OpenMetrics ends in "# EOF".
 */
#include <stdio.h>
#include <stdlib.h>
#include <names.h>

#include "cli/cpus.h"
#include "serve/counts.h"
#include "stat/events.h"

/**
 * struct writer - the text that is being written
 * @f: the stream into which it is written
 * @c: the counts
 * @openmetrics: in the format of OpenMetrics, not that of Prometheus
 * @card: the label "card" of all counts
 */
struct writer {
	FILE *f;
	const struct serve_counts *c;
	int openmetrics;
	const char *card;
};

/* HELP and TYPE of a metric family */
static void head(const struct writer *w, const char *name, const char *type, const char *help)
{
	const char *total = !w->openmetrics && *type == 'c' ? "_total" : "";

	fprintf(w->f, "# HELP knc_pmu_%s%s %s\n# TYPE knc_pmu_%s%s %s\n", name, total, help, name,
		total, type);
}

/* Write a label; its value has escapes for a backslash, a quotation mark and a line feed */
static void label(const struct writer *w, const char *name, const char *value)
{
	fprintf(w->f, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", w->f);
		else if ((unsigned char)*value < ' ' || *value == 127)
			fputc('?', w->f);
		else if (*value == '"' || *value == '\\')
			fprintf(w->f, "\\%c", *value);
		else
			fputc(*value, w->f);
	}
	fputc('"', w->f);
}

/* Begin a sample: its name, and the labels of a hardware thread */
static void sample(const struct writer *w, const char *name, unsigned int cpu)
{
	const struct serve_thread *t = &w->c->now[cpu];

	fprintf(w->f, "knc_pmu_%s{", name);
	label(w, "card", w->card);
	fprintf(w->f, ",pmu=\"%s\",package=\"%u\",core=\"%u\",cpu=\"%u\"",
		stat_pmu(w->c->opts)->name, t->package, t->core, cpu);
}

static void seconds(const struct writer *w, unsigned long long ns)
{
	fprintf(w->f, "} %llu.%09llu\n", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void event_labels(const struct writer *w, unsigned int item)
{
	const struct kncpmu_item *of = &w->c->opts->items[item];
	int core = kncpmu_event_core_wide(stat_pmu(w->c->opts), &of->event);

	fputc(',', w->f);
	label(w, "event", of->name);
	fprintf(w->f, ",scope=\"%s\"", core ? "core" : "thread");
}

static void all_events(const struct writer *w)
{
	const struct serve_counts *c = w->c;
	unsigned int cpu, i;

	head(w, "events", "counter",
	     "Events that were counted; with scope=core each thread of a core counts those of the core.");
	for (cpu = 0; cpu < KNC_PMU_MAX_CPUS; cpu++) {
		for (i = 0; c->now[cpu].counting && i < c->opts->nr_items; i++) {
			sample(w, "events_total", cpu);
			event_labels(w, i);
			fprintf(w->f, "} %llu\n", c->now[cpu].value[i]);
		}
	}
	head(w, "counted_seconds", "counter",
	     "Time for which the event was counted; more events than counters take turns.");
	for (cpu = 0; cpu < KNC_PMU_MAX_CPUS; cpu++) {
		for (i = 0; c->now[cpu].counting && i < c->opts->nr_items; i++) {
			sample(w, "counted_seconds_total", cpu);
			event_labels(w, i);
			seconds(w, c->now[cpu].counted[i]);
		}
	}
}

static void threads(const struct writer *w)
{
	const struct serve_thread *now = w->c->now;
	unsigned int cpu;

	head(w, "lost", "gauge",
	     "1 if the hardware thread has no counts: it is offline, or another session counts.");
	for (cpu = 0; cpu < KNC_PMU_MAX_CPUS; cpu++) {
		if (!now[cpu].known)
			continue;
		sample(w, "lost", cpu);
		fprintf(w->f, "} %d\n", !now[cpu].counting);
	}
	head(w, "missing_seconds", "counter",
	     "Time of which the counts are missing, since the hardware thread was first counted.");
	for (cpu = 0; cpu < KNC_PMU_MAX_CPUS; cpu++) {
		if (!now[cpu].known)
			continue;
		sample(w, "missing_seconds_total", cpu);
		seconds(w, now[cpu].missing);
	}
}

char *serve_text(const struct serve_counts *c, int openmetrics, const char *card, size_t *size)
{
	struct writer w = { .c = c, .openmetrics = openmetrics, .card = card };
	char *text = NULL;
	int failed;

	w.f = open_memstream(&text, size);
	if (!w.f)
		return NULL;
	all_events(&w);
	threads(&w);
	head(&w, "readings", "counter", "How often the counters were read for clients.");
	fprintf(w.f, "knc_pmu_readings_total %llu\n", c->readings);
	if (openmetrics)
		fputs("# EOF\n", w.f);
	failed = ferror(w.f);
	if (!fclose(w.f) && !failed)
		return text;
	free(text);
	return NULL;
}
