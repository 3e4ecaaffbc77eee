// SPDX-License-Identifier: GPL-2.0
/*
 * Random schedules of tasks over hardware threads, with everything that can happen to tasks; the
 * counts are compared with an oracle that only adds up events
 */
#include <linux/prandom.h>

#include "compat/compat.h"
#include "count/hwthread.h"
#include "seed.h"
#include "task_fixture.h"
#include "units.h"

#define STEPS	2500
#define CPUS	3

/**
 * struct followed - the expected counts of a follow
 * @there: the follow exists
 * @started: it is started
 * @inherit: it follows children, too
 * @privileged: it also follows tasks that execute programs their user may not look at
 * @on_exec: it will be started when @first executes a program
 * @partial: it has reported that a task is missing
 * @first: the task that the follow began with
 * @cntrs: the counters of the follow
 * @order: the counter of each event
 * @nr: number of events
 * @tasks: mask of the tasks that are followed
 * @value: the events of these tasks
 */
struct followed {
	bool there;
	bool started;
	bool inherit;
	bool privileged;
	bool on_exec;
	bool partial;
	int first;
	u32 cntrs;
	unsigned int order[2];
	unsigned int nr;
	u32 tasks;
	u64 value[2];
};

struct world {
	struct cast *c;
	struct rnd_state rnd;
	struct followed f[CAST_FOLLOWS];
	unsigned int cpu[CPUS];
	bool online[CPUS];
	int on[CPUS];
	u32 alive;
};

static u32 pick(struct world *w, u32 below)
{
	return prandom_u32_state(&w->rnd) % below;
}

static u64 pick_u64(struct world *w)
{
	return (u64)prandom_u32_state(&w->rnd) << 32 |
	       prandom_u32_state(&w->rnd);
}

static bool counts_on(const struct world *w, const struct followed *f,
		      unsigned int k)
{
	return f->there && f->started && w->online[k] && w->on[k] >= 0 &&
	       f->tasks & 1u << w->on[k];
}

/* Add events of a hardware thread to the task that ran there */
static void add_up(struct world *w, unsigned int k, const u64 *events)
{
	struct followed *f;
	unsigned int i;

	for (f = w->f; f < w->f + CAST_FOLLOWS; f++)
		for (i = 0; i < f->nr; i++)
			if (counts_on(w, f, k))
				f->value[i] += events[f->order[i]];
}

static struct model *model_at(struct world *w, unsigned int k)
{
	return model_of(w->cpu[k]);
}

/* An overflow at a random access of the next operation, with a late interrupt */
static void disturb(struct world *w, unsigned int k)
{
	if (pick(w, 3))
		model_trip(model_at(w, k), 1 + pick(w, 3), pick(w, 20),
			   pick(w, 30));
}

static void calm(struct world *w, unsigned int k, const u64 *before, u64 *events)
{
	struct model *m = model_at(w, k);
	unsigned int n;

	m->trip = 0;
	model_deliver(m);
	m->late = 0;
	for (n = 0; n < MODEL_NR; n++)
		events[n] = m->counted[n] - before[n];
}

static void do_switch(struct world *w, unsigned int k, int t)
{
	u64 before[MODEL_NR], events[MODEL_NR];
	struct model *m = model_at(w, k);

	memcpy(before, m->counted, sizeof(before));
	disturb(w, k);
	cast_switch(w->cpu[k], t < 0 ? NULL : w->c->task[t]);
	calm(w, k, before, events);
	if (t >= 0)
		w->on[k] = t;
	add_up(w, k, events);
	w->on[k] = t;
}

static bool runs(const struct world *w, int t)
{
	unsigned int k;

	for (k = 0; k < CPUS; k++)
		if (w->on[k] == t)
			return true;
	return false;
}

/* Switch out, then in: every overflow in between has an owner. */
static void switch_some(struct world *w)
{
	unsigned int k = pick(w, CPUS);
	int t = pick(w, CAST_TASKS);

	if (!w->online[k])
		return;
	do_switch(w, k, -1);
	if (w->alive & 1u << t && !runs(w, t))
		do_switch(w, k, t);
}

