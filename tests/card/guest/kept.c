// SPDX-License-Identifier: GPL-2.0
/*
 * The module keeps the counters for two seconds after the last session: repeated sessions do not
 * disturb other CPUs, and perf gets the counters at once when it asks
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

#define CPU		1	/* where the sessions are */
#define BYSTANDER	3	/* where another program runs */
#define SESSIONS	1000	/* one after another */
#define BURST		256	/* how often BYSTANDER's registers may be written in a row */
#define REFILL		8	/* seconds until BURST is available again */
#define ROUNDS		20
#define LOOPS		1000

static void spin(unsigned long unused)
{
	(void)unused;
	for (;;)
		;
}

/* How often other CPUs interrupted BYSTANDER to call a function */
static unsigned long long nr_calls(void)
{
	unsigned long long nr[BYSTANDER + 1] = { 0 };
	FILE *f = fopen("/proc/interrupts", "r");
	char line[512];
	int found = 0;

	if (!f)
		fail("/proc/interrupts: %s", strerror(errno));
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, " CAL: %llu %llu %llu %llu", &nr[0], &nr[1], &nr[2],
			       &nr[3]) == BYSTANDER + 1;
	fclose(f);
	check(found, 1);
	return nr[BYSTANDER];
}

/* How often @pid, which never sleeps, was preempted */
static unsigned long long nr_preempted(int pid)
{
	char path[32], line[128];
	unsigned long long nr;
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	if (!f)
		fail("%s: %s", path, strerror(errno));
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "nonvoluntary_ctxt_switches: %llu", &nr);
	fclose(f);
	check(found, 1);
	return nr;
}

static unsigned long long nr_bothered(const struct program *p)
{
	return nr_calls() + nr_preempted(p->pid);
}

static void session_only(void)
{
	close(task_session(0, 0, INSTRUCTIONS_EXECUTED, USR));
}

static void session_counts(void)
{
	int fd = task_session(0, 0, INSTRUCTIONS_EXECUTED, USR);

	check(start(fd), 0);
	check(stop(fd), 0);
	close(fd);
}

static void session_in_ring3(void)
{
	close(task_session(0, KNC_PMU_CONFIG_RDPMC, INSTRUCTIONS_EXECUTED, USR));
}

/* A session on an event that other threads of the core may cause, and may be interrupted by */
static void session_of_core(void)
{
	close(task_session(0, 0, L2_READ_MISS, USR));
}

static void session_and_perf(void)
{
	int err;

	session_only();
	err = perf_asks();
	if (err != -EBUSY)
		check(err, 0);
}

/*
 * Repeat the machine's only session SESSIONS times, and check how often BYSTANDER is interrupted:
 * at most @at_once times, @each times a second, and as often as the kernel itself does
 */
static void check_bothers(const char *what, void (*round)(void), unsigned int at_once,
			  unsigned int each)
{
	unsigned long long nr, ns, most;
	struct program p;
	unsigned int i;

	hold_call(&p, BYSTANDER, spin, 0);
	release(&p);
	/* the first round takes the counters over from perf */
	round();
	nr = nr_bothered(&p);
	ns = now_ns();
	for (i = 0; i < SESSIONS; i++)
		round();
	nr = nr_bothered(&p) - nr;
	ns = now_ns() - ns;
	kill(p.pid, SIGKILL);
	most = at_once + (each + 20) * (ns / 1000000000 + 1);
	note("%s: %u sessions bother another CPU %llu times", what, SESSIONS, nr);
	if (nr > most)
		fail("%s: %u sessions bother another CPU %llu times, more than %llu", what,
		     SESSIONS, nr, most);
}

static void test_bystander(void)
{
	become_nobody(device_group());
	pin(CPU);
	check_bothers("CONFIG", session_only, 0, 0);
	check_bothers("CONFIG, START, STOP", session_counts, 0, 0);
}

/* Saving and restoring registers needs the other CPUs, and is therefore limited. */
static void test_limit(void)
{
	become_nobody(device_group());
	pin(CPU);
	check_bothers("CONFIG of a core's event", session_of_core, 2 * BURST, 2 * 40);
	/* with RDPMC each session has one interrupt more, which clears the free counters */
	check_bothers("CONFIG with RDPMC", session_in_ring3, 2 * BURST + SESSIONS, 2 * 40);
}

/* perf asks for the counters in between, therefore the next session takes them over again. */
static void test_limit_perf(void)
{
	/* wait until a whole burst is permitted again */
	sleep(REFILL);
	save_registers();
	pin(CPU);
	check_bothers("CONFIG and perf", session_and_perf, 3 * BURST, 3 * 40);
	put_back_registers();
	/* the next tests need only a few interrupts */
	sleep(1);
}

/* perf's count of this thread over @n iterations of a loop */
static unsigned long long perf_count(int fd, unsigned long n)
{
	unsigned long long before, after;

	check(read(fd, &before, sizeof(before)), sizeof(before));
	loop(n);
	check(read(fd, &after, sizeof(after)), sizeof(after));
	return after - before;
}

