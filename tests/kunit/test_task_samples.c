// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of tasks: the events up to the next sample, and the period, belong to the task on any
 * hardware thread; rings and throttling belong to the hardware thread. Sampled, lost and unsampled
 * events always add up to the count, to less than a period for each task.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/pid_namespace.h>
#include <linux/prandom.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include <asm/cpu_entry_area.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/tsc.h>

#include "count/hwthread.h"
#include "count/program.h"
#include "sample/chain.h"
#include "records.h"
#include "sample/sampler.h"
#include "sample/storm.h"
#include "seed.h"
#include "task_fixture.h"
#include "units.h"

#define INHERIT	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT)
#define ROUNDS	12
#define STEPS	300
#define CPUS	3
#define TASKS	4

/**
 * struct gallery - samplers of tasks on all CPUs
 * @c: the tasks
 * @obeys: SPFLT controls the first event
 * @event: the sampled events
 * @pid_ns: the namespace of the samples' pids; NULL: the machine's
 * @sampler: the sampler of each CPU
 * @tally: the records of each sampler
 * @wait: the reader's wait queue
 */
struct gallery {
	struct cast *c;
	bool obeys;
	struct knc_event event[PMU_MAX_COUNTERS];
	struct pid_namespace *pid_ns;
	struct knc_sampler sampler[STAGE_CPUS];
	struct tally tally[STAGE_CPUS];
	wait_queue_head_t wait;
};

static struct gallery gallery;
static struct gallery *const g = &gallery;

/* Set up as rings.c does, except that ticks only come on request of the test. */
static void prepare(struct cast *c, struct knc_follow *f)
{
	struct knc_sampler *s;
	unsigned int cpu;

	f->samplers = kcalloc(nr_cpu_ids, sizeof(*f->samplers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(c->test, f->samplers);
	for_each_possible_cpu(cpu) {
		s = &g->sampler[cpu];
		KUNIT_ASSERT_EQ(c->test, 0, knc_sampler_alloc(s, &c->config, cpu,
							      &g->wait));
		knc_sampler_init(s, &c->config, &f->claim, g->pid_ns);
		s->claim = NULL;
		s->tick.expires = jiffies + 3600 * HZ;
		add_timer_on(&s->tick, cpu_online(cpu) ? cpu : c->here);
		f->samplers[cpu] = s;
	}
	f->claim.sampler = NULL;
	f->claim.obey = g->obeys;
	f->claim.gated = g->obeys;
	f->claim.open = true;
}

static int gallery_init(struct kunit *test)
{
	struct cast *c;
	unsigned int cpu;
	int err = cast_init(test);

	if (err || !test->priv)
		return err;
	c = test->priv;
	memset(g, 0, sizeof(*g));
	g->c = c;
	init_waitqueue_head(&g->wait);
	c->prepare = prepare;
	c->config.ring_size = 1 << 16;
	c->config.events = g->event;
	for_each_possible_cpu(cpu)
		model_of(cpu)->tsc = 1ULL << 40;
	return 0;
}

static void gallery_leave(void)
{
	unsigned int cpu;

	if (!g->c->follow[0])
		return;
	cast_leave(g->c, 0);
	for_each_possible_cpu(cpu) {
		knc_sampler_detach(&g->sampler[cpu]);
		knc_sampler_destroy(&g->sampler[cpu]);
	}
	memset(g->sampler, 0, sizeof(g->sampler));
	memset(g->tally, 0, sizeof(g->tally));
}

static void gallery_exit(struct kunit *test)
{
	unsigned int cpu;

	if (!test->priv)
		return;
	for_each_online_cpu(cpu)
		cast_switch(cpu, NULL);
	gallery_leave();
	cast_exit(test);
}

/* Follow task 0 and its @tasks - 1 children, with samples every @p0 and @p1 events; start. */
static struct knc_follow *follow(unsigned int tasks, u64 p0,
				 u64 p1, u32 flags)
{
	struct cast *c = g->c;
	unsigned int i, cpu;

	g->event[0].flags = flags | KNC_PMU_EVENT_SAMPLE;
	g->event[0].sample_period = p0;
	g->event[1].flags = flags | KNC_PMU_EVENT_SAMPLE;
	g->event[1].sample_period = p1;
	c->config.nr_events = p1 ? 2 : 1;
	for_each_possible_cpu(cpu)
		memset(model_of(cpu)->by_code, 0,
		       sizeof(model_of(cpu)->by_code));
	cast_follow(c, 0, INHERIT, c->task[0], 0, p1 ? 2 : 1);
	cast_switch(c->here, c->task[0]);
	for (i = 1; i < tasks; i++)
		cast_fork(c->here, c->task[i]);
	cast_switch(c->here, NULL);
	knc_follow_start(c->follow[0]);
	return c->follow[0];
}

static u64 samples(unsigned int cpu)
{
	return g->sampler[cpu].ring.control->samples;
}

static struct knc_count *count_of(unsigned int task,
				  unsigned int n)
{
	return &knc_test_claim(g->c->follow[0], g->c->task[task])->count[n];
}

/* The count of event @n on all CPUs, and the events accounted for */
static u64 counted(unsigned int n)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += model_of(cpu)->by_code[n + 1];
	return sum;
}

static u64 told(unsigned int n)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu) {
		tally_read(g->c->test, &g->sampler[cpu].ring, &g->tally[cpu]);
		sum += tally_sum(&g->sampler[cpu].ring, &g->tally[cpu], n);
	}
	return sum;
}

/* After STOP all events are accounted for, to less than a period for each task. */
static void expect_sums(unsigned int tasks)
{
	const struct knc_count *count;
	unsigned int n, i;
	u64 rest;

	for (n = 0; n < g->c->config.nr_events; n++) {
		rest = 0;
		for (i = 0; i < tasks; i++) {
			count = count_of(i, n);
			KUNIT_EXPECT_GT_MSG(g->c->test, count->left, 0,
					    "task %u", i);
			KUNIT_EXPECT_LE_MSG(g->c->test, count->left,
					    (s64)count->segment, "task %u", i);
			rest += count->segment - count->left + count->carry;
		}
		KUNIT_EXPECT_EQ_MSG(g->c->test, counted(n), told(n) + rest,
				    "event %u", n);
	}
	cast_expect(g->c, 0, counted(0), counted(1));
}

static void tick_here(void *info)
{
	knc_test_tick(&g->sampler[smp_processor_id()]);
}

static void tick(unsigned int cpu)
{
	smp_call_function_single(cpu, tick_here, NULL, true);
}

