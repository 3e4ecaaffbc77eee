// SPDX-License-Identifier: GPL-2.0
/*
 * knc-pmuctl top: chooses the columns that fit into a line, and their headings. A long heading is
 * broken after underscores into several lines; a column that still does not fit is left out.
 */
#include <stdio.h>
#include <string.h>
#include <names.h>

#include "top/display.h"

#define MIN_WIDTH	9	/* least width of an event's column */
#define GAP		1

static const unsigned int fixed_width[2][TOP_NR_FIXED] = {
	[TOP_THREADS] = { 5, 7, 6, 8 },
	[TOP_TASKS] = { 7, 15, 6, 8 },
};

int top_has_cpi(const struct top *t)
{
	return t->set.instructions >= 0 && t->set.cycles >= 0;
}

unsigned int top_nr_columns(const struct top *t)
{
	return TOP_NR_FIXED + t->set.nr;
}

/* CPI needs both cycles and instructions in the set */
int top_has_column(const struct top *t, unsigned int column)
{
	return column < top_nr_columns(t) && (column != TOP_COLUMN_CPI || top_has_cpi(t));
}

const char *top_column_title(const struct top *t, unsigned int column)
{
	static const char * const fixed[2][TOP_NR_FIXED] = {
		[TOP_THREADS] = { "CPU", "CORE.TH", "%BUSY", "CPI" },
		[TOP_TASKS] = { "PID", "COMMAND", "%CPU", "CPI" },
	};

	if (!top_has_column(t, column))
		return NULL;
	if (column < TOP_NR_FIXED)
		return fixed[t->mode][column];
	return t->set.items[column - TOP_NR_FIXED].name;
}

/* Marks of an event's column: core-wide, stand-in, caused by other cores */
static const char *column_marks(const struct top *t, unsigned int column)
{
	static const char * const marks[2][2] = { { "", "+" }, { "*", "*+" } };
	const struct knc_pmu_event *event;
	int core;

	if (column < TOP_NR_FIXED || t->set.level)
		return "";
	event = &t->set.events[column - TOP_NR_FIXED];
	core = kncpmu_event_core_wide(t->card.pmu, event);
	if (kncpmu_event_by_others(t->card.pmu, event))
		return core ? "*!" : "!";
	return marks[!!core][!!kncpmu_card_stands_in(&t->card, event)];
}

/* The heading with its marks */
static void heading_text(const struct top *t, unsigned int column, char *text, size_t size)
{
	snprintf(text, size, "%s%s", top_column_title(t, column), column_marks(t, column));
}

/* Bytes up to the end of the first word, with its underscore */
static size_t word_length(const char *text)
{
	size_t len = strcspn(text, "_");

	return text[len] ? len + 1 : len;
}

/* Bytes of the first line of a heading of this width, which has at least one word */
static size_t line_length(const char *text, unsigned int width)
{
	size_t len = word_length(text);

	while (text[len] && len + word_length(text + len) <= width)
		len += word_length(text + len);
	return len;
}

static unsigned int count_lines(const char *text, unsigned int width)
{
	unsigned int n = 0;

	for (; *text; n++)
		text += line_length(text, width);
	return n;
}

/* The least and greatest width of a column */
static void width_range(const struct top *t, unsigned int column, unsigned int *least,
			unsigned int *most)
{
	char text[TOP_HEADING];
	const char *at = text;

	if (column < TOP_NR_FIXED) {
		*least = fixed_width[t->mode][column];
		*most = *least;
		return;
	}
	heading_text(t, column, text, sizeof(text));
	*most = strlen(text) > MIN_WIDTH ? strlen(text) : MIN_WIDTH;
	*least = MIN_WIDTH;
	for (; *at; at += word_length(at)) {
		if (word_length(at) > *least)
			*least = word_length(at);
	}
}

/* Show a column if there is room; a width of 0 has room for all */
static void add_column(const struct top *t, struct top_columns *l, unsigned int column,
		       unsigned int width, unsigned int *used)
{
	unsigned int least, most;

	if (!top_has_column(t, column) || l->width[column])
		return;
	width_range(t, column, &least, &most);
	if (width && *used + least > width)
		return;
	l->width[column] = width ? least : most;
	*used += least + GAP;
}

