// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of stat --per-thread
 *
 * The first row is the sum of threads without a row of their own. An ended thread keeps its row,
 * because the module keeps its counts and lists ended threads in the order in which they ended. If
 * the number of a thread that was not kept is used again, sums.c notices it.
 */
#include <stdlib.h>
#include <string.h>

#include "stat/counting.h"

#define FREE	0	/* the thread id of a free row */

int stat_tasks_init(struct counting *c)
{
	c->tasks = calloc(c->nr_rows, sizeof(*c->tasks));
	c->ended_rows = calloc(c->nr_parts, sizeof(*c->ended_rows));
	return c->tasks && c->ended_rows ? 0 : complain("out of memory");
}

void stat_tasks_free(struct counting *c)
{
	free(c->tasks);
	free(c->ended_rows);
}

const struct knc_pmu_thread *task_record(const struct counting *c, unsigned int i,
					 unsigned int k, const char **name)
{
	const struct kncpmu_part *part = &c->parts[i];

	return kncpmu_named_record(c->records, part->nr_groups > 1 ? KNC_PMU_SET_SIZE(part->nr) :
				   KNC_PMU_THREAD_SIZE(part->nr), k, name);
}

/* The row of thread @tid; 0: it has none, or it has ended and kept its row */
static unsigned int find_row(const struct counting *c, unsigned int tid)
{
	unsigned int n;

	for (n = 1; n < c->nr_rows; n++) {
		if (c->row_id[n] == tid && !c->tasks[n].ended)
			return n;
	}
	return 0;
}

/* Find the row of @tid, or give it a free one; 0: no row is free */
static unsigned int take_row(struct counting *c, unsigned int tid)
{
	unsigned int n = find_row(c, tid);

	if (n)
		return n;
	for (n = 1; n < c->nr_rows && c->row_id[n] != FREE; n++)
		;
	if (n == c->nr_rows)
		return 0;
	c->row_id[n] = tid;
	return n;
}

static void name_row(struct counting *c, unsigned int n, const char *name)
{
	if (n)
		kncpmu_clean(name, strlen(name), c->tasks[n].name, sizeof(c->tasks[n].name));
}

/* The row of the @k-th thread that ended in part @i */
static unsigned int ended_row(struct counting *c, unsigned int i, unsigned int k,
			      unsigned int tid, const char *name)
{
	struct ended_rows *ended = &c->ended_rows[i];
	unsigned int n;

	if (k < ended->nr)
		return ended->row[k];
	n = c->nr_ended < KNC_PMU_MAX_KEPT ? take_row(c, tid) : 0;
	name_row(c, n, name);
	if (n) {
		c->tasks[n].ended = 1;
		c->nr_ended++;
	}
	ended->row[ended->nr++] = n;
	return n;
}

int too_many_tasks(void)
{
	return complain("more than %d threads at a time: leave --per-thread out", MAX_TASKS - 1);
}

/* Take ended threads first: a new thread with an ended one's number must not get its row */
int stat_tasks_rows(struct counting *c, unsigned int i, unsigned int nr, unsigned int *rows)
{
	const struct knc_pmu_thread *record;
	unsigned int k, present, ended = 0;
	const char *name;

	for (k = 0; k + 1 < nr; k++) {
		record = task_record(c, i, k, &name);
		if (record->flags & KNC_PMU_THREAD_ENDED)
			rows[k] = ended_row(c, i, ended++, record->cpu, name);
	}
	present = nr - 1 - ended;
	if (present >= MAX_TASKS)
		return too_many_tasks();
	for (k = 0; k < present; k++) {
		record = task_record(c, i, k, &name);
		rows[k] = take_row(c, record->cpu);
		name_row(c, rows[k], name);
	}
	rows[nr - 1] = 0;
	return 0;
}

/* Free the rows of threads that are in neither of the last two readings */
void stat_tasks_forget(struct counting *c, const struct count *now, const struct count *before)
{
	unsigned int n;

	for (n = 1; n < c->nr_rows; n++) {
		if (!now[n].followed && !before[n].followed)
			c->row_id[n] = FREE;
	}
}