/* Throttle as the overflow interrupt does */
static void throttle_here(void *info)
{
	struct knc_hwthread *hw = this_cpu_ptr(&knc_hwthreads);
	struct knc_count *count;
	unsigned int n;

	for (n = 0; n < MODEL_NR; n++) {
		if (!(hw->attached & pmu_bit(n)) || !hw->count[n]->sampling)
			continue;
		count = hw->count[n];
		knc_count_edit_begin(hw, count);
		knc_count_update(count);
		hw->storm.throttled_until = KNC_UNTIL_TICK;
		knc_storm_throttle(hw, count, knc_hw_read_tsc(),
				   pmu_max_load(count->counter));
		knc_count_edit_end(hw, count);
	}
}

static void throttle(unsigned int cpu)
{
	smp_call_function_single(cpu, throttle_here, NULL, true);
}

/* Two tasks alternate on one hardware thread, and migrate: each has its own grid. */
static void own_grids(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int a = c->here, b = c->there;

	follow(2, 1000, 0, 0);
	cast_switch(a, c->task[0]);
	cast_run(a, 600, 0);
	cast_switch(a, c->task[1]);
	cast_run(a, 700, 0);
	KUNIT_EXPECT_EQ(test, samples(a), 0);
	cast_switch(a, c->task[0]);
	cast_run(a, 399, 0);
	KUNIT_EXPECT_EQ(test, samples(a), 0);
	cast_run(a, 1, 0);
	KUNIT_EXPECT_EQ(test, samples(a), 1);
	/* times are known from the first sample on */
	told(0);
	KUNIT_EXPECT_GT(test, g->tally[a].last.time, 0);
	cast_switch(b, c->task[1]);
	cast_run(b, 299, 0);
	KUNIT_EXPECT_EQ(test, samples(b), 0);
	cast_run(b, 1, 0);
	KUNIT_EXPECT_EQ(test, samples(b), 1);
	cast_run(b, 1500, 0);
	KUNIT_EXPECT_EQ(test, samples(b), 2);
	/* the tasks swap hardware threads */
	cast_switch(a, NULL);
	cast_switch(b, c->task[0]);
	cast_switch(a, c->task[1]);
	cast_run(a, 499, 0);
	KUNIT_EXPECT_EQ(test, samples(a), 1);
	cast_run(a, 1, 0);
	KUNIT_EXPECT_EQ(test, samples(a), 2);
	cast_run(b, 999, 0);
	KUNIT_EXPECT_EQ(test, samples(b), 2);
	cast_run(b, 1, 0);
	KUNIT_EXPECT_EQ(test, samples(b), 3);
	KUNIT_EXPECT_EQ(test, g->sampler[b].ring.control->unsampled[0], 0);
	knc_follow_stop(c->follow[0]);
	expect_sums(2);
	KUNIT_EXPECT_EQ(test, told(0), 5000);
}

/* A sample that is due at a switch is taken elsewhere, when its task runs again. */
static void due_elsewhere(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int late;

	for (late = 0; late < 40; late++) {
		follow(2, 1000, 0, 0);
		cast_switch(c->here, c->task[0]);
		cast_run(c->here, 999, 0);
		model_trip(model_of(c->here), 1, 0, late);
		cast_switch(c->here, c->task[1]);
		model_deliver(model_of(c->here));
		model_of(c->here)->late = 0;
		cast_run(c->here, 998, 0);
		KUNIT_EXPECT_LE(test, samples(c->here), 1);
		cast_switch(c->there, c->task[0]);
		cast_run(c->there, 1, 0);
		KUNIT_EXPECT_EQ(test, 1, samples(c->here) +
				samples(c->there));
		KUNIT_EXPECT_EQ(test, told(0), 1000);
		cast_switch(c->there, NULL);
		cast_switch(c->here, NULL);
		knc_follow_stop(c->follow[0]);
		expect_sums(2);
		gallery_leave();
	}
}

/* A due sample becomes unsampled events if counting ends, by STOP or with the task */
static void settles(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int late, how;

	for (late = 0; late < 30; late++)
		for (how = 0; how < 3; how++) {
			follow(2, 1000, 0, 0);
			cast_switch(c->there, c->task[1]);
			cast_run(c->there, 999, 0);
			model_trip(model_of(c->there), 1, 0, 2 + late);
			if (how == 0)
				cast_end(c->there);
			else if (how == 1)
				cast_switch(c->there, NULL);
			/* if @how is 2, the task continues */
			knc_follow_stop(c->follow[0]);
			model_of(c->there)->trip = 0;
			model_deliver(model_of(c->there));
			model_of(c->there)->late = 0;
			KUNIT_EXPECT_EQ_MSG(test, told(0), 1000,
					    "how %u, %u late", how, late);
			KUNIT_EXPECT_EQ(test, counted(0), 1000);
			cast_switch(c->there, NULL);
			c->task[1]->flags = 0;
			gallery_leave();
			model_of(c->there)->nr_unclaimed = 0;
		}
}

/* Throttling belongs to the hardware thread: events of a task there get no samples. */
static void throttled_there(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int a = c->here, b = c->there;
	const struct knc_pmu_ring *page;

	follow(2, 1000, 0, 0);
	page = g->sampler[a].ring.control;
	cast_switch(a, c->task[0]);
	cast_run(a, 400, 0);
	throttle(a);
	KUNIT_EXPECT_EQ(test, page->throttles, 1);
	throttle(a);
	KUNIT_EXPECT_EQ(test, page->throttles, 1);
	cast_run(a, 1700, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 0);
	/* 2100 events: the next sample is 900 events away, and another hardware thread takes it */
	cast_switch(a, NULL);
	KUNIT_EXPECT_EQ(test, page->unsampled[0], 2000);
	cast_switch(b, c->task[0]);
	cast_run(b, 899, 0);
	KUNIT_EXPECT_EQ(test, samples(b), 0);
	cast_run(b, 1, 0);
	KUNIT_EXPECT_EQ(test, samples(b), 1);
	/* another task comes to the hardware thread that is still throttled */
	cast_switch(a, c->task[1]);
	cast_run(a, 300 + MODEL_HALF, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 0);
	cast_switch(a, NULL);
	/* 2^39 is 549755813888 */
	KUNIT_EXPECT_EQ(test, page->unsampled[0],
			2000 + MODEL_HALF + 300 - 188);
	KUNIT_EXPECT_EQ(test, count_of(1, 0)->left, 812);
	cast_switch(a, c->task[1]);
	cast_run(a, 12, 0);
	tick(a);
	/* 800 events are left to the next sample */
	cast_run(a, 799, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 0);
	cast_run(a, 1, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 1);
	cast_run(a, 1000, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 2);
	knc_follow_stop(c->follow[0]);
	expect_sums(2);
	/* the records account for everything */
	KUNIT_EXPECT_EQ(test, g->tally[a].records[KNC_PMU_RECORD_THROTTLE], 1);
	KUNIT_EXPECT_EQ(test, g->tally[a].records[KNC_PMU_RECORD_UNTHROTTLE], 1);
	KUNIT_EXPECT_EQ(test, g->tally[a].unsampled[0], page->unsampled[0]);
}

