// SPDX-License-Identifier: GPL-2.0
/* timeline: prints the counts, or the levels, as CSV */
#include <stdio.h>

#include "cli/csv.h"
#include "profile/curves.h"

static void level_csv(const struct timeline *t, FILE *f)
{
	const struct level_readings *r;
	const struct bin *b;
	size_t i;

	fputs("start_s,end_s,cpu,level,least,mean,most,readings,missing\n", f);
	for (i = 0; i < t->nr; i++) {
		b = &t->bins[i];
		r = &b->readings;
		fprintf(f, "%.9f,%.9f,%u,", b->start / 1e9, b->end / 1e9, b->cpu);
		csv_text(f, ",", t->level);
		if (r->nr)
			fprintf(f, ",%llu,%.0f,%llu", r->least, b->count, r->most);
		else
			fputs(",,,", f);
		fprintf(f, ",%u,%u\n", r->nr, r->missing);
	}
}

void timeline_csv(const struct timeline *t, const struct profile *p, FILE *f)
{
	const struct bin *b;
	size_t i;

	if (t->level) {
		level_csv(t, f);
		return;
	}
	fprintf(f, "start_s,end_s,cpu,event,count,per_second%s\n", p->file.merged ? ",rank" : "");
	for (i = 0; i < t->nr; i++) {
		b = &t->bins[i];
		fprintf(f, "%.9f,%.9f,%u,", b->start / 1e9, b->end / 1e9, data_cpu(b->cpu));
		csv_text(f, ",", p->file.events[b->event].name);
		fprintf(f, ",%.0f,%.0f", b->count, b->count / (b->end - b->start) * 1e9);
		if (p->file.merged)
			fprintf(f, ",%lld", data_rank_of(&p->file, b->cpu));
		fputc('\n', f);
	}
}
