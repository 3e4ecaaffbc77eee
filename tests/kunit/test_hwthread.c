// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of one hardware thread
 */
#include <knc/registers.h>

#include "hwthread_fixture.h"
#include "count/attach.h"
#include "count/refresh.h"
#include "count/registers.h"

#define MS	1000000ULL

static void expect_values(struct bench *b, struct knc_claim *c, u64 v0, u64 v1)
{
	struct knc_pmu_thread r = bench_read(b, c);

	KUNIT_EXPECT_EQ(b->test, r.value[0], v0);
	if (c->nr > 1)
		KUNIT_EXPECT_EQ(b->test, r.value[1], v1);
}

/* Check the registers of a claim's counters; @ctrl: the enabled counters */
static void expect_programmed(struct bench *b, unsigned int i, u64 ctrl)
{
	struct knc_claim *c = &b->claim[i];
	unsigned int n, slot;

	KUNIT_EXPECT_EQ(b->test, b->model.regs.ctrl & model_slots(c->cntrs), ctrl);
	for (n = 0; n < c->nr; n++) {
		slot = model_slot(c->count[n].counter);
		KUNIT_EXPECT_EQ(b->test, b->model.regs.perfevtsel[slot],
				bench_evtsel(i, slot));
	}
}

static void programs_one(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		model_fill(&b->model, &model_others);
		bench_attach(b, bench_claim(b, 0, n, 1));
		expect_programmed(b, 0, 0);
		KUNIT_EXPECT_EQ(test, b->model.regs.perfcntr[n], model_loaded(n));
		KUNIT_EXPECT_EQ(test, b->model.regs.perfevtsel[!n], 0);
		KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 0);
		KUNIT_EXPECT_EQ(test, b->model.regs.spflt, 0);
		KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
		bench_detach(b, &b->claim[0]);
	}
}

static void programs_two(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int first, n;

	for (first = 0; first < 2; first++) {
		model_fill(&b->model, &model_others);
		bench_attach(b, bench_claim(b, 0, first, 2));
		expect_programmed(b, 0, 0);
		for (n = 0; n < 2; n++)
			KUNIT_EXPECT_EQ(test, b->model.regs.perfcntr[n],
					model_loaded(n));
		bench_detach(b, &b->claim[0]);
	}
}

/* The counters are stopped before any other register is written. */
static void attach_stops_first(struct kunit *test)
{
	struct bench *b = test->priv;

	model_fill(&b->model, &model_ones);
	bench_attach(b, bench_claim(b, 0, 0, 2));
	KUNIT_EXPECT_EQ(test, model_find_write(&b->model, model_pmu->ctrl), 0);
	KUNIT_EXPECT_EQ(test, b->model.writes[0].value, 0);
}

static void expect_ctrl_last(struct bench *b, u64 value)
{
	unsigned int last = b->model.nr_writes - 1;

	KUNIT_ASSERT_LT(b->test, last, MODEL_LOG);
	KUNIT_EXPECT_EQ(b->test, b->model.writes[last].msr, model_pmu->ctrl);
	KUNIT_EXPECT_EQ(b->test, b->model.writes[last].value, value);
}

/* The counters are started after all other registers are written. */
static void detach_starts_last(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int i;

	model_fill(&b->model, &model_ones);
	bench_attach(b, bench_claim(b, 0, 0, 2));
	bench_start(b, &b->claim[0]);
	model_log_clear(&b->model);
	bench_detach(b, &b->claim[0]);
	expect_ctrl_last(b, this_pmu->ctrl.mask);
	for (i = 0; i + 1 < b->model.nr_writes; i++)
		if (b->model.writes[i].msr == model_pmu->ctrl)
			KUNIT_EXPECT_EQ(test, b->model.writes[i].value, 0);
}

/* Attach a claim of @nr events, the first on slot @first; @run: count for a while; detach it */
static void use(struct bench *b, unsigned int first, unsigned int nr, bool run)
{
	struct knc_claim *c = bench_claim(b, 0, first, nr);

	bench_filter(c, 3);
	bench_attach(b, c);
	if (run) {
		bench_start(b, c);
		model_run(&b->model, 1234, 5678);
	}
	bench_detach(b, c);
}

static void restores(struct bench *b, const struct model_regs *before)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		model_fill(&b->model, before);
		use(b, i % 2, 1 + i / 2 % 2, i / 4);
		model_expect_regs(b->test, &b->model, before);
	}
}

static void restores_zeros(struct kunit *test)
{
	restores(test->priv, &model_zeros);
}

static void restores_ones(struct kunit *test)
{
	restores(test->priv, &model_ones);
}

