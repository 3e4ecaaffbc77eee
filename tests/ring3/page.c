// SPDX-License-Identifier: GPL-2.0
/*
 * knc_read() on the card, with a page that the test makes: its results for raw counters, the
 * instructions that it executes, and the consistency of its counts if the page changes at any of
 * its instructions. A trap after each instruction stands for a context switch.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <ucontext.h>

#include <knc/ring3.h>

#define FLAG_TF		0x100
#define MAX_STEPS	200

struct page {
	struct knc_pmu_page now, other;
	int step, change_at;
};

static struct page page;
/* volatile: keeps the compiler from cloning a function for this value */
static volatile int never = -1;
static struct knc_self self;
static int failed;

static void expect(int good, const char *what, long n)
{
	if (good)
		return;
	printf("not ok %s %ld\n", what, n);
	failed = 1;
}

static void write_msr(unsigned int msr, unsigned long value)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/cpu/0/msr", O_RDWR);
	if (pwrite(fd, &value, sizeof(value), msr) != sizeof(value)) {
		printf("not ok /dev/cpu/0/msr: %s\n", strerror(errno));
		exit(1);
	}
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	if (page.step++ == page.change_at)
		page.now = page.other;
}

/* Trap after the next instruction and all later ones, also after the one that clears the flag */
static inline __attribute__((__always_inline__)) void trap_on(void)
{
	__asm__ __volatile__("sub $128, %%rsp\n\t"
			     "pushfq\n\t"
			     "orq %0, (%%rsp)\n\t"
			     "popfq\n\t"
			     "lea 128(%%rsp), %%rsp"
			     : : "i" (FLAG_TF) : "cc", "memory");
}

static inline __attribute__((__always_inline__)) void trap_off(void)
{
	__asm__ __volatile__("lea -128(%%rsp), %%rsp\n\t"
			     "pushfq\n\t"
			     "andq %0, (%%rsp)\n\t"
			     "popfq\n\t"
			     "lea 128(%%rsp), %%rsp"
			     : : "i" (~FLAG_TF) : "cc", "memory");
}

/* The number of instructions of trap_on() and trap_off() themselves */
static int nothing(void)
{
	page.step = 0;
	page.change_at = never;
	trap_on();
	trap_off();
	return page.step;
}

static __attribute__((__noinline__)) int
stepped_read(unsigned long *count, int change_at)
{
	int ret;

	page.step = 0;
	page.change_at = change_at;
	trap_on();
	ret = knc_read(&self, count);
	trap_off();
	return ret;
}

static __attribute__((__noinline__)) int
stepped_read1(unsigned int event, unsigned long *count, int change_at)
{
	int ret;

	page.step = 0;
	page.change_at = change_at;
	trap_on();
	ret = knc_read1(&self, event, count);
	trap_off();
	return ret;
}

/* A raw counter and an offset: the sign, the carry, all 64 bits */
static void test_values(void)
{
	static const unsigned long raw[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffff,
		0x8000000000, 0x8000000001, 0xff7fffffff, 0xffffffffff
	};
	static const unsigned long offset[] = {
		0, 1, 0x8000000000, 0x123456789abcdef0, ~0UL
	};
	unsigned long count[2], one;
	long want, other;
	unsigned int i, k;

	for (i = 0; i < sizeof(raw) / sizeof(*raw); i++) {
		write_msr(KNC_IA32_PERFCNTR0, raw[i]);
		write_msr(KNC_IA32_PERFCNTR1, raw[9 - i]);
		/* arithmetic shift: 40 bits to 64 */
		want = (long)(raw[i] << 24) >> 24;
		other = (long)(raw[9 - i] << 24) >> 24;
		for (k = 0; k < 5; k++) {
			page.now.offset[0] = offset[k];
			page.now.offset[1] = offset[4 - k];
			page.now.counter[0] = 0;
			page.now.counter[1] = 1;
			expect(!knc_read(&self, count), "values", i);
			expect(count[0] == want + offset[k], "first", i);
			expect(count[1] == other + offset[4 - k], "second", i);
			page.now.counter[0] = 1;
			expect(!knc_read1(&self, 0, &one), "values", i);
			expect(one == other + offset[k], "other counter", i);
		}
	}
	printf("values checked\n");
}

/*
 * The page and the counters change, as when the thread migrates. knc_read() must never return a
 * count made of an old offset and a new counter, or the reverse.
 */