static u32 pick(struct rnd_state *rnd, u32 below)
{
	return prandom_u32_state(rnd) % below;
}

/* Choose which task runs on which CPU; -1: none */
static void move(struct cast *c, struct rnd_state *rnd, const unsigned int *cpus,
		 int *on)
{
	unsigned int k = pick(rnd, CPUS), i;
	int t = (int)pick(rnd, TASKS + 1) - 1;

	for (i = 0; t >= 0 && i < CPUS; i++)
		if (on[i] == t)
			return;
	cast_switch(cpus[k], t < 0 ? NULL : c->task[t]);
	on[k] = t;
}

static void step(struct rnd_state *rnd,
		 const unsigned int *cpus, int *on)
{
	unsigned int k = pick(rnd, CPUS), i;
	struct model *m = model_of(cpus[k]);

	/* two unnoticed overflows would exceed 40 bits */
	if (!m->pending && pick(rnd, 3) == 0)
		model_trip(m, 1 + pick(rnd, 3), pick(rnd, 20), pick(rnd, 30));
	m->skid = pick(rnd, 4) ? 0 : pick(rnd, 5000);
	switch (pick(rnd, 12)) {
	case 0:
		throttle(cpus[k]);
		break;
	case 1 ... 2:
		tick(cpus[k]);
		break;
	case 3 ... 6:
		move(g->c, rnd, cpus, on);
		break;
	case 7:
		cast_read(g->c, 0);
		break;
	default:
		m->trip = 0;
		cast_run(cpus[k], pick(rnd, 1500), pick(rnd, 3000));
		break;
	}
	for (i = 0; i < CPUS; i++) {
		m = model_of(cpus[i]);
		m->trip = 0;
		m->skid = 0;
		if (pick(rnd, 2))
			model_deliver(m);
		m->late = 0;
	}
}

/* A sample due when its task was switched out comes later, or is unsampled. */
static void visit_all(struct cast *c, const unsigned int *cpus, int *on)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		model_deliver(model_of(cpus[i]));
		cast_switch(cpus[i], NULL);
		on[i] = -1;
	}
	for (i = 0; i < TASKS; i++) {
		cast_switch(cpus[0], c->task[i]);
		cast_run(cpus[0], 1, 1);
		cast_switch(cpus[0], NULL);
	}
}

static void play(struct kunit *test, u64 seed, u32 ring)
{
	struct cast *c = test->priv;
	unsigned int cpus[CPUS] = { c->here, c->here + 1, c->there };
	unsigned int round, i;
	struct rnd_state rnd;
	int on[CPUS] = { -1, -1, -1 };

	prandom_seed_state(&rnd, seed_of(test, seed));
	c->config.ring_size = ring;
	follow(TASKS, 100 + pick(&rnd, 1000), 100 + pick(&rnd, 3000), 0);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < STEPS; i++) {
			step(&rnd, cpus, on);
			if (ring > 4096 && i % 32 == 0)
				told(0);
		}
		visit_all(c, cpus, on);
		knc_follow_stop(c->follow[0]);
		expect_sums(TASKS);
		if (test->status == KUNIT_FAILURE) {
			kunit_err(test, "seed %llu, round %u", seed, round);
			break;
		}
		knc_follow_start(c->follow[0]);
		cond_resched();
	}
	for (i = 0; i < CPUS; i++)
		KUNIT_EXPECT_EQ(test, model_of(cpus[i])->nr_unclaimed, 0);
}

static void random_1(struct kunit *test)
{
	play(test, 1, 1 << 16);
}

static void random_2(struct kunit *test)
{
	play(test, 2, 1 << 16);
}

/* With a full ring most samples are lost */
static void random_full(struct kunit *test)
{
	play(test, 3, 4096);
}

/* The most events of a task that no sample has reported yet */
static u64 on_the_way(unsigned int task)
{
	const struct knc_count *count = count_of(task, 0);

	return count->segment + count->carry;
}

/*
 * At a frequency each task has its own period, one a long, another a short one. Fewer events than
 * its period are not yet sampled.
 */
static void frequency(struct kunit *test)
{
	struct cast *c = test->priv;
	const struct knc_sampling *e = &g->sampler[c->here].sampling[0];
	struct model *m = model_of(c->here);
	u64 most = 0, least = ~0ULL, rest;
	unsigned int i, n;

	follow(2, 1000, 0, KNC_PMU_EVENT_FREQ);
	for (i = 0; i < 100; i++) {
		cast_switch(c->here, c->task[i & 1]);
		for (n = 0; n < 8; n++) {
			/* many events in a millisecond, or few */
			model_pass(m, i & 1 ? tsc_khz * 100 : tsc_khz / 10);
			cast_run(c->here, e->period, 0);
			most = max(most, e->period);
			least = min(least, e->period);
			rest = counted(0) - told(0);
			KUNIT_EXPECT_LT_MSG(test, rest,
					    on_the_way(0) + on_the_way(1),
					    "turn %u, %u", i, n);
		}
		if (test->status == KUNIT_FAILURE)
			break;
	}
	KUNIT_EXPECT_GT(test, most, 64 * least);
	knc_follow_stop(c->follow[0]);
	expect_sums(2);
}

/* With a limit each task has its own period: one is slowed, the other is not. */
static void limit(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->here);
	unsigned int i, n;

	g->event[0].max_freq = 1000;
	follow(2, 1009, 0, KNC_PMU_EVENT_LIMIT);
	for (i = 0; i < 100; i++) {
		cast_switch(c->here, c->task[i & 1]);
		for (n = 0; n < 10; n++) {
			/* 100 periods in a millisecond, or half a period */
			model_pass(m, tsc_khz);
			cast_run(c->here, i & 1 ? 100900 : 504, 0);
		}
	}
	cast_switch(c->here, NULL);
	KUNIT_EXPECT_EQ(test, count_of(0, 0)->period, 1009);
	KUNIT_EXPECT_GT(test, count_of(1, 0)->period, 50 * 1009);
	knc_follow_stop(c->follow[0]);
	expect_sums(2);
	g->event[0].max_freq = 0;
}

/* A task returns to its unchanged registers: a period adapted meanwhile takes effect at once. */
static void adapted_on_return(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->here);
	unsigned int i, adapted = 0;
	struct knc_count *count;
	s64 left;

	follow(1, 1000, 0, KNC_PMU_EVENT_FREQ);
	count = count_of(0, 0);
	cast_switch(c->here, c->task[0]);
	for (i = 0; i < 20; i++) {
		model_pass(m, tsc_khz / 10);
		cast_run(c->here, count->left, 0);
	}
	for (i = 0; i < 20; i++) {
		cast_run(c->here, 1, 0);
		model_pass(m, 100ULL * tsc_khz);
		left = count->left - 1;
		cast_switch(c->here, NULL);
		cast_switch(c->here, c->task[0]);
		adapted += count->left < left;
		KUNIT_EXPECT_EQ(test, m->regs.perfcntr[0],
				-(u64)count->left & MODEL_CNTR_MASK);
	}
	KUNIT_EXPECT_GT(test, adapted, 0);
	knc_follow_stop(c->follow[0]);
	expect_sums(1);
}

