// SPDX-License-Identifier: GPL-2.0
/* Sessions: which session has which counter, and what all hardware threads count */
#include <linux/delay.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <asm/nmi.h>

#include <knc/registers.h>

#include "abi/query.h"
#include "count/hwthread.h"
#include "fakes.h"
#include "rdpmc/grants.h"
#include "seed.h"
#include "session_fixture.h"
#include "units.h"

static s32 own_pid(void)
{
	return task_tgid_nr(current);
}

static void expect_owner(struct stage *st, unsigned int cpu, unsigned int n,
			 s32 want)
{
	s32 pid = -1;
	int ret = knc_session_owner(cpu, n, &pid);

	KUNIT_EXPECT_EQ_MSG(st->test, ret, want ? 1 : 0, "CPU %u counter %u",
			    cpu, n);
	KUNIT_EXPECT_EQ(st->test, pid, want);
}

static void expect_busy(struct stage *st, u32 reason, u32 event,
			unsigned int cpu, s32 pid)
{
	s32 owner;

	KUNIT_EXPECT_EQ(st->test, st->why.reason, reason);
	KUNIT_EXPECT_EQ(st->test, 1, knc_session_owner(cpu, st->why.counter,
						       &owner));
	KUNIT_EXPECT_EQ(st->test, owner, pid);
	KUNIT_EXPECT_EQ(st->test, st->why.event, event);
	KUNIT_EXPECT_EQ(st->test, st->why.cpu, cpu);
	KUNIT_EXPECT_EQ(st->test, st->why.pid, pid);
}

static void config_programs_all(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 2 };
	unsigned int cpu;

	placing_set(&p, 0, &stage_any, 0);
	placing_set(&p, 1, &stage_only_0, 0);
	p.e[0].cmask = 3;
	p.e[0].flags |= KNC_PMU_EVENT_INV | KNC_PMU_EVENT_SPFLT;
	KUNIT_ASSERT_EQ(test, 0, stage_config(st, 0, cpu_online_mask, &p,
					      KNC_PMU_CONFIG_USER_PREF));
	KUNIT_EXPECT_EQ(test, p.e[0].counter, 1);
	KUNIT_EXPECT_EQ(test, p.e[1].counter, 0);
	for_each_online_cpu(cpu) {
		const struct model_regs want = {
			.perfcntr = { MODEL_HALF, MODEL_HALF },
			.perfevtsel = { 0x005110cb, 0x03d10016 },
			.spflt = MODEL_USER_PREF | 2,
			.lvtpc = MODEL_LVT_NMI,
		};

		model_expect_regs(test, model_of(cpu), &want);
	}
}

static void owners(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int cpu;

	expect_owner(st, st->last, 0, 0);
	stage_claim(st, 0, cpumask_of(st->last), 1);
	stage_claim(st, 1, cpu_online_mask, 1);
	for_each_online_cpu(cpu) {
		expect_owner(st, cpu, 0, cpu == st->last ? own_pid() : 0);
		expect_owner(st, cpu, 1, own_pid());
	}
	KUNIT_EXPECT_EQ(test, knc_session_number(), 2);
	stage_destroy(st, 1);
	for_each_online_cpu(cpu) {
		expect_owner(st, cpu, 0, cpu == st->last ? own_pid() : 0);
		expect_owner(st, cpu, 1, 0);
	}
	KUNIT_EXPECT_EQ(test, knc_session_number(), 1);
}

static void owner_of_nothing(struct kunit *test)
{
	s32 pid;

	KUNIT_EXPECT_EQ(test, knc_session_owner(0, 2, &pid), -ENXIO);
	KUNIT_EXPECT_EQ(test, knc_session_owner(nr_cpu_ids, 0, &pid), -ENXIO);
	KUNIT_EXPECT_EQ(test, knc_session_owner(~0, 0, &pid), -ENXIO);
}

/* Counter 0 of one CPU is busy: an event that needs counter 0 is refused on many CPUs */
static void busy_counter_0(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };

	stage_claim(st, 0, cpumask_of(st->last), 1);
	placing_set(&p, 0, &stage_only_0, 0);
	KUNIT_EXPECT_EQ(test, stage_config(st, 1, cpu_online_mask, &p, 0),
			-EBUSY);
	expect_busy(st, KNC_PMU_REASON_BUSY, 0, st->last, own_pid());
	KUNIT_EXPECT_EQ(test, knc_session_number(), 1);
	expect_owner(st, st->first, 0, 0);
	/* a refused session can be configured again */
	KUNIT_EXPECT_EQ(test, 0, stage_config(st, 1, cpumask_of(st->first),
					      &p, 0));
	stage_destroy(st, 0);
	KUNIT_EXPECT_EQ(test, 0, stage_config(st, 2, cpumask_of(st->last), &p,
					      0));
}

static void busy_both(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };

	stage_claim(st, 0, cpu_online_mask, 2);
	placing_set(&p, 0, &stage_any, 0);
	KUNIT_EXPECT_EQ(test, stage_config(st, 1, cpu_online_mask, &p, 0),
			-EBUSY);
	expect_busy(st, KNC_PMU_REASON_BUSY, 0, st->first, own_pid());
}

