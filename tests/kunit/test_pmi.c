// SPDX-License-Identifier: GPL-2.0
/* The overflow interrupt comes before or after every access to a register */
#include <asm/tsc.h>

#include <knc/registers.h>

#include "hwthread_fixture.h"
#include "count/lvtpc.h"
#include "count/program.h"
#include "count/refresh.h"
#include "count/registers.h"
#include "sample/delivery.h"
#include "sample/storm.h"
#include "units.h"

/* more accesses than any operation makes */
#define ACCESSES	80

static void overflow(struct bench *b, u32 cntrs)
{
	MODEL_AT(model_trip(&b->model, cntrs, 0, 0); knc_hw_read_tsc());
}

/* The steps of 327357 1.4.3.9 in their order; "8": counters run again */
static void seven_steps(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 2));

	overflow(b, 1);
	KUNIT_EXPECT_STREQ(test, b->model.steps, "234568");
	overflow(b, 2);
	KUNIT_EXPECT_STREQ(test, b->model.steps, "234568");
	overflow(b, 3);
	KUNIT_EXPECT_STREQ(test, b->model.steps, "2345668");
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 3);
	KUNIT_EXPECT_EQ(test, b->model.nr_unclaimed, 0);
	bench_expect_alive(b);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/* A vector needs an EOI (step 7), after the other steps and before the counters go on. */
static void seven_steps_irq(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);

	bench_irq(b);
	bench_attach(b, c);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, 0xe1);
	bench_start(b, c);
	overflow(b, 3);
	/* the vector is pending, because interrupts were off */
	KUNIT_EXPECT_TRUE(test, b->model.pending);
	model_deliver(&b->model);
	KUNIT_EXPECT_STREQ(test, b->model.steps, "23456678");
	KUNIT_EXPECT_EQ(test, b->model.status, 0);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, 0xe1);
	model_run(&b->model, 3 * model_half(0), 7 * model_half(1));
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

static void modes(struct kunit *test)
{
	const u32 user_mode = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE;
	const u32 kernel_mode = KNC_PMU_EVENT_OS | KNC_PMU_EVENT_SAMPLE;
	struct knc_event user = { .event = 0x16, .flags = user_mode };
	struct knc_event kernel = { .event = 0x16, .flags = kernel_mode };
	struct knc_event unsampled = { .event = 0x2a, .flags = KNC_PMU_EVENT_OS };
	struct knc_event core = { .event = 0x2a, .flags = user_mode };

	KUNIT_EXPECT_FALSE(test, knc_delivery_has_vectors());
	KUNIT_EXPECT_TRUE(test, knc_delivery_is_nmi(&user, 1));
	knc_test_pmi_mode("auto");
	KUNIT_EXPECT_TRUE(test, knc_delivery_has_vectors());
	KUNIT_EXPECT_TRUE(test, knc_delivery_has_nmis());
	KUNIT_EXPECT_FALSE(test, knc_delivery_is_nmi(&user, 1));
	KUNIT_EXPECT_TRUE(test, knc_delivery_is_nmi(&kernel, 1));
	KUNIT_EXPECT_TRUE(test, knc_delivery_is_nmi(&core, 1));
	KUNIT_EXPECT_FALSE(test, knc_delivery_is_nmi(&unsampled, 1));
	knc_test_pmi_mode("irq");
	KUNIT_EXPECT_FALSE(test, knc_delivery_has_nmis());
	KUNIT_EXPECT_FALSE(test, knc_delivery_is_nmi(&kernel, 1));
	knc_test_pmi_mode("smi");
	KUNIT_EXPECT_EQ(test, knc_delivery_init(), -EINVAL);
	knc_test_pmi_mode("nmi");
	KUNIT_EXPECT_EQ(test, knc_delivery_init(), 0);
	knc_delivery_exit();
}

/* The status bit of an unclaimed counter does not make an interrupt ours. */
static void status_not_owned(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		bench_attach(b, bench_claim(b, 0, n, 1));
		bench_start(b, &b->claim[0]);
		b->model.status = 2 >> n;
		KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
		KUNIT_EXPECT_EQ(test, b->hw->stats.pmis, n);
		KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 1 << n);
		b->model.status = 2 >> n;
		overflow(b, 1 << n);
		KUNIT_EXPECT_STREQ(test, b->model.steps, "234568");
		/* a remaining bit would hold the line high */
		KUNIT_EXPECT_EQ(test, b->model.status, 0);
		bench_expect_counts(b, 0);
		bench_detach(b, &b->claim[0]);
	}
}

static void foreign(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);
	struct model_regs before;
	unsigned int i;

	/* no counter is claimed: nothing is touched */
	model_fill(&b->model, &model_ones);
	b->model.status = 3;
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 1);
	bench_begin(b, c);
	model_run(&b->model, 5, 6);
	before = b->model.regs;
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	model_expect_regs(test, &b->model, &before);
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 4);
	KUNIT_EXPECT_EQ(test, b->hw->stats.pmis, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.spurious, 0);
	bench_stop(b, c);
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 0);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/*
 * A detach clears the status of a pending interrupt: the module claims this late interrupt, but
 * only one, and only for a short time.
 */
static void late_after_detach(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);

	model_fill(&b->model, &model_ones);
	bench_begin(b, c);
	MODEL_AT(model_trip(&b->model, 1, 0, ~0); knc_hw_read_tsc());
	bench_detach(b, c);
	model_expect_regs(test, &b->model, &model_ones);
	model_log_clear(&b->model);
	model_deliver(&b->model);
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 1);
	KUNIT_EXPECT_EQ(test, b->model.nr_unclaimed, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.spurious, 1);
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 1);
}

static void too_late_after_detach(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 1));

	MODEL_AT(model_trip(&b->model, 1, 0, ~0); knc_hw_read_tsc());
	bench_detach(b, c);
	/* an NMI that comes a second later is not the late interrupt */
	model_pass(&b->model, 1ULL << 32);
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 1);
}

