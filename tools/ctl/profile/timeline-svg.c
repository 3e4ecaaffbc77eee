// SPDX-License-Identifier: GPL-2.0
/*
 * Counts or levels over time as a plot: a curve for each of few hardware threads or L3s, otherwise
 * a row of colours for each; their sum is above
 *
 * The picture is as wide as its window or its place in a page (timeline.js): in a nested <svg>
 * positions are percentages, and only curves and colours are stretched.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/curves.h"
#include "profile/lanes.h"
#include "profile/pictures.h"
#include "profile/plot.h"

#define TOP		64
#define TOP_IN_PAGE	8
#define MAX_CURVES	8
#define CURVE		84	/* height of a row with a curve */
#define GAP		14	/* the empty part of CURVE */
#define SHADES		64	/* number of colours; 0 is the colour of no events */
#define SHADE		2	/* width of a colour in the legend */

/* Colours from few to many events, for a white background and for a black one */
static const unsigned char ramps[2][6][3] = {
	{ { 255, 255, 255 }, { 254, 227, 182 }, { 253, 174, 97 }, { 227, 92, 56 },
	  { 168, 28, 60 }, { 84, 8, 72 } },
	{ { 22, 24, 28 }, { 74, 24, 76 }, { 150, 34, 72 }, { 218, 84, 56 },
	  { 252, 172, 96 }, { 255, 240, 200 } },
};

static const char * const css[] = {
#include "profile/timeline.css.inc"
};

static const char * const js[] = {
#include "profile/timeline.js.inc"
};

/**
 * struct plot - the rows of an event
 * @f: the file
 * @t: the counts
 * @file: the recording; NULL for levels
 * @cpus: the hardware threads, in ascending order
 * @rate: events a second, for each hardware thread and column; or bytes of an L3, NAN: no value
 * @total: their sum, for each column, NAN too; NULL: it would say nothing, or something wrong
 * @nr: number of hardware threads
 * @end: ns that are shown
 * @most: the highest rate
 * @row: height of a row
 */
struct plot {
	FILE *f;
	const struct timeline *t;
	const struct data_file *file;
	unsigned int *cpus;
	double *rate;
	double *total;
	unsigned int nr;
	unsigned long long end;
	double most;
	double row;
};

static const char *si(double value)
{
	static const char * const units[] = { "", " k", " M", " G", " T", " P" };
	unsigned int i = 0;

	while (value >= 1000 && i + 1 < ARRAY_SIZE(units)) {
		value /= 1000;
		i++;
	}
	return intern_format("%.3g%s", value, units[i]);
}

/* Format "CPU 3", or for a rank "0: CPU 3" */
static const char *row_name(const struct plot *p, unsigned int n)
{
	if (!p->file || !p->file->merged)
		return intern_format("CPU %u", p->cpus[n]);
	return intern_format("%lld: CPU %u", data_rank_of(p->file, p->cpus[n]),
			     data_cpu(p->cpus[n]));
}

static void count_cpus(struct plot *p, size_t from, size_t to)
{
	const struct bin *b = p->t->bins;
	size_t i;

	p->nr = 0;
	p->cpus = xalloc(to - from, sizeof(*p->cpus));
	for (i = from; i < to; i++) {
		if (!p->nr || p->cpus[p->nr - 1] != b[i].cpu)
			p->cpus[p->nr++] = b[i].cpu;
	}
}

/* Enter the level of a bin into the columns that it covers */
static void spread_level(struct plot *p, unsigned int n, const struct bin *b)
{
	double width = (double)p->end / COLUMNS;
	int column = b->start / width, last = b->end / width;

	for (; column <= last && column < COLUMNS; column++)
		p->rate[(size_t)n * COLUMNS + column] = b->readings.nr ? b->count : NAN;
}

