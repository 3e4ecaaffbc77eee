// SPDX-License-Identifier: GPL-2.0
/*
 * Counts over time as a plot: for few hardware threads a curve for each, otherwise a row of
 * colours for each
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/text.h"
#include "profile/timeline.h"

#define WIDTH		1200
#define LEFT		116
#define RIGHT		24
#define COLUMNS		(WIDTH - LEFT - RIGHT)	/* a pixel each */
#define TOP		64
#define TITLE		34	/* above the rows of an event */
#define AXIS		48	/* below them */
#define MAX_CURVES	8
#define CURVE		84	/* height of a row with a curve, */
#define GAP		14	/* and what of it is empty */
#define HEAT		640	/* height of all rows of colours, at most */
#define MAX_HEAT	18	/* and of one */

/* Light to dark; white, for no events, differs clearly from the next colour */
static const unsigned char ramp[][3] = {
	{ 255, 255, 255 }, { 254, 227, 182 }, { 253, 174, 97 }, { 227, 92, 56 },
	{ 168, 28, 60 }, { 84, 8, 72 },
};

static const char * const style =
	"svg { background: #fff; }\n"
	"text { font: 12px \"DejaVu Sans\", Verdana, Arial, sans-serif; fill: #444; }\n"
	".title { font-size: 18px; font-weight: bold; fill: #1a1a1a; }\n"
	".event { font-size: 14px; font-weight: bold; fill: #1a1a1a; }\n"
	".grid { stroke: #e3e6ea; }\n"
	".axis { stroke: #8a9099; }\n"
	".curve { fill: #9ccaf4; stroke: #0b57a4; stroke-width: 1; }\n"
	".end { text-anchor: end; }\n"
	".middle { text-anchor: middle; }\n";

/**
 * struct plot - the rows of an event
 * @f: the file
 * @t: the counts
 * @cpus: the hardware threads, in ascending order
 * @rate: events a second, for each hardware thread and column
 * @nr: number of hardware threads
 * @end: ns that are shown
 * @most: the highest rate
 * @row: height of a row
 */
struct plot {
	FILE *f;
	const struct timeline *t;
	unsigned int *cpus;
	double *rate;
	unsigned int nr;
	unsigned long long end;
	double most;
	double row;
};

/* The least step of 1, 2 or 5 times a power of ten that divides @range into at most @parts */
static double nice_step(double range, int parts)
{
	double least = 0.999 * range / parts, step = pow(10, floor(log10(least)));

	if (step >= least)
		return step;
	if (2 * step >= least)
		return 2 * step;
	return 5 * step >= least ? 5 * step : 10 * step;
}

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

/* Spread the events of a bin over the columns that it covers */
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

static void collect(struct plot *p, size_t from, size_t to)
{
	unsigned int n = 0;
	size_t i;

	count_cpus(p, from, to);
	p->rate = xalloc((size_t)p->nr * COLUMNS, sizeof(*p->rate));
	for (i = from; i < to; i++) {
		while (p->cpus[n] != p->t->bins[i].cpu)
			n++;
		spread(p, n, &p->t->bins[i]);
	}
	p->most = 0;
	for (i = 0; i < (size_t)p->nr * COLUMNS; i++)
		p->most = fmax(p->most, p->rate[i]);
	p->row = p->nr <= MAX_CURVES ? CURVE : fmax(2, fmin(MAX_HEAT, HEAT / p->nr));
}

static void print_time_axis(const struct plot *p, double top, double bottom)
{
	double seconds = p->end / 1e9, step = nice_step(seconds, 8), at;

	for (at = 0; at <= seconds * 1.0001; at += step) {
		fprintf(p->f,
			"<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
			LEFT + at / seconds * COLUMNS, LEFT + at / seconds * COLUMNS, top,
			bottom);
		fprintf(p->f,
			"<text class=\"middle\" x=\"%.1f\" y=\"%.1f\">%g</text>\n",
			LEFT + at / seconds * COLUMNS, bottom + 17, at);
	}
	fprintf(p->f,
		"<text class=\"middle\" x=\"%d\" y=\"%.1f\">time [s]</text>\n",
		LEFT + COLUMNS / 2, bottom + 35);
}

static void print_curve(const struct plot *p, unsigned int n, double top, double max)
{
	const double *rate = p->rate + (size_t)n * COLUMNS;
	double base = top + p->row, height = p->row - GAP, last = -1, y;
	int column;

	fprintf(p->f, "<path class=\"curve\" d=\"M%d %.1f", LEFT, base);
	for (column = 0; column < COLUMNS; column++) {
		y = base - rate[column] / max * height;
		if (fabs(y - last) < 0.05)
			continue;
		fprintf(p->f, "H%dV%.1f", LEFT + column, y);
		last = y;
	}
	fprintf(p->f, "H%dV%.1fZ\"><title>CPU %u</title></path>\n", LEFT + COLUMNS, base,
		p->cpus[n]);
}

/* A curve with its own axis; all have the same scale */
static void print_curves(const struct plot *p, double top)
{
	double step = nice_step(p->most, 3), at, base;
	unsigned int n;

	print_time_axis(p, top, top + p->nr * p->row);
	for (n = 0; n < p->nr; n++) {
		base = top + (n + 1) * p->row;
		for (at = step; at <= p->most * 1.0001; at += step) {
			fprintf(p->f,
				"<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
				LEFT, LEFT + COLUMNS, base - at / p->most * (p->row - GAP),
				base - at / p->most * (p->row - GAP));
			fprintf(p->f, "<text class=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n",
				LEFT - 6, base - at / p->most * (p->row - GAP) + 4, si(at));
		}
		print_curve(p, n, base - p->row, p->most);
		fprintf(p->f,
			"<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
			LEFT, LEFT + COLUMNS, base, base);
		fprintf(p->f,
			"<text class=\"end\" x=\"%d\" y=\"%.1f\">0</text><text x=\"12\" y=\"%.1f\">CPU %u</text>\n",
			LEFT - 6, base + 4, base - (p->row - GAP) / 2 + 4, p->cpus[n]);
	}
}

