// SPDX-License-Identifier: GPL-2.0
/*
 * The architectural PMU: what CPUID leaf 0xA may say, and the descriptor that is made of it
 *
 * Numbers are written a second time here, from Intel's software developer's manual, volume 3.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "request/event.h"
#include "model.h"
#include "pmu/arch.h"
#include "seed.h"
#include "units.h"

/* CPUID leaf 0xA: 4 counters of 48 bits, 7 events; 3 fixed counters of 48 bits */
#define LEAF_EAX(version)	(0x07300400 | (version))
#define LEAF_EDX		0x603
#define FULL_WIDTH		0x2000ULL

static struct pmu_arch pmu;

static const char *fill(u32 eax, u32 ebx, u32 edx, u64 capabilities)
{
	const struct pmu_arch_cpuid cpuid = { eax, ebx, edx, capabilities };

	return pmu_arch_fill(&pmu, &cpuid);
}

static int arch_init(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, !fill(LEAF_EAX(2), 0, LEAF_EDX, 0));
	this_pmu = &pmu.desc;
	return 0;
}

static void arch_exit(struct kunit *test)
{
	model_select(&model_knc);
}

static void version_2(struct kunit *test)
{
	const struct pmu_bank *bank = pmu.desc.bank;

	KUNIT_EXPECT_STREQ(test, pmu.desc.name, "arch");
	KUNIT_EXPECT_EQ(test, pmu.desc.nr_banks, 2);
	KUNIT_EXPECT_EQ(test, pmu.desc.nr_counters, 7);
	KUNIT_EXPECT_EQ(test, pmu.desc.end, 35);
	KUNIT_EXPECT_EQ(test, pmu.desc.counters, 0x70000000fULL);
	KUNIT_EXPECT_EQ(test, pmu.desc.any, 0xf);
	KUNIT_EXPECT_EQ(test, pmu.desc.fixed, 0x700000000ULL);
	KUNIT_EXPECT_EQ(test, pmu.desc.ctrl_reset, 0xf);
	KUNIT_EXPECT_EQ(test, pmu.desc.ctrl.msr, 0x38f);
	KUNIT_EXPECT_EQ(test, pmu.desc.ctrl.mask, 0x70000000fULL);
	KUNIT_EXPECT_EQ(test, pmu.desc.status.msr, 0x38e);
	KUNIT_EXPECT_EQ(test, pmu.desc.ack.msr, 0x390);
	KUNIT_EXPECT_EQ(test, bank[0].width, 48);
	KUNIT_EXPECT_EQ(test, bank[0].counter_msr, 0xc1);
	KUNIT_EXPECT_EQ(test, bank[0].reserve_msr, 0xc1);
	KUNIT_EXPECT_EQ(test, bank[0].select_msr, 0x186);
	KUNIT_EXPECT_EQ(test, bank[0].writable, 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, bank[0].max_load, 0x80000000ULL);
	KUNIT_EXPECT_EQ(test, bank[1].first, 32);
	KUNIT_EXPECT_EQ(test, bank[1].counter_msr, 0x309);
	KUNIT_EXPECT_EQ(test, bank[1].reserve_msr, 0);
	KUNIT_EXPECT_EQ(test, bank[1].select_msr, 0x38d);
	KUNIT_EXPECT_EQ(test, bank[1].field, 4);
	KUNIT_EXPECT_EQ(test, bank[1].rdpmc_index, 0x40000000);
	KUNIT_EXPECT_EQ(test, bank[1].writable, 0xffffffffffffULL);
	KUNIT_EXPECT_EQ(test, bank[1].max_load, 0x80000000ULL);
	KUNIT_EXPECT_FALSE(test, pmu.anythread);
}

/* Full-width writes use another MSR; perf reserves a counter by its old MSR. */
static void full_width(struct kunit *test)
{
	const struct pmu_bank *bank = pmu.desc.bank;

	KUNIT_ASSERT_TRUE(test, !fill(LEAF_EAX(3), 0, LEAF_EDX, FULL_WIDTH));
	KUNIT_EXPECT_EQ(test, bank[0].counter_msr, 0x4c1);
	KUNIT_EXPECT_EQ(test, bank[0].reserve_msr, 0xc1);
	KUNIT_EXPECT_EQ(test, bank[0].writable, 0xffffffffffffULL);
	KUNIT_EXPECT_EQ(test, bank[0].max_load, 0x800000000000ULL);
	KUNIT_EXPECT_EQ(test, bank[1].max_load, 0x800000000000ULL);
	/* no other capability bit matters */
	KUNIT_ASSERT_TRUE(test, !fill(LEAF_EAX(3), 0, LEAF_EDX, ~FULL_WIDTH));
	KUNIT_EXPECT_EQ(test, bank[0].counter_msr, 0xc1);
}

static void anythread(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, !fill(LEAF_EAX(3), 0, LEAF_EDX, 0));
	KUNIT_EXPECT_TRUE(test, pmu.anythread);
	/* the bit that says AnyThread is deprecated */
	KUNIT_ASSERT_TRUE(test, !fill(LEAF_EAX(5), 0, LEAF_EDX | 0x8000, 0));
	KUNIT_EXPECT_FALSE(test, pmu.anythread);
}