/* Different counters are taken on different CPUs: no counter is free on all of them. */
static void busy_here_and_there(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };

	stage_claim(st, 0, cpumask_of(st->first), 1);
	placing_set(&p, 0, &stage_any, 2);
	KUNIT_ASSERT_EQ(test, 0, stage_config(st, 1, cpumask_of(st->last), &p,
					      0));
	placing_set(&p, 0, &stage_any, 0);
	KUNIT_EXPECT_EQ(test, stage_config(st, 2, cpu_online_mask, &p, 0),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_BUSY);
}

/* The refusal names the event that needs the taken counter. */
static void busy_for_the_choosy_one(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 2 };
	unsigned int choosy;

	stage_claim(st, 0, cpu_online_mask, 1);
	for (choosy = 0; choosy < 2; choosy++) {
		placing_set(&p, choosy, &stage_only_0, 0);
		placing_set(&p, !choosy, &stage_any, 0);
		KUNIT_EXPECT_EQ(test, -EBUSY,
				stage_config(st, 1, cpu_online_mask, &p, 0));
		expect_busy(st, KNC_PMU_REASON_BUSY, choosy, st->first,
			    own_pid());
	}
}

/* Another process */
struct foreigner {
	struct work_struct work;
	struct stage *st;
	struct placing p;
	s32 pid;
	int err;
};

static void foreign_config(struct work_struct *work)
{
	struct foreigner *f = container_of(work, struct foreigner, work);

	f->pid = own_pid();
	f->err = stage_config(f->st, 0, cpu_online_mask, &f->p, 0);
}

/* Another process configures session 0; returns its pid. */
static s32 stage_foreigner(struct stage *st, const struct placing *p)
{
	struct foreigner f = { .st = st, .p = *p };

	INIT_WORK_ONSTACK(&f.work, foreign_config);
	schedule_work(&f.work);
	flush_work(&f.work);
	destroy_work_on_stack(&f.work);
	KUNIT_ASSERT_EQ(st->test, f.err, 0);
	KUNIT_ASSERT_NE(st->test, f.pid, own_pid());
	return f.pid;
}

static void busy_names_the_process(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };
	s32 pid;

	placing_set(&p, 0, &stage_only_0, 0);
	pid = stage_foreigner(st, &p);
	KUNIT_EXPECT_EQ(test, stage_config(st, 1, cpu_online_mask, &p, 0),
			-EBUSY);
	expect_busy(st, KNC_PMU_REASON_BUSY, 0, st->first, pid);
	expect_owner(st, st->last, 0, pid);
}

static void busy_spflt(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };
	s32 pid;

	placing_set(&p, 0, &stage_any, 0);
	p.e[0].flags |= KNC_PMU_EVENT_SPFLT;
	pid = stage_foreigner(st, &p);
	KUNIT_EXPECT_EQ(test, -EBUSY, stage_config(st, 1, cpumask_of(st->last),
						   &p, 0));
	KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_SPFLT_BUSY);
	KUNIT_EXPECT_EQ(test, st->why.cpu, st->last);
	KUNIT_EXPECT_EQ(test, st->why.pid, pid);
	/* without the gate there is room */
	p.e[0].flags = KNC_PMU_EVENT_USR;
	KUNIT_EXPECT_EQ(test, 0, stage_config(st, 1, cpumask_of(st->last), &p,
					      0));
}

/* A session without SPFLT does not prevent others from using SPFLT. */
static void spflt_beside_plain(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };

	stage_claim(st, 0, cpu_online_mask, 1);
	placing_set(&p, 0, &stage_any, 0);
	p.e[0].flags |= KNC_PMU_EVENT_SPFLT;
	KUNIT_EXPECT_EQ(test, stage_config(st, 1, cpu_online_mask, &p, 0), 0);
}

/*
 * The kernel has a counter when the first session prepares the takeover, and when a later session
 * asks.
 */
static void busy_kernel(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };
	unsigned int i;
	int err;

	placing_set(&p, 0, &stage_any, 0);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_TRUE(test, reserve_perfctr_nmi(MODEL_PERFCNTR));
		err = stage_config(st, 0, cpu_online_mask, &p, 0);
		release_perfctr_nmi(MODEL_PERFCNTR);
		KUNIT_EXPECT_EQ(test, err, -EBUSY);
		KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_PMU_RESERVED);
		KUNIT_EXPECT_EQ(test, knc_session_number(), 0);
		expect_owner(st, st->first, 0, 0);
		KUNIT_ASSERT_EQ(test, stage_config(st, 0, cpu_online_mask, &p, 0), 0);
		stage_destroy(st, 0);
		/* perf asks, so that no counter is kept in the next round */
		KUNIT_ASSERT_TRUE(test, knc_test_ask(false));
	}
}

/* The kernel gets no counter while there is a session, and gets one at once after the last. */
static void reserved_for_sessions(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int evtsel;

	for (evtsel = 0; evtsel < 2; evtsel++) {
		stage_claim(st, 0, cpu_online_mask, 1);
		stage_claim(st, 1, cpu_online_mask, 1);
		stage_destroy(st, 0);
		KUNIT_EXPECT_FALSE(test, knc_test_ask(evtsel));
		stage_destroy(st, 1);
		KUNIT_EXPECT_TRUE(test, knc_test_reserved());
		KUNIT_EXPECT_TRUE(test, knc_test_ask(evtsel));
		KUNIT_EXPECT_FALSE(test, knc_test_reserved());
	}
}

