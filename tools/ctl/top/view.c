// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: the order of rows, lines of text */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <names.h>

#include "cli/cpus.h"
#include "cli/text.h"
#include "top/display.h"
#include "top/rows.h"

#define MAX_SHORT	99999	/* numbers up to this are shown with all digits */

/* Compute cycles per instruction; returns 0 if that is not possible */
static int row_cpi(const struct top *t, const struct top_row *row, double *cpi)
{
	*cpi = 0;
	if (!top_has_cpi(t) || row->note[0] || !row->value[t->set.instructions] ||
	    row->precision[t->set.instructions] == PRECISION_NONE ||
	    row->precision[t->set.cycles] == PRECISION_NONE)
		return 0;
	*cpi = (double)row->value[t->set.cycles] / row->value[t->set.instructions];
	return 1;
}

/* The state that qsort()'s comparison needs */
static const struct top *sorted;

static double sort_value(const struct top_row *row)
{
	double cpi;

	switch (sorted->sort) {
	case TOP_COLUMN_ID:
		return -(double)row->id;
	case TOP_COLUMN_NAME:
		return -(row->core * 1024.0 + row->thread);
	case TOP_COLUMN_BUSY:
		return row->busy;
	case TOP_COLUMN_CPI:
		row_cpi(sorted, row, &cpi);
		return cpi;
	default:
		return row->value[sorted->sort - TOP_NR_FIXED];
	}
}

static int compare(const void *one, const void *other)
{
	const struct top_row *a = one, *b = other;
	double x = sort_value(a), y = sort_value(b);
	int order = x > y ? -1 : x < y;

	if (sorted->sort == TOP_COLUMN_NAME && sorted->mode == TOP_TASKS)
		order = strcmp(a->name, b->name);
	if (sorted->reverse)
		order = -order;
	return order ? order : (a->id > b->id) - (a->id < b->id);
}

unsigned int top_first_sort(const struct top *t)
{
	if (t->set.level)
		return TOP_NR_FIXED + TOP_LEVEL_NOW;
	return t->mode == TOP_TASKS ? TOP_COLUMN_BUSY : TOP_COLUMN_ID;
}

void top_sort(struct top *t)
{
	if (!top_has_column(t, t->sort))
		t->sort = top_first_sort(t);
	sorted = t;
	if (t->nr_rows)
		qsort(t->rows, t->nr_rows, sizeof(*t->rows), compare);
}

/* Append a cell of @width characters to @line */
static void put_cell(char *line, size_t size, const char *text, int width, int left)
{
	size_t len = strlen(line), bytes = text_prefix(text, width);
	/* printf() counts bytes, a terminal characters */
	int room = width - (int)text_width(text);

	if (room < 0)
		room = 0;
	snprintf(line + len, size - len, "%s%*s%.*s%*s", len ? " " : "", left ? 0 : room, "",
		 (int)bytes, text, left ? room : 0, "");
}

static int is_left(const struct top *t, unsigned int column)
{
	return column == TOP_COLUMN_NAME && t->mode == TOP_TASKS;
}

void top_heading_line(const struct top *t, const struct top_columns *l, unsigned int line,
		      char *text, size_t size)
{
	char title[TOP_HEADING];
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < top_nr_columns(t); i++) {
		if (!l->width[i])
			continue;
		top_heading(t, l, i, line, title, sizeof(title));
		put_cell(text, size, title, l->width[i], is_left(t, i));
	}
}

/* Format a count: on the screen four digits and a letter */
static void format_count(unsigned long long value, int all_digits, char *text, size_t size)
{
	static const char letters[] = "KMGTPE";
	double n = value;
	unsigned int i;

	if (all_digits || value <= MAX_SHORT) {
		snprintf(text, size, "%llu", value);
		return;
	}
	n /= 1000;
	for (i = 0; n >= 999.95 && letters[i + 1]; i++)
		n /= 1000;
	snprintf(text, size, "%.*f%c", n < 9.9995 ? 3 : n < 99.995 ? 2 : 1, n, letters[i]);
}

static int is_lacking(const struct top *t, unsigned int event)
{
	return !t->set.level && kncpmu_card_lacks(&t->card, &t->set.events[event]);
}

static void event_text(const struct top *t, const struct top_row *row, unsigned int event,
		       int all_digits, char *text, size_t size)
{
	char number[32];

	if (row->note[0] || row->precision[event] == PRECISION_NONE ||
	    (is_lacking(t, event) && !row->value[event])) {
		snprintf(text, size, "-");
		return;
	}
	if (t->set.level && event == TOP_LEVEL_SHARE) {
		snprintf(text, size, "%.2f", row->value[event] / 100.0);
		return;
	}
	format_count(row->value[event], all_digits, number, sizeof(number));
	snprintf(text, size, "%s%s", precision_mark(row->precision[event]), number);
}

static void cpi_text(const struct top *t, const struct top_row *row, char *text, size_t size)
{
	enum precision worst;
	double cpi;

	if (!row_cpi(t, row, &cpi)) {
		snprintf(text, size, "-");
		return;
	}
	worst = row->precision[t->set.cycles];
	if (row->precision[t->set.instructions] > worst)
		worst = row->precision[t->set.instructions];
	if (cpi < 1000)
		snprintf(text, size, "%s%.2f", precision_mark(worst), cpi);
	else
		snprintf(text, size, "%s>999", precision_mark(worst));
}

static void id_text(const struct top *t, const struct top_row *row, char *text, size_t size)
{
	if (row == &t->total)
		snprintf(text, size, "all");
	else
		snprintf(text, size, "%u", row->id);
}

