// SPDX-License-Identifier: GPL-2.0
/* The rate of the time stamp counter */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include <asm/tsc.h>

#include "count/clock.h"
#include "model.h"
#include "units.h"

/**
 * struct workshop - a time stamp counter and a clock
 * @model: the registers
 * @now: CLOCK_MONOTONIC
 */
struct workshop {
	struct model model;
	u64 now;
};

static void forget(void)
{
	preempt_disable();
	knc_test_measure_end();
	preempt_enable();
}

static int workshop_init(struct kunit *test)
{
	struct workshop *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	test->priv = w;
	w->now = NSEC_PER_SEC;
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	model_use(&w->model);
	w->model.tsc = 1ULL << 41;
	forget();
	return 0;
}

static void workshop_exit(struct kunit *test)
{
	forget();
	model_leave();
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* Let @us pass; the counter runs at @thousandths of its rate at boot */
static void pass(struct workshop *w, u64 us, unsigned int thousandths)
{
	unsigned long flags;

	w->now += us * NSEC_PER_USEC;
	model_pass(&w->model, us * tsc_khz / 1000 * thousandths / 1000);
	local_irq_save(flags);
	knc_test_measure(w->now);
	local_irq_restore(flags);
}

static void expect_rate(struct kunit *test, unsigned int thousandths)
{
	u64 want = (u64)tsc_khz * thousandths / 1000;

	KUNIT_EXPECT_GE(test, knc_clock_khz(), want - want / 1000);
	KUNIT_EXPECT_LE(test, knc_clock_khz(), want + want / 1000);
}

static void rates(struct kunit *test)
{
	static const unsigned int thousandths[] = { 500, 2000, 990, 1000, 1010, 700 };
	struct workshop *w = test->priv;
	unsigned int i;

	/* the first reading has no earlier one to compare with */
	pass(w, 100000, 500);
	expect_rate(test, 1000);
	for (i = 0; i < ARRAY_SIZE(thousandths); i++) {
		pass(w, 100000, thousandths[i]);
		expect_rate(test, thousandths[i]);
	}
}

/* A slew by NTP, or a late reading, does not change the rate. */
static void same_rate(struct kunit *test)
{
	struct workshop *w = test->priv;

	pass(w, 100000, 1000);
	pass(w, 100000, 500);
	pass(w, 100000, 1005);
	KUNIT_EXPECT_EQ(test, knc_clock_khz(), tsc_khz);
	pass(w, 100000, 995);
	KUNIT_EXPECT_EQ(test, knc_clock_khz(), tsc_khz);
}

/* A short interval gives no rate: it becomes a part of the next interval. */
static void too_short(struct kunit *test)
{
	struct workshop *w = test->priv;

	pass(w, 100000, 1000);
	pass(w, 100000, 500);
	pass(w, 1000, 3000);
	expect_rate(test, 500);
	pass(w, 9000, 500);
	expect_rate(test, 750);
}

/* After too long an interval there is no rate either. */
static void too_long(struct kunit *test)
{
	struct workshop *w = test->priv;

	pass(w, 100000, 1000);
	pass(w, 100000, 500);
	pass(w, 2000 * USEC_PER_SEC, 1000);
	expect_rate(test, 500);
	pass(w, 100000, 1000);
	expect_rate(test, 1000);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(rates),
	KUNIT_CASE(same_rate),
	KUNIT_CASE(too_short),
	KUNIT_CASE(too_long),
	{}
};

KNC_SUITE(clock, workshop_init, workshop_exit);

kunit_test_suite(clock_suite);
