// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains: exact addresses in programs of known depth, invalid frame pointers, the kernel in a
 * system call. Copies of the stack are compared byte for byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "ring.h"

#define CPU	1
#define N	4000000UL

/* The function in which samples must have this chain; @ip is the first address of the chain */
static struct symbol place;
static unsigned long long want[8];
static unsigned int nr_want;
static unsigned long rbp;	/* the program's argument */
static unsigned long long there, late, elsewhere;

static const __u64 *chain_of(const struct knc_pmu_sample *s)
{
	return (const __u64 *)(s + 1);
}

static void check_chain(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	unsigned int i;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	if (is_late(s)) {
		late++;
		return;
	}
	if (!within(&place, s->ip)) {
		elsewhere++;
		return;
	}
	there++;
	check(s->nr_kernel, 0);
	if (s->nr_user != nr_want)
		fail("frame pointer %#lx: %u frames, should be %u", rbp,
		     s->nr_user, nr_want);
	check(chain_of(s)[0], s->ip);
	for (i = 1; i < nr_want; i++)
		check(chain_of(s)[i], want[i]);
}

static void forget_samples(void)
{
	there = 0;
	late = 0;
	elsewhere = 0;
}

static void run_chain(const char *program, unsigned long m, unsigned int frames)
{
	struct run run;

	memset(&run, 0, sizeof(run));
	rbp = m;
	run.ring.each = check_chain;
	run.begin = forget_samples;
	ask(&run.r, CPU, 1);
	ask_sample(&run.r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	run.r.c.flags = KNC_PMU_CONFIG_CHAIN_USER;
	run.r.c.max_frames = frames;
	run_unthrottled(&run, CPU, program, N, m);
	check(there + late, run.count[0] / PERIOD);
	check(late <= there / 5, 1);
	check(elsewhere, 0);
	end_run(&run);
}

static unsigned long long address(const char *program, const char *name)
{
	struct symbol symbol;

	find_symbol(program, name, &symbol);
	return symbol.begin;
}

static void want_chain(void)
{
	static const char * const returns[] = {
		"after_leaf", "after_inner", "after_middle", "after_outer",
		"after_work"
	};
	unsigned int i;

	find_symbol("nested", "leaf_loop", &place);
	for (i = 0; i < ARRAY_SIZE(returns); i++)
		want[1 + i] = address("nested", returns[i]);
	nr_want = 1 + ARRAY_SIZE(returns);
}

static void test_user(void)
{
	want_chain();
	run_chain("nested", 0, KNC_PMU_MAX_FRAMES);
	run_chain("nested", 0, nr_want);
}

/* No more frames than were asked for, the innermost ones */
static void test_bounded(void)
{
	want_chain();
	for (nr_want = 1; nr_want < 6; nr_want++)
		run_chain("nested", 0, nr_want);
}

/* Invalid frame pointers, and pointers to invalid frames */
static void test_bad_frames(void)
{
	static const struct {
		unsigned long rbp;
		unsigned int nr;
		unsigned long long frames[2];
	} cases[] = {
		{ 1, 2, { 0x1234 } },		/* points to itself */
		{ 2, 3, { 0x1234, 0x5678 } },	/* two frames point to each other */
		{ 3, 1, { 0 } },		/* half of the frame is not mapped */
		{ 4, 1, { 0 } },		/* returns to 0 */
		{ 5, 2, { 0x1234 } },		/* a frame at an odd address */
		{ 8, 1, { 0 } },		/* unmapped */
		{ 0x1000, 1, { 0 } },
		{ 0x7ffffffffff8, 1, { 0 } },	/* the end of user space */
		{ 0x7ffffffff000, 1, { 0 } },
		{ 0x800000000000, 1, { 0 } },	/* not canonical */
		{ 0x8000000000000000, 1, { 0 } },
		{ 0xffff7ffffffffff8, 1, { 0 } },
		{ 0xffff888000000000, 1, { 0 } },	/* in the kernel */
		{ 0xffffffff81000000, 1, { 0 } },
		{ 0xffffffffff600000, 1, { 0 } },	/* vsyscall */
		{ 0xfffffffffffffff8, 1, { 0 } },	/* wraps around */
		{ 0xffffffffffffffff, 1, { 0 } },
	};
	unsigned int i;

	find_symbol("rbp", "rbp_loop", &place);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		nr_want = cases[i].nr;
		memcpy(want + 1, cases[i].frames, sizeof(cases[i].frames));
		run_chain("rbp", cases[i].rbp, KNC_PMU_MAX_FRAMES);
	}
}

/* The kernel */

static struct symbol system_call;
static unsigned int max_frames;
static unsigned long long in_system_call, in_kernel, in_user, deepest;

