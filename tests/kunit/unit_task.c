// SPDX-License-Identifier: GPL-2.0
/* Sessions that follow tasks, with KNC_PMU_KUNIT, without the scheduler */
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include <asm/tsc.h>

#include "compat/compat.h"
#include "fakes.h"
#include "count/clock.h"
#include "count/hwthread.h"
#include "count/read.h"
#include "count/set.h"
#include "rdpmc/grants.h"
#include "task/task.h"
#include "units.h"

unsigned int knc_test_told, knc_test_told_off;

/* Called for each task; counts the calls, and those with interrupts off */
static u64 test_ticks_to_ns(u64 ticks)
{
	knc_test_told++;
	knc_test_told_off += irqs_disabled();
	return knc_clock_ticks_to_ns(ticks);
}

/* Freeing a target calls this first */
static void test_set_free(struct knc_claim *claim)
{
	fake_free();
	knc_set_free(claim);
}

unsigned int knc_test_longest, knc_test_visits, knc_test_locked_off;
static unsigned int test_steps;

static void test_step(void)
{
	test_steps++;
	knc_test_visits++;
	knc_test_longest = max(knc_test_longest, test_steps);
}

static void test_relax(void)
{
	test_steps = 0;
	fake_relax();
}

/* after all headers: only the module's own lines use it */
#undef current
#define current fake_current()
#undef kzalloc
#define kzalloc(size, gfp) fake_kzalloc(size, gfp)
#undef kvcalloc
#define kvcalloc(n, size, gfp) fake_kvcalloc(n, size, gfp)
#undef smp_mb
#define smp_mb() fake_barrier() /* the real barrier is also one */
#define on_each_cpu(fn, info, wait) fake_on_each_cpu(fn, info, wait)
#define on_each_cpu_mask(mask, fn, info, wait) \
	fake_on_each_cpu_mask(mask, fn, info, wait)
#define task_cpu(task) fake_task_cpu(task)

#undef spin_lock
#define spin_lock(lock) (test_steps = 0, raw_spin_lock(spinlock_check(lock)))
#undef spin_lock_irqsave
#define spin_lock_irqsave(lock, flags) \
	do { \
		knc_test_locked_off++; \
		raw_spin_lock_irqsave(spinlock_check(lock), flags); \
	} while (0)
#undef cond_resched
#define cond_resched() test_relax()
/* counts the tasks that a walk, or a search for threads, visits */
#define visit(task, arg) (test_step(), visit(task, arg))

#define knc_clock_ticks_to_ns(ticks) test_ticks_to_ns(ticks)
#define knc_set_free(claim) test_set_free(claim)

#include "../../src/task/page.c"
#include "../../src/task/switch.c"
#include "../../src/task/table.c"
#include "../../src/task/walk.c"
#include "../../src/task/targets.c"
#include "../../src/task/ended.c"
#include "../../src/task/rights.c"
#include "../../src/task/search.c"
/* counts the targets of loops over a session that are not walks */
#define knc_sum_add(sum, target) (test_step(), knc_sum_add(sum, target))
#define knc_target_unlink(target) (test_step(), knc_target_unlink(target))
#include "../../src/task/probes.c"
#include "../../src/task/commands.c"
#include "../../src/task/follow.c"

bool knc_test_preempts;
unsigned int knc_test_state;

/* Called on the CPU with interrupts off, as by the scheduler */
void knc_test_switch(struct task_struct *prev, struct task_struct *next)
{
	knc_task_switch(NULL, knc_test_preempts, prev, next, knc_test_state);
}

void knc_test_idle(bool exit)
{
	/* PWR_EVENT_EXIT is -1 */
	knc_task_idle(NULL, exit ? -1 : 1, smp_processor_id());
}

void knc_test_exit(struct task_struct *task)
{
	knc_task_exit(NULL, task);
}

void knc_test_fork(struct task_struct *parent, struct task_struct *child)
{
	struct task_struct *real = fake_current();

	/* the creator calls the probe */
	fake_set_current(parent);
	knc_task_create(NULL, child, 0);
	fake_set_current(real);
}

void knc_test_exec(struct task_struct *task, bool secure)
{
	struct linux_binprm bprm = { .secureexec = secure };

	knc_task_exec(NULL, task, 0, &bprm);
}

/* While @hold, the module does not register its probes with the scheduler. */
void knc_test_hold_probes(bool hold)
{
	knc_probes_exit();
	mutex_lock(&knc_probes_lock);
	knc_probes_users += hold ? 1 : -1;
	knc_probes_there = hold;
	mutex_unlock(&knc_probes_lock);
}

unsigned int knc_test_probes_users(void)
{
	return knc_probes_users;
}

bool knc_test_probes_there(void)
{
	return READ_ONCE(knc_probes_there);
}

/* Put all tasks in one bucket, as chance might. No task is followed yet. */
void knc_test_one_bucket(bool one)
{
	knc_tasks_mask = one ? 0 : ARRAY_SIZE(knc_tasks_least) - 1;
}

/* Number of followed tasks in the table; must be 0 at the end */
unsigned int knc_test_nr_tasks(void)
{
	const struct hlist_node *node;
	unsigned int i, nr = 0;

	for (i = 0; i <= knc_tasks_mask; i++)
		for (node = knc_tasks[i].first; node; node = node->next)
			nr++;
	return nr;
}

/* The claim of @f for @task, or NULL */
struct knc_claim *knc_test_claim(struct knc_follow *f,
				 const struct task_struct *task)
{
	struct knc_target *target;

	list_for_each_entry(target, &f->targets, node)
		if (target->task->task == task)
			return &target->claim;
	return NULL;
}
