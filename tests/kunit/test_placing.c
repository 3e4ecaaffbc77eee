// SPDX-License-Identifier: GPL-2.0
/*
 * Placing events on counters of PMUs of all widths: compared with trying all combinations, and the
 * work of the hardest request
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pmu/arch.h"
#include "pmu/hw.h"
#include "request/event.h"
#include "request/groups.h"
#include "seed.h"
#include "wide.h"

extern u64 knc_place_steps;

#define CODES		16
/*
 * 462 choices of 5 (or 6) of 11 counters, for each of which at most KNC_PMU_MAX_SET events look at
 * each counter once; then a search for each event's preferred counter
 */
#define MOST_STEPS	(462 * KNC_PMU_MAX_SET * PMU_MAX_COUNTERS +		\
			 KNC_PMU_MAX_SET * PMU_MAX_COUNTERS * PMU_MAX_COUNTERS *	\
			 PMU_MAX_COUNTERS)

/**
 * struct puzzle - a request on a PMU
 * @desc: the PMU
 * @table: its events: their codes are their indices plus 1
 * @e: the events of the request
 * @nr: how many
 * @in: mask of the groups of each
 * @groups: the groups
 */
static struct puzzle {
	struct pmu_desc desc;
	struct pmu_event table[CODES + 1];
	struct knc_event e[KNC_PMU_MAX_SET];
	unsigned int nr;
	u32 in[KNC_PMU_MAX_SET];
	struct knc_groups groups;
} p;

static u32 seed;