static void refused_leafs(struct kunit *test)
{
	const struct pmu_arch_cpuid hybrid = { LEAF_EAX(5), 0, LEAF_EDX, 0, true };

	KUNIT_EXPECT_TRUE(test, strstr(pmu_arch_fill(&pmu, &hybrid), "hybrid"));
	KUNIT_EXPECT_TRUE(test, fill(0, 0, 0, 0));
	KUNIT_EXPECT_TRUE(test, fill(LEAF_EAX(0), 0, LEAF_EDX, 0));
	/* version 1 has no global registers */
	KUNIT_EXPECT_TRUE(test, strstr(fill(LEAF_EAX(1), 0, LEAF_EDX, 0), "version 1"));
	/* no counters; a width of 0; a width that does not fit a 64-bit mask */
	KUNIT_EXPECT_TRUE(test, strstr(fill(0x07300002, 0, LEAF_EDX, 0), "has 0"));
	KUNIT_EXPECT_TRUE(test, strstr(fill(0x07000402, 0, LEAF_EDX, 0), "bits"));
	KUNIT_EXPECT_TRUE(test, fill(0x07200402, 0, LEAF_EDX, 0));
	KUNIT_EXPECT_FALSE(test, fill(0x07210402, 0, LEAF_EDX, 0));
	KUNIT_EXPECT_FALSE(test, fill(0x073f0402, 0, LEAF_EDX, 0));
	KUNIT_EXPECT_TRUE(test, fill(0x07400402, 0, LEAF_EDX, 0));
}

/* A hybrid machine: leaf 0xA of another CPU has one counter less */
static void hybrid(struct kunit *test)
{
	unsigned int cpu;

	KUNIT_EXPECT_TRUE(test, !knc_test_host_probe(nr_cpu_ids));
	for_each_online_cpu(cpu) {
		const char *why = knc_test_host_probe(cpu);

		KUNIT_ASSERT_TRUE(test, why);
		KUNIT_EXPECT_TRUE(test, strstr(why, "hybrid"));
	}
}

static void other_numbers(struct kunit *test)
{
	/* nine general counters: there are MSRs for eight */
	KUNIT_ASSERT_FALSE(test, fill(0x07300902, 0, LEAF_EDX, 0));
	KUNIT_EXPECT_EQ(test, pmu.desc.counters, 0x7000000ffULL);
	KUNIT_EXPECT_EQ(test, pmu.desc.nr_counters, 11);
	/* one counter */
	KUNIT_ASSERT_FALSE(test, fill(0x07300102, 0, LEAF_EDX, 0));
	KUNIT_EXPECT_EQ(test, pmu.desc.counters, 0x700000001ULL);
	/* without fixed counters, or with a width of 0: the general counters remain */
	KUNIT_ASSERT_FALSE(test, fill(LEAF_EAX(2), 0, 0x600, 0));
	KUNIT_EXPECT_EQ(test, pmu.desc.counters, 0xf);
	KUNIT_EXPECT_EQ(test, pmu.desc.end, 4);
	KUNIT_EXPECT_EQ(test, pmu.desc.nr_banks, 1);
	KUNIT_ASSERT_FALSE(test, fill(LEAF_EAX(2), 0, 0x003, 0));
	KUNIT_EXPECT_EQ(test, pmu.desc.counters, 0xf);
	/* two fixed counters: the event of the third is missing */
	KUNIT_ASSERT_FALSE(test, fill(LEAF_EAX(2), 0, 0x602, 0));
	KUNIT_EXPECT_EQ(test, pmu.desc.counters, 0x30000000fULL);
	/* five fixed counters: there are events for three */
	KUNIT_ASSERT_FALSE(test, fill(LEAF_EAX(2), 0, 0x605, 0));
	KUNIT_EXPECT_EQ(test, pmu.desc.counters, 0x70000000fULL);
}

static u64 counters_for(u64 code, u32 flags, u32 cmask)
{
	struct knc_event e = { .event = code, .flags = flags, .cmask = cmask };

	return knc_event_counters(&e);
}

static void events(struct kunit *test)
{
	const u32 usr = KNC_PMU_EVENT_USR;

	KUNIT_EXPECT_EQ(test, counters_for(0x00c0, usr, 0), 0x10000000fULL);
	KUNIT_EXPECT_EQ(test, counters_for(0x003c, usr, 0), 0x20000000fULL);
	/* the third fixed counter may tick at another rate */
	KUNIT_EXPECT_EQ(test, counters_for(0x013c, usr, 0), 0xf);
	KUNIT_EXPECT_EQ(test, counters_for(0x0300, usr, 0), 0x400000000ULL);
	KUNIT_EXPECT_EQ(test, counters_for(0x00c4, usr, 0), 0xf);
	KUNIT_EXPECT_EQ(test, counters_for(0xbeef, usr, 0), 0xf);
	/* a fixed counter has no edge detection and no counter mask */
	KUNIT_EXPECT_EQ(test, counters_for(0x00c0, usr, 1), 0xf);
	KUNIT_EXPECT_EQ(test, counters_for(0x00c0, usr | KNC_PMU_EVENT_EDGE, 0), 0xf);
}

