// SPDX-License-Identifier: GPL-2.0
/*
 * Regions on the card. Each test is an argument, and prints its figures; the counts are
 * INSTRUCTIONS_EXECUTED and DATA_READ in user mode.
 *
 * Built with --wrap=malloc and the like, to count allocations.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <knc/ring3.h>

#define THREADS	64
#define VISITS	100000

/* Iterations of an empty loop; its instructions are counted without the setup */
#define ROUNDS	1000
#define LOOP	(2 * ROUNDS)
/* Tolerance of a region's count: the moves into the loop's registers */
#define SLACK	2

static unsigned long allocations;
static pthread_barrier_t barrier;
static volatile unsigned int sink;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	__sync_add_and_fetch(&allocations, 1);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	__sync_add_and_fetch(&allocations, 1);
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	__sync_add_and_fetch(&allocations, 1);
	return __real_realloc(p, size);
}

static void fail(const char *why)
{
	printf("failed: %s\n", why);
	exit(1);
}

static inline __attribute__((__always_inline__)) void loop(void)
{
	unsigned long n = ROUNDS;

	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (n));
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

static void nested(int visits)
{
	int i;

	for (i = 0; i < visits; i++) {
		KNC_BEGIN("outer");
		KNC_REGION("inner")
			sink = i;
		KNC_END("outer");
	}
}

static void *nested_thread(void *arg)
{
	nested(1);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	nested(VISITS - 1);
	pthread_barrier_wait(&barrier);
	return arg;
}

/* 64 threads, twice: the second batch reuses the blocks of the first */
static void test_threads(void)
{
	const struct knc_r3_thread *t;
	pthread_t thread[THREADS];
	unsigned long before;
	int i, blocks = 0;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, nested_thread, NULL))
			fail("pthread_create");
	pthread_barrier_wait(&barrier);
	before = allocations;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	printf("allocations %lu\n", allocations - before);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < THREADS; i++) {
		pthread_barrier_destroy(&barrier);
		pthread_barrier_init(&barrier, NULL, 1);
		if (pthread_create(&thread[i], NULL, nested_thread, NULL))
			fail("pthread_create");
		pthread_join(thread[i], NULL);
	}
	for (t = knc_r3_trees.threads; t; t = t->next)
		blocks++;
	printf("blocks %d\n", blocks);
}

static void test_counts(void)
{
	int i;

	for (i = 0; i < 1000; i++) {
		KNC_REGION("empty")
			;
		KNC_BEGIN("pair");
		KNC_END("pair");
		KNC_BEGIN("loop");
		loop();
		KNC_END("loop");
	}
	/* an empty visit comes first, because a first visit costs more */
	for (i = 0; i < 2; i++) {
		if (i)
			KNC_BEGIN("around");
		KNC_BEGIN("within");
		KNC_END("within");
		KNC_BEGIN("within");
		loop();
		KNC_END("within");
		if (i)
			KNC_END("around");
	}
}

static void recurse(unsigned int depth)
{
	KNC_BEGIN("recurse");
	loop();
	if (depth)
		recurse(depth - 1);
	KNC_END("recurse");
}

static void test_recursion(void)
{
	recurse(9);
	recurse(9);
}

static void test_beyond(void)
{
	recurse(2 * KNC_REGION_PATHS - 1);
	recurse(2 * KNC_REGION_PATHS - 1);
	KNC_BEGIN("after");
	KNC_END("after");
}

static void write_msr(unsigned int msr, unsigned long value)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/cpu/0/msr", O_RDWR);
	if (pwrite(fd, &value, sizeof(value), msr) != sizeof(value))
		fail("/dev/cpu/0/msr");
}

