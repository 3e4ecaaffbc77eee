// SPDX-License-Identifier: GPL-2.0
/*
 * A command's walk over all targets of a session. A session may have tens of thousands, and
 * forks and exits of other sessions' tasks wait for knc_tasks_lock: it is held for
 * KNC_TASKS_HOLD targets at a time
 *
 * In between, tasks end, and new ones are followed. New targets are at the end of the list, and
 * the walk does not visit them: it ends however many there are.
 */
#include <linux/list.h>

#include "task/target.h"
#include "task/task.h"

/**
 * knc_walk_begin() - begin a walk
 * @f: the session
 * @sum: the counts of tasks that end before the walk has visited them are added to it; may be NULL
 * @apart: not of tasks that are kept: these are marked @unread
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

/* Is there a walk that has not visited @target yet, and will? */
bool knc_walk_awaits(const struct knc_target *target)
{
	const struct knc_follow *f = target->follow;
	const struct knc_target *next = knc_walk_next(f);

	return next && next->serial <= target->serial && target->serial <= f->walk.last;
}

/* @target leaves the list */
void knc_walk_leave(struct knc_target *target)
{
	struct knc_walk *walk = &target->follow->walk;

	if (walk->next == &target->node)
		walk->next = target->node.next;
}
