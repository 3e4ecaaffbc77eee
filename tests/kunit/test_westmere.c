// SPDX-License-Identifier: GPL-2.0
/*
 * Westmere's PMU: which CPUs have it, its events and their second words, and counters that settle
 * before a new event is counted
 *
 * Numbers are written a second time here.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "count/attach.h"
#include "count/event.h"
#include "hwthread_fixture.h"
#include "pmu/westmere.h"

static struct pmu_arch pmu;

/* Version 3, @nr counters of 48 bits, 7 events; 3 fixed ones */
static const char *fill(unsigned int nr)
{
	const struct pmu_arch_cpuid cpuid = { 0x07300003 | nr << 8, 0, 0x603, 0 };
	const char *why = pmu_arch_fill(&pmu, &cpuid);

	if (!why)
		pmu_westmere_fill(&pmu);
	return why;
}

static int westmere_init(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, !fill(4));
	this_pmu = &pmu.desc;
	return 0;
}

static void westmere_exit(struct kunit *test)
{
	model_select(&model_knc);
}

static void models(struct kunit *test)
{
	unsigned int model;

	for (model = 0; model < 0x100; model++)
		KUNIT_EXPECT_EQ(test, pmu_westmere_is(6, model),
				model == 0x25 || model == 0x2c || model == 0x2f);
	KUNIT_EXPECT_FALSE(test, pmu_westmere_is(0xb, 0x2c));
	KUNIT_EXPECT_FALSE(test, pmu_westmere_is(0xf, 0x2c));
}

static void descriptor(struct kunit *test)
{
	const struct pmu_desc *d = &pmu.desc;
	unsigned int i;

	KUNIT_EXPECT_STREQ(test, d->name, "westmere");
	KUNIT_EXPECT_EQ(test, d->nr_extras, 2);
	KUNIT_EXPECT_EQ(test, d->extras[0].code, 0x01b7);
	KUNIT_EXPECT_EQ(test, d->extras[0].msr, 0x1a6);
	KUNIT_EXPECT_EQ(test, d->extras[1].code, 0x01bb);
	KUNIT_EXPECT_EQ(test, d->extras[1].msr, 0x1a7);
	KUNIT_EXPECT_EQ(test, d->nr_settle, 4);
	KUNIT_EXPECT_EQ(test, d->registers[d->nr_registers - 2].number, 0x1a6);
	KUNIT_EXPECT_EQ(test, d->registers[d->nr_registers - 1].number, 0x1a7);
	KUNIT_EXPECT_LE(test, d->nr_registers, PMU_MAX_REGISTERS);
	for (i = 0; d->events[i].counters; i++)
		KUNIT_EXPECT_EQ(test, d->events[i].counters & ~d->counters, 0);
	/* the architectural ones, and those of the table; the list has an end */
	KUNIT_EXPECT_EQ(test, i, 8 + PMU_WESTMERE_EVENTS);
	KUNIT_EXPECT_LT(test, i, PMU_ARCH_EVENTS);
	/* fewer counters: nothing settles, no event needs one that is not there */
	KUNIT_ASSERT_TRUE(test, !fill(2));
	KUNIT_EXPECT_EQ(test, d->nr_settle, 0);
	for (i = 0; d->events[i].counters; i++)
		KUNIT_EXPECT_EQ(test, d->events[i].counters & ~d->counters, 0);
}

static u64 counters_for(u64 code)
{
	struct knc_event e = { .event = code, .flags = KNC_PMU_EVENT_USR };

	return knc_event_counters(&e);
}

/* Linux: events 0x51 and 0x63 on counters 0 and 1, 0x60 and 0xb3 on counter 0 */
static void constraints(struct kunit *test)
{
	unsigned int umask;

	for (umask = 1; umask < 0x10; umask <<= 1) {
		KUNIT_EXPECT_EQ(test, counters_for(umask << 8 | 0x51), 0x3);
		KUNIT_EXPECT_EQ(test, counters_for(umask << 8 | 0x60), 0x1);
	}
	KUNIT_EXPECT_EQ(test, counters_for(0x0163), 0x3);
	KUNIT_EXPECT_EQ(test, counters_for(0x0263), 0x3);
	KUNIT_EXPECT_EQ(test, counters_for(0x01b3), 0x1);
	KUNIT_EXPECT_EQ(test, counters_for(0x04b3), 0x1);
	/* perf's tables */
	KUNIT_EXPECT_EQ(test, counters_for(0x014c), 0x3);
	KUNIT_EXPECT_EQ(test, counters_for(0x024e), 0x3);
	KUNIT_EXPECT_EQ(test, counters_for(0x0152), 0x3);
	/* all others; fixed counters only for the architectural codes */
	KUNIT_EXPECT_EQ(test, counters_for(0x0224), 0xf);
	KUNIT_EXPECT_EQ(test, counters_for(0x01c0), 0xf);
	KUNIT_EXPECT_EQ(test, counters_for(0x00c0), 0x10000000fULL);
	KUNIT_EXPECT_EQ(test, counters_for(0x01b7), 0xf);
}