static void print_ramp(FILE *f, double share)
{
	double at = share * (ARRAY_SIZE(ramp) - 1);
	unsigned int i = at;
	int c[3], k;

	if (i >= ARRAY_SIZE(ramp) - 1)
		i = ARRAY_SIZE(ramp) - 2;
	for (k = 0; k < 3; k++)
		c[k] = ramp[i][k] + (at - i) * (ramp[i + 1][k] - ramp[i][k]) + 0.5;
	fprintf(f, "#%02x%02x%02x", c[0], c[1], c[2]);
}

/* One of 256 colours; neighbouring columns of the same colour become one rectangle */
static int shade(const struct plot *p, unsigned int n, int column)
{
	return p->rate[(size_t)n * COLUMNS + column] / p->most * 255 + 0.5;
}

static void print_heat_row(const struct plot *p, unsigned int n, double top)
{
	int column, end, colour;

	for (column = 0; column < COLUMNS; column = end) {
		colour = shade(p, n, column);
		for (end = column + 1; end < COLUMNS && shade(p, n, end) == colour; end++)
			;
		if (!colour)
			continue;
		fprintf(p->f,
			"<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"",
			LEFT + column, top, end - column, p->row);
		print_ramp(p->f, colour / 255.0);
		fputs("\"/>", p->f);
	}
	fputc('\n', p->f);
}

static void print_legend(const struct plot *p, double y)
{
	int i, x = WIDTH - RIGHT - 256 - 80;

	fprintf(p->f, "<text class=\"end\" x=\"%d\" y=\"%.1f\">0</text>", x - 6, y + 11);
	for (i = 0; i < 256; i += 4) {
		fprintf(p->f, "<rect x=\"%d\" y=\"%.1f\" width=\"4\" height=\"14\" fill=\"", x + i,
			y);
		print_ramp(p->f, i / 252.0);
		fputs("\"/>", p->f);
	}
	fprintf(p->f,
		"<rect x=\"%d\" y=\"%.1f\" width=\"256\" height=\"14\" fill=\"none\" class=\"axis\"/>",
		x, y);
	fprintf(p->f, "<text x=\"%d\" y=\"%.1f\">%s/s</text>\n", x + 262, y + 11, si(p->most));
}

static void print_heat(const struct plot *p, double top)
{
	unsigned int n, each = ceil(14 / p->row);
	double y;

	print_time_axis(p, top, top + p->nr * p->row);
	for (n = 0; n < p->nr; n++) {
		y = top + n * p->row;
		print_heat_row(p, n, y);
		if (n % each == 0)
			fprintf(p->f,
				"<text class=\"end\" x=\"%d\" y=\"%.1f\">CPU %u</text>\n",
				LEFT - 6, y + p->row / 2 + 4, p->cpus[n]);
	}
	fprintf(p->f,
		"<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"none\" class=\"axis\"/>\n",
		LEFT, top, COLUMNS, p->nr * p->row);
	print_legend(p, top - 22);
}

static size_t event_end(const struct timeline *t, size_t from)
{
	size_t i = from;

	while (i < t->nr && t->bins[i].event == t->bins[from].event)
		i++;
	return i;
}

static void print_event(struct plot *p, const char *name, double top)
{
	fprintf(p->f, "<text class=\"event\" x=\"%d\" y=\"%.1f\">", LEFT, top - 12);
	print_xml(p->f, name);
	fputs(" [events/s]</text>\n", p->f);
	if (!(p->most > 0))
		return;
	if (p->nr <= MAX_CURVES)
		print_curves(p, top);
	else
		print_heat(p, top);
}

static void print_head(FILE *f, const struct profile *p, const struct timeline *t,
		       double height)
{
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		"width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n"
		"<style>\n%s</style>\n<text class=\"title\" x=\"24\" y=\"30\">",
		WIDTH, height, WIDTH, height, style);
	print_xml(f, profile_title(p));
	fprintf(f, "</text>\n<text x=\"24\" y=\"50\">%s</text>\n", t->by_time ?
		"events per second of each hardware thread, from time samples" :
		"events per second of each hardware thread, from event samples");
}

void timeline_svg(const struct timeline *t, const struct profile *p, FILE *f)
{
	struct plot plots[KNC_NR_COUNTERS] = { { .f = f, .t = t }, { .f = f, .t = t } };
	double y = TOP, height = TOP;
	unsigned int nr = 0, n;
	size_t from, i;
	unsigned long long end = 1;

	for (i = 0; i < t->nr; i++)
		end = t->bins[i].end > end ? t->bins[i].end : end;
	for (from = 0; from < t->nr; from = event_end(t, from)) {
		plots[nr].end = end;
		collect(&plots[nr], from, event_end(t, from));
		height += TITLE + plots[nr].nr * plots[nr].row + AXIS;
		nr++;
	}
	print_head(f, p, t, height);
	for (n = 0, from = 0; n < nr; n++, from = event_end(t, from)) {
		print_event(&plots[n], p->file.events[t->bins[from].event].name, y + TITLE);
		y += TITLE + plots[n].nr * plots[n].row + AXIS;
		free(plots[n].cpus);
		free(plots[n].rate);
	}
	fputs("</svg>\n", f);
}
