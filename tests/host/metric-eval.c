// SPDX-License-Identifier: GPL-2.0
/*
 * Values of metrics, computed from the counts of a test
 *
 *   metric-eval [--pmu PMU] [FILE]... <LINES
 *
 * reads data files of metrics as knc-pmuctl does, then lines:
 *
 *   METRIC SECONDS TSC THREADS CORES [EVENT=VALUE[~|?]]...
 *	prints "VALUE UNIT [estimate|rough] [good|bad LIMIT]", or "n/a: WHY"
 *   items MAX METRIC...
 *	prints the events of all these, each once, or "E2BIG"
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pmu.h"
#include "metric/passes.h"
#include "metric/show.h"
#include "metric/value.h"

#define MAX_COUNTS	64

static struct {
	struct knc_pmu_event event;
	struct metric_count count;
} counts[MAX_COUNTS];
static unsigned int nr_counts;

static int bad_line(const char *what)
{
	printf("bad line: %s\n", what);
	return 1;
}

static int same(const struct knc_pmu_event *a, const struct knc_pmu_event *b)
{
	return a->event == b->event && a->extra == b->extra && a->cmask == b->cmask &&
	       a->flags == b->flags;
}

static int find_count(void *ctx, const struct kncpmu_item *item, struct metric_count *count)
{
	unsigned int i;

	(void)ctx;
	for (i = 0; i < nr_counts; i++) {
		if (!same(&counts[i].event, &item->event))
			continue;
		*count = counts[i].count;
		return 0;
	}
	return -1;
}

static struct kncpmu_pmu pmu;

static int read_count(char *text)
{
	struct metric_count *count = &counts[nr_counts].count;
	char *value = strrchr(text, '=');
	struct kncpmu_error err;
	char mark = 0;

	if (!value || nr_counts == MAX_COUNTS)
		return -1;
	*value++ = '\0';
	if (sscanf(value, "%llu%c", &count->value, &mark) < 1)
		return -1;
	count->precision = mark == '?' ? PRECISION_ROUGH :
			   mark == '~' ? PRECISION_ESTIMATE : PRECISION_EXACT;
	return kncpmu_spec_parse(&pmu, text, &counts[nr_counts++].event, &err);
}

static int evaluate(const struct metrics *ms, const char *name, char *rest)
{
	const struct metric *m = metric_find(ms, name);
	struct metric_env env = { .count_of = find_count };
	struct metric_value value;
	char text[128], *word;
	int used = 0;

	nr_counts = 0;
	if (!m || sscanf(rest, "%lf %lf %u %u%n", &env.seconds, &env.tsc, &env.threads,
			 &env.cores, &used) != 4)
		return bad_line(name);
	for (word = strtok(rest + used, "\n "); word; word = strtok(NULL, "\n ")) {
		if (sscanf(word, "card=%u", &env.all_cores) == 1)
			continue;
		if (read_count(word))
			return bad_line(word);
	}
	metric_evaluate(ms, m, &env, &value);
	if (!value.available) {
		printf("n/a: %s\n", value.why);
		return 0;
	}
	printf("%.17g %s%s", value.value, m->unit_text,
	       value.precision == PRECISION_ROUGH ? " rough" :
	       value.precision == PRECISION_ESTIMATE ? " estimate" : "");
	if (value.limit) {
		metric_limit_text(value.limit, text, sizeof(text));
		printf(" %s %s", value.limit->good ? "good" : "bad", text);
	}
	putchar('\n');
	return 0;
}

static int list_items(const struct metrics *ms, char *rest)
{
	struct kncpmu_item items[MAX_COUNTS];
	unsigned int i, max, nr = 0;
	const struct metric *m;
	char *word;

	word = strtok(rest, "\n ");
	max = word ? atoi(word) : 0;
	if (!max || max > MAX_COUNTS)
		return bad_line("items");
	for (word = strtok(NULL, "\n "); word; word = strtok(NULL, "\n ")) {
		m = metric_find(ms, word);
		if (!m)
			return bad_line(word);
		if (metric_items(ms, m->events, m->nr_events, items, &nr, max) != -E2BIG)
			continue;
		printf("E2BIG\n");
		return 0;
	}
	for (i = 0; i < nr; i++)
		printf("%s%s", i ? " " : "", items[i].name);
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	char line[4096], name[64];
	int status = 0, used;
	struct metrics *ms;

	pmu = *own_pmu();
	if (argc > 2 && !strcmp(argv[1], "--pmu")) {
		if (named_pmu(argv[2], &pmu))
			return bad_line(argv[2]);
		argv += 2;
		argc -= 2;
	}
	ms = metrics_get(&pmu, (const char * const *)argv + 1, argc - 1);
	if (!ms)
		return 1;
	while (!status && fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%63s%n", name, &used) != 1)
			status = bad_line("empty");
		else if (!strcmp(name, "items"))
			status = list_items(ms, line + used);
		else
			status = evaluate(ms, name, line + used);
	}
	metrics_free(ms);
	return status;
}
