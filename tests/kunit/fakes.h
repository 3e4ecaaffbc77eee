/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fake tasks, unknown to the scheduler: the test chooses which task each CPU executes
 *
 * The data of a test are a struct bench (one hardware thread), stage (sessions), cast (fake tasks
 * that sessions follow) or gallery (samples of these tasks).
 *
 * unit_task.c and unit_rdpmc.c are built with this "current" and these allocations.
 */
#ifndef KNC_TEST_FAKES_H
#define KNC_TEST_FAKES_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/types.h>

struct task_struct *fake_task(struct kunit *test);
struct task_struct *fake_thread(struct kunit *test, struct task_struct *leader);

/* The task that this CPU executes: a fake, or the real one */
struct task_struct *fake_current(void);
void fake_set_current(struct task_struct *task);
void fake_forget(unsigned int cpu);

/* Only the @nth allocation from now on fails; 0: none fails */
void fake_memory(unsigned int nth);
void *fake_kzalloc(size_t size, gfp_t gfp);
void *fake_kvcalloc(size_t n, size_t size, gfp_t gfp);

/**
 * enum fake_moment - moments within a function at which a test can intervene
 * @FAKE_ALLOCATION: while memory is asked for
 * @FAKE_BARRIER: at a full barrier, under the lock and with interrupts off
 * @FAKE_CALL: when all CPUs have executed a call
 * @FAKE_FREE: when the data of a task is about to be freed
 * @FAKE_RELAX: while a walk over many tasks does not hold the lock
 */
enum fake_moment {
	FAKE_ALLOCATION,
	FAKE_BARRIER,
	FAKE_CALL,
	FAKE_FREE,
	FAKE_RELAX,
	FAKE_MOMENTS
};

/* Call fn(@arg) at the @nth such moment from now on; 0: never */
void fake_meanwhile(enum fake_moment moment, unsigned int nth,
		    void (*fn)(void *arg), void *arg);
void fake_barrier(void);
void fake_free(void);
void fake_relax(void);
void fake_on_each_cpu(void (*fn)(void *info), void *info, bool wait);
void fake_on_each_cpu_mask(const struct cpumask *mask, void (*fn)(void *info),
			   void *info, bool wait);
/* How many CPUs were called */
extern unsigned int fake_called;

unsigned int fake_task_cpu(const struct task_struct *task);

/* Set the task's pid; 0: none */
void fake_number(struct task_struct *task, int nr);

#endif /* KNC_TEST_FAKES_H */