/* Switch directly from one task to another, without disturbance */
static void switch_at_once(struct world *w)
{
	unsigned int k = pick(w, CPUS);
	int t = pick(w, CAST_TASKS);

	if (!w->online[k] || !(w->alive & 1u << t) || runs(w, t))
		return;
	cast_switch(w->cpu[k], w->c->task[t]);
	w->on[k] = t;
}

static void run_some(struct world *w)
{
	unsigned int k = pick(w, CPUS);
	u64 events[MODEL_NR];
	unsigned int n;

	for (n = 0; n < MODEL_NR; n++)
		events[n] = pick_u64(w) >> (23 + pick(w, 41));
	model_at(w, k)->skid = pick_u64(w) >> (26 + pick(w, 38));
	cast_run(w->cpu[k], events[0], events[1]);
	if (w->online[k])
		add_up(w, k, events);
}

static void expect_follow(struct world *w, unsigned int i)
{
	struct kunit *test = w->c->test;
	struct followed *f = &w->f[i];
	struct knc_pmu_thread r;
	unsigned int n;

	if (!f->there)
		return;
	r = cast_read(w->c, i);
	for (n = 0; n < f->nr; n++)
		KUNIT_ASSERT_EQ(test, r.value[n], f->value[n]);
	KUNIT_ASSERT_EQ(test, r.flags,
			(f->tasks ? 0 : KNC_PMU_THREAD_ENDED) |
			(f->partial ? KNC_PMU_THREAD_PARTIAL : 0));
	KUNIT_ASSERT_EQ(test, w->c->follow[i]->nr_targets, hweight32(f->tasks));
}

static void toggle(struct world *w, unsigned int i)
{
	u64 before[CPUS][MODEL_NR], events[MODEL_NR];
	struct followed *f = &w->f[i];
	unsigned int k;

	if (!f->there)
		return;
	for (k = 0; k < CPUS; k++) {
		memcpy(before[k], model_at(w, k)->counted, sizeof(before[k]));
		disturb(w, k);
	}
	if (f->started)
		knc_follow_stop(w->c->follow[i]);
	else
		knc_follow_start(w->c->follow[i]);
	/* these events were counted before STOP, or after START */
	f->started = true;
	for (k = 0; k < CPUS; k++) {
		calm(w, k, before[k], events);
		add_up(w, k, events);
	}
	f->started = w->c->follow[i]->started;
}

static void reset(struct world *w, unsigned int i)
{
	if (!w->f[i].there)
		return;
	knc_follow_reset(w->c->follow[i]);
	w->f[i].value[0] = 0;
	w->f[i].value[1] = 0;
}

static bool clashes(const struct world *w, int t, u32 cntrs)
{
	const struct followed *f;

	for (f = w->f; f < w->f + CAST_FOLLOWS; f++)
		if (f->there && f->tasks & 1u << t && f->cntrs & cntrs)
			return true;
	return false;
}

static void follow(struct world *w, unsigned int i)
{
	unsigned int first = pick(w, 2), nr = 1 + pick(w, 2);
	u32 cntrs = nr == 2 ? 3 : 1u << first;
	struct followed *f = &w->f[i];
	u32 flags = KNC_PMU_CONFIG_TASK;
	int t = pick(w, CAST_TASKS);
	int err;

	if (f->there || !(w->alive & 1u << t))
		return;
	memset(f, 0, sizeof(*f));
	f->inherit = pick(w, 2);
	f->on_exec = !pick(w, 3);
	f->privileged = pick(w, 2);
	if (f->inherit)
		flags |= KNC_PMU_CONFIG_INHERIT;
	else
		flags |= KNC_PMU_CONFIG_RDPMC;
	/* a session with RDPMC is also a grantor, which grants.c needs */
	if (f->on_exec && f->inherit)
		flags |= KNC_PMU_CONFIG_ON_EXEC;
	f->on_exec &= f->inherit;
	err = cast_try(w->c, i, flags, w->c->task[t], first, nr);
	KUNIT_ASSERT_EQ(w->c->test, err, clashes(w, t, cntrs) ? -EBUSY : 0);
	if (err)
		return;
	w->c->follow[i]->privileged = f->privileged;
	f->there = true;
	f->cntrs = cntrs;
	f->order[0] = first;
	f->order[1] = !first;
	f->nr = nr;
	f->first = t;
	f->tasks = 1u << t;
}