/* Distribute the events of a bin over the columns that it covers */
static void spread(struct plot *p, unsigned int n, const struct bin *b)
{
	double width = (double)p->end / COLUMNS;
	double rate = b->count / (b->end - b->start), from, to;
	int column = b->start / width, last = b->end / width;

	for (; column <= last && column < COLUMNS; column++) {
		from = fmax(b->start, column * width);
		to = fmin(b->end, (column + 1) * width);
		if (to > from)
			p->rate[(size_t)n * COLUMNS + column] +=
				rate * (to - from) / width * 1e9;
	}
}

static double highest(const double *rate, size_t nr)
{
	double most = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		most = fmax(most, rate[i]);
	return most;
}

static void sum_up(struct plot *p)
{
	size_t i;

	p->total = xalloc(COLUMNS, sizeof(*p->total));
	for (i = 0; i < (size_t)p->nr * COLUMNS; i++)
		p->total[i % COLUMNS] += p->rate[i];
}

static void collect(struct plot *p, const struct profile *profile, size_t from, size_t to)
{
	unsigned int n = 0;
	size_t i;

	count_cpus(p, from, to);
	p->rate = xalloc((size_t)p->nr * COLUMNS, sizeof(*p->rate));
	for (i = 0; p->t->level && i < (size_t)p->nr * COLUMNS; i++)
		p->rate[i] = NAN;
	for (i = from; i < to; i++) {
		while (p->cpus[n] != p->t->bins[i].cpu)
			n++;
		if (p->t->level)
			spread_level(p, n, &p->t->bins[i]);
		else
			spread(p, n, &p->t->bins[i]);
	}
	p->most = highest(p->rate, (size_t)p->nr * COLUMNS);
	p->row = p->nr <= MAX_CURVES ? CURVE : fmax(2, fmin(MAX_HEAT, HEAT / p->nr));
	if (p->nr > 1 && (p->t->level || profile_adds_up(profile, p->t->bins[from].event)))
		sum_up(p);
}

/* The height of the event's rows, with total and legend */
static double rows_height(const struct plot *p)
{
	return (p->total ? CURVE : 0) + (p->nr > MAX_CURVES ? LEGEND : 0) + p->nr * p->row;
}

/* The functions below draw in the nested <svg>, whose origin is at the first row's upper left */

/* Begin a part of the picture whose columns are stretched */
static void begin_stretched(const struct plot *p, double top, double height)
{
	fprintf(p->f,
		"<svg y=\"%.2f\" width=\"100%%\" height=\"%.2f\" viewBox=\"0 0 %d %.2f\" preserveAspectRatio=\"none\">",
		top, height, COLUMNS, height);
}

/* Draw a curve, interrupted where a column has no value */
static void print_path(const struct plot *p, const double *rate, double max, double height,
		       const char *name)
{
	double last = -1, y;
	int column;

	fprintf(p->f, "<path class=\"curve\" d=\"M0 %.1f", height);
	for (column = 0; column < COLUMNS; column++) {
		y = height - rate[column] / max * height;
		if (isnan(y) ? isnan(last) : fabs(y - last) < 0.05)
			continue;
		if (isnan(y))
			fprintf(p->f, "H%dV%.1fZ", column, height);
		else if (isnan(last))
			fprintf(p->f, "M%d %.1fV%.1f", column, height, y);
		else
			fprintf(p->f, "H%dV%.1f", column, y);
		last = y;
	}
	if (!isnan(last))
		fprintf(p->f, "H%dV%.1fZ", COLUMNS, height);
	fprintf(p->f, "\"><title>%s</title></path></svg>\n", name);
}

/* Draw a row: a curve, with its own axis up to @max */
static void print_curve(const struct plot *p, const double *rate, double max, double top,
			const char *name)
{
	double height = CURVE - GAP, base = top + CURVE, step, at;

	if (!(max > 0))
		return;
	step = plot_step(max, 3);
	for (at = step; at <= max * 1.0001; at += step) {
		fprintf(p->f,
			"<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
			base - at / max * height, base - at / max * height);
		fprintf(p->f, "<text class=\"end\" x=\"-6\" y=\"%.1f\">%s</text>\n",
			base - at / max * height + 4, si(at));
	}
	begin_stretched(p, base - height, height);
	print_path(p, rate, max, height, name);
	fprintf(p->f,
		"<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", base, base);
	fprintf(p->f,
		"<text class=\"end\" x=\"-6\" y=\"%.1f\">0</text><text x=\"%d\" y=\"%.1f\">%s</text>\n",
		base + 4, 12 - LEFT, base - height / 2 + 4, name);
}

