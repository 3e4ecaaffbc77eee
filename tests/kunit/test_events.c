// SPDX-License-Identifier: GPL-2.0
/*
 * Events: legality, event selects, which counter
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "request/event.h"
#include "request/groups.h"
#include "model.h"
#include "placing.h"
#include "seed.h"

#define ANY	PLACING_ANY

enum { CNTR_0 = 1, CNTR_ANY = ANY };
enum { SCOPE_UNKNOWN, SCOPE_THREAD, SCOPE_CORE };

static const struct event_row rows[] = {
#define KNC_EVENT(name, event, umask, unit, counters, scope, ...) \
	{ event, umask, CNTR_##counters, SCOPE_##scope },
#include <knc/events.def>
};

/* The first flag without a meaning */
#define UNDEFINED	0x400U

/* An event of each scope, and one that is in no table */
static const struct event_row kinds[] = {
	{ 0x2a, 0x00, ANY, SCOPE_CORE },
	{ 0x02, 0x00, ANY, SCOPE_THREAD },
	{ 0x16, 0x00, ANY, SCOPE_UNKNOWN },
	{ 0xd7, 0x10, 1, SCOPE_CORE },
	{ 0xbe, 0xef, ANY, SCOPE_UNKNOWN },
};

static u32 reason_of(const struct knc_event *e, int *err)
{
	struct knc_refusal why = { .reason = ~0 };
	struct knc_event event = *e;

	*err = knc_events_check(&event, 1, &why);
	return why.reason;
}

/* The reason expected by four rules, in the order of enum knc_pmu_reason */
static u32 want_reason(const struct knc_event *e, u8 scope)
{
	if (e->flags >= UNDEFINED || e->counters > ANY)
		return KNC_PMU_REASON_EVENT_FLAGS;
	if (!(e->flags & (KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS)))
		return KNC_PMU_REASON_EVENT_RING;
	if (e->flags & KNC_PMU_EVENT_INV && e->cmask == 0)
		return KNC_PMU_REASON_EVENT_INV;
	if (e->flags & KNC_PMU_EVENT_THREAD_MODE && scope == SCOPE_CORE)
		return KNC_PMU_REASON_EVENT_THREAD_MODE;
	return KNC_PMU_REASON_NONE;
}

static void expect_legality(struct kunit *test, const struct knc_event *e,
			    u8 scope)
{
	u32 want = want_reason(e, scope);
	u32 reason;
	int err;

	reason = reason_of(e, &err);
	if (reason == want && err == (want ? -EINVAL : 0))
		return;
	KUNIT_ASSERT_FAILURE(test,
			     "event %#llx flags %#x cmask %u counters %#llx: error %d, reason %u, not %u",
			     e->event, e->flags, e->cmask, e->counters, err, reason, want);
}

/* Flags (some undefined), some counter masks, and every cmask that matters */
static void legal_fields(struct kunit *test)
{
	static const u8 cmasks[] = { 0, 1, 2, 0x80, 0xff };
	struct knc_event e;
	unsigned int i, c;
	u32 flags;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (flags = 0; flags < 4 * UNDEFINED; flags += flags < 0x3f ? 1 : 0x3f) {
			e = event_of(&kinds[i], flags);
			for (c = 0; c < ARRAY_SIZE(cmasks) * 8; c++) {
				e.cmask = cmasks[c / 8];
				e.counters = c % 8;
				expect_legality(test, &e, kinds[i].scope);
			}
			cond_resched();
		}
	}
}

/* One flag that has no meaning is enough */
static void undefined_flags(struct kunit *test)
{
	struct knc_event e;
	u32 flag;

	BUILD_BUG_ON(KNC_PMU_EVENT_FLAGS & UNDEFINED ||
		     !(KNC_PMU_EVENT_FLAGS & (UNDEFINED >> 1)));
	for (flag = UNDEFINED; flag; flag <<= 1) {
		e = event_of(&kinds[0], KNC_PMU_EVENT_USR | flag);
		expect_legality(test, &e, kinds[0].scope);
	}
}