/* Without an overflow no interrupt is expected after a detach. */
static void none_late_after_detach(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_claim(b, 0, 0, 2));

	overflow(b, 3);
	bench_detach(b, c);
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 1);
}

/*
 * A claim leaves, and its overflow interrupt comes after its status was cleared. The APIC has
 * masked the entry for it: the claim that stays must still get its interrupts.
 */
static void late_beside_another(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		bench_attach(b, bench_claim(b, i, i, 1));
		bench_start(b, &b->claim[i]);
	}
	MODEL_AT(model_trip(&b->model, 1, 0, ~0); knc_hw_read_tsc());
	bench_detach(b, &b->claim[0]);
	model_deliver(&b->model);
	KUNIT_EXPECT_EQ(test, b->model.nr_unclaimed, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.spurious, 1);
	model_run(&b->model, 0, 5 * model_half(1));
	bench_expect_alive(b);
	bench_expect_counts(b, 1);
	bench_detach(b, &b->claim[1]);
}

/* The handler leaves a counter alone that is being changed: it stays stopped. */
static void editing(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 1000, 1000));
	struct knc_count *count = &c->count[0];
	u64 cntr;

	b->model.skid = 5;
	MODEL_AT(model_trip(&b->model, 3, 0, ~0); knc_hw_read_tsc();
		 knc_count_edit_begin(b->hw, count));
	cntr = b->model.regs.perfcntr[0];
	MODEL_AT(b->model.due = 0; knc_hw_read_tsc());
	KUNIT_EXPECT_EQ(test, b->model.nr_pmis, 1);
	/* but the status is cleared, and counter 1 is handled */
	KUNIT_EXPECT_STREQ(test, b->model.steps, "234568");
	KUNIT_EXPECT_EQ(test, b->model.regs.perfcntr[0], cntr);
	KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 2);
	KUNIT_EXPECT_EQ(test, b->sampler[0].ring.control->samples, 1);
	MODEL_AT(knc_count_update(count);
		 knc_count_load(count, count->left);
		 knc_count_edit_end(b->hw, count));
	KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 3);
	/* the sample that is due is taken at the next event */
	model_run(&b->model, 1, 0);
	KUNIT_EXPECT_EQ(test, b->sampler[0].ring.control->samples, 2);
	bench_expect_alive(b);
	bench_expect_counts(b, 0);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* The operations during which a counter overflows */
enum doing {
	DO_NOTHING,
	DO_START,
	DO_STOP,
	DO_READ,
	DO_RESET,
	DO_ATTACH_OTHER,
	DO_DETACH_OTHER,
	DO_DETACH,
	DO_OFFLINE,
	DO_TICK,
	DO_TICK_THROTTLED,
	DO_REFRESH,
	DO_TIME,
	DO_REGS,
	NR_DOING
};

static void doing(struct bench *b, enum doing what)
{
	struct knc_claim *c = &b->claim[0];
	struct knc_pmu_reg regs[PMU_MAX_REGISTERS];

	switch (what) {
	case DO_START:
		bench_start(b, &b->claim[1]);
		break;
	case DO_STOP:
		bench_stop(b, c);
		break;
	case DO_ATTACH_OTHER:
		bench_attach(b, &b->claim[1]);
		break;
	case DO_DETACH_OTHER:
		bench_detach(b, &b->claim[1]);
		break;
	case DO_DETACH:
		bench_detach(b, c);
		break;
	case DO_OFFLINE:
		bench_offline(b);
		break;
	case DO_TICK:
	case DO_TICK_THROTTLED:
		bench_tick(b, 0);
		break;
	case DO_REFRESH:
		MODEL_AT(knc_refresh_counts(b->hw, b->now));
		break;
	case DO_REGS:
		MODEL_AT(knc_hw_snapshot(regs));
		break;
	default:
		break;
	}
}

/* Check that the reported count is one that claim 0's first event had meanwhile. */
static void expect_within(struct bench *b, u64 told, u64 before)
{
	u64 after = b->model.counted[0] - b->base[0][0];

	KUNIT_EXPECT_GE(b->test, told, before);
	KUNIT_EXPECT_LE(b->test, told, after);
}

/* Operations that report a count while it increases: READ, RESET and a time sample */
static void telling(struct bench *b, enum doing what)
{
	struct knc_claim *c = &b->claim[0];
	u64 before = b->model.counted[0] - b->base[0][0];

	switch (what) {
	case DO_READ:
		expect_within(b, bench_read(b, c).value[0], before);
		break;
	case DO_RESET:
		bench_reset(b, c);
		expect_within(b, c->count[0].base, before);
		break;
	case DO_TIME:
		MODEL_AT(knc_test_time_sample(&b->sampler[0]));
		bench_drain(b, 0);
		expect_within(b, b->tally[0].delta[0], before);
		break;
	default:
		doing(b, what);
		break;
	}
}

static bool with_other(enum doing what)
{
	return what == DO_START || what == DO_ATTACH_OTHER ||
	       what == DO_DETACH_OTHER;
}

/* 2000 consecutive samples are throttled. */
static void make_storm(struct bench *b)
{
	u64 pace = b->model.pace;

	b->model.pace = 0;
	model_run(&b->model, 200000, 200000);
	b->model.pace = pace;
	KUNIT_ASSERT_GT(b->test, b->sampler[0].ring.control->throttles, 0);
	model_run(&b->model, 123, 456);
	/* the storm is over, but no tick has come yet */
	model_pass(&b->model, 11ULL * tsc_khz);
	bench_drain(b, 0);
}