/* If no other user asks, the counters are kept for a while after the last session. */
static void kept_for_a_while(struct kunit *test)
{
	struct stage *st = test->priv;

	stage_claim(st, 0, cpu_online_mask, 1);
	stage_destroy(st, 0);
	knc_test_later(KNC_TEST_KEEP - 1);
	KUNIT_EXPECT_TRUE(test, knc_test_reserved());
	stage_claim(st, 0, cpu_online_mask, 1);
	/* the first session's time is over */
	knc_test_later(1);
	KUNIT_EXPECT_FALSE(test, knc_test_ask(false));
	stage_destroy(st, 0);
	knc_test_later(KNC_TEST_KEEP - 1);
	KUNIT_EXPECT_TRUE(test, knc_test_reserved());
	knc_test_later(1);
	KUNIT_EXPECT_FALSE(test, knc_test_reserved());
}

/* Only the counters are kept, not the registers: another user can program them at once. */
static void keeps_no_register(struct kunit *test)
{
	struct stage *st = test->priv;
	struct model_regs before;
	unsigned int cpu;

	stage_claim(st, 0, cpu_online_mask, 2);
	stage_destroy(st, 0);
	KUNIT_EXPECT_TRUE(test, knc_test_reserved());
	for_each_online_cpu(cpu) {
		before = stage_before(cpu);
		model_expect_regs(test, model_of(cpu), &before);
		KUNIT_EXPECT_FALSE(test, knc_hwthread_of(cpu)->taken);
	}
}

/* If the kernel does not report requests, counters are kept only if sessions end too often. */
static void kept_unwatched(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int i;

	knc_test_unwatched = true;
	knc_test_give_backs(2);
	for (i = 0; i < 3; i++) {
		stage_claim(st, 0, cpu_online_mask, 1);
		stage_destroy(st, 0);
		KUNIT_EXPECT_EQ(test, knc_test_reserved(), i == 2);
	}
	knc_test_later(KNC_TEST_DELAY);
	KUNIT_EXPECT_FALSE(test, knc_test_reserved());
	knc_test_unwatched = false;
}

/*
 * A user who opens sessions in a loop, and uses perf in between, causes a takeover each time, which
 * costs time on all hardware threads: therefore the rate is limited.
 */
static void kept_in_a_storm(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int i;

	knc_test_give_backs(2);
	for (i = 0; i < 3; i++) {
		stage_claim(st, 0, cpu_online_mask, 1);
		stage_destroy(st, 0);
		/* the third request is refused */
		KUNIT_EXPECT_EQ(test, knc_test_ask(false), i < 2);
	}
	knc_test_later(HZ);
	KUNIT_EXPECT_TRUE(test, knc_test_ask(false));
}

/*
 * The first session checks all processes for inherited permissions of perf, without holding the
 * lock of all claims; later sessions check none.
 */
static void looks_at_processes_once(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int i, first = 0;

	knc_test_give_backs(KNC_TEST_GIVE_BACKS);
	/* as after loading the module */
	knc_rdpmc_init(NULL);
	knc_test_looked = 0;
	knc_test_looked_locked = 0;
	for (i = 0; i < 3; i++) {
		stage_claim(st, 0, cpu_online_mask, 1);
		stage_destroy(st, 0);
		first = first ?: knc_test_looked;
	}
	KUNIT_EXPECT_GT(test, first, 0);
	KUNIT_EXPECT_EQ(test, knc_test_looked, first);
	KUNIT_EXPECT_EQ(test, knc_test_looked_locked, 0);
}

/*
 * The process that loaded the module has ended, as insmod does. A kernel thread may only switch to
 * memory that has a user.
 */
static void loader_has_ended(struct kunit *test)
{
	struct mm_struct *mm = fake_task(test)->mm;
	struct stage *st = test->priv;
	unsigned int cpu;

	for_each_online_cpu(cpu)
		model_of(cpu)->cr4 |= MODEL_PCE;
	knc_test_give_backs(KNC_TEST_GIVE_BACKS);
	knc_rdpmc_init(mm);
	atomic_dec(&mm->mm_users);
	knc_test_mm_uses = 0;
	knc_test_mm_dead_uses = 0;
	stage_claim(st, 0, cpu_online_mask, 1);
	KUNIT_EXPECT_EQ(test, knc_test_mm_uses, num_online_cpus());
	KUNIT_EXPECT_EQ(test, knc_test_mm_dead_uses, 0);
	stage_destroy(st, 0);
	/* counters that are kept need no takeover; those that perf got may be dirty */
	stage_claim(st, 0, cpu_online_mask, 1);
	stage_destroy(st, 0);
	KUNIT_EXPECT_EQ(test, knc_test_mm_uses, num_online_cpus());
	KUNIT_EXPECT_TRUE(test, knc_test_ask(false));
	stage_claim(st, 0, cpu_online_mask, 1);
	KUNIT_EXPECT_EQ(test, knc_test_mm_uses, 2 * num_online_cpus());
	stage_destroy(st, 0);
	/* RDPMC is not permitted: the setting may change before the next takeover */
	KUNIT_EXPECT_TRUE(test, knc_test_ask(false));
	for_each_online_cpu(cpu)
		model_of(cpu)->cr4 = 0;
	stage_claim(st, 0, cpu_online_mask, 1);
	stage_destroy(st, 0);
	KUNIT_EXPECT_FALSE(test, knc_test_reserved());
	knc_test_rdpmc_exit();
	KUNIT_EXPECT_EQ(test, atomic_read(&mm->mm_users), 0);
	knc_rdpmc_init(NULL);
}