static void check_perf_counts(int cpu)
{
	int fd = perf_open(BRANCHES, cpu < 0 ? 0 : -1, cpu);

	if (fd < 0)
		fail("perf_event_open: %s", strerror(-fd));
	/* one branch for each iteration */
	check(perf_count(fd, 2 * LOOPS) - perf_count(fd, LOOPS), LOOPS);
	close(fd);
}

static void test_perf(void)
{
	unsigned int i;
	int fd;

	save_registers();
	pin(CPU);
	for (i = 0; i < ROUNDS; i++) {
		fd = task_session(0, i & 1 ? KNC_PMU_CONFIG_RDPMC : 0, BRANCHES, USR);
		check(start(fd), 0);
		loop(LOOPS);
		check(perf_asks(), -EBUSY);
		close(fd);
		check_perf_counts(i & 2 ? CPU : -1);
	}
	put_back_registers();
}

static int put_watchdog(const char *on)
{
	FILE *f = fopen("/proc/sys/kernel/nmi_watchdog", "w");
	int err;

	if (!f)
		skip("there is no NMI watchdog");
	err = fputs(on, f) < 0;
	return fclose(f) | err;
}

/* Sessions are refused while the NMI watchdog is on. */
static void test_watchdog(void)
{
	struct request r;

	save_registers();
	pin(CPU);
	session_counts();
	check(put_watchdog("1\n"), 0);
	ask_task(&r, 0, 0, 1);
	ask_event(&r, 0, BRANCHES, USR);
	refused(&r, EBUSY, KNC_PMU_REASON_PMU_RESERVED);
	check(put_watchdog("0\n"), 0);
	session_counts();
	put_back_registers();
}

static const struct registers pattern = {
	.perfcntr = { 0x1234, 0x56789 },
	/* GLOBAL_CTRL enables no counter: these events are not counted */
	.perfevtsel = { 0x16, 0x12 },
	.spflt_control = 1,
	.lvtpc = KNC_APIC_LVT_NMI,
};

/* A task is counted on all CPUs: while the counters are kept no register shows a trace of it. */
static void restored_after(unsigned int flags)
{
	unsigned int cpu;
	int fd;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		put_registers(cpu, &pattern);
	fd = task_session(0, flags, BRANCHES, USR);
	check(start(fd), 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		pin(cpu);
		loop(LOOPS);
	}
	close(fd);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		check_registers(cpu, &pattern);
}

/*
 * With RDPMC CONFIG saves the registers of all CPUs, otherwise each CPU saves its own when the task
 * runs there
 */
static void test_restored(void)
{
	save_registers();
	restored_after(KNC_PMU_CONFIG_RDPMC);
	restored_after(0);
	put_back_registers();
}

/* A CPU goes offline and comes back, while the counters are kept and after perf got them. */
static void test_hotplug(void)
{
	unsigned long long counts[2];
	unsigned int i;
	int fd;

	save_registers();
	for (i = 0; i < 2; i++) {
		pin(BYSTANDER);
		session_counts();
		pin(CPU);
		set_online(BYSTANDER, 0);
		if (i)
			check_perf_counts(-1);
		session_counts();
		set_online(BYSTANDER, 1);
		pin(BYSTANDER);
		if (i)
			check_perf_counts(BYSTANDER);
		fd = task_session(0, 0, BRANCHES, USR);
		check(start(fd), 0);
		read_task(fd, 1, 0, &counts[0]);
		loop(LOOPS);
		read_task(fd, 1, 0, &counts[1]);
		check(counts[1] - counts[0] >= LOOPS, 1);
		close(fd);
		check_perf_counts(BYSTANDER);
	}
	put_back_registers();
}

/* The module is removed while the counters are kept, and after perf got them. */
static void test_unload(void)
{
	const char *module = getenv("KNC_MODULE");
	char text[512];
	unsigned int i;
	int fd;

	save_registers();
	if (!module)
		skip("the module is not known");
	snprintf(text, sizeof(text), "rmmod knc_pmu && insmod %s", module);
	pin(CPU);
	for (i = 0; i < 4; i++) {
		session_counts();
		fd = i & 1 ? perf_open(BRANCHES, 0, -1) : -1;
		check(system(text), 0);
		if (i & 1)
			check(perf_count(fd, 2 * LOOPS) - perf_count(fd, LOOPS), LOOPS);
		else
			check_perf_counts(-1);
		close(fd);
	}
	session_counts();
	put_back_registers();
}

static const struct test tests[] = {
	{ "kept.bystander", test_bystander },
	{ "kept.perf", test_perf },
	{ "kept.watchdog", test_watchdog },
	{ "kept.restored", test_restored },
	{ "kept.hotplug", test_hotplug },
	{ "kept.unload", test_unload },
	/* must be last: after these tests perf has to wait for the counters */
	{ "kept.limit", test_limit },
	{ "kept.limit-perf", test_limit_perf },
};

TEST_PROGRAM(tests)
