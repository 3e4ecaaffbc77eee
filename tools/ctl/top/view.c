// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: columns, their order, lines of text */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "top/top.h"

#define MIN_WIDTH	9	/* of an event's column */
#define MAX_SHORT	99999	/* numbers up to there have all their digits */
#define GAP		1

static const unsigned int fixed_width[2][TOP_NR_FIXED] = {
	[TOP_THREADS] = { 5, 7, 6, 8 },
	[TOP_TASKS] = { 7, 15, 6, 8 },
};

static int has_cpi(const struct top *t)
{
	return t->set.instructions >= 0 && t->set.cycles >= 0;
}

unsigned int top_nr_columns(const struct top *t)
{
	return TOP_NR_FIXED + t->set.nr;
}

/* Is the column hidden? CPI is, without cycles or instructions in the set */
static int is_hidden(const struct top *t, unsigned int column)
{
	return column == TOP_COLUMN_CPI && !has_cpi(t);
}

const char *top_column_title(const struct top *t, unsigned int column)
{
	static const char * const fixed[2][TOP_NR_FIXED] = {
		[TOP_THREADS] = { "CPU", "CORE.TH", "%BUSY", "CPI" },
		[TOP_TASKS] = { "PID", "COMMAND", "%CPU", "CPI" },
	};

	if (is_hidden(t, column))
		return NULL;
	if (column < TOP_NR_FIXED)
		return fixed[t->mode][column];
	return t->set.items[column - TOP_NR_FIXED].name;
}

/* Compute cycles per instruction; returns 0 if that is not possible */
static int row_cpi(const struct top *t, const struct top_row *row, double *cpi)
{
	*cpi = 0;
	if (!has_cpi(t) || row->note[0] || !row->value[t->set.instructions] ||
	    row->precision[t->set.instructions] == PRECISION_NONE ||
	    row->precision[t->set.cycles] == PRECISION_NONE)
		return 0;
	*cpi = (double)row->value[t->set.cycles] / row->value[t->set.instructions];
	return 1;
}

/* The argument of the comparison in qsort() */
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

void top_sort(struct top *t)
{
	if (is_hidden(t, t->sort) || t->sort >= top_nr_columns(t))
		t->sort = t->mode == TOP_TASKS ? TOP_COLUMN_BUSY : TOP_COLUMN_ID;
	sorted = t;
	if (t->nr_rows)
		qsort(t->rows, t->nr_rows, sizeof(*t->rows), compare);
}

/* The marks of an event's column: core-wide, a stand-in */
static const char *column_marks(const struct top *t, unsigned int column)
{
	static const char * const marks[2][2] = { { "", "+" }, { "*", "*+" } };
	const struct knc_pmu_event *event;

	if (column < TOP_NR_FIXED)
		return "";
	event = &t->set.events[column - TOP_NR_FIXED];
	return marks[!!kncpmu_event_core_wide(event)][!!kncpmu_card_stands_in(&t->card, event)];
}

/* Width of an event's name with its marks */
static unsigned int name_width(const struct top *t, unsigned int column)
{
	unsigned int len = strlen(top_column_title(t, column)) +
			   strlen(column_marks(t, column));

	return len < MIN_WIDTH ? MIN_WIDTH : len;
}

/* Width of the columns before those of the events */
static unsigned int fixed_columns(const struct top *t)
{
	unsigned int i, n = 0;

	for (i = 0; i < TOP_NR_FIXED; i++) {
		if (!is_hidden(t, i))
			n += fixed_width[t->mode][i] + GAP;
	}
	return n;
}

/* The width of the columns of events, so that as much of their names fits as possible */
static unsigned int width_limit(const struct top *t, unsigned int width)
{
	unsigned int limit, i, n;

	if (!width)
		return ~0U;
	for (limit = KNCPMU_SPEC_LEN; limit > MIN_WIDTH; limit--) {
		n = fixed_columns(t);
		for (i = TOP_NR_FIXED; i < top_nr_columns(t); i++)
			n += GAP + (name_width(t, i) < limit ? name_width(t, i) : limit);
		if (n <= width)
			break;
	}
	return limit;
}

static unsigned int column_width(const struct top *t, unsigned int column, unsigned int limit)
{
	unsigned int width;

	if (is_hidden(t, column))
		return 0;
	if (column < TOP_NR_FIXED)
		return fixed_width[t->mode][column];
	width = name_width(t, column);
	return width < limit ? width : limit;
}

