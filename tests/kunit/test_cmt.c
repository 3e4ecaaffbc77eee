// SPDX-License-Identifier: GPL-2.0
/*
 * Cache monitoring: what its CPUID leaves may say, and sessions on it, with a model of its
 * registers
 *
 * Numbers are written a second time here, from Intel's software developer's manual, volume 3.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "host/level-tasks.h"
#include "host/level.h"
#include "request/refusal.h"
#include "request/request.h"
#include "model.h"
#include "placing.h"
#include "pmu/cmt.h"
#include "pmu/hw.h"
#include "seed.h"
#include "session_fixture.h"

#define EVTSEL		0xc8d
#define CTR		0xc8e
#define PQR		0xc8f

#define CLASSES		(5ULL << 32)
#define U		0x4000000000000000ULL
#define E		0x8000000000000000ULL

#define NR_RMIDS	8
#define FACTOR		0x1000
#define L3_BYTES	0x200000ULL
#define THRESHOLD	(L3_BYTES / NR_RMIDS)

/* One L3 for all CPUs; each CPU has a register PQR */
static DEFINE_PER_CPU(u64, pqr);
static u64 evtsel, held[NR_RMIDS], injected;
static unsigned int nr_bad;
/* Writes of PQR, by each CPU */
static DEFINE_PER_CPU(unsigned int, nr_writes);

static u64 read_register(u32 msr)
{
	u64 rmid = evtsel >> 32;

	if (msr == PQR)
		return this_cpu_read(pqr);
	if (msr != CTR || (u8)evtsel != 1 || rmid >= NR_RMIDS) {
		nr_bad++;
		return E;
	}
	return held[rmid] / FACTOR | injected;
}

static void write_register(u32 msr, u64 value)
{
	if (msr == EVTSEL)
		evtsel = value;
	else if (msr == PQR && (u32)value < NR_RMIDS)
		this_cpu_write(pqr, value);
	else
		nr_bad++;
	if (msr == PQR)
		this_cpu_inc(nr_writes);
}

static const struct knc_hw_ops cmt_ops = {
	.read_msr	= read_register,
	.write_msr	= write_register,
};

/* 31 MB, as an E5-2690 v3 may report: shared by 16 threads; 20 ways, 24576 sets */
static const struct pmu_cmt_cpuid good = {
	.max_leaf = 0xf, .features = 0x1000, .resources = 2, .factor = 0xa000, .highest = 47,
	.events = 1, .l3 = { 0x7fc163, 0x4c0003f, 0x5fff },
};

static struct pmu_cmt filled;

static void leafs(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, pmu_cmt_fill(&filled, &good));
	KUNIT_EXPECT_EQ(test, filled.nr_rmids, 48);
	KUNIT_EXPECT_EQ(test, filled.factor, 0xa000);
	KUNIT_EXPECT_EQ(test, filled.l3_size, 31457280ULL);
	/* 512 APIC IDs */
	KUNIT_EXPECT_EQ(test, filled.share_bits, 9);
}

#define REFUSED(field, value, word)					\
	do {								\
		struct pmu_cmt_cpuid c = good;				\
									\
		c.field = value;					\
		KUNIT_ASSERT_TRUE(test, pmu_cmt_fill(&filled, &c));	\
		KUNIT_EXPECT_TRUE(test, strstr(pmu_cmt_fill(&filled, &c), word)); \
		KUNIT_EXPECT_EQ(test, filled.nr_rmids, 0);		\
	} while (0)

static void refused_leafs(struct kunit *test)
{
	REFUSED(max_leaf, 0xd, "no CPUID leaf 0xF");
	REFUSED(features, ~0x1000U, "leaf 7");
	REFUSED(resources, ~2U, "L3");
	REFUSED(events, ~1U, "occupancy");
	REFUSED(factor, 0, "factor");
	REFUSED(highest, 0, "RMID 0 only");
	REFUSED(l3[0], 0, "leaf 4");
}