/* Draw neighbouring columns of the same colour as one rectangle */
static int shade(const struct plot *p, unsigned int n, int column)
{
	double share = p->rate[(size_t)n * COLUMNS + column] / p->most;

	return share > 0 ? 1 + (int)(share * (SHADES - 2) + 0.5) : 0;
}

static void print_heat_row(const struct plot *p, unsigned int n)
{
	int column, end, colour;

	for (column = 0; column < COLUMNS; column = end) {
		colour = shade(p, n, column);
		for (end = column + 1; end < COLUMNS && shade(p, n, end) == colour; end++)
			;
		if (colour)
			fprintf(p->f,
				"<rect class=\"h%d\" x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\"/>",
				colour, column, n * p->row, end - column, p->row);
	}
	fputc('\n', p->f);
}

static void print_legend(const struct plot *p, double y)
{
	int i;

	fprintf(p->f, "<text class=\"end\" x=\"-6\" y=\"%.1f\">0</text>", y + 11);
	for (i = 0; i < SHADES; i++)
		fprintf(p->f,
			"<rect class=\"h%d\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"14\"/>", i,
			i * SHADE, y, SHADE);
	fprintf(p->f,
		"<rect x=\"0\" y=\"%.1f\" width=\"%d\" height=\"14\" fill=\"none\" class=\"axis\"/>",
		y, SHADES * SHADE);
	fprintf(p->f, "<text x=\"%d\" y=\"%.1f\">%s%s</text>\n", SHADES * SHADE + 6, y + 11,
		si(p->most), p->t->level ? "" : "/s");
}

static void print_heat(const struct plot *p, double top)
{
	unsigned int n, each = ceil(14 / p->row);

	print_legend(p, top + 6);
	top += LEGEND;
	begin_stretched(p, top, p->nr * p->row);
	for (n = 0; n < p->nr; n++)
		print_heat_row(p, n);
	fputs("</svg>\n", p->f);
	for (n = 0; n < p->nr; n += each)
		fprintf(p->f, "<text class=\"end\" x=\"-6\" y=\"%.1f\">%s</text>\n",
			top + n * p->row + p->row / 2 + 4, row_name(p, n));
	fprintf(p->f,
		"<rect x=\"0\" y=\"%.1f\" width=\"100%%\" height=\"%.1f\" fill=\"none\" class=\"axis\"/>\n",
		top, p->nr * p->row);
}

static void print_rows(const struct plot *p)
{
	double top = 0;
	unsigned int n;

	if (p->total) {
		print_curve(p, p->total, highest(p->total, COLUMNS), 0, "total");
		top = CURVE;
	}
	if (p->nr > MAX_CURVES) {
		print_heat(p, top);
		return;
	}
	for (n = 0; n < p->nr; n++)
		print_curve(p, p->rate + (size_t)n * COLUMNS, p->most, top + n * CURVE,
			    row_name(p, n));
}

static size_t event_end(const struct timeline *t, size_t from)
{
	size_t i = from;

	while (i < t->nr && t->bins[i].event == t->bins[from].event)
		i++;
	return i;
}

/* Print the event whose bins begin at @from; returns the height of its part */
static double print_event(struct plot *p, const char *name, double top)
{
	const char *unit = p->t->level ? " [bytes]" : " [events/s]";

	if (p->most > 0) {
		plot_begin(p->f, name, unit, top, rows_height(p));
		plot_time_axis(p->f, p->end, rows_height(p));
		print_rows(p);
		fputs("</svg>\n", p->f);
	} else {
		plot_name(p->f, name, unit, top);
	}
	return TITLE + rows_height(p) + AXIS;
}