static u32 reason_for(u64 code, u32 flags)
{
	const struct pmu_select s = { .code = code, .flags = flags };

	return this_pmu->check(&s);
}

static void missing_events(struct kunit *test)
{
	unsigned int i;
	static const u64 codes[] = { 0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5 };

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		KUNIT_ASSERT_FALSE(test, fill(LEAF_EAX(2), 1U << i, LEAF_EDX, 0));
		KUNIT_EXPECT_EQ(test, reason_for(codes[i], KNC_PMU_EVENT_USR),
				KNC_PMU_REASON_EVENT_NONE);
		KUNIT_EXPECT_EQ(test, reason_for(codes[(i + 1) % 7], KNC_PMU_EVENT_USR),
				KNC_PMU_REASON_NONE);
		/* the mask has bits only for the events before this one */
		KUNIT_ASSERT_FALSE(test, fill(0x00300402 | i << 24, 0, LEAF_EDX, 0));
		KUNIT_EXPECT_EQ(test, reason_for(codes[i], KNC_PMU_EVENT_USR),
				KNC_PMU_REASON_EVENT_NONE);
	}
	KUNIT_EXPECT_EQ(test, reason_for(0xbeef, KNC_PMU_EVENT_USR), KNC_PMU_REASON_NONE);
	KUNIT_EXPECT_EQ(test, reason_for(0xbeef, KNC_PMU_EVENT_THREAD_MODE),
			KNC_PMU_REASON_EVENT_FLAGS);
}

static void selects(struct kunit *test)
{
	struct pmu_select s = { .code = 0xc0, .flags = KNC_PMU_EVENT_USR, .cmask = 2 };

	KUNIT_EXPECT_EQ(test, this_pmu->make_select(&s, 3), 0x025100c0ULL);
	KUNIT_EXPECT_EQ(test, this_pmu->make_select(&s, 32), 0xaULL);
	s.flags = KNC_PMU_EVENT_OS | KNC_PMU_EVENT_THREAD_MODE;
	KUNIT_EXPECT_EQ(test, this_pmu->make_select(&s, 0), 0x027200c0ULL);
	KUNIT_EXPECT_EQ(test, this_pmu->make_select(&s, 32), 0xdULL);
}

/* Whatever CPUID says, the rest of the module can use the descriptor. */
static void expect_usable(struct kunit *test)
{
	const struct pmu_desc *d = &pmu.desc;
	unsigned int i;
	u64 all = 0;

	KUNIT_EXPECT_LE(test, d->end, 35);
	KUNIT_EXPECT_EQ(test, d->nr_counters, hweight64(d->counters));
	KUNIT_EXPECT_EQ(test, d->ctrl.mask, d->counters);
	for (i = 0; i < d->nr_banks; i++) {
		const struct pmu_bank *b = &d->bank[i];

		all |= ((1ULL << b->nr) - 1) << b->first;
		KUNIT_EXPECT_TRUE(test, b->nr >= 1 && b->nr <= 8);
		KUNIT_EXPECT_EQ(test, b->max_load & (b->max_load - 1), 0);
		KUNIT_EXPECT_LE(test, b->max_load, 1ULL << (b->width - 1));
	}
	KUNIT_EXPECT_EQ(test, all, d->counters);
	for (i = 0; d->events[i].counters; i++)
		KUNIT_EXPECT_EQ(test, d->events[i].counters & ~d->counters, 0);
	KUNIT_EXPECT_TRUE(test, i == 7 || i == 8);
	KUNIT_EXPECT_LE(test, d->nr_registers, PMU_MAX_REGISTERS);
}

static void random_leafs(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i, used = 0;

	prandom_seed_state(&rnd, seed_of(test, 10));
	for (i = 0; i < 20000; i++) {
		u32 eax = prandom_u32_state(&rnd), edx = prandom_u32_state(&rnd);

		/* half of the leaves have a plausible version and number */
		if (i & 1)
			eax = (eax & 0xff3f0700) | 0x100 | (eax & 3);
		if (fill(eax, prandom_u32_state(&rnd), edx, prandom_u32_state(&rnd)))
			continue;
		used++;
		expect_usable(test);
	}
	KUNIT_EXPECT_GT(test, used, 1000);
}

static struct kunit_case arch_cases[] = {
	KUNIT_CASE(version_2),
	KUNIT_CASE(full_width),
	KUNIT_CASE(anythread),
	KUNIT_CASE(refused_leafs),
	KUNIT_CASE(hybrid),
	KUNIT_CASE(other_numbers),
	KUNIT_CASE(events),
	KUNIT_CASE(missing_events),
	KUNIT_CASE(selects),
	KUNIT_CASE(random_leafs),
	{}
};

KNC_SUITE(arch, arch_init, arch_exit);

kunit_test_suites(&arch_suite);
