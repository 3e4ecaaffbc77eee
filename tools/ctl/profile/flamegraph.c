// SPDX-License-Identifier: GPL-2.0
/*
 * Flame graphs: a self-contained SVG file
 *
 * The width of a frame is its share of the events; callers are below. flamegraph.js has the
 * reactions to keys and mouse, flamegraph.css the style.
 */
#include <stdio.h>

#include "cli/text.h"
#include "profile/pictures.h"

#define WIDTH		1200
#define LEFT		10
#define TOP		72
#define BOTTOM		36
#define ROW		18
#define CHAR		7.23	/* width of a character of 12px, monospaced */
#define GAP		0.7	/* between two frames, where there is room */
#define MIN_WIDTH	0.1	/* narrower frames are left out */

static const char * const css[] = {
#include "profile/flamegraph.css.inc"
};

static const char * const js[] = {
#include "profile/flamegraph.js.inc"
};

/**
 * struct drawing - a flame graph being written
 * @f: the file
 * @whole: sum of all events
 * @height: height of the picture
 * @left_out: number of frames that were too narrow
 */
struct drawing {
	FILE *f;
	unsigned long long whole;
	int height;
	unsigned int left_out;
};

/* A hash (FNV-1a), which gives a name the same colour each time */
static unsigned int hash(const char *text)
{
	unsigned int h = 2166136261U;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619U;
	return h;
}

/* Light enough for black letters: kernel blue, user from yellow to orange */
static void print_colour(FILE *f, const struct label *label)
{
	unsigned int h;

	if (!label || label->key.thread) {
		fputs(label ? "#d7dbe0" : "#e9ebee", f);
		return;
	}
	h = hash(label->key.text);
	if (label->key.kernel)
		fprintf(f, "#%02x%02x%02x", 140 + h % 36, 188 + (h >> 8) % 28,
			234 + (h >> 16) % 20);
	else
		fprintf(f, "#%02x%02x%02x", 240 + h % 15, 150 + (h >> 8) % 66,
			86 + (h >> 16) % 40);
}

static void print_text(FILE *f, const char *text, double x, int y, double width)
{
	size_t fits = width > 6 ? (width - 6) / CHAR : 0;

	if (fits < 3)
		return;
	fprintf(f, "<text x=\"%.2f\" y=\"%d\">", x + 3, y + 13);
	if (text[text_prefix(text, fits)]) {
		print_xml(f, intern(text, text_prefix(text, fits - 1)));
		fputs("\xe2\x80\xa6", f);
	} else {
		print_xml(f, text);
	}
	fputs("</text>", f);
}

static void print_frame(struct drawing *d, const struct node *node,
			unsigned long long left, int row)
{
	const struct label *label = node->key.label;
	const char *name = label ? label->key.text : "all";
	double scale = d->whole ? (double)(WIDTH - 2 * LEFT) / d->whole : 0;
	double x = LEFT + left * scale, width = node->total * scale;
	int y = d->height - BOTTOM - (row + 1) * ROW;

	fprintf(d->f, "<g data-x=\"%llu\" data-w=\"%llu\" data-r=\"%d\"><title>", left,
		node->total, row);
	print_xml(d->f, name);
	fprintf(d->f, " (%llu events, %.2f%%%s)</title>", node->total,
		percent(node->total, d->whole),
		label && label->key.kernel ? ", kernel" : "");
	fprintf(d->f, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"",
		x, y, width > 4 ? width - GAP : width, ROW - 1);
	print_colour(d->f, label);
	fputs("\"/>", d->f);
	print_text(d->f, name, x, y, width);
	fputs("</g>\n", d->f);
}

static void draw(struct drawing *d, const struct node *node,
		 unsigned long long left, int row)
{
	const struct node *child;

	if (row && node->total * (double)(WIDTH - 2 * LEFT) < MIN_WIDTH * d->whole) {
		d->left_out++;
		return;
	}
	print_frame(d, node, left, row);
	for (child = node->child; child; child = child->next) {
		draw(d, child, left, row + 1);
		left += child->total;
	}
}

static void print_lines(FILE *f, const char * const *lines, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		fprintf(f, "%s\n", lines[i]);
}

static void print_key(FILE *f, int x, const char *colour, const char *text)
{
	fprintf(f, "<rect x=\"%d\" y=\"49\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>"
		"<text x=\"%d\" y=\"59\">%s</text>\n", x, colour, x + 17, text);
}

static void print_head(FILE *f, const struct profile *p, unsigned int event,
		       const char *title)
{
	char text[256];

	fprintf(f, "<g class=\"head\">\n<text class=\"title\" x=\"%d\" y=\"28\">", LEFT);
	print_xml(f, intern(title, text_prefix(title, 90)));
	fprintf(f, "</text>\n<text x=\"%d\" y=\"48\">", LEFT);
	profile_how(p, event, text, sizeof(text));
	print_xml(f, p->file.events[event].name);
	fprintf(f, ": %llu events, %llu samples (%s)</text>\n<text x=\"%d\" y=\"64\">",
		p->weight[event], p->nr[event], text, LEFT);
	profile_missing(p, event, text, sizeof(text));
	fprintf(f, "%s</text>\n", *text ? text : "nothing lost");
	fputs("<g id=\"right\">\n<g id=\"key\">\n", f);
	print_key(f, WIDTH - 172, "#f9b76a", "user");
	print_key(f, WIDTH - 94, "#9ccaf4", "kernel");
	fputs("</g>\n", f);
	fprintf(f, "<text class=\"button\" id=\"search\" x=\"%d\" y=\"28\">search (/)</text>\n"
		"<text class=\"button hidden\" id=\"reset\" x=\"%d\" y=\"28\">reset zoom (Esc)</text>\n",
		WIDTH - 94, WIDTH - 230);
	fputs("</g>\n</g>\n", f);
}

void flamegraph_write(const struct profile *p, struct calltree *t,
		      unsigned int event, const char *title, FILE *f)
{
	struct drawing d = { .f = f, .whole = t->root.total };

	d.height = TOP + BOTTOM + (t->depth + 1) * ROW;
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		"width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"data-left=\"%d\" data-width=\"%d\" data-char=\"%.2f\">\n<style>\n",
		WIDTH, d.height, WIDTH, d.height, LEFT, WIDTH - 2 * LEFT, CHAR);
	print_lines(f, css, ARRAY_SIZE(css));
	fputs("</style>\n", f);
	print_head(f, p, event, title);
	fputs("<g class=\"frames\">\n", f);
	draw(&d, &t->root, 0, 0);
	fprintf(f, "</g>\n<g class=\"head\">\n<text id=\"details\" x=\"%d\" y=\"%d\">", LEFT,
		d.height - 14);
	if (d.left_out)
		fprintf(f, "%u frames narrower than %g pixels and those above them are left out",
			d.left_out, MIN_WIDTH);
	fprintf(f,
		"</text>\n<text id=\"matched\" x=\"%d\" y=\"%d\" text-anchor=\"end\"></text>\n</g>\n",
		WIDTH - LEFT, d.height - 14);
	fputs("<script><![CDATA[\n", f);
	print_lines(f, js, ARRAY_SIZE(js));
	fputs("]]></script>\n</svg>\n", f);
}
