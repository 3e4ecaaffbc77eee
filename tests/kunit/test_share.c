// SPDX-License-Identifier: GPL-2.0
/*
 * A hardware thread's counters shared by tasks: registers are saved and restored, and claims
 * scheduled in and out
 */
#include <linux/prandom.h>

#include "count/registers.h"
#include "count/sched.h"
#include "rdpmc/hide.h"
#include "hwthread_fixture.h"
#include "seed.h"

static void share(struct bench *b)
{
	MODEL_AT(knc_registers_admit_tasks(b->hw));
}

static void unshare(struct bench *b)
{
	MODEL_AT(knc_registers_dismiss_tasks(b->hw));
}

static void sched_in(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_sched_in_any(b->hw, c, true));
}

static void sched_out(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_sched_out_any(b->hw, c));
}

static void update(struct bench *b, struct knc_claim *c)
{
	MODEL_AT(knc_sched_update(b->hw, c));
}

/* Check the counts as of their last update, which READ of tasks adds up. */
static void expect_totals(struct bench *b, struct knc_claim *c, u64 v0, u64 v1)
{
	KUNIT_EXPECT_EQ(b->test, c->count[0].total, v0);
	if (c->nr > 1)
		KUNIT_EXPECT_EQ(b->test, c->count[1].total, v1);
}

/* Check that no claim has counters @cntrs, and that these do not count. */
static void expect_empty(struct bench *b, u32 cntrs)
{
	KUNIT_EXPECT_EQ(b->test, b->model.regs.ctrl & cntrs, 0);
	KUNIT_EXPECT_EQ(b->test, b->model.regs.spflt & cntrs, 0);
	KUNIT_EXPECT_EQ(b->test, b->model.status & cntrs, 0);
	bench_expect_free(b->test, b->hw, &b->model, cntrs);
}

/* Check that counters which a session on hardware threads has left are 0. */
static void expect_wiped(struct bench *b, u32 cntrs)
{
	unsigned int n;

	expect_empty(b, cntrs);
	for (n = 0; n < MODEL_NR; n++) {
		if (!(cntrs & 1u << n))
			continue;
		KUNIT_EXPECT_EQ(b->test, b->model.regs.perfcntr[n], 0);
		KUNIT_EXPECT_EQ(b->test, b->model.regs.perfevtsel[n], 0);
	}
}

static void shares(struct bench *b, const struct model_regs *before)
{
	model_fill(&b->model, before);
	b->model.status = 3;
	b->model.line = 3;
	model_log_clear(&b->model);
	share(b);
	KUNIT_EXPECT_TRUE(b->test, b->hw->for_tasks);
	KUNIT_EXPECT_EQ(b->test, model_find_write(&b->model, MODEL_CTRL), 0);
	expect_empty(b, 3);
	bench_expect_alive(b);
	unshare(b);
	KUNIT_EXPECT_FALSE(b->test, b->hw->for_tasks);
	model_expect_regs(b->test, &b->model, before);
}

static void saves_and_restores(struct kunit *test)
{
	shares(test->priv, &model_zeros);
	shares(test->priv, &model_ones);
	shares(test->priv, &model_others);
}

/* Each bit alone is restored after a task */
static void restores_each_bit(struct kunit *test)
{
	struct bench *b = test->priv;
	struct model_regs regs;
	struct knc_claim *c;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		regs = model_bit(bit);
		model_fill(&b->model, &regs);
		c = bench_claim(b, 0, bit & 1, 1 + (bit >> 1 & 1));
		bench_filter(c, c->cntrs);
		share(b);
		sched_in(b, c);
		model_run(&b->model, 12, 34);
		sched_out(b, c);
		unshare(b);
		model_expect_regs(test, &b->model, &regs);
	}
}

static void sched_in_and_out(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int i, n;

	model_fill(&b->model, &model_others);
	share(b);
	for (i = 0; i < 4; i++) {
		c = bench_claim(b, 0, i & 1, 1 + i / 2);
		sched_in(b, c);
		KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, c->cntrs);
		for (n = 0; n < c->nr; n++) {
			unsigned int counter = c->count[n].counter;

			KUNIT_EXPECT_PTR_EQ(test, b->hw->task[counter], c);
			KUNIT_EXPECT_EQ(test, b->model.regs.perfevtsel[counter],
					bench_evtsel(0, counter));
		}
		model_run(&b->model, 100, 200);
		sched_out(b, c);
		expect_totals(b, c, c->count[0].counter ? 200 : 100,
			      c->count[0].counter ? 100 : 200);
		expect_empty(b, 3);
		model_run(&b->model, 100, 200);
	}
	unshare(b);
	model_expect_regs(test, &b->model, &model_others);
}

