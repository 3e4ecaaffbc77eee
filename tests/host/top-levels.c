// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top: levels of a machine with more L3s than a table has columns */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define kncpmu_read	read_l3s
#include "../../tools/ctl/cli/level.c"
#include "../../tools/ctl/top/levels.c"

#define L3S	40

static int failed;

static void test(const char *name, int passed, unsigned long long got)
{
	if (passed)
		printf("ok top-levels.%s\n", name);
	else
		printf("not ok top-levels.%s: it is %llu\n", name, got);
	failed |= !passed;
}

/* The L3 of CPU 2 * i has @fd * (i + 1) bytes */
int read_l3s(int fd, void *buffer, size_t size, unsigned int flags)
{
	struct knc_pmu_thread *record;
	unsigned int i;

	(void)flags;
	if (size < L3S * KNC_PMU_THREAD_SIZE(1))
		return -ENOSPC;
	memset(buffer, 0, L3S * KNC_PMU_THREAD_SIZE(1));
	for (i = 0; i < L3S; i++) {
		record = (void *)((char *)buffer + i * KNC_PMU_THREAD_SIZE(1));
		record->cpu = 2 * i;
		record->value[0] = fd * (i + 1);
	}
	return L3S;
}

int top_fail(struct kncpmu_error *err, enum kncpmu_op op, int error,
	     const struct knc_pmu_config *config, const struct knc_pmu_event *events)
{
	(void)err;
	(void)op;
	(void)error;
	(void)config;
	(void)events;
	return -1;
}

/* Read two rows, of which the second has twice the bytes of the first */
static void read_both(struct top *t, enum top_mode mode, struct top_row *rows)
{
	struct level_readings readings = { 0 };
	unsigned int i, nr;

	memset(t, 0, sizeof(*t));
	t->mode = mode;
	top_level_set(&t->set, kncpmu_levels(&nr));
	t->level.pmu.size = 1000;
	t->rows = rows;
	t->nr_rows = 2;
	memset(rows, 0, 2 * sizeof(*rows));
	for (i = 0; i < 2; i++)
		test(mode == TOP_TASKS ? "task.read" : "thread.read",
		     !top_level_read(t, i + 1, &readings, &rows[i]), i);
	top_level_total(t);
}

int main(void)
{
	static struct top t;
	struct top_row rows[2];
	unsigned int sum = L3S * (L3S + 1) / 2;

	read_both(&t, TOP_TASKS, rows);
	test("l3s", t.level.nr == L3S, t.level.nr);
	test("columns", t.set.nr == KNC_PMU_MAX_SET, t.set.nr);
	test("bytes", rows[1].value[TOP_LEVEL_NOW] == 2 * sum, rows[1].value[TOP_LEVEL_NOW]);
	/* 80 of 1000 bytes */
	test("share", rows[1].value[TOP_LEVEL_SHARE] == 800, rows[1].value[TOP_LEVEL_SHARE]);
	test("first", rows[1].value[TOP_NR_LEVEL] == 2, rows[1].value[TOP_NR_LEVEL]);
	test("last", rows[1].value[KNC_PMU_MAX_SET - 1] == 2 * TOP_L3_COLUMNS,
	     rows[1].value[KNC_PMU_MAX_SET - 1]);
	test("total", t.total.value[TOP_LEVEL_NOW] == 3 * sum, t.total.value[TOP_LEVEL_NOW]);
	test("total-share", t.total.value[TOP_LEVEL_SHARE] == 1200,
	     t.total.value[TOP_LEVEL_SHARE]);
	read_both(&t, TOP_THREADS, rows);
	test("threads", t.set.nr == TOP_NR_LEVEL, t.set.nr);
	return failed;
}