static void legal_cmasks(struct kunit *test)
{
	struct knc_event e;
	unsigned int cmask;
	u32 flags;

	for (flags = 0; flags < 0x40; flags++) {
		e = event_of(&kinds[0], flags);
		for (cmask = 0; cmask < 0x100; cmask++) {
			e.cmask = cmask;
			expect_legality(test, &e, SCOPE_CORE);
		}
		cond_resched();
	}
}

/* Each code of events.def, and its neighbours */
static void legal_codes(struct kunit *test)
{
	struct knc_event e = { .flags = KNC_PMU_EVENT_USR };
	unsigned int i;
	int err;

	for (i = 0; i < 0x10000; i++) {
		e.event = i;
		reason_of(&e, &err);
		if (err)
			KUNIT_ASSERT_FAILURE(test, "code %#x: error %d", i, err);
		if (i % 256 == 0)
			cond_resched();
	}
}

static void thread_mode_of_rows(struct kunit *test)
{
	struct knc_event e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		e = event_of(&rows[i], KNC_PMU_EVENT_OS |
			     KNC_PMU_EVENT_THREAD_MODE);
		expect_legality(test, &e, rows[i].scope);
	}
}

static void expect_flags_refused(struct kunit *test,
				 const struct knc_event *e)
{
	int err;

	KUNIT_EXPECT_EQ(test, reason_of(e, &err), KNC_PMU_REASON_EVENT_FLAGS);
	KUNIT_EXPECT_EQ(test, err, -EINVAL);
}

/* Set each reserved bit, one at a time */
static void reserved_fields(struct kunit *test)
{
	const struct knc_event good = event_of(&kinds[2],
						   KNC_PMU_EVENT_USR);
	struct knc_event e;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		e = good;
		e.extra = 1ULL << bit;
		expect_flags_refused(test, &e);
	}
	for (bit = 16; bit < 64; bit++) {
		e = good;
		e.event |= 1ULL << bit;
		expect_flags_refused(test, &e);
	}
	for (bit = 8; bit < 32; bit++) {
		e = good;
		e.cmask = 1u << bit;
		expect_flags_refused(test, &e);
	}
	for (bit = 10; bit < 32; bit++) {
		e = good;
		e.flags |= 1u << bit;
		expect_flags_refused(test, &e);
	}
	for (bit = 2; bit < 64; bit++) {
		e = good;
		e.counters = 1ULL << bit;
		expect_flags_refused(test, &e);
	}
}

/* @counter is an output: its value is ignored. */
static void counter_is_ignored(struct kunit *test)
{
	struct knc_event e = event_of(&kinds[2], KNC_PMU_EVENT_USR);
	int err;

	e.counter = ~0;
	KUNIT_EXPECT_EQ(test, reason_of(&e, &err), KNC_PMU_REASON_NONE);
	KUNIT_EXPECT_EQ(test, err, 0);
}

static void illegal_one_is_named(struct kunit *test)
{
	struct knc_event e[2] = {
		event_of(&kinds[2], KNC_PMU_EVENT_USR),
		event_of(&kinds[2], 0),
	};
	struct knc_refusal why = { 0 };

	KUNIT_EXPECT_EQ(test, knc_events_check(e, 2, &why), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_EVENT_RING);
	KUNIT_EXPECT_EQ(test, why.event, 1);

	swap(e[0], e[1]);
	KUNIT_EXPECT_EQ(test, knc_events_check(e, 2, &why), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.event, 0);

	e[0].flags = KNC_PMU_EVENT_OS;
	KUNIT_EXPECT_EQ(test, knc_events_check(e, 2, &why), 0);
	KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_NONE);
}

/* The event select of table 1-5, field by field */
static u64 want_evtsel(const struct knc_event *e)
{
	return e->event |
	       (u64)e->cmask << MODEL_CMASK_SHIFT | MODEL_EN | MODEL_INT |
	       (e->flags & KNC_PMU_EVENT_USR ? MODEL_USR : 0) |
	       (e->flags & KNC_PMU_EVENT_OS ? MODEL_OS : 0) |
	       (e->flags & KNC_PMU_EVENT_EDGE ? MODEL_EDGE : 0) |
	       (e->flags & KNC_PMU_EVENT_INV ? MODEL_INV : 0) |
	       (e->flags & KNC_PMU_EVENT_THREAD_MODE ? MODEL_THREAD_MODE : 0);
}

