// SPDX-License-Identifier: GPL-2.0
/* The output of stat as a table for people */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>

#include "cli/clock.h"
#include "cli/array.h"
#include "cli/cpus.h"
#include "cli/print.h"
#include "stat/off-cpu.h"
#include "stat/printer.h"
#include "stat/view.h"

#define VALUE_COLUMN	18
#define NAME_COLUMN	32
#define ROUGH_MARK	"?"
#define NOTES_TEXT	256
#define GREEN		"\033[32m"
#define RED		"\033[31m"
#define PLAIN		"\033[0m"
#define CPU_COLUMN	8
#define TASK_COLUMN	23	/* a name of 15 characters, "-", 7 digits */
#define TIME_COLUMN	20

/* The output file, and the text before each line: the time of the interval */
struct table {
	FILE *f;
	const char *stamp;
};

/* Write the text after #, as perf does: CPI of instructions or the rate, and seconds of cycles */
static size_t figure_text(const struct view *v, char *text, size_t size)
{
	int is_cpi = v->figure_unit && !strcmp(v->figure_unit, "CPI");
	size_t len = 0;

	if (v->figure_unit)
		len = snprintf(text, size, "  # %s%.*f %s", v->figure_rough ? ROUGH_MARK : "",
			       is_cpi ? 2 : 3, v->figure, v->figure_unit);
	if (v->seconds >= 0 && !is_cpi)
		len += snprintf(text + len, size - len, "%s%.6f s", len ? ", " : "  # ",
				v->seconds);
	return len;
}

/* Write the notes after an event's name: core-wide, CPI, seconds, spread, percentage of the time */
static void notes_text(const struct view *v, char *text, size_t size)
{
	const struct {
		int shown;
		const char *text;
	} kinds[] = {
		{ v->core_wide, v->where || v->r->counting->task ? "  core-wide" :
				"  core-wide, once per core" },
		{ v->stand_in, "  stand-in" },
		{ v->by_others, "  not-program-related" },
	}, losses[] = {
		{ v->cell->flags & KNC_PMU_THREAD_GAP, "  gap" },
		{ v->cell->flags & KNC_PMU_THREAD_PARTIAL, "  partial" },
		{ v->cell->flags & KNC_PMU_THREAD_EVICTED, "  evicted" },
	};
	unsigned int i;
	size_t len = 0;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		len += snprintf(text + len, size - len, "%s", kinds[i].shown ? kinds[i].text : "");
	if (v->counter >= 0)
		len += snprintf(text + len, size - len, "  counter %d", v->counter);
	if (v->trial)
		len += snprintf(text + len, size - len, "  a trial");
	if (v->missing && !strcmp(v->missing, NOT_SUPPORTED))
		return;
	len += figure_text(v, text + len, size - len);
	for (i = 0; i < ARRAY_SIZE(losses); i++)
		len += snprintf(text + len, size - len, "%s",
				losses[i].shown ? losses[i].text : "");
	if (v->spread->n > 1)
		len += snprintf(text + len, size - len, "  +- %.2f%% (%'.0f to %'.0f)",
				deviation_percent(v->spread), v->spread->min, v->spread->max);
	if (v->cell->turns && v->spread->n)
		snprintf(text + len, size - len, "  (%.2f%%)", report_percent(v->cell));
}

/* Print the value, flush right; separators of thousands may have several bytes */
static void print_value(FILE *f, const struct view *v)
{
	const char *mark = v->precision == PRECISION_ROUGH ? precision_mark(v->precision) : "";
	size_t columns;
	char text[64];

	if (v->missing)
		snprintf(text, sizeof(text), "%s", v->missing);
	else if (v->item)
		snprintf(text, sizeof(text), "%s%'llu", mark, v->count);
	else
		snprintf(text, sizeof(text), "%s%.6g", mark, v->spread->mean);
	columns = mbstowcs(NULL, text, 0);
	if (columns > VALUE_COLUMN)
		columns = VALUE_COLUMN;
	fprintf(f, "%*s%s", VALUE_COLUMN - (int)columns, "", text);
}

static void table_event(FILE *f, const struct view *v)
{
	char notes[NOTES_TEXT];

	notes_text(v, notes, sizeof(notes));
	fprintf(f, "      %-*s%s\n", notes[0] ? NAME_COLUMN : 0, v->name, notes);
}

