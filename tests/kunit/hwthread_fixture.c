// SPDX-License-Identifier: GPL-2.0
/*
 * One hardware thread over a model, with two claims to play with
 */
#include <linux/string.h>

#include "hwthread_fixture.h"

int bench_init(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	if (!b)
		return -ENOMEM;
	b->test = test;
	b->now = 1000000;
	test->priv = b;
	model_use(&b->model);
	bench_online(b);
	return 0;
}

void bench_exit(struct kunit *test)
{
	struct bench *b = test->priv;

	model_leave();
	if (b)
		model_expect_clean(test, &b->model);
}

/* A select of its own for each claim and counter */
u64 bench_evtsel(unsigned int i, unsigned int counter)
{
	return MODEL_EN | MODEL_USR | MODEL_OS | (i + 1) << 8 | (counter + 1);
}

/* Claim @i: @nr events, on counter @first and on the other one */
struct knc_claim *bench_claim(struct bench *b, unsigned int i,
			      unsigned int first, unsigned int nr)
{
	struct knc_claim *c = &b->claim[i];
	unsigned int n;

	memset(c, 0, sizeof(*c));
	c->owner = c;
	c->cpu = BENCH_CPU;
	c->nr = nr;
	for (n = 0; n < nr; n++) {
		c->count[n].counter = first ^ n;
		c->count[n].evtsel = bench_evtsel(i, first ^ n);
		c->cntrs |= 1u << (first ^ n);
	}
	return c;
}

void bench_attach(struct bench *b, struct knc_claim *c)
{
	knc_hwthread_own(&b->hw, c, c);
	MODEL_AT(knc_hwthread_attach(&b->hw, c));
}

void bench_detach(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_hwthread_detach(&b->hw, c));
}

void bench_start(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_hwthread_start(&b->hw, c, b->now));
}

void bench_stop(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_hwthread_stop(&b->hw, c, b->now));
}

void bench_reset(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_hwthread_reset(&b->hw, c, b->now));
}

void bench_fold(struct bench *b)
{
	MODEL_AT(knc_hwthread_fold(&b->hw));
}

void bench_online(struct bench *b)
{
	MODEL_AT(knc_hwthread_online(&b->hw, b->now));
}

void bench_offline(struct bench *b)
{
	MODEL_AT(knc_hwthread_offline(&b->hw, b->now));
}

/* Read a claim; what the record says of where and when is checked here. */
struct knc_pmu_thread bench_read(struct bench *b, struct knc_claim *c)
{
	struct knc_pmu_thread r = { .value = { 0xfeed, 0xfeed } };

	MODEL_AT(knc_hwthread_read(&b->hw, c, &r);
		 knc_hwthread_read_times(&b->hw, c, b->now, &r));
	KUNIT_EXPECT_EQ(b->test, r.cpu, BENCH_CPU);
	KUNIT_EXPECT_EQ(b->test, r.time, b->now);
	if (c->nr == 1)
		KUNIT_EXPECT_EQ(b->test, r.value[1], 0xfeed);
	return r;
}