static void print_ramp(FILE *f, const unsigned char (*ramp)[3])
{
	const int last = ARRAY_SIZE(ramps[0]) - 1;
	int i, k, at, c[3];
	double part;

	for (i = 0; i < SHADES; i++) {
		part = (double)i / (SHADES - 1) * last;
		at = part < last ? (int)part : last - 1;
		for (k = 0; k < 3; k++)
			c[k] = ramp[at][k] + (part - at) * (ramp[at + 1][k] - ramp[at][k]) + 0.5;
		fprintf(f, ".h%d { fill: #%02x%02x%02x; }\n", i, c[0], c[1], c[2]);
	}
}

void timeline_style(FILE *f)
{
	print_lines(f, css, ARRAY_SIZE(css));
	print_ramp(f, ramps[0]);
	fputs("@media (prefers-color-scheme: dark) {\n", f);
	print_ramp(f, ramps[1]);
	fputs("}\n", f);
}

void timeline_script(FILE *f)
{
	print_lines(f, js, ARRAY_SIZE(js));
}

static void print_head(FILE *f, const struct profile *p, const struct timeline *t)
{
	fputs("<style>\n", f);
	timeline_style(f);
	fputs("</style>\n<text class=\"title\" x=\"12\" y=\"30\">", f);
	print_xml(f, t->level ? "L3 caches" : profile_title(p));
	fprintf(f, "</text>\n<text x=\"12\" y=\"50\">from %s</text>\n",
		t->level ? "readings of stat" : t->by_time ? "time samples" : "event samples");
}

/* Is it a bin of waiting times? These are shown by the threads' lanes. */
static int is_of_lanes(const struct timeline *t, const struct profile *p, size_t bin)
{
	return t->lanes && t->bins[bin].event >= p->file.nr_counted;
}

static unsigned long long last_end(const struct timeline *t, const struct profile *p)
{
	unsigned long long end = lanes_last(t->lanes);
	size_t i;

	end = end ? : 1;
	for (i = 0; i < t->nr && !is_of_lanes(t, p, i); i++)
		end = t->bins[i].end > end ? t->bins[i].end : end;
	return end;
}

static const char *event_name(const struct timeline *t, const struct profile *p, unsigned int event)
{
	return t->level ? t->level : p->file.events[event].name;
}

void timeline_svg(const struct timeline *t, const struct profile *p, FILE *f, int in_page)
{
	struct plot plots[DATA_EVENTS] = { { .f = NULL } };
	double y = in_page ? TOP_IN_PAGE : TOP, height = y;
	unsigned int nr = 0, n;
	size_t from;

	for (from = 0; from < t->nr && !is_of_lanes(t, p, from); from = event_end(t, from)) {
		plots[nr].f = f;
		plots[nr].t = t;
		plots[nr].file = t->level ? NULL : &p->file;
		plots[nr].end = last_end(t, p);
		collect(&plots[nr], p, from, event_end(t, from));
		height += TITLE + rows_height(&plots[nr]) + AXIS;
		nr++;
	}
	height += lanes_height(t->lanes);
	if (!in_page)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", f);
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" class=\"timeline\" "
		"width=\"%d\" height=\"%.0f\" data-margins=\"%d\" data-end=\"%llu\">\n",
		WIDTH, height, LEFT + RIGHT, last_end(t, p));
	if (!in_page)
		print_head(f, p, t);
	for (n = 0, from = 0; n < nr; n++, from = event_end(t, from)) {
		y += print_event(&plots[n], event_name(t, p, t->bins[from].event), y);
		free(plots[n].cpus);
		free(plots[n].rate);
		free(plots[n].total);
	}
	if (lanes_height(t->lanes) > 0)
		lanes_svg(t->lanes, last_end(t, p), y, f);
	if (!in_page) {
		fputs("<script><![CDATA[\n", f);
		timeline_script(f);
		fputs("]]></script>\n", f);
	}
	fputs("</svg>\n", f);
}