static void random_leafs(struct kunit *test)
{
	struct pmu_cmt_cpuid c;
	struct rnd_state rnd;
	unsigned int i, used = 0;

	prandom_seed_state(&rnd, seed_of(test, 11));
	for (i = 0; i < 20000; i++) {
		prandom_bytes_state(&rnd, &c, sizeof(c));
		if (i & 1)
			c.features = 0x1000;
		if (pmu_cmt_fill(&filled, &c)) {
			KUNIT_EXPECT_EQ(test, filled.nr_rmids, 0);
			continue;
		}
		used++;
		KUNIT_EXPECT_TRUE(test, filled.nr_rmids >= 2 && filled.nr_rmids <= 1024);
		KUNIT_EXPECT_TRUE(test, filled.factor && filled.l3_size);
		KUNIT_EXPECT_LE(test, filled.share_bits, 12);
	}
	KUNIT_EXPECT_GT(test, used, 1000);
}

static void set_here(void *value)
{
	this_cpu_write(pqr, *(u64 *)value);
}

static void discover_all(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		knc_level_online(cpu);
}

static int cmt_init(struct kunit *test)
{
	u64 classes = CLASSES;

	knc_hw_ops = &cmt_ops;
	pmu_cmt.nr_rmids = NR_RMIDS;
	pmu_cmt.factor = FACTOR;
	pmu_cmt.l3_size = L3_BYTES;
	/* one L3 for all */
	pmu_cmt.share_bits = 31;
	memset(held, 0, sizeof(held));
	injected = 0;
	nr_bad = 0;
	on_each_cpu(set_here, &classes, true);
	cpus_read_lock();
	discover_all();
	cpus_read_unlock();
	return 0;
}

static void cmt_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nr_bad, 0);
	pmu_cmt.nr_rmids = 0;
	knc_hw_ops = &knc_hw_native;
}

static struct knc_refusal why;

static struct knc_level *create(unsigned int cpu)
{
	struct knc_event event = { .event = 1 };
	struct knc_request req = {
		.host = &knc_level_pmu, .cpus = cpumask_of(cpu), .nr_events = 1, .events = &event,
	};

	memset(&why, 0, sizeof(why));
	if (knc_level_check(&req, &why))
		return ERR_PTR(-EINVAL);
	return knc_level_open(&req, &why);
}

static struct knc_pmu_thread record;

static int read_level(struct knc_level *l)
{
	const void *records;
	size_t needed;
	int ret;

	ret = knc_level_read(l, KNC_PMU_THREAD_SIZE(1), 0, &records, &needed);
	if (ret == 1 && needed == KNC_PMU_THREAD_SIZE(1))
		memcpy(&record, records, needed);
	return ret;
}

/* The RMID on a CPU, whose class of service must not have changed */
static u64 rmid_on(struct kunit *test, unsigned int cpu)
{
	u64 value = per_cpu(pqr, cpu);

	KUNIT_EXPECT_EQ(test, value & ~0x3ffULL, CLASSES);
	return value & 0x3ff;
}

static void put_on(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct knc_level *l = create(cpu);
	u64 rmid;

	KUNIT_ASSERT_FALSE(test, IS_ERR(l));
	KUNIT_EXPECT_EQ(test, rmid_on(test, cpu), 0);
	KUNIT_EXPECT_EQ(test, knc_level_run(l, true), 0);
	rmid = rmid_on(test, cpu);
	KUNIT_EXPECT_NE(test, rmid, 0);
	held[rmid] = 5 * FACTOR;
	KUNIT_EXPECT_EQ(test, read_level(l), 1);
	KUNIT_EXPECT_EQ(test, record.value[0], 5 * FACTOR);
	KUNIT_EXPECT_EQ(test, record.flags, 0);
	KUNIT_EXPECT_EQ(test, knc_level_run(l, false), 0);
	KUNIT_EXPECT_EQ(test, rmid_on(test, cpu), 0);
	knc_level_close(l);
}

