// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups of events, on a hardware thread and for the task that runs there. Each event
 * has its own code: the model knows its count while it was selected, and READ must report exactly
 * that.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/prandom.h>

#include <asm/tsc.h>

#include "count/attach.h"
#include "count/read.h"
#include "count/registers.h"
#include "count/rotation.h"
#include "count/sched.h"
#include "request/event.h"
#include "hwthread_fixture.h"
#include "count/set.h"
#include "seed.h"
#include "units.h"

#define EVENTS	8
#define STEPS	4000
#define TURN	((u64)tsc_khz * 4)

/**
 * struct turns - a claim whose groups take turns, and its expected counts
 * @b: the hardware thread
 * @claim: the claim
 * @task: @claim belongs to a task
 * @there: @claim is attached, or scheduled in
 * @groups: its groups
 * @event: its events
 * @count: the initial counts of the events
 * @base: the events until the last reset
 * @group: the present group
 * @turn: ticks for which the present group was counted in this turn
 * @ticks: ticks for which each group was counted in earlier turns
 */
struct turns {
	struct bench *b;
	struct knc_claim *claim;
	bool task;
	bool there;
	struct knc_groups groups;
	struct knc_event event[EVENTS];
	struct knc_count count[EVENTS];
	u64 base[EVENTS];
	unsigned int group;
	u64 turn;
	u64 ticks[EVENTS];
};

/* A request: each event's group (or pinned), counters, and SPFLT */
struct wish {
	int group;
	u32 counters;
	bool obeys;
};

#define PINNED	(-1)

struct wishes {
	unsigned int nr;
	struct wish wish[EVENTS];
};

static const struct wishes wishes[] = {
	{ 2, { { 0 }, { 1 } } },
	{ 5, { { 0 }, { 0 }, { 1 }, { 2 }, { 2 } } },
	{ 4, { { 0 }, { PINNED }, { 1 }, { 2 } } },
	{ 4, { { PINNED, 2 }, { 0 }, { 1, 1 }, { 2 } } },
	{ 3, { { 0, 1 }, { 1, 1 }, { 2, 2 } } },
	{ 4, { { 0, 1, true }, { 1, 1 }, { 2, 2, true }, { 0, 2 } } },
	{ 3, { { PINNED, 1, true }, { 0 }, { 1 } } },
	{ 8, { { 0 }, { 0 }, { 1 }, { 1 }, { 2 }, { 2 }, { 3 }, { 3 } } },
};

/* Another user's registers, which do not count meanwhile */
static const struct model_regs before = {
	.perfcntr = { 0x1122334455, 0xffeeddccbb },
	.perfevtsel = { 0x12a7a016, 0x00530018 },
	.spflt = MODEL_USER_PREF | 1,
	.ctrl = 1,
	.lvtpc = MODEL_LVT_MASKED | 0xf6,
};

static u64 code_of(unsigned int i)
{
	return i + 1;
}

static void lay_out(struct turns *t, const struct wishes *w)
{
	struct knc_refusal why = { 0 };
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		t->event[i].event = 0x16;
		t->event[i].flags = KNC_PMU_EVENT_USR;
		t->event[i].counters = model_cntrs(w->wish[i].counters);
		if (w->wish[i].group == PINNED)
			t->event[i].flags |= KNC_PMU_EVENT_PINNED;
		else
			t->event[i].group = w->wish[i].group;
	}
	KUNIT_ASSERT_EQ(t->b->test, 0,
			knc_groups_init(&t->groups, t->event, w->nr, &why));
	KUNIT_ASSERT_EQ(t->b->test, 0,
			knc_groups_assign(&t->groups, t->event, model_cntrs(3),
					  &why));
}