/* No task of the session ran here for hours: the first sample still has the present time. */
static void time_after_pause(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_sampler *s = &g->sampler[c->here];
	struct model *m = model_of(c->here);
	unsigned int i;
	u64 now;

	follow(1, 1000, 0, 0);
	/* take the sample before the work that sets the clock and the tick */
	atomic_or(IRQ_WORK_CLAIMED, &s->arm.node.a_flags);
	for (i = 0; i < 3; i++) {
		/* the tick ends when it finds no task */
		timer_delete_sync(&s->tick);
		model_pass(m, i ? 5000000000ULL * tsc_khz / MSEC_PER_SEC : 2 * tsc_khz);
		now = ktime_get_ns();
		cast_switch(c->here, c->task[0]);
		cast_run(c->here, 1000, 0);
		cast_switch(c->here, NULL);
		tally_read(test, &s->ring, &g->tally[c->here]);
		KUNIT_EXPECT_EQ(test, g->tally[c->here].samples[0], i + 1);
		KUNIT_EXPECT_LE(test, now, g->tally[c->here].last.time);
		KUNIT_EXPECT_LT(test, g->tally[c->here].last.time, now + 10 * NSEC_PER_SEC);
	}
	atomic_andnot(IRQ_WORK_CLAIMED, &s->arm.node.a_flags);
	knc_follow_stop(c->follow[0]);
	expect_sums(1);
}

/* Let @us microseconds pass on a CPU, with @rate events in each */
static void flows(unsigned int cpu, u64 us, u64 rate)
{
	model_flow(model_of(cpu), us * rate, 0, us * tsc_khz / 1000);
	/* no timer runs here: call its function */
	knc_storm_tick(knc_hwthread_of(cpu));
}

/*
 * About the requested number of samples. A task's period starts at 1024 events: finding the right
 * period takes up to some 600 samples more.
 */
static void expect_rate(u64 got, u64 ms)
{
	KUNIT_EXPECT_GE(g->c->test, got, ms - ms / 5);
	KUNIT_EXPECT_LE(g->c->test, got, ms + 1800);
}

/*
 * Tasks sampled at 1000 Hz, with different rates of events, alternate on two hardware threads. A
 * time slice is shorter than a period, or several periods long: there are as many samples as if
 * each task ran alone.
 */
static void rate_of_each(struct kunit *test)
{
	static const u64 slices[] = { 500, 2900 };
	static const u64 rates[] = { 2, 50, 700 };
	struct cast *c = test->priv;
	unsigned int cpus[2] = { c->here, c->there };
	unsigned int i, k, s, n;
	u64 us;

	model_of(cpus[0])->pace = 0;
	model_of(cpus[1])->pace = 0;
	for (s = 0; s < ARRAY_SIZE(slices); s++) {
		follow(3, 1000, 0, KNC_PMU_EVENT_FREQ);
		us = 0;
		for (n = 0; us < 4000000; n++) {
			i = n % 3;
			k = n / 2 % 2;
			cast_switch(cpus[k], c->task[i]);
			flows(cpus[k], slices[s] + n % 7, rates[i]);
			us += slices[s] + n % 7;
			cast_switch(cpus[k], NULL);
			if (n % 64 == 0)
				told(0);
		}
		expect_rate(samples(cpus[0]) + samples(cpus[1]),
			    us / 1000);
		for (i = 0; i < 3; i++) {
			KUNIT_EXPECT_GE(test, count_of(i, 0)->period,
					rates[i] * 900);
			KUNIT_EXPECT_LE(test, count_of(i, 0)->period,
					rates[i] * 1100);
		}
		knc_follow_stop(c->follow[0]);
		expect_sums(3);
		gallery_leave();
	}
}

/* A task starts with its creator's period, and need not find its own first. */
static void period_of_creator(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;
	u64 before;

	model_of(c->here)->pace = 0;
	follow(1, 1000, 0, KNC_PMU_EVENT_FREQ);
	cast_switch(c->here, c->task[0]);
	flows(c->here, 2000000, 100);
	before = samples(c->here);
	for (i = 1; i < 4; i++) {
		cast_fork(c->here, c->task[i]);
		KUNIT_EXPECT_EQ(test, count_of(i, 0)->period,
				g->sampler[c->here].sampling[0].period);
		KUNIT_EXPECT_EQ(test, count_of(i, 0)->left,
				count_of(i, 0)->period);
	}
	for (i = 1; i < 4; i++) {
		cast_switch(c->here, c->task[i]);
		flows(c->here, 900, 100);
	}
	KUNIT_EXPECT_EQ(test, samples(c->here), before);
	knc_follow_stop(c->follow[0]);
	expect_sums(4);
}

/* The time for which a task does not run does not count for its frequency. */
static void away(struct kunit *test)
{
	struct cast *c = test->priv;
	const struct knc_sampling *e = &g->sampler[c->here].sampling[0];
	unsigned int i;

	model_of(c->here)->pace = 0;
	follow(1, 1000, 0, KNC_PMU_EVENT_FREQ);
	cast_switch(c->here, c->task[0]);
	for (i = 0; i < 3000; i++)
		flows(c->here, 1000, 5);
	KUNIT_EXPECT_GE(test, e->period, 4900);
	KUNIT_EXPECT_LE(test, e->period, 5100);
	for (i = 0; i < 100; i++) {
		flows(c->here, 3300, 5);
		cast_switch(c->here, NULL);
		model_pass(model_of(c->here), 1000ULL * tsc_khz);
		cast_switch(c->here, c->task[0]);
		KUNIT_EXPECT_GE(test, e->period, 4900);
		KUNIT_EXPECT_LE(test, e->period, 5100);
	}
}

/*
 * STOP reports lost samples on a hardware thread without a task, and on one with a task that stays
 * on the counters for its USER_PREF.
 */
