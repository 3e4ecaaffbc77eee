// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the table of tasks: its size depends on the machine's memory
 */
#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/spinlock.h>

#include "compat/compat.h"
#include "task/target.h"
#include "task/task.h"

/* Memory per thread at the kernel's default limit of threads: a bucket then has about one task */
#define KNC_BYTES_PER_THREAD	(8 * THREAD_SIZE)

/* Used before knc_tasks_init(), and if that gets no memory for a larger one */
static struct hlist_head knc_tasks_least[1 << KNC_TASKS_LEAST];

struct hlist_head *knc_tasks __read_mostly = knc_tasks_least;
unsigned long knc_tasks_mask __read_mostly = ARRAY_SIZE(knc_tasks_least) - 1;
DEFINE_SPINLOCK(knc_tasks_lock);

/**
 * knc_tasks_bits() - how many buckets the table has, as a power of two
 * @bytes: the machine's memory
 *
 * Return: the logarithm of their number.
 */
unsigned int knc_tasks_bits(u64 bytes)
{
	return clamp_t(unsigned int, ilog2(bytes / KNC_BYTES_PER_THREAD + 1), KNC_TASKS_LEAST,
		       KNC_TASKS_BITS);
}

/* Called before any task is followed. Without memory the least table stays, which works too. */
void knc_tasks_init(void)
{
	struct hlist_head *table;
	unsigned long nr;
	struct sysinfo si;

	si_meminfo(&si);
	nr = 1UL << knc_tasks_bits((u64)si.totalram * si.mem_unit);
	table = nr > ARRAY_SIZE(knc_tasks_least) ?
		kvcalloc(nr, sizeof(*table), GFP_KERNEL | __GFP_NOWARN) : NULL;
	if (!table)
		return;
	knc_tasks = table;
	knc_tasks_mask = nr - 1;
}

/* No session is left, and no probe is registered. */
void knc_tasks_exit(void)
{
	if (knc_tasks != knc_tasks_least)
		kvfree(knc_tasks);
}

/* Under knc_tasks_lock: does @f follow @task? */
bool knc_task_has(const struct knc_follow *f,
		  const struct task_struct *task)
{
	const struct knc_task *t = knc_task_find(task);
	unsigned int n;

	if (!t)
		return false;
	for_each_counter(n)
		if (t->target[n] && t->target[n]->follow == f)
			return true;
	return false;
}
