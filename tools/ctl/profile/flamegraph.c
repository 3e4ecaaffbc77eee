// SPDX-License-Identifier: GPL-2.0
/*
 * Flame graphs: a self-contained SVG file
 *
 * The width of a frame is its share of the events; callers are below. flamegraph.js has the
 * reactions to keys and mouse, flamegraph.css the style.
 */
#include <math.h>
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
#define DIFF_LEAST	0.01	/* of the largest difference: a smaller one has no colour */
#define GREY		"#e9ebee"

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
 * @old: the tree with which this one is compared; NULL: none
 * @most: the largest difference of a frame's own share to that in @old, in points
 */
struct drawing {
	FILE *f;
	unsigned long long whole;
	int height;
	unsigned int left_out;
	const struct calltree *old;
	double most;
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
		fputs(label ? "#d7dbe0" : GREY, f);
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

/* The child of a node of another tree that has the name of @node, or NULL */
static const struct node *same_child(const struct node *parent, const struct node *node)
{
	const struct label *label = node->key.label;
	const struct node *child;

	for (child = parent ? parent->child : NULL; child; child = child->next) {
		if (child->key.label->key.text == label->key.text &&
		    child->key.label->key.kernel == label->key.kernel &&
		    child->key.label->key.thread == label->key.thread)
			return child;
	}
	return NULL;
}

/* Points of per cent that a frame itself has more than in the other tree; @old: NULL: not there */
static double own_points(const struct drawing *d, const struct node *node,
			 const struct node *old)
{
	return percent(node->self, d->whole) -
	       (old ? percent(old->self, d->old->root.total) : 0);
}

static double most_points(const struct drawing *d, const struct node *node,
			  const struct node *old)
{
	double most = fabs(own_points(d, node, old)), points;
	const struct node *child;

	for (child = node->child; child; child = child->next) {
		points = most_points(d, child, same_child(old, child));
		if (points > most)
			most = points;
	}
	return most;
}

/* Grey: the same; the redder, the more it grew, the bluer, the more it shrank */
static void print_diff_colour(const struct drawing *d, const struct node *node,
			      const struct node *old)
{
	double part = d->most > 0 ? own_points(d, node, old) / d->most : 0;
	int light = 235 - (int)(140 * fabs(part));

	if (fabs(part) < DIFF_LEAST)
		fputs(GREY, d->f);
	else if (part > 0)
		fprintf(d->f, "#ff%02x%02x", light, light);
	else
		fprintf(d->f, "#%02x%02xff", light, light);
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

static void print_events(const struct drawing *d, const struct node *node,
			 const struct node *old)
{
	const struct label *label = node->key.label;

	fprintf(d->f, " (%llu events, %.2f%%%s", node->total, percent(node->total, d->whole),
		label && label->key.kernel ? ", kernel" : "");
	if (d->old)
		fprintf(d->f, ", before %.2f%%; itself %+.2f points",
			old ? percent(old->total, d->old->root.total) : 0,
			own_points(d, node, old));
	fputs(")</title>", d->f);
}

/* @old: the same frame of the other tree; NULL: there is none */
static void print_frame(struct drawing *d, const struct node *node,
			const struct node *old, unsigned long long left, int row)
{
	const struct label *label = node->key.label;
	const char *name = label ? label->key.text : "all";
	double scale = d->whole ? (double)(WIDTH - 2 * LEFT) / d->whole : 0;
	double x = LEFT + left * scale, width = node->total * scale;
	int y = d->height - BOTTOM - (row + 1) * ROW;

	fprintf(d->f, "<g data-x=\"%llu\" data-w=\"%llu\" data-r=\"%d\"><title>", left,
		node->total, row);
	print_xml(d->f, name);
	print_events(d, node, old);
	fprintf(d->f, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"",
		x, y, width > 4 ? width - GAP : width, ROW - 1);
	if (d->old)
		print_diff_colour(d, node, old);
	else
		print_colour(d->f, label);
	fputs("\"/>", d->f);
	print_text(d->f, name, x, y, width);
	fputs("</g>\n", d->f);
}

static void draw(struct drawing *d, const struct node *node, const struct node *old,
		 unsigned long long left, int row)
{
	const struct node *child;

	if (row && node->total * (double)(WIDTH - 2 * LEFT) < MIN_WIDTH * d->whole) {
		d->left_out++;
		return;
	}
	print_frame(d, node, old, left, row);
	for (child = node->child; child; child = child->next) {
		draw(d, child, same_child(old, child), left, row + 1);
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

static void print_keys(const struct drawing *d)
{
	fputs("<g id=\"right\">\n<g id=\"key\">\n", d->f);
	print_key(d->f, WIDTH - 172, d->old ? "#ff5f5f" : "#f9b76a", d->old ? "grew" : "user");
	print_key(d->f, WIDTH - 94, d->old ? "#5f5fff" : "#9ccaf4", d->old ? "shrank" : "kernel");
	fputs("</g>\n", d->f);
}

static void print_head(const struct drawing *d, const struct profile *p, unsigned int event,
		       const char *title)
{
	FILE *f = d->f;
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
	print_keys(d);
	fprintf(f, "<text class=\"button\" id=\"search\" x=\"%d\" y=\"28\">search (/)</text>\n"
		"<text class=\"button hidden\" id=\"reset\" x=\"%d\" y=\"28\">reset zoom (Esc)</text>\n",
		WIDTH - 94, WIDTH - 230);
	fputs("</g>\n</g>\n", f);
}

void flamegraph_write_diff(const struct profile *p, const struct calltree *old,
			   struct calltree *t, unsigned int event, const char *title,
			   FILE *f)
{
	const struct node *old_root = old ? &old->root : NULL;
	struct drawing d = { .f = f, .whole = t->root.total, .old = old };

	if (old)
		d.most = most_points(&d, &t->root, old_root);
	d.height = TOP + BOTTOM + (t->depth + 1) * ROW;
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		"width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"data-left=\"%d\" data-width=\"%d\" data-char=\"%.2f\">\n<style>\n",
		WIDTH, d.height, WIDTH, d.height, LEFT, WIDTH - 2 * LEFT, CHAR);
	print_lines(f, css, ARRAY_SIZE(css));
	fputs("</style>\n", f);
	print_head(&d, p, event, title);
	fputs("<g class=\"frames\">\n", f);
	draw(&d, &t->root, old_root, 0, 0);
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

void flamegraph_write(const struct profile *p, struct calltree *t,
		      unsigned int event, const char *title, FILE *f)
{
	flamegraph_write_diff(p, NULL, t, event, title, f);
}
