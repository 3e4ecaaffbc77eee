// SPDX-License-Identifier: GPL-2.0
/* All hardware threads of a large card at once */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib.h"

#define MAX_CPUS	256
#define SOME		100000UL	/* iterations, and 1000 more for each CPU */

static struct request all;
static struct record records[MAX_CPUS];

/* One CONFIG for all hardware threads: INSTRUCTIONS_EXECUTED:u and BRANCHES:u */
static int all_threads(void)
{
	unsigned int cpu;
	int fd = open_device();

	ask(&all, 0, 2);
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		ask_cpu(&all, cpu);
	ask_event(&all, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&all, 1, BRANCHES, USR);
	check(config(fd, &all), 0);
	return fd;
}

static void test_info(void)
{
	struct knc_pmu_info info;
	int fd = open_device();

	memset(&info, 0, sizeof(info));
	check(command(fd, KNC_PMU_IOC_INFO, &info), 1);
	check(info.nr_threads, nr_cpus());
	check(info.nr_online, nr_cpus());
	check(info.nr_online % info.threads_per_core, 0);
	note("%u hardware threads", info.nr_online);
}

static void test_program(void)
{
	struct regs regs;
	unsigned int cpu;
	int fd = all_threads();

	check(start(fd), 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		check(read_regs(fd, cpu, &regs), 0);
		check(regs.perfevtsel[0], 0x510016);
		check(regs.perfevtsel[1], 0x510012);
		check(regs.global_ctrl, 3);
	}
	check(stop(fd), 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		check(read_regs(fd, cpu, &regs), 0);
		check(regs.global_ctrl, 0);
	}
	check(read_all(fd, records, nr_cpus() * sizeof(*records) - 1), -ENOSPC);
	check(read_all(fd, records, sizeof(records)), nr_cpus());
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		check(records[cpu].cpu, cpu);
		check(records[cpu].flags, 0);
		check(records[cpu].time, records[0].time);
		check(records[cpu].time_enabled, records[0].time_enabled);
		check(records[cpu].time_running, records[0].time_enabled);
	}
}

/*
 * A program on each hardware thread except the first, on which this test runs. Each program has
 * another number of iterations, and its hardware thread counts exactly that number.
 */
static void test_loops(void)
{
	struct program programs[MAX_CPUS];
	unsigned long long extra[2] = { 0, 0 };
	unsigned int cpu;
	int fd;

	pin(0);
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		hold(&programs[cpu], cpu, "loop", SOME + 1000 * cpu, 0);
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		wait_held(&programs[cpu]);
	fd = all_threads();
	check(start(fd), 0);
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		release(&programs[cpu]);
	for (cpu = 1; cpu < nr_cpus(); cpu++)
		finish(&programs[cpu]);
	check(stop(fd), 0);
	check(read_all(fd, records, sizeof(records)), nr_cpus());
	for (cpu = 1; cpu < nr_cpus(); cpu++) {
		unsigned long n = SOME + 1000 * cpu;

		check(records[cpu].flags, 0);
		/* startup and exit cost the same everywhere */
		if (cpu == 1) {
			extra[0] = records[cpu].value[0] - 2 * n;
			extra[1] = records[cpu].value[1] - n;
			check(extra[0] < 1000 && extra[1] < 200, 1);
		}
		check(records[cpu].value[0], 2 * n + extra[0]);
		check(records[cpu].value[1], n + extra[1]);
	}
	cpu = nr_cpus() - 1;
	note("CPU 1: %llu and %llu, CPU %u: %llu and %llu",
	     (unsigned long long)records[1].value[0],
	     (unsigned long long)records[1].value[1], cpu,
	     (unsigned long long)records[cpu].value[0],
	     (unsigned long long)records[cpu].value[1]);
}

static void test_busy(void)
{
	unsigned int last = nr_cpus() - 1;
	int fd = open_device();

	session(last, BRANCHES, USR);
	ask(&all, 0, 2);
	ask_cpu(&all, last);
	ask_event(&all, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&all, 1, BRANCHES, USR);
	check(config(fd, &all), -EBUSY);
	check(all.c.reason, KNC_PMU_REASON_BUSY);
	check(all.c.reason_cpu, last);
}

/* When a process is killed, its counters are given back on all hardware threads. */
static void test_kill(void)
{
	static struct registers before[MAX_CPUS];
	unsigned int cpu;
	int status;
	pid_t pid;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		get_registers(cpu, &before[cpu]);
	pid = fork();
	if (!pid) {
		check(start(all_threads()), 0);
		kill(getpid(), SIGKILL);
	}
	check(waitpid(pid, &status, 0), pid);
	check(status, SIGKILL);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		check_registers(cpu, &before[cpu]);
}

static const struct test tests[] = {
	{ "info", test_info },
	{ "program", test_program },
	{ "loops", test_loops },
	{ "busy", test_busy },
	{ "kill", test_kill },
};

TEST_PROGRAM(tests)
