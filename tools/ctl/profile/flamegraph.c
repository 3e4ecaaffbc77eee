// SPDX-License-Identifier: GPL-2.0
/*
 * Flame graphs: a self-contained SVG file, or a picture in a page
 *
 * The width of a frame is its share of the events. flamegraph.js draws the views other than the
 * first one, and has the reactions to keys and mouse; flamegraph.css has the style.
 */
#include <math.h>
#include <stdio.h>

#include "profile/pictures.h"
#include "profile/profile.h"
#include "profile/slices.h"

#define WIDTH		1200
#define LEFT		10
#define TOP		100	/* height above the frames, in a file of its own */
#define TOP_IN_PAGE	8	/* height above the frames, in a page */
#define BUTTONS		86	/* baseline of the buttons */
#define BOTTOM		36
#define ROW		18
#define CHAR		7.23	/* width of a character of 12px, monospaced */
#define GAP		0.7	/* gap between two frames, where there is room */
#define MIN_WIDTH	0.1	/* narrower frames are left out */
#define DIFF_LEAST	0.01	/* part of the largest difference below which a frame is grey */
#define GREY		"#e9ebee"

static const char * const css[] = {
#include "profile/flamegraph.css.inc"
};

static const char * const js[] = {
#include "profile/flamegraph.js.inc"
};

static const char * const view_names[NR_VIEWS] = {
	[VIEW_CALLS] = "calls",
	[VIEW_REVERSE] = "reverse",
	[VIEW_MODULES] = "modules",
};

/* The buttons: class for flamegraph.js, position (not in a page), text, and tooltip */
static const struct {
	const char *class;
	int x;
	int y;
	const char *text;
	const char *tip;
} buttons[] = {
	{ "show-calls", LEFT, BUTTONS, "by call", "functions on their callers (v: next)" },
	{ "show-reverse", LEFT + 66, BUTTONS, "reverse",
	  "functions with samples, under their callers (v: next)" },
	{ "show-modules", LEFT + 136, BUTTONS, "by module",
	  "files instead of functions; on top the function with samples (v: next)" },
	{ "icicle", LEFT + 224, BUTTONS, "icicle", "upside down (i)" },
	{ "reset hidden", WIDTH - 230, 28, "reset zoom (Esc)", "show everything" },
	/* a page has a search field instead */
	{ "search", WIDTH - 94, 28, "search (/)", "look for a name" },
};

#define NR_BUTTONS_IN_PAGE	(ARRAY_SIZE(buttons) - 1)

/**
 * struct drawing - a view being written
 * @f: the file
 * @view: the view
 * @tree: its tree
 * @whole: sum of all events
 * @height: height of the picture
 * @left_out: number of frames that were too narrow
 * @old: the tree with which this one is compared; NULL: none
 * @most: the largest difference of a frame to that in @old (own_points())
 * @mark: before each share (profile_mark())
 * @slices: as in struct flamegraph
 */