/* Operations of a session on hardware threads beside the tasks: claim 1 on counter @n */
static void beside(struct bench *b, unsigned int n, bool attach, bool filtered)
{
	struct knc_claim *c = &b->claim[1];

	if (!attach) {
		bench_detach(b, c);
		return;
	}
	bench_claim(b, 1, n, 1);
	bench_filter(c, filtered ? c->cntrs : 0);
	c->open = true;
	bench_begin(b, c);
}

/* A task on the other counter does not affect claim 1's count */
static void visit(struct bench *b, unsigned int n)
{
	struct knc_claim *c = bench_claim(b, 0, !n, 1);
	u32 others_ctrl = b->model.regs.ctrl;

	sched_in(b, c);
	KUNIT_EXPECT_EQ(b->test, b->model.regs.ctrl, others_ctrl | c->cntrs);
	model_run(&b->model, 3 + n, 4 - n);
	update(b, c);
	expect_totals(b, c, 4, 0);
	sched_out(b, c);
	KUNIT_EXPECT_EQ(b->test, b->model.regs.ctrl, others_ctrl);
	expect_empty(b, c->cntrs);
}

/* @order: each S begins or ends sharing, each A attaches or detaches claim 1 */
static void in_order(struct bench *b, const char *order, unsigned int n,
		     bool filtered)
{
	bool shared = false, attached = false;

	model_fill(&b->model, &model_others);
	for (; *order; order++) {
		if (*order == 'S') {
			shared = !shared;
			shared ? share(b) : unshare(b);
		} else {
			attached = !attached;
			beside(b, n, attached, filtered);
		}
		if (!shared && !attached)
			break;
		if (attached) {
			model_run(&b->model, 5, 5);
			bench_expect_counts(b, 1);
		}
		if (shared)
			visit(b, n);
		if (attached)
			bench_expect_counts(b, 1);
	}
	model_expect_regs(b->test, &b->model, &model_others);
	bench_claim(b, 1, n, 1);
}

static void beside_a_session(struct kunit *test)
{
	static const char * const orders[] = {
		"SAAS", "SASA", "ASSA", "ASAS", "SAAAAS", "ASSSSA",
	};
	struct bench *b = test->priv;
	unsigned int i;

	for (i = 0; i < 4 * ARRAY_SIZE(orders); i++)
		in_order(b, orders[i / 4], i & 1, i & 2);
}

/* A process that may execute RDPMC can't read an earlier session's counts. */
static void session_leaves_nothing(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		model_fill(&b->model, &model_others);
		share(b);
		beside(b, n, true, false);
		model_run(&b->model, 1234, 1234);
		beside(b, n, false, false);
		expect_wiped(b, 1 << n);
		unshare(b);

		model_fill(&b->model, &model_others);
		beside(b, n, true, false);
		share(b);
		expect_wiped(b, 1 << !n);
		beside(b, n, false, false);
		expect_wiped(b, 1 << n);
		unshare(b);
		model_expect_regs(test, &b->model, &model_others);
	}
}

/*
 * A task's counter is always loaded so that its raw value continues the count, modulo half of its
 * range.
 */
static void expect_continuous(struct bench *b, struct knc_claim *c,
			      const u64 *ever)
{
	unsigned int n;

	for (n = 0; n < c->nr; n++)
		KUNIT_EXPECT_EQ(b->test,
				b->model.regs.perfcntr[c->count[n].counter] %
				MODEL_HALF,
				ever[n] % MODEL_HALF);
}

static void counts_on(struct bench *b, struct knc_claim *c, u64 *ever, u64 n0,
		      u64 n1)
{
	model_run(&b->model, n0, n1);
	ever[0] += c->count[0].counter ? n1 : n0;
	ever[1] += c->count[0].counter ? n0 : n1;
	expect_continuous(b, c, ever);
}