/* Is the event cycles or instructions, which the column CPI includes? */
static int is_of_cpi(const struct top *t, unsigned int event)
{
	return top_has_cpi(t) && t->set.nr > 2 &&
	       ((int)event == t->set.instructions || (int)event == t->set.cycles);
}

/* Add columns of events, either CPI's two or the others, until @most columns are shown */
static void add_events(const struct top *t, struct top_columns *l, int of_cpi, unsigned int most,
		       unsigned int width, unsigned int *used)
{
	unsigned int i;

	for (i = 0; i < t->set.nr && most; i++) {
		if (is_of_cpi(t, i) != of_cpi)
			continue;
		add_column(t, l, TOP_NR_FIXED + i, width, used);
		most--;
	}
}

/* Add columns in the order of their importance; the column that sorts the rows is always shown */
static void choose_columns(const struct top *t, struct top_columns *l, unsigned int width)
{
	unsigned int used = 0;

	add_column(t, l, TOP_COLUMN_ID, width, &used);
	add_column(t, l, t->sort, width, &used);
	if (t->mode == TOP_TASKS)
		add_column(t, l, TOP_COLUMN_NAME, width, &used);
	add_events(t, l, 0, 1, width, &used);
	add_column(t, l, TOP_COLUMN_CPI, width, &used);
	add_column(t, l, TOP_COLUMN_BUSY, width, &used);
	add_events(t, l, 0, t->set.nr, width, &used);
	add_events(t, l, 1, t->set.nr, width, &used);
	add_column(t, l, TOP_COLUMN_NAME, width, &used);
}

/* Widen all columns equally by the room that is left, until each heading has one line */
static void widen(const struct top *t, struct top_columns *l, unsigned int width)
{
	unsigned int limit, i, least, most, used, wider;

	for (limit = MIN_WIDTH; limit < TOP_HEADING; limit++) {
		used = 0;
		for (i = 0; i < top_nr_columns(t); i++)
			used += l->width[i] ? l->width[i] + GAP : 0;
		wider = 0;
		for (i = TOP_NR_FIXED; i < top_nr_columns(t); i++) {
			width_range(t, i, &least, &most);
			wider += l->width[i] && l->width[i] <= limit && l->width[i] < most;
		}
		if (used + wider > width + GAP)
			return;
		for (i = TOP_NR_FIXED; i < top_nr_columns(t); i++) {
			width_range(t, i, &least, &most);
			l->width[i] += l->width[i] && l->width[i] <= limit && l->width[i] < most;
		}
	}
}

void top_place(const struct top *t, unsigned int width, struct top_columns *l)
{
	unsigned int i, n, at = 0;
	char text[TOP_HEADING];

	memset(l, 0, sizeof(*l));
	choose_columns(t, l, width);
	if (width)
		widen(t, l, width);
	for (i = 0; i < top_nr_columns(t); i++) {
		if (!l->width[i])
			continue;
		l->first[i] = at;
		at += l->width[i] + GAP;
		heading_text(t, i, text, sizeof(text));
		n = count_lines(text, l->width[i]);
		if (n > l->nr_lines)
			l->nr_lines = n;
	}
}

void top_heading(const struct top *t, const struct top_columns *l, unsigned int column,
		 unsigned int line, char *text, size_t size)
{
	char whole[TOP_HEADING];
	const char *at = whole;
	unsigned int n;

	text[0] = '\0';
	heading_text(t, column, whole, sizeof(whole));
	n = count_lines(whole, l->width[column]);
	/* align headings at the bottom: the last line of each is in the same row */
	if (line + n < l->nr_lines)
		return;
	for (n = line + n - l->nr_lines; n; n--)
		at += line_length(at, l->width[column]);
	snprintf(text, size, "%.*s", (int)line_length(at, l->width[column]), at);
}

unsigned int top_left_out(const struct top *t, const struct top_columns *l, char *text, size_t size)
{
	unsigned int i, n = 0;
	size_t len = 0;

	text[0] = '\0';
	for (i = 0; i < top_nr_columns(t); i++) {
		if (!top_has_column(t, i) || l->width[i])
			continue;
		if (len < size)
			len += snprintf(text + len, size - len, "%s%s", n ? ", " : "",
					top_column_title(t, i));
		n++;
	}
	return n;
}