static const char *colour(FILE *f, const char *sequence)
{
	return terminal_colours(f) ? sequence : "";
}

static void table_metric(FILE *f, const struct view *v)
{
	const struct metric_limit *limit = v->value->limit;

	if (v->missing) {
		fprintf(f, "      %s: %s\n", v->name, v->value->why);
		return;
	}
	fprintf(f, "      %-*s  %s", NAME_COLUMN, v->name, v->metric->unit_text);
	if (v->spread->n > 1)
		fprintf(f, "  +- %.2f%% (%.6g to %.6g)", deviation_percent(v->spread),
			v->spread->min, v->spread->max);
	if (v->precision != PRECISION_EXACT)
		fprintf(f, v->precision == PRECISION_ROUGH ? "  rough estimate" : "  estimate");
	if (v->stand_in)
		fprintf(f, "  stand-in");
	if (limit)
		fprintf(f, "  %s%s%s: %s%s", colour(f, limit->good ? GREEN : RED),
			view_verdict(v), colour(f, PLAIN), limit->says,
			limit->unverified ? " (unverified)" : "");
	fputc('\n', f);
}

static void table_line(const struct view *v, void *ctx)
{
	const struct table *t = ctx;
	int left = (v->r->opts->per_thread ? TASK_COLUMN : CPU_COLUMN) -
		   (int)text_width(v->label);

	fputs(t->stamp, t->f);
	if (v->where)
		fprintf(t->f, "%s%*s", v->label, left > 0 ? left : 0, "");
	print_value(t->f, v);
	if (v->item)
		table_event(t->f, v);
	else
		table_metric(t->f, v);
}

static void table_seconds(FILE *f, const struct spread *spread, const char *what)
{
	if (!spread->n)
		return;
	fprintf(f, "%*.9f seconds %s", VALUE_COLUMN, spread->mean, what);
	if (spread->n > 1)
		fprintf(f, "  +- %.2f%%", deviation_percent(spread));
	fputc('\n', f);
}

/* Explanations below the table */
enum remark {
	REMARK_UNSUPPORTED,
	REMARK_EMULATED,
	REMARK_EMULATED_HOST,
	REMARK_UNCOUNTED,
	REMARK_TURNS,
	REMARK_FEW_TURNS,
	REMARK_REAL_TIME,
	REMARK_CORE,
	REMARK_TASK_CORE,
	REMARK_STAND_IN,
	REMARK_TRIAL,
	REMARK_SECONDS,
	REMARK_OTHERS,
	REMARK_USER_ONLY,
	REMARK_ENDED,
	NR_REMARKS
};

static const char * const remarks[NR_REMARKS] = {
	[REMARK_UNSUPPORTED] = NOT_SUPPORTED
		": there is nothing on this card that could count it",
	[REMARK_EMULATED] = NOT_SUPPORTED
		": the emulated card never counts these; a real one may",
	[REMARK_EMULATED_HOST] = NOT_SUPPORTED
		": the emulated host never counts these",
	[REMARK_UNCOUNTED] = NOT_COUNTED
		": it ended before its turn; ask for two events, or run longer",
	[REMARK_TURNS] =
		"(%): estimates, taking turns; scaled by the part of the time in which each was counted; for exact counts use --passes, or ask for two events",
	[REMARK_FEW_TURNS] = ROUGH_MARK
		": a rough estimate, no count: from fewer than 20 turns; run longer, or use --passes",
	[REMARK_REAL_TIME] = ROUGH_MARK
		": a rough estimate, no count: the speed of the emulated card depends on what is counted (not so without knc-vm --realtime); use --passes, or ask for two events",
	[REMARK_CORE] =
		"core-wide: of all threads of the cores, not of these CPUs alone",
	[REMARK_TASK_CORE] =
		"core-wide: of all threads of the core it ran on, while it ran there",
	[REMARK_STAND_IN] =
		"stand-in: packed SSE operations of the program, counted in the place of the vector unit's",
	[REMARK_TRIAL] =
		"a trial: on a counter that is not known to count this event, which the module's parameter any_counter allows",
	[REMARK_SECONDS] =
		"s: seconds that so many cycles take at the rate of the time stamp counter",
	[REMARK_OTHERS] =
		"not-program-related: other cores cause it, whatever the program does",
	[REMARK_ENDED] =
		"ended: the sum of the threads that are not followed any more and have no line: the first 1024 that end have one",
	[REMARK_USER_ONLY] =
		":u: kernel mode is not counted, which needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN)",
};