struct drawing {
	FILE *f;
	enum view view;
	const struct calltree *tree;
	unsigned long long whole;
	int height;
	unsigned int left_out;
	const struct calltree *old;
	double most;
	const char *mark;
	const struct slices *slices;
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

/* The events to compare: the frame's own; in VIEW_REVERSE those of its path to a function */
static unsigned long long compared(const struct drawing *d, const struct node *node)
{
	return d->view == VIEW_REVERSE ? node->total : node->self;
}

/* Difference of a frame's share to the other tree, in percentage points; a new frame had 0 */
static double own_points(const struct drawing *d, const struct node *node,
			 const struct node *old)
{
	return percent(compared(d, node), d->whole) -
	       (old ? percent(compared(d, old), d->old->root.total) : 0);
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

/* Grey: the same share; the redder, the larger its growth; the bluer, the larger its decrease */
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

	fprintf(d->f, " (%llu events, %s%.2f%%%s", node->total, d->mark,
		percent(node->total, d->whole), label && label->key.kernel ? ", kernel" : "");
	if (d->old)
		fprintf(d->f, ", before %.2f%%; %s%+.2f points",
			old ? percent(old->total, d->old->root.total) : 0,
			d->view == VIEW_REVERSE ? "" : "itself ", own_points(d, node, old));
	fputs(")</title>", d->f);
}

static void print_fill(const struct drawing *d, const struct node *node,
		       const struct node *old)
{
	fprintf(d->f, "height=\"%d\" rx=\"2\" fill=\"", ROW - 1);
	if (d->old)
		print_diff_colour(d, node, old);
	else
		print_colour(d->f, node->key.label);
	fputs("\"/>", d->f);
}

/* @old: the same frame of the other tree; NULL: there is none */
static void print_frame(struct drawing *d, const struct node *node,
			const struct node *old, unsigned long long left, int row)
{
	const char *name = node->key.label ? node->key.label->key.text : "all";
	double scale = d->whole ? (double)(WIDTH - 2 * LEFT) / d->whole : 0;
	double x = LEFT + left * scale, width = node->total * scale;
	int y = d->height - BOTTOM - (row + 1) * ROW;

	fprintf(d->f, "<g data-x=\"%llu\" data-w=\"%llu\" data-r=\"%d\"", left, node->total, row);
	if (d->slices)
		slices_of_frame(d->slices, node, d->f);
	fputs("><title>", d->f);
	print_xml(d->f, name);
	print_events(d, node, old);
	fputs("<rect ", d->f);
	/* the script draws the other views */
	if (d->view == VIEW_CALLS)
		fprintf(d->f, "x=\"%.2f\" y=\"%d\" width=\"%.2f\" ", x, y,
			width > 4 ? width - GAP : width);
	print_fill(d, node, old);
	if (d->view == VIEW_CALLS)
		print_text(d->f, name, x, y, width);
	fputs("</g>\n", d->f);
}

int flamegraph_draws(const struct calltree *t, const struct node *node)
{
	return node == &t->root ||
	       node->total * (double)(WIDTH - 2 * LEFT) >= MIN_WIDTH * t->root.total;
}

static void draw(struct drawing *d, const struct node *node, const struct node *old,
		 unsigned long long left, int row)
{
	const struct node *child;

	if (!flamegraph_draws(d->tree, node)) {
		d->left_out++;
		return;
	}
	print_frame(d, node, old, left, row);
	for (child = node->child; child; child = child->next) {
		draw(d, child, same_child(old, child), left, row + 1);
		left += child->total;
	}
}

static void print_view(struct drawing *d, const struct flamegraph *g, enum view view)
{
	const struct calltree *t = &g->stacks->views[view];

	d->view = view;
	d->tree = t;
	d->whole = t->root.total;
	d->left_out = 0;
	d->old = g->old ? &g->old->views[view] : NULL;
	d->most = d->old ? most_points(d, &t->root, &d->old->root) : 0;
	fprintf(d->f, "<g class=\"frames\" data-view=\"%s\"%s>\n", view_names[view],
		view == VIEW_CALLS ? "" : " display=\"none\"");
	draw(d, &t->root, d->old ? &d->old->root : NULL, 0, 0);
	fputs("<desc>", d->f);
	if (d->left_out)
		fprintf(d->f,
			"%u frame%s narrower than %g pixels and those above them are left out",
			d->left_out, plural_of(d->left_out), MIN_WIDTH);
	fputs("</desc>\n</g>\n", d->f);
}

/* The keys of the colours, for one recording and for a comparison */
static const char * const keys[][2][2] = {
	{ { "#f9b76a", "user" }, { "#9ccaf4", "kernel" } },
	{ { "#ff5f5f", "grew" }, { "#5f5fff", "shrank" } },
};

static void print_key(FILE *f, int x, const char * const *key)
{
	fprintf(f, "<rect x=\"%d\" y=\"49\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>"
		"<text x=\"%d\" y=\"59\">%s</text>\n", x, key[0], x + 17, key[1]);
}

static void print_buttons(FILE *f, int right)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buttons); i++) {
		if (right == (buttons[i].x < WIDTH / 2))
			continue;
		fprintf(f,
			"<text class=\"button %s\" x=\"%d\" y=\"%d\">%s<title>%s</title></text>\n",
			buttons[i].class, buttons[i].x, buttons[i].y, buttons[i].text,
			buttons[i].tip);
	}
}

