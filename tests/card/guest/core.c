// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of an event without a thread context: the core's clock, which every thread of the core
 * advances. An overflow may interrupt any of the threads (327357 1.4.3.8, the emulated card's
 * core-pmi); each overflow must be handled exactly once.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"

#define THREADS		4
#define CORE_PERIOD	100003ULL
#define SAMPLES		200

/* The CPUs of CPU 0's core, which knc-vm --card-numbering numbers otherwise */
static unsigned int core_cpus[THREADS];

static struct ring rings[THREADS];
static struct request r;
static unsigned char records[THREADS * KNC_PMU_THREAD_SIZE(1)];
static struct knc_pmu_stats before[THREADS], after[THREADS];

static void read_siblings(unsigned int cpu, char *list, int size)
{
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		 cpu);
	file = fopen(path, "r");
	if (!file || !fgets(list, size, file))
		fail("%s: %s", path, strerror(errno));
	fclose(file);
}

/* Find the CPUs of CPU 0's core; move this program to another core, if there is one */
static void find_core(void)
{
	unsigned int other = 0, nr = 0, cpu;
	char own[64], list[64];

	read_siblings(0, own, sizeof(own));
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		read_siblings(cpu, list, sizeof(list));
		if (strcmp(list, own))
			other = cpu;
		else if (nr < THREADS)
			core_cpus[nr++] = cpu;
	}
	if (nr < THREADS)
		skip("it takes a core of %u threads", THREADS);
	pin(other);
}

/* A running counter that had no sample for this long is stuck */
#define STUCK		60	/* seconds */

/* Wait until each hardware thread of the session has its samples */
static void wait_for_samples(unsigned int nr)
{
	time_t got[THREADS], now = time(NULL);
	unsigned int i, ready;

	for (i = 0; i < nr; i++)
		got[i] = now;
	do {
		wait_ms();
		now = time(NULL);
		for (i = 0, ready = 0; i < nr; i++) {
			if (read_ring(&rings[i]))
				got[i] = now;
			if (rings[i].samples[0] >= SAMPLES)
				ready++;
			else if (now > got[i] + STUCK)
				fail("CPU %u has no sample for %u s after %llu",
				     core_cpus[i], STUCK, rings[i].samples[0]);
		}
	} while (ready < nr);
}

/*
 * Each sample stands for one period, or for more if its interrupt came after the next overflow. No
 * event between two samples is forgotten: samples, lost and unsampled events add up to the count.
 */
static void check_thread(int fd, unsigned int i)
{
	const struct record *record =
		(const void *)(records + i * KNC_PMU_THREAD_SIZE(1));
	unsigned long long count = record->value[0];
	const struct knc_pmu_ring *page = rings[i].page;

	drain_ring(&rings[i]);
	check_produced(&rings[i]);
	check_sum(&rings[i], 0, count, CORE_PERIOD);
	check_quiet(fd, core_cpus[i]);
	get_stats(core_cpus[i], &after[i]);
	check(after[i].samples - before[i].samples, page->samples);
	note("CPU %u: %llu periods, %llu samples, %llu unsampled, %llu lost; "
	     "%llu interrupts, %llu spurious",
	     core_cpus[i], count / CORE_PERIOD, (unsigned long long)page->samples,
	     (unsigned long long)page->unsampled[0],
	     (unsigned long long)page->lost_events[0],
	     (unsigned long long)(after[i].pmis - before[i].pmis),
	     (unsigned long long)(after[i].spurious - before[i].spurious));
}

/* Sample the clock on the first @nr threads of the core while @busy of its threads run */
static void sample_core(unsigned int nr, unsigned int busy, unsigned int flags)
{
	struct program p[THREADS];
	unsigned int i;
	int fd;

	find_core();
	for (i = 0; i < THREADS; i++) {
		get_stats(core_cpus[i], &before[i]);
		if (!(busy & 1u << i))
			continue;
		hold(&p[i], core_cpus[i], "spin", 0, 0);
		wait_held(&p[i]);
	}
	ask(&r, core_cpus[0], 1);
	for (i = 1; i < nr; i++)
		ask_cpu(&r, core_cpus[i]);
	r.c.ring_size = 1 << 18;
	ask_sample(&r, 0, CPU_CLK_UNHALTED, flags, CORE_PERIOD);
	fd = open_session(&r);
	memset(rings, 0, sizeof(rings));
	for (i = 0; i < nr; i++)
		map_ring(&rings[i], fd, i, core_cpus[i], r.c.ring_size);
	check(start(fd), 0);
	for (i = 0; i < THREADS; i++)
		if (busy & 1u << i)
			release(&p[i]);
	wait_for_samples(nr);
	check(stop(fd), 0);
	check(read_all(fd, records, sizeof(records)), nr);
	for (i = 0; i < nr; i++) {
		check_thread(fd, i);
		unmap_ring(&rings[i]);
	}
	for (i = 0; i < THREADS; i++) {
		get_stats(core_cpus[i], &after[i]);
		check(after[i].foreign - before[i].foreign, 0);
	}
	close(fd);
}

/*
 * A thread of the core goes offline and comes back. Its instructions make another thread's counter
 * overflow, and may themselves be interrupted. An unhandled interrupt would be an unknown NMI in
 * the kernel's log, or leave the APIC entry masked, which run_tests() finds.
 */
static void test_hotplug(void)
{
	struct knc_pmu_stats stats[THREADS];
	unsigned int i, round;
	int fd;

	find_core();
	for (i = 0; i < THREADS; i++)
		get_stats(core_cpus[i], &before[i]);
	ask(&r, core_cpus[0], 1);
	r.c.ring_size = 1 << 18;
	ask_sample(&r, 0, CPU_CLK_UNHALTED, USR | OS, 2003);
	fd = open_session(&r);
	check(start(fd), 0);
	for (round = 0; round < rounds(80); round++) {
		set_online(core_cpus[1 + round % 3], 0);
		set_online(core_cpus[1 + round % 3], 1);
	}
	check(stop(fd), 0);
	close(fd);
	for (i = 0; i < THREADS; i++) {
		get_stats(core_cpus[i], &stats[i]);
		note("CPU %u: %llu interrupts, %llu spurious, %llu foreign", core_cpus[i],
		     (unsigned long long)(stats[i].pmis - before[i].pmis),
		     (unsigned long long)(stats[i].spurious - before[i].spurious),
		     (unsigned long long)(stats[i].foreign - before[i].foreign));
		check(stats[i].foreign - before[i].foreign, 0);
	}
}

static void test_all_threads(void)
{
	sample_core(THREADS, 0xf, USR | OS);
}

static void test_all_threads_user(void)
{
	sample_core(THREADS, 0xf, USR);
}

/* The session must not touch the registers of the core's other threads. */
static void test_one_thread(void)
{
	sample_core(1, 0xf, USR | OS);
}

static void test_one_idle_thread(void)
{
	sample_core(1, 0xe, USR);
}

static const struct test tests[] = {
	{ "core.all-threads", test_all_threads },
	{ "core.hotplug", test_hotplug },
	{ "core.all-threads-user", test_all_threads_user },
	{ "core.one-thread", test_one_thread },
	{ "core.one-idle-thread", test_one_idle_thread },
};

TEST_PROGRAM(tests)
