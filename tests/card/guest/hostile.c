// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of the ioctls: valid and mutated requests of privileged and unprivileged processes on
 * shared files, while the processes fork, execute set-user-ID programs, change their mappings,
 * migrate, are killed and lose CPUs.
 *
 * It runs in rounds. After each round run_tests() checks that the module has given everything back;
 * during a round bystanders check that RDPMC is not permitted to them. The kernel must not complain
 * (the caller looks at its log).
 *
 *	KNC_FUZZ_SEED	the seed: the same seed repeats the random numbers
 *	KNC_FUZZ_ROUND	the first round to run
 *	KNC_FUZZ_CALLS	calls of a round of the longest kind
 *	KNC_FUZZ_SECONDS the least time; every kind of round comes once in any case. 0: until
 *			the bounds below are reached
 */
#include <dirent.h>
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
#define ROUND_CALLS	40000
#define ROUNDS		12	/* the least number, if there is time for them */
#define LIFE		4000	/* acts of an actor */

/**
 * struct round_kind - the properties of a round
 * @name: its name
 * @part: the round has 1/@part of the calls of the longest kind
 * @cpus: number of CPUs that are online; 0: all. A call on all CPUs waits until this machine has
 *	run each of them.
 * @at_once: so many actors act at a time
 * @held: the supervisor has a session most of the time. The first session of the machine
 *	takes the counters over from perf and the last one gives them back, which takes
 *	ten times as long as CONFIG does otherwise.
 * @plugged: CPUs go offline and come back
 */
struct round_kind {
	const char *name;
	unsigned int part;
	unsigned int cpus;
	unsigned int at_once;
	int held;
	int plugged;
};

static const struct round_kind round_kinds[] = {
	{ "hotplug", 40, 0, 2, 0, 1 },
	{ "two-cpus", 1, 2, 2, 1, 0 },
	{ "all-cpus", 8, 0, 2, 1, 0 },
	{ "taken-over", 12, 2, 1, 0, 0 },
	{ "one-at-once", 1, 2, 1, 1, 0 },
	{ "crowd", 16, 0, ACTORS, 1, 0 },
};

struct shared *shared;
static unsigned int group;
static time_t began;
static const struct round_kind *kind;
static unsigned int first_round;
static int held = -1;	/* the supervisor's session */

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

/* Calls that were accepted, or refused because of their contents */
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

/* Bystanders: a process that did not ask for RDPMC must not have it */

static void stand_by(int uid, unsigned int nr)
{
	begin_stream(shared->seed, shared->round, 1000 + nr);
	if (uid)
		become_user(uid);
	catch_denial();
	while (!LOAD(shared->over)) {
		if (one_in(8))
			pin_task(0, any_cpu());
		if (is_permitted())
			TALLY(shared->breach);
		TALLY(shared->probes);
		usleep(10000);
	}
	_exit(0);
}

/* Hardware threads go offline and come back. */
static void plug(void)
{
	unsigned int cpu;

	begin_stream(shared->seed, shared->round, 2000);
	while (!LOAD(shared->over)) {
		cpu = 1 + below(nr_cpus() - 1);
		set_online(cpu, 0);
		usleep(below(100000));
		set_online(cpu, 1);
		usleep(below(1000000));
	}
	_exit(0);
}

/* Actors */

