// SPDX-License-Identifier: GPL-2.0
/* The output of stat as a table for people */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/print.h"
#include "stat/printer.h"
#include "stat/rows.h"

#define VALUE_COLUMN	18
#define NAME_COLUMN	32
#define ROUGH_MARK	"?"
#define NOTES_TEXT	256
#define GREEN		"\033[32m"
#define RED		"\033[31m"
#define PLAIN		"\033[0m"
#define CPU_COLUMN	8
#define TASK_COLUMN	23	/* 15 characters, -, 7 digits */

/* What follows a #, as in perf: CPI of instructions, or the rate, and the seconds of cycles */
static size_t remark_text(const struct report *r, unsigned int item, unsigned int where,
			  char *text, size_t size)
{
	struct metric_value cpi;
	struct rate rate;
	double seconds;
	size_t len = 0;

	if (report_cpi(r, item, where, &cpi))
		return snprintf(text, size, "  # %s%.2f CPI",
				cpi.precision == PRECISION_ROUGH ? ROUGH_MARK : "", cpi.value);
	if (report_rate(r, item, where, &rate))
		len = snprintf(text, size, "  # %s%.3f %s", rate.rough ? ROUGH_MARK : "",
			       rate.value, rate.unit);
	if (report_seconds(r, item, where, &seconds))
		len += snprintf(text + len, size - len, "%s%.6f s", len ? ", " : "  # ", seconds);
	return len;
}

/* The notes after a name: core-wide, CPI, seconds, spread, percentage of the time */
static void notes_text(const struct report *r, unsigned int item, unsigned int where,
		       char *text, size_t size)
{
	const struct cell *cell = report_cell(r, item, where);
	size_t len = 0;

	text[0] = '\0';
	if (kncpmu_event_core_wide(&report_item(r, item)->event))
		len += snprintf(text, size, "  core-wide%s",
				where || r->counting->task ? "" : ", once per core");
	if (report_stands_in(r, item))
		len += snprintf(text + len, size - len, "  stand-in");
	if (kncpmu_event_by_others(&report_item(r, item)->event))
		len += snprintf(text + len, size - len, "  not-program-related");
	if (r->opts->config & KNC_PMU_CONFIG_RDPMC)
		len += snprintf(text + len, size - len, "  counter %u",
				r->counting->counter[item]);
	if (kncpmu_event_tries_counter(&report_item(r, item)->event))
		len += snprintf(text + len, size - len, "  a trial");
	if (report_unsupported(r, item, where))
		return;
	len += remark_text(r, item, where, text + len, size - len);
	if (cell->flags & KNC_PMU_THREAD_GAP)
		len += snprintf(text + len, size - len, "  gap");
	if (cell->flags & KNC_PMU_THREAD_PARTIAL)
		len += snprintf(text + len, size - len, "  partial");
	if (cell->flags & KNC_PMU_THREAD_EVICTED)
		len += snprintf(text + len, size - len, "  evicted");
	if (cell->spread.n > 1)
		len += snprintf(text + len, size - len, "  +- %.2f%% (%'.0f to %'.0f)",
				deviation_percent(&cell->spread), cell->spread.min,
				cell->spread.max);
	if (cell->turns && cell->spread.n)
		snprintf(text + len, size - len, "  (%.2f%%)", report_percent(cell));
}

/* Print the count, flush right: a separator of thousands may have several bytes */
static void print_value(FILE *f, const struct report *r, unsigned int item,
			unsigned int where)
{
	const struct cell *cell = report_cell(r, item, where);
	char text[64] = NOT_COUNTED;
	size_t columns;

	if (report_unsupported(r, item, where))
		snprintf(text, sizeof(text), NOT_SUPPORTED);
	else if (cell->spread.n)
		snprintf(text, sizeof(text), "%s%'llu",
			 report_precision(r, item, where) == PRECISION_ROUGH ? ROUGH_MARK : "",
			 shown_value(cell));
	columns = mbstowcs(NULL, text, 0);
	if (columns > VALUE_COLUMN)
		columns = VALUE_COLUMN;
	fprintf(f, "%*s%s", VALUE_COLUMN - (int)columns, "", text);
}

static void table_label(FILE *f, const struct report *r, unsigned int where)
{
	char text[LABEL_TEXT];
	int left;

	report_label(r, where, text, sizeof(text));
	left = (r->opts->per_thread ? TASK_COLUMN : CPU_COLUMN) - (int)text_width(text);
	if (where)
		fprintf(f, "%s%*s", text, left > 0 ? left : 0, "");
}

static void table_row(FILE *f, const struct report *r, unsigned int item,
		      unsigned int where, const char *stamp)
{
	const char *name = report_item(r, item)->name;
	char notes[NOTES_TEXT];

	fprintf(f, "%s", stamp);
	table_label(f, r, where);
	print_value(f, r, item, where);
	notes_text(r, item, where, notes, sizeof(notes));
	fprintf(f, "      %-*s%s\n", notes[0] ? NAME_COLUMN : 0, name, notes);
}

static const char *colour(FILE *f, const char *sequence)
{
	return terminal_colours(f) ? sequence : "";
}

