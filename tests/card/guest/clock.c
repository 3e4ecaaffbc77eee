// SPDX-License-Identifier: GPL-2.0
/*
 * The time stamp counter counts core clocks (327357 1.3.1). When the core's clock changes, the
 * times of sessions must still agree with CLOCK_MONOTONIC.
 *
 * Needs a monitor (ask_monitor()), and a kernel whose clock is not the time stamp counter.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"
#include "ring.h"

#define CPU		1
#define GROUPS		3
#define SECOND		1000000000ULL
/*
 * The module measures the rate ten times a second, and uses the old rate until then. On a busy host
 * this hardware thread may stand still for a while.
 */
#define LATE		(SECOND / 2)

/* The record of READ: of one event; or of groups of one event each, with their times */
union answer {
	struct record t;
	char room[KNC_PMU_SET_SIZE(GROUPS)];
};

static void set_permille(unsigned int permille)
{
	char command[64];

	snprintf(command, sizeof(command), "qom-set /machine tsc-permille %u",
		 permille);
	ask_monitor(command, NULL);
}

static void work_for(unsigned long long ns)
{
	unsigned long long end = now_ns() + ns;

	while (now_ns() < end)
		loop(100000);
}

static void check_near(const char *what, unsigned long long got,
		       unsigned long long want)
{
	note("%s: %llu us of %llu", what, got / 1000, want / 1000);
	if (got + LATE < want || got > want + LATE)
		fail("%s: %llu ns instead of %llu", what, got, want);
}

/* At each rate the enabled time of the session agrees with the kernel's clock. */
static void check_rates(int fd, unsigned int nr_groups)
{
	static const unsigned int permille[] = { 1000, 500, 2000, 1000 };
	unsigned long long began, before, running = 0, ns;
	union answer r;
	const char *times = r.room + KNC_PMU_SET_SIZE(nr_groups) -
			    8 * nr_groups;
	unsigned int i, group;

	check(start(fd), 0);
	for (i = 0; i < ARRAY_SIZE(permille); i++) {
		set_permille(permille[i]);
		check(read_all(fd, &r, sizeof(r)), 1);
		before = r.t.time_enabled;
		began = now_ns();
		work_for(2 * SECOND);
		check(read_all(fd, &r, sizeof(r)), 1);
		note("%u permille", permille[i]);
		check_near("enabled", r.t.time_enabled - before,
			   now_ns() - began);
	}
	if (nr_groups == 1)
		return;
	for (group = 0; group < nr_groups; group++) {
		memcpy(&ns, times + 8 * group, sizeof(ns));
		running += ns;
	}
	check_near("turns", running, r.t.time_running);
}

/* A session that follows this task */
static void test_task(void)
{
	int fd = task_session(0, 0, INSTRUCTIONS_EXECUTED, USR);

	pin(CPU);
	check_rates(fd, 1);
	close(fd);
}

/* Groups that are multiplexed on a hardware thread */
static void test_turns(void)
{
	struct knc_pmu_event e[GROUPS];
	struct request r;
	int fd = open_device();
	unsigned int i;

	pin(CPU);
	ask(&r, CPU, 0);
	memset(e, 0, sizeof(e));
	for (i = 0; i < ARRAY_SIZE(e); i++) {
		e[i].event = INSTRUCTIONS_EXECUTED;
		e[i].flags = USR;
		e[i].group = i;
	}
	r.c.events = (unsigned long)e;
	r.c.nr_events = ARRAY_SIZE(e);
	check(config(fd, &r), 0);
	check_rates(fd, ARRAY_SIZE(e));
	close(fd);
}

/* The rate that INFO reports here, in kHz */
static unsigned long long measured(void)
{
	unsigned long long began = now_ns(), tsc = __builtin_ia32_rdtsc();

	work_for(SECOND / 10);
	return (__builtin_ia32_rdtsc() - tsc) * 1000000 / (now_ns() - began);
}

/* INFO reports the rate of the CPU on which it is called, as long as there is any session. */
static void test_info(void)
{
	static const unsigned int permille[] = { 500, 2000, 1000 };
	unsigned int first, i, want, tries;
	struct knc_pmu_info info;
	int fd;

	pin(CPU);
	ask_info(&info);
	first = info.tsc_khz;
	fd = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	for (i = 0; i < ARRAY_SIZE(permille); i++) {
		want = (unsigned long long)first * permille[i] / 1000;
		set_permille(permille[i]);
		for (tries = 0; tries < 100; tries++) {
			work_for(SECOND / 10);
			ask_info(&info);
			if (info.tsc_khz >= want / 50 * 49 &&
			    info.tsc_khz <= want / 50 * 51)
				break;
		}
		note("%u permille: %u kHz of %u, after %u tries; measured: %llu", permille[i],
		     info.tsc_khz, want, tries, measured());
		check(tries < 100, 1);
	}
	close(fd);
}

#define FREQUENCY	100	/* samples a second */

/* The number of samples in one second of a program that runs for two */
static unsigned long long samples_of(const struct ring *ring)
{
	unsigned long long before = ring->page->samples, began = now_ns();

	work_for(2 * SECOND);
	return (ring->page->samples - before) * SECOND / (now_ns() - began);
}

/* A sampling frequency counts seconds, not ticks of the time stamp counter. */
static void test_frequency(void)
{
	static const unsigned int permille[] = { 500, 2000, 1000 };
	unsigned long long rate = 0;
	unsigned int i, tries;
	int fd = open_device();
	struct request r;
	struct ring ring;

	memset(&ring, 0, sizeof(ring));
	pin(CPU);
	ask(&r, CPU, 1);
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, FREQUENCY);
	r.e[0].flags |= KNC_PMU_EVENT_FREQ;
	r.c.ring_size = 1 << 20;
	check(config(fd, &r), 0);
	map_ring(&ring, fd, 0, CPU, r.c.ring_size);
	check(start(fd), 0);
	for (i = 0; i < ARRAY_SIZE(permille); i++) {
		set_permille(permille[i]);
		/* the host may preempt this hardware thread meanwhile */
		for (tries = 0; tries < 8; tries++) {
			rate = samples_of(&ring);
			drain_ring(&ring);
			note("%u permille: %llu samples a second", permille[i],
			     rate);
			if (rate * 3 >= FREQUENCY * 2 && rate * 2 <= FREQUENCY * 3)
				break;
		}
		check(tries < 8, 1);
	}
	unmap_ring(&ring);
	close(fd);
}

static const struct test tests[] = {
	{ "clock.task", test_task },
	{ "clock.turns", test_turns },
	{ "clock.info", test_info },
	{ "clock.frequency", test_frequency },
};

TEST_PROGRAM(tests)