static void restores_others(struct kunit *test)
{
	restores(test->priv, &model_others);
}

/* Each bit alone is restored: none is masked, shifted or exchanged. */
static void restores_each_bit(struct kunit *test)
{
	struct bench *b = test->priv;
	struct model_regs regs;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		regs = model_bit(bit);
		model_fill(&b->model, &regs);
		use(b, 0, 2, true);
		model_expect_regs(test, &b->model, &regs);
	}
}

/* The first claim saves the registers, the last one restores them. */
static void restores_after_two(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		model_fill(&b->model, &model_others);
		bench_attach(b, bench_claim(b, 0, i % 2, 1));
		bench_attach(b, bench_claim(b, 1, !(i % 2), 1));
		bench_start(b, &b->claim[0]);
		bench_start(b, &b->claim[1]);
		bench_detach(b, &b->claim[i / 2]);
		KUNIT_EXPECT_EQ(test, b->model.regs.ctrl,
				model_slots(b->claim[!(i / 2)].cntrs));
		bench_detach(b, &b->claim[!(i / 2)]);
		model_expect_regs(test, &b->model, &model_others);
	}
}

/* The claim's overflow bits are cleared; those of the other counter stay. */
static void clears_own_status(struct kunit *test)
{
	struct bench *b = test->priv;

	bench_attach(b, bench_claim(b, 0, 1, 1));
	b->model.status = 3;
	bench_detach(b, &b->claim[0]);
	KUNIT_EXPECT_EQ(test, b->model.status, 1);

	bench_attach(b, bench_claim(b, 0, 0, 2));
	b->model.status = 3;
	bench_detach(b, &b->claim[0]);
	KUNIT_EXPECT_EQ(test, b->model.status, 0);
}

static void counts_from_start_to_stop(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	bench_attach(b, c);
	model_run(&b->model, 1, 2);
	expect_values(b, c, 0, 0);
	bench_start(b, c);
	expect_programmed(b, 0, 3);
	model_run(&b->model, 10, 20);
	expect_values(b, c, 10, 20);
	model_run(&b->model, 100, 200);
	bench_stop(b, c);
	expect_programmed(b, 0, 0);
	expect_values(b, c, 110, 220);
	model_run(&b->model, 1000, 2000);
	expect_values(b, c, 110, 220);
	bench_start(b, c);
	model_run(&b->model, 10000, 20000);
	bench_stop(b, c);
	expect_values(b, c, 10110, 20220);
	bench_detach(b, c);
}

/* value[] is in the order of events, not of counters. */
static void values_by_event(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 1, 2));

	model_run(&b->model, 3, 5);
	expect_values(b, c, 5, 3);
	bench_stop(b, c);
	expect_values(b, c, 5, 3);
	bench_detach(b, c);
}

static void next_starts_at_zero(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		c = bench_begin(b, bench_claim(b, 0, 0, 1));
		expect_values(b, c, 0, 0);
		model_run(&b->model, 7, 7);
		expect_values(b, c, 7, 0);
		bench_detach(b, c);
	}
}

static void reset_while_stopped(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 2));

	model_run(&b->model, 10, 20);
	bench_stop(b, c);
	bench_reset(b, c);
	expect_values(b, c, 0, 0);
	bench_start(b, c);
	model_run(&b->model, 1, 2);
	bench_stop(b, c);
	expect_values(b, c, 1, 2);
	bench_detach(b, c);
}

static void reset_while_started(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 2));

	model_run(&b->model, 10, 20);
	bench_reset(b, c);
	expect_values(b, c, 0, 0);
	expect_programmed(b, 0, 3);
	model_run(&b->model, 1, 2);
	expect_values(b, c, 1, 2);
	bench_detach(b, c);
}

/* Old overflow bits belong to no session, and would hold the interrupt line high. */
static void clears_status_first(struct kunit *test)
{
	struct bench *b = test->priv;

	b->model.status = 3;
	b->model.line = 3;
	bench_attach(b, bench_claim(b, 0, 1, 1));
	KUNIT_EXPECT_EQ(test, b->model.status, 0);
	KUNIT_EXPECT_EQ(test, b->model.line, 0);
	bench_detach(b, &b->claim[0]);
}

/* The second claim must not clear an overflow that was not yet reported to the first one. */
static void second_leaves_status(struct kunit *test)
{
	struct bench *b = test->priv;

	bench_attach(b, bench_claim(b, 0, 0, 1));
	b->model.status = 1;
	bench_attach(b, bench_claim(b, 1, 1, 1));
	KUNIT_EXPECT_EQ(test, b->model.status, 1);
	bench_detach(b, &b->claim[1]);
	KUNIT_EXPECT_EQ(test, b->model.status, 1);
	bench_detach(b, &b->claim[0]);
}

