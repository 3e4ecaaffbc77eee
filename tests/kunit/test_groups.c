// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of events: which are legal, and on which counters; compared with trying all combinations
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "placing.h"
#include "count/set.h"

#define MOST	4

/* For each event: its counters, and those that the request allows */
static const struct {
	struct event_row row;
	u32 asked;
} kinds[] = {
	{ { 0x16, 0x00, PLACING_ANY }, 0 },
	{ { 0xcb, 0x10, 1 }, 0 },
	{ { 0x16, 0x00, PLACING_ANY }, 1 },
	{ { 0x16, 0x00, PLACING_ANY }, 2 },
};

/**
 * struct puzzle - events that look for groups and counters
 * @e: the events
 * @can: for each event, mask of the counters that it may be on
 * @nr: number of events
 * @nr_groups: number of groups, if they are legal
 * @in: mask of the events of each group, pinned ones included
 */
struct puzzle {
	struct knc_event e[KNC_PMU_MAX_SET];
	u32 can[KNC_PMU_MAX_SET];
	unsigned int nr;
	unsigned int nr_groups;
	u32 in[KNC_PMU_MAX_SET];
};

static bool is_pinned(const struct puzzle *p, unsigned int i)
{
	return p->e[i].flags & KNC_PMU_EVENT_PINNED;
}

/* Event @i is of kind @kind, in group @group; -1: pinned */
static void set_event(struct puzzle *p, unsigned int i, unsigned int kind,
		      int group)
{
	p->e[i] = event_of(&kinds[kind].row, KNC_PMU_EVENT_USR);
	p->e[i].counters = kinds[kind].asked;
	p->can[i] = kinds[kind].row.counters &
		    (kinds[kind].asked ?: PLACING_ANY);
	if (group < 0)
		p->e[i].flags |= KNC_PMU_EVENT_PINNED;
	/* the group of a pinned event is ignored */
	p->e[i].group = group < 0 ? 77 : group;
}

/* The reason of a refusal for multiplexed events, and the event that it names */
static u32 turns_reason(struct puzzle *p, unsigned int *at)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		*at = i;
		if (is_pinned(p, i))
			continue;
		if (p->e[i].group > p->nr_groups)
			return KNC_PMU_REASON_SET_ORDER;
		p->nr_groups = max(p->nr_groups, p->e[i].group + 1);
		p->in[p->e[i].group] |= 1u << i;
		if (hweight32(p->in[p->e[i].group]) > 2)
			return KNC_PMU_REASON_SET_GROUP;
	}
	return KNC_PMU_REASON_NONE;
}

static u32 reason_of(struct puzzle *p, unsigned int *at)
{
	u32 reason;
	unsigned int g, i;

	p->nr_groups = 0;
	memset(p->in, 0, sizeof(p->in));
	reason = turns_reason(p, at);
	if (reason != KNC_PMU_REASON_NONE)
		return reason;
	p->nr_groups = max(p->nr_groups, 1u);
	for (i = 0; i < p->nr; i++)
		for (g = 0; is_pinned(p, i) && g < p->nr_groups; g++) {
			*at = i;
			p->in[g] |= 1u << i;
			if (hweight32(p->in[g]) > 2)
				return KNC_PMU_REASON_SET_PINNED;
		}
	return KNC_PMU_REASON_NONE;
}

/* Can bit i of @where be the counter of event i? */
static bool fits(const struct puzzle *p, u32 free, u32 where)
{
	unsigned int g, i;
	u32 on_1;

	for (i = 0; i < p->nr; i++)
		if (!(p->can[i] & free & 1u << (where >> i & 1)))
			return false;
	for (g = 0; g < p->nr_groups; g++) {
		on_1 = p->in[g] & where;
		if (hweight32(on_1) > 1 || hweight32(p->in[g] ^ on_1) > 1)
			return false;
	}
	return true;
}

static bool possible(const struct puzzle *p, u32 free)
{
	u32 where;

	for (where = 0; where < 1u << p->nr; where++)
		if (fits(p, free, where))
			return true;
	return false;
}

static u32 where_of(const struct puzzle *p)
{
	u32 where = 0;
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		where |= p->e[i].counter << i;
	return where;
}

static void fail(struct kunit *test, const struct puzzle *p, u32 free,
		 const char *what)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		kunit_err(test, "event %u: can %u, group %d, on %u", i,
			  p->can[i], is_pinned(p, i) ? -1 : (int)p->e[i].group,
			  p->e[i].counter);
	KUNIT_FAIL(test, "%s, counters %u free", what, free);
}

static void expect_groups(struct kunit *test, const struct puzzle *p,
			  const struct knc_groups *groups)
{
	unsigned int g, i;
	u32 in;

	if (groups->nr_groups != p->nr_groups || groups->nr_events != p->nr)
		fail(test, p, 3, "how many");
	for (g = 0; g < p->nr_groups; g++) {
		in = 0;
		for (i = 0; i < groups->group[g].nr; i++)
			in |= 1u << groups->group[g].event[i];
		if (in != p->in[g] || groups->group[g].nr != hweight32(in))
			fail(test, p, 3, "other groups");
	}
}

static void expect_assigned(struct kunit *test, struct puzzle *p,
			    struct knc_groups *groups, u32 free)
{
	struct knc_refusal why = { .event = 77, .other = 77 };
	u32 cntrs = 0, where, i;
	int err;

