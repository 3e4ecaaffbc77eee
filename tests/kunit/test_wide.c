// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions on hardware threads and on tasks, with the seven counters of the wide PMU (wide.c). The
 * suites *_wide test the layers below sessions.
 */
#include <linux/bitops.h>
#include <linux/kthread.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <knc_pmu.h>

#include "abi/query.h"
#include "hwthread_fixture.h"
#include "task/target.h"
#include "task_fixture.h"
#include "units.h"

#define INHERIT	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT)
#define ON_EXEC	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_ON_EXEC)
#define PAGE	(KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_RDPMC)

/* All counters, and those whose numbers Knights Corner lacks */
#define ALL	7
#define OTHERS	5

/* An event for each counter; only the last three can use 32 to 34. */
static const struct {
	u64 code;
	unsigned int counter;
} events[ALL] = {
	{ 0xbeef, 0 }, { 0xbeef, 1 }, { 0xbeef, 2 }, { 0xbeef, 3 },
	{ 0x00c0, 32 }, { 0x003c, 33 }, { 0x013c, 34 },
};

/* Configure session @i for @nr events, beginning with @first. */
static int config(struct stage *st, unsigned int i, unsigned int first, unsigned int nr)
{
	struct knc_event e[ALL] = { };
	unsigned int k;

	for (k = 0; k < nr; k++) {
		e[k].event = events[first + k].code;
		e[k].counters = 1ULL << events[first + k].counter;
		e[k].flags = KNC_PMU_EVENT_USR;
	}
	return stage_config_events(st, i, cpumask_of(st->last), e, nr, 0);
}

/* A session has all counters: another one gets none, and the first may use RESET_REGISTERS. */
static void threads(struct kunit *test)
{
	struct stage *st = ((struct cast *)test->priv)->st;
	struct model *m = model_of(st->last);
	unsigned int i;
	s32 pid;

	KUNIT_ASSERT_EQ(test, 0, config(st, 1, 0, 2));
	KUNIT_EXPECT_EQ(test, -EBUSY, knc_session_reset(st->session[1], true));
	stage_destroy(st, 1);
	KUNIT_ASSERT_EQ(test, 0, config(st, 0, 0, ALL));
	knc_session_start(st->session[0]);
	for (i = 0; i < ALL; i++) {
		KUNIT_EXPECT_EQ(test, 1, knc_session_owner(st->last, events[i].counter, &pid));
		KUNIT_EXPECT_EQ(test, -EBUSY, config(st, 1, i, 1));
		KUNIT_EXPECT_EQ(test, st->why.counter, events[i].counter);
		stage_destroy(st, 1);
		model_slot_run(m, model_slot(events[i].counter), 100 + i);
	}
	stage_read(st, 0);
	for (i = 0; i < ALL; i++)
		KUNIT_EXPECT_EQ(test, st->record[0].value[i], 100 + i);
	KUNIT_EXPECT_EQ(test, 0, knc_session_reset(st->session[0], true));
	stage_destroy(st, 0);
	st->not_restored = true;
	stage_expect_forgotten(st, st->last);
}

/* READ on its own hardware thread has a separate path. */
static void thread_here(struct kunit *test)
{
	struct cast *c = test->priv;
	struct stage *st = c->st;
	unsigned int i;

	st->last = c->here;
	KUNIT_ASSERT_EQ(test, 0, config(st, 0, 0, ALL));
	st->last = c->there;
	knc_session_start(st->session[0]);
	for (i = 0; i < ALL; i++)
		model_slot_run(model_of(c->here), model_slot(events[i].counter), 100 + i);
	stage_read(st, 0);
	for (i = 0; i < ALL; i++)
		KUNIT_EXPECT_EQ(test, st->record[0].value[i], 100 + i);
}

/* The model's slot for event @i of OTHERS, the last events */
static unsigned int other_slot(unsigned int i)
{
	return model_slot(events[ALL - OTHERS + i].counter);
}

/* Put a follow's events on counters 2, 3 and 32 to 34. */
static void on_others(struct cast *c, struct knc_follow *f)
{
	struct knc_claim *claim = &f->claim;
	unsigned int i, slot;

	claim->cntrs = 0;
	for (i = 0; i < OTHERS; i++) {
		slot = other_slot(i);
		claim->count[i].counter = model_number(slot);
		claim->count[i].read_index = pmu_read_index(claim->count[i].counter);
		claim->count[i].evtsel = bench_evtsel(0, slot);
		claim->count[i].left = model_half(slot);
		claim->cntrs |= 1ULL << model_number(slot);
	}
	claim->owned = claim->cntrs;
	f->excluded = claim->cntrs;
}