static void prepare(struct bench *b, enum doing what)
{
	struct knc_claim *c;

	memset(&b->hw->stats, 0, sizeof(b->hw->stats));
	b->event[0].flags = 0;
	b->event[1].flags = 0;
	if (what == DO_TICK) {
		b->event[0].flags = KNC_PMU_EVENT_FREQ;
		b->event[1].flags = KNC_PMU_EVENT_FREQ;
	}
	c = bench_sampled(b, 0, 0, 100, with_other(what) ? 0 : 100);
	bench_attach(b, c);
	if (with_other(what))
		bench_claim(b, 1, 1, 1);
	if (what == DO_START || what == DO_DETACH_OTHER)
		bench_attach(b, &b->claim[1]);
	if (what == DO_DETACH_OTHER)
		bench_start(b, &b->claim[1]);
	bench_start(b, c);
	model_run(&b->model, 777, 333);
	if (what == DO_TICK)
		model_pass(&b->model, 1ULL << 34);
	if (what == DO_TICK_THROTTLED)
		make_storm(b);
}

/* After the operation everything goes on as before. */
static void conclude(struct bench *b, enum doing what)
{
	struct knc_claim *c = &b->claim[0];
	u64 zero = 0;

	if (what == DO_DETACH) {
		model_expect_regs(b->test, &b->model, &model_zeros);
		KUNIT_EXPECT_EQ(b->test, b->model.status, 0);
		return;
	}
	if (what == DO_OFFLINE)
		bench_online(b);
	if (what == DO_STOP)
		bench_start(b, c);
	if (what == DO_ATTACH_OTHER)
		bench_start(b, &b->claim[1]);
	if (what == DO_RESET)
		zero = c->count[0].base;
	model_run(&b->model, 5000, 7000);
	bench_tick(b, 0);
	model_run(&b->model, 5000, 7000);
	/* the other counter, which is not sampled, overflows too */
	if (with_other(what) && what != DO_DETACH_OTHER) {
		model_run(&b->model, 0, 3 * model_half(1));
		bench_expect_counts(b, 1);
		bench_detach(b, &b->claim[1]);
	}
	bench_expect_alive(b);
	if (zero || what == DO_RESET)
		KUNIT_EXPECT_EQ(b->test, bench_read(b, c).value[0] + zero,
				b->model.counted[0] - b->base[0][0]);
	else
		bench_expect_counts(b, 0);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* Returns whether @what has an access @at */
static bool disturb(struct bench *b, enum doing what, u32 cntrs, unsigned int at,
		    unsigned int late)
{
	bool reached;

	prepare(b, what);
	b->model.cost = 1;
	model_trip(&b->model, cntrs, at, late);
	telling(b, what);
	reached = !b->model.trip;
	b->model.trip = 0;
	model_deliver(&b->model);
	b->model.late = 0;
	if (what == DO_REFRESH)
		bench_expect_loaded(b);
	conclude(b, what);
	KUNIT_EXPECT_EQ(b->test, b->model.nr_unclaimed, 0);
	KUNIT_EXPECT_EQ(b->test, b->model.nr_violations, 0);
	if (b->test->status == KUNIT_FAILURE)
		kunit_err(b->test, "doing %u, counters %u, %s access %u, late %u",
			  what, cntrs, b->model.trip_after ? "after" : "at", at, late);
	return reached && b->test->status != KUNIT_FAILURE;
}

static void sweep_accesses(struct bench *b, enum doing what, u32 cntrs, unsigned int late)
{
	unsigned int at;

	for (at = 0; disturb(b, what, cntrs, at, late); at++)
		KUNIT_ASSERT_LT(b->test, at, ACCESSES);
	cond_resched();
}

static void sweep(struct kunit *test, enum doing what)
{
	struct bench *b = test->priv;
	unsigned int late;
	u32 cntrs;

	for (cntrs = 1; cntrs < 4; cntrs++) {
		for (late = 0; late < 24; late += 1 + late / 2) {
			sweep_accesses(b, what, cntrs, late);
			if (test->status == KUNIT_FAILURE)
				return;
		}
		/* read values are already outdated */
		b->model.trip_after = true;
		sweep_accesses(b, what, cntrs, 0);
		b->model.trip_after = false;
	}
}

#define SWEEP(name, what)						\
	static void name(struct kunit *test)				\
	{								\
		sweep(test, what);					\
	}

SWEEP(amid_start, DO_START)
SWEEP(amid_stop, DO_STOP)
SWEEP(amid_read, DO_READ)
SWEEP(amid_reset, DO_RESET)
SWEEP(amid_attach, DO_ATTACH_OTHER)
SWEEP(amid_detach_of_another, DO_DETACH_OTHER)
SWEEP(amid_detach, DO_DETACH)
SWEEP(amid_offline, DO_OFFLINE)
SWEEP(amid_tick, DO_TICK)
SWEEP(amid_unthrottle, DO_TICK_THROTTLED)
SWEEP(amid_refresh, DO_REFRESH)
SWEEP(amid_time_sample, DO_TIME)
SWEEP(amid_snapshot, DO_REGS)

/* An overflow in the handler, before it has stopped the counters */
static void amid_handler(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int at;

	for (at = 0; at < 12; at++) {
		prepare(b, DO_NOTHING);
		MODEL_AT(model_trip(&b->model, 1, 0, 0);
			 knc_hw_read_tsc();
			 model_trip(&b->model, 2, at, 0);
			 knc_hw_read_tsc());
		/* one event later, so that both overflows are in one handler */
		MODEL_AT(model_trip(&b->model, 1, 0, 3);
			 knc_hw_read_tsc();
			 model_trip(&b->model, 2, at, 0);
			 knc_hw_read_tsc(); knc_hw_read_tsc();
			 knc_hw_read_tsc(); knc_hw_read_tsc());
		b->model.trip = 0;
		model_deliver(&b->model);
		conclude(b, DO_NOTHING);
		KUNIT_EXPECT_EQ(test, b->model.nr_unclaimed, 0);
	}
}

/*
 * Overflows that interrupt another thread of the core: the status is set, and no interrupt comes
 * here
 */
static void elsewhere(struct bench *b, u64 n0, u64 n1)
{
	b->model.line |= 1u << 31;
	model_jump(&b->model, n0, n1);
	b->model.line = 0;
	KUNIT_ASSERT_FALSE(b->test, b->model.pending);
}

static void look(struct bench *b)
{
	MODEL_AT(knc_test_look());
}

static void told_elsewhere(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 100, 1000));

	look(b);
	KUNIT_EXPECT_EQ(test, b->hw->stats.pmis, 0);
	elsewhere(b, 130, 10);
	KUNIT_ASSERT_EQ(test, b->model.status, 1);
	look(b);
	KUNIT_EXPECT_EQ(test, b->hw->stats.pmis, 1);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 1);
	KUNIT_EXPECT_EQ(test, b->model.regs.ctrl, 3);
	/* the overflow is sampled only once */
	look(b);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 1);
	elsewhere(b, 70, 990);
	look(b);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 3);
	/* this thread's own interrupts are still handled */
	model_run(&b->model, 100, 1000);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 5);
	bench_expect_alive(b);
	bench_expect_counts(b, 0);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
	b->model.status = 3;
	model_log_clear(&b->model);
	look(b);
	KUNIT_EXPECT_EQ(test, b->model.nr_writes, 0);
	b->model.status = 0;
}

