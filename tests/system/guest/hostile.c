// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of the ioctls: valid and mutated requests of privileged and unprivileged
 * processes on shared files, while they fork, execute set-user-ID programs, change
 * their mappings, migrate, are killed and lose CPUs.
 *
 * It goes on in rounds. After each, everything is as it was: run_tests() sees to that,
 * and bystanders to what must not be permitted meanwhile. The kernel must not complain
 * (the caller looks at its log).
 *
 *	KNC_FUZZ_SEED	the seed; its streams of random numbers are the same again
 *	KNC_FUZZ_ROUND	... from this round on
 *	KNC_FUZZ_CALLS	calls of each round
 *	KNC_FUZZ_SECONDS how long; 0: until the bounds below are reached
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

#define ENOUGH_CALLS	200000
#define ENOUGH_CONFIGS	10000
#define ROUND_CALLS	20000
#define LIFE		4000	/* acts of an actor */

struct shared *shared;
static unsigned int group;
static time_t began;

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

/* accepted or refused for what was asked */
static unsigned long nr_calls(void)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < CALL_UNKNOWN; i++)
		nr += LOAD(shared->accepted[i]) + LOAD(shared->refused[i]);
	return nr;
}

static void become_user(int uid)
{
	if (setgroups(0, NULL) || setgid(group) || setuid(uid) ||
	    prctl(PR_SET_DUMPABLE, 1))
		_exit(5);
}

/* The bystanders: RDPMC is for nobody who has not asked */

static void stand_by(int uid, unsigned int nr)
{
	begin_stream(shared->seed, shared->round, 1000 + nr);
	if (uid)
		become_user(uid);
	catch_denial();
	while (!LOAD(shared->over)) {
		pin_task(0, below(nr_cpus()));
		if (is_permitted())
			TALLY(shared->breach);
		TALLY(shared->probes);
		usleep(5000);
	}
	_exit(0);
}

/* Hardware threads come and go. */
static void plug(void)
{
	unsigned int cpu;

	begin_stream(shared->seed, shared->round, 2000);
	while (!LOAD(shared->over)) {
		cpu = 1 + below(nr_cpus() - 1);
		set_online(cpu, 0);
		usleep(below(100000));
		set_online(cpu, 1);
		usleep(below(400000));
	}
	_exit(0);
}

/* Actors */

static void live(unsigned int nr, unsigned int generation)
{
	static const int uids[ACTORS] = { 0, 0, NOBODY, NOBODY, NOBODY - 1 };
	unsigned int slot;

	begin_stream(shared->seed, shared->round, nr << 16 | generation);
	catch_denial();
	if (uids[nr])
		become_user(uids[nr]);
	make_arena();
	for (slot = 0; slot < FILES; slot++)
		fresh_file(slot);
	act_in_turns(LIFE);
	_exit(0);
}

static void start_actor(unsigned int nr, unsigned int generation)
{
	int pid = fork();

	if (!pid)
		live(nr, generation);
	if (pid < 0)
		fail("no process: %s", strerror(errno));
	shared->pids[nr] = pid;
}

static int start_other(int uid, unsigned int nr)
{
	int pid = fork();

	if (!pid && uid >= 0)
		stand_by(uid, nr);
	else if (!pid)
		plug();
	return pid;
}

/* Those that have ended, by themselves or not, begin again. */
static void replace_actors(unsigned int *generations)
{
	unsigned int i;
	int pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		end_turn(pid);
		for (i = 0; i < ACTORS; i++)
			if (shared->pids[i] == pid)
				start_actor(i, ++generations[i]);
	}
}

static void let_them_act(unsigned long calls)
{
	unsigned int generations[ACTORS] = { 0 };
	unsigned long last = nr_calls(), now;
	unsigned int i;

	for (i = 0; i < ACTORS; i++)
		start_actor(i, 0);
	while ((now = nr_calls()) < calls) {
		usleep(5000 + below(50000));
		if (one_in(4))
			kill(shared->pids[below(ACTORS)], SIGKILL);
		replace_actors(generations);
		/* what hangs is a failure, what is slow is not */
		if (now > last + 100) {
			alarm(TEST_SECONDS);
			last = now;
		}
	}
}

