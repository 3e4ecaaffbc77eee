// SPDX-License-Identifier: GPL-2.0
/*
 * A core loses its registers, or its clock changes, while sessions count there: counts are exact,
 * or flagged
 *
 * Needs a monitor (ask_monitor()), a kernel whose clock is not the time stamp counter, and two
 * cores.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib.h"
#include "ring.h"

#define CPU	5		/* of core 1 */
#define CORE	4		/* the core's first hardware thread */
#define PARTS	5000000UL
#define GROUPS	3
#define RING	1048576

/* Iterations of a program that runs until the core is disturbed and the loss has been found */
static unsigned long long_enough = 40000000;
#define LONGEST	(64 * 40000000UL)

/* @lost: this disturbance loses counts, unless the task sleeps */
static const struct kind {
	const char *name;
	const char *commands[2];
	int lost;
} kinds[] = {
	{ "c6", { "core-power c6 1" }, 0 },
	{ "init", { "core-power init 1" }, 0 },
	{ "clock", { "tsc-permille 500", "tsc-permille 1000" }, 0 },
	{ "reset", { "core-power reset 1" }, 1 },
};

/*
 * A session on all hardware threads of the core, on counter 1, which counts nothing. Its end
 * restores all registers, also the LVT entries, which can't be written from here.
 */
static int whole_core(void)
{
	struct request r;
	int fd = open_device();
	unsigned int i;

	ask(&r, CORE, 1);
	for (i = 1; i < KNC_THREADS_PER_CORE; i++)
		ask_cpu(&r, CORE + i);
	ask_event(&r, 0, BRANCHES, USR);
	r.e[0].counters = 2;
	check(config(fd, &r), 0);
	return fd;
}

static void disturb(const struct kind *kind)
{
	char command[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kind->commands) && kind->commands[i]; i++) {
		snprintf(command, sizeof(command), "qom-set /machine %s", kind->commands[i]);
		ask_monitor(command, NULL);
	}
}

/*
 * Disturb the core while the program of @long_enough iterations runs; returns whether this came
 * before the program ended
 */
static int disturb_running(const struct kind *kind, const struct program *p)
{
	int before;

	release(p);
	disturb(kind);
	before = !has_ended(p);
	finish(p);
	return before;
}

/*
 * Test each kind of disturbance, with ever longer programs until @shows was in time. A timer finds
 * a loss, and on a busy machine the emulated timer may be late.
 */
static void each_kind(int (*shows)(const struct kind *kind))
{
	unsigned int i;
	int shown;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		while (!(shown = shows(&kinds[i])) && long_enough < LONGEST)
			long_enough *= 2;
		check(shown, 1);
	}
}

static void each_kind_of_core(int (*shows)(const struct kind *kind))
{
	int core;

	pin(0);
	core = whole_core();
	each_kind(shows);
	close(core);
}

static void read_one(int fd, struct record *r)
{
	check(read_all(fd, r, sizeof(*r)), 1);
}

/* The program's count with @n iterations when nothing disturbs it, which is constant */
static unsigned long long undisturbed(unsigned long n)
{
	static unsigned long long counts[2];
	static unsigned long measured;
	struct request r;

	if (n == measured)
		return counts[0];
	measured = n;
	ask(&r, CPU, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	measure(&r, CPU, "loop", n, 0, counts);
	return counts[0];
}

/* A hardware thread counts, is disturbed, and continues to count. */
static void count(const struct kind *kind, unsigned int flags)
{
	unsigned long long want = undisturbed(PARTS);
	int fd = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	struct record before, after;
	struct program p;
	unsigned int i;

	check(start(fd), 0);
	for (i = 0; i < 2; i++) {
		hold(&p, CPU, "loop", PARTS, 0);
		wait_held(&p);
		read_one(fd, &before);
		release(&p);
		finish(&p);
		read_one(fd, &after);
		check(after.value[0] - before.value[0], want);
		check(after.flags, i ? flags : 0);
		if (i)
			break;
		disturb(kind);
		/* counts that READ has returned before are not lost */
		read_one(fd, &before);
		check(before.value[0], after.value[0]);
		check(before.flags, flags);
		check(before.time_running < before.time_enabled, !!flags);
	}
	check(reset(fd, 0), 0);
	read_one(fd, &after);
	check(after.flags, 0);
	close(fd);
}

static void test_counting(void)
{
	unsigned int i;
	int core;

	pin(0);
	core = whole_core();
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		note("%s", kinds[i].name);
		count(&kinds[i], kinds[i].lost ? KNC_PMU_THREAD_GAP : 0);
	}
	close(core);
}