/* The thread's own interrupt is pending while its handler looks for overflows. */
static void told_here_too(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 100, 0));

	MODEL_AT(model_trip(&b->model, 1, 0, 1000); knc_hw_read_tsc());
	KUNIT_ASSERT_TRUE(test, b->model.pending);
	look(b);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 0);
	model_deliver(&b->model);
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 1);
	KUNIT_EXPECT_EQ(test, b->hw->stats.spurious, 0);
	b->model.late = 0;
	bench_expect_alive(b);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* An NMI samples when the look begins: samples of the look must not have earlier time stamps. */
static void told_in_order(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 100, 0));

	elsewhere(b, 130, 0);
	b->model.cost = 1;
	/* at the look's first access after its checks, counters that run overflow again */
	model_trip(&b->model, 2, 2, 0);
	b->model.tick = 150;
	look(b);
	b->model.tick = 0;
	KUNIT_EXPECT_EQ(test, b->hw->stats.samples, 1);
	bench_expect_alive(b);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

/* The other counter's interrupt comes at access @at of the look at the status */
static bool look_disturbed(struct bench *b, unsigned int n, unsigned int at,
			   unsigned int late)
{
	bool reached;

	prepare(b, DO_NOTHING);
	elsewhere(b, n ? 0 : 50, n ? 80 : 0);
	KUNIT_EXPECT_EQ(b->test, b->model.status, 1 << n);
	b->model.cost = 1;
	model_trip(&b->model, n ? 1 : 2, at, late);
	look(b);
	reached = !b->model.trip;
	b->model.trip = 0;
	model_deliver(&b->model);
	b->model.late = 0;
	/* an earlier interrupt may have left no overflow for this look */
	look(b);
	conclude(b, DO_NOTHING);
	KUNIT_EXPECT_EQ(b->test, b->model.nr_unclaimed, 0);
	KUNIT_EXPECT_EQ(b->test, b->model.nr_violations, 0);
	if (b->test->status == KUNIT_FAILURE)
		kunit_err(b->test, "counter %u, access %u, late %u", n, at, late);
	return reached && b->test->status != KUNIT_FAILURE;
}

static void amid_look(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int n, at, late;

	for (n = 0; n < 2; n++)
		for (late = 0; late < 24; late += 1 + late / 2)
			for (at = 0; look_disturbed(b, n, at, late); at++)
				KUNIT_ASSERT_LT(test, at, ACCESSES);
}

/*
 * An overflow of another thread interrupts this one: the module claims the interrupt and unmasks
 * the entry.
 */
static void told_of_anothers(struct kunit *test)
{
	struct bench *b = test->priv;

	model_fill(&b->model, &model_others);
	/* this thread has no session */
	MODEL_AT(knc_registers_lend(b->hw));
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	b->model.regs.lvtpc |= MODEL_LVT_MASKED;
	KUNIT_EXPECT_TRUE(test, model_nmi(&b->model));
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	KUNIT_EXPECT_EQ(test, b->hw->stats.spurious, 1);
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 0);
	/* the entry is not masked: this NMI is not the PMU's */
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 1);
	/* a session begins and ends */
	bench_attach(b, bench_claim(b, 0, 0, 1));
	bench_detach(b, &b->claim[0]);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	/* the hardware thread goes offline and comes back */
	bench_offline(b);
	model_expect_regs(test, &b->model, &model_others);
	bench_online(b);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	/* the last interrupt comes when the entry is given back */
	b->model.regs.lvtpc |= MODEL_LVT_MASKED;
	MODEL_AT(knc_registers_unlend(b->hw));
	model_expect_regs(test, &b->model, &model_others);
	KUNIT_EXPECT_TRUE(test, model_nmi(&b->model));
	KUNIT_EXPECT_FALSE(test, model_nmi(&b->model));
}

/* A sibling of this CPU; NULL: none */
static struct knc_hwthread *sibling_of_this(void)
{
	unsigned int cpu, self = raw_smp_processor_id();

	for_each_cpu(cpu, topology_sibling_cpumask(self))
		if (cpu != self)
			return knc_hwthread_of(cpu);
	return NULL;
}

/* Interrupt at access @at while registers are taken; true: that takes fewer accesses */
static bool told_at(struct bench *b, unsigned int at)
{
	u32 ours = b->hw->lvtpc;

	model_fill(&b->model, &model_others);
	b->model.regs.lvtpc = MODEL_LVT_NMI;
	/*
	 * an NMI before the counters are stopped does not stop them, because they are not yet ours
	 */
	b->model.regs.ctrl = 0;
	b->model.nr_stolen = 0;
	b->hw->stats.foreign = 0;
	model_tell(&b->model, at);
	MODEL_AT(knc_registers_lend(b->hw));
	if (b->model.foreign)
		return true;
	KUNIT_EXPECT_EQ_MSG(b->test, b->model.regs.lvtpc, ours, "at %u", at);
	MODEL_AT(knc_registers_unlend(b->hw));
	KUNIT_EXPECT_EQ_MSG(b->test, b->model.regs.lvtpc, MODEL_LVT_NMI, "at %u", at);
	KUNIT_EXPECT_EQ_MSG(b->test, b->model.nr_stolen, !b->model.told, "at %u", at);
	KUNIT_EXPECT_EQ_MSG(b->test, b->hw->stats.foreign, 0, "at %u", at);
	return false;
}

