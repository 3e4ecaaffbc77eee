// SPDX-License-Identifier: GPL-2.0
/* timeline: the counts as CSV */
#include <stdio.h>
#include <string.h>

#include "profile/bins.h"

/* Print a field of CSV, quoted if it has a comma or a quote (RFC 4180) */
static void print_csv(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++)
		fprintf(f, "%s%c", *text == '"' ? "\"" : "", *text);
	fputc('"', f);
}

void timeline_csv(const struct timeline *t, const struct profile *p, FILE *f)
{
	const struct bin *b;
	size_t i;

	fputs("start_s,end_s,cpu,event,count,per_second\n", f);
	for (i = 0; i < t->nr; i++) {
		b = &t->bins[i];
		fprintf(f, "%.9f,%.9f,%u,", b->start / 1e9, b->end / 1e9, b->cpu);
		print_csv(f, p->file.events[b->event].name);
		fprintf(f, ",%.0f,%.0f\n", b->count, b->count / (b->end - b->start) * 1e9);
	}
}