/* Why estimates are rough */
static enum remark rough_remark(const struct report *r)
{
	return r->opts->card.real_time ? REMARK_REAL_TIME : REMARK_FEW_TURNS;
}

/* Why an event can't be counted here */
static enum remark unsupported_remark(const struct report *r)
{
	if (!r->opts->card.emulated)
		return REMARK_UNSUPPORTED;
	return is_host(r->counting->pmu) ? REMARK_EMULATED_HOST : REMARK_EMULATED;
}

/* Bits of the remarks that explain a line */
static unsigned int remarks_of(const struct view *v)
{
	const struct report *r = v->r;
	unsigned int bits = 0;

	if (!v->item)
		return 0;
	if (v->missing && !strcmp(v->missing, NOT_SUPPORTED))
		return 1U << unsupported_remark(r);
	if (!v->spread->n)
		bits |= 1U << REMARK_UNCOUNTED;
	if (v->cell->turns && v->spread->n)
		bits |= 1U << REMARK_TURNS;
	if (v->precision == PRECISION_ROUGH)
		bits |= 1U << rough_remark(r);
	if (v->core_wide)
		bits |= 1U << (r->counting->task ? REMARK_TASK_CORE : REMARK_CORE);
	if (v->stand_in)
		bits |= 1U << REMARK_STAND_IN;
	if (v->trial)
		bits |= 1U << REMARK_TRIAL;
	if (v->seconds >= 0)
		bits |= 1U << REMARK_SECONDS;
	if (v->by_others)
		bits |= 1U << REMARK_OTHERS;
	if (r->opts->per_thread && v->where == 1)
		bits |= 1U << REMARK_ENDED;
	if (r->opts->user_only)
		bits |= 1U << REMARK_USER_ONLY;
	return bits;
}

static void add_remarks(const struct view *v, void *ctx)
{
	*(unsigned int *)ctx |= remarks_of(v);
}

static void table_interval(FILE *f, const struct report *r, double time)
{
	unsigned int rough = 1U << rough_remark(r), found = 0;
	static int said;
	char stamp[32];
	struct table t = { .f = f, .stamp = stamp };

	/* explain a rough interval before the first one; other remarks follow at the end */
	if (!said)
		view_all(r, add_remarks, &found);
	if (found & rough) {
		fprintf(f, " %s\n", remarks[rough_remark(r)]);
		said = 1;
	}
	snprintf(stamp, sizeof(stamp), "%15.9f ", time);
	view_all(r, table_line, &t);
}

static void table_remarks(FILE *f, const struct report *r)
{
	const char *before = "\n";
	unsigned int i, found = 0;

	view_all(r, add_remarks, &found);
	for (i = 0; i < NR_REMARKS; i++) {
		if (!(found & 1U << i))
			continue;
		fprintf(f, "%s %s", before, remarks[i]);
		if (i == REMARK_SECONDS)
			fprintf(f, ", %.3f GHz", r->opts->card.tsc_khz / 1e6);
		fputc('\n', f);
		before = "";
	}
}

static void print_command(FILE *f, const struct stat_opts *opts)
{
	char **arg;

	fprintf(f, "'%s", intern_text(opts->command[0]));
	for (arg = opts->command + 1; *arg; arg++)
		fprintf(f, " %s", intern_text(*arg));
	fputc('\'', f);
}

/* Print the target, unless it is the command */
static void print_target(FILE *f, const struct stat_opts *opts)
{
	char cpus[CPUS_TEXT];

	if (opts->target == TARGET_CPUS) {
		kncpmu_cpus_format(&opts->cpus, cpus, sizeof(cpus));
		fprintf(f, "CPU%s %s", plural(&opts->cpus), cpus);
		return;
	}
	fprintf(f, "%s%s %s", opts->target == TARGET_THREAD ? "thread" : "pid",
		plural_of(opts->nr_pids), intern_text(opts->who));
}