static void leave(struct world *w, unsigned int i)
{
	if (!w->f[i].there)
		return;
	expect_follow(w, i);
	cast_leave(w->c, i);
	w->f[i].there = false;
}

static void fork_some(struct world *w)
{
	unsigned int k = pick(w, CPUS);
	int t = pick(w, CAST_TASKS);
	struct followed *f;

	if (w->on[k] < 0 || w->alive & 1u << t)
		return;
	w->c->task[t]->flags = 0;
	cast_fork(w->cpu[k], w->c->task[t]);
	w->alive |= 1u << t;
	for (f = w->f; f < w->f + CAST_FOLLOWS; f++)
		if (f->there && f->inherit && f->tasks & 1u << w->on[k])
			f->tasks |= 1u << t;
}

/* A task is no longer followed; a later task with the same number is another task. */
static void forget(struct followed *f, int t)
{
	f->tasks &= ~(1u << t);
	if (f->first == t)
		f->first = -1;
}

static void end_some(struct world *w)
{
	u64 before[MODEL_NR], events[MODEL_NR];
	unsigned int k = pick(w, CPUS);
	struct followed *f;
	int t = w->on[k];

	if (t < 0 || hweight32(w->alive) < 3)
		return;
	memcpy(before, model_at(w, k)->counted, sizeof(before));
	disturb(w, k);
	cast_end(w->cpu[k]);
	calm(w, k, before, events);
	add_up(w, k, events);
	w->on[k] = -1;
	w->alive &= ~(1u << t);
	for (f = w->f; f < w->f + CAST_FOLLOWS; f++)
		forget(f, t);
}

static void exec_one(struct followed *f, int t, bool secure)
{
	if (!f->there || !(f->tasks & 1u << t))
		return;
	if (secure && !f->privileged) {
		f->partial = true;
		forget(f, t);
	} else if (f->on_exec && f->first == t) {
		f->on_exec = false;
		f->started = true;
	}
}

/* Tasks that a START by exec enables begin to count when they are switched in. */
static void exec_some(struct world *w)
{
	unsigned int k = pick(w, CPUS), other;
	bool secure = !pick(w, 3);
	struct followed *f;
	int t = w->on[k];

	if (t < 0)
		return;
	for (other = 0; other < CPUS; other++)
		if (other != k && w->online[other])
			do_switch(w, other, -1);
	cast_exec(w->cpu[k], secure);
	for (f = w->f; f < w->f + CAST_FOLLOWS; f++)
		exec_one(f, t, secure);
}

/* The last hardware thread goes offline, whatever runs there, or comes back. */
static void hotplug(struct world *w)
{
	unsigned int k = CPUS - 1;

	if (pick(w, 10))
		return;
	if (!w->online[k]) {
		stage_add_cpu(w->c->st, w->cpu[k]);
		w->online[k] = true;
		return;
	}
	stage_remove_cpu(w->c->st, w->cpu[k]);
	w->online[k] = false;
	w->on[k] = -1;
	fake_forget(w->cpu[k]);
}