/*
 * A thread comes online, and a sibling's overflow interrupts it while its registers are taken: the
 * owner's entry is restored as it was, and the NMI is claimed.
 */
static void told_when_taken(struct kunit *test)
{
	struct knc_hwthread *sibling = sibling_of_this();
	struct bench *b = test->priv;
	unsigned int at, vector;

	if (!sibling)
		kunit_skip(test, "no other thread in this core");
	for (vector = 0; vector < 2; vector++) {
		if (vector)
			bench_irq(b);
		b->model.beside = vector;
		sibling->attached = 1;
		for (at = 0; at < ACCESSES && !told_at(b, at); at++)
			;
		sibling->attached = 0;
		KUNIT_EXPECT_GT(test, at, 5);
		KUNIT_EXPECT_LT(test, at, ACCESSES);
		MODEL_AT(knc_registers_unlend(b->hw));
		b->model.foreign = false;
		b->model.told = false;
	}
}

/* A CPU comes online without a free vector: its overflow interrupts stay NMIs. */
static void no_vector(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;

	bench_offline(b);
	knc_test_pmi_mode("irq");
	knc_test_vectors(-ENOSPC);
	knc_delivery_online(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, b->hw->lvtpc, MODEL_LVT_NMI);
	bench_online(b);
	c = bench_begin(b, bench_claim(b, 0, 0, 1));
	elsewhere(b, model_half(0), 0);
	KUNIT_EXPECT_TRUE(test, knc_test_nmi_beside(&b->model.pt_regs));
	KUNIT_EXPECT_EQ(test, b->model.status, 0);
	bench_expect_counts(b, 0);
	bench_detach(b, c);

	/* with a vector an NMI is foreign, and the status is left to the vector */
	bench_offline(b);
	knc_test_vectors(0xe1);
	knc_delivery_online(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, b->hw->lvtpc, 0xe1);
	bench_online(b);
	c = bench_begin(b, bench_claim(b, 0, 0, 1));
	elsewhere(b, model_half(0), 0);
	KUNIT_EXPECT_FALSE(test, knc_test_nmi_beside(&b->model.pt_regs));
	KUNIT_EXPECT_EQ(test, b->model.status, 1);
	bench_detach(b, c);
	knc_test_pmi_mode("nmi");
}

/*
 * A sibling's overflow sends an NMI while the entry becomes a vector, and another one after that.
 */
static void nmi_amid_switch(struct kunit *test)
{
	struct knc_hwthread *sibling = sibling_of_this();
	struct bench *b = test->priv;
	u64 spurious, foreign;

	if (!sibling)
		kunit_skip(test, "no other thread in this core");
	bench_irq(b);
	spurious = b->hw->stats.spurious;
	foreign = b->hw->stats.foreign;
	b->hw->late_until = KNC_LATE_SWITCH;
	/* no sibling counts */
	KUNIT_EXPECT_FALSE(test, knc_test_nmi_beside(&b->model.pt_regs));
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, ++foreign);
	sibling->attached = 1;
	KUNIT_EXPECT_TRUE(test, knc_test_nmi_beside(&b->model.pt_regs));
	sibling->attached = 0;
	KUNIT_EXPECT_EQ(test, b->hw->stats.spurious, spurious + 1);
	KUNIT_EXPECT_FALSE(test, knc_test_nmi_beside(&b->model.pt_regs));
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, foreign + 1);
}

static void no_eoi(void *arg)
{
}

/* A vector that finds no overflow reports for a sibling: it is never foreign. */
static void vector_of_sibling(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 1);

	bench_irq(b);
	bench_begin(b, c);
	MODEL_AT(knc_test_irq(&b->model.pt_regs, no_eoi, NULL));
	KUNIT_EXPECT_EQ(test, b->hw->stats.spurious, 1);
	KUNIT_EXPECT_EQ(test, b->hw->stats.foreign, 0);
	model_run(&b->model, 3 * model_half(0), 0);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/* Attach a claim on slot @i; @nmi: its interrupts must be NMIs, otherwise they may be vectors */
static struct knc_claim *delivered(struct bench *b, unsigned int i, bool nmi)
{
	struct knc_claim *c = bench_claim(b, i, i, 1);

	c->nmi = nmi;
	bench_begin(b, c);
	return c;
}

/* NMIs as soon as one claim needs them; vectors again when no remaining claim does */
static void nmi_or_vector(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *user, *other;

	bench_irq(b);
	user = delivered(b, 0, false);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, b->lvtpc);
	other = delivered(b, 1, true);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	bench_detach(b, user);
	user = delivered(b, 0, false);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	model_run(&b->model, 3 * model_half(0), 7 * model_half(1));
	KUNIT_EXPECT_FALSE(test, b->model.pending);
	bench_expect_counts(b, 0);
	bench_expect_counts(b, 1);
	bench_detach(b, other);
	other = delivered(b, 1, false);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, b->lvtpc);
	model_run(&b->model, 3 * model_half(0), 7 * model_half(1));
	bench_expect_counts(b, 0);
	bench_expect_counts(b, 1);
	bench_detach(b, user);
	bench_detach(b, other);
}

/*
 * A vector is pending with interrupts off when NMIs begin: the NMI's handler handles the overflow.
 */
static void nmi_while_vector_waits(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *user, *other;

	bench_irq(b);
	user = delivered(b, 0, false);
	overflow(b, 1);
	KUNIT_EXPECT_TRUE(test, b->model.pending);
	other = delivered(b, 1, true);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI | MODEL_LVT_MASKED);
	model_deliver(&b->model);
	KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	KUNIT_EXPECT_EQ(test, b->model.status, 0);
	model_run(&b->model, 3 * model_half(0), 7 * model_half(1));
	KUNIT_EXPECT_FALSE(test, b->model.pending);
	bench_expect_counts(b, 0);
	bench_expect_counts(b, 1);
	bench_detach(b, user);
	bench_detach(b, other);
}