static u32 reason_for(u64 code, u64 extra, u32 flags, u32 cmask)
{
	const struct pmu_select s = {
		.code = code, .extra = extra, .flags = flags, .cmask = cmask,
	};

	return this_pmu->check(&s);
}

static void second_words(struct kunit *test)
{
	static const u64 codes[] = { 0x01b7, 0x01bb };
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		KUNIT_EXPECT_EQ(test, reason_for(codes[i], 0x0101, 1, 0),
				KNC_PMU_REASON_NONE);
		KUNIT_EXPECT_EQ(test, reason_for(codes[i], 0xffff, 1, 0),
				KNC_PMU_REASON_NONE);
		/* no word, no response, no request */
		KUNIT_EXPECT_EQ(test, reason_for(codes[i], 0, 1, 0),
				KNC_PMU_REASON_EVENT_EXTRA);
		KUNIT_EXPECT_EQ(test, reason_for(codes[i], 0x00ff, 1, 0),
				KNC_PMU_REASON_EVENT_EXTRA);
		KUNIT_EXPECT_EQ(test, reason_for(codes[i], 0xff00, 1, 0),
				KNC_PMU_REASON_EVENT_EXTRA);
		for (bit = 16; bit < 64; bit++)
			KUNIT_EXPECT_EQ(test, reason_for(codes[i], 0x0101 | 1ULL << bit, 1, 0),
					KNC_PMU_REASON_EVENT_EXTRA);
	}
	/* other events have none */
	KUNIT_EXPECT_EQ(test, reason_for(0x00c0, 0x0101, 1, 0), KNC_PMU_REASON_EVENT_EXTRA);
	KUNIT_EXPECT_EQ(test, reason_for(0x02b7, 0x0101, 1, 0), KNC_PMU_REASON_EVENT_EXTRA);
	/* the rest is checked as of the architectural PMU */
	KUNIT_EXPECT_EQ(test, reason_for(0x01b7, 0x0101, KNC_PMU_EVENT_INV, 0),
			KNC_PMU_REASON_EVENT_INV);
	KUNIT_EXPECT_EQ(test, reason_for(0x010e, 0, KNC_PMU_EVENT_INV, 1), KNC_PMU_REASON_NONE);
}

static struct kunit_case westmere_cases[] = {
	KUNIT_CASE(models),
	KUNIT_CASE(descriptor),
	KUNIT_CASE(constraints),
	KUNIT_CASE(second_words),
	{}
};

static struct kunit_suite westmere_suite = {
	.name = "westmere",
	.init = westmere_init,
	.exit = westmere_exit,
	.test_cases = westmere_cases,
};

/* A PMU with the registers of the model, whose counters must settle */
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

/* The registers, with what they were written in order; then the model has it. */
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

/* The first write of @value to @msr from @from on; settle_nr: there is none */
static unsigned int written(unsigned int from, u32 msr, u64 value)
{
	unsigned int i;

	for (i = from; i < settle_nr; i++)
		if (settle_log[i].msr == msr && settle_log[i].value == value)
			break;
	return i;
}

/* All four events are selected, count for a moment from 0, and only then the new event is. */
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

/* What counts already keeps its count, its event, and goes on */
static void others_keep_counts(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *first = bench_claim(b, 0, 0, 1);
	struct knc_claim *second = bench_claim(b, 1, 2, 1);

	bench_attach(b, first);
	bench_start(b, first);
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

/* An overflow is still reported: the counter is loaded for what was left */
static void others_keep_periods(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *first = bench_sampled(b, 0, 0, 1000, 0);
	struct knc_claim *second = bench_claim(b, 1, 2, 1);

	bench_attach(b, first);
	bench_start(b, first);
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

static struct kunit_suite settle_suite = {
	.name = "westmere_settle",
	.init = settle_init,
	.exit = settle_exit,
	.test_cases = settle_cases,
};

kunit_test_suites(&westmere_suite, &settle_suite);