static void illegal_and_impossible(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 2 };

	placing_set(&p, 0, &stage_only_0, 0);
	placing_set(&p, 1, &stage_only_0, 0);
	KUNIT_EXPECT_EQ(test, stage_config(st, 0, cpu_online_mask, &p, 0),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_EVENT_PAIR);
	p.e[1].flags = 0;
	KUNIT_EXPECT_EQ(test, stage_config(st, 0, cpu_online_mask, &p, 0),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, st->why.reason, KNC_PMU_REASON_EVENT_RING);
	KUNIT_EXPECT_EQ(test, st->why.event, 1);
}

static void already(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };

	stage_claim(st, 0, cpumask_of(st->first), 2);
	placing_set(&p, 0, &stage_any, 0);
	KUNIT_EXPECT_EQ(test, -EALREADY, stage_config(st, 0,
						      cpumask_of(st->last),
						      &p, 0));
	st->nr_events[0] = 2;
	expect_owner(st, st->last, 0, 0);
	stage_read(st, 0);
	KUNIT_EXPECT_EQ(test, st->record[0].cpu, st->first);
}

static unsigned int told;

static int tell_badly(const struct knc_request *c)
{
	told++;
	/* the counter is known, and this is the last step that can fail */
	return c->events[0].counter < 2 && c->nr_events == 1 ? -EFAULT : -EINVAL;
}

/* If CONFIG can't write its answer, there is no session. */
static void untold(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };

	told = 0;
	placing_set(&p, 0, &stage_any, 0);
	st->tell = tell_badly;
	KUNIT_EXPECT_EQ(test, -EFAULT,
			stage_config(st, 0, cpu_online_mask, &p, 0));
	KUNIT_EXPECT_EQ(test, told, 1);
	KUNIT_EXPECT_EQ(test, knc_session_start(st->session[0]), -ENODATA);
	KUNIT_EXPECT_EQ(test, knc_session_number(), 0);
	expect_owner(st, st->first, 0, 0);
	st->tell = NULL;
	KUNIT_EXPECT_EQ(test, 0,
			stage_config(st, 0, cpu_online_mask, &p, 0));
	KUNIT_EXPECT_EQ(test, knc_session_start(st->session[0]), 0);
}

static void nodata(struct kunit *test)
{
	struct stage *st = test->priv;
	struct knc_session *s = knc_session_create();

	KUNIT_ASSERT_NOT_NULL(test, s);
	st->session[0] = s;
	KUNIT_EXPECT_EQ(test, knc_session_start(s), -ENODATA);
	KUNIT_EXPECT_EQ(test, knc_session_stop(s), -ENODATA);
	KUNIT_EXPECT_EQ(test, knc_session_reset(s, false), -ENODATA);
	KUNIT_EXPECT_EQ(test, knc_session_reset(s, true), -ENODATA);
	KUNIT_EXPECT_EQ(test, stage_read_raw(st, 0, 64), -ENODATA);
	st->read_flags = KNC_PMU_READ_COUNTS;
	KUNIT_EXPECT_EQ(test, stage_read_raw(st, 0, 64), -ENODATA);
	KUNIT_EXPECT_EQ(test, knc_session_number(), 0);
}

/* Check the times; with READ_COUNTS these are 0 */
static void expect_times(struct stage *st, unsigned int nr)
{
	bool times = !(st->read_flags & KNC_PMU_READ_COUNTS);
	unsigned int k;

	for (k = 0; k < nr; k++) {
		KUNIT_EXPECT_EQ(st->test, times, st->record[k].time != 0);
		if (times)
			continue;
		KUNIT_EXPECT_EQ(st->test, st->record[k].time_enabled, 0);
		KUNIT_EXPECT_EQ(st->test, st->record[k].time_running, 0);
	}
}

/* Check record by record: the CPU, in order, and its counts */
static void expect_counts(struct stage *st, unsigned int i,
			  const struct cpumask *cpus, unsigned int events)
{
	unsigned int cpu, k = 0;

	stage_read(st, i);
	for_each_cpu(cpu, cpus) {
		KUNIT_EXPECT_EQ(st->test, st->record[k].cpu, cpu);
		KUNIT_EXPECT_EQ(st->test, st->record[k].flags, 0);
		KUNIT_EXPECT_EQ(st->test, st->record[k].tsc, 1000 + cpu);
		KUNIT_EXPECT_EQ(st->test, st->record[k].value[0],
				events ? cpu + events : 0);
		if (st->nr_events[i] == 2)
			KUNIT_EXPECT_EQ(st->test, st->record[k].value[1],
					events ? 2 * (cpu + events) : 0);
		k++;
	}
	expect_times(st, k);
}

static void set_tscs(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		model_of(cpu)->tsc = 1000 + cpu;
}

static void counts_of(struct stage *st, const struct cpumask *cpus,
		      unsigned int nr)
{
	set_tscs();
	stage_claim(st, 0, cpus, nr);
	stage_run(7);
	expect_counts(st, 0, cpus, 0);
	KUNIT_EXPECT_EQ(st->test, knc_session_start(st->session[0]), 0);
	stage_run(500);
	expect_counts(st, 0, cpus, 500);
	KUNIT_EXPECT_EQ(st->test, knc_session_stop(st->session[0]), 0);
	stage_run(7);
	expect_counts(st, 0, cpus, 500);
	KUNIT_EXPECT_EQ(st->test, knc_session_reset(st->session[0], false), 0);
	expect_counts(st, 0, cpus, 0);
	stage_destroy(st, 0);
}