static void lost_is_told(struct kunit *test)
{
	struct cast *c = test->priv;
	const struct knc_pmu_ring *page;
	const struct tally *t = &g->tally[c->there];
	unsigned int how;

	c->config.ring_size = 4096;
	for (how = 0; how < 4; how++) {
		g->obeys = how & 2;
		follow(1, 10, 0, 0);
		page = g->sampler[c->there].ring.control;
		cast_switch(c->there, c->task[0]);
		cast_run(c->there, 2000, 0);
		if (how & 1)
			cast_switch(c->there, NULL);
		KUNIT_EXPECT_GT(test, page->lost, 0);
		told(0);
		KUNIT_EXPECT_EQ(test, t->lost, 0);
		/* this CPU has no claim that could be throttled */
		if (how & 1)
			tick(c->there);
		knc_follow_stop(c->follow[0]);
		told(0);
		KUNIT_EXPECT_EQ(test, t->lost, page->lost);
		KUNIT_EXPECT_EQ(test, t->lost_events[0], page->lost_events[0]);
		KUNIT_EXPECT_EQ(test, t->periods[0] + t->lost_events[0], 2000);
		expect_sums(1);
		cast_switch(c->there, NULL);
		gallery_leave();
	}
}

/* A sample due at STOP has its task's period, whichever task runs here. */
static void settles_its_period(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->there);

	follow(2, 1000, 0, KNC_PMU_EVENT_FREQ);
	cast_switch(c->here, c->task[0]);
	flows(c->here, 100000, 1000);
	cast_switch(c->there, c->task[1]);
	flows(c->there, 100000, 1);
	/* all events except the last */
	cast_run(c->there, MODEL_CNTR_MASK - m->regs.perfcntr[0], 0);
	model_trip(m, 1, 0, 1000);
	cast_switch(c->there, NULL);
	model_deliver(m);
	m->late = 0;
	KUNIT_EXPECT_LE(test, count_of(1, 0)->left, 0);
	knc_follow_stop(c->follow[0]);
	KUNIT_EXPECT_GT(test, count_of(0, 0)->period,
			64 * count_of(1, 0)->period);
	expect_sums(2);
}

/* A task that is on the counters only for its USER_PREF keeps its sampling state. */
static void stopped_goes_about(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i;
	u64 period;

	g->obeys = true;
	follow(1, 1000, 0, KNC_PMU_EVENT_FREQ);
	cast_switch(c->there, c->task[0]);
	flows(c->there, 20000, 1);
	cast_switch(c->there, NULL);
	cast_switch(c->here, c->task[0]);
	flows(c->here, 20000, 1000);
	knc_follow_stop(c->follow[0]);
	expect_sums(1);
	period = count_of(0, 0)->period;
	cast_switch(c->here, NULL);
	for (i = 0; i < 4; i++) {
		cast_switch(i & 1 ? c->here : c->there, c->task[0]);
		tick(i & 1 ? c->here : c->there);
		cast_run(i & 1 ? c->here : c->there, 5000, 0);
		KUNIT_EXPECT_EQ(test, count_of(0, 0)->period, period);
		knc_follow_stop(c->follow[0]);
		expect_sums(1);
		cast_switch(i & 1 ? c->here : c->there, NULL);
	}
}

/* An interrupt in the kernel, deep in the stack of @task, which will continue at @ip */
static void enter_kernel(struct model *m, struct task_struct *task,
			 unsigned long ip)
{
	struct pt_regs *saved = task_pt_regs(task);

	saved->ip = ip;
	saved->cs = __USER_CS;
	m->pt_regs.ip = 0xffffffff81234567;
	m->pt_regs.cs = __KERNEL_CS;
	m->pt_regs.sp = (unsigned long)(saved - 4);
}

static void interrupt_program(struct model *m, unsigned long ip)
{
	memset(&m->pt_regs, 0, sizeof(m->pt_regs));
	m->pt_regs.ip = ip;
	m->pt_regs.cs = __USER_CS;
}

/* Sessions that may not see the kernel do not learn its address. */
static void hides_the_kernel(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->here);
	const struct tally *t = &g->tally[c->here];
	unsigned int hidden;

	for (hidden = 0; hidden < 2; hidden++) {
		follow(1, 1000, 0, 0);
		if (hidden)
			knc_sampler_hide_kernel(&g->sampler[c->here]);
		cast_switch(c->here, c->task[0]);
		enter_kernel(m, c->task[0], 0x4321);
		cast_run(c->here, 1000, 0);
		told(0);
		KUNIT_EXPECT_EQ(test, t->samples[0], 1);
		KUNIT_EXPECT_EQ(test, t->last.ip,
				hidden ? 0x4321 : 0xffffffff81234567);
		KUNIT_EXPECT_EQ(test, t->last.flags,
				hidden ? KNC_PMU_SAMPLE_USER : 0);
		/* in user mode there is nothing to hide */
		interrupt_program(m, 0x5678);
		cast_run(c->here, 1000, 0);
		told(0);
		KUNIT_EXPECT_EQ(test, t->samples[0], 2);
		KUNIT_EXPECT_EQ(test, t->last.ip, 0x5678);
		KUNIT_EXPECT_EQ(test, t->last.flags, KNC_PMU_SAMPLE_USER);
		memset(&m->pt_regs, 0, sizeof(m->pt_regs));
		cast_switch(c->here, NULL);
		gallery_leave();
	}
}

static void tell_here(void *task)
{
	knc_test_switch(fake_current(), task);
}

/* The scheduler has called the probe, but not switched yet. */
static void tell_switch(unsigned int cpu, struct task_struct *task)
{
	smp_call_function_single(cpu, tell_here, task, true);
}

static void go_here(void *task)
{
	fake_set_current(task);
}

/*
 * The next task's counters run while the previous task still executes: an overflow then must not
 * show the previous task's pids, addresses and memory.
 */
static void between_tasks(struct kunit *test, unsigned int hidden)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->here);
	const struct tally *t = &g->tally[c->here];
	const struct knc_pmu_ring *page;

	c->config.flags = KNC_PMU_CONFIG_CHAIN_USER;
	if (!hidden)
		c->config.flags |= KNC_PMU_CONFIG_CHAIN_KERNEL;
	c->config.flags |= KNC_PMU_CONFIG_STACK;
	c->config.max_frames = 8;
	c->config.stack_size = 512;
	c->task[1]->tgid = 200;
	c->task[1]->pid = 201;
	follow(2, 1000, 0, 0);
	page = g->sampler[c->here].ring.control;
	if (hidden)
		knc_sampler_hide_kernel(&g->sampler[c->here]);
	/* another user's task, which is not followed */
	smp_call_function_single(c->here, go_here, c->task[7], true);
	enter_kernel(m, c->task[7], 0x1111);
	task_pt_regs(c->task[7])->bp = 0x2220;
	knc_test_copies = 0;
	tell_switch(c->here, c->task[1]);
	cast_run(c->here, 1000, 0);
	told(0);
	KUNIT_EXPECT_EQ(test, t->samples[0], !hidden);
	KUNIT_EXPECT_EQ(test, page->samples, !hidden);
	KUNIT_EXPECT_EQ(test, page->unsampled[0], hidden ? 1000 : 0);
	KUNIT_EXPECT_EQ(test, knc_test_copies, 0);
	KUNIT_EXPECT_EQ(test, t->copies + t->no_room, 0);
	if (!hidden) {
		KUNIT_EXPECT_EQ(test, t->last.pid, 200);
		KUNIT_EXPECT_EQ(test, t->last.tid, 201);
		KUNIT_EXPECT_EQ(test, t->last.nr_user, 0);
		KUNIT_EXPECT_EQ(test, t->last.nr_kernel, 0);
	}
	/* the grid continues */
	smp_call_function_single(c->here, go_here, c->task[1], true);
	enter_kernel(m, c->task[1], 0x3333);
	cast_run(c->here, 999, 0);
	KUNIT_EXPECT_EQ(test, page->samples, !hidden);
	cast_run(c->here, 1, 0);
	told(0);
	KUNIT_EXPECT_EQ(test, t->samples[0], 1 + !hidden);
	KUNIT_EXPECT_EQ(test, t->last.pid, 200);
	KUNIT_EXPECT_EQ(test, t->last.tid, 201);
	KUNIT_EXPECT_EQ(test, t->last.nr_user, 1);
	KUNIT_EXPECT_EQ(test, t->copies, 1);
	memset(&m->pt_regs, 0, sizeof(m->pt_regs));
	cast_switch(c->here, NULL);
	knc_follow_stop(c->follow[0]);
	expect_sums(2);
}