/* A switch to a task with the same RMID writes nothing. */
static void written_once(struct kunit *test)
{
	unsigned int i, cpu = cpumask_first(cpu_online_mask);
	struct knc_level *l = create(cpu);

	KUNIT_ASSERT_FALSE(test, IS_ERR(l));
	per_cpu(nr_writes, cpu) = 0;
	KUNIT_EXPECT_EQ(test, knc_level_run(l, true), 0);
	KUNIT_EXPECT_EQ(test, per_cpu(nr_writes, cpu), 1);
	for (i = 0; i < 10; i++)
		knc_level_sync();
	KUNIT_EXPECT_EQ(test, knc_level_run(l, true), 0);
	KUNIT_EXPECT_EQ(test, per_cpu(nr_writes, cpu), 1);
	knc_level_close(l);
	KUNIT_EXPECT_EQ(test, per_cpu(nr_writes, cpu), 2);
}

/* A value of IA32_QM_CTR with bit U (unavailable) or E (error) is never used. */
static void no_data(struct kunit *test)
{
	static const struct {
		u64 bits;
		u32 flags;
	} rows[] = {
		{ U, KNC_PMU_THREAD_UNAVAILABLE }, { E, KNC_PMU_THREAD_ERROR },
		{ U | E, KNC_PMU_THREAD_ERROR },
	};
	struct knc_level *l = create(cpumask_first(cpu_online_mask));
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(l));
	for (i = 0; i < NR_RMIDS; i++)
		held[i] = 7 * FACTOR;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		injected = rows[i].bits;
		KUNIT_EXPECT_EQ(test, read_level(l), 1);
		KUNIT_EXPECT_EQ(test, record.value[0], 0);
		KUNIT_EXPECT_EQ(test, record.flags, rows[i].flags);
	}
	/* an RMID whose occupancy is unknown is not handed out */
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(cpumask_last(cpu_online_mask))), -EBUSY);
	KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_RMID_DIRTY);
	injected = 0;
	KUNIT_EXPECT_EQ(test, read_level(l), 1);
	KUNIT_EXPECT_EQ(test, record.value[0], 7 * FACTOR);
	knc_level_close(l);
}

/*
 * A thousand sessions leave cache lines, some of which others replace. A new session gets an RMID
 * with at most the threshold of lines, and one without lines if there is such an RMID.
 */
static void reuse(struct kunit *test)
{
	unsigned int i, n, dirty = 0, cpu = cpumask_first(cpu_online_mask);
	struct rnd_state rnd;
	struct knc_level *l;

	prandom_seed_state(&rnd, seed_of(test, 12));
	for (i = 0; i < 1000; ) {
		bool any_clean = false;
		u64 least = ~0ULL;

		for (n = 1; n < NR_RMIDS; n++) {
			held[n] -= min_t(u64, held[n], prandom_u32_state(&rnd) % 30 * FACTOR);
			least = min(least, held[n]);
			any_clean |= !held[n];
		}
		l = create(cpu);
		if (least > THRESHOLD) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(l), -EBUSY);
			KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_RMID_DIRTY);
			dirty++;
			continue;
		}
		KUNIT_ASSERT_FALSE(test, IS_ERR(l));
		KUNIT_EXPECT_EQ(test, read_level(l), 1);
		KUNIT_EXPECT_EQ(test, record.value[0], least);
		KUNIT_EXPECT_TRUE(test, !any_clean || !record.value[0]);
		KUNIT_EXPECT_EQ(test, knc_level_run(l, true), 0);
		held[rmid_on(test, cpu)] += prandom_u32_state(&rnd) % 400 * FACTOR;
		knc_level_close(l);
		KUNIT_EXPECT_EQ(test, rmid_on(test, cpu), 0);
		i++;
	}
	KUNIT_EXPECT_GT(test, dirty, 10);
}

/*
 * An RMID found in the register is restored afterwards, and given to no session. An RMID that
 * another program writes later stays.
 */
