// SPDX-License-Identifier: GPL-2.0
/* The page of a task that reads its own counts, as the task reads it: struct knc_pmu_page */
#include <asm/tsc.h>

#include "rdpmc/grants.h"
#include "task_fixture.h"
#include "units.h"

#define PAGE	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_RDPMC)
#define ON_EXEC	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_ON_EXEC)

static u64 sign_extended(u64 raw)
{
	return (s64)(raw << 24) >> 24;
}

/* Read by the page, with @n events of each counter before and after each relevant instruction */
static u64 page_read(struct cast *c, unsigned int cpu, unsigned int i, u64 n,
		     u64 *happened)
{
	const struct knc_pmu_page *page = c->follow[0]->page;
	unsigned int tries = 0;
	u64 offset, raw;
	u32 seq;

	do {
		seq = READ_ONCE(page->seq);
		KUNIT_EXPECT_EQ(c->test, seq & 1, 0);
		cast_run(cpu, n, n);
		*happened += n;
		offset = page->offset[i];
		cast_run(cpu, n, n);
		*happened += n;
		raw = model_of(cpu)->regs.perfcntr[page->counter[i]];
	} while (READ_ONCE(page->seq) != seq && ++tries < 4);
	KUNIT_EXPECT_LT(c->test, tries, 4);
	return offset + sign_extended(raw);
}

static void expect_page(struct cast *c, unsigned int cpu, u64 v0, u64 v1)
{
	u64 none = 0;

	KUNIT_EXPECT_EQ(c->test, page_read(c, cpu, 0, 0, &none), v0);
	if (c->follow[0]->claim.nr > 1)
		KUNIT_EXPECT_EQ(c->test, page_read(c, cpu, 1, 0, &none), v1);
}

static u32 seq_of(struct cast *c)
{
	return c->follow[0]->page->seq;
}

/*
 * An eviction closes the page before it revokes RDPMC: @seq stays odd, with a new number after each
 * change, and no event is lost
 */
static void closes(struct kunit *test)
{
	struct cast *c = test->priv;
	u32 seq;

	cast_follow(c, 0, PAGE, c->task[0], 0, 2);
	cast_begin(c, c->there);
	cast_run(c->there, 1, 2);
	expect_page(c, c->there, 1, 2);
	seq = seq_of(c);
	/* the page stays closed, whatever the task does */
	WRITE_ONCE(c->task[0]->__state, TASK_INTERRUPTIBLE);
	knc_follow_close_page(c->follow[0], jiffies + HZ);
	KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
	KUNIT_EXPECT_GT(test, seq_of(c), seq);
	cast_run(c->there, 10, 20);
	seq = seq_of(c);
	cast_switch(c->there, c->task[1]);
	KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
	KUNIT_EXPECT_GT(test, seq_of(c), seq);
	cast_switch(c->here, c->task[0]);
	cast_run(c->here, MODEL_HALF, 200);
	KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
	cast_expect(c, 0, 11 + MODEL_HALF, 222);
	knc_follow_stop(c->follow[0]);
	knc_follow_start(c->follow[0]);
	KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
	cast_run(c->here, 5, 5);
	cast_expect(c, 0, 16 + MODEL_HALF, 227);
}

/* A running task may be in the middle of a reading: the eviction waits, but not forever. */
static void closes_in_time(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned long began = jiffies;

	cast_follow(c, 0, PAGE, c->task[0], 0, 2);
	cast_begin(c, c->there);
	WRITE_ONCE(c->task[0]->__state, TASK_RUNNING);
	knc_follow_close_page(c->follow[0], began + HZ / 10);
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, began + HZ / 10));
	WRITE_ONCE(c->task[0]->__state, TASK_INTERRUPTIBLE);
	began = jiffies;
	knc_follow_close_page(c->follow[0], began + 100 * HZ);
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, began + 50 * HZ));
}