/* A function of the kernel, up to the next symbol */
static void find_kernel_symbol(const char *name, struct symbol *symbol)
{
	unsigned long long address;
	char line[512], found[256], type;
	FILE *file = fopen("/proc/kallsyms", "r");

	if (!file)
		fail("no /proc/kallsyms");
	symbol->begin = 0;
	symbol->end = ~0ULL;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c %255s", &address, &type, found) == 3 &&
		    !strcmp(found, name))
			symbol->begin = address;
	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx", &address) == 1 &&
		    address > symbol->begin && address < symbol->end)
			symbol->end = address;
	fclose(file);
	check(symbol->begin != 0, 1);
}

static void check_kernel(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	const __u64 *chain = chain_of(s);
	unsigned int i;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE)
		return;
	check(s->nr_kernel <= max_frames, 1);
	check(s->nr_user <= max_frames, 1);
	check(s->nr_kernel > 0, !(s->flags & KNC_PMU_SAMPLE_USER));
	if (s->nr_kernel > deepest)
		deepest = s->nr_kernel;
	if (s->flags & KNC_PMU_SAMPLE_USER) {
		in_user++;
		check(chain[0], s->ip);
		return;
	}
	in_kernel++;
	check(chain[0], s->ip);
	for (i = 0; i < s->nr_kernel; i++)
		check(chain[i] >> 63, 1);
	for (; i < s->nr_kernel + s->nr_user; i++)
		check(chain[i] >> 63, 0);
	for (i = 0; i < s->nr_kernel; i++)
		in_system_call += within(&system_call, chain[i]);
}

static void forget_kernel(void)
{
	in_system_call = 0;
	in_kernel = 0;
	in_user = 0;
	deepest = 0;
}

#define CALLS	(N / 40 / slow())
/* Walking the kernel's stack takes long: a longer period avoids a storm of interrupts */
#define KERNEL_PERIOD	(slow() > 1 || getenv("KNC_TEST_PMI") ? PERIOD : 4 * PERIOD)

static void run_kernel(unsigned int flags, unsigned int frames,
		       unsigned long long period)
{
	struct run run;

	memset(&run, 0, sizeof(run));
	max_frames = frames;
	run.ring.each = check_kernel;
	run.begin = forget_kernel;
	ask(&run.r, CPU, 1);
	run.r.c.ring_size = KNC_PMU_MAX_RING;
	ask_sample(&run.r, 0, INSTRUCTIONS_EXECUTED, flags, period);
	run.r.c.flags = KNC_PMU_CONFIG_CHAIN_KERNEL | KNC_PMU_CONFIG_CHAIN_USER;
	run.r.c.max_frames = frames;
	run_unthrottled(&run, CPU, "getppid", CALLS, 0);
	note("%llu in the kernel, %llu of system calls; %llu in user mode; to %llu frames",
	     in_kernel, in_system_call, in_user, deepest);
	end_run(&run);
}

static void test_kernel(void)
{
	find_kernel_symbol("do_syscall_64", &system_call);
	run_kernel(OS, KNC_PMU_MAX_FRAMES, KERNEL_PERIOD);
	check(in_kernel > 100, 1);
	/* the last instruction of the system call returns to user mode */
	if (has_nmis())
		check(in_user < in_kernel / 20, 1);
	/*
	 * Other samples are taken on entry and exit of the system call, and in interrupts: the
	 * slower the machine, the more of these.
	 */
	check(in_system_call * KERNEL_PERIOD > 50 * CALLS, 1);
	check(deepest > 2 && deepest < 100, 1);
	/*
	 * only one instruction in some hundred belongs to the program: a short period samples
	 * enough of them
	 */
	run_kernel(OS | USR, 2, PERIOD);
	check(in_kernel > 100, 1);
	check(in_user > 0 || slow() > 1, 1);
	check(deepest, 2);
}

/* Copies of the stack */

#define COPY		4096
#define PAGES		(2 * 4096UL)	/* of a stack directly below memory that can't be read */
#define FILLED		0x5a

static unsigned long long copies, edge;

/* The frames of "nested" are in the copy, where the sample's frame pointer says */
static void check_copy(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	const struct knc_pmu_stack *stack = stack_of(s);
	const __u64 *words = (const __u64 *)(stack + 1);
	unsigned long long sp = stack->regs[KNC_PMU_STACK_SP], at;
	unsigned int i;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE || is_late(s) || !within(&place, s->ip))
		return;
	copies++;
	check(s->flags, KNC_PMU_SAMPLE_USER | KNC_PMU_SAMPLE_STACK);
	check(stack->flags, 0);
	check(stack->regs[KNC_PMU_STACK_IP], s->ip);
	check(stack->size > 0 && stack->size < COPY, 1);
	at = stack->regs[KNC_PMU_STACK_BP];
	for (i = 1; i < nr_want; i++) {
		at = (at - sp) / 8;
		check(at + 1 < stack->size / 8, 1);
		check(words[at + 1], want[i]);
		at = words[at];
	}
}

static void forget_copies(void)
{
	copies = 0;
}

