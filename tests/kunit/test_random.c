// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of everything that can happen to a hardware thread; the counts are compared with
 * an oracle that only adds up events
 */
#include <linux/prandom.h>

#include "hwthread_fixture.h"
#include "seed.h"

#define STEPS	4000

/**
 * struct oracle - the expected counts of a claim
 * @attached: the claim has its counters
 * @started: the claim counts
 * @gap: since the last reset, its hardware thread was offline while the claim was started
 * @value: the events that happened while it counted
 * @enabled: ns started
 * @running: ns started and online
 */
struct oracle {
	bool attached;
	bool started;
	bool gap;
	u64 value[2];
	u64 enabled;
	u64 running;
};

struct play {
	struct bench *b;
	struct rnd_state rnd;
	struct oracle oracle[BENCH_CLAIMS];
	struct model_regs before;
};

static u32 pick(struct play *p, u32 below)
{
	return prandom_u32_state(&p->rnd) % below;
}

static u64 pick_u64(struct play *p)
{
	return (u64)prandom_u32_state(&p->rnd) << 32 |
	       prandom_u32_state(&p->rnd);
}

static bool online(const struct play *p)
{
	return p->b->hw->online;
}

static u32 owned(const struct play *p)
{
	u32 cntrs = 0;
	unsigned int i;

	for (i = 0; i < BENCH_CLAIMS; i++)
		if (p->oracle[i].attached)
			cntrs |= p->b->claim[i].cntrs;
	return cntrs;
}

/* Fill the registers with legal values of another user while there is no claim */
static void refill(struct play *p)
{
	unsigned int n;

	for (n = 0; n < MODEL_NR; n++) {
		p->before.perfcntr[n] = pick_u64(p) & MODEL_CNTR_MASK;
		p->before.perfevtsel[n] = pick_u64(p) & MODEL_EVTSEL_MASK &
					  ~MODEL_EN;
	}
	p->before.spflt = pick_u64(p) & MODEL_SPFLT_MASK;
	p->before.ctrl = pick_u64(p) & MODEL_GLOBAL_MASK;
	p->before.lvtpc = MODEL_LVT_MASKED | pick(p, 0x800);
	model_fill(&p->b->model, &p->before);
}

static void attach(struct play *p, unsigned int i)
{
	struct oracle *o = &p->oracle[i];
	unsigned int first = pick(p, 2);
	unsigned int nr = 1 + pick(p, 2);
	struct knc_claim *c;

	if (o->attached || !online(p) || owned(p) & (nr == 2 ? 3 : 1 << first))
		return;
	if (!owned(p))
		refill(p);
	c = bench_claim(p->b, i, first, nr);
	/* two claims can't share USER_PREF: claims.c refuses the second one */
	if (pick(p, 3) == 0 && !(p->b->claim[!i].gated && owned(p)))
		bench_filter(c, 1 + pick(p, 3));
	c->open = pick(p, 2);
	bench_attach(p->b, c);
	memset(o, 0, sizeof(*o));
	o->attached = true;
}

static void detach(struct play *p, unsigned int i)
{
	if (!p->oracle[i].attached)
		return;
	bench_detach(p->b, &p->b->claim[i]);
	memset(&p->oracle[i], 0, sizeof(p->oracle[i]));
}

static void toggle(struct play *p, unsigned int i)
{
	struct oracle *o = &p->oracle[i];

	if (!o->attached)
		return;
	if (o->started)
		bench_stop(p->b, &p->b->claim[i]);
	else
		bench_start(p->b, &p->b->claim[i]);
	o->started = !o->started;
	if (o->started && !online(p))
		o->gap = true;
}

static void reset(struct play *p, unsigned int i)
{
	struct oracle *o = &p->oracle[i];

	if (!o->attached)
		return;
	bench_reset(p->b, &p->b->claim[i]);
	o->value[0] = 0;
	o->value[1] = 0;
	o->enabled = 0;
	o->running = 0;
	o->gap = o->started && !online(p);
}

static void hotplug(struct play *p)
{
	unsigned int i;

	if (online(p)) {
		bench_offline(p->b);
		for (i = 0; i < BENCH_CLAIMS; i++)
			if (p->oracle[i].started)
				p->oracle[i].gap = true;
	} else {
		bench_online(p->b);
	}
}

/* Is counter @n of claim @i counting? */
static bool counting(const struct play *p, unsigned int i, unsigned int n)
{
	const struct knc_claim *c = &p->b->claim[i];

	return p->oracle[i].started && online(p) &&
	       (!(c->gated & 1u << n) || c->open);
}

static void add_up(struct play *p, unsigned int i, const u64 *events)
{
	const struct knc_claim *c = &p->b->claim[i];
	unsigned int k, n;

	for (k = 0; k < c->nr; k++) {
		n = c->count[k].counter;
		if (counting(p, i, n))
			p->oracle[i].value[k] += events[n];
	}
}

