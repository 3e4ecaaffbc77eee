// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl stats: statistics of the overflow interrupt of each hardware thread */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/device.h"
#include "cli/json.h"
#include "cli/options.h"

static int all, json;

static const char * const usage[] = {
	"usage: knc-pmuctl stats [-a] [--json]",
	"",
	"Shows statistics of the overflow interrupt (PMI) on each hardware thread since the",
	"module was loaded, for all sessions together. Hardware threads on which nothing",
	"happened are left out. Needs CAP_PERFMON.",
	NULL
};

static const struct opt options[] = {
	{ 'a', "all", NULL, FLAG(&all), "show all hardware threads" },
	JSON_OPTION(&json, "stats"),
	END_OF_OPTIONS
};

static const char * const notes[] = {
	"  pmis       overflow interrupts handled",
	"  samples    samples taken, the lost ones included",
	"  lost       samples lost because the ring was full",
	"  throttled  how often sampling paused because the interrupts took too much time",
	"  spurious   overflow interrupts that found nothing to do on this hardware thread",
	"  foreign    NMIs of other sources, passed on",
	"  mean, max  time in the handler, ticks of the time stamp counter",
	NULL
};

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
			const struct knc_pmu_stats *sum)
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
			 const struct knc_pmu_stats *sum)
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
					    "knc-pmuctl-stats/1", "cpus", array,
					    "sum", stats_json(sum)), JSON_INDENT(2));
}

static int show(int fd, void *ctx)
{
	struct knc_pmu_stats *stats, sum;
	struct knc_pmu_info info;
	int i, nr;

	nr = kncpmu_info(fd, &info);
	if (nr)
		return explain_op(KNCPMU_OP_INFO, nr, 0);
	stats = calloc(info.nr_threads, sizeof(*stats));
	if (!stats)
		return complain("out of memory");
	nr = kncpmu_stats(fd, stats, info.nr_threads);
	if (nr < 0) {
		free(stats);
		return explain_op(KNCPMU_OP_STATS, nr, 0);
	}
	/* there may be more CPUs now than INFO knew */
	if ((unsigned int)nr > info.nr_threads)
		nr = info.nr_threads;
	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < nr; i++)
		add(&sum, &stats[i]);
	i = 0;
	if (json)
		i = print_as_json(stats, nr, &sum);
	else
		print_table(stats, nr, &sum);
	free(stats);
	return i;
}

static int run_stats(const struct command *cmd, int argc, char **argv)
{
	return with_device(show, NULL);
}

const struct command stats_command = {
	.name = "stats",
	.summary = "statistics of the overflow interrupt of each hardware thread",
	.usage = usage,
	.options = options,
	.notes = notes,
	.run = run_stats,
};
