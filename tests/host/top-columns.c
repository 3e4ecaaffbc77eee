// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: the columns that a width has room for */
#include <stdio.h>
#include <string.h>

#include "../../tools/ctl/top/columns.c"

static int failed;

static struct kncpmu_pmu pmu;

static void test(const char *name, int passed, const char *why)
{
	if (passed)
		printf("ok top.%s\n", name);
	else
		printf("not ok top.%s: %s\n", name, why);
	failed |= !passed;
}

static const char * const data[] = {
	"INSTRUCTIONS_EXECUTED", "CPU_CLK_UNHALTED", "DATA_READ_OR_WRITE",
	"DATA_READ_MISS_OR_WRITE_MISS", NULL
};

static const char * const l2[] = {
	"INSTRUCTIONS_EXECUTED", "CPU_CLK_UNHALTED", "L2_DATA_READ_MISS_CACHE_FILL",
	"L2_DATA_READ_MISS_MEM_FILL", NULL
};

static const char * const level[] = {
	"BYTES", "%L3", "LEAST", "MEAN", "MOST", "L3:CPU0", "L3:CPU2", NULL
};

static void make(struct top *t, enum top_mode mode, const char * const *names)
{
	struct kncpmu_error err;
	unsigned int i;

	memset(t, 0, sizeof(*t));
	kncpmu_pmu_get(-1, "knc", &pmu);
	t->card.pmu = &pmu;
	t->mode = mode;
	t->set.instructions = 0;
	t->set.cycles = 1;
	for (i = 0; names[i]; i++) {
		snprintf(t->set.items[i].name, sizeof(t->set.items[i].name), "%s", names[i]);
		if (kncpmu_spec_parse(&pmu, names[i], &t->set.events[i], &err))
			test("events", 0, err.text);
		t->set.nr++;
	}
}

/* Make a level's columns, which are not events and whose titles are not names of events */
static void make_level(struct top *t, enum top_mode mode, const char * const *names)
{
	static const char * const none[] = { NULL };
	unsigned int nr;

	make(t, mode, none);
	t->set.level = kncpmu_levels(&nr);
	t->set.instructions = -1;
	t->set.cycles = -1;
	for (; names[t->set.nr]; t->set.nr++)
		snprintf(t->set.items[t->set.nr].name, KNCPMU_SPEC_LEN, "%s",
			 names[t->set.nr]);
	t->sort = TOP_NR_FIXED;
}

/* Do the lines of a heading together have the whole heading? */
static int is_whole(const struct top *t, const struct top_columns *l, unsigned int column)
{
	char text[TOP_HEADING], all[TOP_HEADING] = "", want[TOP_HEADING];
	unsigned int n;

	for (n = 0; n < l->nr_lines; n++) {
		top_heading(t, l, column, n, text, sizeof(text));
		if (strlen(text) > l->width[column])
			return 0;
		strcat(all, text);
	}
	heading_text(t, column, want, sizeof(want));
	return !strcmp(all, want);
}

/* At every width nothing is cut off or outside, and columns that are left out are listed */
static void check_widths(const char *name, const struct top *t)
{
	unsigned int width, i, shown, there;
	char why[64] = "", text[512];
	struct top_columns l;

	for (width = 30; width < 200; width++) {
		top_place(t, width, &l);
		shown = 0;
		there = 0;
		for (i = 0; i < top_nr_columns(t); i++) {
			there += top_has_column(t, i);
			shown += !!l.width[i];
			if (l.width[i] && (!is_whole(t, &l, i) || l.first[i] + l.width[i] > width))
				sprintf(why, "column %u of %u", i, width);
		}
		if (shown + top_left_out(t, &l, text, sizeof(text)) != there)
			sprintf(why, "%u of %u are shown in %u, left out: %.10s", shown, there,
				width, text);
		if (width >= 40 && (!l.width[TOP_COLUMN_ID] || !l.width[t->sort] ||
				    !l.width[t->set.cycles < 0 ? TOP_NR_FIXED : TOP_NR_FIXED + 2]))
			sprintf(why, "the main columns in %u", width);
	}
	test(name, !why[0], why);
}

static void check(const char *name, const struct top *t, unsigned int width, unsigned int lines,
		  const char *left_out)
{
	char text[512], why[600];
	struct top_columns l;

	top_place(t, width, &l);
	top_left_out(t, &l, text, sizeof(text));
	snprintf(why, sizeof(why), "%u lines, left out: %s", l.nr_lines, text);
	test(name, l.nr_lines == lines && !strcmp(text, left_out), why);
}

int main(void)
{
	struct top t;

	make(&t, TOP_THREADS, data);
	check_widths("widths.threads", &t);
	check("threads.batch", &t, 0, 1, "");
	check("threads.wide", &t, 160, 1, "");
	check("threads.80", &t, 80, 3, "");
	check("threads.40", &t, 40, 2,
	      "INSTRUCTIONS_EXECUTED, CPU_CLK_UNHALTED, DATA_READ_MISS_OR_WRITE_MISS");
	t.sort = TOP_NR_FIXED + 3;
	check_widths("widths.sorted", &t);
	make(&t, TOP_TASKS, l2);
	check_widths("widths.tasks", &t);
	check("tasks.80", &t, 80, 3, "CPU_CLK_UNHALTED");
	check("tasks.40", &t, 40, 5,
	      "CPI, INSTRUCTIONS_EXECUTED, CPU_CLK_UNHALTED, L2_DATA_READ_MISS_MEM_FILL");
	t.set.cycles = -1;
	check_widths("widths.no-cpi", &t);
	make_level(&t, TOP_TASKS, level);
	check_widths("widths.level", &t);
	check("level.80", &t, 80, 1, "L3:CPU0, L3:CPU2");
	check("level.batch", &t, 0, 1, "");
	return failed;
}