static void is_for_one(struct kunit *test)
{
	struct cast *c = test->priv;

	KUNIT_EXPECT_NULL(test, cast_follow(c, 0, KNC_PMU_CONFIG_TASK, c->task[0],
					    0, 1)->page);
	KUNIT_EXPECT_NULL(test, cast_follow(c, 1, PAGE | KNC_PMU_CONFIG_INHERIT,
					    c->task[1], 0, 1)->page);
	KUNIT_EXPECT_NULL(test, cast_follow(c, 2, PAGE | KNC_PMU_CONFIG_PROCESS,
					    c->task[2], 0, 1)->page);
	cast_leave(c, 0);
	KUNIT_EXPECT_NOT_NULL(test, cast_follow(c, 0, PAGE, c->task[0], 0,
						1)->page);
	KUNIT_EXPECT_EQ(test, c->follow[0]->page->tsc_khz, tsc_khz);
}

/* seq is odd while the counters are not the task's, and never repeats a number */
static void seq(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int i, cpu;
	u32 seq;

	cast_follow(c, 0, PAGE, c->task[0], 0, 2);
	KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
	cast_switch(c->here, c->task[0]);
	KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
	for (i = 0; i < 8; i++) {
		cpu = i & 1 ? c->here : c->there;
		cast_switch(c->here, NULL);
		cast_switch(c->there, NULL);
		seq = seq_of(c);
		KUNIT_EXPECT_EQ(test, seq & 1, 1);
		knc_follow_start(c->follow[0]);
		KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
		cast_switch(cpu, c->task[0]);
		KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 0);
		KUNIT_EXPECT_GT(test, seq_of(c), seq);
		seq = seq_of(c);
		cast_switch(cpu, c->task[1]);
		KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
		cast_switch(cpu, c->task[0]);
		KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 0);
		KUNIT_EXPECT_GT(test, seq_of(c), seq);
		seq = seq_of(c);
		knc_follow_reset(c->follow[0]);
		KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 0);
		KUNIT_EXPECT_GT(test, seq_of(c), seq);
		knc_follow_stop(c->follow[0]);
		KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
	}
	knc_follow_start(c->follow[0]);
	cast_end(cpu);
	KUNIT_EXPECT_EQ(test, seq_of(c) & 1, 1);
}

static void is_the_count(struct kunit *test)
{
	struct cast *c = test->priv;
	u64 n[] = { 1, 1000, MODEL_HALF - 2, MODEL_HALF, 3, MODEL_CNTR_MASK, 7 };
	unsigned int first, i, cpu;
	u64 v0, v1;

	for (first = 0; first < 2; first++) {
		cast_follow(c, 0, PAGE, c->task[0], first, 2);
		KUNIT_EXPECT_EQ(test, c->follow[0]->page->nr_events, 2);
		knc_follow_start(c->follow[0]);
		v0 = 0;
		v1 = 0;
		for (i = 0; i < ARRAY_SIZE(n); i++) {
			cpu = i & 1 ? c->here : c->there;
			cast_switch(cpu, c->task[0]);
			expect_page(c, cpu, v0, v1);
			cast_run(cpu, n[i], 2 * n[i]);
			v0 += n[i] << first;
			v1 += n[i] << !first;
			expect_page(c, cpu, v0, v1);
			cast_expect(c, 0, v0, v1);
			expect_page(c, cpu, v0, v1);
			if (i == 4) {
				knc_follow_reset(c->follow[0]);
				v0 = 0;
				v1 = 0;
				expect_page(c, cpu, 0, 0);
			}
			cast_switch(cpu, c->task[1]);
			cast_run(cpu, 99, 99);
			cast_switch(cpu, NULL);
		}
		cast_leave(c, 0);
	}
}

static void execute_and_run(void *arg)
{
	struct cast *c = arg;

	cast_exec(c->there, false);
	cast_run(c->there, 7, 0);
}