static void goes_on_where_it_was(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int first;
	u64 ever[2];

	share(b);
	for (first = 0; first < 2; first++) {
		memset(ever, 0, sizeof(ever));
		c = bench_claim(b, 0, first, 2);
		sched_in(b, c);
		counts_on(b, c, ever, 10, 20);
		sched_out(b, c);
		model_run(&b->model, 1, 1);
		sched_in(b, c);
		expect_continuous(b, c, ever);
		counts_on(b, c, ever, MODEL_HALF - 11, 1);
		update(b, c);
		expect_continuous(b, c, ever);
		counts_on(b, c, ever, 0, MODEL_HALF - 22);
		sched_out(b, c);
		sched_in(b, c);
		expect_continuous(b, c, ever);
		counts_on(b, c, ever, 1, 1);
		counts_on(b, c, ever, MODEL_HALF + 7, 3 * MODEL_HALF);
		b->model.skid = 12345;
		counts_on(b, c, ever, MODEL_HALF, MODEL_HALF);
		update(b, c);
		expect_totals(b, c, ever[0], ever[1]);
		c->count[0].total = 0;
		sched_out(b, c);
		sched_in(b, c);
		expect_continuous(b, c, ever);
		b->model.skid = 0;
		sched_out(b, c);
	}
	KUNIT_EXPECT_GT(test, b->model.nr_pmis, 0);
	bench_expect_alive(b);
	unshare(b);
}

/* SPFLT, as the running program executes it */
static void spflt(struct bench *b, bool set)
{
	b->model.regs.spflt &= ~MODEL_USER_PREF;
	if (set)
		b->model.regs.spflt |= MODEL_USER_PREF;
}

static bool user_pref(const struct bench *b)
{
	return b->model.regs.spflt & MODEL_USER_PREF;
}

static void user_pref_is_the_tasks(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c[2];
	bool pref[2] = { false, true };
	u64 total[2] = { 0, 0 };
	unsigned int i, n;

	share(b);
	for (n = 0; n < 2; n++) {
		c[n] = bench_claim(b, n, 1, 1);
		bench_filter(c[n], c[n]->cntrs);
		c[n]->open = pref[n];
	}
	for (i = 0; i < 64; i++) {
		n = i & 1;
		sched_in(b, c[n]);
		KUNIT_EXPECT_EQ(test, user_pref(b), pref[n]);
		KUNIT_EXPECT_EQ(test, b->model.regs.spflt & 3, 2);
		model_run(&b->model, 7, 10 + n);
		total[n] += pref[n] ? 10 + n : 0;
		if (i % 3 == 0) {
			pref[n] = i & 4;
			spflt(b, pref[n]);
		}
		sched_out(b, c[n]);
		KUNIT_EXPECT_EQ(test, c[n]->open, pref[n]);
		expect_totals(b, c[n], total[n], 0);
		expect_empty(b, 3);
	}
	KUNIT_EXPECT_GT(test, total[0], 0);
	KUNIT_EXPECT_GT(test, total[1], 0);
	unshare(b);
}

/* A task without gated events does not disturb the session beside it. */
static void user_pref_beside_another(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *gated = bench_claim(b, 0, 0, 1);
	struct knc_claim *plain = bench_claim(b, 1, 1, 1);

	bench_filter(gated, 1);
	gated->open = true;
	share(b);
	sched_in(b, gated);
	sched_in(b, plain);
	model_run(&b->model, 5, 6);
	sched_out(b, plain);
	model_run(&b->model, 5, 6);
	KUNIT_EXPECT_TRUE(test, user_pref(b));
	sched_in(b, plain);
	sched_out(b, gated);
	KUNIT_EXPECT_TRUE(test, gated->open);
	model_run(&b->model, 5, 6);
	sched_out(b, plain);
	expect_totals(b, gated, 10, 0);
	expect_totals(b, plain, 12, 0);
	unshare(b);
}

/* Only one event of the task is gated, the one on counter 0. */
static void filters_one_of_two(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 1, 2);

	bench_filter(c, 1);
	share(b);
	sched_in(b, c);
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt, 1);
	model_run(&b->model, 3, 4);
	spflt(b, true);
	model_run(&b->model, 30, 40);
	sched_out(b, c);
	expect_totals(b, c, 44, 30);
	unshare(b);
}

