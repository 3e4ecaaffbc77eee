// SPDX-License-Identifier: GPL-2.0
/*
 * Exact counts of programs whose instructions are known
 *
 * Besides N iterations a program reads N, waits for its release, and exits. This takes the same
 * number of instructions for all N with the same number of digits: differences between two N are
 * exact.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <knc/regs.h>

#include "lib.h"

#define CPU	1	/* where the counted programs run */
#define OTHER	2	/* a hardware thread of the same core */
#define N	1000000UL
/* For CMASK, INV, EDGE and the V-pipe the emulated card executes single instructions, slowly */
#define FEW	(N / 10)
#define RUNS	2
#define WRAPS	5

static void ask_pair(struct request *r, unsigned int code0, unsigned int flags0,
		     unsigned int code1, unsigned int flags1)
{
	ask(r, CPU, 2);
	ask_event(r, 0, code0, flags0);
	ask_event(r, 1, code1, flags1);
}

/* How much two events increase when the program makes @n more iterations */
static void measure_growth(struct request *r, const char *name, unsigned long n,
			   unsigned long long *growth)
{
	unsigned long long count[RUNS][KNC_NR_COUNTERS];
	unsigned int i;

	for (i = 0; i < RUNS; i++)
		measure(r, CPU, name, n * (i + 1), 0, count[i]);
	for (i = 0; i < r->c.nr_events; i++) {
		note("%s %#llx flags %#x on counter %u: %llu, %llu", name,
		     r->e[i].event, r->e[i].flags, r->e[i].counter, count[0][i],
		     count[1][i]);
		growth[i] = count[1][i] - count[0][i];
	}
}

/* One event on the given counter */
static unsigned long long growth_on(unsigned int counter, const char *name,
				    unsigned int code)
{
	unsigned long long growth;
	struct request r;

	ask(&r, CPU, 1);
	ask_event(&r, 0, code, USR);
	r.e[0].counters = 1 << counter;
	measure_growth(&r, name, N, &growth);
	check(r.e[0].counter, counter);
	return growth;
}

/* Two events, counted in the same run of a program */
static void check_pair(const char *name, unsigned int code0,
		       unsigned long long want0, unsigned int code1,
		       unsigned long long want1)
{
	unsigned long long growth[2];
	struct request r;

	ask_pair(&r, code0, USR, code1, USR);
	measure_growth(&r, name, N, growth);
	check(growth[0], want0);
	check(growth[1], want1);
}

static void test_instructions(void)
{
	check(growth_on(0, "loop", INSTRUCTIONS_EXECUTED), 2 * N);
	check(growth_on(1, "loop", INSTRUCTIONS_EXECUTED), 2 * N);
}

static void test_branches(void)
{
	check(growth_on(0, "loop", BRANCHES), N);
	check(growth_on(1, "loop", BRANCHES), N);
}

static void test_both_counters(void)
{
	unsigned long long count[2];
	struct request r;

	ask_pair(&r, INSTRUCTIONS_EXECUTED, USR, INSTRUCTIONS_EXECUTED, USR);
	measure(&r, CPU, "loop", N, 0, count);
	check(r.e[0].counter ^ r.e[1].counter, 1);
	note("%llu, %llu", count[0], count[1]);
	if (llabs((long long)(count[0] - count[1])) > 4)
		fail("%llu and %llu are more than 4 apart", count[0], count[1]);
	if (count[0] < 2 * N)
		fail("%llu is less than the loop alone", count[0]);
}

static void test_copy(void)
{
	check_pair("copy", DATA_READ, N, DATA_WRITE, N);
	check_pair("copy", DATA_WRITE, N, DATA_READ, N);
	check_pair("copy", DATA_READ_OR_WRITE, 2 * N, INSTRUCTIONS_EXECUTED,
		   4 * N);
}

static void test_string(void)
{
	struct request r;
	unsigned long long count[RUNS][2];
	unsigned int i;

	check_pair("string", INSTRUCTIONS_EXECUTED, 0, BRANCHES, 0);
	ask_pair(&r, DATA_READ, USR, DATA_WRITE, USR);
	for (i = 0; i < RUNS; i++)
		measure(&r, CPU, "string", N * (i + 1), 0, count[i]);
	check(count[1][0] - count[0][0], N);
	check(count[1][1] - count[0][1], N);
}

static void test_call(void)
{
	check_pair("call", INSTRUCTIONS_EXECUTED, 4 * N, BRANCHES, 3 * N);
	check_pair("call", DATA_READ, N, DATA_WRITE, N);
}

