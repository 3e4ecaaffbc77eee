// SPDX-License-Identifier: GPL-2.0
/*
 * A command's walk over all targets of a session
 *
 * A session may have tens of thousands of targets, and forks and exits wait for knc_tasks_lock:
 * the walk releases this lock after each KNC_TASKS_HOLD targets. Meanwhile tasks may end, and new
 * ones may be followed. New targets are added at the end of the list, and the walk does not visit
 * them: it ends even if tasks are created without end.
 */
#include <linux/list.h>

#include "task/target.h"
#include "task/task.h"

/**
 * knc_walk_begin() - begin a walk
 * @f: the session
 * @sum: receives the counts of tasks that end before the walk has visited them; may be NULL
 * @apart: leave tasks out of @sum that struct knc_ended keeps: these are marked @unread
 */
void knc_walk_begin(struct knc_follow *f, struct knc_sum *sum, bool apart)
{
	f->walk.next = f->targets.next;
	f->walk.last = f->serial;
	f->walk.sum = sum;
	f->walk.apart = apart;
}

void knc_walk_end(struct knc_follow *f)
{
	f->walk.next = NULL;
}

/* Will the present walk still visit @target? */
bool knc_walk_awaits(const struct knc_target *target)
{
	const struct knc_follow *f = target->follow;
	const struct knc_target *next = knc_walk_next(f);

	return next && next->serial <= target->serial && target->serial <= f->walk.last;
}

/* @target is about to leave the list: the walk must not stop at it */
void knc_walk_leave(struct knc_target *target)
{
	struct knc_walk *walk = &target->follow->walk;

	if (walk->next == &target->node)
		walk->next = target->node.next;
}