/* An NMI may be pending: the switch to a vector waits. */
static void vector_while_nmi_waits(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c;
	unsigned int i;

	bench_irq(b);
	bench_detach(b, delivered(b, 0, true));
	for (i = 0; i < 2; i++) {
		c = delivered(b, 1, true);
		if (i)
			b->model.regs.lvtpc |= MODEL_LVT_MASKED;
		else
			b->hw->late_until = b->model.tsc + KNC_LATE_TICKS;
		c->nmi = false;
		bench_detach(b, delivered(b, 0, false));
		KUNIT_EXPECT_TRUE(test, b->hw->nmi);
		b->hw->late_until = 0;
		b->model.regs.lvtpc = MODEL_LVT_NMI;
		bench_detach(b, delivered(b, 0, false));
		KUNIT_EXPECT_EQ(test, b->model.regs.lvtpc, b->lvtpc);
		bench_detach(b, c);
	}
}

/* The entry becomes a vector while a counter runs; a foreign NMI comes, then an overflow. */
static bool switch_disturbed(struct bench *b, unsigned int at, unsigned int apart)
{
	struct knc_claim *running = delivered(b, 1, true), *other;
	bool reached;

	KUNIT_EXPECT_EQ(b->test, b->model.regs.lvtpc, MODEL_LVT_NMI);
	running->nmi = false;
	model_intrude(&b->model, at);
	model_trip(&b->model, 2, at + apart, 1);
	other = delivered(b, 0, false);
	reached = !b->model.trip;
	b->model.trip = 0;
	b->model.foreign = false;
	model_deliver(&b->model);
	b->model.late = 0;
	model_run(&b->model, 3 * model_half(0), 7 * model_half(1));
	KUNIT_EXPECT_FALSE(b->test, b->model.pending);
	bench_expect_counts(b, 0);
	bench_expect_counts(b, 1);
	bench_detach(b, running);
	bench_detach(b, other);
	/* the handler of the foreign NMI may have handled the overflow */
	KUNIT_EXPECT_LE(b->test, b->model.nr_unclaimed, b->model.nr_stolen);
	KUNIT_EXPECT_EQ(b->test, b->model.nr_violations, 0);
	if (b->test->status == KUNIT_FAILURE)
		kunit_err(b->test, "access %u, %u apart", at, apart);
	return reached && b->test->status != KUNIT_FAILURE;
}

static void amid_switch(struct kunit *test)
{
	struct bench *b = test->priv;
	unsigned int at, apart;

	bench_irq(b);
	b->model.beside = true;
	for (apart = 0; apart < 12; apart++)
		for (at = 0; switch_disturbed(b, at, apart); at++)
			KUNIT_ASSERT_LT(test, at, ACCESSES);
}

/* How often are @nr samples throttled that are @pace apart? */
static u64 throttles(struct bench *b, unsigned int nr, u64 pace)
{
	struct knc_claim *c = bench_sampled(b, 0, 0, 100, 0);
	u64 before = b->hw->stats.throttles;
	unsigned int i;

	b->model.pace = 0;
	bench_begin(b, c);
	for (i = 0; i < nr; i++) {
		model_flow(&b->model, 100, 0, pace);
		if (i % 500 == 499) {
			bench_drain(b, 0);
			/* a tick would end throttling */
			knc_storm_tick(b->hw);
		}
	}
	bench_tick(b, 0);
	bench_expect_sums(b, 0);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
	return b->hw->stats.throttles - before;
}

/* A hundred thousand samples a second are throttled, slightly fewer are not. */
static void far_apart(struct kunit *test)
{
	struct bench *b = test->priv;

	KUNIT_EXPECT_EQ(test, throttles(b, 3000, tsc_khz / 10), 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 3000);
	KUNIT_EXPECT_EQ(test, throttles(b, 3000, tsc_khz / 90), 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 3000);
}

/* Above the limit nine tenths of the limit's samples are taken, spread over the time. */
static void above_the_limit(struct kunit *test)
{
	static const unsigned int rates[] = { 110, 125, 200, 1000 };
	struct bench *b = test->priv;
	u64 throttled, samples;
	unsigned int i, odd;

	/* a rate that divides the ticks of a millisecond, and rates that leave a remainder */
	for (i = 0; i < 8 * ARRAY_SIZE(rates); i++) {
		odd = i / ARRAY_SIZE(rates);
		throttled = throttles(b, 6000, tsc_khz / rates[i % ARRAY_SIZE(rates)] + odd);
		samples = b->tally[0].samples[0];
		KUNIT_EXPECT_GE(test, samples, 6000 * 90 / rates[i % ARRAY_SIZE(rates)]);
		KUNIT_EXPECT_LE(test, samples, 6000 * 110 / rates[i % ARRAY_SIZE(rates)]);
		/* one pause in two storms: the next pause may compensate for a late end */
		KUNIT_EXPECT_GE(test, throttled, samples / (5 * KNC_STORM_PMIS / 2));
	}
}

/* The end of a session does not end a storm: the next session continues it. */
static void storm_of_sessions(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 pmis = b->hw->stats.pmis, tsc = b->model.tsc;
	struct knc_claim *c;
	unsigned int i;

	b->model.pace = 0;
	for (i = 0; i < 100; i++) {
		c = bench_begin(b, bench_sampled(b, 0, 0, 1, 0));
		model_flow(&b->model, 100, 0, tsc_khz / 10);
		bench_detach(b, c);
		bench_drain(b, 0);
	}
	pmis = b->hw->stats.pmis - pmis;
	KUNIT_EXPECT_LE(test, pmis * tsc_khz, 120 * (b->model.tsc - tsc));
}