static void end_them(void)
{
	unsigned int i;

	__atomic_store_n(&shared->over, 1, __ATOMIC_RELEASE);
	for (i = 0; i < ACTORS; i++)
		kill(shared->pids[i], SIGKILL);
	close(shared->files[0]);
	close(shared->files[1]);
	/* their children too, which are this one's now */
	while (wait(NULL) > 0)
		;
}

/* The file of the last one that ended is closed a little later. */
static void check_free(void)
{
	unsigned int cpu;

	while (nr_sessions())
		wait_ms();
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		set_online(cpu, 1);
	check_unowned();
	check(ask_grants(NULL, 0), 0);
	check_no_pce();
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		pin(cpu);
		check_registers(cpu, &zeros);
		check(is_permitted(), 0);
	}
}

static void one_round(void)
{
	unsigned long calls = nr_calls() + number("KNC_FUZZ_CALLS", ROUND_CALLS);

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	begin_stream(shared->seed, shared->round, 3000);
	catch_denial();
	shared->over = 0;
	memset(shared->turns, 0, sizeof(shared->turns));
	/* the more at once the longer each waits for the others' CPUs */
	shared->at_once = shared->round % 4 ? 1 + one_in(2) : ACTORS;
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, shared->files))
		fail("no sockets: %s", strerror(errno));
	start_other(0, 0);
	start_other(NOBODY, 1);
	/* to take a CPU away takes time that calls don't have then */
	if (shared->round % 4 == 1)
		start_other(-1, 0);
	let_them_act(calls);
	end_them();
	check(shared->breach, 0);
	check_free();
}

static int run_round(void)
{
	char name[40];
	struct test test;

	sprintf(name, "hostile.round-%u", shared->round);
	test.name = name;
	test.run = one_round;
	return run_tests(&test, 1, (char *[]){ NULL });
}

/* What was reached */

static const char * const call_names[CALLS] = {
	"INFO", "CONFIG", "START", "STOP", "RESET", "READ", "REGS", "OWNER",
	"STATS", "GRANTS", "mmap",
#ifdef KNC_PMU_IOC_EVICT
	"EVICT",
#endif
	"unknown"
};

static void show(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		note("%-8s %7lu accepted %7lu refused %7lu died", call_names[i],
		     shared->accepted[i], shared->refused[i], shared->died[i]);
	note("of CONFIG: %lu of hardware threads, %lu of tasks; "
	     "%lu sets, %lu that sample, %lu with RDPMC",
	     shared->kinds[0], shared->kinds[1], shared->kinds[2],
	     shared->kinds[3], shared->kinds[4]);
	for (i = 0; i < REASONS; i++)
		if (shared->reasons[i])
			note("reason %u: %lu", i, shared->reasons[i]);
	for (i = 0; i < ERRNOS; i++)
		if (shared->errnos[i])
			note("errno %s: %lu", strerror(i), shared->errnos[i]);
	note("%lu calls in %lu s; RDPMC of bystanders: %lu; faults of their own: %lu",
	     nr_calls(), (unsigned long)(time(NULL) - began), shared->probes,
	     shared->faults);
}

/* All commands, in both ways; mmap() of a page and of a ring */
static void test_calls(void)
{
	unsigned int i;

	show();
	for (i = 0; i < CALLS; i++) {
		if (i != CALL_UNKNOWN && !shared->accepted[i])
			fail("%s was never accepted", call_names[i]);
		if (i != CALL_UNKNOWN && !shared->refused[i])
			fail("%s was never refused", call_names[i]);
	}
	check(shared->accepted[CALL_UNKNOWN], 0);
	for (i = 0; i < ARRAY_SIZE(shared->kinds); i++)
		check(shared->kinds[i] > 0, 1);
	check(shared->probes > 0, 1);
	check(shared->breach, 0);
}

