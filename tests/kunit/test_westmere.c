// SPDX-License-Identifier: GPL-2.0
/*
 * Westmere's PMU: which CPUs have it, its events and their second words
 *
 * Numbers are written a second time here.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "request/event.h"
#include "model.h"
#include "pmu/westmere.h"

static struct pmu_arch pmu;

/* Version 3, @nr counters of 48 bits, 7 events; 3 fixed counters */
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
	/* the architectural events, and those of the table; the list ends */
	KUNIT_EXPECT_EQ(test, i, 8 + PMU_WESTMERE_EVENTS);
	KUNIT_EXPECT_LT(test, i, PMU_ARCH_EVENTS);
	/* with fewer counters nothing settles, and no event needs a missing counter */
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

/* As in Linux: events 0x51 and 0x63 on counters 0 and 1, 0x60 and 0xb3 on counter 0 */
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
	/* constraints of perf's tables */
	KUNIT_EXPECT_EQ(test, counters_for(0x014c), 0x3);
	KUNIT_EXPECT_EQ(test, counters_for(0x024e), 0x3);
	KUNIT_EXPECT_EQ(test, counters_for(0x0152), 0x3);
	/* all other events; fixed counters only for the architectural codes */
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
	/* other events have no second word */
	KUNIT_EXPECT_EQ(test, reason_for(0x00c0, 0x0101, 1, 0), KNC_PMU_REASON_EVENT_EXTRA);
	KUNIT_EXPECT_EQ(test, reason_for(0x02b7, 0x0101, 1, 0), KNC_PMU_REASON_EVENT_EXTRA);
	/* the remaining checks are those of the architectural PMU */
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

KNC_SUITE(westmere, westmere_init, westmere_exit);

kunit_test_suites(&westmere_suite);