static void name_text(const struct top *t, const struct top_row *row, char *text, size_t size)
{
	snprintf(text, size, "%s", row->name);
	if (row == &t->total || t->mode != TOP_THREADS || row->core < 0)
		return;
	if (row->package >= 0)
		snprintf(text, size, "S%d-C%d.%u", row->package, row->core, row->thread);
	else
		snprintf(text, size, "%d.%u", row->core, row->thread);
}

static void cell_text(const struct top *t, const struct top_row *row, unsigned int column,
		      int all_digits, char *text, size_t size)
{
	switch (column) {
	case TOP_COLUMN_ID:
		id_text(t, row, text, size);
		break;
	case TOP_COLUMN_NAME:
		name_text(t, row, text, size);
		break;
	case TOP_COLUMN_BUSY:
		if (t->mode == TOP_THREADS && t->no_busy)
			snprintf(text, size, "-");
		else
			snprintf(text, size, "%.1f", row->busy);
		break;
	case TOP_COLUMN_CPI:
		cpi_text(t, row, text, size);
		break;
	default:
		event_text(t, row, column - TOP_NR_FIXED, all_digits, text, size);
	}
}

void top_line(const struct top *t, const struct top_row *row, const struct top_columns *l,
	      int all_digits, char *line, size_t size)
{
	char text[KNCPMU_COMM_LEN];
	unsigned int i;
	size_t len;

	line[0] = '\0';
	for (i = 0; i < top_nr_columns(t); i++) {
		if (row->note[0] && i > TOP_COLUMN_BUSY)
			break;
		if (!l->width[i])
			continue;
		cell_text(t, row, i, all_digits, text, sizeof(text));
		put_cell(line, size, text, l->width[i], is_left(t, i));
	}
	len = strlen(line);
	if (row->note[0])
		snprintf(line + len, size - len, "  %s", row->note);
}

static int is_core_wide(const struct top *t, unsigned int event)
{
	return kncpmu_event_core_wide(t->card.pmu, &t->set.events[event]);
}

static int is_stand_in(const struct top *t, unsigned int event)
{
	return kncpmu_card_stands_in(&t->card, &t->set.events[event]);
}

static int is_by_others(const struct top *t, unsigned int event)
{
	return kncpmu_event_by_others(t->card.pmu, &t->set.events[event]);
}

static int any_event(const struct top *t, int (*is)(const struct top *t, unsigned int event))
{
	unsigned int i;

	for (i = 0; i < t->set.nr; i++) {
		if (is(t, i))
			return 1;
	}
	return 0;
}

static int any_rough(const struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_rows * t->set.nr; i++) {
		if (t->rows[i / t->set.nr].precision[i % t->set.nr] == PRECISION_ROUGH)
			return 1;
	}
	return 0;
}

static const char * const core_remarks[] = {
	[TOP_THREADS] =
		"*: core-wide, of all threads of the core; CPI: its cycles per instruction of the thread",
	[TOP_TASKS] = "*: core-wide, of all threads of the cores it ran on; so is CPI",
};

/* Reasons for rough values: few turns, and the emulated card in real time */
static const char * const rough_remarks[] = {
	"?: a rough estimate, from fewer than 20 turns: choose fewer events, or a longer -d",
	"?: a rough estimate: the speed of the emulated card depends on what is counted; choose two events",
};

/* Explain an empty column, for which /proc or /sys is hidden */
static const char *hidden_remark(const char *path, int error)
{
	static char remark[160];

	snprintf(remark, sizeof(remark), "-: not known, because %s can't be read: %s", path,
		 kncpmu_kernel_why(path, error));
	return remark;
}

const char *top_remark(const struct top *t, unsigned int n)
{
	if (t->mode == TOP_THREADS && t->no_busy && !n--)
		return hidden_remark("/proc/stat", t->no_busy);
	if (t->mode == TOP_THREADS && t->no_cores && !n--)
		return hidden_remark(CPU_DIR, t->no_cores);
	if (t->set.level)
		return top_level_remark(t, n);
	if (any_event(t, is_core_wide) && !n--)
		return core_remarks[t->mode];
	if (t->set.nr_groups > 1 && !n--)
		return "~: an estimate, events take turns";
	if (any_rough(t) && !n--)
		return rough_remarks[!!t->card.real_time];
	if (any_event(t, is_lacking) && !n--)
		return t->card.emulated ? "-: the emulated card never counts it" :
					  "-: there is nothing on this card that could count it";
	if (any_event(t, is_stand_in) && !n--)
		return "+: a stand-in, packed SSE operations in the place of the vector unit's";
	if (any_event(t, is_by_others) && !n--)
		return "!: not program-related, other cores cause it whatever the program does";
	if (t->user_only && !n--)
		return "user mode only: kernel mode needs CAP_PERFMON";
	return NULL;
}

const char *top_interval_word(const struct top *t)
{
	return t->set.level ? "levels after" : "counts of";
}

void top_print(const struct top *t)
{
	struct top_columns l;
	char line[TOP_LINE];
	unsigned int i;

	top_place(t, 0, &l);
	printf("%s: %s, set %s, %s %.3f s\n", PROGRAM,
	       t->mode == TOP_THREADS ? "hardware threads" : "processes", t->set.name,
	       top_interval_word(t), t->interval / 1e9);
	top_heading_line(t, &l, 0, line, sizeof(line));
	puts(line);
	for (i = 0; i < t->nr_rows; i++) {
		top_line(t, &t->rows[i], &l, 1, line, sizeof(line));
		puts(line);
	}
	top_line(t, &t->total, &l, 1, line, sizeof(line));
	puts(line);
	for (i = 0; top_remark(t, i); i++)
		puts(top_remark(t, i));
	putchar('\n');
	fflush(stdout);
}