static void counts_on_all(struct kunit *test)
{
	struct stage *st = test->priv;

	counts_of(st, cpu_online_mask, 1);
	counts_of(st, cpu_online_mask, 2);
}

static void counts_without_times(struct kunit *test)
{
	struct stage *st = test->priv;

	st->read_flags = KNC_PMU_READ_COUNTS;
	counts_of(st, cpu_online_mask, 2);
}

/* Times of an earlier READ are not returned again. */
static void counts_after_times(struct kunit *test)
{
	struct stage *st = test->priv;

	set_tscs();
	stage_claim(st, 0, cpu_online_mask, 2);
	expect_counts(st, 0, cpu_online_mask, 0);
	st->read_flags = KNC_PMU_READ_COUNTS;
	expect_counts(st, 0, cpu_online_mask, 0);
}

/* READ with START and STOP returns the counts of that moment */
static void changes_of(struct stage *st, const struct cpumask *cpus, u32 flags)
{
	set_tscs();
	stage_claim(st, 0, cpus, 2);
	stage_run(7);
	st->read_flags = flags | KNC_PMU_READ_STOP;
	expect_counts(st, 0, cpus, 0);
	stage_run(7);
	st->read_flags = flags | KNC_PMU_READ_START;
	expect_counts(st, 0, cpus, 0);
	stage_run(500);
	expect_counts(st, 0, cpus, 500);
	st->read_flags = flags | KNC_PMU_READ_STOP;
	expect_counts(st, 0, cpus, 500);
	stage_run(7);
	expect_counts(st, 0, cpus, 500);
	st->read_flags = flags;
	expect_counts(st, 0, cpus, 500);
	stage_destroy(st, 0);
}

static void read_starts_and_stops(struct kunit *test)
{
	struct stage *st = test->priv;

	set_cpus_allowed_ptr(current, cpumask_of(st->last));
	changes_of(st, cpumask_of(st->last), 0);
	changes_of(st, cpumask_of(st->last), KNC_PMU_READ_COUNTS);
	changes_of(st, cpumask_of(st->first), 0);
	changes_of(st, cpumask_of(st->first), KNC_PMU_READ_COUNTS);
	changes_of(st, cpu_online_mask, 0);
	changes_of(st, cpu_online_mask, KNC_PMU_READ_COUNTS);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void counts_on_some(struct kunit *test)
{
	struct stage *st = test->priv;
	struct cpumask *some = kunit_kzalloc(test, cpumask_size(), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, some);
	cpumask_set_cpu(st->first, some);
	cpumask_set_cpu(st->last, some);
	counts_of(st, some, 2);
}

/* One CPU: the caller's own, or another one */
static void counts_on_one(struct kunit *test)
{
	struct stage *st = test->priv;
	const unsigned int cpus[2] = { st->first, st->last };
	unsigned int i;

	for (i = 0; i < 8; i++) {
		st->read_flags = i & 4 ? KNC_PMU_READ_COUNTS : 0;
		set_cpus_allowed_ptr(current, cpumask_of(cpus[i & 1]));
		counts_of(st, cpumask_of(cpus[i / 2 & 1]), 1);
		counts_of(st, cpumask_of(cpus[i / 2 & 1]), 2);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void expect_room(struct stage *st, const struct cpumask *cpus)
{
	unsigned int nr = cpumask_weight(cpus);
	u64 bytes = 56 * nr;

	stage_claim(st, 0, cpus, 2);
	KUNIT_EXPECT_EQ(st->test, stage_read_raw(st, 0, bytes - 1), -ENOSPC);
	KUNIT_EXPECT_EQ(st->test, stage_read_raw(st, 0, bytes), nr);
	KUNIT_EXPECT_EQ(st->test, stage_read_raw(st, 0, bytes + 1), nr);
	KUNIT_EXPECT_EQ(st->test, stage_read_raw(st, 0, 0), -EFAULT);
	stage_destroy(st, 0);
}

static void read_needs_room(struct kunit *test)
{
	struct stage *st = test->priv;

	KUNIT_EXPECT_EQ(test, KNC_PMU_THREAD_SIZE(1), 48);
	KUNIT_EXPECT_EQ(test, KNC_PMU_THREAD_SIZE(2), 56);
	set_cpus_allowed_ptr(current, cpumask_of(st->last));
	expect_room(st, cpu_online_mask);
	expect_room(st, cpumask_of(st->last));
	st->read_flags = KNC_PMU_READ_COUNTS;
	expect_room(st, cpu_online_mask);
	expect_room(st, cpumask_of(st->last));
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void expect_no_writes(struct stage *st)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(st->test, model_of(cpu)->nr_writes, 0);
}

static void clear_logs(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		model_log_clear(model_of(cpu));
}

static void start_and_stop_twice(struct kunit *test)
{
	struct stage *st = test->priv;
	u64 enabled;

	stage_claim(st, 0, cpu_online_mask, 1);
	clear_logs();
	KUNIT_EXPECT_EQ(test, knc_session_stop(st->session[0]), 0);
	expect_no_writes(st);
	KUNIT_EXPECT_EQ(test, knc_session_start(st->session[0]), 0);
	msleep(20);
	clear_logs();
	KUNIT_EXPECT_EQ(test, knc_session_start(st->session[0]), 0);
	expect_no_writes(st);
	KUNIT_EXPECT_EQ(test, knc_session_stop(st->session[0]), 0);
	stage_read(st, 0);
	enabled = st->record[0].time_enabled;
	KUNIT_EXPECT_GE(test, enabled, 20 * NSEC_PER_MSEC);
	clear_logs();
	KUNIT_EXPECT_EQ(test, knc_session_stop(st->session[0]), 0);
	expect_no_writes(st);
	stage_read(st, 0);
	KUNIT_EXPECT_EQ(test, st->record[0].time_enabled, enabled);
	KUNIT_EXPECT_EQ(test, st->record[0].time_running, enabled);
}

/* Time enabled is the sum of the spans from start to stop. */
static void times(struct kunit *test)
{
	struct stage *st = test->priv;
	u64 t[4];

	stage_claim(st, 0, cpu_online_mask, 1);
	msleep(50);
	t[0] = ktime_get_ns();
	knc_session_start(st->session[0]);
	t[1] = ktime_get_ns();
	msleep(20);
	t[2] = ktime_get_ns();
	stage_read(st, 0);
	t[3] = ktime_get_ns();
	KUNIT_EXPECT_GE(test, st->record[0].time_enabled, t[2] - t[1]);
	KUNIT_EXPECT_LE(test, st->record[0].time_enabled, t[3] - t[0]);
	KUNIT_EXPECT_GE(test, st->record[0].time, t[2]);
	KUNIT_EXPECT_LE(test, st->record[0].time, t[3]);
	knc_session_stop(st->session[0]);
	knc_session_start(st->session[0]);
	stage_read(st, 0);
	KUNIT_EXPECT_GE(test, st->record[0].time_enabled, t[2] - t[1]);
	knc_session_stop(st->session[0]);
	knc_session_reset(st->session[0], false);
	stage_read(st, 0);
	KUNIT_EXPECT_EQ(test, st->record[0].time_enabled, 0);
}

/* While the session is stopped its time does not advance. */
static void no_time_while_stopped(struct kunit *test)
{
	struct stage *st = test->priv;
	u64 began;

	stage_claim(st, 0, cpu_online_mask, 1);
	began = ktime_get_ns();
	knc_session_start(st->session[0]);
	knc_session_stop(st->session[0]);
	began = ktime_get_ns() - began;
	msleep(100);
	stage_read(st, 0);
	KUNIT_EXPECT_LE(test, st->record[0].time_enabled, began);
}

/* Times restart at 0, and counting goes on. */
static void reset_while_started(struct kunit *test)
{
	struct stage *st = test->priv;
	u64 reset;

	set_tscs();
	stage_claim(st, 0, cpu_online_mask, 2);
	knc_session_start(st->session[0]);
	msleep(50);
	stage_run(3);
	reset = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], false), 0);
	stage_run(9);
	expect_counts(st, 0, cpu_online_mask, 9);
	KUNIT_EXPECT_LE(test, st->record[0].time_enabled,
			ktime_get_ns() - reset);
}