void flamegraph_buttons(FILE *f)
{
	unsigned int i;

	fputs("<div class=\"buttons\">\n", f);
	for (i = 0; i < NR_BUTTONS_IN_PAGE; i++)
		fprintf(f, "<button type=\"button\" class=\"%s\" title=\"%s\">%s</button>\n",
			buttons[i].class, buttons[i].tip, buttons[i].text);
	fputs("<span class=\"key\">", f);
	for (i = 0; i < ARRAY_SIZE(keys[0]); i++)
		fprintf(f, "<i style=\"background:%s\"></i>%s", keys[0][i][0], keys[0][i][1]);
	fputs("</span>\n</div>\n", f);
}

static void print_head(FILE *f, const struct flamegraph *g)
{
	const struct profile *p = g->p;
	char text[256];

	fprintf(f, "<g class=\"head\">\n<text class=\"title\" x=\"%d\" y=\"28\">", LEFT);
	print_xml(f, intern(g->title, text_prefix(g->title, 90)));
	fprintf(f, "</text>\n<text class=\"line\" x=\"%d\" y=\"48\">", LEFT);
	profile_how(p, g->event, text, sizeof(text));
	print_xml(f, p->file.events[g->event].name);
	fprintf(f, ": %llu events, %llu ", p->weight[g->event], p->nr[g->event]);
	if (profile_has_filter(p))
		fprintf(f, "of %llu ", p->all_nr[g->event]);
	fprintf(f, "samples (%s)</text>\n<text class=\"line\" x=\"%d\" y=\"64\">", text, LEFT);
	profile_missing(p, g->event, text, sizeof(text));
	fprintf(f, "%s</text>\n", *text ? text : p->file.chains ? "nothing lost" :
		"no call chains: record with -g");
	print_buttons(f, 0);
	fputs("<g class=\"right\">\n<g class=\"key\">\n", f);
	print_key(f, WIDTH - 172, keys[!!g->old][0]);
	print_key(f, WIDTH - 94, keys[!!g->old][1]);
	fputs("</g>\n", f);
	print_buttons(f, 1);
	fputs("</g>\n</g>\n", f);
}

static void print_picture(const struct flamegraph *g, FILE *f)
{
	int top = g->title ? TOP : TOP_IN_PAGE, view;
	struct drawing d = {
		.f = f,
		.mark = profile_mark(g->p, g->event),
		.slices = g->slices,
	};

	d.height = top + BOTTOM + (g->stacks->views[VIEW_CALLS].depth + 1) * ROW;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" class=\"flamegraph\" "
		"width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" data-left=\"%d\" "
		"data-top=\"%d\" data-bottom=\"%d\" data-row=\"%d\" data-char=\"%.2f\">\n",
		WIDTH, d.height, WIDTH, d.height, LEFT, top, BOTTOM, ROW, CHAR);
	if (g->title) {
		fputs("<style>\n", f);
		flamegraph_style(f);
		fputs("</style>\n", f);
		print_head(f, g);
	}
	for (view = 0; view < NR_VIEWS; view++)
		print_view(&d, g, view);
	fprintf(f, "<g class=\"foot\">\n<text class=\"details\" x=\"%d\" y=\"%d\"></text>\n"
		"<text class=\"matched\" x=\"%d\" y=\"%d\" text-anchor=\"end\"></text>\n</g>\n",
		LEFT, d.height - 14, WIDTH - LEFT, d.height - 14);
}

void flamegraph_style(FILE *f)
{
	print_lines(f, css, ARRAY_SIZE(css));
}

void flamegraph_script(FILE *f)
{
	print_lines(f, js, ARRAY_SIZE(js));
}

void flamegraph_write(const struct flamegraph *g, FILE *f)
{
	if (g->title)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", f);
	print_picture(g, f);
	if (g->title) {
		fputs("<script><![CDATA[\n", f);
		flamegraph_script(f);
		fputs("]]></script>\n", f);
	}
	fputs("</svg>\n", f);
}