static struct knc_follow *follow(struct cast *c, u32 flags)
{
	c->prepare = on_others;
	return cast_follow(c, 0, flags, c->task[0], 0, OTHERS);
}

/* Run @n of the first event, 2 * @n of the second ...; @overflow: with one overflow more of each */
static void run(unsigned int cpu, u64 n, bool overflow)
{
	unsigned int i, slot;

	for (i = 0; i < OTHERS; i++) {
		slot = other_slot(i);
		model_slot_run(model_of(cpu), slot, (i + 1) * n + overflow * model_half(slot));
	}
}

static void expect(struct cast *c, u64 n, unsigned int overflows)
{
	struct knc_pmu_thread r = cast_read(c, 0);
	unsigned int i, slot;

	for (i = 0; i < OTHERS; i++) {
		slot = other_slot(i);
		KUNIT_EXPECT_EQ_MSG(c->test, r.value[i], (i + 1) * n + overflows * model_half(slot),
				    "event %u", i);
	}
}

/*
 * Switches from a task to its child, on which the counters run on; to no task; to another hardware
 * thread
 */
static void tasks(struct kunit *test)
{
	struct cast *c = test->priv;

	knc_follow_start(follow(c, INHERIT));
	cast_switch(c->here, c->task[0]);
	run(c->here, 1, true);
	cast_fork(c->here, c->task[1]);
	cast_switch(c->here, c->task[1]);
	run(c->here, 20, true);
	cast_switch(c->here, NULL);
	cast_expect_empty(c, c->here);
	run(c->here, 5000, false);
	cast_switch(c->there, c->task[0]);
	run(c->there, 300, false);
	expect(c, 321, 2);
	cast_end(c->there);
	KUNIT_EXPECT_EQ(test, knc_test_nr_tasks(), 1);
	expect(c, 321, 2);
}

static void starts_on_exec(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f = follow(c, ON_EXEC);

	cast_switch(c->here, c->task[0]);
	run(c->here, 5000, false);
	cast_exec(c->here, false);
	KUNIT_EXPECT_TRUE(test, f->started);
	run(c->here, 7, false);
	expect(c, 7, 0);
}

/* RDPMC's value, sign-extended from the page's width, plus the page's offset is the count. */
static void page(struct kunit *test)
{
	struct cast *c = test->priv;
	struct knc_follow *f = follow(c, PAGE);
	struct model *m = model_of(c->here);
	unsigned int i, slot;

	knc_follow_start(f);
	cast_switch(c->here, c->task[0]);
	run(c->here, 9, true);
	for (i = 0; i < OTHERS; i++) {
		slot = other_slot(i);
		KUNIT_EXPECT_EQ(test, f->page->offset[i] +
				sign_extend64(m->regs.perfcntr[slot], f->page->width - 1),
				9 * (i + 1) + model_half(slot));
	}
}

/* INFO */
static void info(struct kunit *test)
{
	struct {
		struct knc_pmu_info info;
		struct knc_pmu_desc desc;
	} __user *to = stage_user_buffer(), got;

	memset(&got, 0, sizeof(got));
	got.info.pmus.entries = (unsigned long)&to->desc;
	got.info.pmus.nr = 1;
	got.info.pmus.size = sizeof(got.desc);
	kthread_use_mm(stage_user_mm());
	KUNIT_EXPECT_EQ(test, 0, copy_to_user(to, &got, sizeof(got)));
	KUNIT_EXPECT_GE(test, knc_query_ioctl_info(&to->info, KNC_PMU_IOC_INFO), 1);
	KUNIT_EXPECT_EQ(test, 0, copy_from_user(&got, to, sizeof(got)));
	kthread_unuse_mm(stage_user_mm());
	KUNIT_EXPECT_STREQ(test, got.desc.name, "wide");
	KUNIT_EXPECT_EQ(test, got.desc.counters, 0x70000000fULL);
	KUNIT_EXPECT_EQ(test, got.desc.nr_counters, 4);
	KUNIT_EXPECT_EQ(test, got.desc.width, 48);
	KUNIT_EXPECT_EQ(test, got.desc.nr_fixed, 3);
	KUNIT_EXPECT_EQ(test, got.desc.fixed_width, 48);
	KUNIT_EXPECT_FALSE(test, got.desc.features & KNC_PMU_FEATURE_SPFLT);
}

static struct kunit_case wide_cases[] = {
	KUNIT_CASE(threads),
	KUNIT_CASE(thread_here),
	KUNIT_CASE(tasks),
	KUNIT_CASE(starts_on_exec),
	KUNIT_CASE(page),
	KUNIT_CASE(info),
	{}
};

STAGE_SUITE(wide, cast_init_wide, cast_exit);

kunit_test_suite(wide_suite);