/* A task that is not counted still keeps its USER_PREF. */
static void in_but_stopped(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	bench_filter(c, 3);
	share(b);
	MODEL_AT(knc_sched_in_any(b->hw, c, false));
	KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 0);
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt, 3);
	spflt(b, true);
	model_run(&b->model, 3, 4);
	sched_out(b, c);
	KUNIT_EXPECT_TRUE(test, c->open);
	expect_totals(b, c, 0, 0);
	sched_in(b, c);
	KUNIT_EXPECT_TRUE(test, user_pref(b));
	model_run(&b->model, 3, 4);
	sched_out(b, c);
	expect_totals(b, c, 3, 4);
	unshare(b);
}

static void updates(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 1, 2);
	unsigned int i;

	share(b);
	sched_in(b, c);
	for (i = 1; i <= 10; i++) {
		model_run(&b->model, 100, MODEL_HALF / 3);
		update(b, c);
		expect_totals(b, c, i * (MODEL_HALF / 3), i * 100);
		KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 3);
		KUNIT_EXPECT_EQ(test, b->hw->editing, 0);
	}
	sched_out(b, c);
	expect_totals(b, c, 10 * (MODEL_HALF / 3), 1000);
	bench_expect_alive(b);
	unshare(b);
}

/* Perform one operation that is disturbed; events before and after it are counted */
static void do_step(struct bench *b, struct knc_claim *c, unsigned int what)
{
	if (what == 0)
		sched_in(b, c);
	else if (what == 1)
		update(b, c);
	else
		sched_out(b, c);
}

/*
 * Counters overflow at one access of @what; their interrupt comes some accesses later, or at the
 * end. These overflows, and later ones, count only for their own claims.
 */
static void disturbed_at(struct bench *b, unsigned int what, u32 cntrs,
			 unsigned int at, unsigned int late)
{
	struct knc_claim *c = bench_claim(b, 0, at & 1, 2);
	u64 base[MODEL_NR];
	unsigned int n;

	memcpy(base, b->model.counted, sizeof(base));
	for (n = 0; n < 3; n++) {
		if (n == what)
			model_trip(&b->model, cntrs, at, late);
		do_step(b, c, n);
		b->model.trip = 0;
		model_run(&b->model, 3, 3);
	}
	b->model.late = 0;
	expect_empty(b, 3);
	for (n = 0; n < c->nr; n++)
		KUNIT_EXPECT_EQ(b->test, c->count[n].total,
				b->model.counted[c->count[n].counter] -
				base[c->count[n].counter]);
	KUNIT_EXPECT_EQ_MSG(b->test, b->model.nr_unclaimed, 0,
			    "step %u, counters %u, access %u, %u late", what,
			    cntrs, at, late);
	b->model.nr_unclaimed = 0;
	sched_in(b, c);
	KUNIT_EXPECT_EQ_MSG(b->test, b->model.regs.lvtpc, MODEL_LVT_NMI,
			    "step %u, counters %u, access %u, %u late", what,
			    cntrs, at, late);
	model_run(&b->model, 2 * MODEL_HALF, 2 * MODEL_HALF);
	sched_out(b, c);
	for (n = 0; n < c->nr; n++)
		KUNIT_EXPECT_EQ(b->test, c->count[n].total,
				b->model.counted[c->count[n].counter] -
				base[c->count[n].counter]);
}

static void overflows_everywhere(struct kunit *test)
{
	static const unsigned int lates[] = { 0, 1, 2, 3, 5, 8, 13, 1000 };
	struct bench *b = test->priv;
	unsigned int what, at, i;

	model_fill(&b->model, &model_others);
	share(b);
	for (what = 0; what < 3; what++)
		for (at = 0; at < 24 * ARRAY_SIZE(lates); at++)
			for (i = 1; i <= 3; i++)
				disturbed_at(b, what, i,
					     at / ARRAY_SIZE(lates),
					     lates[at % ARRAY_SIZE(lates)]);
	bench_expect_alive(b);
	unshare(b);
	model_expect_regs(test, &b->model, &model_others);
}