/* An interrupt after the largest loadable number of events, and after each further such number */
static void wraps_once(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 2));

	model_run(&b->model, model_half(0) - 1, 0);
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 0);
	model_run(&b->model, 1, 1);
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 1);
	KUNIT_EXPECT_EQ(test, b->model.regs.perfcntr[0], model_loaded(0));
	expect_values(b, c, model_half(0), 1);
	model_run(&b->model, model_half(0) + 5, model_half(1) - 1);
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 2);
	expect_values(b, c, 2 * model_half(0) + 5, model_half(1));
	bench_expect_alive(b);
	bench_detach(b, c);
}

/* A count is right before its interrupt comes, however late that is. */
static void wraps_late(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 2));
	u64 v0, v1;

	b->model.late = ~0;
	b->model.skid = model_loaded(0) - 1;
	v0 = model_half(0) + b->model.skid;
	/* the most events that both counters can count by then */
	v1 = min(model_half(1) + b->model.skid, model_pmu->slot[1].top);
	MODEL_AT(model_trip(&b->model, 1, 0, ~0); knc_hw_read_tsc();
		 b->model.skid = v1 - model_half(1);
		 model_trip(&b->model, 2, 0, ~0); knc_hw_read_tsc());
	KUNIT_EXPECT_TRUE(test, b->model.pending);
	expect_values(b, c, v0, v1);
	model_deliver(&b->model);
	expect_values(b, c, v0, v1);
	bench_expect_alive(b);
	bench_detach(b, c);
}

static void wraps_often(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 2));
	u64 v0 = 10 * model_half(0), v1 = 10 * model_half(1) + 12345;
	unsigned int i;

	model_run(&b->model, v0, v1);
	expect_values(b, c, v0, v1);
	for (i = 0; i < 100; i++) {
		b->model.skid = i << 20;
		model_run(&b->model, 2 * model_half(0) - 1, model_half(1) * 2 / 3);
		v0 += 2 * model_half(0) - 1;
		v1 += model_half(1) * 2 / 3;
	}
	bench_stop(b, c);
	expect_values(b, c, v0, v1);
	bench_expect_alive(b);
	bench_detach(b, c);
}

/* Two claims with a counter each: an interrupt of one does not affect the other. */
static void wraps_side_by_side(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		bench_attach(b, bench_claim(b, i, i, 1));
		bench_start(b, &b->claim[i]);
	}
	model_run(&b->model, 3 * model_half(0), 7);
	model_run(&b->model, 5, 9 * model_half(1));
	expect_values(b, &b->claim[0], 3 * model_half(0) + 5, 0);
	expect_values(b, &b->claim[1], 9 * model_half(1) + 7, 0);
	bench_reset(b, &b->claim[0]);
	model_run(&b->model, model_half(0) + 1, 1);
	expect_values(b, &b->claim[0], model_half(0) + 1, 0);
	expect_values(b, &b->claim[1], 9 * model_half(1) + 8, 0);
	bench_expect_alive(b);
	bench_detach(b, &b->claim[1]);
	bench_detach(b, &b->claim[0]);
}

/* Every command for claim @c; none may affect the other claim. */
static void exercise(struct bench *b, struct knc_claim *c)
{
	bench_begin(b, c);
	model_run(&b->model, 100, 100);
	bench_read(b, c);
	bench_reset(b, c);
	bench_stop(b, c);
	bench_start(b, c);
	model_run(&b->model, 100, 100);
	bench_detach(b, c);
}

static void expect_undisturbed(struct bench *b, unsigned int n, u64 count)
{
	struct knc_claim *c = &b->claim[0];

	expect_programmed(b, 0, 1u << n);
	expect_values(b, c, count, 0);
	KUNIT_EXPECT_EQ(b->test, b->model.regs.perfcntr[n],
			model_loaded(n) + count);
	KUNIT_EXPECT_EQ(b->test, b->model.status & 1u << n, 1u << n);
}

static void side_by_side(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *other;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		bench_attach(b, bench_claim(b, 0, n, 1));
		bench_start(b, &b->claim[0]);
		b->model.status = 3;
		other = bench_claim(b, 1, !n, 1);
		bench_filter(other, 3);
		other->open = true;
		exercise(b, other);
		expect_undisturbed(b, n, 200);
		bench_detach(b, &b->claim[0]);
	}
}