/* As count(), while a program runs on the hardware thread */
static int count_running(const struct kind *kind)
{
	unsigned long n = long_enough;
	unsigned long long want = undisturbed(n);
	struct record before, r;
	struct program p;
	int fd, in_time;

	fd = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	check(start(fd), 0);
	hold(&p, CPU, "loop", n, 0);
	wait_held(&p);
	read_one(fd, &before);
	in_time = disturb_running(kind, &p);
	read_one(fd, &r);
	close(fd);
	r.value[0] -= before.value[0];
	note("%s: %llu of %llu", kind->name, (unsigned long long)r.value[0], want);
	check(kind->lost ? r.value[0] <= want : r.value[0] == want, 1);
	check(r.flags, kind->lost ? KNC_PMU_THREAD_GAP : 0);
	return in_time && r.value[0];
}

static void test_running(void)
{
	each_kind_of_core(count_running);
}

/*
 * INIT masks the LVT entry. An overflow after that leaves its bit in STATUS until the next refresh,
 * even if its session stops in between.
 */
static void check_quiet_soon(int fd, unsigned int cpu)
{
	unsigned long long until = now_ns() + 5000000000ULL;
	struct regs regs;

	do {
		check(read_regs(fd, cpu, &regs), 0);
		if (!regs.global_status)
			break;
		usleep(10000);
	} while (now_ns() < until);
	check_quiet(fd, cpu);
}

static int sample(const struct kind *kind)
{
	struct record record;
	struct program p;
	struct request r;
	struct ring ring;
	int fd = open_device(), in_time;
	unsigned long long before;

	memset(&ring, 0, sizeof(ring));
	ask(&r, CPU, 1);
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, 10 * PERIOD);
	r.c.ring_size = RING;
	check(config(fd, &r), 0);
	map_ring(&ring, fd, 0, CPU, RING);
	check(start(fd), 0);
	hold(&p, CPU, "loop", long_enough, 0);
	in_time = disturb_running(kind, &p);
	read_ring(&ring);
	before = ring.samples[0];
	/* overflow interrupts work again */
	hold(&p, CPU, "loop", kind->lost ? long_enough : PARTS, 0);
	release(&p);
	finish(&p);
	check(stop(fd), 0);
	drain_ring(&ring);
	read_one(fd, &record);
	note("%s: %llu samples of %llu events", kind->name, ring.samples[0],
	     (unsigned long long)record.value[0]);
	check_produced(&ring);
	check_sum(&ring, 0, record.value[0], 10 * PERIOD);
	check(record.flags, kind->lost ? KNC_PMU_THREAD_GAP : 0);
	check_quiet_soon(fd, CPU);
	unmap_ring(&ring);
	close(fd);
	return in_time && ring.samples[0] > before;
}

static void test_sampling(void)
{
	each_kind_of_core(sample);
}

/* READ's answer for GROUPS groups of one event each */
union answer {
	struct record t;
	char room[KNC_PMU_SET_SIZE(GROUPS)];
};

static int turns(void)
{
	struct knc_pmu_event e[GROUPS];
	struct request r;
	int fd = open_device();
	unsigned int i;

	ask(&r, CPU, 0);
	memset(e, 0, sizeof(e));
	for (i = 0; i < GROUPS; i++) {
		e[i].event = INSTRUCTIONS_EXECUTED;
		e[i].flags = USR;
		e[i].group = i;
	}
	r.c.events = (unsigned long)e;
	r.c.nr_events = GROUPS;
	check(config(fd, &r), 0);
	return fd;
}