/* Two sessions have one counter each of the same task: both overflow when it is switched out. */
static void two_go_late(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int i, late, first;

	for (i = 0; i < 3 * 24; i++) {
		share(b);
		first = i & 1;
		late = 2 + i / 3;
		bench_claim(b, 0, first, 1);
		bench_claim(b, 1, !first, 1);
		sched_in(b, &b->claim[0]);
		sched_in(b, &b->claim[1]);
		model_trip(&b->model, 1 + i % 3, 0, late);
		sched_out(b, &b->claim[0]);
		sched_out(b, &b->claim[1]);
		b->model.trip = 0;
		model_deliver(&b->model);
		b->model.late = 0;
		KUNIT_EXPECT_EQ_MSG(test, b->model.nr_unclaimed, 0,
				    "%u: late %u", i, late);
		b->model.nr_unclaimed = 0;
		sched_in(b, &b->claim[0]);
		KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
		sched_out(b, &b->claim[0]);
		unshare(b);
	}
}

/*
 * The task was switched out with the status of a pending interrupt; the next interrupt is still
 * ours.
 */
static void late_beside_a_session(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);

	share(b);
	beside(b, 1, true, false);
	sched_in(b, c);
	model_trip(&b->model, 1, 0, 1000);
	sched_out(b, c);
	KUNIT_EXPECT_TRUE(test, b->model.pending);
	model_deliver(&b->model);
	b->model.late = 0;
	KUNIT_EXPECT_EQ(test, b->model.nr_unclaimed, 0);
	model_run(&b->model, 0, 5 * MODEL_HALF);
	bench_expect_counts(b, 1);
	bench_expect_alive(b);
	beside(b, 1, false, false);
	unshare(b);
}

/* A thousand alternations of two tasks that use both counters, or one each */
static void exact_over_many(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 ever[2][2] = { { 0 } };
	struct rnd_state rnd;
	struct knc_claim *c;
	unsigned int i, k;
	u64 n[2];

	prandom_seed_state(&rnd, seed_of(test, 4711));
	share(b);
	bench_claim(b, 0, 0, 2);
	bench_claim(b, 1, 1, 2);
	for (i = 0; i < 1000; i++) {
		k = prandom_u32_state(&rnd) & 1;
		c = &b->claim[k];
		sched_in(b, c);
		expect_continuous(b, c, ever[k]);
		n[0] = (u64)prandom_u32_state(&rnd) << (i % 11);
		n[1] = (u64)prandom_u32_state(&rnd) >> (i % 32);
		b->model.skid = n[1] >> 3;
		counts_on(b, c, ever[k], n[0], n[1]);
		if (i % 7 == 0)
			update(b, c);
		expect_continuous(b, c, ever[k]);
		sched_out(b, c);
		expect_totals(b, c, ever[k][0], ever[k][1]);
		if (test->status == KUNIT_FAILURE)
			break;
	}
	KUNIT_EXPECT_GT(test, b->model.nr_pmis, 5);
	bench_expect_alive(b);
	unshare(b);
}

/* The hardware thread comes back online with other register contents. */
static void goes_and_comes(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	model_fill(&b->model, &model_others);
	share(b);
	sched_in(b, c);
	model_run(&b->model, 1, 2);
	sched_out(b, c);
	bench_offline(b);
	model_expect_regs(test, &b->model, &model_others);
	model_fill(&b->model, &model_ones);
	b->model.status = 3;
	bench_online(b);
	expect_empty(b, 3);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	sched_in(b, c);
	model_run(&b->model, 10, 2 * MODEL_HALF);
	sched_out(b, c);
	expect_totals(b, c, 11, 2 * MODEL_HALF + 2);
	unshare(b);
	model_expect_regs(test, &b->model, &model_ones);
}

/* As goes_and_comes(), with a session beside the task that continues to count */
static void both_go_and_come(struct kunit *test)
{
	struct bench *b = test->priv;

	model_fill(&b->model, &model_others);
	share(b);
	beside(b, 1, true, false);
	visit(b, 1);
	bench_offline(b);
	model_expect_regs(test, &b->model, &model_others);
	bench_online(b);
	expect_empty(b, 1);
	KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 2);
	model_run(&b->model, 9, 9);
	visit(b, 1);
	bench_expect_counts(b, 1);
	beside(b, 1, false, false);
	unshare(b);
	model_expect_regs(test, &b->model, &model_others);
}