/* STOP and RESET of one claim must not change the other's counts. */
static void side_by_side_counts(struct kunit *test)
{
	struct bench *b = test->priv;

	bench_attach(b, bench_claim(b, 0, 0, 1));
	bench_attach(b, bench_claim(b, 1, 1, 1));
	bench_start(b, &b->claim[0]);
	model_run(&b->model, 1, 10);
	bench_start(b, &b->claim[1]);
	model_run(&b->model, 2, 20);
	bench_stop(b, &b->claim[0]);
	model_run(&b->model, 4, 40);
	expect_values(b, &b->claim[0], 3, 0);
	expect_values(b, &b->claim[1], 60, 0);
	bench_reset(b, &b->claim[1]);
	expect_values(b, &b->claim[0], 3, 0);
	expect_values(b, &b->claim[1], 0, 0);
	bench_detach(b, &b->claim[0]);
	model_run(&b->model, 8, 80);
	expect_values(b, &b->claim[1], 80, 0);
	bench_detach(b, &b->claim[1]);
}

static struct knc_claim *filtered(struct bench *b, unsigned int i,
				  unsigned int first, u32 spflt, bool pref)
{
	struct knc_claim *c = bench_claim(b, i, first, 1);

	bench_filter(c, spflt);
	c->open = pref;
	return c;
}

static void spflt_bits(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int i;
	u64 want;

	for (i = 0; i < 8; i++) {
		model_fill(&b->model, i & 4 ? &model_ones : &model_zeros);
		c = filtered(b, 0, i & 1, 1u << (i & 1), i & 2);
		want = c->gated | (i & 2 ? MODEL_USER_PREF : 0);
		bench_attach(b, c);
		KUNIT_EXPECT_EQ(test, b->model.regs.spflt, want);
		bench_start(b, c);
		KUNIT_EXPECT_EQ(test, b->model.regs.spflt, want);
		bench_detach(b, c);
	}
}

/* One event of a session may be gated, and the other one not. */
static void spflt_of_one_event(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	bench_filter(c, 2);
	bench_attach(b, c);
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt, 2);
	bench_start(b, c);
	model_run(&b->model, 5, 5);
	expect_values(b, c, 5, 0);
	b->model.regs.spflt |= MODEL_USER_PREF;
	model_run(&b->model, 5, 5);
	expect_values(b, c, 10, 5);
	bench_detach(b, c);
}

/* A session without a gated event is not affected. */
static void spflt_left_alone(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = filtered(b, 0, 0, 1, false);

	bench_begin(b, c);
	/* as the SPFLT instruction does */
	b->model.regs.spflt |= MODEL_USER_PREF;
	exercise(b, bench_claim(b, 1, 1, 1));
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt, MODEL_USER_PREF | 1);
	expect_values(b, c, 200, 0);
	bench_detach(b, c);
}

/* A claim that stays is not gated because of a claim that left. */
static void spflt_goes_with_its_claim(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 1, 1, 1);

	bench_attach(b, c);
	bench_attach(b, filtered(b, 0, 0, 1, false));
	bench_detach(b, &b->claim[0]);
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt & 3, 0);
	bench_attach(b, bench_claim(b, 0, 0, 1));
	bench_start(b, &b->claim[0]);
	model_run(&b->model, 9, 9);
	expect_values(b, &b->claim[0], 9, 0);
	bench_detach(b, &b->claim[0]);
	bench_detach(b, c);
}

/* The next session does not inherit the last session's USER_PREF. */
static void spflt_begins_anew(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 1, 1, 1);

	bench_attach(b, c);
	bench_attach(b, filtered(b, 0, 0, 1, true));
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt, MODEL_USER_PREF | 1);
	bench_detach(b, &b->claim[0]);
	bench_attach(b, filtered(b, 0, 0, 1, false));
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt, 1);
	bench_detach(b, &b->claim[0]);
	bench_detach(b, c);
}

/* An NMI after the counter is owned and before it is programmed is foreign. */
static void interrupted_before_attached(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	model_fill(&b->model, &model_ones);
	knc_claim_set_owner(b->hw, c, c);
	b->model.status = 3;
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	model_expect_regs(test, &b->model, &model_ones);
	MODEL_AT(knc_claim_attach(b->hw, c));
	expect_values(b, c, 0, 0);
	bench_detach(b, c);
}

/* RESET_REGISTERS leaves the LVT entry: it belongs to the local APIC, and is restored. */
static void expect_forgotten(struct bench *b)
{
	struct model_regs want = model_zeros;

	want.lvtpc = model_ones.lvtpc;
	KUNIT_EXPECT_EQ(b->test, want.ctrl, model_pmu->reset);
	model_expect_regs(b->test, &b->model, &want);
}