static void expect_evtsel(struct kunit *test, const struct knc_event *e)
{
	u64 evtsel = knc_event_evtsel(e);

	if (evtsel != want_evtsel(e) || evtsel & ~MODEL_EVTSEL_MASK)
		KUNIT_ASSERT_FAILURE(test,
				     "event %#llx flags %#x cmask %#x: select %#llx",
				     e->event, e->flags, e->cmask, evtsel);
}

static void evtsel_of_rows(struct kunit *test)
{
	struct knc_event e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		e = event_of(&rows[i], KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS);
		expect_evtsel(test, &e);
		KUNIT_EXPECT_EQ(test, knc_event_evtsel(&e),
				rows[i].umask << 8 | rows[i].event | 0x530000);
	}
}

static void evtsel_of_flags(struct kunit *test)
{
	struct knc_event e;
	unsigned int i, flags, cmask;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (flags = 0; flags < 0x40; flags++) {
			e = event_of(&kinds[i], flags);
			for (cmask = 0; cmask < 0x100; cmask++) {
				e.cmask = cmask;
				expect_evtsel(test, &e);
			}
			cond_resched();
		}
	}
}

static void evtsel_of_codes(struct kunit *test)
{
	struct knc_event e = { .flags = 0 };
	unsigned int i;

	for (i = 0; i < 0x10000; i++) {
		e.event = i;
		e.cmask = i * 37 & 0xff;
		e.flags = i % 0x40;
		expect_evtsel(test, &e);
	}
}

/* All L2 events except the two of code reads, as in libpfm4 and Linux */
static void counter_0_only_rows(struct kunit *test)
{
	struct knc_event e;
	unsigned int i;
	bool only;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		e = event_of(&rows[i], KNC_PMU_EVENT_USR);
		only = rows[i].umask == 0x10 && rows[i].event != 0xf0 &&
		       rows[i].event != 0xf5;
		KUNIT_EXPECT_EQ_MSG(test, knc_event_counters(&e), only ? 1 : ANY,
				    "event %#x", rows[i].event);
	}
}

static void expect_refused(struct kunit *test, const struct placing *p,
			   const struct knc_refusal *why)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		if (p->can[i] & p->free)
			continue;
		KUNIT_EXPECT_EQ(test, why->reason,
				KNC_PMU_REASON_EVENT_COUNTER);
		KUNIT_EXPECT_EQ(test, why->event, i);
		return;
	}
	KUNIT_EXPECT_EQ(test, why->reason, KNC_PMU_REASON_EVENT_PAIR);
	KUNIT_EXPECT_EQ(test, why->event, 0);
	KUNIT_EXPECT_EQ(test, why->other, 1);
}

static void expect_placed(struct kunit *test, struct placing *p)
{
	struct knc_refusal why = { .event = 7, .other = 7 };
	int err = knc_events_assign(p->e, p->nr, p->free, &why);
	bool can = placing_possible(p, p->free);

	KUNIT_EXPECT_EQ_MSG(test, err, can ? 0 : -EOPNOTSUPP,
			    "counters %u and %u, %u free", p->can[0], p->can[1],
			    p->free);
	if (err)
		expect_refused(test, p, &why);
	else if (!placing_fits(p, p->free, p->e[0].counter, p->e[1].counter))
		KUNIT_ASSERT_FAILURE(test,
				     "event %#x on %u, %#x on %u, %u free",
				     p->e[0].event, p->e[0].counter,
				     p->e[1].event, p->e[1].counter, p->free);
}

static void place_rows(struct kunit *test)
{
	struct placing p = { .nr = 1 };
	unsigned int i, counters;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (counters = 0; counters <= ANY; counters++) {
			placing_set(&p, 0, &rows[i], counters);
			for (p.free = 1; p.free <= ANY; p.free++)
				expect_placed(test, &p);
		}
	}
}

static void place_pairs(struct kunit *test)
{
	struct placing p = { .nr = 2, .free = ANY };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(rows); i++) {
		placing_set(&p, 0, &rows[i / ARRAY_SIZE(rows)], 0);
		placing_set(&p, 1, &rows[i % ARRAY_SIZE(rows)], 0);
		expect_placed(test, &p);
		if (i % 64 == 0)
			cond_resched();
	}
}