static void reset_registers(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int cpu;

	stage_claim(st, 0, cpu_online_mask, 1);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], true), -EBUSY);
	stage_destroy(st, 0);
	stage_claim(st, 0, cpu_online_mask, 2);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], true), 0);
	set_tscs();
	knc_session_start(st->session[0]);
	stage_run(5);
	expect_counts(st, 0, cpu_online_mask, 5);
	stage_destroy(st, 0);
	st->not_restored = true;
	for_each_online_cpu(cpu)
		stage_expect_forgotten(st, cpu);
}

/* A refused RESET_REGISTERS must not reset anything else. */
static void reset_registers_refused(struct kunit *test)
{
	struct stage *st = test->priv;

	set_tscs();
	stage_claim(st, 0, cpu_online_mask, 1);
	knc_session_start(st->session[0]);
	stage_run(5);
	KUNIT_EXPECT_EQ(test, knc_session_reset(st->session[0], true), -EBUSY);
	expect_counts(st, 0, cpu_online_mask, 5);
}

/* Two counting sessions, closed in either order */
static void destroy_restores(struct kunit *test)
{
	struct stage *st = test->priv;
	struct model_regs before;
	unsigned int i, cpu;

	for (i = 0; i < 2; i++) {
		stage_claim(st, 0, cpu_online_mask, 1);
		stage_claim(st, 1, cpumask_of(st->last), 1);
		knc_session_start(st->session[0]);
		knc_session_start(st->session[1]);
		stage_run(5);
		stage_destroy(st, i);
		stage_destroy(st, !i);
		for_each_online_cpu(cpu) {
			before = stage_before(cpu);
			model_expect_regs(test, model_of(cpu), &before);
		}
	}
}

static void destroy_unused(struct kunit *test)
{
	struct stage *st = test->priv;

	st->session[0] = knc_session_create();
	KUNIT_ASSERT_NOT_NULL(test, st->session[0]);
	stage_destroy(st, 0);
	expect_no_writes(st);
}

