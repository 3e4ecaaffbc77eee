// SPDX-License-Identifier: GPL-2.0
/*
 * USER_PREF belongs to a task: SPFLT in one task does not change another task's; a new task
 * inherits it
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <knc/regs.h>

#include "lib.h"

#define CPU	1
#define N	1000000UL
#define LONG	long_loop()
#define RUNS	3
#define GATE	KNC_PMU_EVENT_SPFLT
#define PREF	KNC_PMU_CONFIG_USER_PREF
#define INHERIT	KNC_PMU_CONFIG_INHERIT
#define ON_EXEC	KNC_PMU_CONFIG_ON_EXEC
#define ENDED	KNC_PMU_THREAD_ENDED

static inline void spflt(unsigned int on)
{
	asm volatile(".byte 0xc5, 0xfb, 0xae, 0xf0" : : "a" (on) : "memory");
}

/* A session with a gated and an ungated event */
static int session_of(int pid, unsigned int flags)
{
	struct request r;

	ask_task(&r, pid, flags, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | GATE);
	ask_event(&r, 1, INSTRUCTIONS_EXECUTED, USR);
	return open_session(&r);
}

enum { COMPETITOR = 1, FOLLOWED = 2, MIGRATED = 4 };

static void begin_competitor(struct program *p, unsigned int how)
{
	int fd;

	hold(p, CPU, "toggle", 0, 0);
	if (how & FOLLOWED) {
		wait_held(p);
		fd = session_of(p->pid, how & MIGRATED ? PREF : 0);
		check(start(fd), 0);
	}
	release(p);
}

static void migrate(int pid)
{
	static const struct timespec ms = { 0, 1000000 };
	siginfo_t info;
	unsigned int cpu = 0;

	for (;;) {
		info.si_pid = 0;
		check(waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT),
		      0);
		if (info.si_pid)
			return;
		cpu = (cpu + 1) % nr_cpus();
		pin_task(pid, cpu);
		nanosleep(&ms, NULL);
	}
}

/*
 * Follow "spflt n m" from its release to its end; returns the count within the gate, and the whole
 * count
 */
static void follow(unsigned long n, unsigned long m, unsigned int flags,
		   unsigned int how, unsigned long long *counts)
{
	struct program p, competitor;
	struct registers before;
	int fd;

	pin(0);
	get_registers(CPU, &before);
	hold(&p, CPU, "spflt", n, m);
	wait_held(&p);
	fd = session_of(p.pid, flags);
	if (!(flags & ON_EXEC))
		check(start(fd), 0);
	if (how & COMPETITOR)
		begin_competitor(&competitor, how);
	release(&p);
	if (how & MIGRATED)
		migrate(p.pid);
	finish(&p);
	read_task(fd, 2, ENDED, counts);
	close(fd);
	if (how & COMPETITOR) {
		kill(competitor.pid, SIGKILL);
		waitpid(competitor.pid, NULL, 0);
		close(competitor.go);
		/* the value that the last task, which was not followed, has left there */
		put_registers(CPU, &before);
	}
}

/*
 * The gate opens after the first SPFLT, and closes when the second SPFLT executes: between them are
 * 2 N instructions and an XOR.
 */
static void check_gate(unsigned long n, unsigned int how)
{
	unsigned long long want[2], got[2];
	unsigned int i;

	follow(n, n, 0, 0, want);
	check(want[0], 2 * n + 1);
	for (i = 0; i < RUNS; i++) {
		follow(n, n, 0, how, got);
		check(got[0], want[0]);
		check(got[1], want[1]);
	}
	note("%llu of %llu", got[0], got[1]);
}

static void test_region(void)
{
	unsigned long long once[2], other[2];

	check_gate(N, 0);
	follow(N, N, 0, 0, once);
	follow(2 * N, N, 0, 0, other);
	check(other[0] - once[0], 2 * N);
	follow(N, 2 * N, 0, 0, other);
	check(other[0], once[0]);
	check(other[1] - once[1], 2 * N);
}

/* Beside an unfollowed program that toggles USER_PREF all the time */
static void test_competitor(void)
{
	check_gate(LONG, COMPETITOR);
}

/* Beside a followed program that toggles USER_PREF all the time */
static void test_followed_competitor(void)
{
	check_gate(LONG, COMPETITOR | FOLLOWED);
}

static void test_migrated(void)
{
	check_gate(LONG, MIGRATED);
	check_gate(LONG, MIGRATED | COMPETITOR | FOLLOWED);
}

/* If USER_PREF is set at the start, the code before the region counts too. */
static void test_initial(void)
{
	unsigned long long off[2], on[2], again[2];

	follow(N, N, 0, 0, off);
	follow(N, N, PREF, 0, on);
	check(on[1], off[1]);
	check(on[0] > off[0] && on[0] < off[0] + 300, 1);
	follow(N, 2 * N, PREF, COMPETITOR | FOLLOWED, again);
	check(again[0], on[0]);
	/* after exec the new program keeps the old one's USER_PREF */
	follow(N, N, PREF | ON_EXEC, 0, again);
note("%llu without, %llu with USER_PREF, %llu from exec on", off[0], on[0], again[0]);
	check(again[0] > off[0] && again[0] < on[0], 1);
	follow(N, N, ON_EXEC, 0, again);
	check(again[0], off[0]);
}

