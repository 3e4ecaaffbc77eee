// SPDX-License-Identifier: GPL-2.0
/*
 * The counts, numbers and names of tasks that have ended, with KNC_PMU_CONFIG_KEEP
 */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "task/target.h"
#include "task/task.h"

/* All memory is taken at CONFIG: an exit must not fail, and has a spinlock */
struct knc_kept *knc_kept_alloc(const struct knc_groups *groups)
{
	struct knc_kept *kept = kzalloc(sizeof(*kept), KNC_COMPAT_GFP_ACCOUNT);

	if (!kept)
		return NULL;
	kept->values = groups->nr_events * sizeof(u64);
	kept->running = groups->nr_groups > 1 ? kept->values : 0;
	kept->stride = sizeof(struct knc_kept_task) + kept->values + kept->running;
	kept->tasks = kvcalloc(KNC_PMU_MAX_KEPT, kept->stride, KNC_COMPAT_GFP_ACCOUNT);
	if (kept->tasks)
		return kept;
	kfree(kept);
	return NULL;
}

static struct knc_kept_task *knc_kept_at(const struct knc_kept *kept, unsigned int i)
{
	return kept->tasks + i * kept->stride;
}

/* Forget @most tasks, and the sum of the rest. Are there more? */
bool knc_kept_clear(struct knc_kept *kept, unsigned int most)
{
	while (kept->nr && most--)
		put_pid(knc_kept_at(kept, --kept->nr)->pid);
	memset(&kept->rest, 0, sizeof(kept->rest));
	return kept->nr;
}

/* @kept may be NULL. */
void knc_kept_free(struct knc_kept *kept)
{
	if (!kept)
		return;
	knc_kept_clear(kept, KNC_PMU_MAX_KEPT);
	kvfree(kept->tasks);
	kfree(kept);
}

/* @task, which exits, has these counts. @unread: see its struct. False: there is no room */
bool knc_kept_add(struct knc_kept *kept, struct task_struct *task,
		  const struct knc_sum *sum, bool unread)
{
	struct knc_kept_task *k;

	if (kept->nr == KNC_PMU_MAX_KEPT)
		return false;
	k = knc_kept_at(kept, kept->nr);
	k->pid = get_pid(task_pid(task));
	/* others may be changing it: the last byte stays 0, as allocated */
	memcpy(k->name, task->comm, sizeof(k->name) - 1);
	k->unread = unread;
	k->ticks = sum->ticks;
	memcpy(k->value, sum->value, kept->values);
	memcpy((void *)k->value + kept->values, sum->running, kept->running);
	/* READ looks at it without the lock, to know how much memory it takes */
	WRITE_ONCE(kept->nr, kept->nr + 1);
	return true;
}

/* The @i-th task; @sum: its counts, out */
struct knc_kept_task *knc_kept_get(const struct knc_kept *kept, unsigned int i,
				   struct knc_sum *sum)
{
	struct knc_kept_task *k = knc_kept_at(kept, i);

	sum->ticks = k->ticks;
	memcpy(sum->value, k->value, kept->values);
	memcpy(sum->running, (void *)k->value + kept->values, kept->running);
	return k;
}
