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

/* CONFIG allocates all memory: the probe of exit holds a spinlock, and must not fail */
struct knc_ended *knc_ended_alloc(const struct knc_groups *groups)
{
	struct knc_ended *ended = kzalloc(sizeof(*ended), KNC_COMPAT_GFP_ACCOUNT);

	if (!ended)
		return NULL;
	ended->values = groups->nr_events * sizeof(u64);
	ended->running = groups->nr_groups > 1 ? ended->values : 0;
	ended->stride = sizeof(struct knc_ended_task) + ended->values + ended->running;
	ended->tasks = kvcalloc(KNC_PMU_MAX_KEPT, ended->stride, KNC_COMPAT_GFP_ACCOUNT);
	if (ended->tasks)
		return ended;
	kfree(ended);
	return NULL;
}

static struct knc_ended_task *knc_ended_at(const struct knc_ended *ended, unsigned int i)
{
	return ended->tasks + i * ended->stride;
}

/* Forget up to @most tasks, and @rest. Returns true if there are more tasks */
bool knc_ended_clear(struct knc_ended *ended, unsigned int most)
{
	while (ended->nr && most--)
		put_pid(knc_ended_at(ended, --ended->nr)->pid);
	memset(&ended->rest, 0, sizeof(ended->rest));
	return ended->nr;
}

/* @ended may be NULL. */
void knc_ended_free(struct knc_ended *ended)
{
	if (!ended)
		return;
	knc_ended_clear(ended, KNC_PMU_MAX_KEPT);
	kvfree(ended->tasks);
	kfree(ended);
}

/* Keep the counts of @task, which exits. Returns false if there is no room */
bool knc_ended_add(struct knc_ended *ended, struct task_struct *task,
		   const struct knc_sum *sum, bool unread)
{
	struct knc_ended_task *k;

	if (ended->nr == KNC_PMU_MAX_KEPT)
		return false;
	k = knc_ended_at(ended, ended->nr);
	k->pid = get_pid(task_pid(task));
	/* the name may change meanwhile: its last byte is left 0, as it was allocated */
	memcpy(k->name, task->comm, sizeof(k->name) - 1);
	k->unread = unread;
	k->ticks = sum->ticks;
	memcpy(k->value, sum->value, ended->values);
	memcpy((void *)k->value + ended->values, sum->running, ended->running);
	/* READ reads it without the lock, to know how much memory to allocate */
	WRITE_ONCE(ended->nr, ended->nr + 1);
	return true;
}

/* The @i-th task; @sum: its counts, out */
struct knc_ended_task *knc_ended_get(const struct knc_ended *ended, unsigned int i,
				     struct knc_sum *sum)
{
	struct knc_ended_task *k = knc_ended_at(ended, i);

	sum->ticks = k->ticks;
	memcpy(sum->value, k->value, ended->values);
	memcpy(sum->running, (void *)k->value + ended->values, ended->running);
	return k;
}