static const struct event_row classes[] = {
	{ 0x16, 0x00, ANY },
	{ 0xcb, 0x10, 1 },
	{ 0xbe, 0xef, ANY },
};

/* All pairs of classes, with all counters that a user may ask for */
#define NR_PAIRS	(3 * 4 * 3 * 4)

static void place_pair(struct placing *p, unsigned int i)
{
	p->nr = 2;
	placing_set(p, 0, &classes[i / 4 % 3], i % 4);
	placing_set(p, 1, &classes[i / 48], i / 12 % 4);
}

static void place_wishes(struct kunit *test)
{
	struct placing p;
	unsigned int i;

	for (i = 0; i < NR_PAIRS; i++) {
		place_pair(&p, i);
		for (p.free = 0; p.free <= ANY; p.free++)
			expect_placed(test, &p);
	}
}

/* Two events need both counters: without the missing counter they can't be placed. */
static void expect_missing(struct kunit *test, struct placing *p)
{
	struct knc_refusal why = { .event = 7, .other = 7 };
	unsigned int n, i;

	if (!placing_possible(p, ANY) || placing_possible(p, p->free))
		return;
	/* knc_assign() makes this call before it calls knc_events_missing() */
	knc_events_assign(p->e, p->nr, ANY, &why);
	n = knc_events_missing(p->e, p->nr, p->free, &why);
	i = why.event;
	KUNIT_ASSERT_LT(test, n, 2);
	KUNIT_ASSERT_LT(test, i, p->nr);
	KUNIT_EXPECT_FALSE(test, p->free & 1u << n);
	KUNIT_ASSERT_TRUE_MSG(test, placing_fits(p, ANY, i ? !n : n, i ? n : !n),
			      "events for counters %u and %u, %u free: event %u is said to need counter %u",
			      p->can[0], p->can[1], p->free, i, n);
}

static void missing_for_one(struct kunit *test)
{
	struct placing p = { .nr = 1 };
	unsigned int i, counters;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		for (counters = 0; counters <= ANY; counters++) {
			placing_set(&p, 0, &classes[i], counters);
			for (p.free = 0; p.free < ANY; p.free++)
				expect_missing(test, &p);
		}
	}
}

static void missing_for_two(struct kunit *test)
{
	struct placing p;
	unsigned int i;

	for (i = 0; i < NR_PAIRS; i++) {
		place_pair(&p, i);
		for (p.free = 0; p.free < ANY; p.free++)
			expect_missing(test, &p);
	}
}

/* Events that other threads of the core can't cause, as far as documented */
static void own_events(struct kunit *test)
{
	static const struct {
		u8 event;
		u8 umask;
		bool own;
	} events[] = {
		{ 0x16, 0x00, true },	/* INSTRUCTIONS_EXECUTED */
		{ 0x02, 0x00, true },	/* DATA_PAGE_WALK */
		{ 0x16, 0x20, true },	/* VPU_INSTRUCTIONS_EXECUTED */
		{ 0x2a, 0x00, false },	/* CPU_CLK_UNHALTED */
		{ 0xcb, 0x10, false },	/* L2_READ_MISS */
		{ 0xd7, 0x10, false },	/* L2_VICTIM_REQ_WITH_DATA */
		{ 0xbe, 0xef, false },	/* no event */
		{ 0x2a, 0x10, false },	/* no event either */
	};
	struct knc_event e = { .flags = KNC_PMU_EVENT_USR };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		e.event = events[i].event | events[i].umask << 8;
		KUNIT_EXPECT_EQ(test, knc_event_is_own(&e), events[i].own);
	}
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(legal_fields),
	KUNIT_CASE(undefined_flags),
	KUNIT_CASE(legal_cmasks),
	KUNIT_CASE(legal_codes),
	KUNIT_CASE(thread_mode_of_rows),
	KUNIT_CASE(reserved_fields),
	KUNIT_CASE(counter_is_ignored),
	KUNIT_CASE(illegal_one_is_named),
	KUNIT_CASE(evtsel_of_rows),
	KUNIT_CASE(evtsel_of_flags),
	KUNIT_CASE(evtsel_of_codes),
	KUNIT_CASE(counter_0_only_rows),
	KUNIT_CASE(place_rows),
	KUNIT_CASE(place_pairs),
	KUNIT_CASE(place_wishes),
	KUNIT_CASE(missing_for_one),
	KUNIT_CASE(missing_for_two),
	KUNIT_CASE(own_events),
	{}
};