static void between_tasks_hidden(struct kunit *test)
{
	between_tasks(test, 1);
}

static void between_tasks_shown(struct kunit *test)
{
	between_tasks(test, 0);
}

/* As between_tasks(), for a session with plain samples */
static void between_tasks_plain(struct kunit *test)
{
	struct cast *c = test->priv;
	const struct tally *t = &g->tally[c->here];

	c->task[0]->tgid = 100;
	c->task[0]->pid = 101;
	c->task[7]->tgid = 700;
	c->task[7]->pid = 701;
	follow(1, 1000, 0, 0);
	smp_call_function_single(c->here, go_here, c->task[7], true);
	enter_kernel(model_of(c->here), c->task[7], 0x1111);
	tell_switch(c->here, c->task[0]);
	cast_run(c->here, 1000, 0);
	told(0);
	KUNIT_EXPECT_EQ(test, t->samples[0], 1);
	KUNIT_EXPECT_EQ(test, t->last.pid, 100);
	KUNIT_EXPECT_EQ(test, t->last.tid, 101);
	memset(&model_of(c->here)->pt_regs, 0, sizeof(struct pt_regs));
	cast_switch(c->here, NULL);
	knc_follow_stop(c->follow[0]);
	expect_sums(1);
}

/* The interrupted mode determines which function walks the stack. */
static void walkers(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->here);

	c->config.flags = KNC_PMU_CONFIG_CHAIN_USER;
	c->config.max_frames = 8;
	follow(1, 1000, 0, 0);
	knc_sampler_hide_kernel(&g->sampler[c->here]);
	cast_switch(c->here, c->task[0]);
	knc_test_copies = 0;
	interrupt_program(m, 0x5678);
	cast_run(c->here, 1000, 0);
	KUNIT_EXPECT_EQ(test, knc_test_copies, 0);
	told(0);
	KUNIT_EXPECT_EQ(test, g->tally[c->here].last.ip, 0x5678);
	KUNIT_EXPECT_EQ(test, g->tally[c->here].last.nr_user, 1);
	KUNIT_EXPECT_EQ(test, g->tally[c->here].last.record.size,
			sizeof(struct knc_pmu_sample) + sizeof(u64));
	enter_kernel(m, c->task[0], 0x4321);
	task_pt_regs(c->task[0])->bp = 0x2220;
	cast_run(c->here, 1000, 0);
	KUNIT_EXPECT_EQ(test, knc_test_copies, 1);
	told(0);
	KUNIT_EXPECT_EQ(test, g->tally[c->here].samples[0], 2);
	memset(&m->pt_regs, 0, sizeof(m->pt_regs));
	cast_switch(c->here, NULL);
}

/* The program's address is not known: no sample, which would show an address in the kernel. */
static void nowhere(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->here);
	const struct knc_pmu_ring *page;

	follow(1, 1000, 0, 0);
	page = g->sampler[c->here].ring.control;
	knc_sampler_hide_kernel(&g->sampler[c->here]);
	cast_switch(c->here, c->task[0]);
	enter_kernel(m, c->task[0], 0x4321);
	c->task[0]->in_execve = 1;
	cast_run(c->here, 3000, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 0);
	KUNIT_EXPECT_EQ(test, page->unsampled[0], 3000);
	c->task[0]->in_execve = 0;
	cast_run(c->here, 2000, 0);
	KUNIT_EXPECT_EQ(test, page->samples, 2);
	KUNIT_EXPECT_EQ(test, page->unsampled[0], 3000);
	memset(&m->pt_regs, 0, sizeof(m->pt_regs));
	cast_switch(c->here, NULL);
	knc_follow_stop(c->follow[0]);
	expect_sums(1);
}

static struct pt_regs find_regs;

#define UNKNOWN		0ULL

static void expect_user(struct kunit *test, const char *what, u64 ip, u64 bp)
{
	struct knc_user user = knc_user_find(&find_regs);

	KUNIT_EXPECT_EQ_MSG(test, user.ip, ip, "%s", what);
	if (ip != UNKNOWN)
		KUNIT_EXPECT_EQ_MSG(test, user.bp, bp, "%s", what);
}

static void expect_user_at(struct kunit *test, const char *what, const void *sp,
			   u64 ip, u64 bp)
{
	find_regs.sp = (unsigned long)sp;
	expect_user(test, what, ip, bp);
}

#define SAVED_IP	0x4000
#define SAVED_BP	0x4008
#define LIVE_IP		0x5000
#define LIVE_BP		0x5008