/* Registers of a CPU without a session are not touched. */
static void others_untouched(struct kunit *test)
{
	struct stage *st = test->priv;
	struct model *m = model_of(st->first);

	stage_claim(st, 0, cpumask_of(st->last), 2);
	knc_session_start(st->session[0]);
	knc_session_reset(st->session[0], true);
	knc_session_stop(st->session[0]);
	stage_destroy(st, 0);
	KUNIT_EXPECT_EQ(test, m->nr_writes, 0);
	st->not_restored = true;
}

/*
 * Any thread of the core may be interrupted for another thread's overflow: while a core-wide event
 * is counted, the module uses the entry of each.
 */
static void core_wide_lends(struct kunit *test)
{
	struct stage *st = test->priv;
	struct placing p = { .nr = 1 };
	unsigned int cpu;

	stage_claim(st, 0, cpumask_of(st->last), 2);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, model_of(cpu)->regs.lvtpc == MODEL_LVT_NMI,
				cpu == st->last);
	stage_destroy(st, 0);
	placing_set(&p, 0, &stage_only_0, 0);
	KUNIT_EXPECT_EQ(test, stage_config(st, 0, cpumask_of(st->last), &p, 0), 0);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, model_of(cpu)->regs.lvtpc, MODEL_LVT_NMI);
	stage_destroy(st, 0);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, model_of(cpu)->regs.lvtpc,
				stage_before(cpu).lvtpc);
}

static void registers_of_each(struct kunit *test)
{
	struct stage *st = test->priv;
	struct knc_pmu_reg regs[PMU_MAX_REGISTERS];
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, knc_query_regs(cpu, regs), 0);
		KUNIT_EXPECT_EQ(test, regs[0].number, MODEL_PERFEVTSEL);
		KUNIT_EXPECT_EQ(test, regs[0].value,
				stage_before(cpu).perfevtsel[0]);
	}
	expect_no_writes(st);
	KUNIT_EXPECT_EQ(test, knc_query_regs(nr_cpu_ids, regs), -ENXIO);
	KUNIT_EXPECT_EQ(test, knc_query_regs(~0, regs), -ENXIO);
}

/**
 * struct play - random configurations beside an oracle
 * @st: the sessions
 * @rnd: fixed by its seed
 * @owner: for each counter of each CPU, the number of its session + 1; 0: free
 * @configured: sessions that are configured
 * @started: sessions that count
 * @placing: their events
 * @cpus: their CPUs
 * @value: their expected counts on each CPU
 */
struct play {
	struct stage *st;
	struct rnd_state rnd;
	unsigned int owner[STAGE_CPUS][2];
	bool configured[STAGE_SESSIONS];
	bool started[STAGE_SESSIONS];
	struct placing placing[STAGE_SESSIONS];
	struct cpumask cpus[STAGE_SESSIONS];
	u64 value[STAGE_SESSIONS][STAGE_CPUS][2];
};

static u32 pick(struct play *p, u32 below)
{
	return prandom_u32_state(&p->rnd) % below;
}

static void pick_request(struct play *p, unsigned int i)
{
	struct placing *place = &p->placing[i];
	struct cpumask *cpus = &p->cpus[i];
	unsigned int cpu, n;

	cpumask_clear(cpus);
	for_each_online_cpu(cpu)
		if (pick(p, 2))
			cpumask_set_cpu(cpu, cpus);
	if (cpumask_empty(cpus))
		cpumask_set_cpu(p->st->last, cpus);
	place->nr = 1 + pick(p, 2);
	for (n = 0; n < 2; n++)
		placing_set(place, n, pick(p, 3) ? &stage_any : &stage_only_0,
			    pick(p, 4));
	place->free = PLACING_ANY;
	for_each_cpu(cpu, cpus)
		for (n = 0; n < 2; n++)
			if (p->owner[cpu][n])
				place->free &= ~(1u << n);
}

static int want_error(const struct placing *p)
{
	if (!placing_possible(p, PLACING_ANY))
		return -EOPNOTSUPP;
	return placing_possible(p, p->free) ? 0 : -EBUSY;
}

static void own(struct play *p, unsigned int i, unsigned int owner)
{
	const struct placing *place = &p->placing[i];
	unsigned int cpu, k;

	for_each_cpu(cpu, &p->cpus[i])
		for (k = 0; k < place->nr; k++)
			p->owner[cpu][place->e[k].counter] = owner;
}

static void play_config(struct play *p, unsigned int i)
{
	struct placing *place = &p->placing[i];
	struct kunit *test = p->st->test;
	struct knc_refusal *why = &p->st->why;
	int err;

	pick_request(p, i);
	err = stage_config(p->st, i, &p->cpus[i], place, 0);
	KUNIT_ASSERT_EQ(test, err, want_error(place));
	if (err == -EBUSY) {
		KUNIT_ASSERT_EQ(test, why->reason, KNC_PMU_REASON_BUSY);
		KUNIT_ASSERT_TRUE(test, cpumask_test_cpu(why->cpu,
							 &p->cpus[i]));
		KUNIT_ASSERT_LT(test, why->counter, 2);
		KUNIT_ASSERT_TRUE(test, p->owner[why->cpu][why->counter]);
	}
	if (err)
		return;
	KUNIT_ASSERT_TRUE(test, placing_fits(place, place->free,
					     place->e[0].counter,
					     place->e[1].counter));
	own(p, i, i + 1);
	p->configured[i] = true;
	memset(p->value[i], 0, sizeof(p->value[i]));
}

static void play_destroy(struct play *p, unsigned int i)
{
	stage_destroy(p->st, i);
	own(p, i, 0);
	p->configured[i] = false;
	p->started[i] = false;
}