/* Each group gets its turns, and the groups together count no more events than occurred. */
static int take_turns(const struct kind *kind)
{
	unsigned long n = long_enough;
	unsigned long long values[GROUPS], sum = 0;
	unsigned long long want = undisturbed(n);
	int fd = turns(), shown;
	struct program p;
	union answer a;
	unsigned int i;

	hold(&p, CPU, "loop", n, 0);
	wait_held(&p);
	check(start(fd), 0);
	shown = disturb_running(kind, &p);
	check(read_all(fd, &a, sizeof(a)), 1);
	memcpy(values, a.room + KNC_PMU_THREAD_SIZE(0), sizeof(values));
	for (i = 0; i < GROUPS; i++) {
		shown = shown && values[i];
		sum += values[i];
	}
	note("%s: %llu of %llu", kind->name, sum, want);
	check(kind->lost ? sum <= want : sum == want, 1);
	check(a.t.flags, kind->lost ? KNC_PMU_THREAD_GAP : 0);
	close(fd);
	return shown;
}

static void test_turns(void)
{
	each_kind_of_core(take_turns);
}

/*
 * The count of a task from its release to its end while @kind disturbs its core; NULL: nothing
 * disturbs it
 */
static int follow(const struct kind *kind, unsigned int flags, unsigned long long *value)
{
	struct program p;
	int fd, in_time = 1;

	hold(&p, CPU, "loop", long_enough, 0);
	wait_held(&p);
	fd = task_session(p.pid, 0, INSTRUCTIONS_EXECUTED, USR);
	check(start(fd), 0);
	if (kind) {
		in_time = disturb_running(kind, &p);
	} else {
		release(&p);
		finish(&p);
	}
	if (in_time)
		read_task(fd, 1, flags | KNC_PMU_THREAD_ENDED, value);
	close(fd);
	return in_time;
}

static int follow_running(const struct kind *kind)
{
	static unsigned long long want;
	static unsigned long measured;
	unsigned long long value;

	if (measured != long_enough)
		follow(NULL, 0, &want);
	measured = long_enough;
	if (!follow(kind, kind->lost ? KNC_PMU_THREAD_PARTIAL : 0, &value))
		return 0;
	note("%s: %llu of %llu", kind->name, value, want);
	check(kind->lost ? value < want : value == want, 1);
	return !!value;
}

/* The core is disturbed while the task runs. */
static void test_task(void)
{
	each_kind_of_core(follow_running);
}

/* Compute, sleep, compute */
static void doze(unsigned long n)
{
	loop(n);
	raise(SIGSTOP);
	loop(n);
}

static unsigned long long doze_counted(const struct kind *kind)
{
	unsigned long long value;
	struct program p;
	int fd;

	hold_call(&p, CPU, doze, PARTS);
	wait_held(&p);
	fd = task_session(p.pid, 0, INSTRUCTIONS_EXECUTED, USR);
	check(start(fd), 0);
	release(&p);
	wait_state(p.pid, 'T');
	if (kind)
		disturb(kind);
	check(kill(p.pid, SIGCONT), 0);
	finish(&p);
	read_task(fd, 1, KNC_PMU_THREAD_ENDED, &value);
	close(fd);
	return value;
}

/* The core is disturbed while the task sleeps, with its counters still programmed. */
static void test_asleep(void)
{
	unsigned long long want;
	unsigned int i;
	int core;

	pin(0);
	core = whole_core();
	want = doze_counted(NULL);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		note("%s", kinds[i].name);
		check(doze_counted(&kinds[i]), want);
	}
	close(core);
}

static const struct test tests[] = {
	{ "power.counting", test_counting },
	{ "power.running", test_running },
	{ "power.sampling", test_sampling },
	{ "power.turns", test_turns },
	{ "power.task", test_task },
	{ "power.asleep", test_asleep },
};

TEST_PROGRAM(tests)