/* Set up a claim as claims.c does */
static struct turns *turns_of(struct bench *b, const struct wishes *w, bool task)
{
	struct turns *t = kunit_kzalloc(b->test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(b->test, t);
	t->b = b;
	t->claim = bench_claim(b, 0, 0, 0);
	t->task = task;
	lay_out(t, w);
	for (i = 0; i < w->nr; i++) {
		t->count[i].evtsel = MODEL_EN | MODEL_INT | MODEL_USR | code_of(i);
		t->count[i].counter = t->event[i].counter;
		t->count[i].read_index = pmu_read_index(t->count[i].counter);
		t->count[i].obeys = w->wish[i].obeys && pmu_has_gate();
		t->count[i].left = pmu_max_load(t->count[i].counter);
		if (t->count[i].obeys)
			t->claim->gated |= pmu_bit(t->event[i].counter);
	}
	t->claim->owned = t->groups.owned;
	t->claim->open = true;
	KUNIT_ASSERT_EQ(b->test, 0, knc_set_alloc(t->claim, &t->groups, GFP_KERNEL));
	knc_set_init(t->claim, t->count);
	if (!b->model.tsc)
		b->model.tsc = 1ULL << 40;
	/* time only advances on request of the test */
	b->model.pace = 0;
	memcpy(t->base, b->model.by_code + 1, sizeof(t->base));
	return t;
}

static void come(struct turns *t)
{
	if (t->task)
		MODEL_AT(knc_sched_in_any(t->b->hw, t->claim,
					  t->claim->started));
	else
		bench_attach(t->b, t->claim);
	t->there = true;
}

static void go(struct turns *t)
{
	if (t->task)
		MODEL_AT(knc_sched_out_any(t->b->hw, t->claim));
	else
		bench_detach(t->b, t->claim);
	t->there = false;
}

static void begin(struct turns *t)
{
	model_fill(&t->b->model, &before);
	if (t->task)
		MODEL_AT(knc_registers_admit_tasks(t->b->hw));
	come(t);
}

static void end(struct turns *t)
{
	if (t->there)
		go(t);
	if (t->task)
		MODEL_AT(knc_registers_dismiss_tasks(t->b->hw));
	knc_set_free(t->claim);
	/* any group may have had the last turn */
	if (!t->b->hw->attached)
		model_expect_regs(t->b->test, &t->b->model, &before);
}

/* START and STOP for a task that is not on the counters */
static void set_started(struct turns *t, bool started)
{
	if (t->task) {
		if (t->there)
			go(t);
		t->claim->started = started;
		come(t);
	} else if (started) {
		bench_start(t->b, t->claim);
	} else {
		bench_stop(t->b, t->claim);
	}
}

static bool counts_now(const struct turns *t)
{
	return t->there && t->claim->started && t->b->hw->online;
}

static void pass(struct turns *t, u64 cycles)
{
	model_pass(&t->b->model, cycles);
	if (counts_now(t))
		t->turn += cycles;
}

static void rotate(struct turns *t)
{
	MODEL_AT(knc_rotation_next(t->b->hw));
	if (!counts_now(t) || t->turn < TURN * 3 / 4)
		return;
	t->ticks[t->group] += t->turn;
	t->turn = 0;
	t->group = (t->group + 1) % t->groups.nr_groups;
}

/* End the turn of the present group. */
static void next(struct turns *t)
{
	if (t->turn < TURN)
		pass(t, TURN - t->turn);
	rotate(t);
}

/* RESET of a task that is not on the counters */
static void reset_task(struct turns *t)
{
	unsigned int i;

	if (t->there)
		go(t);
	for (i = 0; i < t->claim->nr; i++)
		t->claim->count[i].total = 0;
	knc_set_reset(t->claim);
}

static void reset(struct turns *t)
{
	if (t->task)
		reset_task(t);
	else
		bench_reset(t->b, t->claim);
	memcpy(t->base, t->b->model.by_code + 1, sizeof(t->base));
	memset(t->ticks, 0, sizeof(t->ticks));
	t->turn = 0;
	if (t->task)
		come(t);
}

/* Read as READ does: the updated counts of a task, or all counts of a hardware thread */
static void read(struct turns *t, u64 *values, u64 *running)
{
	u64 room[KNC_PMU_SET_SIZE(EVENTS) / 8];
	struct knc_pmu_thread *r = (void *)room;
	unsigned int i, nr = t->groups.nr_events;

	if (!t->task) {
		memset(room, 0xa5, sizeof(room));
		MODEL_AT(knc_claim_read_set(t->b->hw, t->claim, r));
		KUNIT_EXPECT_EQ(t->b->test, r->cpu, t->claim->cpu);
		KUNIT_EXPECT_EQ(t->b->test, r->flags, t->claim->flags |
				(t->b->hw->online ? 0 : KNC_PMU_THREAD_OFFLINE));
		memcpy(values, (u64 *)r->value, nr * sizeof(u64));
		memcpy(running, (u64 *)r->value + nr, nr * sizeof(u64));
		return;
	}
	if (t->there)
		MODEL_AT(knc_sched_update(t->b->hw, t->claim));
	knc_set_read_totals(t->claim, values, running);
	for (i = 0; i < nr; i++)
		running[i] = knc_clock_ticks_to_ns(running[i]);
}

static bool is_in(const struct turns *t, unsigned int g, unsigned int i)
{
	const struct knc_group *group = &t->groups.group[g];
	unsigned int n;

	for (n = 0; n < group->nr; n++)
		if (group->event[n] == i)
			return true;
	return false;
}

static u64 ticks_of(const struct turns *t, unsigned int i)
{
	unsigned int g;
	u64 ticks = 0;

	for (g = 0; g < t->groups.nr_groups; g++)
		if (is_in(t, g, i))
			ticks += t->ticks[g] + (g == t->group ? t->turn : 0);
	return ticks;
}

static void expect_told(struct turns *t)
{
	u64 values[EVENTS], running[EVENTS];
	unsigned int i;

	read(t, values, running);
	for (i = 0; i < t->groups.nr_events; i++) {
		KUNIT_EXPECT_EQ_MSG(t->b->test, values[i],
				    t->b->model.by_code[code_of(i)] - t->base[i],
				    "event %u", i);
		KUNIT_EXPECT_EQ_MSG(t->b->test, running[i],
				    knc_clock_ticks_to_ns(ticks_of(t, i)),
				    "event %u", i);
	}
}

/* Check that only the present group is on the counters, and counts if it should. */
static void expect_selected(struct turns *t)
{
	const struct model *m = &t->b->model;
	u64 selects[MODEL_NR] = { 0 };
	u32 cntrs = 0, obey = 0;
	unsigned int i, slot;

	if (!t->b->hw->online || (!t->there && !t->task))
		return;
	for (i = 0; i < t->groups.nr_events; i++) {
		if (!t->there || !is_in(t, t->group, i))
			continue;
		slot = model_slot(t->count[i].counter);
		selects[slot] = t->count[i].evtsel;
		cntrs |= 1u << slot;
		if (t->count[i].obeys)
			obey |= 1u << slot;
	}
	for (i = 0; i < MODEL_NR; i++) {
		if (cntrs & 1u << i)
			KUNIT_EXPECT_EQ(t->b->test, m->regs.perfevtsel[i], selects[i]);
		else
			bench_expect_free(t->b->test, t->b->hw, m, pmu_bit(model_number(i)));
	}
	KUNIT_EXPECT_EQ(t->b->test, m->regs.ctrl, counts_now(t) ? cntrs : 0);
	KUNIT_EXPECT_EQ(t->b->test, m->regs.spflt & 3, obey);
}

/* An event counts in its group's turns, and in no other: a case with explicit numbers. */
static void counts_in_turn(struct kunit *test)
{
	struct bench *b = test->priv;
	struct turns *t;
	u64 values[EVENTS], running[EVENTS];
	unsigned int task, i;

	for (task = 0; task < 2; task++) {
		t = turns_of(b, &wishes[1], task);
		begin(t);
		set_started(t, true);
		for (i = 0; i < 7; i++) {
			model_run(&b->model, 10, 20);
			/* the turn is not over yet */
			pass(t, TURN / 2);
			rotate(t);
			model_run(&b->model, 1, 2);
			pass(t, TURN / 2);
			rotate(t);
			expect_selected(t);
		}
		model_run(&b->model, 5, 7);
		pass(t, 1);
		read(t, values, running);
		KUNIT_EXPECT_EQ(test, values[0] + values[1], 3 * 33);
		KUNIT_EXPECT_EQ(test, min(values[0], values[1]), 3 * 11);
		/* the second group has one event, on counter 0 */
		KUNIT_EXPECT_EQ(test, values[2], 2 * 11 + 5);
		KUNIT_EXPECT_EQ(test, values[3] + values[4], 2 * 33);
		KUNIT_EXPECT_EQ(test, running[0], knc_clock_ticks_to_ns(3 * TURN));
		KUNIT_EXPECT_EQ(test, running[1], running[0]);
		KUNIT_EXPECT_EQ(test, running[2], knc_clock_ticks_to_ns(2 * TURN + 1));
		KUNIT_EXPECT_EQ(test, running[3], knc_clock_ticks_to_ns(2 * TURN));
		expect_told(t);
		bench_expect_alive(b);
		end(t);
	}
}

/* The core loses its registers in the first group's turn: only that group's counts are affected. */
static void lost_in_a_turn(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 values[EVENTS], running[EVENTS];
	unsigned int task, i;
	struct turns *t;

	for (task = 0; task < 2; task++) {
		t = turns_of(b, &wishes[1], task);
		begin(t);
		set_started(t, true);
		for (i = 0; i < 7; i++) {
			model_run(&b->model, 10, 10);
			if (i == 3)
				model_fill(&b->model, &model_zeros);
			next(t);
			expect_selected(t);
		}
		read(t, values, running);
		for (i = 0; i < 5; i++)
			KUNIT_EXPECT_EQ(test, values[i],
					b->model.by_code[code_of(i)] - t->base[i] - (i < 2) * 10);
		KUNIT_EXPECT_EQ(test, t->claim->flags,
				task ? KNC_PMU_THREAD_PARTIAL : KNC_PMU_THREAD_GAP);
		end(t);
	}
}

/* Claims begin with each group equally often; the same holds for every second claim alone. */
static void begins_with_any(struct kunit *test)
{
	struct bench *b = test->priv;
	struct turns *t = turns_of(b, &wishes[1], true);
	unsigned int n, first[2][3] = { { 0 } };

	KUNIT_ASSERT_EQ(test, t->groups.nr_groups, 3);
	for (n = 0; n < 3000; n++) {
		knc_set_spread(t->claim, n);
		t->group = t->claim->set->group;
		if (!n)
			KUNIT_EXPECT_EQ(test, t->group, 0);
		KUNIT_EXPECT_EQ(test, t->claim->nr, t->groups.group[t->group].nr);
		first[n % 2][t->group]++;
	}
	for (n = 0; n < 6; n++)
		KUNIT_EXPECT_LE_MSG(test, abs((int)first[n / 3][n % 3] - 500), 10,
				    "group %u: %u", n % 3, first[n / 3][n % 3]);
	begin(t);
	set_started(t, true);
	model_run(&b->model, 10, 20);
	next(t);
	expect_selected(t);
	expect_told(t);
	end(t);
}

/* The ns for which the three groups were counted together */
static u64 all_running(struct turns *t)
{
	u64 values[EVENTS], running[EVENTS];

	read(t, values, running);
	return running[0] + running[1] + running[2];
}

/* Turns while the time stamp counter has half or twice its rate */
static void turns_at_other_rates(struct kunit *test)
{
	static const struct wishes second = { 3, { { 0, 2 }, { 1, 2 }, { 2, 2 } } };
	static const unsigned int tenths[] = { 5, 20, 10 };
	struct bench *b = test->priv;
	struct turns *t = turns_of(b, &second, false);
	u64 ms = 1000, since = 0;
	unsigned int i, n, group, turns;

	begin(t);
	MODEL_AT(knc_test_measure(ms * NSEC_PER_MSEC));
	set_started(t, true);
	for (i = 0; i < ARRAY_SIZE(tenths); i++) {
		turns = 0;
		for (n = 0; n < 250; n++) {
			/* 4 ms, when the timer fires */
			model_pass(&b->model, TURN * tenths[i] / 10);
			ms += 4;
			group = t->claim->set->group;
			MODEL_AT(knc_rotation_next(b->hw));
			turns += group != t->claim->set->group;
			if (n % 25 == 24)
				MODEL_AT(knc_test_measure(ms * NSEC_PER_MSEC));
			/* these turns ended before the rate was measured */
			if (n == 24)
				since = all_running(t);
		}
		KUNIT_EXPECT_GE_MSG(test, turns, 225, "%u tenths", tenths[i]);
		since = all_running(t) - since;
		KUNIT_EXPECT_GE_MSG(test, since, 891 * NSEC_PER_MSEC,
				    "%u tenths", tenths[i]);
		KUNIT_EXPECT_LE_MSG(test, since, 909 * NSEC_PER_MSEC,
				    "%u tenths", tenths[i]);
	}
	/* one turn in which the rate changes */
	since = all_running(t);
	for (i = 0; i < ARRAY_SIZE(tenths); i++) {
		model_pass(&b->model, 250 * TURN * tenths[i] / 10);
		ms += 1000;
		MODEL_AT(knc_test_measure(ms * NSEC_PER_MSEC));
	}
	since = all_running(t) - since;
	KUNIT_EXPECT_GE(test, since, 2970 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, since, 3030 * NSEC_PER_MSEC);
	end(t);
	MODEL_AT(knc_test_measure_end());
}

/* A turn must be counted for at least three quarters of its length. */
static void due(struct kunit *test)
{
	struct bench *b = test->priv;
	struct turns *t = turns_of(b, &wishes[0], false);
	const struct knc_set *set = t->claim->set;

	begin(t);
	pass(t, 10 * TURN);
	MODEL_AT(knc_rotation_next(b->hw));
	KUNIT_EXPECT_EQ(test, set->group, 0);
	set_started(t, true);
	pass(t, TURN / 2);
	set_started(t, false);
	pass(t, 10 * TURN);
	KUNIT_EXPECT_FALSE(test, knc_set_is_due(set, b->model.tsc));
	set_started(t, true);
	pass(t, TURN * 3 / 4 - TURN / 2 - 1);
	KUNIT_EXPECT_FALSE(test, knc_set_is_due(set, b->model.tsc));
	MODEL_AT(knc_rotation_next(b->hw));
	KUNIT_EXPECT_EQ(test, set->group, 0);
	pass(t, 1);
	KUNIT_EXPECT_TRUE(test, knc_set_is_due(set, b->model.tsc));
	MODEL_AT(knc_rotation_next(b->hw));
	KUNIT_EXPECT_EQ(test, set->group, 1);
	KUNIT_EXPECT_FALSE(test, knc_set_is_due(set, b->model.tsc));
	set_started(t, false);
	/* the turn is over, but the group is not counted: nothing changes */
	pass(t, TURN);
	model_log_clear(&b->model);
	MODEL_AT(knc_rotation_next(b->hw));
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	end(t);
}

/* A task was started, but its hardware thread has not noticed yet. */
static void not_before_it_counts(struct kunit *test)
{
	struct bench *b = test->priv;
	struct turns *t = turns_of(b, &wishes[4], true);

	begin(t);
	set_started(t, true);
	pass(t, TURN);
	set_started(t, false);
	t->claim->started = true;
	model_log_clear(&b->model);
	MODEL_AT(knc_rotation_next(b->hw));
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	KUNIT_EXPECT_EQ(test, t->claim->set->group, 0);
	/* a stop that the hardware thread has not noticed changes nothing either */
	set_started(t, true);
	t->claim->started = false;
	MODEL_AT(knc_rotation_next(b->hw));
	KUNIT_EXPECT_EQ(test, t->claim->set->group, 1);
	end(t);
}

/* A pinned event is counted in every turn. */
static void pinned_misses_nothing(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int task, i, w, n;
	u64 values[EVENTS], running[EVENTS], all, each;
	struct turns *t;

	for (w = 2; w <= 3; w++)
		for (task = 0; task < 2; task++) {
			t = turns_of(b, &wishes[w], task);
			/* pinned are event 1 of wishes[2] and event 0 of wishes[3] */
			n = 3 - w;
			begin(t);
			set_started(t, true);
			for (i = 0, all = 0; i < 45; i++) {
				each = i < 40 ? 1000 + i : 3 * model_half(0);
				model_run(&b->model, each, each);
				all += each;
				next(t);
			}
			read(t, values, running);
			KUNIT_EXPECT_EQ(test, values[n], all);
			KUNIT_EXPECT_EQ(test, running[n],
					knc_clock_ticks_to_ns(45 * TURN));
			/* the other events share the rest */
			for (i = 0, all = 0; i < 4; i++)
				all += i == n ? 0 : values[i];
			KUNIT_EXPECT_EQ(test, values[n], all);
			expect_told(t);
			bench_expect_alive(b);
			end(t);
		}
}

/* The program executes SPFLT during the turn of an ungated group */
static void keeps_user_pref(struct kunit *test)
{
	struct bench *b = test->priv;
	struct turns *t;
	unsigned int task, w, i;
	bool pref;

	for (w = 5; w <= 6; w++)
		for (task = 0; task < 2; task++) {
			t = turns_of(b, &wishes[w], task);
			begin(t);
			set_started(t, true);
			for (i = 0, pref = true; i < 40; i++) {
				KUNIT_EXPECT_EQ(test, pref,
						!!(b->model.regs.spflt &
						   MODEL_USER_PREF));
				model_run(&b->model, 11, 13);
				expect_selected(t);
				if (i % 5 == 2) {
					pref = !pref;
					b->model.regs.spflt ^= MODEL_USER_PREF;
				}
				model_run(&b->model, 17, 19);
				if (task && i % 7 == 3) {
					go(t);
					b->model.regs.spflt &= ~MODEL_USER_PREF;
					come(t);
				}
				next(t);
				KUNIT_EXPECT_EQ(test, t->claim->open,
						task ? pref : true);
			}
			expect_told(t);
			if (!task) {
				b->model.regs.spflt &= ~MODEL_USER_PREF;
				next(t);
				/* USER_PREF is restored */
				bench_offline(b);
				bench_online(b);
				KUNIT_EXPECT_TRUE(test, b->model.regs.spflt &
						  MODEL_USER_PREF);
				expect_selected(t);
			}
			end(t);
		}
}

/* A turn in two parts: the hardware thread goes offline in between. */
static void goes_in_a_turn(struct kunit *test)
{
	struct bench *b = test->priv;
	struct turns *t = turns_of(b, &wishes[1], false);
	unsigned int i;

	begin(t);
	set_started(t, true);
	for (i = 0; i < 9; i++) {
		model_run(&b->model, model_half(0) - 5, 3);
		pass(t, TURN / 2);
		bench_offline(b);
		expect_told(t);
		pass(t, 7 * TURN);
		rotate(t);
		if (i == 3)
			reset(t);
		bench_online(b);
		expect_selected(t);
		model_run(&b->model, 7, model_half(1));
		rotate(t);
		expect_told(t);
		pass(t, TURN / 4);
		rotate(t);
		expect_told(t);
		expect_selected(t);
	}
	/* closed while offline */
	bench_offline(b);
	expect_told(t);
	end(t);
	bench_online(b);
}

/* An overflow at each access of a rotation, with its interrupt perhaps late */
static void overflows_at_the_turn(struct kunit *test)
{
	static const unsigned int lates[] = { 0, 1, 2, 3, 5, 8, 13, 21, 1000 };
	struct bench *b = test->priv;
	unsigned int w, task, at, i;
	struct turns *t;

	for (w = 0; w < ARRAY_SIZE(wishes); w++)
		for (task = 0; task < 2; task++) {
			t = turns_of(b, &wishes[w], task);
			begin(t);
			set_started(t, true);
			for (at = 0; at < 30; at++)
				for (i = 0; i < ARRAY_SIZE(lates); i++) {
					if (test->status == KUNIT_FAILURE)
						break;
					pass(t, TURN);
					model_trip(&b->model, 1 + at % 3, at,
						   lates[i]);
					rotate(t);
					b->model.trip = 0;
					expect_selected(t);
					model_run(&b->model, 3, 5);
					b->model.late = 0;
					expect_told(t);
					KUNIT_EXPECT_EQ_MSG(test,
							    b->model.nr_unclaimed,
							    0, "access %u, %u late",
							    at, lates[i]);
					b->model.nr_unclaimed = 0;
				}
			/* each group still counts: overflows of both counters, in two turns each */
			for (i = 0; i < 2 * t->groups.nr_groups; i++) {
				next(t);
				model_run(&b->model, 3 * model_half(0), 0);
				model_run(&b->model, 0, 3 * model_half(1));
			}
			expect_told(t);
			bench_expect_alive(b);
			end(t);
		}
}

static u32 pick(struct rnd_state *rnd, u32 below)
{
	return prandom_u32_state(rnd) % below;
}

static u64 some(struct rnd_state *rnd)
{
	u64 n = (u64)prandom_u32_state(rnd) << 9;

	return n >> pick(rnd, 41);
}

/* The task is switched in or out; no other claim takes its counters meanwhile. */
static void come_or_go(struct turns *t)
{
	if (!t->task)
		set_started(t, !t->claim->started);
	else if (t->there)
		go(t);
	else
		come(t);
}

static void power(struct turns *t)
{
	model_deliver(&t->b->model);
	if (t->task)
		t->b->model.trip = 0;
	/* knc_task_sched_out() has taken the previous task's claim off */
	if (t->task && t->there)
		go(t);
	if (t->b->hw->online)
		bench_offline(t->b);
	else
		bench_online(t->b);
	/* deliver it now: later the interrupt would be foreign */
	model_deliver(&t->b->model);
}

static void step(struct turns *t, struct rnd_state *rnd)
{
	struct model *m = &t->b->model;

	if (!t->b->hw->online && t->task) {
		power(t);
		return;
	}
	m->skid = pick(rnd, 8) ? 0 : some(rnd) >> 4;
	/* two unnoticed overflows would exceed 40 bits */
	if (!m->pending && pick(rnd, 2))
		model_trip(m, 1 + pick(rnd, 3), pick(rnd, 25), pick(rnd, 40));
	switch (pick(rnd, 16)) {
	case 0:
		m->trip = 0;
		model_deliver(m);
		reset(t);
		break;
	case 1:
		power(t);
		break;
	case 2:
		set_started(t, pick(rnd, 4));
		break;
	case 3:
		come_or_go(t);
		break;
	case 4 ... 8:
		rotate(t);
		break;
	default:
		m->trip = 0;
		pass(t, (u64)pick(rnd, 100) * TURN / 70);
		model_run(m, some(rnd), some(rnd));
		break;
	}
	m->trip = 0;
	if (pick(rnd, 3))
		model_deliver(m);
	m->late = 0;
	expect_selected(t);
	expect_told(t);
}

static void play(struct kunit *test, bool task, u64 seed)
{
	struct bench *b = test->priv;
	struct rnd_state rnd;
	struct turns *t;
	unsigned int w, i;

	prandom_seed_state(&rnd, seed_of(test, seed));
	for (w = 0; w < ARRAY_SIZE(wishes); w++) {
		t = turns_of(b, &wishes[w], task);
		begin(t);
		for (i = 0; i < STEPS / ARRAY_SIZE(wishes); i++) {
			step(t, &rnd);
			if (test->status != KUNIT_FAILURE)
				continue;
			kunit_err(test, "wish %u, step %u", w, i);
			break;
		}
		b->model.skid = 0;
		model_deliver(&b->model);
		/* a late interrupt may also have handled the overflow of a later one */
		b->model.missed = 0;
		if (!b->hw->online)
			bench_online(b);
		bench_expect_alive(b);
		end(t);
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, b->model.nr_unclaimed, 0);
}

/* The interrupt is delivered when interrupts are on again. */
static void random_irq(struct kunit *test)
{
	bench_irq(test->priv);
	play(test, false, 5);
	play(test, true, 6);
}

static void random_hwthread(struct kunit *test)
{
	play(test, false, 1);
	play(test, false, 2);
}

static void random_task(struct kunit *test)
{
	play(test, true, 3);
	play(test, true, 4);
}

/* Two claims side by side, each with its own times */
static void two_sets(struct kunit *test)
{
	static const struct wishes one[2] = {
		{ 3, { { 0, 1 }, { 1, 1 }, { 2, 1 } } },
		{ 2, { { 0, 2 }, { 1, 2 } } },
	};
	struct bench *b = test->priv;
	u64 values[EVENTS], running[EVENTS];
	struct turns *t[2];
	unsigned int i, n;

	for (n = 0; n < 2; n++) {
		t[n] = turns_of(b, &one[n], false);
		/* turns_of() uses claim[0]: the first set moves to claim[1], with other codes */
		if (!n) {
			for (i = 0; i < 3; i++)
				t[0]->claim->set->count[i].evtsel += 16;
			t[0]->claim->count[0].evtsel += 16;
			b->claim[1] = b->claim[0];
			t[0]->claim = &b->claim[1];
			t[0]->claim->owner = t[0]->claim;
		}
	}
	model_fill(&b->model, &before);
	for (n = 0; n < 2; n++) {
		come(t[n]);
		set_started(t[n], true);
	}
	for (i = 0; i < 20; i++) {
		model_run(&b->model, 100 + i, model_half(1));
		model_pass(&b->model, TURN / 2);
		if (i == 7) {
			set_started(t[1], false);
			set_started(t[1], true);
		}
		MODEL_AT(knc_rotation_next(b->hw));
	}
	/* both had ten turns */
	KUNIT_EXPECT_EQ(test, t[0]->claim->set->group, 10 % 3);
	KUNIT_EXPECT_EQ(test, t[1]->claim->set->group, 10 % 2);
	read(t[0], values, running);
	n = values[0] + values[1] + values[2];
	KUNIT_EXPECT_EQ(test, b->model.by_code[17] + b->model.by_code[18] +
			b->model.by_code[19], 20 * 100 + 190);
	KUNIT_EXPECT_EQ(test, n, 20 * 100 + 190);
	KUNIT_EXPECT_EQ(test, b->model.by_code[1] + b->model.by_code[2],
			20 * model_half(1));
	read(t[1], values, running);
	KUNIT_EXPECT_EQ(test, values[0], 10 * model_half(1));
	KUNIT_EXPECT_EQ(test, values[1], 10 * model_half(1));
	bench_expect_alive(b);
	for (n = 0; n < 2; n++)
		end(t[n]);
}

static int turn_on(void *claim)
{
	while (!kthread_should_stop()) {
		knc_set_next(claim);
		cond_resched();
	}
	return 0;
}

/* The total count, whichever group has the turn */
static void fill_totals(struct turns *t)
{
	struct knc_claim *claim = t->claim;
	const struct knc_group *g;
	unsigned int i, n;

	for (n = 0; n < t->groups.nr_groups; n++) {
		g = &t->groups.group[claim->set->group];
		for (i = 0; i < g->nr; i++)
			claim->count[i].total = 1000 + g->event[i];
		claim->set->turn = 100;
		knc_set_next(claim);
	}
}

/* Groups rotate on one hardware thread while another one reads. */
static void read_meanwhile(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int other = cpumask_last(cpu_online_mask), i, n;
	struct turns *t = turns_of(b, &wishes[1], true);
	u64 values[EVENTS], ticks[EVENTS];
	struct task_struct *task;
	u32 seq;

	KUNIT_ASSERT_NE(test, other, raw_smp_processor_id());
	fill_totals(t);
	seq = t->claim->set->seq;
	task = kthread_create(turn_on, t->claim, "turns");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, other);
	wake_up_process(task);
	while (READ_ONCE(t->claim->set->seq) == seq)
		cond_resched();
	for (n = 0; n < 100000 && test->status != KUNIT_FAILURE; n++) {
		knc_set_read_totals(t->claim, values, ticks);
		for (i = 0; i < t->groups.nr_events; i++) {
			KUNIT_EXPECT_EQ_MSG(test, values[i], 1000 + i,
					    "reading %u, event %u", n, i);
			KUNIT_EXPECT_EQ(test, ticks[i], 100);
		}
		cond_resched();
	}
	kthread_stop(task);
	KUNIT_EXPECT_NE(test, t->claim->set->seq, seq);
	knc_set_free(t->claim);
}

/* Cases that both PMUs have */
#define SET_CASES							\
	KUNIT_CASE(counts_in_turn),	\
	KUNIT_CASE(lost_in_a_turn),	\
	KUNIT_CASE(begins_with_any),	\
	KUNIT_CASE(turns_at_other_rates),	\
	KUNIT_CASE(due),	\
	KUNIT_CASE(not_before_it_counts),	\
	KUNIT_CASE(pinned_misses_nothing),	\
	KUNIT_CASE(goes_in_a_turn),	\
	KUNIT_CASE(overflows_at_the_turn),	\
	KUNIT_CASE(random_hwthread),	\
	KUNIT_CASE(random_task),	\
	KUNIT_CASE(random_irq),	\
	KUNIT_CASE(two_sets),	\
	KUNIT_CASE(read_meanwhile)

static struct kunit_case set_cases[] = {
	SET_CASES,
	KUNIT_CASE(keeps_user_pref),
	{}
};

static struct kunit_case set_wide_cases[] = {
	SET_CASES,
	{}
};

KNC_SUITE(set, bench_init, bench_exit);

KNC_SUITE(set_wide, bench_init_wide_any, bench_exit);

kunit_test_suites(&set_suite, &set_wide_suite);