static struct kunit_suite event_suite = {
	.name = "events",
	.test_cases = event_cases,
};

/* Events of the wide PMU: any counter of 0 to 3, some also one of 32 to 34; two are restricted */
static const struct {
	u64 code;
	u64 can;
} wide_kinds[] = {
	{ 0xbeef, 0xf },
	{ 0x00c0, 0x10000000f },
	{ 0x003c, 0x20000000f },
	{ 0x013c, 0x40000000f },
	{ 0x0151, 0x3 },
	{ 0x0160, 0x1 },
};

static int wide_init(struct kunit *test)
{
	model_select(&model_wide);
	return 0;
}

static void wide_exit(struct kunit *test)
{
	model_select(&model_knc);
}

static void constraints(struct kunit *test)
{
	struct knc_event e = { .flags = KNC_PMU_EVENT_USR };
	unsigned int i;
	u64 bit;
	int err;

	for (i = 0; i < ARRAY_SIZE(wide_kinds); i++) {
		e.event = wide_kinds[i].code;
		KUNIT_EXPECT_EQ(test, knc_event_counters(&e), wide_kinds[i].can);
	}
	for (i = 0; i < 64; i++) {
		bit = 1ULL << i;
		e.counters = bit;
		KUNIT_EXPECT_EQ(test, reason_of(&e, &err), bit & 0x70000000f ?
				KNC_PMU_REASON_NONE : KNC_PMU_REASON_EVENT_FLAGS);
	}
	e.counters = 0;
	/* this PMU has no gate */
	e.flags |= KNC_PMU_EVENT_SPFLT;
	expect_flags_refused(test, &e);
}

/* An event select is valid on one counter only. */
static void selects(struct kunit *test)
{
	struct knc_event e = {
		.event = 0xc0,
		.flags = KNC_PMU_EVENT_OS,
		.counter = 3,
	};

	KUNIT_EXPECT_EQ(test, knc_event_evtsel(&e), 0x5200c0);
	e.counter = 32;
	KUNIT_EXPECT_EQ(test, knc_event_evtsel(&e), 0x9);
	e.flags = KNC_PMU_EVENT_OS | KNC_PMU_EVENT_USR;
	KUNIT_EXPECT_EQ(test, knc_event_evtsel(&e), 0xb);
}

/* Some events, and the counters that each can use */
struct wide_puzzle {
	struct knc_event e[7];
	u64 can[7];
	unsigned int nr;
	u64 free;
};

static void wide_draw(struct wide_puzzle *p, struct rnd_state *rnd)
{
	unsigned int i, kind;

	memset(p, 0, sizeof(*p));
	p->nr = 1 + prandom_u32_state(rnd) % 7;
	p->free = 0x70000000f;
	if (prandom_u32_state(rnd) % 2)
		p->free &= ~(1ULL << prandom_u32_state(rnd) % 35);
	for (i = 0; i < p->nr; i++) {
		kind = prandom_u32_state(rnd) % ARRAY_SIZE(wide_kinds);
		p->e[i].event = wide_kinds[kind].code;
		p->e[i].flags = KNC_PMU_EVENT_USR;
		p->can[i] = wide_kinds[kind].can & p->free;
	}
}

/* All events can be placed if every subset of n events has n counters (P. Hall). */
static bool wide_possible(const struct wide_puzzle *p)
{
	unsigned int set, i;
	u64 all;

	for (set = 1; set < 1u << p->nr; set++) {
		for (i = 0, all = 0; i < p->nr; i++)
			if (set >> i & 1)
				all |= p->can[i];
		if (hweight64(all) < hweight32(set))
			return false;
	}
	return true;
}

static void expect_wide_refused(struct kunit *test, const struct wide_puzzle *p,
				const struct knc_refusal *why)
{
	if (why->reason == KNC_PMU_REASON_EVENT_COUNTER) {
		KUNIT_EXPECT_EQ(test, p->can[why->event], 0);
		return;
	}
	KUNIT_EXPECT_EQ(test, why->reason, KNC_PMU_REASON_EVENT_PAIR);
	KUNIT_ASSERT_LT(test, why->event, why->other);
	KUNIT_ASSERT_LT(test, why->other, p->nr);
	KUNIT_EXPECT_NE(test, p->can[why->event] & p->can[why->other], 0);
}