/* The program that starts the session is executed while RESET has stopped all tasks. */
static void executed_while_reset(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f;
	unsigned int started;

	for (started = 0; started < 2; started++) {
		f = cast_follow(c, 0, PAGE | ON_EXEC, c->task[0], 0, 1);
		cast_switch(c->there, c->task[0]);
		knc_follow_start(f);
		cast_run(c->there, 100, 0);
		if (!started)
			knc_follow_stop(f);
		fake_meanwhile(FAKE_CALL, 1, execute_and_run, c);
		knc_follow_reset(f);
		KUNIT_EXPECT_TRUE(test, f->executed);
		KUNIT_EXPECT_TRUE(test, f->started);
		cast_run(c->there, 5, 0);
		expect_page(c, c->there, 5, 0);
		cast_expect(c, 0, 5, 0);
		knc_test_do_work();
		knc_rdpmc_close(f);
		cast_switch(c->there, NULL);
		cast_leave(c, 0);
	}
}

/* The page is right at every moment of an overflow and its interrupt */
static void while_it_overflows(struct kunit *test)
{
	struct cast *c = test->priv;
	unsigned int shift, i, round;
	u64 n, total = 0;

	cast_follow(c, 0, PAGE, c->task[0], 0, 2);
	cast_begin(c, c->there);
	for (round = 0; round < 2; round++) {
		for (shift = 0; shift < 8; shift++) {
			/* before or after the reader has read the offset */
			n = MODEL_HALF - total % MODEL_HALF - 7 - shift;
			cast_run(c->there, n, n);
			total += n;
			for (i = 0; i < 16; i++)
				KUNIT_EXPECT_EQ(test,
						page_read(c, c->there, i & 1, 1,
							  &total), total);
		}
	}
	KUNIT_EXPECT_GE(test, model_of(c->there)->nr_pmis, 16);
	cast_expect(c, 0, total, total);
}

/* Before the interrupt the page is unchanged, and right */
static void before_the_interrupt(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->there);
	u64 none = 0;
	u32 seq;

	cast_follow(c, 0, PAGE, c->task[0], 0, 1);
	cast_begin(c, c->there);
	cast_run(c->there, 5, 0);
	seq = seq_of(c);
	m->regs.perfcntr[0] = 12345;
	m->counted[0] += MODEL_HALF - 5 + 12345;
	KUNIT_EXPECT_EQ(test, page_read(c, c->there, 0, 0, &none),
			MODEL_HALF + 12345);
	KUNIT_EXPECT_EQ(test, seq_of(c), seq);
	cast_switch(c->there, NULL);
	cast_expect(c, 0, MODEL_HALF + 12345, 0);
	cast_switch(c->there, c->task[0]);
	expect_page(c, c->there, MODEL_HALF + 12345, 0);
}

static void times(struct kunit *test)
{
	struct cast *c = test->priv;
	struct model *m = model_of(c->there);
	const struct knc_pmu_page *page;

	page = cast_follow(c, 0, PAGE, c->task[0], 0, 1)->page;
	m->tsc = 1000;
	cast_begin(c, c->there);
	KUNIT_EXPECT_EQ(test, page->time_running + m->tsc, 0);
	model_pass(m, 77);
	KUNIT_EXPECT_EQ(test, page->time_running + m->tsc, 77);
	cast_read(c, 0);
	KUNIT_EXPECT_EQ(test, page->time_running + m->tsc, 77);
	cast_switch(c->there, NULL);
	model_pass(m, 1000);
	cast_switch(c->there, c->task[0]);
	KUNIT_EXPECT_EQ(test, page->time_running + m->tsc, 77);
	KUNIT_EXPECT_EQ(test, page->time_enabled, page->time_running);
	knc_follow_reset(c->follow[0]);
	model_pass(m, 3);
	KUNIT_EXPECT_EQ(test, page->time_running + m->tsc, 3);
}

static struct kunit_case page_cases[] = {
	KUNIT_CASE(is_for_one),
	KUNIT_CASE(seq),
	KUNIT_CASE(closes),
	KUNIT_CASE(closes_in_time),
	KUNIT_CASE(is_the_count),
	KUNIT_CASE(executed_while_reset),
	KUNIT_CASE(while_it_overflows),
	KUNIT_CASE(before_the_interrupt),
	KUNIT_CASE(times),
	{}
};

STAGE_SUITE(page, cast_init, cast_exit);

kunit_test_suite(page_suite);