static void expect_registers(struct world *w)
{
	struct kunit *test = w->c->test;
	struct model *m;
	unsigned int k, i;
	bool shared;
	u64 ctrl;

	for (k = 0; k < CPUS; k++) {
		m = model_at(w, k);
		shared = false;
		ctrl = 0;
		for (i = 0; i < CAST_FOLLOWS; i++) {
			shared |= w->f[i].there;
			if (counts_on(w, &w->f[i], k))
				ctrl |= w->f[i].cntrs;
		}
		if (!shared || !w->online[k])
			KUNIT_ASSERT_FALSE(test, knc_hwthread_of(w->cpu[k])->taken);
		/* registers are saved when a task is first counted there */
		if (!knc_hwthread_of(w->cpu[k])->taken)
			ctrl |= stage_before(w->cpu[k]).ctrl;
		KUNIT_ASSERT_EQ(test, m->regs.ctrl, ctrl);
		KUNIT_ASSERT_EQ_MSG(test, m->nr_violations, 0, "%s",
				    m->violation);
		KUNIT_ASSERT_EQ(test, m->missed, 0);
		KUNIT_ASSERT_EQ(test, m->nr_unclaimed, 0);
	}
}

/* While a task runs, its page agrees with READ. */
static void expect_page(struct world *w, unsigned int i, unsigned int k)
{
	struct followed *f = &w->f[i];
	const struct knc_pmu_page *page;
	unsigned int n;
	u64 raw;

	if (!f->there || !w->c->follow[i]->page)
		return;
	page = w->c->follow[i]->page;
	if (!counts_on(w, f, k))
		return;
	KUNIT_ASSERT_EQ(w->c->test, page->seq & 1, 0);
	for (n = 0; n < f->nr; n++) {
		raw = model_at(w, k)->regs.perfcntr[page->counter[n]];
		KUNIT_ASSERT_EQ(w->c->test, f->value[n],
				page->offset[n] + ((s64)(raw << 24) >> 24));
	}
}

static void step(struct world *w)
{
	unsigned int what = pick(w, 16), i = pick(w, CAST_FOLLOWS), k;

	switch (what) {
	case 0:
		follow(w, i);
		break;
	case 1:
		if (!pick(w, 8))
			leave(w, i);
		break;
	case 2:
		reset(w, i);
		break;
	case 3:
	case 4:
		toggle(w, i);
		break;
	case 5:
		expect_follow(w, i);
		break;
	case 6:
		fork_some(w);
		break;
	case 7:
		if (!pick(w, 2))
			end_some(w);
		break;
	case 8:
		exec_some(w);
		break;
	case 9:
		hotplug(w);
		break;
	case 10:
		switch_at_once(w);
		break;
	case 11:
	case 12:
	case 13:
		switch_some(w);
		break;
	default:
		run_some(w);
		break;
	}
	expect_registers(w);
	for (k = 0; k < CPUS; k++)
		expect_page(w, i, k);
}

static void play(struct kunit *test, u64 seed)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->c = test->priv;
	w->cpu[0] = w->c->here;
	w->cpu[1] = w->c->here + 1;
	w->cpu[2] = w->c->there;
	w->alive = 0xf;
	for (i = 0; i < CPUS; i++) {
		w->on[i] = -1;
		w->online[i] = true;
	}
	prandom_seed_state(&w->rnd, seed_of(test, seed));
	for (i = 0; i < STEPS; i++) {
		step(w);
		if (test->status == KUNIT_FAILURE) {
			kunit_err(test, "seed %llu, step %u", seed, i);
			break;
		}
		cond_resched();
	}
	for (i = 0; i < CAST_FOLLOWS; i++)
		leave(w, i);
}

static void seed_1(struct kunit *test)
{
	play(test, 1);
}

static void seed_2(struct kunit *test)
{
	play(test, 2);
}

static void seed_3(struct kunit *test)
{
	play(test, 3);
}

static struct kunit_case switching_cases[] = {
	KUNIT_CASE(seed_1),
	KUNIT_CASE(seed_2),
	KUNIT_CASE(seed_3),
	{}
};

STAGE_SUITE(switching, cast_init, cast_exit);

kunit_test_suite(switching_suite);