void top_column_place(const struct top *t, unsigned int column, unsigned int width,
		      unsigned int *first, unsigned int *end)
{
	unsigned int i, limit = width_limit(t, width);

	*first = 0;
	for (i = 0; i < column; i++)
		*first += is_hidden(t, i) ? 0 : column_width(t, i, limit) + GAP;
	*end = *first + column_width(t, column, limit);
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

void top_heading(const struct top *t, unsigned int width, char *line, size_t size)
{
	unsigned int i, room, limit = width_limit(t, width);
	char title[KNCPMU_SPEC_LEN + 3];

	line[0] = '\0';
	for (i = 0; i < top_nr_columns(t); i++) {
		if (is_hidden(t, i))
			continue;
		room = column_width(t, i, limit) - strlen(column_marks(t, i));
		snprintf(title, sizeof(title), "%.*s%s", (int)room, top_column_title(t, i),
			 column_marks(t, i));
		put_cell(line, size, title, column_width(t, i, limit), is_left(t, i));
	}
}

/* On a screen: four digits and a letter */
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
	return kncpmu_card_lacks(&t->card, &t->set.events[event]);
}

/* The mark before an estimate */
static const char *precision_mark(enum precision precision)
{
	return precision == PRECISION_ROUGH ? "?" : precision == PRECISION_ESTIMATE ? "~" : "";
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
	if (row != &t->total && t->mode == TOP_THREADS && row->core >= 0)
		snprintf(text, size, "%d.%u", row->core, row->thread);
}

static void cell_text(const struct top *t, const struct top_row *row, unsigned int column,
		      unsigned int width, char *text, size_t size)
{
	switch (column) {
	case TOP_COLUMN_ID:
		id_text(t, row, text, size);
		break;
	case TOP_COLUMN_NAME:
		name_text(t, row, text, size);
		break;
	case TOP_COLUMN_BUSY:
		snprintf(text, size, "%.1f", row->busy);
		break;
	case TOP_COLUMN_CPI:
		cpi_text(t, row, text, size);
		break;
	default:
		event_text(t, row, column - TOP_NR_FIXED, !width, text, size);
	}
}

void top_line(const struct top *t, const struct top_row *row, unsigned int width,
	      char *line, size_t size)
{
	unsigned int i, limit = width_limit(t, width);
	char text[KNCPMU_COMM_LEN];
	size_t len;

	line[0] = '\0';
	for (i = 0; i < top_nr_columns(t); i++) {
		if (is_hidden(t, i))
			continue;
		cell_text(t, row, i, width, text, sizeof(text));
		put_cell(line, size, text, column_width(t, i, limit), is_left(t, i));
		if (i != TOP_COLUMN_BUSY || !row->note[0])
			continue;
		len = strlen(line);
		snprintf(line + len, size - len, "  %s", row->note);
		return;
	}
}

static int any_core_wide(const struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->set.nr; i++) {
		if (kncpmu_event_core_wide(&t->set.events[i]))
			return 1;
	}
	return 0;
}

static int any_lacking(const struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->set.nr; i++) {
		if (is_lacking(t, i))
			return 1;
	}
	return 0;
}

static int any_stand_in(const struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->set.nr; i++) {
		if (kncpmu_card_stands_in(&t->card, &t->set.events[i]))
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

/* For few turns, and for the emulated card in real time */
static const char * const rough_remarks[] = {
	"?: a rough estimate, from fewer than 20 turns: choose fewer events, or a longer -d",
	"?: a rough estimate: the speed of the emulated card depends on what is counted; choose two events",
};

const char *top_remark(const struct top *t, unsigned int n)
{
	if (any_core_wide(t) && !n--)
		return core_remarks[t->mode];
	if (t->set.nr_groups > 1 && !n--)
		return "~: an estimate, events take turns";
	if (any_rough(t) && !n--)
		return rough_remarks[!!t->card.real_time];
	if (any_lacking(t) && !n--)
		return t->card.emulated ? "-: the emulated card never counts it" :
					  "-: there is nothing on this card that could count it";
	if (any_stand_in(t) && !n--)
		return "+: a stand-in, packed SSE operations in the place of the vector unit's";
	if (t->user_only && !n--)
		return "user mode only: kernel mode needs CAP_PERFMON";
	return NULL;
}

void top_print(const struct top *t)
{
	char line[TOP_LINE];
	unsigned int i;

	printf("%s: %s, set %s, counts of %.3f s\n", PROGRAM,
	       t->mode == TOP_THREADS ? "hardware threads" : "processes", t->set.name,
	       t->interval / 1e9);
	top_heading(t, 0, line, sizeof(line));
	puts(line);
	for (i = 0; i < t->nr_rows; i++) {
		top_line(t, &t->rows[i], 0, line, sizeof(line));
		puts(line);
	}
	top_line(t, &t->total, 0, line, sizeof(line));
	puts(line);
	for (i = 0; top_remark(t, i); i++)
		puts(top_remark(t, i));
	putchar('\n');
	fflush(stdout);
}