static u32 random(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static u64 counters_of(unsigned int general, unsigned int fixed)
{
	return ((1ULL << general) - 1) | ((1ULL << fixed) - 1) << ARCH_FIXED;
}

static void set_pmu(unsigned int general, unsigned int fixed)
{
	memset(&p, 0, sizeof(p));
	p.desc = pmu_wide;
	p.desc.bank[0].nr = general;
	p.desc.bank[1].nr = fixed;
	p.desc.nr_banks = fixed ? 2 : 1;
	p.desc.nr_counters = general + fixed;
	p.desc.counters = counters_of(general, fixed);
	p.desc.any = counters_of(general, 0);
	p.desc.fixed = counters_of(0, fixed);
	p.desc.end = fixed ? ARCH_FIXED + fixed : general;
	p.desc.events = p.table;
	this_pmu = &p.desc;
}

static void set_code(unsigned int i, u64 counters)
{
	p.table[i].code = i + 1;
	p.table[i].counters = counters;
}

/* @group: -1: pinned */
static void add(unsigned int code, int group)
{
	struct knc_event *e = &p.e[p.nr++];

	memset(e, 0, sizeof(*e));
	e->event = code + 1;
	e->flags = KNC_PMU_EVENT_USR | (group < 0 ? KNC_PMU_EVENT_PINNED : 0);
	e->group = group < 0 ? 0 : group;
	e->counter = 77;
}

/* Try event @i and the following events on each counter; @used: the counters taken in each group */
static bool try_all(unsigned int i, u64 *used, u64 free)
{
	unsigned int g, n;
	bool good;

	if (i == p.nr)
		return true;
	for_each_counter(n) {
		if (!(knc_event_counters(&p.e[i]) & free & pmu_bit(n)))
			continue;
		for (g = 0, good = true; g < p.groups.nr_groups; g++)
			good &= !(p.in[i] >> g & 1 && used[g] & pmu_bit(n));
		if (!good)
			continue;
		for (g = 0; g < p.groups.nr_groups; g++)
			if (p.in[i] >> g & 1)
				used[g] |= pmu_bit(n);
		if (try_all(i + 1, used, free))
			return true;
		for (g = 0; g < p.groups.nr_groups; g++)
			if (p.in[i] >> g & 1)
				used[g] &= ~pmu_bit(n);
	}
	return false;
}

static void find_groups(void)
{
	unsigned int g, i;

	memset(p.in, 0, sizeof(p.in));
	for (g = 0; g < p.groups.nr_groups; g++)
		for (i = 0; i < p.groups.group[g].nr; i++)
			p.in[p.groups.group[g].event[i]] |= 1u << g;
}

static bool is_right(u64 free)
{
	u64 used[KNC_PMU_MAX_SET] = { 0 };
	unsigned int g, i;

	for (i = 0; i < p.nr; i++) {
		if (!(knc_event_counters(&p.e[i]) & free & pmu_bit(p.e[i].counter)))
			return false;
		for (g = 0; g < p.groups.nr_groups; g++) {
			if (!(p.in[i] >> g & 1))
				continue;
			if (used[g] & pmu_bit(p.e[i].counter))
				return false;
			used[g] |= pmu_bit(p.e[i].counter);
		}
	}
	return true;
}

/*
 * Make a request with consecutive groups, each with a random event; returns false if there are too
 * many
 */
static bool random_request(unsigned int most)
{
	unsigned int nr_groups = 1 + random(3), pinned = random(3), i;
	struct knc_refusal why = { 0 };

	for (i = 0; i < CODES; i++)
		set_code(i, 1 + random(~0U >> 9));
	for (i = 0; i < CODES; i++) {
		p.table[i].counters = (p.table[i].counters | (u64)random(8) << ARCH_FIXED) &
				      p.desc.counters;
		p.table[i].counters = p.table[i].counters ?: 1;
	}
	for (i = 0; i < nr_groups; i++)
		add(random(CODES), i);
	while (p.nr + pinned < most)
		add(random(CODES), random(nr_groups));
	for (i = 0; i < pinned; i++)
		add(random(CODES), -1);
	return !knc_groups_init(&p.groups, p.e, p.nr, &why);
}

static void compared(struct kunit *test)
{
	u64 used[KNC_PMU_MAX_SET], free;
	struct knc_refusal why;
	unsigned int i, yes = 0, no = 0;
	bool possible;
	int err;

	seed = seed_of(test, 4711);
	for (i = 0; i < 30000; i++) {
		set_pmu(1 + random(3), random(3));
		if (!random_request(2 + random(4)))
			continue;
		find_groups();
		memset(used, 0, sizeof(used));
		memset(&why, 0, sizeof(why));
		free = p.desc.counters & ~(random(4) ? 0 : 1ULL << random(3));
		possible = try_all(0, used, free);
		err = knc_groups_assign(&p.groups, p.e, free, &why);
		KUNIT_ASSERT_EQ_MSG(test, !err, possible, "request %u", i);
		KUNIT_ASSERT_TRUE_MSG(test, err || is_right(free), "request %u", i);
		yes += possible;
		no += !possible;
		if (i % 256 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, yes, 3000);
	KUNIT_EXPECT_GT(test, no, 3000);
}

static u64 steps_of(struct kunit *test)
{
	struct knc_refusal why = { 0 };

	KUNIT_ASSERT_EQ(test, 0, knc_groups_init(&p.groups, p.e, p.nr, &why));
	knc_place_steps = 0;
	knc_groups_assign(&p.groups, p.e, p.desc.counters, &why);
	return knc_place_steps;
}

/* Eight pinned events with two choices each, which leave too few counters for the second group */
static void hardest(struct kunit *test)
{
	unsigned int i;

	set_pmu(8, 3);
	set_code(0, counters_of(8, 1));				/* 0xc0 */
	set_code(1, counters_of(8, 0) | 1ULL << (ARCH_FIXED + 1));	/* 0x3c */
	set_code(2, counters_of(8, 0));				/* 0xc4 */
	add(0, 0);
	for (i = 0; i < 3; i++)
		add(2, 1);
	for (i = 0; i < 8; i++)
		add(i % 2, -1);
	KUNIT_EXPECT_LE(test, steps_of(test), MOST_STEPS);
	KUNIT_EXPECT_GT(test, knc_place_steps, 0);
}

/* The maximal number of events, of all kinds, on the widest PMU */
static void bounded(struct kunit *test)
{
	struct knc_refusal why;
	unsigned int i, tries, pinned;
	u64 most = 0;

	seed = seed_of(test, 815);
	for (tries = 0; tries < 300; tries++) {
		set_pmu(8, 3);
		for (i = 0; i < CODES; i++)
			set_code(i, random(256) | 1 << random(8) |
				    (u64)random(8) << ARCH_FIXED);
		pinned = 3 + random(6);
		for (i = 0; i + pinned < KNC_PMU_MAX_SET; i++)
			add(random(CODES), i / (PMU_MAX_COUNTERS - pinned));
		for (i = 0; i < pinned; i++)
			add(random(CODES), -1);
		most = max(most, steps_of(test));
		memset(&why, 0, sizeof(why));
		cond_resched();
	}
	KUNIT_EXPECT_LE(test, most, MOST_STEPS);
	kunit_info(test, "at most %llu steps, of %u", most, MOST_STEPS);
}

/* A fixed counter is preferred, because it leaves a general counter free. */
static void fixed_first(struct kunit *test)
{
	struct knc_refusal why = { 0 };

	set_pmu(4, 3);
	set_code(0, counters_of(4, 1));
	set_code(1, counters_of(4, 0));
	add(0, 0);
	add(1, 0);
	add(0, 0);
	KUNIT_ASSERT_EQ(test, 0, knc_groups_init(&p.groups, p.e, p.nr, &why));
	KUNIT_ASSERT_EQ(test, 0, knc_groups_assign(&p.groups, p.e, p.desc.counters, &why));
	KUNIT_EXPECT_EQ(test, p.e[0].counter, ARCH_FIXED);
	KUNIT_EXPECT_EQ(test, p.e[1].counter, 0);
	KUNIT_EXPECT_EQ(test, p.e[2].counter, 1);
	/* unless the request names a general one */
	p.e[0].counters = 1 << 2;
	KUNIT_ASSERT_EQ(test, 0, knc_groups_assign(&p.groups, p.e, p.desc.counters, &why));
	KUNIT_EXPECT_EQ(test, p.e[0].counter, 2);
	KUNIT_EXPECT_EQ(test, p.e[2].counter, ARCH_FIXED);
}

static const struct pmu_desc *before;

static int placing_init(struct kunit *test)
{
	before = this_pmu;
	return 0;
}

static void placing_exit(struct kunit *test)
{
	this_pmu = before;
}

static struct kunit_case placing_cases[] = {
	KUNIT_CASE(compared),
	KUNIT_CASE(hardest),
	KUNIT_CASE(bounded),
	KUNIT_CASE(fixed_first),
	{}
};

static struct kunit_suite placing_suite = {
	.name = "placing",
	.init = placing_init,
	.exit = placing_exit,
	.test_cases = placing_cases,
};

kunit_test_suite(placing_suite);
