// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of a program's stack in samples: registers, sizes, and missing parts. The program's memory
 * is a fake: it ends at one address, and has the same byte everywhere.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/cpu_entry_area.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

#include "fakes.h"
#include "hwthread_fixture.h"
#include "request/samples.h"
#include "sample/stack.h"
#include "units.h"

#define SP	0x7ffc00001230UL
#define ROOM	256
#define UNTOUCHED 0x11

/**
 * struct copied - what knc_stack_write() has written
 * @s: registers and sizes
 * @bytes: the stack, and bytes that must remain as they are
 */
struct copied {
	struct knc_pmu_stack s;
	u8 bytes[ROOM + 64];
};

/* An interrupted program, with a different value in each register */
static struct task_struct *program(struct kunit *test, struct pt_regs *regs)
{
	struct task_struct *task = fake_task(test);
	unsigned long *word = (unsigned long *)regs;
	unsigned int i;

	for (i = 0; i < sizeof(*regs) / sizeof(*word); i++)
		word[i] = 0x1000 + i;
	regs->cs = __USER_CS;
	regs->sp = SP;
	knc_test_memory_end = TASK_SIZE_MAX;
	fake_set_current(task);
	return task;
}

static void expect_copy(struct kunit *test, const char *what, struct pt_regs *regs, u32 max,
			u32 flags, u32 size)
{
	struct copied *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u32 bytes;

	KUNIT_ASSERT_NOT_NULL(test, c);
	memset(c, UNTOUCHED, sizeof(*c));
	bytes = knc_stack_write(regs, c, max);
	KUNIT_EXPECT_EQ_MSG(test, c->s.flags, flags, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, c->s.size, size, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, bytes, KNC_PMU_STACK_SIZE(size), "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, c->bytes[max], UNTOUCHED, "%s", what);
	if (size)
		KUNIT_EXPECT_EQ_MSG(test, c->bytes[size - 1], KNC_TEST_MEMORY, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, c->s.regs[KNC_PMU_STACK_IP],
			    flags & KNC_PMU_STACK_NO_REGS ? 0 : regs->ip, "%s", what);
	kunit_kfree(test, c);
}

static void registers(struct kunit *test)
{
	struct pt_regs regs;
	struct copied *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	const u64 *r = c->s.regs;

	KUNIT_ASSERT_NOT_NULL(test, c);
	program(test, &regs);
	knc_stack_write(&regs, c, 64);
	fake_set_current(NULL);
	/* DWARF's numbers for x86-64: figure 3.36 of the ABI */
	KUNIT_EXPECT_EQ(test, r[0], regs.ax);
	KUNIT_EXPECT_EQ(test, r[1], regs.dx);
	KUNIT_EXPECT_EQ(test, r[2], regs.cx);
	KUNIT_EXPECT_EQ(test, r[3], regs.bx);
	KUNIT_EXPECT_EQ(test, r[4], regs.si);
	KUNIT_EXPECT_EQ(test, r[5], regs.di);
	KUNIT_EXPECT_EQ(test, r[6], regs.bp);
	KUNIT_EXPECT_EQ(test, r[7], regs.sp);
	KUNIT_EXPECT_EQ(test, r[8], regs.r8);
	KUNIT_EXPECT_EQ(test, r[9], regs.r9);
	KUNIT_EXPECT_EQ(test, r[10], regs.r10);
	KUNIT_EXPECT_EQ(test, r[11], regs.r11);
	KUNIT_EXPECT_EQ(test, r[12], regs.r12);
	KUNIT_EXPECT_EQ(test, r[13], regs.r13);
	KUNIT_EXPECT_EQ(test, r[14], regs.r14);
	KUNIT_EXPECT_EQ(test, r[15], regs.r15);
	KUNIT_EXPECT_EQ(test, r[16], regs.ip);
}

/* Copies have at most the requested bytes, the existing bytes, and the first thread's stack */
static void lengths(struct kunit *test)
{
	struct pt_regs regs;
	struct task_struct *task = program(test, &regs);

	expect_copy(test, "all", &regs, ROOM, 0, ROOM);
	expect_copy(test, "no room", &regs, 0, KNC_PMU_STACK_NO_ROOM, 0);
	knc_test_memory_end = SP + 77;
	expect_copy(test, "a page is not there", &regs, ROOM, KNC_PMU_STACK_ABSENT, 72);
	knc_test_memory_end = SP;
	expect_copy(test, "no page is there", &regs, ROOM, KNC_PMU_STACK_ABSENT, 0);
	knc_test_memory_end = TASK_SIZE_MAX;
	task->mm->start_stack = SP + 44;
	expect_copy(test, "the stack ends", &regs, ROOM, 0, 40);
	task->mm->start_stack = SP - 8;
	expect_copy(test, "above the first thread's", &regs, ROOM, 0, ROOM);
	regs.sp = TASK_SIZE_MAX - 20;
	expect_copy(test, "at the end of user memory", &regs, ROOM, 0, 16);
	knc_test_copies = 0;
	regs.sp = TASK_SIZE_MAX;
	expect_copy(test, "beyond user memory", &regs, ROOM, 0, 0);
	regs.sp = 0xffffffff81234560;
	expect_copy(test, "an address of the kernel", &regs, ROOM, 0, 0);
	KUNIT_EXPECT_EQ(test, knc_test_copies, 0);
	regs.sp = 0xffffd000;
	regs.cs = __USER32_CS;
	expect_copy(test, "32 bits", &regs, ROOM, KNC_PMU_STACK_32BIT, ROOM);
	fake_set_current(NULL);
	knc_test_memory_end = 0;
}

/* In the kernel, the registers copied are the program's, from its entry; never the kernel's. */
static void kernel_mode(struct kunit *test)
{
	struct pt_regs regs, *saved;
	unsigned long sp;

	saved = task_pt_regs(program(test, &regs));
	*saved = regs;
	memset(&regs, 0xff, sizeof(regs));
	regs.cs = __KERNEL_CS;
	regs.ip = saved->ip;	/* expected by expect_copy(), though the kernel does not write it */
	regs.sp = (unsigned long)(saved - 3);
	expect_copy(test, "deep in the kernel", &regs, ROOM, 0, ROOM);
	regs.sp = (unsigned long)saved;
	expect_copy(test, "all are saved", &regs, ROOM, 0, ROOM);
	regs.sp = (unsigned long)(saved + 100);
	expect_copy(test, "on another stack", &regs, ROOM, 0, ROOM);
	knc_test_copies = 0;
	for (sp = (unsigned long)saved + 8; sp <= (unsigned long)(saved + 1); sp += 8) {
		regs.sp = sp;
		expect_copy(test, "some are saved", &regs, ROOM, KNC_PMU_STACK_NO_REGS, 0);
	}
	regs.sp = SP;
	expect_copy(test, "on the program's stack", &regs, ROOM, KNC_PMU_STACK_NO_REGS, 0);
	regs.sp = CPU_ENTRY_AREA_BASE + 0x1fd8;
	expect_copy(test, "on the entry stack", &regs, ROOM, KNC_PMU_STACK_NO_REGS, 0);
	regs.sp = (unsigned long)(saved - 3);
	saved->cs = __KERNEL_CS;
	expect_copy(test, "no program", &regs, ROOM, KNC_PMU_STACK_NO_REGS, 0);
	KUNIT_EXPECT_EQ(test, knc_test_copies, 0);
	fake_set_current(NULL);
	knc_test_memory_end = 0;
}

static void expect_refused(struct kunit *test, u32 flags, u32 size, u32 ring, u32 reason)
{
	struct knc_event event = { .flags = KNC_PMU_EVENT_SAMPLE, .sample_period = 1000 };
	struct knc_request req = {
		.flags = flags, .nr_events = 1, .events = &event,
		.stack_size = size, .ring_size = ring,
	};
	struct knc_refusal why = { 0 };
	int err = knc_samples_check(&req, &why);

	KUNIT_EXPECT_EQ_MSG(test, why.reason, reason, "%u bytes, ring %u", size, ring);
	KUNIT_EXPECT_EQ(test, err, reason == KNC_PMU_REASON_NONE ? 0 : -EINVAL);
	if (reason != KNC_PMU_REASON_NONE)
		return;
	event.flags = 0;
	event.sample_period = 0;
	req.sample_interval = KNC_PMU_MIN_INTERVAL;
	KUNIT_EXPECT_EQ(test, knc_samples_check(&req, &why), size ? -EINVAL : 0);
	KUNIT_EXPECT_EQ(test, why.reason, size ? KNC_PMU_REASON_STACK : KNC_PMU_REASON_NONE);
}

static void bounds(struct kunit *test)
{
	const u32 most = KNC_PMU_MAX_STACK, bit = KNC_PMU_CONFIG_STACK;

	expect_refused(test, 0, 0, 1 << 16, KNC_PMU_REASON_NONE);
	expect_refused(test, 0, 8, 1 << 16, KNC_PMU_REASON_STACK);
	expect_refused(test, bit, 0, 1 << 16, KNC_PMU_REASON_STACK);
	expect_refused(test, bit, 8, 1 << 16, KNC_PMU_REASON_NONE);
	expect_refused(test, bit, 12, 1 << 16, KNC_PMU_REASON_STACK);
	expect_refused(test, bit, most, 1 << 17, KNC_PMU_REASON_NONE);
	expect_refused(test, bit, most + 8, 1 << 18, KNC_PMU_REASON_STACK);
	expect_refused(test, bit, ~7U, 1 << 18, KNC_PMU_REASON_STACK);
	/* two samples: 184 bytes without chains, 144 of registers */
	expect_refused(test, bit, 8192 - 328, 1 << 14, KNC_PMU_REASON_NONE);
	expect_refused(test, bit, 8192 - 320, 1 << 14, KNC_PMU_REASON_RING_SIZE);
}

/* The ring has room only for the sample without the copy, then not even for that. */
static void ring_full(struct kunit *test)
{
	struct bench *b = test->priv;
	struct knc_pmu_ring *page;
	struct knc_claim *c;

	b->config.flags = KNC_PMU_CONFIG_STACK | KNC_PMU_CONFIG_CHAIN_USER;
	b->config.stack_size = 2048;
	b->config.max_frames = 1;
	b->config.ring_size = 8192;
	c = bench_sampled(b, 0, 0, 100, 0);
	page = b->sampler[0].ring.control;
	program(test, &b->model.pt_regs);
	/* a frame pointer beyond user memory: the chain has one frame */
	b->model.pt_regs.bp = ~0UL;
	bench_begin(b, c);
	model_run(&b->model, 10000, 0);
	bench_stop(b, c);
	fake_set_current(NULL);
	bench_expect_sums(b, 0);
	KUNIT_EXPECT_EQ(test, b->tally[0].copies, 3);
	KUNIT_EXPECT_GT(test, b->tally[0].no_room, 2);
	KUNIT_EXPECT_GT(test, page->lost, 1);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0] + page->lost, 100);
	KUNIT_EXPECT_EQ(test, b->tally[0].samples[0], 3 + b->tally[0].no_room);
	memset(&b->model.pt_regs, 0, sizeof(b->model.pt_regs));
	knc_test_memory_end = 0;
	bench_detach(b, c);
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(registers),
	KUNIT_CASE(lengths),
	KUNIT_CASE(kernel_mode),
	KUNIT_CASE(bounds),
	KUNIT_CASE(ring_full),
	{}
};

KNC_SUITE(stack, bench_init, bench_exit);

kunit_test_suite(stack_suite);