/* A session that existed before the storm starts during it. */
static void storm_before_start(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *first, *next;
	u64 pmis;

	b->model.pace = 0;
	first = bench_sampled(b, 0, 0, 1, 0);
	next = bench_sampled(b, 1, 1, 1, 0);
	bench_attach(b, first);
	bench_attach(b, next);
	bench_start(b, first);
	model_flow(&b->model, 100, 0, tsc_khz / 10);
	bench_detach(b, first);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 1);
	pmis = b->hw->stats.pmis;
	bench_start(b, next);
	model_flow(&b->model, 0, 100, tsc_khz / 10);
	bench_detach(b, next);
	/* 120 samples a millisecond */
	KUNIT_EXPECT_LE(test, b->hw->stats.pmis - pmis, 12);
}

/* Short bursts are no storm: sixty samples, then a pause, repeatedly */
static void in_bursts(struct bench *b)
{
	u64 samples = b->hw->stats.samples;
	unsigned int i;

	b->model.pace = 0;
	for (i = 0; i < 50; i++) {
		model_run(&b->model, 6000, 0);
		model_pass(&b->model, 20ULL * tsc_khz);
		bench_tick(b, 0);
	}
	KUNIT_EXPECT_EQ(b->test, b->hw->stats.throttles, 0);
	KUNIT_EXPECT_EQ(b->test, b->hw->stats.samples - samples, 3000);
	bench_expect_sums(b, 0);
}

static void bursts(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 100, 0));

	in_bursts(b);
	bench_detach(b, c);
}

/* A virtual machine that stands still in the middle of a handler */
static void bursts_after_a_stall(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_begin(b, bench_sampled(b, 0, 0, 100, 0));

	b->model.cost = 100 * tsc_khz;
	model_run(&b->model, 100, 0);
	b->model.cost = 0;
	KUNIT_ASSERT_GE(test, b->hw->stats.handler_max, 300ULL * tsc_khz);
	in_bursts(b);
	bench_detach(b, c);
}

/* Samples as close as possible are throttled soon, and again after each tick; counts are exact */
static void close_together(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_sampled(b, 0, 0, 1, 1);
	struct knc_pmu_ring *page = b->sampler[0].ring.control;
	unsigned int i;

	b->model.pace = 0;
	bench_begin(b, c);
	for (i = 1; i < 10; i++) {
		u64 pmis = b->hw->stats.pmis;

		model_run(&b->model, 2000, 3000);
		KUNIT_EXPECT_LT(test, b->hw->stats.pmis - pmis, 1000);
		KUNIT_EXPECT_GE(test, page->throttles, i);
		bench_drain(b, 0);
		bench_expect_counts(b, 0);
		bench_tick(b, 0);
		bench_expect_sums(b, 0);
	}
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, page->throttles);
	KUNIT_EXPECT_EQ(test, b->tally[0].records[KNC_PMU_RECORD_THROTTLE],
			page->throttles);
	KUNIT_EXPECT_EQ(test, b->tally[0].records[KNC_PMU_RECORD_UNTHROTTLE],
			page->throttles);
	KUNIT_EXPECT_EQ(test, b->tally[0].unsampled[0], page->unsampled[0]);
	KUNIT_EXPECT_EQ(test, b->tally[0].unsampled[1], page->unsampled[1]);
	KUNIT_EXPECT_GT(test, page->unsampled[0], 0);
	bench_expect_alive(b);
	bench_detach(b, c);
}

/* Sample every event, @pace apart */
static struct knc_claim *begin_storm(struct bench *b, u64 pace)
{
	struct knc_claim *c = bench_sampled(b, 0, 0, 1, 0);

	b->model.pace = pace;
	bench_begin(b, c);
	return c;
}

/* Check that samples were throttled, and that the count is exact. */
static void end_storm(struct bench *b, struct knc_claim *c)
{
	bench_tick(b, 0);
	bench_expect_sums(b, 0);
	bench_expect_counts(b, 0);
	bench_detach(b, c);
}

/* Handlers that take far longer than the limit allows, as long call chains may need */
static void close_and_long(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = begin_storm(b, 0);

	b->model.cost = 20 * b->hw->storm.gap;
	model_run(&b->model, 200, 0);
	b->model.cost = 0;
	KUNIT_EXPECT_GE(test, b->hw->stats.throttles, 1);
	end_storm(b, c);
}

/*
 * Interrupts at twice the distance of a storm are a storm too if no tick comes. Until 2000 ticks
 * have passed, interrupts at this distance continue the storm at once.
 */
static void no_tick(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = begin_storm(b, 2 * b->hw->storm.gap);
	unsigned int i;

	model_run(&b->model, 100 * (u64)tsc_khz / b->model.pace - 10, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 0);
	model_run(&b->model, 2 * KNC_STORM_CHECK_EVERY, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 1);
	bench_drain(b, 0);
	bench_tick(b, 0);
	model_run(&b->model, KNC_STORM_CHECK_EVERY, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 2);
	bench_drain(b, 0);
	for (i = 0; i < 2000; i++)
		bench_tick(b, 0);
	model_run(&b->model, KNC_STORM_CHECK_EVERY, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 2);
	end_storm(b, c);
}

/* If ticks come, interrupts at this distance are no storm */
static void with_ticks(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = begin_storm(b, 2 * b->hw->storm.gap);
	unsigned int i;

	for (i = 0; i < 100; i++) {
		model_run(&b->model, 100, 0);
		bench_drain(b, 0);
		bench_tick(b, 0);
	}
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 0);
	KUNIT_EXPECT_GT(test, b->model.tsc, 100 * (u64)tsc_khz);
	end_storm(b, c);
}

/* Another thread is interrupted for each overflow: such samples are throttled too. */
static void close_elsewhere(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = begin_storm(b, 0);
	unsigned int i;

	for (i = 0; i < 200; i++) {
		elsewhere(b, 1, 0);
		look(b);
	}
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 1);
	KUNIT_EXPECT_LT(test, b->hw->stats.samples, 100);
	end_storm(b, c);
}