/* Memory */

static long in_meminfo(const char *name)
{
	char line[256];
	long value = -1;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = atol(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return value;
}

static long vmalloc_before, slab_before;

/* What kmemleak (kmemleak=on) has found that this program's calls left */
static int nr_leaks(void)
{
	char line[512];
	int nr = 0;
	FILE *f;

	f = fopen("/sys/kernel/debug/kmemleak", "w");
	if (!f || fputs("scan\n", f) < 0 || fclose(f))
		return -1;
	f = fopen("/sys/kernel/debug/kmemleak", "r");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[knc_pmu]")) {
			note("%s", line);
			nr++;
		}
	if (f)
		fclose(f);
	return nr;
}

/* Rings are vmalloc()ed; the rest is the kernel's, of which KASAN keeps some. */
static void test_memory(void)
{
	int leaks;

	/* a stack for each CPU stays */
	while (in_meminfo("VmallocUsed") > vmalloc_before + 1024)
		wait_ms();
	note("VmallocUsed: %ld kB, was %ld; SUnreclaim: %ld kB, was %ld",
	     in_meminfo("VmallocUsed"), vmalloc_before, in_meminfo("SUnreclaim"),
	     slab_before);
	check(in_meminfo("SUnreclaim") < slab_before + 65536, 1);
	leaks = nr_leaks();
	if (leaks < 0)
		note("no kmemleak");
	else
		check(leaks, 0);
}

static const struct test last_tests[] = {
	{ "hostile.calls", test_calls },
	{ "hostile.memory", test_memory },
};

static void copy_program(char *path, const char *name, mode_t mode)
{
	char command_line[9000];

	sprintf(path, "%s/%s", getenv("TMPDIR"), name);
	snprintf(command_line, sizeof(command_line), "cp /proc/%d/exe %s",
		 getpid(), path);
	if (system(command_line) || chown(path, 0, 0) || chmod(path, mode))
		fail("no copy of this program");
}

/* Of root, in memory: what is executed comes from nowhere else */
static void make_programs(void)
{
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", getenv("TMPDIR"), "tmpfs", 0, "mode=755"))
		fail("no tmpfs: %s", strerror(errno));
	copy_program(suid_program, "suid", 04755);
	copy_program(plain_program, "plain", 0755);
	mkdir("/sys/kernel/debug", 0755);
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
}

static int enough(void)
{
	unsigned long seconds = number("KNC_FUZZ_SECONDS", 0);

	if (seconds)
		return (unsigned long)(time(NULL) - began) >= seconds;
	return nr_calls() >= ENOUGH_CALLS &&
	       shared->accepted[CALL_CONFIG] >= ENOUGH_CONFIGS;
}

static int fuzz(void)
{
	began = time(NULL);
	do {
		if (run_round())
			return 1;
		shared->round++;
		if (vmalloc_before)
			continue;
		vmalloc_before = in_meminfo("VmallocUsed");
		slab_before = in_meminfo("SUnreclaim");
	} while (!enough());
	return run_tests(last_tests, ARRAY_SIZE(last_tests),
			 (char *[]){ NULL });
}

int main(int argc, char **argv)
{
	unsigned int cpu;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc == 3 && !strcmp(argv[1], "--hop")) {
		begin_stream(atoi(argv[2]), 0, 0);
		catch_denial();
		hop();
	}
	shared->seed = number("KNC_FUZZ_SEED", time(NULL) ^ getpid() << 16);
	shared->round = number("KNC_FUZZ_ROUND", 1);
	printf("# hostile: KNC_FUZZ_SEED=%u\n", shared->seed);
	group = device_group();
	make_programs();
	/* what RESET_REGISTERS would leave is there already */
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		put_registers(cpu, &zeros);
	return fuzz();
}