static void live(unsigned int nr, unsigned int generation)
{
	static const int uids[ACTORS] = { 0, 0, NOBODY, NOBODY, NOBODY - 1 };
	unsigned int slot;

	close(held);
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

/* An actor that has ended, for any reason, is replaced. */
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

/* Kill an actor; the others do not wait for its turn. */
static void kill_actor(unsigned int *generations)
{
	unsigned int i = below(ACTORS);
	int pid = shared->pids[i];

	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	end_turn(pid);
	start_actor(i, ++generations[i]);
}

/*
 * The supervisor's session has one event on one counter, of tasks or of a hardware thread, and
 * leaves the rest to the actors. It is replaced now and then, and after an actor has evicted it.
 */
static void hold_something(void)
{
	struct request r;

	close(held);
	held = -1;
	if (one_in(8))
		return;
	held = open_device();
	if (one_in(2))
		ask(&r, below(shared->cpus), 1);
	else
		ask_task(&r, 0, 0, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	/* some events can only be counted on counter 0 */
	r.e[0].counters = one_in(4) ? 1 << 0 : 1 << 1;
	if (!config(held, &r))
		TALLY(shared->held);
	if (one_in(2))
		start(held);
}

static int is_evicted(void)
{
	struct record record;

	return held >= 0 && read_all(held, &record, sizeof(record)) == 1 &&
	       record.flags & KNC_PMU_THREAD_EVICTED;
}

static unsigned long seconds_since(time_t then)
{
	return time(NULL) - then;
}

static void let_them_act(unsigned long calls, unsigned long seconds)
{
	unsigned int generations[ACTORS] = { 0 };
	unsigned long first = nr_calls(), last = first, now, next = first;
	time_t then = time(NULL);
	unsigned int i;

	for (i = 0; i < ACTORS; i++)
		start_actor(i, 0);
	while ((now = nr_calls()) < first + calls) {
		if (seconds && seconds_since(then) >= seconds)
			break;
		if (now >= next) {
			if (kind->held)
				hold_something();
			if (now > first)
				kill_actor(generations);
			next = now + 100 + below(400);
		} else if (is_evicted()) {
			hold_something();
		}
		usleep(5000 + below(15000));
		replace_actors(generations);
		/* a process that hangs fails the test, a slow one does not */
		if (now > last + 100) {
			alarm(TEST_SECONDS);
			last = now;
		}
	}
}

/* Kill this process's children. */
static void kill_children(void)
{
	struct dirent *entry;
	char path[300], state;
	int parent;
	DIR *dir;
	FILE *f;

	dir = opendir("/proc");
	while (dir && (entry = readdir(dir))) {
		if (atoi(entry->d_name) <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%*d (%*[^)]) %c %d", &state, &parent) == 2 && parent == getpid())
			kill(atoi(entry->d_name), SIGKILL);
		fclose(f);
	}
	if (dir)
		closedir(dir);
}

#define GRACE	10	/* seconds, for children that end by themselves */

/*
 * The actors' children have become this process's. A child may wait forever for a lock of the C
 * library, if another thread of its parent held the lock at the fork.
 */
static void wait_for_children(void)
{
	time_t then = time(NULL);
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		if (pid)
			continue;
		if (seconds_since(then) > GRACE)
			kill_children();
		usleep(10000);
	}
}

static void end_them(void)
{
	unsigned int i;

	__atomic_store_n(&shared->over, 1, __ATOMIC_RELEASE);
	for (i = 0; i < ACTORS; i++)
		kill(shared->pids[i], SIGKILL);
	close(held);
	held = -1;
	close(shared->files[0]);
	close(shared->files[1]);
	wait_for_children();
}

/* The last actor's file may be closed a little after the actor has ended. */
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

/* CPUs that are not part of this round go offline; check_free() brings them back. */
static void begin_cpus(void)
{
	unsigned int cpu;

	shared->cpus = kind->cpus && kind->cpus < nr_cpus() ? kind->cpus :
		       nr_cpus();
	for (cpu = shared->cpus; cpu < nr_cpus(); cpu++)
		set_online(cpu, 0);
}

static void one_round(void)
{
	unsigned long calls = number("KNC_FUZZ_CALLS", ROUND_CALLS) / kind->part;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	begin_stream(shared->seed, shared->round, 3000);
	catch_denial();
	shared->over = 0;
	memset(shared->turns, 0, sizeof(shared->turns));
	shared->at_once = kind->at_once;
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, shared->files))
		fail("no sockets: %s", strerror(errno));
	begin_cpus();
	start_other(0, 0);
	start_other(NOBODY, 1);
	if (kind->plugged)
		start_other(-1, 0);
	let_them_act(calls, number("KNC_FUZZ_SECONDS", 0) / ROUNDS);
	end_them();
	check(shared->breach, 0);
	check_free();
}

static int run_round(void)
{
	unsigned long calls = nr_calls(), ret;
	time_t then = time(NULL);
	struct test test;
	char name[60];

	kind = &round_kinds[shared->round % ARRAY_SIZE(round_kinds)];
	sprintf(name, "hostile.round-%u.%s", shared->round, kind->name);
	test.name = name;
	test.run = one_round;
	ret = run_tests(&test, 1, (char *[]){ NULL });
	note("%lu calls in %lu s", nr_calls() - calls, seconds_since(then));
	return ret;
}

/* Names of the commands and of the kinds of CONFIG, for the report of what was reached */

static const char * const call_names[CALLS] = {
	"INFO", "CONFIG", "START", "STOP", "RESET", "READ", "REGS", "OWNER",
	"STATS", "GRANTS", "mmap",
#ifdef KNC_PMU_IOC_EVICT
	"EVICT",
#endif
	"unknown"
};

static unsigned long long each_us(const struct effort *e)
{
	return e->nr ? e->ns / e->nr / 1000 : 0;
}

static void show_calls(void)
{
	const struct effort *e;
	unsigned int i;

	for (i = 0; i < CALLS; i++) {
		e = shared->calls[i];
		note("%-8s %7lu accepted %7lu refused %7lu died, %6llu us, refused %6llu us",
		     call_names[i], shared->accepted[i], shared->refused[i],
		     shared->died[i], each_us(&e[0]), each_us(&e[1]));
	}
}

