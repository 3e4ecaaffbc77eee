// SPDX-License-Identifier: GPL-2.0
/* Sessions on the CPUs of this machine, each with a model of its registers */
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/tsc.h>

#include "abi/config.h"
#include "abi/copy.h"
#include "abi/query.h"
#include "compat/compat.h"
#include "compat/hotplug.h"
#include "pmu/hw.h"
#include "session_fixture.h"
#include "rdpmc/grants.h"
#include "task/task.h"
#include "units.h"

#define STATS_BYTES	(STAGE_CPUS * sizeof(struct knc_pmu_stats))
#define USER_BYTES	(STATS_BYTES > 4 * PAGE_SIZE ? STATS_BYTES : 4 * PAGE_SIZE)
#define POISON		0xa5

const struct event_row stage_any = { 0x16, 0x00, PLACING_ANY };
const struct event_row stage_only_0 = { 0xcb, 0x10, 1 };

/*
 * Tests run in kernel threads, which have no user memory. They borrow the memory of the process
 * that loads the module, which also sets up the suite.
 */
static struct mm_struct *user_mm;
static struct pid *user_pid;
static unsigned long user_buffer;

int stage_suite_init(struct kunit_suite *suite)
{
	user_mm = current->mm;
	if (!user_mm)
		return -ENODEV;
	user_buffer = vm_mmap(NULL, 0, USER_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(user_buffer))
		return user_buffer;
	mmget(user_mm);
	user_pid = get_pid(task_pid(current));
	/* without memory to switch to, because CR4 is a model's */
	knc_rdpmc_init(NULL);
	return 0;
}

/* No probe may be left: the module may be unloaded after this. */
void stage_suite_exit(struct kunit_suite *suite)
{
	knc_reserve_exit();
	knc_test_rdpmc_exit();
	knc_probes_exit();
	vm_munmap(user_buffer, USER_BYTES);
	mmput(user_mm);
	put_pid(user_pid);
}

/* A user task: the one that waits for the end of the tests */
s32 stage_user_pid(void)
{
	return pid_vnr(user_pid);
}

struct mm_struct *stage_user_mm(void)
{
	return user_mm;
}

void __user *stage_user_buffer(void)
{
	return (void __user *)user_buffer;
}

/* The registers of a CPU before the first session, different on each CPU */
struct model_regs stage_before(unsigned int cpu)
{
	struct model_regs regs = {
		.perfcntr = { 0x1122334400 + cpu, 0xffffffffff - cpu },
		.perfevtsel = { 0x12a7a000 + cpu, 0x00130000 + cpu },
		.spflt = (cpu & 1 ? MODEL_USER_PREF : 0) | (cpu & 3),
		.ctrl = cpu >> 1 & 3,
		.lvtpc = MODEL_LVT_MASKED | (0x80 + cpu),
	};

	return regs;
}

/* Check the registers after RESET_REGISTERS, which leaves the LVT entry to the local APIC. */
void stage_expect_forgotten(struct stage *st, unsigned int cpu)
{
	struct model_regs want = model_zeros;

	want.lvtpc = stage_before(cpu).lvtpc;
	model_expect_regs(st->test, model_of(cpu), &want);
}

/* Hotplug callbacks, as main.c registers them */
void stage_hotplug(struct stage *st, bool on)
{
	if (on)
		KUNIT_ASSERT_EQ(st->test, 0,
				knc_compat_hotplug_register(knc_sessions_online,
							    knc_sessions_offline));
	else
		knc_compat_hotplug_unregister();
}

static int stage_init_pmu(struct kunit *test, const struct model_pmu *pmu)
{
	struct model_regs before;
	struct stage *st;
	unsigned int cpu;

	/* the kernel has no reservations for these registers on other CPUs */
	if (knc_hw_probe())
		kunit_skip(test, "this CPU is no Knights Corner");
	st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);
	if (!st || num_online_cpus() < 2 || nr_cpu_ids > STAGE_CPUS)
		return -EINVAL;
	st->test = test;
	st->first = cpumask_first(cpu_online_mask);
	st->last = cpumask_last(cpu_online_mask);
	model_select(pmu);
	knc_test_pmi_init();
	model_use_per_cpu();
	knc_hwthreads_init();
	for_each_possible_cpu(cpu) {
		before = stage_before(cpu);
		model_fill(model_of(cpu), &before);
	}
	stage_hotplug(st, true);
	for_each_possible_cpu(cpu) {
		model_log_clear(model_of(cpu));
		/* slow enough for no throttling, unless a test wants it */
		model_of(cpu)->pace = tsc_khz / 10;
		/* RDPMC is permitted */
		model_of(cpu)->cr4 = MODEL_PCE;
	}
	test->priv = st;
	return 0;
}

int stage_init(struct kunit *test)
{
	return stage_init_pmu(test, &model_knc);
}

/* As stage_init(), with another PMU: slot 1 can only count one event */
int stage_init_wide(struct kunit *test)
{
	return stage_init_pmu(test, &model_wide);
}

static void expect_restored(struct stage *st)
{
	struct model_regs before;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		before = stage_before(cpu);
		if (!st->not_restored)
			model_expect_regs(st->test, model_of(cpu), &before);
		model_expect_clean(st->test, model_of(cpu));
	}
}