static void forgets(struct kunit *test)
{
	struct bench *b = test->priv;

	model_fill(&b->model, &model_ones);
	b->model.status = 3;
	bench_attach(b, bench_claim(b, 0, 0, 2));
	bench_start(b, &b->claim[0]);
	MODEL_AT(knc_registers_restore_reset_values(b->hw));
	expect_programmed(b, 0, 3);
	bench_detach(b, &b->claim[0]);
	expect_forgotten(b);
	KUNIT_EXPECT_EQ(test, b->model.status, 0);
}

static void forgets_for_good(struct kunit *test)
{
	struct bench *b = test->priv;

	model_fill(&b->model, &model_ones);
	bench_attach(b, bench_claim(b, 0, 0, 2));
	MODEL_AT(knc_registers_restore_reset_values(b->hw));
	bench_offline(b);
	expect_forgotten(b);
	bench_online(b);
	bench_detach(b, &b->claim[0]);
	expect_forgotten(b);
}

/* Registers stay reset when a hardware thread comes back online. */
static void forgets_while_offline(struct kunit *test)
{
	struct bench *b = test->priv;

	model_fill(&b->model, &model_ones);
	bench_attach(b, bench_claim(b, 0, 0, 2));
	bench_offline(b);
	MODEL_AT(knc_registers_restore_reset_values(b->hw));
	bench_online(b);
	bench_detach(b, &b->claim[0]);
	expect_forgotten(b);
}

static void expect_times(struct bench *b, struct knc_claim *c, u64 enabled,
			 u64 running, u32 flags)
{
	struct knc_pmu_thread r = bench_read(b, c);

	KUNIT_EXPECT_EQ(b->test, r.time_enabled, enabled);
	KUNIT_EXPECT_EQ(b->test, r.time_running, running);
	KUNIT_EXPECT_EQ(b->test, r.flags, flags);
}

#define GONE	(KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP)

static void offline_gives_back(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	model_fill(&b->model, &model_ones);
	bench_begin(b, c);
	model_run(&b->model, 10, 20);
	b->model.status = 3;
	bench_offline(b);
	model_expect_regs(test, &b->model, &model_ones);
	KUNIT_EXPECT_EQ(test, b->model.status, 0);
	model_log_clear(&b->model);
	expect_values(b, c, 10, 20);
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	bench_online(b);
	expect_programmed(b, 0, 3);
	model_run(&b->model, 1, 2);
	expect_values(b, c, 11, 22);
	bench_detach(b, c);
	model_expect_regs(test, &b->model, &model_ones);
}

/* Counting continues even after a real reset of the thread. */
static void online_after_reset(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	model_fill(&b->model, &model_others);
	bench_begin(b, c);
	model_run(&b->model, 10, 20);
	bench_offline(b);
	model_fill(&b->model, &model_zeros);
	b->model.tsc = 0;
	bench_online(b);
	model_run(&b->model, 1, 2);
	expect_values(b, c, 11, 22);
	bench_detach(b, c);
	model_expect_regs(test, &b->model, &model_zeros);
}

static void offline_times(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 1));

	b->now += 5 * MS;
	expect_times(b, c, 5 * MS, 5 * MS, 0);
	bench_offline(b);
	b->now += 7 * MS;
	expect_times(b, c, 12 * MS, 5 * MS, GONE);
	bench_online(b);
	expect_times(b, c, 12 * MS, 5 * MS, KNC_PMU_THREAD_GAP);
	b->now += 1 * MS;
	expect_times(b, c, 13 * MS, 6 * MS, KNC_PMU_THREAD_GAP);
	bench_offline(b);
	b->now += 2 * MS;
	bench_stop(b, c);
	expect_times(b, c, 15 * MS, 6 * MS, GONE);
	b->now += 100 * MS;
	expect_times(b, c, 15 * MS, 6 * MS, GONE);
	bench_online(b);
	expect_times(b, c, 15 * MS, 6 * MS, KNC_PMU_THREAD_GAP);
	bench_start(b, c);
	b->now += 3 * MS;
	expect_times(b, c, 18 * MS, 9 * MS, KNC_PMU_THREAD_GAP);
	bench_detach(b, c);
}

/* Two callers at once may be served in another order than that of their times. */
static void no_time_before_its_start(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);

	bench_attach(b, c);
	b->now = 9 * MS;
	bench_start(b, c);
	b->now = 8 * MS;
	expect_times(b, c, 0, 0, 0);
	bench_stop(b, c);
	expect_times(b, c, 0, 0, 0);
	bench_detach(b, c);
}