static void test_interrupted(void)
{
	const unsigned long event[2] = { 0x1000000001, 0x2000000002 };
	struct knc_pmu_page before;
	unsigned long count[2];
	int at, kind, ret, steps, retries = 0, calls = 0;

	write_msr(KNC_IA32_PERFCNTR0, 0x8000001234);
	write_msr(KNC_IA32_PERFCNTR1, 0x70);
	memset(&before, 0, sizeof(before));
	before.seq = 4;
	before.nr_events = 2;
	before.counter[1] = 1;
	before.offset[0] = event[0] - 0xffffff8000001234;
	before.offset[1] = event[1] - 0x70;
	page.other = before;
	page.other.counter[0] = 1;
	page.other.counter[1] = 0;
	page.other.offset[0] = event[0] - 0x70;
	page.other.offset[1] = event[1] - 0xffffff8000001234;
	page.now = before;
	stepped_read(count, never);
	steps = page.step;
	for (at = 0; at < MAX_STEPS; at++) {
		for (kind = 0; kind < 4; kind++) {
			page.now = before;
			/*
			 * odd: the page is invalid; knc_read() uses READ, which fails without a
			 * session
			 */
			page.other.seq = kind & 1 ? 7 : 6;
			memset(count, 0, sizeof(count));
			if (kind < 2)
				ret = stepped_read(count, at);
			else
				ret = stepped_read1(1, &count[1], at);
			expect(!ret || ret == -EBADF, "answer", at);
			expect(!ret || kind & 1, "needless READ", at);
			expect(ret || kind > 1 || count[0] == event[0], "first", at);
			expect(ret || count[1] == event[1], "second", at);
			calls += ret != 0;
			retries += !kind && page.step > steps;
		}
	}
	/* one retry for each instruction between the first and the last reading of seq */
	printf("retries %d\n", retries);
	printf("calls %d\n", calls);
}

/* Executed instructions, including the stores of the counts */
static void test_cost(void)
{
	unsigned long count[2];
	int none;

	memset(&page.now, 0, sizeof(page.now));
	page.now.counter[1] = 1;
	none = nothing();
	expect(!stepped_read(count, never), "read", 0);
	printf("read %d\n", page.step - none);
	expect(!stepped_read1(1, count, never), "read1", 0);
	printf("read1 %d\n", page.step - none);
}

static void *in_another_thread(void *arg)
{
	unsigned long count[2] = { 7, 7 };

	expect(knc_read(&self, count) == -EBADF, "read in another thread", 0);
	expect(knc_read1(&self, 1, count) == -EBADF, "read1 in another thread", 0);
	expect(knc_read_times(&self, count, count) == -EBADF,
	       "times in another thread", 0);
	expect(count[0] == 7 && count[1] == 7, "counts are left alone", 0);
	return arg;
}

/* Times in ns, by a page whose time began 2^40 ticks before the time stamp counter's zero */
static void test_times(void)
{
	unsigned long enabled, running, tsc, before, after;

	page.now.tsc_khz = 2500000;
	page.now.time_enabled = 1UL << 40;
	page.now.time_running = -knc_rdtsc();
	tsc = knc_rdtsc();
	expect(!knc_read_times(&self, &enabled, &running), "times", 0);
	before = ((1UL << 40) + tsc) / 5 * 2;
	after = ((1UL << 40) + knc_rdtsc()) / 5 * 2 + 2;
	expect(enabled >= before && enabled <= after, "enabled", enabled);
	expect(running <= after - before + 100000, "running", running);
	/* a product of more than 64 bits */
	page.now.time_enabled = 0x4000000000000000 - knc_rdtsc();
	expect(!knc_read_times(&self, &enabled, &running), "times", 1);
	expect(enabled / 1000000000000 == 0x4000000000000000 / 5 * 2 / 1000000000000,
	       "long", enabled);
	printf("times checked\n");
}

int main(void)
{
	struct sigaction action;
	struct knc_self none;
	unsigned long count[2];
	pthread_t thread;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (knc_ring3_init() != KNC_RING3_OK) {
		printf("not ok counters can't be read\n");
		return 1;
	}
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &action, NULL);

	/* no session: every call is a READ of an invalid file */
	expect(knc_self_open(&none, -1) == -EBADF, "no session", 0);
	expect(knc_read(&none, count) == -EBADF, "read of none", 0);
	expect(knc_read1(&none, 1, count) == -EBADF, "read1 of none", 0);
	expect(knc_read_times(&none, count, count) == -EBADF, "times of none", 0);
	knc_self_close(&none);

	knc_self_open(&self, -1);
	self.page = &page.now;
	test_values();
	test_interrupted();
	test_cost();
	test_times();
	pthread_create(&thread, NULL, in_another_thread, NULL);
	pthread_join(thread, NULL);
	write_msr(KNC_IA32_PERFCNTR0, 0);
	write_msr(KNC_IA32_PERFCNTR1, 0);
	printf("done %d\n", failed);
	return failed;
}