/* Nothing is touched while the hardware thread is offline. */
static void shared_without_it(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int accesses;

	model_fill(&b->model, &model_others);
	bench_offline(b);
	accesses = b->model.nr_accesses;
	share(b);
	KUNIT_EXPECT_EQ(test, b->model.nr_accesses, accesses);
	bench_online(b);
	expect_empty(b, 3);
	bench_offline(b);
	accesses = b->model.nr_accesses;
	unshare(b);
	KUNIT_EXPECT_EQ(test, b->model.nr_accesses, accesses);
	bench_online(b);
	model_expect_regs(test, &b->model, &model_others);
	KUNIT_EXPECT_EQ(test, b->model.nr_accesses, accesses);
}

/* All operations on a hardware thread, for tasks or for a session */
static void life(struct bench *b, struct knc_claim *c, bool task, bool away)
{
	if (away)
		bench_offline(b);
	if (task)
		share(b);
	else if (!away)
		bench_attach(b, c);
	if (away)
		bench_online(b);
	if (task) {
		sched_in(b, c);
		update(b, c);
		sched_out(b, c);
	} else if (!away) {
		bench_start(b, c);
		bench_stop(b, c);
	}
	if (away)
		bench_offline(b);
	if (task)
		unshare(b);
	else if (!away)
		bench_detach(b, c);
	if (away)
		bench_online(b);
}

/* A foreign NMI at every access is not claimed, and changes nothing. */
static void foreign_everywhere(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int how, at;

	for (how = 0; how < 4; how++)
		for (at = 0; at == 0 || !b->model.foreign; at++) {
			model_fill(&b->model, &model_others);
			c = bench_claim(b, 0, at & 1, 1 + (at >> 1 & 1));
			model_intrude(&b->model, at);
			life(b, c, how & 1, how & 2);
			KUNIT_EXPECT_EQ_MSG(test, b->model.nr_stolen, 0,
					    "how %u, access %u", how, at);
			model_expect_regs(test, &b->model, &model_others);
			if (test->status == KUNIT_FAILURE)
				break;
		}
	b->model.foreign = false;
}

/* A hardware thread that is not yet online for the module is not touched. */
static void foreign_while_away(struct kunit *test)
{
	struct bench *b = test->priv;

	bench_offline(b);
	share(b);
	/* the local APIC's entry is masked, as after a reset */
	model_fill(&b->model, &model_others);
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	model_expect_regs(test, &b->model, &model_others);
	bench_online(b);
	bench_expect_alive(b);
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	unshare(b);
	model_expect_regs(test, &b->model, &model_others);
}

/* After one late interrupt the next NMI is foreign. */
static void late_only_once(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);

	share(b);
	sched_in(b, c);
	model_trip(&b->model, 1, 0, 1000);
	sched_out(b, c);
	model_deliver(&b->model);
	b->model.late = 0;
	KUNIT_EXPECT_EQ(test, b->model.nr_unclaimed, 0);
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 1);
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	bench_expect_alive(b);
	unshare(b);
}

/* RESET_REGISTERS of a session does not discard what the tasks will restore. */
static void not_forgotten(struct kunit *test)
{
	struct bench *b = test->priv;
	struct model_regs zeros = model_zeros;

	model_fill(&b->model, &model_others);
	bench_attach(b, bench_claim(b, 0, 0, 2));
	MODEL_AT(knc_registers_restore_reset_values(b->hw));
	bench_detach(b, &b->claim[0]);
	zeros.lvtpc = model_others.lvtpc;
	model_expect_regs(test, &b->model, &zeros);
	model_fill(&b->model, &model_others);
	share(b);
	bench_offline(b);
	bench_online(b);
	unshare(b);
	model_expect_regs(test, &b->model, &model_others);
}

/* Switch the claim out and in: this takes @writes register writes, and the count is exact */
static void expect_back_in(struct bench *b, struct knc_claim *c,
			   unsigned int writes)
{
	model_log_clear(&b->model);
	sched_out(b, c);
	sched_in(b, c);
	KUNIT_EXPECT_EQ(b->test, b->model.nr_writes, writes);
	model_run(&b->model, 5, 7);
}