static void started_while_offline(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);

	bench_attach(b, c);
	bench_offline(b);
	b->now += 50 * MS;
	model_log_clear(&b->model);
	bench_start(b, c);
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	b->now += 4 * MS;
	expect_times(b, c, 4 * MS, 0, GONE);
	bench_online(b);
	model_run(&b->model, 3, 3);
	b->now += 1 * MS;
	expect_times(b, c, 5 * MS, 1 * MS, KNC_PMU_THREAD_GAP);
	expect_values(b, c, 3, 0);
	bench_detach(b, c);
}

static void stopped_while_offline(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 1));

	model_run(&b->model, 3, 3);
	bench_offline(b);
	bench_stop(b, c);
	bench_online(b);
	expect_programmed(b, 0, 0);
	model_run(&b->model, 5, 5);
	expect_values(b, c, 3, 0);
	bench_detach(b, c);
}

static void reset_while_offline(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 1));

	model_run(&b->model, 3, 3);
	bench_offline(b);
	b->now += 4 * MS;
	model_log_clear(&b->model);
	bench_reset(b, c);
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	expect_values(b, c, 0, 0);
	b->now += 2 * MS;
	expect_times(b, c, 2 * MS, 0, GONE);
	bench_online(b);
	b->now += 1 * MS;
	model_run(&b->model, 5, 5);
	expect_times(b, c, 3 * MS, 1 * MS, KNC_PMU_THREAD_GAP);
	expect_values(b, c, 5, 0);
	bench_reset(b, c);
	expect_times(b, c, 0, 0, 0);
	bench_detach(b, c);
}

/* The registers belong to another user while the hardware thread is offline. */
static void detached_while_offline(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	model_fill(&b->model, &model_others);
	bench_begin(b, c);
	bench_offline(b);
	model_fill(&b->model, &model_ones);
	model_log_clear(&b->model);
	bench_detach(b, c);
	bench_online(b);
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	KUNIT_EXPECT_FALSE(test, knc_hwthread_claimed(b->hw));
	use(b, 0, 2, true);
	model_expect_regs(test, &b->model, &model_ones);
}

/* Two claims, one of them started: each is restored to its state. */
static void two_come_back(struct kunit *test)
{
	struct bench *b = test->priv;

	model_fill(&b->model, &model_others);
	bench_attach(b, bench_claim(b, 0, 1, 1));
	bench_attach(b, filtered(b, 1, 0, 1, true));
	bench_start(b, &b->claim[0]);
	model_run(&b->model, 1, 10);
	bench_offline(b);
	bench_online(b);
	expect_programmed(b, 0, 2);
	expect_programmed(b, 1, 0);
	KUNIT_EXPECT_EQ(test, b->model.regs.spflt,
			model_pmu->gate ? MODEL_USER_PREF | 1 : 0);
	bench_start(b, &b->claim[1]);
	model_run(&b->model, 2, 20);
	expect_values(b, &b->claim[0], 30, 0);
	expect_values(b, &b->claim[1], 2, 0);
	bench_detach(b, &b->claim[1]);
	bench_detach(b, &b->claim[0]);
	model_expect_regs(test, &b->model, &model_others);
}

static void find_and_own(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_hwthread *hw = b->hw;
	struct knc_claim *c0 = bench_claim(b, 0, 1, 1);
	struct knc_claim *c1 = bench_claim(b, 1, 0, 1);

	KUNIT_EXPECT_FALSE(test, knc_hwthread_claimed(hw));
	knc_claim_set_owner(hw, c0, c0);
	KUNIT_EXPECT_TRUE(test, knc_hwthread_claimed(hw));
	KUNIT_EXPECT_PTR_EQ(test, knc_hwthread_find(hw, c0), c0);
	KUNIT_EXPECT_NULL(test, knc_hwthread_find(hw, c1));
	knc_claim_set_owner(hw, c1, c1);
	KUNIT_EXPECT_PTR_EQ(test, hw->claim[model_number(1)], c0);
	KUNIT_EXPECT_PTR_EQ(test, hw->claim[model_number(0)], c1);
	KUNIT_EXPECT_PTR_EQ(test, knc_hwthread_find(hw, c1), c1);
	knc_claim_set_owner(hw, c0, NULL);
	KUNIT_EXPECT_NULL(test, knc_hwthread_find(hw, c0));
	KUNIT_EXPECT_PTR_EQ(test, knc_hwthread_find(hw, c1), c1);
}

/*
 * The program goes on while the driver works: every event from START to STOP must be counted,
 * whatever happens in between.
 */
static void expect_lossless(struct bench *b, struct knc_claim *c)
{
	expect_values(b, c, b->model.counted[0], b->model.counted[1]);
}