void stage_exit(struct kunit *test)
{
	struct stage *st = test->priv;
	unsigned int i, cpu;

	if (!st)
		return;
	for (i = 0; i < STAGE_SESSIONS; i++)
		stage_destroy(st, i);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			stage_add_cpu(st, cpu);
	KUNIT_EXPECT_EQ(test, knc_session_number(), 0);
	/* sessions of this test do not count against the limit of the next */
	knc_test_give_backs(KNC_TEST_GIVE_BACKS);
	stage_hotplug(st, false);
	/* check this while the test's PMU is still selected */
	expect_restored(st);
	model_leave();
}

void stage_remove_cpu(struct stage *st, unsigned int cpu)
{
	KUNIT_ASSERT_EQ(st->test, remove_cpu(cpu), 0);
}

void stage_add_cpu(struct stage *st, unsigned int cpu)
{
	KUNIT_ASSERT_EQ(st->test, add_cpu(cpu), 0);
}

/* Configure session @i for these events; the reason goes to @st->why. */
int stage_config_events(struct stage *st, unsigned int i, const struct cpumask *cpus,
			struct knc_event *events, unsigned int nr, u32 flags)
{
	struct knc_request c = st->sampling;
	int err;

	if (!st->session[i])
		st->session[i] = knc_session_create();
	KUNIT_ASSERT_NOT_NULL(st->test, st->session[i]);
	st->nr_events[i] = nr;
	memset(&st->why, 0, sizeof(st->why));
	c.nr_events = nr;
	c.events = events;
	c.flags |= flags;
	if (!(c.flags & KNC_PMU_CONFIG_TASK))
		c.cpus = cpus;
	err = knc_config_check(&c, &st->why);
	return err ? err : knc_session_config(st->session[i], &c, &st->why,
					      st->tell);
}

/* Configure session @i for the events of @p */
int stage_config(struct stage *st, unsigned int i, const struct cpumask *cpus,
		 struct placing *p, u32 flags)
{
	return stage_config_events(st, i, cpus, p->e, p->nr, flags);
}

/* Configure session @i for @nr events that any counter can count. */
void stage_claim(struct stage *st, unsigned int i, const struct cpumask *cpus,
		 unsigned int nr)
{
	struct placing p = { .nr = nr };

	placing_set(&p, 0, &stage_any, 0);
	placing_set(&p, 1, &stage_any, 0);
	KUNIT_ASSERT_EQ(st->test, stage_config(st, i, cpus, &p, 0), 0);
}

void stage_destroy(struct stage *st, unsigned int i)
{
	if (st->session[i])
		knc_session_destroy(st->session[i]);
	st->session[i] = NULL;
}

/* Let n + @events of the first event happen on each CPU n, and twice as many of the second. */
void stage_run(unsigned int events)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		model_run(model_of(cpu), cpu + events, 2 * (cpu + events));
}

/* Fill the buffer, to detect fields that READ does not write. */
static void poison(struct stage *st)
{
	static u8 bytes[USER_BYTES];

	memset(bytes, POISON, sizeof(bytes));
	KUNIT_EXPECT_EQ(st->test, 0, copy_to_user((void __user *)user_buffer,
						  bytes, sizeof(bytes)));
}

/* Check that READ or STATS has not written to the buffer from byte @at on. */
static void expect_poison(struct stage *st, size_t at)
{
	u8 after = POISON;

	if (at < USER_BYTES)
		KUNIT_EXPECT_EQ(st->test, 0,
				copy_from_user(&after, (void __user *)user_buffer + at, 1));
	KUNIT_EXPECT_EQ(st->test, after, POISON);
}

static size_t record_bytes(const struct stage *st, unsigned int i)
{
	return KNC_PMU_THREAD_SIZE(st->nr_events[i]);
}

static void copy_records(struct stage *st, unsigned int i, unsigned int nr)
{
	void __user *from = (void __user *)user_buffer;
	unsigned int k;

	memset(st->record, 0, sizeof(st->record));
	for (k = 0; k < nr; k++, from += record_bytes(st, i))
		KUNIT_EXPECT_EQ(st->test, 0,
				copy_from_user(&st->record[k], from,
					       record_bytes(st, i)));
	expect_poison(st, nr * record_bytes(st, i));
}

/* READ into @size bytes; with @size 0 into memory that is not mapped */
int stage_read_raw(struct stage *st, unsigned int i, u64 size)
{
	void __user *to = (void __user *)(size ? user_buffer : 8);
	int ret;

	kthread_use_mm(user_mm);
	poison(st);
	ret = knc_session_read(st->session[i], to, size ?: USER_BYTES,
			       st->read_flags);
	if (ret > 0)
		copy_records(st, i, ret);
	kthread_unuse_mm(user_mm);
	return ret;
}

/* READ with exactly the room needed */
void stage_read(struct stage *st, unsigned int i)
{
	int ret = stage_read_raw(st, i, USER_BYTES);

	KUNIT_ASSERT_GT(st->test, ret, 0);
	KUNIT_EXPECT_EQ(st->test, ret,
			stage_read_raw(st, i, ret * record_bytes(st, i)));
}

/* STATS with room for @nr; the answer is copied to @stats. */
int stage_stats(struct stage *st, struct knc_pmu_stats *stats, unsigned int nr)
{
	struct knc_copy_list out = {
		.to = (void __user *)user_buffer,
		.nr = nr,
		.size = sizeof(*stats),
	};
	int ret;

	kthread_use_mm(user_mm);
	poison(st);
	ret = knc_query_stats(&out);
	if (ret > 0)
		KUNIT_EXPECT_EQ(st->test, 0, copy_from_user(stats, out.to, nr * sizeof(*stats)));
	expect_poison(st, nr * sizeof(*stats));
	kthread_unuse_mm(user_mm);
	return ret;
}