static void metric_table_row(FILE *f, const struct report *r, unsigned int i,
			     unsigned int where, const char *stamp)
{
	const struct metric_cell *cell = report_metric(r, i, where);
	const struct metric_limit *limit = cell->value.limit;
	int rough = cell->value.precision == PRECISION_ROUGH;
	char value[32];

	fprintf(f, "%s", stamp);
	table_label(f, r, where);
	if (!cell->spread.n) {
		fprintf(f, "%*s      %s: %s\n", VALUE_COLUMN, NOT_AVAILABLE,
			r->opts->metrics[i]->name, cell->value.why);
		return;
	}
	snprintf(value, sizeof(value), "%s%.6g", rough ? ROUGH_MARK : "",
		 cell->spread.mean);
	fprintf(f, "%*s      %-*s  %s", VALUE_COLUMN, value, NAME_COLUMN, r->opts->metrics[i]->name,
		r->opts->metrics[i]->unit_text);
	if (cell->spread.n > 1)
		fprintf(f, "  +- %.2f%% (%.6g to %.6g)", deviation_percent(&cell->spread),
			cell->spread.min, cell->spread.max);
	if (cell->value.precision != PRECISION_EXACT)
		fprintf(f, rough ? "  rough estimate" : "  estimate");
	if (metric_stands_in(r->opts, r->opts->metrics[i]))
		fprintf(f, "  stand-in");
	if (limit)
		fprintf(f, "  %s%s%s: %s%s", colour(f, limit->good ? GREEN : RED),
			verdict(&cell->value), colour(f, PLAIN), limit->says,
			limit->unverified ? " (unverified)" : "");
	fputc('\n', f);
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
		": the emulated card never counts these (vector events: only with knc-vm --vpu-stand-in)",
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

/* The reason why estimates are rough */
static enum remark rough_remark(const struct report *r)
{
	return r->opts->card.real_time ? REMARK_REAL_TIME : REMARK_FEW_TURNS;
}

/* Why an event can't be counted here */
static enum remark unsupported_remark(const struct report *r)
{
	if (!r->opts->card.emulated)
		return REMARK_UNSUPPORTED;
	return is_host() ? REMARK_EMULATED_HOST : REMARK_EMULATED;
}

static int has_remark(const struct report *r, enum remark which, unsigned int item,
		      unsigned int where)
{
	const struct cell *cell = report_cell(r, item, where);
	int core = kncpmu_event_core_wide(&report_item(r, item)->event);
	double seconds;

	if (report_unsupported(r, item, where))
		return which == unsupported_remark(r);
	switch (which) {
	case REMARK_UNSUPPORTED:
	case REMARK_EMULATED:
	case REMARK_EMULATED_HOST:
		return 0;
	case REMARK_UNCOUNTED:
		return !cell->spread.n;
	case REMARK_TURNS:
		return cell->turns && cell->spread.n;
	case REMARK_FEW_TURNS:
	case REMARK_REAL_TIME:
		return which == rough_remark(r) &&
		       report_precision(r, item, where) == PRECISION_ROUGH;
	case REMARK_CORE:
		return core && !r->counting->task;
	case REMARK_TASK_CORE:
		return core && r->counting->task;
	case REMARK_STAND_IN:
		return report_stands_in(r, item);
	case REMARK_TRIAL:
		return kncpmu_event_tries_counter(&report_item(r, item)->event);
	case REMARK_SECONDS:
		return report_seconds(r, item, where, &seconds);
	case REMARK_OTHERS:
		return kncpmu_event_by_others(&report_item(r, item)->event);
	case REMARK_ENDED:
		return r->opts->per_thread && where == 1;
	default:
		return r->opts->user_only;
	}
}

static int any_has_remark(const struct report *r, enum remark which)
{
	unsigned int item, where;

	for (item = 0; item < report_items(r); item++) {
		for (where = 0; where <= r->counting->nr_rows; where++) {
			if (!report_shows(r, where))
				continue;
			if (has_remark(r, which, item, where))
				return 1;
		}
	}
	return 0;
}

static void table_interval(FILE *f, const struct report *r, double time)
{
	static int said;
	char stamp[32];

	/* before the first rough interval: the other remarks come only at the end */
	if (!said && any_has_remark(r, rough_remark(r))) {
		fprintf(f, " %s\n", remarks[rough_remark(r)]);
		said = 1;
	}
	snprintf(stamp, sizeof(stamp), "%15.9f ", time);
	print_rows(f, r, stamp, table_row, metric_table_row);
}

static void table_remarks(FILE *f, const struct report *r)
{
	const char *before = "\n";
	unsigned int i;

	for (i = 0; i < NR_REMARKS; i++) {
		if (!any_has_remark(r, i))
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

/* The target, unless it is the command */
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
		fprintf(f, ", mean of %u runs", report_runs(r));
	fprintf(f, ":\n\n");
}

/* Print the head of intervals; sums have a head of their own */
static void table_begin(FILE *f, const struct report *r)
{
	if (r->opts->interval)
		table_head(f, r);
}

static void table_total(FILE *f, const struct report *r, int status)
{
	(void)status;
	if (!r->opts->interval) {
		table_head(f, r);
		print_rows(f, r, "", table_row, metric_table_row);
	}
	table_remarks(f, r);
	fputc('\n', f);
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