static void loses_nothing(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);
	unsigned int i;

	b->model.tick = 1;
	bench_attach(b, c);
	for (i = 0; i < 3; i++) {
		bench_start(b, c);
		bench_read(b, c);
		bench_stop(b, c);
		expect_lossless(b, c);
	}
	KUNIT_EXPECT_GT(test, b->model.counted[0], 0);
	bench_detach(b, c);
}

static void loses_nothing_offline(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	b->model.tick = 1;
	bench_begin(b, c);
	bench_offline(b);
	expect_lossless(b, c);
	bench_online(b);
	bench_stop(b, c);
	expect_lossless(b, c);
	bench_detach(b, c);
}

/* Only the claim's counters count, and only from START to STOP. */
static void counts_nothing_else(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	b->model.tick = 1;
	bench_attach(b, c);
	bench_reset(b, c);
	KUNIT_EXPECT_EQ(test, b->model.counted[0], 0);
	bench_start(b, c);
	bench_stop(b, c);
	b->model.counted[0] = 0;
	bench_reset(b, c);
	bench_read(b, c);
	bench_detach(b, c);
	KUNIT_EXPECT_EQ(test, b->model.counted[0], 0);
}

/* The value of a register in the snapshot @regs */
static u64 shot(const struct knc_pmu_reg *regs, u32 space, u32 number)
{
	unsigned int i;

	for (i = 0; i < PMU_MAX_REGISTERS; i++)
		if (regs[i].space == space && regs[i].number == number)
			return regs[i].value;
	return 0xbadbad;
}

static void snapshot(struct kunit *test)
{
	struct knc_pmu_reg regs[PMU_MAX_REGISTERS];
	struct bench *b = test->priv;
	unsigned int n;

	model_fill(&b->model, &model_others);
	b->model.status = 1;
	b->model.tsc = 0x1234567890;
	b->model.cr4 = 0x1a0;
	b->model.regs.lvtpc = 0x10400;
	MODEL_AT(knc_hw_snapshot(regs));
	for (n = 0; n < 2; n++) {
		KUNIT_EXPECT_EQ(test, shot(regs, 0, MODEL_PERFCNTR + n),
				model_others.perfcntr[n]);
		KUNIT_EXPECT_EQ(test, shot(regs, 0, MODEL_PERFEVTSEL + n),
				model_others.perfevtsel[n]);
	}
	KUNIT_EXPECT_EQ(test, shot(regs, 0, MODEL_SPFLT), model_others.spflt);
	KUNIT_EXPECT_EQ(test, shot(regs, 0, MODEL_CTRL), model_others.ctrl);
	KUNIT_EXPECT_EQ(test, shot(regs, 0, MODEL_STATUS), 1);
	KUNIT_EXPECT_EQ(test, shot(regs, 0, MODEL_TSC), 0x1234567890);
	KUNIT_EXPECT_EQ(test, shot(regs, 2, 4), 0x1a0);
	KUNIT_EXPECT_EQ(test, shot(regs, 1, 0x340), 0x10400);
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
}

static void tsc_of_record(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);

	bench_attach(b, c);
	b->model.tsc = 0x123456789abcdef;
	KUNIT_EXPECT_EQ(test, bench_read(b, c).tsc, 0x123456789abcdef);
	bench_offline(b);
	KUNIT_EXPECT_EQ(test, bench_read(b, c).tsc, 0);
	bench_online(b);
	bench_detach(b, c);
}

/* Claim every counter of the PMU, with an event each */
static struct knc_claim *claim_all(struct bench *b)
{
	struct knc_claim *c = bench_claim(b, 0, 0, 1);
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++) {
		c->count[n].counter = model_number(n);
		c->count[n].read_index = pmu_read_index(c->count[n].counter);
		c->count[n].evtsel = bench_evtsel(0, n);
		c->count[n].left = pmu_max_load(model_number(n));
	}
	c->nr = model_pmu->nr;
	c->nr_events = c->nr;
	c->cntrs = model_cntrs(~0ULL);
	c->owned = c->cntrs;
	return c;
}

/* Each counter counts alone, across overflows, and all registers are restored. */
static void all_counters(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = claim_all(b);
	struct knc_pmu_thread r;
	unsigned int n;

	model_fill(&b->model, &model_others);
	bench_begin(b, c);
	KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, (1ULL << model_pmu->nr) - 1);
	KUNIT_EXPECT_EQ(test, c->cntrs, this_pmu->counters);
	for (n = 0; n < model_pmu->nr; n++) {
		model_slot_run(&b->model, n, 100 + n);
		model_slot_run(&b->model, n, 3 * model_half(n));
	}
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 3 * model_pmu->nr);
	r = bench_read(b, c);
	for (n = 0; n < model_pmu->nr; n++)
		KUNIT_EXPECT_EQ_MSG(test, r.value[n], 100 + n + 3 * model_half(n),
				    "slot %u", n);
	bench_expect_alive(b);
	bench_offline(b);
	model_expect_regs(test, &b->model, &model_others);
	bench_online(b);
	bench_detach(b, c);
	model_expect_regs(test, &b->model, &model_others);
}

