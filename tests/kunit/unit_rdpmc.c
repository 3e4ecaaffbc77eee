// SPDX-License-Identifier: GPL-2.0
/* Permissions for RDPMC, with KNC_PMU_KUNIT, for fake tasks */
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "compat/compat.h"
#include "compat/mm.h"
#include "fakes.h"
#include "rdpmc/grants.h"
#include "session/internal.h"
#include "units.h"

static struct callback_head *test_work;
static void (*test_work_fn)(struct callback_head *work);
static int test_work_err;

/* A kernel thread never returns to user mode: the test runs the work itself. */
static int test_task_work(struct callback_head *work,
			  void (*fn)(struct callback_head *work))
{
	if (test_work_err)
		return test_work_err;
	test_work = work;
	test_work_fn = fn;
	return 0;
}

unsigned int knc_test_looks, knc_test_looks_unlocked;
static struct task_struct *test_watched;

/* A caller holds the lock of a task that may end, while it accesses the task's memory. */
static atomic_t *test_mm_rdpmc(struct mm_struct *mm)
{
	if (!test_watched || test_watched->mm != mm)
		return knc_compat_mm_rdpmc(mm);
	knc_test_looks++;
	if (spin_trylock(&test_watched->alloc_lock)) {
		spin_unlock(&test_watched->alloc_lock);
		knc_test_looks_unlocked++;
	}
	return knc_compat_mm_rdpmc(mm);
}

/* How many permissions, sessions and users a search visits */
unsigned int knc_test_steps;

static bool test_step(bool more)
{
	knc_test_steps++;
	return more;
}

/* Processes that the takeover checked, and those checked while others wait for the claims lock */
unsigned int knc_test_looked, knc_test_looked_locked;

static struct task_struct *test_look(struct task_struct *p)
{
	knc_test_looked++;
	if (mutex_is_locked(&knc_claims_lock))
		knc_test_looked_locked++;
	return next_task(p);
}

/* How often CAP_PERFMON was checked */
unsigned int knc_test_asked;

static bool test_is_perfmon(void)
{
	knc_test_asked++;
	return knc_compat_is_perfmon();
}

static bool test_perfmon_capable(void)
{
	knc_test_asked++;
	return perfmon_capable();
}

/* after all headers: only the module's own lines use it */
#define knc_compat_is_perfmon() test_is_perfmon()
#define perfmon_capable() test_perfmon_capable()
#undef list_entry_is_head
#define list_entry_is_head(pos, head, ...)				\
	(!test_step(&(pos)->__VA_ARGS__ != (head)))
#undef for_each_process
#define for_each_process(p)						\
	for ((p) = &init_task; ((p) = test_look(p)) != &init_task; )
#undef current
#define current fake_current()
#undef kzalloc
#define kzalloc(size, gfp) fake_kzalloc(size, gfp)
#define knc_compat_mm_rdpmc(mm) test_mm_rdpmc(mm)
#define knc_compat_task_work(work, fn) test_task_work(work, fn)

#include "../../src/rdpmc/permissions.c"
#include "../../src/rdpmc/reload.c"
#include "../../src/rdpmc/quota.c"
#include "../../src/rdpmc/forks.c"
#include "../../src/rdpmc/private.c"
#include "../../src/rdpmc/perf.c"
#include "../../src/rdpmc/listing.c"
#include "../../src/rdpmc/grants.c"

void knc_test_work_fails(int err)
{
	test_work_err = err;
}

/* As on return to user mode; returns whether there was work */
bool knc_test_do_work(void)
{
	struct callback_head *work = test_work;

	test_work = NULL;
	if (work)
		test_work_fn(work);
	return work;
}

void knc_test_watch(struct task_struct *task)
{
	test_watched = task;
}

void knc_test_rdpmc_fork(struct task_struct *parent, struct task_struct *child)
{
	knc_rdpmc_fork(NULL, parent, child);
}

unsigned int knc_test_nr_grants(void)
{
	return knc_nr_grants;
}

unsigned int knc_test_nr_grantors(void)
{
	const struct knc_grantor *from;
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(knc_grantors); i++)
		list_for_each_entry(from, &knc_grantors[i], node)
			nr++;
	return nr;
}

/* Afterwards the module can be used again, or unloaded. */
void knc_test_rdpmc_exit(void)
{
	knc_rdpmc_exit();
	knc_rdpmc_probed = false;
}
