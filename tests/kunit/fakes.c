// SPDX-License-Identifier: GPL-2.0
/* Fake tasks, unknown to the scheduler: the test chooses which task each CPU executes */
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "fakes.h"

static DEFINE_PER_CPU(struct task_struct *, fake_tasks);
static unsigned int fake_failing;

static struct {
	unsigned int nth;
	void (*fn)(void *arg);
	void *arg;
} fake_moments[FAKE_MOMENTS];

/*
 * The extra references stay: KUnit frees the memory, not the function that drops the last
 * reference.
 */
static struct pid *fake_pid(struct kunit *test)
{
	struct pid *pid;

	pid = kunit_kzalloc(test, sizeof(*pid) + sizeof(struct upid), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pid);
	refcount_set(&pid->count, 1000);
	pid->numbers[0].ns = &init_pid_ns;
	return pid;
}

static struct task_struct *fake_of(struct kunit *test, struct signal_struct *sig,
				   struct mm_struct *mm)
{
	struct task_struct *task;

	task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, task);
	spin_lock_init(&task->alloc_lock);
	task->signal = sig;
	task->mm = mm;
	task->stack = kunit_kzalloc(test, THREAD_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, task->stack);
	task->thread_pid = fake_pid(test);
	hlist_add_head_rcu(&task->pid_links[PIDTYPE_PID],
			   &task->thread_pid->tasks[PIDTYPE_PID]);
	list_add_tail_rcu(&task->thread_node, &sig->thread_head);
	return task;
}

/* Memory of a program that its user may read */
static struct mm_struct *fake_mm(struct kunit *test)
{
	struct mm_struct *mm;

	mm = kunit_kzalloc(test, sizeof(*mm) + cpumask_size(), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mm);
	atomic_set(&mm->mm_users, 1);
	atomic_set(&mm->mm_count, 1);
	mm->flags = SUID_DUMP_USER;
	return mm;
}

/* A process */
struct task_struct *fake_task(struct kunit *test)
{
	struct signal_struct *sig;
	struct task_struct *task;

	sig = kunit_kzalloc(test, sizeof(*sig), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sig);
	INIT_LIST_HEAD(&sig->thread_head);
	task = fake_of(test, sig, fake_mm(test));
	sig->pids[PIDTYPE_TGID] = task->thread_pid;
	return task;
}

/* Another thread of @leader's process */
struct task_struct *fake_thread(struct kunit *test, struct task_struct *leader)
{
	return fake_of(test, leader->signal, leader->mm);
}

struct task_struct *fake_current(void)
{
	return this_cpu_read(fake_tasks) ?: get_current();
}

void fake_set_current(struct task_struct *task)
{
	this_cpu_write(fake_tasks, task);
}

/* Forget the fake task of an offline CPU */
void fake_forget(unsigned int cpu)
{
	per_cpu(fake_tasks, cpu) = NULL;
}

void fake_memory(unsigned int nth)
{
	fake_failing = nth;
}

void fake_meanwhile(enum fake_moment moment, unsigned int nth,
		    void (*fn)(void *arg), void *arg)
{
	fake_moments[moment].nth = nth;
	fake_moments[moment].fn = fn;
	fake_moments[moment].arg = arg;
}

static void fake_now(enum fake_moment moment)
{
	if (fake_moments[moment].nth && !--fake_moments[moment].nth)
		fake_moments[moment].fn(fake_moments[moment].arg);
}

/* Called for each allocation. Returns false if the allocation must fail */
static bool fake_allocation(void)
{
	fake_now(FAKE_ALLOCATION);
	return !fake_failing || --fake_failing;
}

void fake_free(void)
{
	fake_now(FAKE_FREE);
}

void fake_relax(void)
{
	fake_now(FAKE_RELAX);
}

void fake_barrier(void)
{
	smp_mb(); /* the barrier that this macro replaces */
	fake_now(FAKE_BARRIER);
}

void fake_on_each_cpu(void (*fn)(void *info), void *info, bool wait)
{
	fake_called += num_online_cpus();
	on_each_cpu(fn, info, wait);
	fake_now(FAKE_CALL);
}

unsigned int fake_called;

void fake_on_each_cpu_mask(const struct cpumask *mask, void (*fn)(void *info),
			   void *info, bool wait)
{
	fake_called += cpumask_weight(mask);
	on_each_cpu_mask(mask, fn, info, wait);
	fake_now(FAKE_CALL);
}

void *fake_kzalloc(size_t size, gfp_t gfp)
{
	return fake_allocation() ? kzalloc(size, gfp) : NULL;
}

void *fake_kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	return fake_allocation() ? kvcalloc(n, size, gfp) : NULL;
}

void fake_number(struct task_struct *task, int nr)
{
	task->thread_pid->numbers[0].nr = nr;
}

/* The CPU on which @task runs; the test's own if it runs nowhere */
unsigned int fake_task_cpu(const struct task_struct *task)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (per_cpu(fake_tasks, cpu) == task)
			return cpu;
	return raw_smp_processor_id();
}