static void play_run(struct play *p)
{
	u64 events[2];
	unsigned int cpu, i, k;

	for_each_online_cpu(cpu) {
		events[0] = pick(p, 1u << 31);
		events[1] = pick(p, 1u << 31);
		model_run(model_of(cpu), events[0], events[1]);
		for (i = 0; i < STAGE_SESSIONS; i++)
			for (k = 0; k < p->placing[i].nr; k++)
				if (p->started[i])
					p->value[i][cpu][k] +=
						events[p->placing[i].e[k].counter];
	}
}

static void play_read(struct play *p, unsigned int i)
{
	unsigned int cpu, k, r = 0;

	stage_read(p->st, i);
	for_each_cpu(cpu, &p->cpus[i]) {
		KUNIT_ASSERT_EQ(p->st->test, p->st->record[r].cpu, cpu);
		for (k = 0; k < p->placing[i].nr; k++)
			KUNIT_ASSERT_EQ(p->st->test, p->st->record[r].value[k],
					p->value[i][cpu][k]);
		r++;
	}
}

static void play_session(struct play *p, unsigned int i)
{
	switch (pick(p, 6)) {
	case 0:
		play_destroy(p, i);
		break;
	case 1:
		KUNIT_ASSERT_EQ(p->st->test, 0,
				knc_session_reset(p->st->session[i], false));
		memset(p->value[i], 0, sizeof(p->value[i]));
		break;
	case 2:
	case 3:
		if (p->started[i])
			knc_session_stop(p->st->session[i]);
		else
			knc_session_start(p->st->session[i]);
		p->started[i] = !p->started[i];
		break;
	default:
		play_read(p, i);
		break;
	}
}

/* Are all registers taken, because any thread may be interrupted for another thread's overflow? */
static bool play_takes_all(const struct play *p)
{
	unsigned int i;

	for (i = 0; i < STAGE_SESSIONS; i++)
		if (p->configured[i] &&
		    knc_events_from_siblings(p->placing[i].e, p->placing[i].nr))
			return true;
	return false;
}

static void play_expect(struct play *p)
{
	bool all = play_takes_all(p);
	unsigned int cpu, n, owner;
	u64 ctrl;

	for_each_online_cpu(cpu) {
		ctrl = 0;
		for (n = 0; n < 2; n++) {
			owner = p->owner[cpu][n];
			expect_owner(p->st, cpu, n, owner ? own_pid() : 0);
			if (owner && p->started[owner - 1])
				ctrl |= 1u << n;
		}
		if (!p->owner[cpu][0] && !p->owner[cpu][1])
			ctrl = all ? 0 : stage_before(cpu).ctrl;
		KUNIT_ASSERT_EQ(p->st->test, model_of(cpu)->regs.ctrl, ctrl);
	}
}

static void random_sessions(struct kunit *test)
{
	struct play *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	unsigned int step, i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->st = test->priv;
	prandom_seed_state(&p->rnd, seed_of(test, 20130));
	for (step = 0; step < 600; step++) {
		i = pick(p, STAGE_SESSIONS);
		if (pick(p, 3) == 0)
			play_run(p);
		else if (p->configured[i])
			play_session(p, i);
		else
			play_config(p, i);
		play_expect(p);
	}
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(config_programs_all),
	KUNIT_CASE(owners),
	KUNIT_CASE(owner_of_nothing),
	KUNIT_CASE(busy_counter_0),
	KUNIT_CASE(busy_both),
	KUNIT_CASE(busy_here_and_there),
	KUNIT_CASE(busy_for_the_choosy_one),
	KUNIT_CASE(busy_names_the_process),
	KUNIT_CASE(busy_spflt),
	KUNIT_CASE(spflt_beside_plain),
	KUNIT_CASE(busy_kernel),
	KUNIT_CASE(reserved_for_sessions),
	KUNIT_CASE(kept_for_a_while),
	KUNIT_CASE(keeps_no_register),
	KUNIT_CASE(kept_unwatched),
	KUNIT_CASE(kept_in_a_storm),
	KUNIT_CASE(looks_at_processes_once),
	KUNIT_CASE(loader_has_ended),
	KUNIT_CASE(illegal_and_impossible),
	KUNIT_CASE(already),
	KUNIT_CASE(untold),
	KUNIT_CASE(nodata),
	KUNIT_CASE(counts_on_all),
	KUNIT_CASE(counts_without_times),
	KUNIT_CASE(counts_after_times),
	KUNIT_CASE(read_starts_and_stops),
	KUNIT_CASE(counts_on_some),
	KUNIT_CASE(counts_on_one),
	KUNIT_CASE(read_needs_room),
	KUNIT_CASE(start_and_stop_twice),
	KUNIT_CASE(times),
	KUNIT_CASE(no_time_while_stopped),
	KUNIT_CASE(reset_while_started),
	KUNIT_CASE(reset_registers),
	KUNIT_CASE(reset_registers_refused),
	KUNIT_CASE(destroy_restores),
	KUNIT_CASE(destroy_unused),
	KUNIT_CASE(others_untouched),
	KUNIT_CASE(core_wide_lends),
	KUNIT_CASE(registers_of_each),
	KUNIT_CASE(random_sessions),
	{}
};

STAGE_SUITE(session, stage_init, stage_exit);

kunit_test_suite(session_suite);
