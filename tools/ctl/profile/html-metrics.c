// SPDX-License-Identifier: GPL-2.0
/* The metrics of a page: value, verdict and interpretation */
#include <stdio.h>

#include "metric/value.h"
#include "profile/page.h"

static void print_element(FILE *f, const char *name, const char *class, const char *text)
{
	fprintf(f, "<%s class=\"%s\">", name, class);
	print_xml(f, text);
	fprintf(f, "</%s>\n", name);
}

static const char *precision_text(enum precision precision)
{
	static const char * const texts[] = {
		[PRECISION_EXACT] = "",
		[PRECISION_ESTIMATE] = "an estimate, from samples",
		[PRECISION_ROUGH] = "a rough estimate, from few samples: record longer",
		[PRECISION_NONE] = "",
	};

	return texts[precision];
}

static void print_limit(FILE *f, const struct metric_limit *limit)
{
	fprintf(f, "<p><b class=\"%s\">%s</b> ", limit->good ? "good" : "bad",
		limit->good ? "good" : "bad");
	print_xml(f, limit->says);
	fprintf(f, "%s</p>\n", limit->unverified ? " (unverified)" : "");
}

static void print_metric(FILE *f, const struct metric *m, const struct metric_value *value)
{
	fputs("<article>\n", f);
	print_element(f, "h3", "name", m->name);
	if (value->available) {
		fprintf(f, "<p class=\"value\"><b>%.4g</b> ", value->value);
		print_xml(f, m->unit_text);
		fputs("</p>\n", f);
	} else {
		print_element(f, "p", "why", intern_format("not available: %s", value->why));
	}
	if (value->limit)
		print_limit(f, value->limit);
	print_element(f, "p", "says", intern_format("%s%s. %s", m->unverified ? "unverified: " : "",
						    m->title, m->says ? : ""));
	print_element(f, "p", "formula", m->formula);
	if (value->available && *precision_text(value->precision))
		print_element(f, "p", "precision", precision_text(value->precision));
	fputs("</article>\n", f);
}

void page_metrics(const struct page *page, FILE *f)
{
	struct metric_value value;
	struct sampled all;
	unsigned int i, nr = 0;

	sampled_all(&all, page->p);
	fputs("<section id=\"metrics\">\n<h2>Metrics</h2>\n<div class=\"metrics\">\n", f);
	for (i = 0; i < page->ms->nr_metrics; i++) {
		if (!sampled_has(page->ms, &page->ms->metrics[i], &all))
			continue;
		sampled_metric(page->ms, &page->ms->metrics[i], &all, &value);
		print_metric(f, &page->ms->metrics[i], &value);
		nr++;
	}
	fputs("</div>\n", f);
	if (nr)
		fputs("<p>What to do: <code>knc-pmuctl help METRIC</code>, advice.rst</p>\n", f);
	else
		fputs("<p>No metric is made of these events alone. For CPI record both its events: "
		      "<code>knc-pmuctl record -g -e "
		      "CPU_CLK_UNHALTED:u,INSTRUCTIONS_EXECUTED:u -- ...</code></p>\n", f);
	fputs("</section>\n", f);
}