void print_counted(FILE *f, const struct stat_opts *opts)
{
	if (opts->target != TARGET_COMMAND)
		print_target(f, opts);
	if (opts->target != TARGET_COMMAND && opts->command)
		fprintf(f, " while ");
	if (opts->command)
		print_command(f, opts);
	if (opts->target != TARGET_COMMAND && opts->command)
		fprintf(f, opts->interval ? " runs" : " ran");
	if (opts->no_inherit)
		fprintf(f, ", without what it created");
	if (opts->interval)
		fprintf(f, ", every %u ms; the first column is the time in seconds",
			opts->interval);
}

static void table_head(FILE *f, const struct report *r)
{
	fprintf(f, "\n Counts of ");
	print_counted(f, r->opts);
	if (r->counting->nr_passes > 1)
		fprintf(f, ", in %u passes", r->counting->nr_passes);
	if (report_runs(r) > 1)
		fprintf(f, ", mean +- standard deviation of %u runs", report_runs(r));
	fprintf(f, ":\n\n");
}

/* Print the head of intervals; totals have a head of their own */
static void table_begin(FILE *f, const struct report *r)
{
	if (r->opts->interval)
		table_head(f, r);
}

/* -v: how an event was counted */
static void table_detail(FILE *f, const struct report *r)
{
	const struct kncpmu_item *item;
	const struct cell *cell;
	unsigned int i;

	for (i = 0; i < r->counting->nr_items; i++) {
		item = report_item(r, i);
		cell = report_cell(r, i, 0);
		fprintf(f, "  %s: r%04llx, counter %u, %.6f s enabled, %.6f s counted\n",
			item->name, (unsigned long long)item->event.event, r->counting->counter[i],
			(double)cell->enabled / NSEC_PER_SEC,
			(double)cell->counted / NSEC_PER_SEC);
	}
}

/* --off-cpu: print the head of the columns, the last of which is shown only if records were lost */
static unsigned int times_head(FILE *f, const struct thread_time *sum)
{
	unsigned int i, columns = sum->off[OFF_UNKNOWN] ? NR_TIMES : NR_TIMES - 1;

	fprintf(f, "\n Seconds of each thread, and per cent of the time for which it was "
		"followed:\n\n");
	for (i = 0; i < columns; i++)
		fprintf(f, "%*s", TIME_COLUMN, time_name(i));
	fprintf(f, "   thread\n");
	return columns;
}

static void times_line(FILE *f, const struct thread_time *t, unsigned int columns,
		       const char *label)
{
	unsigned int i;

	for (i = 0; i < columns; i++)
		fprintf(f, "%*.6f %5.1f%%", TIME_COLUMN - 7, (double)time_of(t, i) / NSEC_PER_SEC,
			time_percent(t, i));
	fprintf(f, "   %s\n", label);
}

static void table_times(FILE *f, const struct off_cpu *off_cpu)
{
	const struct thread_times *times = off_cpu_times(off_cpu);
	struct thread_time sum;
	char label[LABEL_TEXT];
	unsigned int columns;
	size_t i;

	times_sum(times, &sum);
	columns = times_head(f, &sum);
	for (i = 0; i < times->nr; i++) {
		time_label(&times->threads[i], label, sizeof(label));
		times_line(f, &times->threads[i], columns, label);
	}
	if (times->nr > 1)
		times_line(f, &sum, columns, "all");
}

static void table_total(FILE *f, const struct report *r, int status)
{
	struct table t = { .f = f, .stamp = "" };

	if (!r->opts->interval) {
		table_head(f, r);
		view_all(r, table_line, &t);
	}
	table_remarks(f, r);
	if (r->opts->off_cpu)
		table_times(f, r->counting->off_cpu);
	fputc('\n', f);
	if (r->opts->verbose)
		table_detail(f, r);
	table_seconds(f, &r->elapsed, "elapsed");
	table_seconds(f, &r->user, "user");
	table_seconds(f, &r->sys, "sys");
	fputc('\n', f);
}

const struct printer table_printer = {
	.begin = table_begin,
	.interval = table_interval,
	.total = table_total,
};