/* Samples of INSTRUCTIONS_EXECUTED in mode @flags with copies of the stack */
static void ask_copies(struct run *run, unsigned int flags, unsigned long long period)
{
	ask(&run->r, CPU, 1);
	run->r.c.ring_size = KNC_PMU_MAX_RING;
	ask_sample(&run->r, 0, INSTRUCTIONS_EXECUTED, flags, period);
	run->r.c.flags = KNC_PMU_CONFIG_STACK;
	run->r.c.stack_size = COPY;
}

static void test_stack(void)
{
	struct run run;

	memset(&run, 0, sizeof(run));
	want_chain();
	run.ring.each = check_copy;
	run.begin = forget_copies;
	ask_copies(&run, USR, PERIOD);
	run_unthrottled(&run, CPU, "nested", N, 0);
	check(copies > run.count[0] / PERIOD * 4 / 5, 1);
	end_run(&run);
}

/* The stack ends at @edge, and no memory follows it: the copy ends there */
static void check_absent(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	const struct knc_pmu_stack *stack = stack_of(s);
	const unsigned char *bytes = (const unsigned char *)(stack + 1);
	unsigned long long sp = stack->regs[KNC_PMU_STACK_SP];

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE || sp >= edge || sp < edge - PAGES)
		return;
	copies++;
	check(stack->flags, KNC_PMU_STACK_ABSENT);
	check(stack->size, (edge - sp) & ~7ULL);
	check(bytes[stack->size - 1], FILLED);
}

static void loop_there(void)
{
	loop(N);
}

/* The upper part of the page is filled; the stack begins below that part */
static void run_there(void)
{
	static ucontext_t back, there;

	getcontext(&there);
	there.uc_stack.ss_sp = (void *)(unsigned long)(edge - PAGES);
	there.uc_stack.ss_size = PAGES - 512;
	there.uc_link = &back;
	makecontext(&there, loop_there, 0);
	swapcontext(&back, &there);
}

static void test_stack_absent(void)
{
	unsigned char *at = mmap(NULL, 2 * PAGES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct request r;
	struct ring ring;
	int fd = open_device();

	check(at != MAP_FAILED, 1);
	memset(at, FILLED, 2 * PAGES);
	check(mprotect(at + PAGES, PAGES, PROT_NONE), 0);
	edge = (unsigned long)at + PAGES;
	copies = 0;
	pin(CPU);
	ask_task(&r, 0, 0, 1);
	r.c.ring_size = KNC_PMU_MAX_RING;
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, 10 * PERIOD);
	r.c.flags |= KNC_PMU_CONFIG_STACK;
	r.c.stack_size = KNC_PMU_MAX_STACK;
	memset(&ring, 0, sizeof(ring));
	ring.each = check_absent;
	check(config(fd, &r), 0);
	map_ring(&ring, fd, CPU, CPU, r.c.ring_size);
	check(start(fd), 0);
	run_there();
	check(stop(fd), 0);
	drain_ring(&ring);
	note("%llu copies of %llu samples", copies, ring.samples[0]);
	/* throttling depends on the machine's load, and so does the number of copies */
	check(copies > 3, 1);
	check(copies + 3 > ring.samples[0], 1);
	close(fd);
}

/*
 * For a sample in a system call the registers are those with which the program entered the kernel
 */
static void check_calls(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	const struct knc_pmu_stack *stack = stack_of(s);

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SAMPLE || !(s->flags & KNC_PMU_SAMPLE_STACK))
		return;
	check(stack->regs[KNC_PMU_STACK_IP] >> 47, 0);
	check(stack->regs[KNC_PMU_STACK_SP] >> 47, 0);
	if (s->flags & KNC_PMU_SAMPLE_USER) {
		check(stack->flags, 0);
		return;
	}
	if (stack->flags & KNC_PMU_STACK_NO_REGS) {
		in_user++;
		check(stack->size, 0);
		return;
	}
	in_kernel++;
	check(stack->size > 0, 1);
}

static void test_stack_kernel(void)
{
	struct run run;

	memset(&run, 0, sizeof(run));
	run.ring.each = check_calls;
	run.begin = forget_kernel;
	ask_copies(&run, OS, KERNEL_PERIOD);
	run_unthrottled(&run, CPU, "getppid", CALLS, 0);
	note("%llu in the kernel, %llu of them while it was entered", in_kernel + in_user, in_user);
	check(in_kernel > 50, 1);
	check(in_user < in_kernel, 1);
	end_run(&run);
}

static const struct test tests[] = {
	{ "chain.user", test_user },
	{ "chain.bounded", test_bounded },
	{ "chain.bad-frames", test_bad_frames },
	{ "chain.kernel", test_kernel },
	{ "chain.stack", test_stack },
	{ "chain.stack-absent", test_stack_absent },
	{ "chain.stack-kernel", test_stack_kernel },
};

TEST_PROGRAM(tests)