/* The emulated card's clock has one cycle per instruction and one per data access */
static void test_cycles(void)
{
	check_pair("loop", CPU_CLK_UNHALTED, 2 * N, INSTRUCTIONS_EXECUTED,
		   2 * N);
	check_pair("copy", CPU_CLK_UNHALTED, 6 * N, INSTRUCTIONS_EXECUTED,
		   4 * N);
}

/* An unknown code is accepted and counts nothing. */
static void test_unknown(void)
{
	unsigned long long count[2];
	struct request r;

	ask_pair(&r, 0x7fee, USR | OS, INSTRUCTIONS_EXECUTED, USR | OS);
	measure(&r, CPU, "loop", N, 0, count);
	check(count[0], 0);
	check(count[1] > 2 * N, 1);
}

/* User and kernel counts add up to the count of both. */
static void test_rings(void)
{
	unsigned long long apart[2], sum[2];
	struct request r;

	ask_pair(&r, INSTRUCTIONS_EXECUTED, USR, INSTRUCTIONS_EXECUTED, OS);
	measure(&r, CPU, "loop", N, 0, apart);
	ask_pair(&r, INSTRUCTIONS_EXECUTED, USR | OS, INSTRUCTIONS_EXECUTED,
		 OS);
	measure(&r, CPU, "loop", N, 0, sum);
	note("u %llu, k %llu; u+k %llu, k %llu", apart[0], apart[1], sum[0],
	     sum[1]);
	check(apart[1] > 0, 1);
	/* one write to GLOBAL_CTRL starts both counters */
	check(sum[0] - sum[1], apart[0]);
}

static unsigned long long growth_with(unsigned int code, unsigned int flags,
				      unsigned int cmask)
{
	unsigned long long growth;
	struct request r;

	ask(&r, CPU, 1);
	ask_event(&r, 0, code, USR | flags);
	r.e[0].cmask = cmask;
	measure_growth(&r, "copy", FEW, &growth);
	return growth;
}

/* The interrupts of CPU in a line of /proc/interrupts; 0 if the line has no number for each CPU */
static unsigned long long interrupts_in(const char *line)
{
	unsigned long long nr = 0;
	const char *at = strchr(line, ':');
	unsigned int i;
	char *end;

	for (i = 0; at && i <= CPU; i++) {
		nr = strtoull(at + 1, &end, 10);
		if (end == at + 1)
			return 0;
		at = end - 1;
	}
	return nr;
}

/* Interrupts of all kinds on CPU */
static unsigned long long nr_interrupts(void)
{
	FILE *list = fopen("/proc/interrupts", "r");
	unsigned long long nr = 0;
	char line[4096];

	if (!list)
		fail("no list of interrupts: %s", strerror(errno));
	while (fgets(line, sizeof(line), list))
		nr += interrupts_in(line);
	fclose(list);
	return nr;
}

/* Check a count that may be off by one or two: an interrupt can split a pair of instructions */
static void check_cycles(unsigned int code, unsigned int flags, unsigned int cmask,
			 unsigned long long want)
{
	unsigned long long interrupts = nr_interrupts(), got;

	got = growth_with(code, flags, cmask);
	interrupts = nr_interrupts() - interrupts;
	if (llabs((long long)(got - want)) > 2 * (long long)interrupts)
		fail("event %#x, flags %#x, cmask %u: %llu, should be %llu but for %llu interrupts",
		     code, flags, cmask, got, want, interrupts);
}

/*
 * CMASK compares the number of events in a cycle, in which two instructions can execute. An
 * iteration of "copy" is a load, a store, and two instructions without data.
 */
static void test_cmask(void)
{
	unsigned long long pairs = growth_with(INSTRUCTIONS_EXECUTED_V_PIPE, 0, 0);
	unsigned long long cycles = growth_with(INSTRUCTIONS_EXECUTED, 0, 0) - pairs;

	note("%llu cycles with instructions, %llu of them with two", cycles, pairs);
	check(pairs >= FEW / 2, 1);
	check_cycles(INSTRUCTIONS_EXECUTED, 0, 1, cycles);
	check_cycles(INSTRUCTIONS_EXECUTED, 0, 2, pairs);
	check_cycles(INSTRUCTIONS_EXECUTED, KNC_PMU_EVENT_INV, 2, cycles - pairs);
	check_cycles(INSTRUCTIONS_EXECUTED, 0, 3, 0);
	check(growth_with(DATA_READ, 0, 1), FEW);
	check(growth_with(DATA_READ, 0, 2), 0);
	check(growth_with(DATA_READ_OR_WRITE, 0, 1), 2 * FEW);
	check_cycles(DATA_READ, KNC_PMU_EVENT_INV, 1, cycles - FEW);
	check_cycles(DATA_READ_OR_WRITE, KNC_PMU_EVENT_INV, 1, cycles - 2 * FEW);
}