/* After all registers were lost each count continues from its last update. */
static void all_lost(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = claim_all(b);
	struct knc_pmu_thread r;
	unsigned int n;

	bench_begin(b, c);
	for (n = 0; n < model_pmu->nr; n++)
		model_slot_run(&b->model, n, 100 + n);
	MODEL_AT(knc_refresh_counts(b->hw, b->now));
	for (n = 0; n < model_pmu->nr; n++) {
		KUNIT_EXPECT_EQ(test, c->count[n].total, 100 + n);
		model_slot_run(&b->model, n, 10);
	}
	bench_read(b, c);
	model_fill(&b->model, &model_zeros);
	MODEL_AT(knc_refresh_verify(b->hw));
	for (n = 0; n < model_pmu->nr; n++)
		model_slot_run(&b->model, n, 1);
	r = bench_read(b, c);
	for (n = 0; n < model_pmu->nr; n++)
		KUNIT_EXPECT_EQ_MSG(test, r.value[n], 111 + n, "slot %u", n);
	bench_expect_alive(b);
	bench_detach(b, c);
}

/* Cases that both PMUs have */
#define HWTHREAD_CASES							\
	KUNIT_CASE(programs_one),					\
	KUNIT_CASE(programs_two),					\
	KUNIT_CASE(attach_stops_first),					\
	KUNIT_CASE(detach_starts_last),					\
	KUNIT_CASE(restores_zeros),					\
	KUNIT_CASE(restores_ones),					\
	KUNIT_CASE(restores_others),					\
	KUNIT_CASE(restores_each_bit),					\
	KUNIT_CASE(restores_after_two),					\
	KUNIT_CASE(clears_own_status),					\
	KUNIT_CASE(counts_from_start_to_stop),				\
	KUNIT_CASE(values_by_event),					\
	KUNIT_CASE(next_starts_at_zero),				\
	KUNIT_CASE(reset_while_stopped),				\
	KUNIT_CASE(reset_while_started),				\
	KUNIT_CASE(clears_status_first),				\
	KUNIT_CASE(second_leaves_status),				\
	KUNIT_CASE(wraps_once),						\
	KUNIT_CASE(wraps_late),						\
	KUNIT_CASE(wraps_often),					\
	KUNIT_CASE(wraps_side_by_side),					\
	KUNIT_CASE(side_by_side),					\
	KUNIT_CASE(side_by_side_counts),				\
	KUNIT_CASE(interrupted_before_attached),			\
	KUNIT_CASE(forgets),						\
	KUNIT_CASE(forgets_for_good),					\
	KUNIT_CASE(forgets_while_offline),				\
	KUNIT_CASE(offline_gives_back),					\
	KUNIT_CASE(online_after_reset),					\
	KUNIT_CASE(offline_times),					\
	KUNIT_CASE(no_time_before_its_start),				\
	KUNIT_CASE(started_while_offline),				\
	KUNIT_CASE(stopped_while_offline),				\
	KUNIT_CASE(reset_while_offline),				\
	KUNIT_CASE(detached_while_offline),				\
	KUNIT_CASE(two_come_back),					\
	KUNIT_CASE(find_and_own),					\
	KUNIT_CASE(loses_nothing),					\
	KUNIT_CASE(loses_nothing_offline),				\
	KUNIT_CASE(counts_nothing_else),				\
	KUNIT_CASE(tsc_of_record),					\
	KUNIT_CASE(all_counters),					\
	KUNIT_CASE(all_lost)

static struct kunit_case hwthread_cases[] = {
	HWTHREAD_CASES,
	KUNIT_CASE(spflt_bits),
	KUNIT_CASE(spflt_of_one_event),
	KUNIT_CASE(spflt_left_alone),
	KUNIT_CASE(spflt_goes_with_its_claim),
	KUNIT_CASE(spflt_begins_anew),
	KUNIT_CASE(snapshot),
	{}
};

static struct kunit_case hwthread_wide_cases[] = {
	HWTHREAD_CASES,
	{}
};

KNC_SUITE(hwthread, bench_init, bench_exit);

KNC_SUITE(hwthread_wide, bench_init_wide, bench_exit);

kunit_test_suites(&hwthread_suite, &hwthread_wide_suite);