	for (i = 0; i < p->nr; i++)
		p->e[i].counter = 77;
	err = knc_groups_assign(groups, p->e, free, &why);
	if (err != (possible(p, free) ? 0 : -EOPNOTSUPP)) {
		fail(test, p, free, err ? "refused" : "accepted");
		return;
	}
	if (!err) {
		if (why.reason != KNC_PMU_REASON_NONE)
			fail(test, p, free, "accepted, with a reason");
		where = where_of(p);
		for (i = 0; i < p->nr; i++)
			cntrs |= 1u << p->e[i].counter;
		if (where >> p->nr || !fits(p, free, where))
			fail(test, p, free, "put on wrong counters");
		if (groups->owned != cntrs)
			fail(test, p, free, "other counters are needed");
		return;
	}
	if (why.reason == KNC_PMU_REASON_EVENT_PAIR) {
		if (why.event >= p->nr || why.other >= p->nr ||
		    why.event == why.other)
			fail(test, p, free, "no pair");
		return;
	}
	if (why.reason != KNC_PMU_REASON_EVENT_COUNTER ||
	    why.event >= p->nr || why.other)
		fail(test, p, free, "no reason");
	else if (p->can[why.event] & free)
		fail(test, p, free, "this event has a counter");
}

static void expect_puzzle(struct kunit *test, struct puzzle *p)
{
	struct knc_refusal why = { 0 };
	struct knc_groups groups;
	unsigned int at;
	u32 reason, free;
	int err;

	reason = reason_of(p, &at);
	err = knc_groups_init(&groups, p->e, p->nr, &why);
	if (why.reason != reason || err != (reason ? -EINVAL : 0)) {
		fail(test, p, 3, "another reason");
		return;
	}
	if (err) {
		if (why.event != at)
			fail(test, p, 3, "another event is to blame");
		return;
	}
	expect_groups(test, p, &groups);
	for (free = p->nr == MOST ? 3 : 1; free <= 3; free++)
		expect_assigned(test, p, &groups, free);
}

/* Try all combinations of @nr events: each kind, pinned or in each of the groups up to @nr */
static void try_all(struct kunit *test, unsigned int nr)
{
	unsigned int each = ARRAY_SIZE(kinds) * (nr + 2);
	unsigned int all = 1, n, i, rest;
	static struct puzzle p;	/* too large for the stack */

	p.nr = nr;
	for (i = 0; i < nr; i++)
		all *= each;
	for (n = 0; n < all && test->status != KUNIT_FAILURE; n++) {
		for (i = 0, rest = n; i < nr; i++, rest /= each)
			set_event(&p, i, rest % ARRAY_SIZE(kinds),
				  (int)(rest % each / ARRAY_SIZE(kinds)) - 1);
		expect_puzzle(test, &p);
		if (n % 1024 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, n, 0);
}

static void one_to_three(struct kunit *test)
{
	try_all(test, 1);
	try_all(test, 2);
	try_all(test, 3);
}

static void four(struct kunit *test)
{
	try_all(test, 4);
}

/* The maximal number of groups, each full */
static void the_most(struct kunit *test)
{
	static struct puzzle p;
	struct knc_refusal why = { 0 };
	struct knc_groups groups;
	unsigned int i, g;

	p.nr = KNC_PMU_MAX_SET;
	for (i = 0; i < p.nr; i++)
		set_event(&p, i, i % 3 == 2 ? 3 : 0, i / 2);
	KUNIT_ASSERT_EQ(test, 0, knc_groups_init(&groups, p.e, p.nr, &why));
	KUNIT_EXPECT_EQ(test, groups.nr_groups, KNC_PMU_MAX_SET / 2);
	KUNIT_ASSERT_EQ(test, 0, knc_groups_assign(&groups, p.e, 3, &why));
	KUNIT_EXPECT_EQ(test, groups.owned, 3);
	for (g = 0; g < groups.nr_groups; g++) {
		KUNIT_EXPECT_EQ(test, groups.group[g].nr, 2);
		KUNIT_EXPECT_NE(test, p.e[2 * g].counter,
				p.e[2 * g + 1].counter);
	}
	/* a group for each event, and a pinned event in all groups */
	for (i = 0; i < p.nr; i++)
		set_event(&p, i, 0, i == 5 ? -1 : (int)(i - (i > 5)));
	KUNIT_ASSERT_EQ(test, 0, knc_groups_init(&groups, p.e, p.nr, &why));
	KUNIT_EXPECT_EQ(test, groups.nr_groups, KNC_PMU_MAX_SET - 1);
	KUNIT_ASSERT_EQ(test, 0, knc_groups_assign(&groups, p.e, 3, &why));
	for (i = 0; i < p.nr; i++)
		if (i != 5)
			KUNIT_EXPECT_EQ(test, p.e[i].counter, !p.e[5].counter);
	/* only the needed counters must be free */
	for (i = 0; i < p.nr; i++)
		set_event(&p, i, 0, i);
	KUNIT_ASSERT_EQ(test, 0, knc_groups_init(&groups, p.e, p.nr, &why));
	KUNIT_EXPECT_EQ(test, groups.nr_groups, KNC_PMU_MAX_SET);
	KUNIT_ASSERT_EQ(test, 0, knc_groups_assign(&groups, p.e, 2, &why));
	KUNIT_EXPECT_EQ(test, groups.owned, 2);
}

static struct kunit_case groups_cases[] = {
	KUNIT_CASE(one_to_three),
	KUNIT_CASE(four),
	KUNIT_CASE(the_most),
	{}
};

static struct kunit_suite groups_suite = {
	.name = "groups",
	.test_cases = groups_cases,
};

kunit_test_suite(groups_suite);
