// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware threads that go offline and come back under a session
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <knc/regs.h>

#include "lib.h"

#define CPU	1
#define N	100000UL
#define ROUNDS	10

/* Run a program on CPU; its user-mode count is the same each time */
static void run_program(void)
{
	struct program p;

	hold(&p, CPU, "loop", N, 0);
	release(&p);
	finish(&p);
}

/* The record of CPU, which is the session's first; it must have these flags */
static void read_record(int fd, unsigned int flags,
			struct record *record)
{
	struct record records[4];

	check(read_all(fd, records, sizeof(records)) >= 1, 1);
	*record = records[0];
	check(record->cpu, CPU);
	check(record->flags, flags);
	check(record->time_running <= record->time_enabled, 1);
	check(!!(flags & KNC_PMU_THREAD_GAP),
	      record->time_running < record->time_enabled);
}

static int two_threads(void)
{
	struct request r;
	int fd = open_device();

	pin(0);
	ask(&r, CPU, 1);
	ask_cpu(&r, CPU + 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	check(config(fd, &r), 0);
	return fd;
}

static void test_running(void)
{
	struct record a, b;
	int fd = two_threads();
	unsigned long long once;

	check(start(fd), 0);
	run_program();
	read_record(fd, 0, &a);
	once = a.value[0];
	check(once > 2 * N, 1);
	set_online(CPU, 0);
	read_record(fd, KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP, &a);
	check(a.value[0], once);
	read_record(fd, KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP, &b);
	check(b.value[0], once);
	check(b.time_running, a.time_running);
	check(b.time_enabled > a.time_enabled, 1);
	set_online(CPU, 1);
	read_record(fd, KNC_PMU_THREAD_GAP, &a);
	check(a.value[0], once);
	run_program();
	read_record(fd, KNC_PMU_THREAD_GAP, &b);
	note("%llu, then %llu", once, (unsigned long long)b.value[0]);
	/* a few instructions more: the program pins itself before its release */
	check(b.value[0] - once >= 2 * N && b.value[0] - once <= once + 1000,
	      1);
	check(b.time_running > a.time_running, 1);
	/* after RESET the record has no gap */
	check(reset(fd, 0), 0);
	read_record(fd, 0, &a);
	check(a.value[0] < once, 1);
	check(stop(fd), 0);
}

/* A stopped session misses no event while the hardware thread is offline. */
static void test_stopped(void)
{
	struct record a, b;
	int fd = two_threads();

	check(start(fd), 0);
	run_program();
	check(stop(fd), 0);
	read_record(fd, 0, &a);
	set_online(CPU, 0);
	read_record(fd, KNC_PMU_THREAD_OFFLINE, &b);
	check(b.value[0], a.value[0]);
	set_online(CPU, 1);
	read_record(fd, 0, &b);
	check(b.value[0], a.value[0]);
	run_program();
	read_record(fd, 0, &b);
	check(b.value[0], a.value[0]);
	check(start(fd), 0);
	run_program();
	check(stop(fd), 0);
	read_record(fd, 0, &b);
	check(b.value[0] - a.value[0] >= 2 * N, 1);
}

/* START and STOP while the hardware thread is offline */
static void test_started_offline(void)
{
	struct record a;
	int fd = two_threads();

	set_online(CPU, 0);
	check(start(fd), 0);
	read_record(fd, KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP, &a);
	check(a.time_running, 0);
	set_online(CPU, 1);
	run_program();
	read_record(fd, KNC_PMU_THREAD_GAP, &a);
	check(a.value[0] > 2 * N && a.value[0] < 3 * N, 1);
	set_online(CPU, 0);
	check(stop(fd), 0);
	read_record(fd, KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP, &a);
	set_online(CPU, 1);
	run_program();
	check(a.value[0] > 2 * N && a.value[0] < 3 * N, 1);
}

static const struct registers leftovers = {
	{ 0x123456789a, 7 }, { 0x00030016, 0x00410012 }, 0x8000000000000001,
	0x1, 0, KNC_APIC_LVT_NMI
};

/* The registers are restored whether the session is closed before, during or after the absence. */
static void test_closed_offline(void)
{
	int fd;

	put_registers(CPU, &leftovers);
	fd = two_threads();
	check(start(fd), 0);
	set_online(CPU, 0);
	close(fd);
	set_online(CPU, 1);
	check_registers(CPU, &leftovers);
	fd = two_threads();
	check(start(fd), 0);
	set_online(CPU, 0);
	set_online(CPU, 1);
	close(fd);
	check_registers(CPU, &leftovers);
	put_registers(CPU, &zeros);
}

/* All hardware threads of the session are offline. */
static void test_all_offline(void)
{
	struct record a;
	int fd;

	pin(0);
	fd = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	check(start(fd), 0);
	run_program();
	set_online(CPU, 0);
	read_record(fd, KNC_PMU_THREAD_OFFLINE | KNC_PMU_THREAD_GAP, &a);
	check(a.value[0] > 2 * N, 1);
	check(reset(fd, 0), 0);
	check(stop(fd), 0);
	set_online(CPU, 1);
	check(start(fd), 0);
	run_program();
	check(stop(fd), 0);
	check(read_all(fd, &a, sizeof(a)), 1);
	check(a.value[0] > 2 * N && a.value[0] < 3 * N, 1);
}

static void test_config(void)
{
	struct request r;
	int fd = open_device();

	set_online(CPU, 0);
	ask(&r, CPU - 1, 1);
	ask_cpu(&r, CPU);
	ask_event(&r, 0, BRANCHES, USR);
	check(config(fd, &r), -ENXIO);
	check(r.c.reason, KNC_PMU_REASON_CPU_OFFLINE);
	check(r.c.reason_cpu, CPU);
	set_online(CPU, 1);
	check(config(fd, &r), 0);
}

static void test_owner(void)
{
	struct knc_pmu_owner owner;
	int fd = session(CPU, BRANCHES, USR);

	set_online(CPU, 0);
	memset(&owner, 0, sizeof(owner));
	owner.cpu = CPU;
	check(command(fd, KNC_PMU_IOC_OWNER, &owner), 0);
	check(owner.flags, KNC_PMU_OWNER_SESSION);
	check(owner.pid, getpid());
	set_online(CPU, 1);
}

/*
 * A hardware thread goes offline and comes back while another process configures, counts and
 * closes.
 */
static void test_race(void)
{
	unsigned int i;
	pid_t pid;
	int fd;

	pid = fork();
	while (!pid) {
		struct record records[2];
		struct request r;
		int ret;

		fd = open_device();
		ask(&r, CPU, 1);
		ask_cpu(&r, CPU + 1);
		ask_event(&r, 0, BRANCHES, USR | OS);
		ret = config(fd, &r);
		if (ret)
			check(ret, -ENXIO);
		for (i = 0; !ret && i < 20; i++) {
			check(start(fd), 0);
			check(read_all(fd, records, sizeof(records)), 2);
			check(stop(fd), 0);
		}
		close(fd);
	}
	for (i = 0; i < ROUNDS; i++) {
		set_online(CPU, 0);
		set_online(CPU, 1);
	}
	kill(pid, SIGKILL);
	check(waitpid(pid, &fd, 0), pid);
	check(fd, SIGKILL);
}

static const struct test tests[] = {
	{ "hotplug.running", test_running },
	{ "hotplug.stopped", test_stopped },
	{ "hotplug.started-offline", test_started_offline },
	{ "hotplug.closed-offline", test_closed_offline },
	{ "hotplug.all-offline", test_all_offline },
	{ "hotplug.config", test_config },
	{ "hotplug.owner", test_owner },
	{ "hotplug.race", test_race },
};

TEST_PROGRAM(tests)
