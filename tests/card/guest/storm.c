// SPDX-License-Identifier: GPL-2.0
/*
 * Periods so small that every hardware thread would execute only overflow interrupts: the machine
 * stays usable, reports throttling, and counts exactly
 *
 * KNC_TEST_STORM: seconds of each storm, 30 by default
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"

#define MAX_CPUS	256
#define N		1000000UL
/* Seconds in which each process must make progress; a shorter storm is one step */
#define STEP		5
#define STUCK	120	/* the same if this machine itself stands still for some time */

/* How often the sleeper of each hardware thread has woken */
static unsigned long *woken;
static struct ring rings[MAX_CPUS];
static struct request all;
static struct record records[MAX_CPUS];

static void sleeper(unsigned int cpu)
{
	pin(cpu);
	for (;;) {
		usleep(10000);
		woken[cpu]++;
	}
}

/* Start two processes on each hardware thread: one that often sleeps, one that never does */
static void populate(void)
{
	struct program p;
	unsigned int cpu;

	woken = mmap(NULL, MAX_CPUS * sizeof(*woken), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(woken == MAP_FAILED, 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		if (!fork())
			sleeper(cpu);
		hold(&p, cpu, "spin", 0, 0);
		release(&p);
	}
}

static void fail_stuck(unsigned int cpu, const struct knc_pmu_stats *before)
{
	struct knc_pmu_stats now;

	get_stats(cpu, &now);
	fail("CPU %u stood still for %u s: %llu interrupts of %llu ticks, %llu throttles",
	     cpu, STUCK, (unsigned long long)(now.pmis - before->pmis),
	     (unsigned long long)(now.handler_total - before->handler_total),
	     (unsigned long long)(now.throttles - before->throttles));
}

/*
 * The first hardware thread whose sleeper has not woken since @before; nr_cpus() if there is none
 */
static unsigned int find_stuck(const unsigned long *before)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		if (__atomic_load_n(&woken[cpu], __ATOMIC_RELAXED) == before[cpu])
			break;
	return cpu;
}

/* Watch for @seconds: every process makes progress, and the rings are read. */
static void watch(unsigned int seconds)
{
	static struct knc_pmu_stats stats[MAX_CPUS];
	unsigned long before[MAX_CPUS];
	unsigned int cpu, step, stuck, length = seconds < STEP ? seconds : STEP;
	time_t began;

	for (step = 0; step < seconds; step += length) {
		memcpy(before, woken, sizeof(before));
		for (cpu = 0; cpu < nr_cpus(); cpu++)
			get_stats(cpu, &stats[cpu]);
		began = time(NULL);
		do {
			for (cpu = 0; cpu < nr_cpus(); cpu++)
				read_ring(&rings[cpu]);
			usleep(10000);
			stuck = find_stuck(before);
			if (stuck < nr_cpus() && time(NULL) > began + STUCK)
				fail_stuck(stuck, &stats[stuck]);
		} while (stuck < nr_cpus() || time(NULL) < began + length);
	}
}

static int storm(unsigned long long period, unsigned int flags)
{
	unsigned int cpu, i;
	int fd = open_device();

	ask(&all, 0, 2);
	all.c.ring_size = 1 << 18;
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		ask_cpu(&all, cpu);
	for (i = 0; i < 2; i++)
		ask_sample(&all, i, INSTRUCTIONS_EXECUTED, flags, period);
	check(config(fd, &all), 0);
	memset(rings, 0, sizeof(rings));
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		map_ring(&rings[cpu], fd, cpu, cpu, all.c.ring_size);
	check(start(fd), 0);
	return fd;
}

static unsigned int seconds(void)
{
	const char *text = getenv("KNC_TEST_STORM");

	return text ? atoi(text) : 30;
}

/* Was each hardware thread throttled at least once? */
static int all_throttled(const struct knc_pmu_stats *before)
{
	struct knc_pmu_stats now;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		get_stats(cpu, &now);
		if (now.throttles == before[cpu].throttles)
			return 0;
	}
	return 1;
}

/*
 * Will this period certainly be throttled? Not with checkers on a busy machine: entry and exit of
 * an interrupt, which the module can't measure, take longer than its handler.
 */
static int is_storm(unsigned long long period)
{
	return period <= 10 && slow() == 1;
}

static void check_storm(unsigned long long period, unsigned int flags,
			unsigned int lasts)
{
	struct knc_pmu_stats before[MAX_CPUS], after;
	unsigned long long throttles = 0, samples = 0, lost = 0;
	unsigned int cpu, i;
	int fd;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		get_stats(cpu, &before[cpu]);
	fd = storm(period, flags);
	do {
		watch(lasts);
	} while (is_storm(period) && !all_throttled(before));
	check(stop(fd), 0);
	check(read_all(fd, records, sizeof(records)), nr_cpus());
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		drain_ring(&rings[cpu]);
		check_produced(&rings[cpu]);
		check_quiet(fd, cpu);
		for (i = 0; i < 2; i++)
			check_sum(&rings[cpu], i, records[cpu].value[i],
				  period);
		get_stats(cpu, &after);
		check(after.throttles - before[cpu].throttles,
		      rings[cpu].page->throttles);
		check(after.samples - before[cpu].samples,
		      rings[cpu].page->samples);
		check(after.lost - before[cpu].lost, rings[cpu].page->lost);
		/* a record for which there was no room is counted as lost */
		if (is_storm(period) && !rings[cpu].page->lost)
			check(rings[cpu].throttles > 0, 1);
		throttles += rings[cpu].throttles;
		samples += rings[cpu].page->samples;
		lost += rings[cpu].page->lost;
		unmap_ring(&rings[cpu]);
	}
	close(fd);
	note("period %llu, flags %#x, %u CPUs: %llu samples, %llu lost, %llu throttles; last: %llu",
	     period, flags, nr_cpus(), samples, lost, throttles,
	     (unsigned long long)records[nr_cpus() - 1].value[0]);
}

static void check_period(unsigned long long period)
{
	pin(0);
	populate();
	check_storm(period, USR | OS, seconds() * 2 / 3);
	check_storm(period, USR, seconds() - seconds() * 2 / 3);
}

static void test_1(void)
{
	check_period(1);
}

static void test_10(void)
{
	check_period(10);
}

static void test_100(void)
{
	check_period(100);
}

/* A program has the same counts with and without a storm. */
static void test_exact(void)
{
	static const unsigned int periods[] = { 1, 10, 100 };
	unsigned long long silent, loud;
	struct request r;
	unsigned int i, cpu = nr_cpus() - 1, round;
	int fd;

	ask(&r, cpu, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.e[0].counters = 1;
	measure(&r, cpu, "loop", N, 0, &silent);
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		ask(&all, 0, 1);
		for (cpu = 1; cpu < nr_cpus(); cpu++)
			ask_cpu(&all, cpu);
		ask_sample(&all, 0, INSTRUCTIONS_EXECUTED, USR | OS,
			   periods[i]);
		all.e[0].counters = 2;
		fd = open_device();
		check(config(fd, &all), 0);
		check(start(fd), 0);
		for (round = 0; round < 10; round++) {
			measure(&r, nr_cpus() - 1, "loop", N, 0, &loud);
			check(loud, silent);
		}
		close(fd);
	}
}

static const struct test tests[] = {
	{ "storm.1", test_1 },
	{ "storm.10", test_10 },
	{ "storm.100", test_100 },
	{ "storm.exact", test_exact },
};

TEST_PROGRAM(tests)