/*
 * An interrupt within a counted run adds one edge; it may come in the run with FEW iterations or in
 * the run with 2 FEW.
 */
static void check_edges(unsigned int code, unsigned int flags,
			unsigned int cmask)
{
	long long edges, interrupts = nr_interrupts();

	edges = growth_with(code, KNC_PMU_EVENT_EDGE | flags, cmask);
	interrupts = nr_interrupts() - interrupts;
	note("%lld interrupts", interrupts);
	check(interrupts > 0, 1);
	if (llabs(edges - (long long)FEW) > interrupts)
		fail("%lld edges, should be %llu but for %lld interrupts", edges,
		     (unsigned long long)FEW, interrupts);
}

static void test_edge(void)
{
	/* no load follows another load directly */
	check(growth_with(DATA_READ, KNC_PMU_EVENT_EDGE, 0), FEW);
	check_edges(DATA_READ_OR_WRITE, 0, 1);
	check_edges(DATA_READ, KNC_PMU_EVENT_INV, 1);
}

/* The count of CPU while the program runs on OTHER */
static unsigned long long seen_from_sibling(unsigned int flags, unsigned long n)
{
	unsigned long long count;
	struct request r;

	ask(&r, CPU, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | flags);
	measure(&r, OTHER, "loop", n, 0, &count);
	note("flags %#x, %lu on the sibling: %llu", flags, n, count);
	return count;
}

static void test_thread_mode(void)
{
	unsigned long long all = KNC_PMU_EVENT_THREAD_MODE;

	check(seen_from_sibling(0, N), 0);
	check(seen_from_sibling(0, 2 * N), 0);
	check(seen_from_sibling(all, 2 * N) - seen_from_sibling(all, N), 2 * N);
}

static unsigned long long gated(unsigned int event_flags,
				unsigned int config_flags, unsigned long n,
				unsigned long m)
{
	unsigned long long count;
	struct request r;

	ask(&r, CPU, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | event_flags);
	r.c.flags = config_flags;
	measure(&r, CPU, "spflt", n, m, &count);
	note("flags %#x %#x, %lu and %lu: %llu", event_flags, config_flags, n,
	     m, count);
	return count;
}

static void test_spflt(void)
{
	unsigned int gate = KNC_PMU_EVENT_SPFLT;
	unsigned int pref = KNC_PMU_CONFIG_USER_PREF;
	unsigned long long once = gated(gate, 0, N, N);
	unsigned long long early = gated(gate, pref, N, N);

	check(gated(gate, 0, 2 * N, N) - once, 2 * N);
	check(gated(gate, 0, N, 2 * N) - once, 0);
	check(once - 2 * N < 10, 1);
	/* USER_PREF was set before the program began: the code before the loop counts too */
	check(early > once, 1);
	check(gated(gate, pref, N, 2 * N) - early, 0);
	check(gated(0, 0, N, 2 * N) - gated(0, 0, N, N), 2 * N);
}

static unsigned long long count_of(int fd)
{
	unsigned long long count;

	read_counts(fd, 1, &count);
	return count;
}

/* A stopped session keeps its counts; START continues from them. */
static void test_stop_and_go(void)
{
	unsigned long long first, second;
	int fd;

	pin(CPU);
	fd = session(CPU, BRANCHES, USR);
	loop(N);
	check(count_of(fd), 0);
	check(start(fd), 0);
	loop(N);
	check(stop(fd), 0);
	first = count_of(fd);
	loop(N);
	check(count_of(fd), first);
	check(first >= N && first < N + 100, 1);
	check(start(fd), 0);
	check(start(fd), 0);
	loop(N);
	second = count_of(fd);
	check(second >= first + N && second < first + N + 200, 1);
	check(stop(fd), 0);
	check(stop(fd), 0);
	check(count_of(fd) >= second, 1);
	check(reset(fd, 0), 0);
	check(count_of(fd), 0);
	/* RESET while the session counts */
	check(start(fd), 0);
	loop(N);
	check(reset(fd, 0), 0);
	first = count_of(fd);
	check(first < 100, 1);
	loop(N);
	check(count_of(fd) - first >= N, 1);
	check(stop(fd), 0);
}

static void test_times(void)
{
	struct record a, b;
	int fd;

	pin(CPU);
	fd = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	check(read_all(fd, &a, sizeof(a)), 1);
	check(a.cpu, CPU);
	check(a.time_enabled, 0);
	check(a.time_running, 0);
	check(start(fd), 0);
	loop(N);
	check(read_all(fd, &a, sizeof(a)), 1);
	loop(N);
	check(read_all(fd, &b, sizeof(b)), 1);
	check(b.time - a.time, b.time_enabled - a.time_enabled);
	check(b.time_running, b.time_enabled);
	check(b.time > a.time && a.time_enabled > 0, 1);
	check(b.tsc > a.tsc, 1);
	check(b.value[0] - a.value[0] >= 2 * N, 1);
}