static void place_many(struct kunit *test)
{
	struct knc_refusal why = { 0 };
	unsigned int n, i, placed = 0;
	struct wide_puzzle p;
	struct rnd_state rnd;
	bool can;
	u64 used;
	int err;

	prandom_seed_state(&rnd, seed_of(test, 7));
	for (n = 0; n < 2000 && test->status != KUNIT_FAILURE; n++) {
		wide_draw(&p, &rnd);
		err = knc_events_assign(p.e, p.nr, p.free, &why);
		can = wide_possible(&p);
		KUNIT_EXPECT_EQ(test, err, can ? 0 : -EOPNOTSUPP);
		if (err) {
			expect_wide_refused(test, &p, &why);
			continue;
		}
		for (i = 0, used = 0; i < p.nr; i++) {
			KUNIT_EXPECT_TRUE(test, p.can[i] >> p.e[i].counter & 1);
			used |= 1ULL << p.e[i].counter;
		}
		KUNIT_EXPECT_EQ(test, hweight64(used), p.nr);
		placed++;
	}
	KUNIT_EXPECT_GT(test, placed, 100);
	KUNIT_EXPECT_LT(test, placed, 1900);
}

/* Several pinned events: each has the same counter in all groups */
static void pin_many(struct kunit *test)
{
	static const u8 kinds_of[] = { 0, 4, 0, 5, 0, 0, 1 };
	struct knc_event e[8];
	struct knc_refusal why = { 0 };
	struct knc_groups *groups = kunit_kzalloc(test, sizeof(*groups),
						  GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, groups);
	memset(e, 0, sizeof(e));
	for (i = 0; i < ARRAY_SIZE(kinds_of); i++) {
		e[i].event = wide_kinds[kinds_of[i]].code;
		e[i].flags = KNC_PMU_EVENT_USR;
		e[i].group = i > 3;
		if (kinds_of[i] > 3)
			e[i].flags |= KNC_PMU_EVENT_PINNED;
	}
	KUNIT_ASSERT_EQ(test, 0, knc_groups_init(groups, e, 7, &why));
	KUNIT_ASSERT_EQ(test, 0,
			knc_groups_assign(groups, e, 0x70000000f, &why));
	/* the restricted events are pinned on 0 and 1: no other placement is possible */
	KUNIT_EXPECT_EQ(test, e[3].counter, 0);
	KUNIT_EXPECT_EQ(test, e[1].counter, 1);
	KUNIT_EXPECT_EQ(test, groups->owned, 0x10000000f);
	KUNIT_EXPECT_EQ(test, 1u << e[0].counter | 1u << e[2].counter, 0xc);
	KUNIT_EXPECT_EQ(test, 1u << e[4].counter | 1u << e[5].counter, 0xc);
	KUNIT_EXPECT_EQ(test, e[6].counter, 32);
	/* two pinned events that need the same counter */
	e[1].event = e[3].event;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			knc_groups_assign(groups, e, 0x70000000f, &why));
	KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_EVENT_PAIR);
	KUNIT_EXPECT_EQ(test, why.event, 1);
	KUNIT_EXPECT_EQ(test, why.other, 3);
	e[1].event = wide_kinds[4].code;
	/* a third event of a group finds no counter */
	e[7] = e[4];
	KUNIT_ASSERT_EQ(test, 0, knc_groups_init(groups, e, 8, &why));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			knc_groups_assign(groups, e, 0x70000000f, &why));
}

static struct kunit_case event_wide_cases[] = {
	KUNIT_CASE(constraints),
	KUNIT_CASE(selects),
	KUNIT_CASE(place_many),
	KUNIT_CASE(pin_many),
	{}
};

static struct kunit_suite event_wide_suite = {
	.name = "events_wide",
	.init = wide_init,
	.exit = wide_exit,
	.test_cases = event_wide_cases,
};

kunit_test_suites(&event_suite, &event_wide_suite);