/* An overflow between the two writes of knc_claim_halt(); afterwards the counters run as before */
static void close_while_halting(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = begin_storm(b, 0);

	b->hw->started &= ~c->cntrs;
	model_run(&b->model, 200, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 1);
	b->hw->started |= c->cntrs;
	end_storm(b, c);
}

/* A claim without samples is never throttled. */
static void counting_is_not_throttled(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_claim(b, 0, 0, 2);
	unsigned int i;

	b->model.cost = 10;
	bench_begin(b, c);
	for (i = 0; i < 500; i++)
		overflow(b, 1 + i % 3);
	KUNIT_EXPECT_EQ(test, b->hw->stats.pmis, 500);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 0);
	bench_expect_counts(b, 0);
	bench_expect_alive(b);
	bench_detach(b, c);
}

/* A reset hardware thread begins with time 0: no sample is close to another. */
static void time_goes_back(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_sampled(b, 0, 0, 100, 0);
	unsigned int i;

	b->model.cost = 10;
	bench_begin(b, c);
	for (i = 0; i < 200; i++)
		model_run(&b->model, 100, 0);
	bench_stop(b, c);
	bench_offline(b);
	b->model.tsc = 0;
	bench_drain(b, 0);
	b->tally[0].tsc = 0;
	knc_delivery_online(raw_smp_processor_id());
	bench_online(b);
	bench_start(b, c);
	for (i = 0; i < 200; i++)
		model_run(&b->model, 100, 0);
	KUNIT_EXPECT_EQ(test, b->hw->stats.throttles, 0);
	bench_expect_sums(b, 0);
	bench_detach(b, c);
}

static void accounting(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_claim *c = bench_sampled(b, 0, 0, 100, 0);
	struct knc_pmu_stats *stats = &b->hw->stats;
	unsigned int i;
	u64 max;

	b->model.cost = 7;
	bench_begin(b, c);
	for (i = 0; i < 50; i++)
		model_run(&b->model, 100, 0);
	KUNIT_EXPECT_EQ(test, stats->pmis, 50);
	KUNIT_EXPECT_EQ(test, stats->samples, 50);
	KUNIT_EXPECT_EQ(test, stats->lost, 0);
	KUNIT_EXPECT_EQ(test, stats->handler_total, 50 * stats->handler_max);
	KUNIT_EXPECT_GE(test, stats->handler_max, 4 * 7);
	max = stats->handler_max;
	b->model.cost = 70;
	model_run(&b->model, 100, 0);
	b->model.cost = 7;
	KUNIT_EXPECT_EQ(test, stats->handler_max, 10 * max);
	KUNIT_EXPECT_EQ(test, stats->handler_total, 60 * max);
	bench_detach(b, c);
}

/* Cases that both PMUs have */
#define PMI_CASES							\
	KUNIT_CASE(seven_steps),	\
	KUNIT_CASE(seven_steps_irq),	\
	KUNIT_CASE(status_not_owned),	\
	KUNIT_CASE(foreign),	\
	KUNIT_CASE(late_after_detach),	\
	KUNIT_CASE(too_late_after_detach),	\
	KUNIT_CASE(none_late_after_detach),	\
	KUNIT_CASE(late_beside_another),	\
	KUNIT_CASE(editing),	\
	KUNIT_CASE(amid_start),	\
	KUNIT_CASE(amid_stop),	\
	KUNIT_CASE(amid_read),	\
	KUNIT_CASE(amid_reset),	\
	KUNIT_CASE(amid_attach),	\
	KUNIT_CASE(amid_detach_of_another),	\
	KUNIT_CASE(amid_detach),	\
	KUNIT_CASE(amid_offline),	\
	KUNIT_CASE(amid_tick),	\
	KUNIT_CASE(amid_unthrottle),	\
	KUNIT_CASE(amid_refresh),	\
	KUNIT_CASE(amid_time_sample),	\
	KUNIT_CASE(amid_snapshot),	\
	KUNIT_CASE(amid_handler),	\
	KUNIT_CASE(told_elsewhere),	\
	KUNIT_CASE(told_here_too),	\
	KUNIT_CASE(told_in_order),	\
	KUNIT_CASE(amid_look),	\
	KUNIT_CASE(told_of_anothers),	\
	KUNIT_CASE(no_vector),	\
	KUNIT_CASE(nmi_amid_switch),	\
	KUNIT_CASE(vector_of_sibling),	\
	KUNIT_CASE(told_when_taken),	\
	KUNIT_CASE(nmi_or_vector),	\
	KUNIT_CASE(nmi_while_vector_waits),	\
	KUNIT_CASE(vector_while_nmi_waits),	\
	KUNIT_CASE(amid_switch),	\
	KUNIT_CASE(far_apart),	\
	KUNIT_CASE(bursts),	\
	KUNIT_CASE(bursts_after_a_stall),	\
	KUNIT_CASE(close_together),	\
	KUNIT_CASE(close_and_long),	\
	KUNIT_CASE(no_tick),	\
	KUNIT_CASE(with_ticks),	\
	KUNIT_CASE(close_elsewhere),	\
	KUNIT_CASE(close_while_halting),	\
	KUNIT_CASE(counting_is_not_throttled),	\
	KUNIT_CASE(above_the_limit),		\
	KUNIT_CASE(storm_of_sessions),		\
	KUNIT_CASE(storm_before_start),		\
	KUNIT_CASE(time_goes_back),	\
	KUNIT_CASE(accounting)

static struct kunit_case pmi_cases[] = {
	PMI_CASES,
	KUNIT_CASE(modes),
	{}
};

static struct kunit_case pmi_wide_cases[] = {
	PMI_CASES,
	{}
};

KNC_SUITE(pmi, bench_init, bench_exit);

KNC_SUITE(pmi_wide, bench_init_wide, bench_exit);

kunit_test_suites(&pmi_suite, &pmi_wide_suite);