/* Tasks that create others, and the tasks that they create */

static int is_thread;
static unsigned char stack[2][65536] __attribute__((__aligned__(16)));
static int ended[2];

static int created(void *n)
{
	loop((unsigned long)n);
	return is_thread && write(ended[1], "", 1) != 1;
}

/* The new task executes no SPFLT; its creator changes USER_PREF afterwards. */
static void create(unsigned long n)
{
	unsigned int on = n & 1;
	int flags = SIGCHLD;
	char byte;

	if (is_thread)
		flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			CLONE_THREAD | CLONE_SYSVSEM;
	spflt(on);
	if (clone(created, stack[1], flags, (void *)n) < 0)
		_exit(1);
	spflt(!on);
	if (!is_thread)
		waitpid(-1, NULL, 0);
	else if (read(ended[0], &byte, 1) != 1)
		_exit(1);
	spflt(0);
}

static unsigned long long gated_of_created(unsigned int on)
{
	unsigned long long counts[2];
	struct program p;
	int fd;

	check(pipe2(ended, O_CLOEXEC), 0);
	hold_call(&p, ANY_CPU, create, N + on);
	wait_held(&p);
	fd = session_of(p.pid, INHERIT);
	check(start(fd), 0);
	release(&p);
	finish(&p);
	read_task(fd, 2, ENDED, counts);
	check(counts[1] >= 2 * N, 1);
	close(fd);
	return counts[0];
}

static void check_inherited(void)
{
	unsigned long long on, off;

	on = gated_of_created(1);
	off = gated_of_created(0);
	note("with %llu, without %llu", on, off);
	check(on >= 2 * N + 2 && on < 2 * N + 1000, 1);
	/* the creator's own instructions while it waits */
	check(off < 1000, 1);
}

static void test_fork(void)
{
	check_inherited();
}

static void test_thread(void)
{
	is_thread = 1;
	check_inherited();
}

/* The caller's USER_PREF survives sleep, READ, STOP and START. */
static void test_own(void)
{
	unsigned long long before[2], after[2];
	int fd;

	fd = session_of(0, 0);
	check(start(fd), 0);
	loop(N);
	read_task(fd, 2, 0, before);
	check(before[0], 0);
	spflt(1);
	usleep(1000);
	check(stop(fd), 0);
	check(start(fd), 0);
	pin(CPU);
	pin(CPU + 1);
	loop(N);
	spflt(0);
	pin(CPU);
	loop(N);
	read_task(fd, 2, 0, after);
	check(after[0] >= 2 * N && after[0] < 2 * N + 1000, 1);
	check(after[1] - before[1] >= 4 * N, 1);
}

/* Two sessions on one task: SPFLT controls the counter of the one that asked for it only. */
static void test_two_sessions(void)
{
	unsigned long long a, b;
	struct request r;
	int fd, other;

	fd = open_device();
	ask_task(&r, 0, 0, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | GATE);
	check(config(fd, &r), 0);
	other = task_session(0, 0, INSTRUCTIONS_EXECUTED, USR);
	check(start(fd), 0);
	check(start(other), 0);
	loop(N);
	spflt(1);
	loop(N);
	spflt(0);
	loop(N);
	read_task(fd, 1, 0, &a);
	read_task(other, 1, 0, &b);
	check(a >= 2 * N + 1 && a <= 2 * N + 10, 1);
	check(b >= 6 * N && b < 6 * N + 200, 1);
}

/* The last session restores the register's old contents. */
static void test_restored(void)
{
	struct registers before[8], left;
	unsigned long long counts[2];
	struct program p;
	unsigned int cpu;
	int fd;

	for (cpu = 0; cpu < nr_cpus() && cpu < 8; cpu++) {
		get_registers(cpu, &before[cpu]);
		left = before[cpu];
		left.spflt_control = KNC_SPFLT_USER_PREF | KNC_SPFLT_CNTR(1);
		put_registers(cpu, &left);
	}
	hold(&p, CPU, "toggle", 0, 0);
	wait_held(&p);
	fd = session_of(p.pid, 0);
	check(start(fd), 0);
	release(&p);
	follow(LONG, N, PREF, MIGRATED, counts);
	/* wait until it has run */
	do {
		usleep(1000);
		read_task(fd, 2, 0, counts);
	} while (!counts[0]);
	kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	read_task(fd, 2, ENDED, counts);
	close(fd);
	for (cpu = 0; cpu < nr_cpus() && cpu < 8; cpu++) {
		left = before[cpu];
		left.spflt_control = KNC_SPFLT_USER_PREF | KNC_SPFLT_CNTR(1);
		check_registers(cpu, &left);
		put_registers(cpu, &before[cpu]);
	}
}

static const struct test tests[] = {
	{ "spflt.region", test_region },
	{ "spflt.competitor", test_competitor },
	{ "spflt.followed-competitor", test_followed_competitor },
	{ "spflt.migrated", test_migrated },
	{ "spflt.initial", test_initial },
	{ "spflt.fork", test_fork },
	{ "spflt.thread", test_thread },
	{ "spflt.own", test_own },
	{ "spflt.two-sessions", test_two_sessions },
	{ "spflt.restored", test_restored },
};

TEST_PROGRAM(tests)