/* At the start of a system call the program's registers are still in place. */
static void finds_registers(struct kunit *test)
{
	struct cast *c = test->priv;
	struct pt_regs *saved = task_pt_regs(c->task[0]);

	fake_set_current(c->task[0]);
	saved->ip = SAVED_IP;
	saved->bp = SAVED_BP;
	saved->cs = __USER_CS;
	memset(&find_regs, 0, sizeof(find_regs));
	find_regs.ip = 0xffffffff81234567;
	find_regs.cs = __KERNEL_CS;
	find_regs.cx = LIVE_IP;
	find_regs.bp = LIVE_BP;
	expect_user_at(test, "no stack yet", (void *)0x7ffc12345678, LIVE_IP, LIVE_BP);
	expect_user_at(test, "no stack at all", NULL, LIVE_IP, LIVE_BP);
	expect_user_at(test, "CR3", (void *)(1UL << 63 | 0x1234000), LIVE_IP, LIVE_BP);
	expect_user_at(test, "nothing is saved", saved + 1, LIVE_IP, LIVE_BP);
	expect_user_at(test, "flags are saved", &saved->flags, LIVE_IP, LIVE_BP);
	expect_user_at(test, "cs is saved", &saved->cs, LIVE_IP, LIVE_BP);
	expect_user_at(test, "ip is saved", &saved->ip, SAVED_IP, LIVE_BP);
	expect_user_at(test, "r11 is saved", &saved->r11, SAVED_IP, LIVE_BP);
	expect_user_at(test, "bx is saved", &saved->bx, SAVED_IP, LIVE_BP);
	expect_user_at(test, "bp is saved", &saved->bp, SAVED_IP, SAVED_BP);
	expect_user_at(test, "all is saved", saved, SAVED_IP, SAVED_BP);
	expect_user_at(test, "in the kernel", saved - 1, SAVED_IP, SAVED_BP);
	expect_user_at(test, "on another stack", saved + 1000, SAVED_IP, SAVED_BP);
	expect_user_at(test, "entered by an interrupt",
		       (void *)(CPU_ENTRY_AREA_BASE + 0x1fd8), UNKNOWN, 0);
	/* on this path RCX does not hold the program's address */
	find_regs.cx = 0xffffffff81234567;
	expect_user_at(test, "no program", NULL, UNKNOWN, 0);
	fake_set_current(NULL);
}

static void finds_no_program(struct kunit *test)
{
	struct cast *c = test->priv;
	struct task_struct *task = c->task[0];
	struct pt_regs *saved = task_pt_regs(task);
	struct mm_struct *mm = task->mm;

	fake_set_current(task);
	memset(&find_regs, 0, sizeof(find_regs));
	find_regs.cs = __KERNEL_CS;
	find_regs.sp = (unsigned long)(saved - 4);
	saved->ip = SAVED_IP;
	saved->bp = SAVED_BP;
	saved->cs = __USER_CS;
	expect_user(test, "a program", SAVED_IP, SAVED_BP);
	saved->cs = __KERNEL_CS;
	expect_user(test, "none yet", UNKNOWN, 0);
	saved->cs = __USER_CS;
	task->in_execve = 1;
	expect_user(test, "another one is being executed", UNKNOWN, 0);
	task->in_execve = 0;
	task->flags |= PF_KTHREAD;
	expect_user(test, "a kernel thread with borrowed memory", UNKNOWN, 0);
	task->flags &= ~PF_KTHREAD;
	task->mm = NULL;
	expect_user(test, "no memory", UNKNOWN, 0);
	task->mm = mm;
	expect_user(test, "a program again", SAVED_IP, SAVED_BP);
	/* none of this matters in user mode */
	find_regs.cs = __USER_CS;
	find_regs.ip = LIVE_IP;
	find_regs.bp = LIVE_BP;
	find_regs.sp = (unsigned long)(saved + 1);
	expect_user(test, "interrupted in user mode", LIVE_IP, LIVE_BP);
	fake_set_current(NULL);
}

static const struct knc_ring *asked_ring;
static unsigned int asked, asked_late;

static void asks_pid(void)
{
	const struct knc_pmu_sample *sample = knc_ring_end(asked_ring);

	asked++;
	asked_late += sample->pid || sample->tid;
}

/* A reader may see a sample while it is written: the sample never shows the machine's pid. */
static void namespaced_at_once(struct kunit *test)
{
	struct cast *c = test->priv;

	g->pid_ns = &init_pid_ns;
	c->task[0]->tgid = 100;
	c->task[0]->pid = 101;
	fake_number(c->task[0], 7);
	follow(1, 1000, 0, 0);
	asked_ring = &g->sampler[c->here].ring;
	asked = 0;
	asked_late = 0;
	cast_switch(c->here, c->task[0]);
	knc_test_asks_pid = asks_pid;
	cast_run(c->here, 1000, 0);
	KUNIT_EXPECT_EQ(test, asked, 1);
	interrupt_program(model_of(c->here), 0x5678);
	cast_run(c->here, 1000, 0);
	knc_test_asks_pid = NULL;
	told(0);
	KUNIT_EXPECT_EQ(test, asked, 2);
	KUNIT_EXPECT_EQ(test, asked_late, 0);
	KUNIT_EXPECT_EQ(test, g->tally[c->here].samples[0], 2);
	KUNIT_EXPECT_EQ(test, g->tally[c->here].last.tid, 7);
	memset(&model_of(c->here)->pt_regs, 0, sizeof(struct pt_regs));
	cast_switch(c->here, NULL);
}

#define TIME_OFF	0x100000	/* ticks */
#define WHY	(KNC_PMU_SAMPLE_RUNNABLE | KNC_PMU_SAMPLE_BLOCKED)

/* Task 0 is switched out in a state, and in again: two records */
static void expect_switch(bool preempted, unsigned int state, u8 why)
{
	struct cast *c = g->c;
	struct tally *t = &g->tally[c->here];
	u64 nr = t->records[KNC_PMU_RECORD_SWITCH_OUT];

	knc_test_preempts = preempted;
	knc_test_state = state;
	cast_switch(c->here, NULL);
	knc_test_preempts = false;
	knc_test_state = 0;
	model_of(c->here)->tsc += TIME_OFF;
	cast_switch(c->here, c->task[0]);
	told(0);
	KUNIT_EXPECT_EQ(c->test, t->records[KNC_PMU_RECORD_SWITCH_OUT], nr + 1);
	KUNIT_EXPECT_EQ(c->test, t->records[KNC_PMU_RECORD_SWITCH_IN], nr + 2);
	KUNIT_EXPECT_EQ(c->test, t->out.flags & WHY, why);
	KUNIT_EXPECT_GT(c->test, t->in.period, 0);
	KUNIT_EXPECT_EQ(c->test, t->in.period, t->in.time - t->out.time);
}

/* The reason of a switch, by the kernel's task states */
static void switch_reasons(struct kunit *test)
{
	struct cast *c = test->priv;

	c->config.flags = KNC_PMU_CONFIG_SWITCHES;
	follow(1, 1000, 0, 0);
	cast_switch(c->here, c->task[0]);
	expect_switch(false, TASK_INTERRUPTIBLE, 0);
	expect_switch(false, __TASK_STOPPED, 0);
	expect_switch(false, 0, KNC_PMU_SAMPLE_RUNNABLE);
	expect_switch(true, TASK_INTERRUPTIBLE, KNC_PMU_SAMPLE_RUNNABLE);
	expect_switch(true, TASK_UNINTERRUPTIBLE, KNC_PMU_SAMPLE_RUNNABLE);
	expect_switch(false, TASK_UNINTERRUPTIBLE, KNC_PMU_SAMPLE_BLOCKED);
	expect_switch(false, TASK_KILLABLE, KNC_PMU_SAMPLE_BLOCKED);
	cast_switch(c->here, NULL);
}