static void found(struct kunit *test)
{
	unsigned int i, cpu = cpumask_first(cpu_online_mask);
	struct knc_level *l;
	u64 value = CLASSES | 3;

	on_each_cpu(set_here, &value, true);
	for (i = 0; i < 3 * NR_RMIDS; i++) {
		l = create(cpu);
		KUNIT_ASSERT_FALSE(test, IS_ERR(l));
		KUNIT_EXPECT_EQ(test, knc_level_run(l, true), 0);
		KUNIT_EXPECT_NE(test, rmid_on(test, cpu), 3);
		KUNIT_EXPECT_NE(test, rmid_on(test, cpu), 0);
		knc_level_close(l);
		KUNIT_EXPECT_EQ(test, rmid_on(test, cpu), 3);
	}
	l = create(cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(l));
	KUNIT_EXPECT_EQ(test, knc_level_run(l, true), 0);
	per_cpu(pqr, cpu) = CLASSES | 7;
	KUNIT_EXPECT_EQ(test, knc_level_run(l, false), 0);
	KUNIT_EXPECT_EQ(test, rmid_on(test, cpu), 7);
	KUNIT_EXPECT_EQ(test, read_level(l), 1);
	KUNIT_EXPECT_EQ(test, record.flags, KNC_PMU_THREAD_PARTIAL);
	knc_level_close(l);
	KUNIT_EXPECT_EQ(test, rmid_on(test, cpu), 7);
}

static void busy(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct knc_level *l = create(cpu);

	KUNIT_ASSERT_FALSE(test, IS_ERR(l));
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(cpu)), -EBUSY);
	KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_RMID_BUSY);
	KUNIT_EXPECT_EQ(test, why.cpu, cpu);
	KUNIT_EXPECT_EQ(test, why.pid, task_tgid_vnr(current));
	knc_level_close(l);
	/* all RMIDs except 0 are in use */
	pmu_cmt.nr_rmids = 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(cpu)), -EBUSY);
	KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_RMID_NONE);
	pmu_cmt.nr_rmids = NR_RMIDS;
}

static int idle(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static u64 rmid_of(const struct task_struct *task)
{
	u64 rmid;

	/* interrupts are off at a context switch */
	local_irq_disable();
	rmid = knc_level_rmid_for(this_cpu_ptr(&knc_rmid_cpus), task);
	local_irq_enable();
	return rmid;
}

/* Set up a level with tasks by hand, because CONFIG does not follow kernel threads */
static void begin_level(struct knc_level *l, u32 rmid)
{
	memset(l, 0, sizeof(*l));
	INIT_LIST_HEAD(&l->tasks);
	l->flags = KNC_PMU_CONFIG_TASK;
	l->rmid = rmid;
	l->started = true;
	l->pid = task_tgid(current);
}

static struct knc_level first, second;

static unsigned int list_count(const struct list_head *list)
{
	const struct list_head *node;
	unsigned int n = 0;

	list_for_each(node, list)
		n++;
	return n;
}

/* Tasks of one level share an RMID; each task is listed once, and in no other level. */
static void group_tasks(struct kunit *test)
{
	struct task_struct *task[3];
	unsigned int i;
	s32 owner = 0;

	for (i = 0; i < ARRAY_SIZE(task); i++) {
		task[i] = kthread_run(idle, NULL, "knc_group");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task[i]));
	}
	begin_level(&first, 3);
	begin_level(&second, 4);
	KUNIT_EXPECT_EQ(test, knc_level_follow(&first, task_pid(task[0]), &owner), 0);
	KUNIT_EXPECT_EQ(test, knc_level_follow(&first, task_pid(task[1]), &owner), 0);
	KUNIT_EXPECT_EQ(test, knc_level_follow(&first, task_pid(task[0]), &owner), 0);
	KUNIT_EXPECT_EQ(test, list_count(&first.tasks), 2);
	KUNIT_EXPECT_EQ(test, knc_level_follow(&second, task_pid(task[2]), &owner), 0);
	KUNIT_EXPECT_EQ(test, knc_level_follow(&second, task_pid(task[1]), &owner), -EBUSY);
	KUNIT_EXPECT_EQ(test, owner, task_tgid_vnr(current));
	KUNIT_EXPECT_EQ(test, rmid_of(task[0]), 3);
	KUNIT_EXPECT_EQ(test, rmid_of(task[1]), 3);
	KUNIT_EXPECT_EQ(test, rmid_of(task[2]), 4);
	knc_level_unfollow(&second);
	KUNIT_EXPECT_EQ(test, rmid_of(task[1]), 3);
	KUNIT_EXPECT_EQ(test, rmid_of(task[2]), 0);
	first.started = false;
	KUNIT_EXPECT_EQ(test, rmid_of(task[0]), 0);
	knc_level_unfollow(&first);
	KUNIT_EXPECT_TRUE(test, list_empty(&first.tasks));
	for (i = 0; i < ARRAY_SIZE(task); i++)
		kthread_stop(task[i]);
}

