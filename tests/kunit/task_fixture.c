// SPDX-License-Identifier: GPL-2.0
/* Fake tasks on the CPUs of this machine, and the follows that follow them */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "rdpmc/grants.h"
#include "task/target.h"
#include "hwthread_fixture.h"
#include "task_fixture.h"
#include "units.h"

/* CR4.PCE of all CPUs, which the kernel sets for a permitted program */
void cast_permit(bool permit)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		model_of(cpu)->cr4 = permit ? MODEL_PCE : 0;
}

/*
 * Initialize a cast on the CPUs of @test->priv, a struct stage; @err: the result of the stage's
 * initialization
 */
static int cast_init_on(struct kunit *test, int err)
{
	struct cast *c;
	unsigned int i;

	if (err || !test->priv)
		return err;
	c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->test = test;
	c->st = test->priv;
	c->here = c->st->first;
	c->there = c->st->last;
	for (i = 0; i < CAST_TASKS; i++)
		c->task[i] = fake_task(test);
	test->priv = c;
	set_cpus_allowed_ptr(current, cpumask_of(c->here));
	cast_permit(false);
	knc_test_hold_probes(true);
	/* as claims.c does for a session that follows a task */
	return knc_hw_reserve();
}

int cast_init(struct kunit *test)
{
	return cast_init_on(test, stage_init(test));
}

int cast_init_wide(struct kunit *test)
{
	return cast_init_on(test, stage_init_wide(test));
}

int cast_init_numbered(struct kunit *test, int first, int step)
{
	struct cast *c;
	unsigned int cpu;
	int i, err = cast_init(test);

	if (err || !test->priv)
		return err;
	c = test->priv;
	for (i = 0; i < CAST_TASKS; i++) {
		fake_number(c->task[i], first + i * step);
		snprintf(c->task[i]->comm, sizeof(c->task[i]->comm), "task%d", i);
	}
	for_each_possible_cpu(cpu) {
		model_of(cpu)->tsc = 1ULL << 40;
		model_of(cpu)->pace = 0;
	}
	return 0;
}

void cast_exit(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i, cpu;

	if (!c)
		return;
	fake_memory(0);
	for_each_online_cpu(cpu)
		cast_switch(cpu, NULL);
	for (i = 0; i < CAST_FOLLOWS; i++)
		cast_leave(c, i);
	knc_hw_release();
	knc_test_hold_probes(false);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 0);
	KUNIT_EXPECT_EQ(test, knc_test_probes_users(), 0);
	/* wait for memory that RCU frees: its function is part of this module */
	rcu_barrier();
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, model_of(cpu)->nr_unclaimed, 0);
	test->priv = c->st;
	stage_exit(test);
}

static u64 cast_evtsel(unsigned int i, unsigned int counter)
{
	return MODEL_EN | MODEL_INT | MODEL_USR | (i + 1) << 8 | (counter + 1);
}

/* Fill a follow as tasks.c does */
static void cast_fill(struct knc_follow *f, unsigned int i, unsigned int first,
		      unsigned int nr)
{
	struct knc_claim *claim = &f->claim;
	unsigned int n;

	claim->owner = f;
	claim->pid = task_tgid(current);
	claim->cpu = KNC_PMU_NO_CPU;
	claim->nr = nr;
	claim->nr_events = nr;
	for (n = 0; n < nr; n++) {
		claim->count[n].counter = first ^ n;
		claim->count[n].read_index = pmu_read_index(claim->count[n].counter);
		claim->count[n].evtsel = cast_evtsel(i, first ^ n);
		claim->count[n].left = pmu_max_load(claim->count[n].counter);
		claim->cntrs |= 1u << (first ^ n);
		if (!f->page)
			continue;
		claim->count[n].page = f->page;
		claim->count[n].index = n;
		f->page->counter[n] = first ^ n;
		f->page->nr_events = nr;
	}
	claim->owned = claim->cntrs;
	f->excluded = claim->cntrs;
}

void cast_dismiss(void)
{
	cpus_read_lock();
	knc_follow_dismiss();
	cpus_read_unlock();
}

static void cast_detach(struct knc_follow *f, bool keep)
{
	knc_follow_drop(f, keep);
	cpus_read_lock();
	knc_follow_detach(f);
	cpus_read_unlock();
	cast_dismiss();
}

void cast_evict(struct knc_follow *f)
{
	cast_detach(f, true);
}

static int cast_try_more(struct knc_follow *f)
{
	int err = knc_follow_threads(f);

	if (err)
		cast_detach(f, false);
	return err;
}

int cast_try(struct cast *c, unsigned int i, u32 flags,
	     struct task_struct *task, unsigned int first, unsigned int nr)
{
	static DEFINE_MUTEX(lock);
	struct knc_groups *groups = &c->groups[i];
	struct knc_request config = c->config;
	struct knc_follow *f;
	int err;