/* A task that returns to its unchanged registers only starts them. */
static void comes_back(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);
	unsigned int i;

	model_fill(&b->model, &model_others);
	share(b);
	sched_in(b, c);
	for (i = 0; i < 10; i++)
		expect_back_in(b, c, atomic_read(&knc_nr_hiding) ? 8 : 2);
	/* with another task's values in between */
	for (i = 1; i <= 10; i++) {
		sched_out(b, c);
		sched_in(b, bench_claim(b, 1, 0, 2));
		model_run(&b->model, i, i);
		sched_out(b, &b->claim[1]);
		expect_totals(b, &b->claim[1], i, i);
		sched_in(b, c);
		expect_back_in(b, c, atomic_read(&knc_nr_hiding) ? 8 : 2);
	}
	sched_out(b, c);
	expect_totals(b, c, 20 * 5, 20 * 7);
	/* RDPMC is permitted from here on */
	knc_hide_begin();
	expect_empty(b, 3);
	knc_hide_end();
	sched_in(b, c);
	model_run(&b->model, 5, 7);
	sched_out(b, c);
	expect_totals(b, c, 21 * 5, 21 * 7);
	unshare(b);
	model_expect_regs(test, &b->model, &model_others);
}

/* Any program may execute RDPMC if the kernel permits it to all. */
static void hides_by_cr4(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	share(b);
	sched_in(b, c);
	b->model.cr4 |= KNC_CR4_PCE;
	expect_back_in(b, c, 8);
	sched_out(b, c);
	KUNIT_EXPECT_EQ(test, b->model.regs.perfcntr[0], 0);
	KUNIT_EXPECT_EQ(test, b->model.regs.perfcntr[1], 0);
	b->model.cr4 &= ~KNC_CR4_PCE;
	expect_totals(b, c, 5, 7);
	unshare(b);
}

/* The counter holds what the next claim's count needs, but as the value of another count. */
static void same_register(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);
	struct knc_claim *d = bench_claim(b, 1, 0, 1);

	share(b);
	sched_in(b, c);
	model_run(&b->model, 1000, 0);
	sched_out(b, c);
	d->count[0].left = c->count[0].left;
	sched_in(b, d);
	model_run(&b->model, 30, 0);
	sched_out(b, d);
	expect_totals(b, c, 1000, 0);
	expect_totals(b, d, 30, 0);
	unshare(b);
}

/* All cases again while some program may execute RDPMC */
static int hidden_init(struct kunit *test)
{
	int err = bench_init(test);

	if (!err)
		knc_hide_begin();
	return err;
}

static void hidden_exit(struct kunit *test)
{
	if (test->priv)
		knc_hide_end();
	bench_exit(test);
}

/* KUnit keeps a log for each case of a suite, therefore each suite has its own */
#define SHARE_CASES				\
	KUNIT_CASE(saves_and_restores),		\
	KUNIT_CASE(restores_each_bit),		\
	KUNIT_CASE(sched_in_and_out),		\
	KUNIT_CASE(beside_a_session),		\
	KUNIT_CASE(session_leaves_nothing),	\
	KUNIT_CASE(goes_on_where_it_was),	\
	KUNIT_CASE(user_pref_is_the_tasks),	\
	KUNIT_CASE(user_pref_beside_another),	\
	KUNIT_CASE(filters_one_of_two),		\
	KUNIT_CASE(in_but_stopped),		\
	KUNIT_CASE(updates),			\
	KUNIT_CASE(overflows_everywhere),	\
	KUNIT_CASE(two_go_late),		\
	KUNIT_CASE(late_beside_a_session),	\
	KUNIT_CASE(exact_over_many),		\
	KUNIT_CASE(goes_and_comes),		\
	KUNIT_CASE(both_go_and_come),		\
	KUNIT_CASE(shared_without_it),		\
	KUNIT_CASE(foreign_everywhere),		\
	KUNIT_CASE(foreign_while_away),		\
	KUNIT_CASE(late_only_once),		\
	KUNIT_CASE(not_forgotten),		\
	KUNIT_CASE(comes_back),			\
	KUNIT_CASE(hides_by_cr4),		\
	KUNIT_CASE(same_register),		\
	{}

static struct kunit_case share_cases[] = { SHARE_CASES };
static struct kunit_case share_hidden_cases[] = { SHARE_CASES };

KNC_SUITE(share, bench_init, bench_exit);

static struct kunit_suite share_hidden_suite = {
	.name = "share_hidden",
	.init = hidden_init,
	.exit = hidden_exit,
	.test_cases = share_hidden_cases,
};

kunit_test_suites(&share_suite, &share_hidden_suite);