static struct knc_level *create_group(const s32 *pids, unsigned int nr)
{
	struct knc_event event = { .event = 1 };
	struct knc_request req = {
		.host = &knc_level_pmu, .pids = pids, .nr_pids = nr,
		.nr_events = 1, .events = &event,
		.flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_PIDS,
	};

	memset(&why, 0, sizeof(why));
	if (knc_level_check(&req, &why))
		return ERR_PTR(-EINVAL);
	return knc_level_open(&req, &why);
}

/* If one of several tasks is refused, the RMID is freed, and the tasks before it lose it. */
static void group_undone(struct kunit *test)
{
	struct task_struct *init = get_pid_task(find_vpid(1), PIDTYPE_PID);
	const s32 pids[] = { 1, 1, task_pid_vnr(current) };
	struct knc_level *l;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, init);
	for (i = 0; i < 3 * NR_RMIDS; i++) {
		KUNIT_EXPECT_EQ(test, PTR_ERR(create_group(pids, 3)), -ESRCH);
		KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_TASK_NONE);
		KUNIT_EXPECT_EQ(test, why.other, 2);
		KUNIT_EXPECT_EQ(test, rmid_of(init), 0);
	}
	l = create_group(pids, 2);
	KUNIT_ASSERT_FALSE(test, IS_ERR(l));
	KUNIT_EXPECT_EQ(test, knc_level_run(l, true), 0);
	KUNIT_EXPECT_EQ(test, rmid_of(init), l->rmid);
	KUNIT_EXPECT_EQ(test, PTR_ERR(create_group(pids, 1)), -EBUSY);
	KUNIT_EXPECT_EQ(test, why.reason, KNC_PMU_REASON_RMID_BUSY);
	KUNIT_EXPECT_EQ(test, why.other, 0);
	knc_level_close(l);
	KUNIT_EXPECT_EQ(test, rmid_of(init), 0);
	put_task_struct(init);
}

static bool rcu_is_read, level_is_closed, closed_in_time;

/* Block RCU grace periods until the level is closed, with a time limit */
static void read_rcu(struct work_struct *work)
{
	unsigned long until = jiffies + 5 * HZ;

	rcu_read_lock();
	WRITE_ONCE(rcu_is_read, true);
	while (!READ_ONCE(level_is_closed) && time_before(jiffies, until))
		cpu_relax();
	closed_in_time = READ_ONCE(level_is_closed);
	rcu_read_unlock();
}

static DECLARE_WORK(rcu_reader, read_rcu);

/* A real-time program without a limit blocks RCU grace periods: closing must not wait for one. */
static void closes_without_rcu(struct kunit *test)
{
	const s32 pid = 1;
	struct knc_level *l = create_group(&pid, 1);

	KUNIT_ASSERT_FALSE(test, IS_ERR(l));
	level_is_closed = false;
	rcu_is_read = false;
	queue_work(system_unbound_wq, &rcu_reader);
	while (!READ_ONCE(rcu_is_read))
		schedule_timeout_uninterruptible(1);
	knc_level_close(l);
	WRITE_ONCE(level_is_closed, true);
	flush_work(&rcu_reader);
	KUNIT_EXPECT_TRUE(test, closed_in_time);
}

static struct kunit_case cmt_cases[] = {
	KUNIT_CASE(leafs),
	KUNIT_CASE(refused_leafs),
	KUNIT_CASE(random_leafs),
	KUNIT_CASE(put_on),
	KUNIT_CASE(written_once),
	KUNIT_CASE(no_data),
	KUNIT_CASE(reuse),
	KUNIT_CASE(found),
	KUNIT_CASE(busy),
	KUNIT_CASE(group_tasks),
	KUNIT_CASE(group_undone),
	KUNIT_CASE(closes_without_rcu),
	{}
};

STAGE_SUITE(cmt, cmt_init, cmt_exit);

kunit_test_suites(&cmt_suite);