/* Counter 0 wraps within a region, which USER_PREF gates */
static void test_registers(void)
{
	unsigned long full = 1UL << KNC_COUNTER_WIDTH, before, off, on;
	int i;

	write_msr(KNC_IA32_PERFEVTSEL0,
		  0x16 | KNC_EVTSEL_USR | KNC_EVTSEL_EN);
	write_msr(KNC_IA32_PERF_GLOBAL_CTRL, 1);
	for (i = 0; i < 10; i++) {
		write_msr(KNC_IA32_PERFCNTR0, i < 5 ? 0 : full - 1000);
		KNC_BEGIN("wrap");
		loop();
		KNC_END("wrap");
	}
	write_msr(KNC_PERF_SPFLT_CONTROL, 1);
	before = knc_rdpmc(0);
	loop();
	off = knc_diff39(knc_rdpmc(0), before);
	knc_spflt_on();
	loop();
	knc_spflt_off();
	on = knc_diff39(knc_rdpmc(0), before);
	write_msr(KNC_PERF_SPFLT_CONTROL, 0);
	write_msr(KNC_IA32_PERF_GLOBAL_CTRL, 0);
	write_msr(KNC_IA32_PERFEVTSEL0, 0);
	printf("off %lu on %s\n", off,
	       on >= LOOP && on <= LOOP + SLACK + 2 ? "right" : "wrong");
}

static void handler(int sig)
{
	_exit(sig == SIGSEGV ? 42 : 43);
}

/* A SIGSEGV that kill() sent is not repeated: it ends the program, or is ignored. */
static void test_sent(void)
{
	raise(SIGSEGV);
	printf("alive, rdpmc %lu\n", knc_rdpmc(1));
}

/* The program's own handler still gets its SIGSEGV */
static void test_chained(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}

static unsigned int rdtsc_low(void)
{
	unsigned int low;

	__asm__ __volatile__("rdtsc" : "=a" (low) : : "rdx", "memory");
	return low;
}

#define MEASURE(name, work)						\
	do {								\
		unsigned int least = ~0U, t;				\
		int run;						\
		for (run = 0; run < 1000; run++) {			\
			t = rdtsc_low();				\
			work						\
			t = rdtsc_low() - t;				\
			if (t < least)					\
				least = t;				\
		}							\
		printf("%s %u\n", name, least - base);			\
	} while (0)

/* Costs in instructions: a tick of the time stamp counter is one executed instruction here */
static void test_cost(void)
{
	unsigned int base = 0;
	unsigned int least = ~0U, t;
	struct knc_pmu_page page;
	unsigned long count[2];
	struct knc_self self;
	int i;

	for (i = 0; i < 1000; i++) {
		t = rdtsc_low();
		t = rdtsc_low() - t;
		if (t < least)
			least = t;
	}
	base = least;
	MEASURE("pair", KNC_BEGIN("a"); KNC_END("a"););
	MEASURE("region", KNC_REGION("b") {});
	MEASURE("rdpmc", sink = (unsigned int)knc_rdpmc(0););
	MEASURE("spflt", knc_spflt_on(); knc_spflt_off(););
	/* a page that does not change */
	memset(&page, 0, sizeof(page));
	page.counter[1] = 1;
	knc_self_open(&self, -1);
	self.page = &page;
	MEASURE("read", knc_read(&self, count););
	sink = count[0] + count[1];
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int status;

	if (!strcmp(what, "chained"))
		signal(SIGSEGV, handler);
	if (!strcmp(what, "ignored"))
		signal(SIGSEGV, SIG_IGN);
	if (strcmp(what, "threads"))
		pin(0);
	status = knc_ring3_init();
	if (!strcmp(what, "status"))
		printf("status %d rdpmc %lu\n", status, knc_rdpmc(1));
	else if (!strcmp(what, "threads"))
		test_threads();
	else if (!strcmp(what, "counts"))
		test_counts();
	else if (!strcmp(what, "recursion"))
		test_recursion();
	else if (!strcmp(what, "beyond"))
		test_beyond();
	else if (!strcmp(what, "registers"))
		test_registers();
	else if (!strcmp(what, "chained") || !strcmp(what, "fault"))
		test_chained();
	else if (!strcmp(what, "sent") || !strcmp(what, "ignored"))
		test_sent();
	else if (!strcmp(what, "cost"))
		test_cost();
	else
		fail("which test?");
	return 0;
}
