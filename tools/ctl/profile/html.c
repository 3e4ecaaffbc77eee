// SPDX-License-Identifier: GPL-2.0
/*
 * A report as one page for a browser: the heading, metrics, functions, flame graphs, timeline
 *
 * Nothing is loaded from elsewhere. Foreign names are only in texts and attributes, where
 * print_xml() makes them harmless, never in a script.
 */
#include <stdio.h>

#include "profile/curves.h"
#include "profile/lanes.h"
#include "profile/page.h"

static const char * const css[] = {
#include "profile/html.css.inc"
};

static const char * const js[] = {
#include "profile/html.js.inc"
};

static const char * const slices_js[] = {
#include "profile/slices.js.inc"
};

static void print_style(FILE *f)
{
	fputs("<style>\n", f);
	print_lines(f, css, ARRAY_SIZE(css));
	flamegraph_style(f);
	timeline_style(f);
	fputs("</style>\n", f);
}

static void print_scripts(const struct page *page, FILE *f)
{
	fputs("<script>\n", f);
	flamegraph_script(f);
	fputs("</script>\n<script>\n", f);
	timeline_script(f);
	fputs("</script>\n<script>\n", f);
	print_lines(f, js, ARRAY_SIZE(js));
	fputs("</script>\n", f);
	if (!page->slices)
		return;
	fputs("<script>\n", f);
	print_lines(f, slices_js, ARRAY_SIZE(slices_js));
	fputs("</script>\n", f);
}

static void print_head(const struct page *page, FILE *f)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	      f);
	print_xml(f, page->title);
	fputs("</title>\n", f);
	print_style(f);
	fputs("</head>\n", f);
}

static void heading_line(void *ctx, const char *what, const char *text)
{
	FILE *f = ctx;

	fprintf(f, "<dt>%s</dt><dd>", what);
	print_xml(f, text);
	fputs("</dd>\n", f);
}

static void print_heading(const struct page *page, FILE *f)
{
	unsigned int i;
	char text[256];

	fputs("<header>\n<h1>", f);
	print_xml(f, page->title);
	fputs("</h1>\n<dl>\n", f);
	profile_heading_lines(page->p, heading_line, f);
	for (i = 0; i < page->p->file.nr_events; i++) {
		profile_missing(page->p, i, text, sizeof(text));
		if (*text && profile_wants(page->p, i))
			heading_line(f, "missing",
				     intern_format("%s: %s", page->p->file.events[i].name, text));
	}
	fputs("</dl>\n</header>\n", f);
}

static void print_bar(FILE *f)
{
	fputs("<nav>\n<a href=\"#metrics\">metrics</a>\n<a href=\"#functions\">functions</a>\n", f);
	fputs("<a href=\"#flamegraph\">flame graph</a>\n<a href=\"#timeline\">timeline</a>\n"
	      "<input type=\"search\" placeholder=\"search (/)\" aria-label=\"search for a name, a regular expression\">\n"
	      "<span class=\"chosen\" hidden></span>\n</nav>\n", f);
}

static void print_flamegraphs(const struct page *page, FILE *f)
{
	const struct profile *p = page->p;
	struct flamegraph graph = { .p = p, .slices = page->slices };
	unsigned int i;

	fputs("<section id=\"flamegraph\">\n<h2>Flame graph</h2>\n", f);
	if (!p->file.chains)
		fputs("<p>The recording has no call chains: record with -g.</p>\n", f);
	for (i = 0; p->file.chains && i < p->file.nr_events; i++) {
		if (!p->nr[i])
			continue;
		graph.event = i;
		graph.stacks = &page->stacks[i];
		fputs("<h3>", f);
		print_xml(f, p->file.events[i].name);
		fputs("</h3>\n<div class=\"graph\">\n", f);
		flamegraph_buttons(f);
		flamegraph_write(&graph, f);
		fputs("</div>\n", f);
	}
	fputs("</section>\n", f);
}

static void print_timeline(const struct page *page, FILE *f)
{
	const int lanes = lanes_last(page->timeline->lanes) > 0;

	fprintf(f, "<section id=\"timeline\" data-slice=\"%llu\">\n<h2>Timeline</h2>\n<p>%s</p>\n",
		page->slice,
		!page->timeline->nr && !lanes ? "There are no samples." :
		page->timeline->by_time ? "Counts, from time samples." :
					  "From event samples: each counts with its whole period.");
	if (page->slices && (page->timeline->nr || lanes))
		fputs("<p class=\"part\">Drag over a part, and functions and flame graphs are of "
		      "it alone: <label>from <input type=\"number\" step=\"any\" min=\"0\"></label> "
		      "<label>to <input type=\"number\" step=\"any\" min=\"0\"></label> s "
		      "<button type=\"button\">whole time</button></p>\n", f);
	fputs("<div>\n", f);
	if (page->timeline->nr || lanes)
		timeline_svg(page->timeline, page->p, f, 1);
	fputs("</div>\n</section>\n", f);
}

void page_write(const struct page *page, FILE *f)
{
	print_head(page, f);
	fputs("<body>\n", f);
	print_heading(page, f);
	print_bar(f);
	fputs("<main>\n", f);
	page_metrics(page, f);
	page_functions(page, f);
	print_flamegraphs(page, f);
	print_timeline(page, f);
	fputs("</main>\n", f);
	print_scripts(page, f);
	fputs("</body>\n</html>\n", f);
}