	config.flags |= flags;
	groups->nr_events = nr;
	groups->nr_groups = 1;
	f = knc_follow_create(&config, groups, NULL);
	if (IS_ERR(f))
		return PTR_ERR(f);
	cast_fill(f, i, first, nr);
	f->lock = &lock;
	if (c->prepare) {
		c->prepare(c, f);
		/* the caller may have created more groups */
		knc_target_free(f->spare);
		f->spare = knc_target_alloc(f, GFP_KERNEL);
	}
	if (config.flags & KNC_PMU_CONFIG_RDPMC) {
		cast_permit(true);
		KUNIT_EXPECT_EQ(c->test, 0,
				knc_rdpmc_open(f, task_tgid(get_current()), true));
	}
	knc_follow_find_holders(f, task_pid(task));
	cpus_read_lock();
	err = knc_follow_attach(f, task_pid(task));
	cpus_read_unlock();
	if (!err)
		err = cast_try_more(f);
	if (err) {
		knc_rdpmc_close(f);
		knc_follow_destroy(f);
	} else {
		c->follow[i] = f;
	}
	return err;
}

struct knc_follow *cast_follow(struct cast *c, unsigned int i, u32 flags,
			       struct task_struct *task, unsigned int first,
			       unsigned int nr)
{
	KUNIT_ASSERT_EQ(c->test, 0, cast_try(c, i, flags, task, first, nr));
	return c->follow[i];
}

void cast_leave(struct cast *c, unsigned int i)
{
	if (!c->follow[i])
		return;
	cast_detach(c->follow[i], false);
	knc_rdpmc_close(c->follow[i]);
	knc_follow_destroy(c->follow[i]);
	c->follow[i] = NULL;
}

/* The scheduler calls the probe before it switches. */
static void switch_here(void *task)
{
	knc_test_switch(fake_current(), task ?: get_current());
	fake_set_current(task);
}

void cast_switch(unsigned int cpu, struct task_struct *task)
{
	smp_call_function_single(cpu, switch_here, task, true);
}

void cast_begin(struct cast *c, unsigned int cpu)
{
	knc_follow_start(c->follow[0]);
	cast_switch(cpu, c->task[0]);
}

/* Probes of a task's own events are called with preemption off. */
static int fork_here(void *child)
{
	preempt_disable();
	knc_test_fork(fake_current(), child);
	preempt_enable();
	return 0;
}

void cast_fork(unsigned int cpu, struct task_struct *child)
{
	smp_call_on_cpu(cpu, fork_here, child, false);
}

static int exec_here(void *secure)
{
	preempt_disable();
	knc_test_exec(fake_current(), *(bool *)secure);
	preempt_enable();
	return 0;
}

void cast_exec(unsigned int cpu, bool secure)
{
	smp_call_on_cpu(cpu, exec_here, &secure, false);
}

static int end_here(void *unused)
{
	preempt_disable();
	fake_current()->flags |= PF_EXITING;
	knc_test_exit(fake_current());
	preempt_enable();
	return 0;
}

/* The task ends; afterwards the CPU executes no fake task. */
void cast_end(unsigned int cpu)
{
	smp_call_on_cpu(cpu, end_here, NULL, false);
	cast_switch(cpu, NULL);
}

void cast_run(unsigned int cpu, u64 n0, u64 n1)
{
	model_run(model_of(cpu), n0, n1);
}

struct knc_pmu_thread cast_read(struct cast *c, unsigned int i)
{
	struct knc_pmu_thread r = { .value = { 0xfeed, 0xfeed } };

	knc_follow_read(c->follow[i], &r, true);
	KUNIT_EXPECT_EQ(c->test, r.cpu, KNC_PMU_NO_CPU);
	KUNIT_EXPECT_EQ(c->test, r.tsc, 0);
	KUNIT_EXPECT_EQ(c->test, r.time_enabled, r.time_running);
	return r;
}

void cast_expect(struct cast *c, unsigned int i, u64 v0, u64 v1)
{
	struct knc_pmu_thread r = cast_read(c, i);

	KUNIT_EXPECT_EQ(c->test, r.value[0], v0);
	/* no count is reported for an event that the session does not have */
	KUNIT_EXPECT_EQ(c->test, r.value[1],
			c->groups[i].nr_events > 1 ? v1 : 0xfeed);
}

/*
 * Check that no claim of a task is on the counters; if there was none yet, the registers are
 * untouched.
 */
void cast_expect_empty(struct cast *c, unsigned int cpu)
{
	const struct knc_hwthread *hw = knc_hwthread_of(cpu);
	struct model_regs before = stage_before(cpu);
	struct model *m = model_of(cpu);

	KUNIT_EXPECT_EQ(c->test, hw->taken, hw->for_tasks);
	if (!hw->taken) {
		KUNIT_EXPECT_EQ(c->test, hw->attached, 0);
		model_expect_regs(c->test, m, &before);
		return;
	}
	KUNIT_EXPECT_EQ(c->test, m->regs.ctrl, 0);
	KUNIT_EXPECT_EQ(c->test, m->status, 0);
	bench_expect_free(c->test, hw, m, this_pmu->counters);
}
