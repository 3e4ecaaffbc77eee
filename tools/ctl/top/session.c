// SPDX-License-Identifier: GPL-2.0
/* The sessions of the present mode and set, across refreshes */
#include <stdlib.h>
#include <string.h>

#include "top/display.h"
#include "top/rows.h"

void top_close(struct top *t)
{
	top_threads_close(t);
	top_tasks_close(t);
}

int top_open(struct top *t, struct kncpmu_error *err)
{
	int ret;

	top_close(t);
	t->user_only = 0;
	top_get_set(t, t->set_index, &t->set);
	ret = t->set.level ? top_level_prepare(t, err) : 0;
	if (!ret)
		ret = t->mode == TOP_THREADS ? top_threads_open(t, err) : top_tasks_open(t, err);
	if (ret)
		top_close(t);
	t->opened++;
	return ret;
}

static void clear_rows(struct top *t)
{
	free(t->rows);
	t->rows = NULL;
	t->nr_rows = 0;
	memset(&t->total, 0, sizeof(t->total));
}

/* Have hardware threads come or gone since the sessions were opened? */
static int is_outdated(const struct top *t)
{
	struct kncpmu_cpus online;

	return t->mode == TOP_THREADS && !t->have_cpus && !kncpmu_cpus_online(&online) &&
	       memcmp(&online, &t->cpus, sizeof(online));
}

int top_refresh(struct top *t, struct kncpmu_error *err)
{
	int ret;

	if (!t->threads && !t->tasks) {
		/* go_back() left no sessions, therefore try again */
		ret = top_open(t, err);
	} else if (t->mode == TOP_TASKS) {
		ret = top_tasks_read(t, err);
	} else {
		ret = top_threads_read(t, err);
		if (!ret && is_outdated(t))
			ret = top_open(t, err);
	}
	top_sort(t);
	return ret;
}

/*
 * Return to the old mode and set, which were countable before. If that fails now, no sessions are
 * left, and the next refresh tries again.
 */
static void go_back(struct top *t, enum top_mode mode, unsigned int set_index)
{
	struct kncpmu_error again;

	t->mode = mode;
	t->set_index = set_index;
	if (top_open(t, &again))
		t->message = again;
}

void top_change_mode(struct top *t)
{
	enum top_mode old = t->mode;

	clear_rows(t);
	t->mode = old == TOP_THREADS ? TOP_TASKS : TOP_THREADS;
	t->reverse = 0;
	if (top_open(t, &t->message))
		go_back(t, old, t->set_index);
	t->sort = top_first_sort(t);
}

void top_change_set(struct top *t, const struct top_set *chosen)
{
	const struct kncpmu_level *level = t->set.level;
	struct top_set old_chosen = t->chosen;
	unsigned int old = t->set_index;
	int own = t->own;

	clear_rows(t);
	if (chosen) {
		t->chosen = *chosen;
		t->own = 1;
		t->set_index = 0;
	} else {
		t->set_index = (old + 1) % top_nr_sets(t);
	}
	if (!top_open(t, &t->message)) {
		/* levels and events have different columns, therefore choose a new sort column */
		if (t->set.level != level)
			t->sort = top_first_sort(t);
		return;
	}
	t->chosen = old_chosen;
	t->own = own;
	go_back(t, t->mode, old);
}