static void put_counter(int msr, unsigned long long value)
{
	check(pwrite(msr, &value, sizeof(value), KNC_IA32_PERFCNTR(0)),
	      sizeof(value));
}

/* The count of the program from its release to its end, by a running session */
static unsigned long long more_of(int fd, unsigned long n)
{
	unsigned long long before;
	struct program p;

	hold(&p, CPU, "loop", n, 0);
	wait_held(&p);
	before = count_of(fd);
	release(&p);
	finish(&p);
	return count_of(fd) - before;
}

/*
 * The test writes the counter's register just below its maximum, after the module has counted 2^39
 * events. On each overflow the module loads the counter again, and no event is lost.
 */
static void test_wrap(void)
{
	unsigned long long half = 1ULL << (KNC_COUNTER_WIDTH - 1), once, count;
	struct regs regs;
	unsigned int i;
	int fd, msr;

	pin(0);
	msr = open("/dev/cpu/1/msr", O_WRONLY | O_CLOEXEC);
	check(msr >= 0, 1);
	fd = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	check(read_regs(fd, CPU, &regs), 0);
	check(regs.perfcntr[0], half);
	check(start(fd), 0);
	once = more_of(fd, N);
	check(once >= 2 * N && once < 2 * N + 1000, 1);
	for (i = 0; i < WRAPS; i++) {
		check(read_regs(fd, CPU, &regs), 0);
		count = count_of(fd);
		put_counter(msr, KNC_COUNTER_MASK - 1000);
		count += KNC_COUNTER_MASK - 1000 - regs.perfcntr[0];
		check(count_of(fd), count);
		check(more_of(fd, N), once);
		check(read_regs(fd, CPU, &regs), 0);
		/* the module loaded the counter again 1001 events ago */
		check(regs.perfcntr[0] >= half &&
		      regs.perfcntr[0] < half + 2 * once, 1);
		check(regs.global_status, 0);
	}
	count = count_of(fd);
	note("%u wraps, %llu", WRAPS, count);
	check(count / half >= WRAPS - 1, 1);
	/* with the interrupt masked the count stays exact up to 2^40 events */
	check(stop(fd), 0);
	check(read_regs(fd, CPU, &regs), 0);
	put_counter(msr, half - 1);
	check(count_of(fd), count - (regs.perfcntr[0] - half) +
	      KNC_COUNTER_MASK);
}

/* Start and stop the session at many moments. */
static void check_stopped(int fd)
{
	unsigned long long first, second;
	unsigned int i;

	for (i = 0; i < 25; i++) {
		check(start(fd), 0);
		check(stop(fd), 0);
		first = count_of(fd);
		check(first > 0, 1);
		second = count_of(fd);
		check(second, first);
	}
}

/*
 * A stopped counter does not change, even if its event is core-wide and the core's other threads go
 * on.
 */
static void test_stopped_core(void)
{
	struct registers before;
	struct program spinner;
	unsigned int i, cpu;
	int fd;

	pin(CPU);
	get_registers(CPU, &before);
	for (cpu = OTHER; cpu < nr_cpus() && cpu < 4; cpu++) {
		hold(&spinner, cpu, "spin", 0, 0);
		release(&spinner);
	}
	for (i = 0; i < 20; i++) {
		fd = session(CPU, i % 2 ? CPU_CLK_UNHALTED :
			     INSTRUCTIONS_EXECUTED, USR | OS |
			     (i % 2 ? 0 : KNC_PMU_EVENT_THREAD_MODE));
		check_stopped(fd);
		close(fd);
		check_registers(CPU, &before);
	}
}

static const struct test tests[] = {
	{ "counts.instructions", test_instructions },
	{ "counts.branches", test_branches },
	{ "counts.both-counters", test_both_counters },
	{ "counts.copy", test_copy },
	{ "counts.string", test_string },
	{ "counts.call", test_call },
	{ "counts.cycles", test_cycles },
	{ "counts.unknown", test_unknown },
	{ "counts.rings", test_rings },
	{ "counts.cmask", test_cmask },
	{ "counts.edge", test_edge },
	{ "counts.thread-mode", test_thread_mode },
	{ "counts.spflt", test_spflt },
	{ "counts.stopped-core", test_stopped_core },
	{ "counts.stop-and-go", test_stop_and_go },
	{ "counts.times", test_times },
	{ "counts.wrap", test_wrap },
};

TEST_PROGRAM(tests)
