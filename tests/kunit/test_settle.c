// SPDX-License-Identifier: GPL-2.0
/* Counters that must settle before they count a new event: an erratum of Nehalem and Westmere */
#include <kunit/test.h>

#include "count/attach.h"
#include "hwthread_fixture.h"

/* A PMU with the model's registers, whose counters must settle */
static struct pmu_desc settling;

static const u64 settle_selects[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

static int settle_init(struct kunit *test)
{
	int err = bench_init_wide_any(test);

	settling = *this_pmu;
	settling.settle = settle_selects;
	settling.nr_settle = ARRAY_SIZE(settle_selects);
	this_pmu = &settling;
	return err;
}

static void settle_exit(struct kunit *test)
{
	bench_exit(test);
	model_select(&model_knc);
}

/* Log the writes in their order, then pass them to the model. */
static const struct knc_hw_ops *settle_ops;
static struct {
	u32 msr;
	u64 value;
} settle_log[64];
static unsigned int settle_nr;

static void settle_write(u32 msr, u64 value)
{
	if (settle_nr < ARRAY_SIZE(settle_log)) {
		settle_log[settle_nr].msr = msr;
		settle_log[settle_nr++].value = value;
	}
	settle_ops->write_msr(msr, value);
}

static void settle_watch(struct knc_hw_ops *ops)
{
	settle_nr = 0;
	settle_ops = knc_hw_ops;
	*ops = *knc_hw_ops;
	ops->write_msr = settle_write;
	knc_hw_ops = ops;
}

static void settle_unwatch(void)
{
	knc_hw_ops = settle_ops;
}

/* The first write of @value to @msr after @from; settle_nr: there is none */
static unsigned int written(unsigned int from, u32 msr, u64 value)
{
	unsigned int i;

	for (i = from; i < settle_nr; i++)
		if (settle_log[i].msr == msr && settle_log[i].value == value)
			break;
	return i;
}

/*
 * All four events are selected and count for a moment from 0; only then the new event is selected.
 */
static void settles_first(struct kunit *test)
{
	struct bench *b = test->priv;
	static struct knc_hw_ops ops;
	unsigned int n, on, off, last = 0;

	settle_watch(&ops);
	bench_attach(b, bench_claim(b, 0, 0, 1));
	settle_unwatch();
	for (n = 0; n < 4; n++) {
		unsigned int at = written(0, 0x186 + n, settle_selects[n]);

		KUNIT_ASSERT_LT(test, at, settle_nr);
		KUNIT_EXPECT_LT(test, written(at, 0xc1 + n, 0), settle_nr);
		last = max(last, written(at, 0xc1 + n, 0));
	}
	on = written(last, 0x38f, 0xf);
	off = written(on, 0x38f, 0);
	KUNIT_ASSERT_LT(test, on, settle_nr);
	KUNIT_ASSERT_EQ(test, off, on + 1);
	n = model_number(0);
	KUNIT_EXPECT_LT(test, written(off, 0x186 + n, bench_evtsel(0, 0)), settle_nr);
	KUNIT_EXPECT_EQ(test, b->model.regs.perfevtsel[0], bench_evtsel(0, 0));
	for (n = 1; n < 4; n++)
		KUNIT_EXPECT_EQ(test, b->model.regs.perfevtsel[n], 0);
	bench_detach(b, &b->claim[0]);
}

/* A counter that was counting before keeps its count and its event, and goes on */
static void others_keep_counts(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *first = bench_claim(b, 0, 0, 1);
	struct knc_claim *second = bench_claim(b, 1, 2, 1);

	bench_begin(b, first);
	model_slot_run(&b->model, 0, 1234);
	bench_attach(b, second);
	KUNIT_EXPECT_EQ(test, b->model.regs.perfevtsel[0], bench_evtsel(0, 0));
	KUNIT_EXPECT_EQ(test, bench_read(b, first).value[0], 1234);
	model_slot_run(&b->model, 0, 4321);
	bench_start(b, second);
	model_slot_run(&b->model, 2, 17);
	KUNIT_EXPECT_EQ(test, bench_read(b, first).value[0], 5555);
	KUNIT_EXPECT_EQ(test, bench_read(b, second).value[0], 17);
	bench_detach(b, second);
	model_slot_run(&b->model, 0, 1);
	KUNIT_EXPECT_EQ(test, bench_read(b, first).value[0], 5556);
	bench_detach(b, first);
}

/* Such a counter is loaded with the remaining events, and still reports its overflow */
static void others_keep_periods(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *first = bench_sampled(b, 0, 0, 1000, 0);
	struct knc_claim *second = bench_claim(b, 1, 2, 1);

	bench_begin(b, first);
	model_slot_run(&b->model, 0, 600);
	bench_attach(b, second);
	model_slot_run(&b->model, 0, 399);
	bench_drain(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 0);
	model_slot_run(&b->model, 0, 1);
	bench_drain(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 1);
	bench_detach(b, second);
	bench_detach(b, first);
}

static struct kunit_case settle_cases[] = {
	KUNIT_CASE(settles_first),
	KUNIT_CASE(others_keep_counts),
	KUNIT_CASE(others_keep_periods),
	{}
};

KNC_SUITE(settle, settle_init, settle_exit);

kunit_test_suites(&settle_suite);