/* Events of all sizes, or just enough to cause an interrupt */
static void run(struct play *p)
{
	u64 events[2];
	unsigned int n, i;

	for (n = 0; n < 2; n++)
		events[n] = pick_u64(p) >> (22 + pick(p, 42));
	p->b->model.skid = pick_u64(p) >> (26 + pick(p, 38));
	model_run(&p->b->model, events[0], events[1]);
	for (i = 0; i < BENCH_CLAIMS; i++)
		add_up(p, i, events);
}

static void pass(struct play *p)
{
	u64 ns = pick(p, 1000000);
	unsigned int i;

	p->b->now += ns;
	model_pass(&p->b->model, ns);
	for (i = 0; i < BENCH_CLAIMS; i++) {
		if (!p->oracle[i].started)
			continue;
		p->oracle[i].enabled += ns;
		if (online(p))
			p->oracle[i].running += ns;
	}
}

static void expect_claim(struct play *p, unsigned int i)
{
	struct kunit *test = p->b->test;
	struct oracle *o = &p->oracle[i];
	struct knc_claim *c = &p->b->claim[i];
	struct knc_pmu_thread r;
	unsigned int k;

	if (!o->attached)
		return;
	r = bench_read(p->b, c);
	for (k = 0; k < c->nr; k++)
		KUNIT_ASSERT_EQ(test, r.value[k], o->value[k]);
	KUNIT_ASSERT_EQ(test, r.time_enabled, o->enabled);
	KUNIT_ASSERT_EQ(test, r.time_running, o->running);
	KUNIT_ASSERT_EQ(test, r.flags,
			(online(p) ? 0 : KNC_PMU_THREAD_OFFLINE) |
			(o->gap ? KNC_PMU_THREAD_GAP : 0));
}

static void expect_all(struct play *p)
{
	struct model *m = &p->b->model;
	unsigned int i;
	u64 ctrl = 0;

	for (i = 0; i < BENCH_CLAIMS; i++) {
		if (p->oracle[i].started)
			ctrl |= p->b->claim[i].cntrs;
	}
	if (!owned(p) || !online(p))
		model_expect_regs(p->b->test, m, &p->before);
	else
		KUNIT_ASSERT_EQ(p->b->test, m->regs.ctrl, ctrl);
	KUNIT_ASSERT_EQ_MSG(p->b->test, m->nr_violations, 0, "%s",
			    m->violation);
}

/* An operation during which a counter overflows at a random access */
static void disturbed(struct play *p, unsigned int i)
{
	switch (pick(p, 6)) {
	case 0:
	case 1:
		attach(p, i);
		break;
	case 2:
		detach(p, i);
		break;
	case 3:
	case 4:
		toggle(p, i);
		break;
	default:
		hotplug(p);
		break;
	}
}

static void disturb(struct play *p, unsigned int i)
{
	struct model *m = &p->b->model;
	u64 before[MODEL_NR];
	unsigned int k, n;

	memcpy(before, m->counted, sizeof(before));
	if (pick(p, 2))
		model_trip(m, 1 + pick(p, 3), pick(p, 24), pick(p, 24));
	disturbed(p, i);
	m->trip = 0;
	m->late = 0;
	for (i = 0; i < BENCH_CLAIMS; i++) {
		for (k = 0; p->oracle[i].attached && k < p->b->claim[i].nr; k++) {
			n = p->b->claim[i].count[k].counter;
			p->oracle[i].value[k] += m->counted[n] - before[n];
		}
	}
}

static void step(struct play *p)
{
	unsigned int i = pick(p, BENCH_CLAIMS);

	switch (pick(p, 12)) {
	case 0:
		reset(p, i);
		break;
	case 1:
		pass(p);
		break;
	case 2:
		expect_claim(p, i);
		break;
	case 3:
	case 4:
		run(p);
		break;
	default:
		disturb(p, i);
		break;
	}
	expect_all(p);
}

static void play(struct kunit *test, u64 seed)
{
	struct play *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->b = test->priv;
	prandom_seed_state(&p->rnd, seed_of(test, seed));
	refill(p);
	for (i = 0; i < STEPS; i++) {
		step(p);
		if (test->status == KUNIT_FAILURE) {
			kunit_err(test, "seed %llu, step %u", seed, i);
			break;
		}
		cond_resched();
	}
	for (i = 0; i < BENCH_CLAIMS; i++) {
		expect_claim(p, i);
		detach(p, i);
	}
	model_expect_regs(test, &p->b->model, &p->before);
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

static struct kunit_case random_cases[] = {
	KUNIT_CASE(seed_1),
	KUNIT_CASE(seed_2),
	KUNIT_CASE(seed_3),
	{}
};

KNC_SUITE(random, bench_init, bench_exit);

kunit_test_suite(random_suite);