static void show_acts(void)
{
	const struct effort *e;
	unsigned int i;

	for (i = 0; act_name(i); i++) {
		e = &shared->acts[i];
		note("%-8s %7lu times, %6llu us: %llu s", act_name(i), e->nr,
		     each_us(e), e->ns / 1000000000);
	}
}

static void show(void)
{
	unsigned long seconds = seconds_since(began);
	unsigned int i;

	show_calls();
	show_acts();
	note("of CONFIG: %lu of hardware threads, %lu of tasks",
	     shared->kinds[0], shared->kinds[1]);
	note("of CONFIG: %lu sets, %lu that sample, %lu with RDPMC",
	     shared->kinds[2], shared->kinds[3], shared->kinds[4]);
	for (i = 0; i < REASONS; i++)
		if (shared->reasons[i])
			note("reason %u: %lu", i, shared->reasons[i]);
	for (i = 0; i < ERRNOS; i++)
		if (shared->errnos[i])
			note("errno %s: %lu", strerror(i), shared->errnos[i]);
	note("sessions held: %lu; RDPMC of bystanders: %lu; faults of their own: %lu",
	     shared->held, shared->probes, shared->faults);
	note("%lu calls, %lu accepted CONFIGs in %lu s", nr_calls(),
	     shared->accepted[CALL_CONFIG], seconds);
}

/*
 * What has not happened yet: a command that was accepted or refused, or a kind of CONFIG
 */
static const char *missing(void)
{
	static char text[40];
	unsigned int i;

	for (i = 0; i < CALL_UNKNOWN; i++) {
		if (shared->accepted[i] && shared->refused[i])
			continue;
		sprintf(text, "%s was never %s", call_names[i],
			shared->accepted[i] ? "refused" : "accepted");
		return text;
	}
	for (i = 0; i < ARRAY_SIZE(shared->kinds); i++)
		if (!shared->kinds[i])
			return "a kind of CONFIG was never accepted";
	return shared->probes ? NULL : "no bystander has looked";
}

/* Every command was accepted and refused; a page and a ring were mapped */
static void test_calls(void)
{
	show();
	if (missing())
		fail("%s", missing());
	check(shared->accepted[CALL_UNKNOWN], 0);
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

#define KMEMLEAK_SECONDS	6

static long vmalloc_before, slab_before;

static int ask_kmemleak(const char *what)
{
	FILE *f = fopen("/sys/kernel/debug/kmemleak", "w");
	int err;

	if (!f)
		return -1;
	err = fputs(what, f) < 0;
	return fclose(f) || err ? -1 : 0;
}

/* The number of leaks that kmemleak (kmemleak=on) has found in this program's calls */
static int nr_leaks(void)
{
	char line[512];
	int nr = 0;
	FILE *f;

	/* kmemleak reports only objects that are at least this old */
	sleep(KMEMLEAK_SECONDS);
	/* the first scan only records checksums, and reports no object */
	if (ask_kmemleak("scan"))
		return -1;
	alarm(TEST_SECONDS);
	if (ask_kmemleak("scan"))
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

/*
 * Rings come from vmalloc(). Other memory can't be compared: the kernel uses it too, and KASAN
 * keeps some.
 */
static void test_memory(void)
{
	int leaks;

	/* wait: the kernel frees vmalloc memory late, and caches stacks for each CPU */
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

/* Programs of root, in memory: a user can't execute them elsewhere */
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

/* Every kind must have come once, which may take longer than KNC_FUZZ_SECONDS on a slow machine. */
static int enough(void)
{
	unsigned long seconds = number("KNC_FUZZ_SECONDS", 0);

	if (seconds)
		return seconds_since(began) >= seconds && !missing() &&
		       shared->round - first_round >= ARRAY_SIZE(round_kinds);
	return nr_calls() >= ENOUGH_CALLS &&
	       shared->accepted[CALL_CONFIG] >= ENOUGH_CONFIGS;
}

static int fuzz(void)
{
	began = time(NULL);
	/* kmemleak scans only at the end, because a scan would slow down the calls */
	ask_kmemleak("scan=off");
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
	shared->seed = number("KNC_TEST_SEED", time(NULL) ^ getpid() << 16);
	shared->seed = number("KNC_FUZZ_SEED", shared->seed);
	first_round = number("KNC_FUZZ_ROUND", 1);
	shared->round = first_round;
	printf("# hostile: KNC_FUZZ_SEED=%u\n", shared->seed);
	group = device_group();
	make_programs();
	/* write the values that RESET_REGISTERS leaves, so that a reset changes nothing */
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		put_registers(cpu, &zeros);
	return fuzz();
}
