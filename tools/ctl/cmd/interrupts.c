// SPDX-License-Identifier: GPL-2.0
/* info --interrupts: statistics of the overflow interrupt of each hardware thread */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "cmd/interrupts.h"

static int is_active(const struct knc_pmu_stats *s)
{
	return s->pmis || s->samples || s->lost || s->throttles || s->spurious ||
	       s->foreign;
}

static unsigned long long mean(const struct knc_pmu_stats *s)
{
	return s->pmis ? s->handler_total / s->pmis : 0;
}

static void add(struct knc_pmu_stats *sum, const struct knc_pmu_stats *s)
{
	sum->pmis += s->pmis;
	sum->samples += s->samples;
	sum->lost += s->lost;
	sum->throttles += s->throttles;
	sum->spurious += s->spurious;
	sum->foreign += s->foreign;
	sum->handler_total += s->handler_total;
	if (s->handler_max > sum->handler_max)
		sum->handler_max = s->handler_max;
}

static void print_line(const char *cpu, const struct knc_pmu_stats *s)
{
	printf("%5s %12llu %12llu %10llu %9llu %9llu %9llu %9llu %9llu\n", cpu, s->pmis,
	       s->samples, s->lost, s->throttles, s->spurious, s->foreign, mean(s),
	       s->handler_max);
}

static void print_table(const struct knc_pmu_stats *stats, unsigned int nr,
			const struct knc_pmu_stats *sum, int all)
{
	unsigned int i, lines = 0;
	char cpu[16];

	printf("%5s %12s %12s %10s %9s %9s %9s %9s %9s\n", "cpu", "pmis", "samples",
	       "lost", "throttled", "spurious", "foreign", "mean", "max");
	for (i = 0; i < nr; i++) {
		if (!all && !is_active(&stats[i]))
			continue;
		snprintf(cpu, sizeof(cpu), "%u", stats[i].cpu);
		print_line(cpu, &stats[i]);
		lines++;
	}
	if (lines != 1)
		print_line("sum", sum);
}

static json_t *stats_json(const struct knc_pmu_stats *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "pmis", (json_int_t)s->pmis, "samples", (json_int_t)s->samples,
			 "lost", (json_int_t)s->lost,
			 "throttles", (json_int_t)s->throttles,
			 "spurious", (json_int_t)s->spurious,
			 "foreign", (json_int_t)s->foreign,
			 "handler_mean", (json_int_t)mean(s),
			 "handler_max", (json_int_t)s->handler_max,
			 "handler_total", (json_int_t)s->handler_total);
}

static int print_as_json(const struct knc_pmu_stats *stats, unsigned int nr,
			 const struct knc_pmu_stats *sum, int all)
{
	json_t *array = json_array(), *object;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!all && !is_active(&stats[i]))
			continue;
		object = stats_json(&stats[i]);
		json_object_set_new(object, "cpu", json_integer(stats[i].cpu));
		json_array_append_new(array, object);
	}
	return print_json(stdout, json_pack("{s:s, s:o, s:o}", "schema",
					    "knc-pmuctl-interrupts/1", "cpus", array,
					    "sum", stats_json(sum)), JSON_INDENT(2));
}

int show_interrupts(int fd, unsigned int threads, int all, int json)
{
	struct knc_pmu_stats *stats, sum;
	int i, nr;

	stats = xalloc(threads, sizeof(*stats));
	nr = kncpmu_stats(fd, stats, threads);
	if (nr < 0) {
		free(stats);
		return explain_op(KNCPMU_OP_STATS, nr, 0);
	}
	/* CPUs may have been added since INFO */
	if ((unsigned int)nr > threads)
		nr = threads;
	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < nr; i++)
		add(&sum, &stats[i]);
	i = 0;
	if (json)
		i = print_as_json(stats, nr, &sum, all);
	else
		print_table(stats, nr, &sum, all);
	free(stats);
	return i;
}