/* Pids and the place are those of the task that is switched out; a kernel thread has no place. */
static void switch_places(struct kunit *test)
{
	struct cast *c = test->priv;
	struct tally *t = &g->tally[c->here];
	struct model *m = model_of(c->here);

	c->config.flags = KNC_PMU_CONFIG_SWITCHES | KNC_PMU_CONFIG_CHAIN_USER |
			  KNC_PMU_CONFIG_STACK;
	c->config.max_frames = 8;
	c->config.stack_size = 512;
	c->task[0]->tgid = 100;
	c->task[0]->pid = 101;
	follow(2, 1000, 0, 0);
	cast_switch(c->here, c->task[0]);
	enter_kernel(m, c->task[0], 0x4321);
	cast_switch(c->here, c->task[1]);
	told(0);
	KUNIT_EXPECT_EQ(test, t->out.pid, 100);
	KUNIT_EXPECT_EQ(test, t->out.tid, 101);
	KUNIT_EXPECT_EQ(test, t->out.ip, 0x4321);
	KUNIT_EXPECT_EQ(test, t->out.nr_user, 1);
	KUNIT_EXPECT_EQ(test, t->out.event, 1);
	KUNIT_EXPECT_EQ(test, t->copies, 1);
	KUNIT_EXPECT_EQ(test, t->in.tid, c->task[1]->pid);
	cast_switch(c->here, c->task[0]);
	told(0);
	KUNIT_EXPECT_EQ(test, t->out.ip, 0);
	KUNIT_EXPECT_EQ(test, t->out.nr_user, 0);
	c->task[0]->in_execve = 1;
	knc_test_copies = 0;
	cast_switch(c->here, NULL);
	c->task[0]->in_execve = 0;
	told(0);
	KUNIT_EXPECT_EQ(test, t->out.tid, 101);
	KUNIT_EXPECT_EQ(test, t->out.ip, 0);
	KUNIT_EXPECT_EQ(test, t->copies, 1);
	KUNIT_EXPECT_EQ(test, knc_test_copies, 0);
	memset(&m->pt_regs, 0, sizeof(m->pt_regs));
}

/*
 * Commands that take targets off the counters and put them back are no context switches; a stopped
 * task does not wait.
 */
static void switch_commands(struct kunit *test)
{
	struct cast *c = test->priv;
	struct tally *t = &g->tally[c->here];

	c->config.flags = KNC_PMU_CONFIG_SWITCHES;
	follow(1, 1000, 0, 0);
	cast_switch(c->here, c->task[0]);
	/* a session without samples has no such records */
	c->prepare = NULL;
	cast_follow(c, 1, KNC_PMU_CONFIG_TASK, c->task[0], 1, 1);
	knc_follow_start(c->follow[1]);
	knc_follow_stop(c->follow[1]);
	told(0);
	KUNIT_EXPECT_EQ(test, t->records[KNC_PMU_RECORD_SWITCH_OUT], 0);
	KUNIT_EXPECT_EQ(test, t->records[KNC_PMU_RECORD_SWITCH_IN], 1);
	KUNIT_EXPECT_EQ(test, knc_hwthread_of(c->here)->tells, 1);
	cast_switch(c->here, NULL);
	knc_follow_stop(c->follow[0]);
	cast_begin(c, c->here);
	told(0);
	KUNIT_EXPECT_EQ(test, t->records[KNC_PMU_RECORD_SWITCH_OUT], 1);
	KUNIT_EXPECT_EQ(test, t->records[KNC_PMU_RECORD_SWITCH_IN], 2);
	KUNIT_EXPECT_EQ(test, t->in.period, 0);
	cast_switch(c->here, NULL);
	KUNIT_EXPECT_EQ(test, knc_hwthread_of(c->here)->tells, 0);
	KUNIT_EXPECT_EQ(test, knc_hwthread_of(c->here)->leaves, 0);
	cast_leave(c, 1);
}

/* A full ring: lost records are counted, and the time off is right after a lost record. */
static void switch_lost(struct kunit *test)
{
	struct cast *c = test->priv;
	struct tally *t = &g->tally[c->here];
	const struct knc_pmu_ring *page;
	unsigned int i;

	c->config.flags = KNC_PMU_CONFIG_SWITCHES;
	c->config.ring_size = 4096;
	follow(1, 1000, 0, 0);
	page = g->sampler[c->here].ring.control;
	for (i = 0; i < 100; i++) {
		cast_switch(c->here, c->task[0]);
		cast_switch(c->here, NULL);
		model_of(c->here)->tsc += TIME_OFF;
	}
	KUNIT_EXPECT_EQ(test, page->switches, 200);
	KUNIT_EXPECT_GT(test, page->lost_switches, 100);
	told(0);
	KUNIT_EXPECT_EQ(test, t->records[KNC_PMU_RECORD_SWITCH_OUT] +
			t->records[KNC_PMU_RECORD_SWITCH_IN] + page->lost_switches, 200);
	cast_switch(c->here, c->task[0]);
	told(0);
	KUNIT_EXPECT_GT(test, t->in.period, 0);
	KUNIT_EXPECT_LT(test, t->in.period, t->in.time - t->out.time);
	KUNIT_EXPECT_EQ(test, page->lost, 0);
	cast_switch(c->here, NULL);
}

static struct kunit_case task_samples_cases[] = {
	KUNIT_CASE(own_grids),
	KUNIT_CASE(due_elsewhere),
	KUNIT_CASE(settles),
	KUNIT_CASE(throttled_there),
	KUNIT_CASE(random_1),
	KUNIT_CASE(random_2),
	KUNIT_CASE(random_full),
	KUNIT_CASE(frequency),
	KUNIT_CASE(limit),
	KUNIT_CASE(adapted_on_return),
	KUNIT_CASE(time_after_pause),
	KUNIT_CASE(rate_of_each),
	KUNIT_CASE(period_of_creator),
	KUNIT_CASE(away),
	KUNIT_CASE(lost_is_told),
	KUNIT_CASE(settles_its_period),
	KUNIT_CASE(stopped_goes_about),
	KUNIT_CASE(hides_the_kernel),
	KUNIT_CASE(between_tasks_hidden),
	KUNIT_CASE(between_tasks_shown),
	KUNIT_CASE(between_tasks_plain),
	KUNIT_CASE(walkers),
	KUNIT_CASE(nowhere),
	KUNIT_CASE(finds_registers),
	KUNIT_CASE(finds_no_program),
	KUNIT_CASE(namespaced_at_once),
	KUNIT_CASE(switch_reasons),
	KUNIT_CASE(switch_places),
	KUNIT_CASE(switch_commands),
	KUNIT_CASE(switch_lost),
	{}
};

STAGE_SUITE(task_samples, gallery_init, gallery_exit);

kunit_test_suite(task_samples_suite);
