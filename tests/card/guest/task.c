// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that follow tasks: exact counts, wherever the tasks run, beside any other tasks, for any
 * number of tasks, and to their ends. Only user mode is compared: interrupts, page faults and the
 * scheduler execute nothing there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <knc/regs.h>

#include "ring.h"

#define CPU		1	/* where programs run */
#define N		1000000UL
#define LONG		long_loop()
#define RUNS		3
#define WRAPS		5
#define KILLS		rounds(100)

#define PROCESS		KNC_PMU_CONFIG_PROCESS
#define INHERIT		KNC_PMU_CONFIG_INHERIT
#define ON_EXEC		KNC_PMU_CONFIG_ON_EXEC
#define ENDED		KNC_PMU_THREAD_ENDED
#define PARTIAL		KNC_PMU_THREAD_PARTIAL

static int session_of(int pid, unsigned int flags)
{
	struct request r;

	ask_task(&r, pid, flags, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, BRANCHES, USR);
	return open_session(&r);
}

static unsigned long long count_of(int fd, unsigned int flags)
{
	unsigned long long counts[2];

	read_task(fd, 2, flags, counts);
	return counts[0];
}

/* What happens to a task while it is followed, until it ends */
struct disturbance {
	unsigned int competitors;	/* competitors on its hardware thread */
	int followed;			/* each competitor is followed by a session */
	void (*meanwhile)(const struct program *p);
};

static unsigned int migrations;

static void migrate(const struct program *p)
{
	migrations += migrate_to_end(p, CPU);
}

/* Competitors: most compute, some sleep and wake all the time */
static void doze(unsigned long n)
{
	for (;;) {
		loop(n);
		usleep(200);
	}
}

static void begin_competitors(struct program *p, const struct disturbance *d)
{
	unsigned int i;
	int fd;

	for (i = 0; i < d->competitors; i++) {
		if (i % 4 == 1)
			hold_call(&p[i], CPU, doze, 1000);
		else
			hold(&p[i], CPU, "spin", 0, 0);
		if (d->followed) {
			fd = session_of(p[i].pid, 0);
			check(start(fd), 0);
		}
		release(&p[i]);
	}
}

static void end_competitors(struct program *p, const struct disturbance *d)
{
	unsigned int i;

	for (i = 0; i < d->competitors; i++) {
		kill(p[i].pid, SIGKILL);
		waitpid(p[i].pid, NULL, 0);
		close(p[i].go);
	}
}

/* Follow a program from its release to its end. */
static void follow(const char *name, unsigned long n, unsigned int flags,
		   const struct disturbance *d, unsigned long long *counts)
{
	struct program p, competitor[8];
	int fd;

	pin(0);
	hold(&p, CPU, name, n, 0);
	wait_held(&p);
	begin_competitors(competitor, d);
	fd = session_of(p.pid, flags);
	if (!(flags & ON_EXEC))
		check(start(fd), 0);
	release(&p);
	if (d->meanwhile)
		d->meanwhile(&p);
	finish(&p);
	read_task(fd, 2, ENDED, counts);
	end_competitors(competitor, d);
	close(fd);
}

static const struct disturbance alone;

/* Start a function of this program in a child, counted from its first instruction on */
static int begin_call(struct program *p, unsigned int cpu,
		      void (*work)(unsigned long n), unsigned long n,
		      unsigned int flags)
{
	int fd;

	hold_call(p, cpu, work, n);
	wait_held(p);
	fd = session_of(p->pid, flags);
	check(start(fd), 0);
	release(p);
	return fd;
}

/* Wait for the end of the child, which must succeed */
static void end_call(const struct program *p, int fd, unsigned int flags,
		     unsigned long long *counts)
{
	finish(p);
	read_task(fd, 2, flags, counts);
	close(fd);
}

/* The counts are the same each time, to the instruction */
static void check_same(unsigned long n, const struct disturbance *d)
{
	unsigned long long want[2], got[2];
	unsigned int i;

	follow("loop", n, 0, &alone, want);
	for (i = 0; i < RUNS; i++) {
		follow("loop", n, 0, d, got);
		check(got[0], want[0]);
		check(got[1], want[1]);
	}
	note("%u competitors: %llu, %llu", d->competitors, got[0], got[1]);
}

static void test_exact(void)
{
	unsigned long long once[2], twice[2];

	check_same(N, &alone);
	follow("loop", N, 0, &alone, once);
	follow("loop", 2 * N, 0, &alone, twice);
	note("%llu, %llu", once[0], once[1]);
	check(twice[0] - once[0], 2 * N);
	check(twice[1] - once[1], N);
	check(once[0] - 2 * N < 200, 1);
	follow("call", N, 0, &alone, once);
	follow("call", 2 * N, 0, &alone, twice);
	check(twice[0] - once[0], 4 * N);
	check(twice[1] - once[1], 3 * N);
}

/*
 * Counts from the program's first instruction on: 2 in _start; 3 + 7 * 7 + 4 in "number" for
 * "1000000"; 3 up to the next call, which takes 4 without a number; 3 up to the loop; 2 N in the
 * loop; RET; 3 with SYSCALL.
 */
static void test_on_exec(void)
{
	unsigned long long counts[2], again[2];
	unsigned int i;

	follow("loop", N, ON_EXEC, &alone, counts);
	note("%llu, %llu", counts[0], counts[1]);
	check(counts[0], 2 * N + 72);
	for (i = 0; i < RUNS; i++) {
		follow("loop", N, ON_EXEC, &alone, again);
		check(again[0], counts[0]);
		check(again[1], counts[1]);
	}
}

static void test_competitors(void)
{
	static const unsigned int numbers[] = { 1, 2, 8 };
	struct disturbance d = alone;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		d.competitors = numbers[i];
		check_same(LONG, &d);
	}
}

static void test_followed_competitors(void)
{
	struct disturbance d = { 3, 1, NULL };

	check_same(LONG, &d);
}

/* The process that migrates the program may stand still until the program ends: repeat it then. */
static void check_migrated(const struct disturbance *d)
{
	migrations = 0;
	do {
		check_same(LONG, d);
	} while (migrations <= 10 * RUNS);
	note("%u migrations", migrations);
}

static void test_migrated(void)
{
	struct disturbance d = { 0, 0, migrate };

	check_migrated(&d);
	d.competitors = 2;
	d.followed = 1;
	check_migrated(&d);
}

/*
 * Hardware threads go offline and come back while the task runs there or is on its way to them.
 * Meanwhile the task does a step of its work.
 */
#define STEPS		(4 + rounds(24))

static int steps[2];

static void step(unsigned long n)
{
	unsigned int i;
	char byte;

	for (i = 0; i < STEPS; i++) {
		if (read(steps[0], &byte, 1) != 1)
			_exit(1);
		loop(n);
	}
}

static void disturb_step(int pid, unsigned int i)
{
	unsigned int cpu = 1 + i % (nr_cpus() - 1);

	/* the task may already be there, or be moved away at once */
	check(pin_task(pid, cpu), 0);
	check(write(steps[1], "", 1), 1);
	if (i % 2)
		wait_ms();
	set_online(cpu, 0);
	check(pin_task(pid, 0), 0);
	set_online(cpu, 1);
	check(pin_task(pid, cpu), 0);
}

static void follow_steps(int hotplug, unsigned long long *counts)
{
	struct program p;
	unsigned int i;
	int fd;

	check(pipe2(steps, O_CLOEXEC), 0);
	fd = begin_call(&p, CPU, step, LONG / 10, 0);
	for (i = 0; i < STEPS; i++) {
		if (hotplug)
			disturb_step(p.pid, i);
		else
			check(write(steps[1], "", 1), 1);
	}
	end_call(&p, fd, ENDED, counts);
	close(steps[0]);
	close(steps[1]);
}

static void test_hotplug(void)
{
	unsigned long long want[2], got[2];

	pin(0);
	follow_steps(0, want);
	follow_steps(1, got);
	note("%llu, %llu", got[0], got[1]);
	check(got[0], want[0]);
	check(got[1], want[1]);
}

/* Returns how many READs see progress */
static unsigned int read_running(const unsigned long long *want)
{
	unsigned long long counts[2], last = 0;
	struct record record;
	unsigned int reads = 0;
	struct program p;
	int fd;

	hold(&p, CPU, "loop", LONG, 0);
	wait_held(&p);
	fd = session_of(p.pid, 0);
	check(start(fd), 0);
	release(&p);
	while (!has_ended(&p)) {
		check(read_all(fd, &record, sizeof(record)), 1);
		check(record.value[0] >= last, 1);
		/* about every second instruction is a branch */
		check(llabs((long long)(record.value[0] -
					2 * record.value[1])) < 1000, 1);
		reads += record.value[0] > last;
		last = record.value[0];
	}
	finish(&p);
	read_task(fd, 2, ENDED, counts);
	check(counts[0], want[0]);
	check(counts[1], want[1]);
	close(fd);
	return reads;
}

/* READ does not disturb a task on another hardware thread. */
static void test_read_running(void)
{
	unsigned long long want[2];
	unsigned int reads;

	follow("loop", LONG, 0, &alone, want);
	/* repeat until a READ has come while the program ran */
	do {
		reads = read_running(want);
	} while (reads < 2);
	note("%u reads", reads);
}

/* Trees */

#define CHILDREN	100

static void child(unsigned long n)
{
	loop(n);
	_exit(0);
}

/* CHILDREN tasks in batches of ten; each tenth has a child of its own. */
static void tree(unsigned long n)
{
	unsigned int i, j;
	pid_t pid;

	for (i = 0; i < CHILDREN / 10; i++) {
		for (j = 0; j < 10; j++) {
			pid = fork();
			if (pid)
				continue;
			if (j == 9) {
				if (!fork())
					child(n);
				waitpid(-1, NULL, 0);
			}
			child(n);
		}
		for (j = 0; j < 10; j++)
			waitpid(-1, NULL, 0);
	}
	loop(n);
}

#define TREE_LOOPS	(CHILDREN + CHILDREN / 10 + 1)

static void follow_tree(unsigned long n, unsigned int cpu, unsigned int flags,
			unsigned long long *counts)
{
	struct program p;
	int fd;

	pin(0);
	fd = begin_call(&p, cpu, tree, n, flags);
	end_call(&p, fd, ENDED, counts);
}

static void test_tree(void)
{
	unsigned long long once[2], again[2], twice[2], parent[2];
	unsigned long n = N / 10;

	follow_tree(n, ANY_CPU, INHERIT, once);
	follow_tree(n, ANY_CPU, INHERIT, again);
	check(again[0], once[0]);
	check(again[1], once[1]);
	follow_tree(n, CPU, INHERIT, again);
	check(again[0], once[0]);
	check(again[1], once[1]);
	follow_tree(2 * n, ANY_CPU, INHERIT, twice);
	note("%llu, %llu", once[0], twice[0]);
	check(twice[0] - once[0], 2 * n * TREE_LOOPS);
	check(twice[1] - once[1], n * TREE_LOOPS);
	/* without inheritance only the parent counts */
	follow_tree(n, ANY_CPU, 0, parent);
	follow_tree(2 * n, ANY_CPU, PROCESS, twice);
	check(twice[0] - parent[0], 2 * n);
}

/* A child that outlives its parent is followed to its own end. */
static int orphaned[2];

static void orphan(unsigned long n)
{
	char byte;

	if (fork())
		return;
	if (read(orphaned[0], &byte, 1) != 1)
		_exit(1);
	loop(n);
	_exit(0);
}

static void test_orphan(void)
{
	unsigned long long counts[2];
	struct record record;
	struct program p;
	int fd;

	pin(0);
	check(pipe2(orphaned, O_CLOEXEC), 0);
	fd = begin_call(&p, CPU, orphan, N, INHERIT);
	finish(&p);
	check(count_of(fd, 0) < 10000, 1);
	check(write(orphaned[1], "", 1), 1);
	do {
		check(read_all(fd, &record, sizeof(record)), 1);
	} while (record.flags != ENDED);
	read_task(fd, 2, ENDED, counts);
	check(counts[0] >= 2 * N && counts[0] < 2 * N + 10000, 1);
}

/*
 * Chains of threads: each thread creates the next one, and ends. They do not use libc, because its
 * locks would make them wait now and then. In the middle all wait for a signal.
 */
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM)

#define CHAINS		8
#define LINKS		40
#define ATTACHES	rounds(20)

struct chain {
	unsigned long n;
	int links;
	unsigned char stack[LINKS][4096] __attribute__((__aligned__(16)));
};

static struct chain chains[CHAINS];
static int done[2], more[2], report[2], resume[2];

static int chain_link(void *arg)
{
	struct chain *c = arg;
	int nr = ++c->links;
	char byte = 0;

	loop(c->n);
	if (nr == LINKS / 2 && (write(done[1], &byte, 1) != 1 ||
				read(more[0], &byte, 1) != 1))
		return 1;
	if (nr < LINKS)
		return clone(chain_link, c->stack[nr + 1], CLONE_VM | CLONE_FS |
			     CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			     CLONE_SYSVSEM, c) < 0;
	return write(done[1], &byte, 1) != 1;
}

static void wait_done(void)
{
	unsigned int i;
	char byte = 0;

	for (i = 0; i < CHAINS; i++)
		if (read(done[0], &byte, 1) != 1)
			_exit(1);
	if (write(report[1], &byte, 1) != 1 || read(resume[0], &byte, 1) != 1)
		_exit(1);
}

static void run_chains(unsigned long n)
{
	unsigned int i;

	for (i = 0; i < CHAINS; i++) {
		chains[i].n = n;
		if (clone(chain_link, chains[i].stack[1], CLONE_VM | CLONE_FS |
			  CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM, &chains[i]) < 0)
			_exit(1);
	}
	wait_done();
	wait_done();
}

/* Wait until @pid has @nr threads, and all sleep. */
static void wait_threads(int pid, unsigned int nr)
{
	unsigned int seen;
	struct dirent *e;
	char path[64];
	DIR *dir;

	sprintf(path, "/proc/%d/task", pid);
	do {
		usleep(1000);
		seen = 0;
		dir = opendir(path);
		if (!dir)
			fail("process %d is gone", pid);
		while ((e = readdir(dir)))
			seen += e->d_name[0] != '.';
		closedir(dir);
	} while (seen != nr);
	dir = opendir(path);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			wait_state(atoi(e->d_name), 'S');
	closedir(dir);
}

static void make_pipes(void)
{
	check(pipe2(done, O_CLOEXEC) | pipe2(more, O_CLOEXEC) |
	      pipe2(report, O_CLOEXEC) | pipe2(resume, O_CLOEXEC), 0);
}

static void wait_report(int pid, unsigned int threads)
{
	char byte;

	check(read(report[0], &byte, 1), 1);
	wait_threads(pid, threads);
}

/* READ_TASKS */

/* Room for all threads and the sum; threads overlap, because each ends after the next has begun */
#define ROOM		(CHAINS * LINKS + 2)

/* Add up all records; returns the number of records */
static unsigned int sum_tasks(int fd, struct record *records,
			      unsigned long long *sums)
{
	int i, nr;

	nr = read_flags(fd, KNC_PMU_READ_TASKS, records,
			ROOM * sizeof(*records));
	check(nr > 0, 1);
	sums[0] = 0;
	sums[1] = 0;
	for (i = 0; i < nr; i++) {
		sums[0] += records[i].value[0];
		sums[1] += records[i].value[1];
		check(records[i].tsc, 0);
		check(records[i].time_running, records[i].time_enabled);
		check(records[i].cpu == KNC_PMU_NO_CPU, i == nr - 1);
	}
	return nr;
}

/* Read until the threads report: counts do not decrease when a thread ends. */
static void watch(int fd)
{
	struct pollfd told = { report[0], POLLIN, 0 };
	struct record records[ROOM];
	unsigned long long sums[2], last[2] = { 0, 0 };

	do {
		sum_tasks(fd, records, sums);
		check(sums[0] >= last[0] && sums[1] >= last[1], 1);
		memcpy(last, sums, sizeof(last));
	} while (!poll(&told, 1, 0));
}

/* The sum over all threads equals READ's count. */
static void check_watched(int fd, const unsigned long long *counts)
{
	struct record records[ROOM];
	unsigned long long sums[2];

	sum_tasks(fd, records, sums);
	check(sums[0], counts[0]);
	check(sums[1], counts[1]);
}

/* Attach at a random moment; returns the counts of all threads in the second half of their lives */
static void follow_chains(unsigned long n, int watched,
			  unsigned long long *counts)
{
	static const char bytes[CHAINS];
	unsigned long long middle[2];
	struct program p;
	unsigned int i;
	int fd;

	make_pipes();
	hold_call(&p, ANY_CPU, run_chains, n);
	wait_held(&p);
	release(&p);
	usleep(random_below(20000));
	fd = session_of(p.pid, PROCESS | INHERIT);
	check(start(fd), 0);
	if (watched)
		watch(fd);
	wait_report(p.pid, CHAINS + 1);
	read_task(fd, 2, 0, middle);
	check_watched(fd, middle);
	check(write(resume[1], bytes, 1), 1);
	check(write(more[1], bytes, CHAINS), CHAINS);
	if (watched)
		watch(fd);
	wait_report(p.pid, 1);
	read_task(fd, 2, 0, counts);
	check_watched(fd, counts);
	check(write(resume[1], bytes, 1), 1);
	finish(&p);
	count_of(fd, ENDED);
	for (i = 0; i < 2; i++) {
		counts[i] -= middle[i];
		close(done[i]);
		close(more[i]);
		close(report[i]);
		close(resume[i]);
	}
	close(fd);
}

static void test_threads(void)
{
	unsigned long long want[2], got[2];
	unsigned long n = N / 20;
	unsigned int i;

	follow_chains(n, 0, want);
	for (i = 0; i < ATTACHES; i++) {
		follow_chains(n, i % 2, got);
		check(got[0], want[0]);
		check(got[1], want[1]);
	}
	follow_chains(2 * n, 1, got);
	note("%llu, %llu", want[0], got[0]);
	check(got[0] - want[0], CHAINS * LINKS / 2 * 2 * n);
	check(got[1] - want[1], CHAINS * LINKS / 2 * n);
}

static int is_thread_of(int pid, int tid)
{
	char path[64];

	sprintf(path, "/proc/%d/task/%d", pid, tid);
	return !access(path, F_OK);
}

/* The first thread has ended, another one works on: the process is followed all the same. */
static int leaderless_work(void *arg)
{
	struct chain *c = arg;
	char byte;

	if (read(more[0], &byte, 1) != 1)
		return 1;
	loop(c->n);
	return 0;
}

static void end_first_thread(unsigned long n)
{
	chains[0].n = n;
	if (clone(leaderless_work, chains[0].stack[1], THREAD_FLAGS, &chains[0]) < 0)
		_exit(1);
	syscall(SYS_exit, 0);
}

/* Wait until the remaining thread is in read(): the way there must not be counted. */
static void wait_leaderless(int pid)
{
	struct program thread = { };
	struct dirent *e;
	char path[64];
	DIR *dir;

	wait_state(pid, 'Z');
	sprintf(path, "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		fail("process %d is gone", pid);
	while ((e = readdir(dir)))
		if (atoi(e->d_name) && atoi(e->d_name) != pid)
			thread.pid = atoi(e->d_name);
	closedir(dir);
	wait_held(&thread);
}

static void follow_leaderless(unsigned long n, unsigned long long *counts)
{
	struct request r;
	struct program p;
	int fd;

	make_pipes();
	hold_call(&p, ANY_CPU, end_first_thread, n);
	release(&p);
	wait_leaderless(p.pid);
	/* the first thread itself has ended */
	fd = open_device();
	ask_task(&r, p.pid, 0, 1);
	ask_event(&r, 0, BRANCHES, USR);
	check(config(fd, &r), -ESRCH);
	check(r.c.reason, KNC_PMU_REASON_TASK_NONE);
	close(fd);
	fd = session_of(p.pid, PROCESS | INHERIT);
	check(start(fd), 0);
	check(write(more[1], "", 1), 1);
	finish(&p);
	read_task(fd, 2, ENDED, counts);
	close(fd);
}

static void test_leaderless(void)
{
	unsigned long long once[2], twice[2];

	follow_leaderless(N, once);
	follow_leaderless(2 * N, twice);
	check(twice[0] - once[0], 2 * N);
	check(twice[1] - once[1], N);
}

/* A record for each thread, beginning with the first thread, and one for all that have ended */
static void check_threads(int fd, int pid)
{
	struct record records[ROOM];
	unsigned long long sums[2];
	unsigned int i, j;
	size_t size = (CHAINS + 2) * sizeof(records[0]);

	check(sum_tasks(fd, records, sums), CHAINS + 2);
	check(records[0].cpu, pid);
	for (i = 0; i <= CHAINS; i++) {
		check(is_thread_of(pid, records[i].cpu), 1);
		check(records[i].flags, 0);
		check(records[i].value[0] > 0, 1);
		for (j = 0; j < i; j++)
			check(records[i].cpu != records[j].cpu, 1);
	}
	/* the threads that have ended */
	check(records[i].value[0] >= CHAINS * (LINKS / 2 - 1) * N / 10, 1);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, size - 1), -ENOSPC);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, 0), -ENOSPC);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, size), CHAINS + 2);
	check(read_flags(fd, KNC_PMU_READ_TASKS, (void *)8, size), -EFAULT);
	check(read_flags(fd, KNC_PMU_READ_NAMES, records, size), -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_FLAGS + 1, records, size), -EINVAL);
	check(read_flags(fd, KNC_PMU_READ_TASKS | KNC_PMU_READ_COUNTS, records,
			 size), CHAINS + 2);
	for (i = 0; i < CHAINS + 2; i++)
		check(records[i].time | records[i].time_enabled |
		      records[i].time_running, 0);
}

static void test_read_tasks(void)
{
	unsigned long long counts[2], sums[2];
	struct record records[ROOM];
	struct program p;
	int fd;

	make_pipes();
	fd = begin_call(&p, ANY_CPU, run_chains, N / 20, PROCESS | INHERIT);
	wait_report(p.pid, CHAINS + 1);
	check_threads(fd, p.pid);
	check(write(resume[1], "", 1), 1);
	check(write(more[1], chains, CHAINS), CHAINS);
	wait_report(p.pid, 1);
	check(sum_tasks(fd, records, sums), 2);
	check(write(resume[1], "", 1), 1);
	finish(&p);
	check(sum_tasks(fd, records, sums), 1);
	check(records[0].flags, ENDED);
	read_task(fd, 2, ENDED, counts);
	check(sums[0], counts[0]);
	check(sums[1], counts[1]);
	close(fd);
	fd = session(CPU, BRANCHES, USR);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, sizeof(records)),
	      -EINVAL);
}

/* Ended tasks are reported with their counts and names */

#define KEPT	3

struct named {
	struct record r;
	char name[KNC_PMU_NAME_SIZE];
};

/* Fork one child after another: the i-th child does i times as much */
static void fork_in_turn(unsigned long n)
{
	char name[KNC_PMU_NAME_SIZE];
	unsigned int i;
	pid_t pid;

	for (i = 1; i <= KEPT; i++) {
		sprintf(name, "kept%u", i);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_NAME, name);
			loop(i * n);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void check_kept(const struct named *kept, unsigned long n)
{
	char name[KNC_PMU_NAME_SIZE];
	unsigned int i, j;

	for (i = 0; i < KEPT; i++) {
		sprintf(name, "kept%u", i + 1);
		check(strcmp(kept[i].name, name), 0);
		check(kept[i].r.flags, ENDED);
		check(kept[i].r.time_enabled > 0, 1);
		for (j = 0; j < i; j++)
			check(kept[i].r.cpu != kept[j].r.cpu, 1);
		if (!i)
			continue;
		check(kept[i].r.value[0] - kept[i - 1].r.value[0], 2 * n);
		check(kept[i].r.value[1] - kept[i - 1].r.value[1], n);
	}
}

static void test_kept(void)
{
	unsigned long long counts[2], sums[2] = { 0, 0 };
	struct named named[KEPT + 2];
	struct program p;
	unsigned int i;
	int fd;

	fd = begin_call(&p, ANY_CPU, fork_in_turn, N, PROCESS | INHERIT | KNC_PMU_CONFIG_KEEP);
	finish(&p);
	read_task(fd, 2, ENDED, counts);
	check(read_flags(fd, KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES, named,
			 sizeof(named) - 1), -ENOSPC);
	check(read_flags(fd, KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES, named, sizeof(named)),
	      KEPT + 2);
	check_kept(named, N);
	/* the first task waited for all others, and ended last */
	check(named[KEPT].r.cpu, p.pid);
	check(named[KEPT + 1].r.cpu, KNC_PMU_NO_CPU);
	check(named[KEPT + 1].r.value[0], 0);
	check(named[KEPT + 1].name[0], 0);
	for (i = 0; i <= KEPT; i++) {
		sums[0] += named[i].r.value[0];
		sums[1] += named[i].r.value[1];
	}
	check(sums[0], counts[0]);
	check(sums[1], counts[1]);
}

/* A session that follows only one thread of a process */
static void test_thread(void)
{
	unsigned long long first, second;
	struct dirent *e;
	struct program p;
	char path[64];
	int fd, tid = 0;
	DIR *dir;

	make_pipes();
	hold_call(&p, ANY_CPU, run_chains, N / 20);
	wait_held(&p);
	release(&p);
	wait_report(p.pid, CHAINS + 1);
	sprintf(path, "/proc/%d/task", p.pid);
	dir = opendir(path);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && atoi(e->d_name) != p.pid)
			tid = atoi(e->d_name);
	closedir(dir);
	fd = session_of(tid, 0);
	check(start(fd), 0);
	first = count_of(fd, 0);
	check(first, 0);
	check(write(resume[1], "", 1), 1);
	check(write(more[1], chains, CHAINS), CHAINS);
	wait_report(p.pid, 1);
	/* the thread created another one, and ended */
	second = count_of(fd, ENDED);
	note("%llu", second);
	check(second > 0 && second < 500, 1);
	check(write(resume[1], "", 1), 1);
	finish(&p);
}

/* Commands */

static void test_own(void)
{
	unsigned long long first, second;
	int fd;

	fd = session_of(0, 0);
	loop(N);
	check(count_of(fd, 0), 0);
	check(start(fd), 0);
	loop(N);
	check(stop(fd), 0);
	first = count_of(fd, 0);
	check(first >= 2 * N && first < 2 * N + 100, 1);
	loop(N);
	check(count_of(fd, 0), first);
	check(start(fd), 0);
	check(start(fd), 0);
	loop(N);
	pin(CPU);
	loop(N);
	pin(CPU + 1);
	loop(N);
	second = count_of(fd, 0);
	check(second - first >= 6 * N && second - first < 6 * N + 1000, 1);
	check(reset(fd, 0), 0);
	check(count_of(fd, 0) < 200, 1);
	loop(N);
	check(stop(fd), 0);
	check(stop(fd), 0);
	first = count_of(fd, 0);
	check(first >= 2 * N && first < 2 * N + 400, 1);
	check(reset(fd, 0), 0);
	check(count_of(fd, 0), 0);
	check(reset(fd, KNC_PMU_RESET_REGISTERS), -EBUSY);
}

static void read_record(int fd, struct record *record)
{
	check(read_all(fd, record, sizeof(*record)), 1);
	check(record->flags, 0);
	check(record->time_running, record->time_enabled);
}

/* Commands for a task that runs endlessly elsewhere */
static void test_running(void)
{
	struct record a, b;
	unsigned long long before;
	struct program p;
	int fd;

	pin(0);
	hold(&p, CPU, "spin", 0, 0);
	wait_held(&p);
	release(&p);
	fd = session_of(p.pid, 0);
	read_record(fd, &a);
	check(a.value[0] | a.value[1] | a.time_enabled, 0);
	before = tsc();
	check(start(fd), 0);
	do {
		read_record(fd, &a);
	} while (a.value[0] < N);
	/* between two READs the task may not get to user mode */
	do {
		read_record(fd, &b);
	} while (b.value[0] == a.value[0]);
	check(b.value[0] > a.value[0], 1);
	check(b.time_enabled > a.time_enabled, 1);
	check(b.time_enabled <= ticks_to_ns(tsc() - before) + 1, 1);
	check(b.time > a.time, 1);
	check(stop(fd), 0);
	read_record(fd, &a);
	check(a.value[0] >= b.value[0], 1);
	usleep(20000);
	read_record(fd, &b);
	check(b.value[0], a.value[0]);
	check(b.time_enabled, a.time_enabled);
	check(reset(fd, 0), 0);
	read_record(fd, &a);
	check(a.value[0] | a.value[1] | a.time_enabled, 0);
	check(start(fd), 0);
	do {
		read_record(fd, &a);
	} while (a.value[0] < N);
	check(reset(fd, 0), 0);
	do {
		read_record(fd, &a);
	} while (a.value[0] < N);
	kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	count_of(fd, ENDED);
}

/* Commands for a sleeping task: its counts and times do not change. */
static void test_sleeping(void)
{
	struct record a, b;
	struct program p;
	int fd;

	pin(0);
	hold(&p, CPU, "loop", N, 0);
	wait_held(&p);
	fd = session_of(p.pid, 0);
	check(start(fd), 0);
	usleep(20000);
	read_record(fd, &a);
	check(a.value[0] | a.value[1] | a.time_enabled, 0);
	check(stop(fd), 0);
	check(start(fd), 0);
	check(reset(fd, 0), 0);
	check(stop(fd), 0);
	release(&p);
	finish(&p);
	check(read_all(fd, &b, sizeof(b)), 1);
	check(b.flags, ENDED);
	check(b.value[0], 0);
}

/* The counts of an ended task are kept. */
static void test_ended(void)
{
	unsigned long long counts[2], again[2];
	struct program p;
	struct request r;
	int fd, late;

	pin(0);
	hold(&p, CPU, "loop", N, 0);
	wait_held(&p);
	fd = session_of(p.pid, 0);
	check(start(fd), 0);
	release(&p);
	/* a zombie: its parent has not waited for it yet */
	wait_state(p.pid, 'Z');
	read_task(fd, 2, ENDED, counts);
	check(counts[0] > 2 * N, 1);
	late = open_device();
	ask_task(&r, p.pid, 0, 1);
	ask_event(&r, 0, BRANCHES, USR);
	check(config(late, &r), -ESRCH);
	check(r.c.reason, KNC_PMU_REASON_TASK_NONE);
	finish(&p);
	check(config(late, &r), -ESRCH);
	check(r.c.reason, KNC_PMU_REASON_TASK_NONE);
	check(stop(fd), 0);
	check(start(fd), 0);
	read_task(fd, 2, ENDED, again);
	check(again[0], counts[0]);
	check(again[1], counts[1]);
	check(reset(fd, 0), 0);
	read_task(fd, 2, ENDED, again);
	check(again[0] | again[1], 0);
}

/*
 * The test writes a counter's register just below its maximum, as counts.wrap does: while this task
 * runs here, the counter is the task's.
 */
static void test_wrap(void)
{
	unsigned long long half = 1ULL << (KNC_COUNTER_WIDTH - 1);
	unsigned long long value = KNC_COUNTER_MASK - 1000, before, after;
	struct regs regs;
	unsigned int i;
	int fd, msr;

	pin(CPU);
	msr = open("/dev/cpu/1/msr", O_WRONLY | O_CLOEXEC);
	check(msr >= 0, 1);
	fd = session_of(0, 0);
	check(start(fd), 0);
	for (i = 0; i < WRAPS; i++) {
		before = count_of(fd, 0);
		check(read_regs(fd, CPU, &regs), 0);
		check(pwrite(msr, &value, sizeof(value), KNC_IA32_PERFCNTR(0)),
		      sizeof(value));
		loop(N);
		usleep(1000);
		after = count_of(fd, 0);
		before += value - regs.perfcntr[0];
		check(after - before >= 2 * N && after - before < 2 * N + 2000,
		      1);
		check(read_regs(fd, CPU, &regs), 0);
		check(regs.perfcntr[0] & half, half);
		check(regs.global_status, 0);
	}
	check(after / half >= WRAPS - 1, 1);
	note("%llu", after);
	/* the same on the hardware thread to which it migrates */
	before = count_of(fd, 0);
	pin(CPU + 1);
	loop(N);
	after = count_of(fd, 0);
	check(after - before >= 2 * N && after - before < 2 * N + 1000, 1);
	check(stop(fd), 0);
}

/* Owners */

static int counter_session(int pid, unsigned int flags, unsigned int counter)
{
	struct request r;
	int fd;

	ask_task(&r, pid, flags, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.e[0].counters = 1 << counter;
	fd = open_session(&r);
	check(r.e[0].counter, counter);
	return fd;
}

/* Two sessions on one task, each with its own counter */
static void test_side_by_side(void)
{
	unsigned long long a, b;
	struct request r;
	int first, second;

	first = counter_session(0, 0, 0);
	check_owner(0, KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS, getpid());
	check_owner(1, 0, 0);
	second = counter_session(0, 0, 1);
	check_owner(1, KNC_PMU_OWNER_SESSION | KNC_PMU_OWNER_TASKS, getpid());
	check(start(first), 0);
	loop(N);
	check(start(second), 0);
	loop(N);
	check(stop(first), 0);
	loop(N);
	check(stop(second), 0);
	read_task(first, 1, 0, &a);
	read_task(second, 1, 0, &b);
	check(a >= 4 * N && a < 4 * N + 200, 1);
	check(b >= 4 * N && b < 4 * N + 200, 1);
	/* no counter is left for a third session */
	ask_task(&r, 0, 0, 1);
	ask_event(&r, 0, BRANCHES, USR);
	refused(&r, EBUSY, KNC_PMU_REASON_TASK_BUSY);
	check(r.c.reason_event, 0);
	check(r.c.reason_pid, getpid());
	close(first);
	check_owner(0, 0, 0);
	first = counter_session(0, 0, 0);
	close(second);
	loop(N);
	read_task(first, 1, 0, &a);
	check(a, 0);
}

/* Sessions on other tasks can share the counters; a session on a hardware thread can't. */
static void test_busy(void)
{
	struct program p, q;
	struct request r;
	int first, second, hw;

	hold(&p, CPU, "loop", N, 0);
	hold(&q, CPU, "loop", N, 0);
	wait_held(&p);
	wait_held(&q);
	first = session_of(p.pid, 0);
	second = session_of(q.pid, 0);
	ask_task(&r, q.pid, 0, 2);
	ask_event(&r, 0, BRANCHES, USR);
	ask_event(&r, 1, INSTRUCTIONS_EXECUTED, USR);
	refused(&r, EBUSY, KNC_PMU_REASON_TASK_BUSY);
	check(r.c.reason_pid, getpid());
	ask(&r, CPU + 1, 1);
	ask_event(&r, 0, BRANCHES, USR);
	refused(&r, EBUSY, KNC_PMU_REASON_BUSY);
	check(r.c.reason_event, 0);
	check(r.c.reason_cpu, KNC_PMU_NO_CPU);
	check(r.c.reason_pid, getpid());
	close(first);
	refused(&r, EBUSY, KNC_PMU_REASON_BUSY);
	close(second);
	/* the other order: a session on a hardware thread keeps tasks from its counter */
	hw = session(nr_cpus() - 1, BRANCHES, USR);
	ask_task(&r, p.pid, 0, 2);
	ask_event(&r, 0, BRANCHES, USR);
	ask_event(&r, 1, INSTRUCTIONS_EXECUTED, USR);
	refused(&r, EBUSY, KNC_PMU_REASON_BUSY);
	check(r.c.reason_counter, 0);
	check(r.c.reason_cpu, nr_cpus() - 1);
	check(r.c.reason_pid, getpid());
	/* the other counter is free */
	first = counter_session(p.pid, 0, 1);
	close(hw);
	second = counter_session(p.pid, 0, 0);
	release(&p);
	release(&q);
	finish(&p);
	finish(&q);
}

/*
 * SPFLT controls a counter for tasks or for a hardware thread, not for both; each task has its own
 * USER_PREF.
 */
static void ask_gated(struct request *r, int pid, unsigned int flags,
		      unsigned int counter)
{
	if (pid)
		ask_task(r, pid, 0, 1);
	else
		ask(r, CPU, 1);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, USR | flags);
	r->e[0].counters = 1 << counter;
}

static int gated_session(int pid, unsigned int flags, unsigned int counter)
{
	struct request r;

	ask_gated(&r, pid, flags, counter);
	return open_session(&r);
}

static void check_spflt_busy(int pid, unsigned int cpu)
{
	struct request r;

	ask_gated(&r, pid, KNC_PMU_EVENT_SPFLT, 1);
	refused(&r, EBUSY, KNC_PMU_REASON_SPFLT_BUSY);
	check(r.c.reason_counter, 0);
	check(r.c.reason_cpu, cpu);
	check(r.c.reason_pid, getpid());
	close(gated_session(pid, 0, 1));
}

static void test_spflt_busy(void)
{
	struct program p;
	int fd, other;

	hold(&p, CPU, "loop", N, 0);
	fd = gated_session(0, KNC_PMU_EVENT_SPFLT, 0);
	check_spflt_busy(getpid(), CPU);
	check_spflt_busy(p.pid, CPU);
	check_spflt_busy(0, CPU);
	close(fd);
	fd = gated_session(getpid(), KNC_PMU_EVENT_SPFLT, 0);
	check_spflt_busy(0, KNC_PMU_NO_CPU);
	check_spflt_busy(getpid(), KNC_PMU_NO_CPU);
	other = gated_session(p.pid, KNC_PMU_EVENT_SPFLT, 0);
	close(fd);
	check_spflt_busy(0, KNC_PMU_NO_CPU);
	/* the session with SPFLT need not be the oldest one that has the counter */
	close(other);
	fd = gated_session(getpid(), 0, 0);
	close(gated_session(0, KNC_PMU_EVENT_SPFLT, 1));
	other = gated_session(p.pid, KNC_PMU_EVENT_SPFLT, 0);
	check_spflt_busy(0, KNC_PMU_NO_CPU);
	close(other);
	close(fd);
	release(&p);
	finish(&p);
}

/* Rings lock a user's memory: at most RLIMIT_MEMLOCK, plus the amount that perf gives every user */
#define RING		(1U << 20)
#define PERF_MLOCK	(516UL << 10)	/* for each CPU */

static void limit_memlock(unsigned long bytes)
{
	struct rlimit limit;

	check(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	limit.rlim_cur = bytes;
	check(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static void ask_rings(struct request *r, unsigned int counter)
{
	ask_task(r, 0, 0, 1);
	ask_sample(r, 0, INSTRUCTIONS_EXECUTED, USR, PERIOD);
	r->e[0].counters = 1 << counter;
	r->c.ring_size = RING;
}

static void test_memlock(void)
{
	unsigned long page = sysconf(_SC_PAGESIZE), limit;
	struct rlimit most = { 1UL << 30, 1UL << 30 };
	struct request r;
	unsigned int i;
	int fd, other;

	limit = nr_cpus() * (page + RING - PERF_MLOCK);
	check(setrlimit(RLIMIT_MEMLOCK, &most), 0);
	limit_memlock(0);
	/* privileged users have no limit */
	fd = open_device();
	ask_rings(&r, 0);
	check(config(fd, &r), 0);
	close(fd);
	become_nobody(device_group());
	for (i = 0; i < 10; i++) {
		limit_memlock(limit - page);
		ask_rings(&r, 0);
		refused(&r, ENOMEM, KNC_PMU_REASON_RING_MEMLOCK);
		limit_memlock(limit);
		fd = open_session(&r);
		ask_rings(&r, 1);
		r.c.ring_size = KNC_PMU_MIN_RING;
		refused(&r, ENOMEM, KNC_PMU_REASON_RING_MEMLOCK);
		limit_memlock(limit + nr_cpus() * (page + KNC_PMU_MIN_RING));
		other = open_device();
		check(config(other, &r), 0);
		close(other);
		close(fd);
	}
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail("can't write %s: %s", path, strerror(errno));
	close(fd);
}

/*
 * A user in a container who takes all that the container's owner may have, until a message on @go
 */
static void first_user(int told, int go)
{
	struct request r;
	char byte;
	int fd;

	check(setresuid(1, 1, 1), 0);
	ask_rings(&r, 0);
	fd = open_session(&r);
	check(write(told, "", 1), 1);
	check(read(go, &byte, 1), 1);
	close(fd);
	_exit(0);
}

/* A container of the user nobody; its own users start at a message on @go */
static void container(int told, int go)
{
	struct request r;
	int users[2];
	char byte;

	become_nobody(device_group());
	check(prctl(PR_SET_DUMPABLE, 1), 0);
	if (unshare(CLONE_NEWUSER))
		_exit(2);
	check(pipe(users), 0);
	check(write(told, "", 1), 1);
	check(read(go, &byte, 1), 1);
	if (!fork())
		first_user(users[1], go);
	/* another user of the container gets nothing */
	check(read(users[0], &byte, 1), 1);
	check(setresuid(2, 2, 2), 0);
	ask_rings(&r, 0);
	r.c.ring_size = KNC_PMU_MIN_RING;
	refused(&r, ENOMEM, KNC_PMU_REASON_RING_MEMLOCK);
	_exit(0);
}

/* The users of a container share the limit of its owner. */
static void test_memlock_container(void)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	struct rlimit most = { 1UL << 30, 1UL << 30 };
	int told[2], go[2], status;
	char path[64], byte;
	struct request r;
	pid_t pid;

	check(setrlimit(RLIMIT_MEMLOCK, &most), 0);
	limit_memlock(nr_cpus() * (page + RING - PERF_MLOCK));
	check(pipe(told), 0);
	check(pipe(go), 0);
	pid = fork();
	if (!pid)
		container(told[1], go[0]);
	close(told[1]);
	if (read(told[0], &byte, 1) != 1)
		skip("no user namespaces");
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	write_text(path, "0 100000 10");
	check(write(go[1], "", 1), 1);
	check(waitpid(pid, &status, 0), pid);
	check(status, 0);
	/* the remaining session was charged to no user */
	become_nobody(device_group());
	ask_rings(&r, 0);
	r.c.ring_size = KNC_PMU_MIN_RING;
	refused(&r, ENOMEM, KNC_PMU_REASON_RING_MEMLOCK);
	check(write(go[1], "", 1), 1);
	check(read(told[0], &byte, 1), 0);
	ask_rings(&r, 0);
	check(config(open_device(), &r), 0);
}

#define CGROUP		"/dev/shm/knc-cgroup"
#define SESSIONS	1000

/* Bytes charged to the caller's cgroup; the kernel charges some in advance, for each CPU */
static unsigned long charged(void)
{
	char text[32] = "";
	int fd = open(CGROUP "/knc/memory.current", O_RDONLY);

	check(read(fd, text, sizeof(text) - 1) > 0, 1);
	close(fd);
	return strtoul(text, NULL, 10);
}

static unsigned long charged_open(const char *name, unsigned int nr)
{
	unsigned long before = charged();
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (open(name, O_RDWR) < 0)
			fail("can't open %s: %s", name, strerror(errno));
	return charged() - before;
}

static unsigned long all_slab(void)
{
	unsigned long kilobytes = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	check(!f, 0);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Slab: %lu", &kilobytes) == 1)
			break;
	fclose(f);
	return kilobytes << 10;
}

static void follow_killed(void)
{
	struct request r;
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	ask_task(&r, pid, 0, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	check(config(open_device(), &r), 0);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
}

static void charge(void)
{
	struct rlimit files = { 8192, 8192 };
	unsigned long null, own, before, slab;
	struct request r;
	unsigned int i;
	int fd;

	write_text(CGROUP "/knc/cgroup.procs", "0");
	check(setrlimit(RLIMIT_NOFILE, &files), 0);
	become_nobody(device_group());
	/* open files cost more than others: at least the struct of a session */
	null = charged_open("/dev/null", SESSIONS);
	own = charged_open(KNC_PMU_DEVICE, SESSIONS);
	note("%lu bytes of an open file, %lu without a session", own / SESSIONS, null / SESSIONS);
	check(own > null + SESSIONS * 256UL, 1);
	/* the rings of one session */
	before = charged();
	ask_rings(&r, 0);
	fd = open_session(&r);
	check(charged() - before >= nr_cpus() * RING, 1);
	close(fd);
	/* everything is uncharged when the tasks have ended */
	before = charged();
	slab = all_slab();
	for (i = 0; i < SESSIONS; i++)
		follow_killed();
	own = charged() - before;
	slab = all_slab() - slab;
	note("%lu bytes of a session with a task that has ended, %lu in all", own / SESSIONS,
	     slab / SESSIONS);
	_exit(0);
}

/* All memory of a user's sessions is charged to the user's cgroup. */
static void test_charged(void)
{
	int status;
	pid_t pid;

	check(mkdir(CGROUP, 0755) && errno != EEXIST, 0);
	if (mount("none", CGROUP, "cgroup2", 0, NULL))
		skip("no cgroups");
	write_text(CGROUP "/cgroup.subtree_control", "+memory");
	check(mkdir(CGROUP "/knc", 0755), 0);
	pid = fork();
	if (!pid)
		charge();
	check(waitpid(pid, &status, 0), pid);
	check(rmdir(CGROUP "/knc"), 0);
	check(umount(CGROUP), 0);
	check(status, 0);
}

/* A hardware thread's session and a task's session at the same time, each with its own events. */
static void test_beside_threads(void)
{
	unsigned long long want[2], got[2], hw_count;
	struct registers before;
	struct program p;
	struct request r;
	int fd, hw = open_device();

	pin(0);
	get_registers(CPU, &before);
	ask(&r, CPU, 1);
	ask_event(&r, 0, BRANCHES, USR);
	r.e[0].counters = 2;
	check(config(hw, &r), 0);
	hold(&p, CPU, "loop", LONG, 0);
	wait_held(&p);
	fd = counter_session(p.pid, 0, 0);
	check(start(hw), 0);
	check(start(fd), 0);
	release(&p);
	finish(&p);
	check(stop(hw), 0);
	read_task(fd, 1, ENDED, got);
	read_counts(hw, 1, &hw_count);
	close(fd);
	close(hw);
	check_registers(CPU, &before);
	follow("loop", LONG, 0, &alone, want);
	check(got[0], want[0]);
	check(hw_count >= want[1], 1);
}

/* A process can't follow a set-user-ID program that it may not ptrace(). */

static const char *suid_program;

static void execute_suid(unsigned long n)
{
	char number[24], *argv[3], *envp[1] = { NULL };

	argv[0] = (char *)suid_program;
	argv[1] = number;
	argv[2] = NULL;
	sprintf(number, "%lu", n);
	execve(suid_program, argv, envp);
	_exit(127);
}

/* One child executes the set-user-ID program, another one does not. */
static void execute_suid_and(unsigned long n)
{
	if (!fork())
		execute_suid(n);
	waitpid(-1, NULL, 0);
	if (!fork())
		child(N);
	waitpid(-1, NULL, 0);
}

static unsigned long long follow_suid(void (*work)(unsigned long n),
				      unsigned long n, unsigned int flags,
				      unsigned int want)
{
	unsigned long long counts[2];
	struct program p;
	int fd;

	fd = begin_call(&p, ANY_CPU, work, n, flags);
	end_call(&p, fd, want, counts);
	return counts[0];
}

static void check_suid_hidden(void)
{
	unsigned long long small, large;

	small = follow_suid(execute_suid, 1000, 0, ENDED | PARTIAL);
	large = follow_suid(execute_suid, 9000, 0, ENDED | PARTIAL);
	note("%llu before the program", small);
	check(large, small);
	small = follow_suid(execute_suid_and, 1000, INHERIT, ENDED | PARTIAL);
	large = follow_suid(execute_suid_and, 9000, INHERIT, ENDED | PARTIAL);
	check(large, small);
	check(small >= 2 * N, 1);
}

static void test_suid(void)
{
	unsigned long long small, large;

	suid_program = copy_loop(04755);
	/* root may ptrace() it */
	small = follow_suid(execute_suid, 1000, 0, ENDED);
	large = follow_suid(execute_suid, 9000, 0, ENDED);
	check(large - small, 2 * 8000);
	become_nobody(device_group());
	check_suid_hidden();
}

static void test_sgid(void)
{
	suid_program = copy_loop(02755);
	become_nobody(device_group());
	check_suid_hidden();
}

/* A program that its user may execute, but not read, is not followed */
static void test_unreadable(void)
{
	suid_program = copy_loop(0711);
	become_nobody(device_group());
	check_suid_hidden();
}

/* START by exec does not start at a set-user-ID program. */
static void test_suid_on_exec(void)
{
	unsigned long long counts[2];
	struct program p;
	int fd;

	suid_program = copy_loop(04755);
	become_nobody(device_group());
	hold_call(&p, ANY_CPU, execute_suid, N);
	wait_held(&p);
	fd = session_of(p.pid, ON_EXEC);
	release(&p);
	finish(&p);
	read_task(fd, 2, ENDED | PARTIAL, counts);
	check(counts[0] | counts[1], 0);
}

/* An unprivileged user follows its own tasks, and sees nothing of the kernel. */
static void test_unprivileged(void)
{
	unsigned long long want[2], got[2];
	struct program other;
	struct request r;

	follow("loop", N, 0, &alone, want);
	hold(&other, CPU, "loop", N, 0);
	wait_held(&other);
	become_nobody(device_group());
	follow("loop", N, 0, &alone, got);
	check(got[0], want[0]);
	check(got[1], want[1]);
	test_own();
	ask_task(&r, other.pid, 0, 1);
	ask_event(&r, 0, BRANCHES, USR);
	refused(&r, EPERM, KNC_PMU_REASON_TASK_DENIED);
	ask_task(&r, 1, 0, 1);
	ask_event(&r, 0, BRANCHES, USR);
	refused(&r, EPERM, KNC_PMU_REASON_TASK_DENIED);
}

/* Threads of a process that creates short-lived threads as fast as it can */
#define STORMERS	4
#define STORM_CONFIGS	3

static struct stormer {
	int ended;	/* the kernel writes 0 here */
	unsigned char own[4096] __attribute__((__aligned__(16)));
	unsigned char child[4096] __attribute__((__aligned__(16)));
} stormers[STORMERS];

static int end_at_once(void *arg)
{
	return !arg;
}

static int storm(void *arg)
{
	struct stormer *s = arg;

	for (;;) {
		__atomic_store_n(&s->ended, 1, __ATOMIC_SEQ_CST);
		if (clone(end_at_once, s->child + sizeof(s->child),
			  THREAD_FLAGS | CLONE_CHILD_CLEARTID, s, NULL, NULL, &s->ended) < 0)
			_exit(1);
		while (__atomic_load_n(&s->ended, __ATOMIC_SEQ_CST))
			sched_yield();
	}
}

static void run_storm(unsigned long n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (clone(storm, stormers[i].own + sizeof(stormers[i].own), THREAD_FLAGS,
			  &stormers[i]) < 0)
			_exit(1);
	for (;;)
		pause();
}

/* A bystander repeats INFO: how often, and the longest duration */
static struct asker {
	unsigned long asked;
	unsigned long long longest;
} *asker;

static void ask_for_info(unsigned long n)
{
	unsigned long long began, took;

	(void)n;
	for (;; asker->asked++) {
		began = now_ns();
		nr_sessions();
		took = now_ns() - began;
		if (took > asker->longest)
			asker->longest = took;
	}
}

static unsigned long long follow_storm(int pid, unsigned int flags)
{
	unsigned long long began = now_ns(), took;
	int fd = session_of(pid, flags);

	took = now_ns() - began;
	check(nr_sessions() >= 1, 1);
	check(start(fd), 0);
	while (flags & INHERIT && count_of(fd, 0) < N / 100)
		;
	close(fd);
	return took;
}

/*
 * CONFIG follows all threads of such a process, and returns although the process goes on; later
 * threads are inherited. Other processes do not wait for this CONFIG.
 */
static void test_storm(void)
{
	unsigned long long took, longest = 0;
	struct program p, other;
	unsigned long asked;
	unsigned int i;

	asker = mmap(NULL, sizeof(*asker), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(asker == MAP_FAILED, 0);
	become_nobody(device_group());
	hold_call(&p, ANY_CPU, run_storm, STORMERS);
	hold_call(&other, ANY_CPU, ask_for_info, 0);
	release(&p);
	release(&other);
	for (i = 0; i < STORM_CONFIGS; i++) {
		asked = asker->asked;
		took = follow_storm(p.pid, i & 1 ? PROCESS : PROCESS | INHERIT);
		longest = took > longest ? took : longest;
		while (asker->asked == asked)
			usleep(1000);
	}
	note("the longest CONFIG took %llu ms, of %lu INFO %llu ms",
	     longest / 1000000, asker->asked, asker->longest / 1000000);
	kill(other.pid, SIGKILL);
	kill(p.pid, SIGKILL);
}

/* Function-call interrupts of @cpu, by /proc/interrupts */
static unsigned long calls_of(unsigned int cpu)
{
	char line[8192], *at = NULL;
	unsigned long nr = 0;
	unsigned int i;
	FILE *f = fopen("/proc/interrupts", "r");

	while (f && fgets(line, sizeof(line), f)) {
		at = strstr(line, "CAL:");
		if (!at)
			continue;
		at += strlen("CAL:");
		for (i = 0; i <= cpu; i++)
			nr = strtoul(at, &at, 10);
		break;
	}
	if (!at)
		fail("/proc/interrupts has no line CAL");
	fclose(f);
	return nr;
}

#define ASKED		2000
#define BYSTANDER	3
#define BESIDE		50000000UL	/* iterations of the bystander's loop */

static void ask_often(int fd)
{
	struct record record;
	unsigned int i;

	for (i = 0; i < ASKED; i++) {
		check(read_all(fd, &record, sizeof(record)), 1);
		if (i % 8 == 0)
			check(stop(fd), 0);
		if (i % 8 == 4)
			check(start(fd), 0);
		if (i % 64 == 0)
			check(reset(fd, 0), 0);
	}
}

/*
 * An unprivileged user calls READ, START, STOP and RESET for another task, which runs or sleeps, on
 * the same or on another hardware thread. A hardware thread without a task of the session is not
 * interrupted, except by the kernel for its own reasons, which is rare.
 */
static void test_bystander(void)
{
	unsigned long before;
	struct program p;
	int fd;

	become_nobody(device_group());
	pin(0);
	hold_call(&p, CPU, loop, 1UL << 60);
	fd = session_of(p.pid, 0);
	check(start(fd), 0);
	before = calls_of(BYSTANDER);
	ask_often(fd);
	note("asleep: %lu calls of a bystander", calls_of(BYSTANDER) - before);
	check(calls_of(BYSTANDER) - before < ASKED / 4, 1);
	release(&p);
	check(start(fd), 0);
	while (count_of(fd, 0) < N)
		;
	before = calls_of(BYSTANDER);
	ask_often(fd);
	note("running: %lu calls of a bystander", calls_of(BYSTANDER) - before);
	check(calls_of(BYSTANDER) - before < ASKED / 4, 1);
	check(start(fd), 0);
	check(reset(fd, 0), 0);
	while (count_of(fd, 0) < N)
		;
	kill(p.pid, SIGKILL);
}

/*
 * The kernel's instructions on BYSTANDER in a second while a program computes there, counted by
 * session @counting; meanwhile session @asking, if any, is read
 */
static double kernel_beside(int counting, int asking, double *reads)
{
	struct record record;
	unsigned long long k, began;
	unsigned long nr = 0;
	struct program p;
	double seconds;

	hold_call(&p, BYSTANDER, loop, BESIDE);
	wait_held(&p);
	check(reset(counting, 0), 0);
	check(start(counting), 0);
	began = now_ns();
	for (release(&p); !has_ended(&p); nr++) {
		if (asking < 0)
			wait_ms();
		else
			check(read_all(asking, &record, sizeof(record)), 1);
	}
	seconds = (now_ns() - began) / 1e9;
	check(stop(counting), 0);
	finish(&p);
	read_counts(counting, 1, &k);
	*reads = nr / seconds;
	return k / seconds;
}

/* Does READ of @asking cost BYSTANDER at least a hundredth of its instructions? */
static int costs_bystander(int counting, int asking)
{
	double rest, asked, reads, program, began;

	rest = kernel_beside(counting, -1, &reads);
	began = now_ns() / 1e9;
	asked = kernel_beside(counting, asking, &reads);
	program = 2 * BESIDE / (now_ns() / 1e9 - began);
	note("%.0f READs a second; of %.0f instructions a second the kernel's were %.0f, now %.0f",
	     reads, program, rest, asked);
	return asked - rest >= program / 100;
}

/*
 * READ as often as a user can, of a task on another hardware thread: a program elsewhere loses less
 * than one instruction in a hundred. The kernel's own work there varies; the cost of READ would
 * show in every attempt.
 */
static void test_bystander_cost(void)
{
	int counting, asking, tries = 5;
	struct program p;

	counting = session(BYSTANDER, INSTRUCTIONS_EXECUTED, OS);
	become_nobody(device_group());
	pin(0);
	hold_call(&p, CPU, loop, 1UL << 60);
	asking = task_session(p.pid, 0, INSTRUCTIONS_EXECUTED, USR);
	check(start(asking), 0);
	release(&p);
	while (tries && costs_bystander(counting, asking))
		tries--;
	check(tries > 0, 1);
	kill(p.pid, SIGKILL);
}

/* Workers of io_uring are threads of the process, which the kernel creates itself. */
struct uring {
	int fd;
	struct io_uring_params p;
	unsigned char *sq, *cq;
	struct io_uring_sqe *sqe;
};

static int open_uring(struct uring *u)
{
	unsigned long sq, cq;

	memset(&u->p, 0, sizeof(u->p));
	u->fd = syscall(SYS_io_uring_setup, 4, &u->p);
	if (u->fd < 0)
		return -errno;
	sq = u->p.sq_off.array + u->p.sq_entries * sizeof(unsigned int);
	cq = u->p.cq_off.cqes + u->p.cq_entries * sizeof(struct io_uring_cqe);
	u->sq = mmap(NULL, sq, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		     IORING_OFF_SQ_RING);
	u->cq = mmap(NULL, cq, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		     IORING_OFF_CQ_RING);
	u->sqe = mmap(NULL, u->p.sq_entries * sizeof(*u->sqe), PROT_READ | PROT_WRITE,
		      MAP_SHARED, u->fd, IORING_OFF_SQES);
	if (u->sq == MAP_FAILED || u->cq == MAP_FAILED || u->sqe == MAP_FAILED)
		fail("can't map the rings of io_uring");
	return 0;
}

/* Have a worker read an empty pipe */
static void read_by_worker(struct uring *u, int from, void *to)
{
	unsigned int *tail = (unsigned int *)(u->sq + u->p.sq_off.tail);
	unsigned int *array = (unsigned int *)(u->sq + u->p.sq_off.array);

	memset(u->sqe, 0, sizeof(*u->sqe));
	u->sqe->opcode = IORING_OP_READ;
	u->sqe->flags = IOSQE_ASYNC;
	u->sqe->fd = from;
	u->sqe->addr = (unsigned long)to;
	u->sqe->len = 1;
	array[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	check(syscall(SYS_io_uring_enter, u->fd, 1, 0, 0, NULL, 0), 1);
}

static unsigned int nr_threads(void)
{
	unsigned int nr = 0;
	struct dirent *e;
	DIR *dir = opendir("/proc/self/task");

	while ((e = readdir(dir)))
		nr += e->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static void test_io_uring(void)
{
	struct record records[8];
	int pipes[2], fd, err;
	struct uring u;
	char byte;

	err = open_uring(&u);
	if (err)
		skip("this kernel has no io_uring: %s", strerror(-err));
	check(pipe(pipes), 0);
	fd = task_session(0, INHERIT, BRANCHES, USR);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, sizeof(records)), 2);
	read_by_worker(&u, pipes[0], &byte);
	while (nr_threads() < 2)
		usleep(1000);
	check(nr_threads(), 2);
	/* two threads, and the sum of those that have ended */
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, sizeof(records)), 3);
	check(records[1].cpu != records[0].cpu, 1);
	close(fd);
	/* a worker that exists already is followed with its process */
	fd = task_session(0, PROCESS, BRANCHES, USR);
	check(read_flags(fd, KNC_PMU_READ_TASKS, records, sizeof(records)), 3);
	check(write(pipes[1], "", 1), 1);
}

/* kill -9 at random moments */

static void observe(void)
{
	struct record record;
	unsigned int i;
	struct program p;
	int fd;

	for (;;) {
		hold_call(&p, ANY_CPU, tree, 1000);
		fd = session_of(p.pid, INHERIT);
		check(start(fd), 0);
		release(&p);
		for (i = random_below(20); i; i--) {
			check(read_all(fd, &record, sizeof(record)), 1);
			check(stop(fd), 0);
			check(start(fd), 0);
			if (random_below(4) == 0)
				check(reset(fd, 0), 0);
		}
		if (random_below(2))
			kill(p.pid, SIGKILL);
		if (random_below(2))
			close(fd);
		waitpid(p.pid, NULL, 0);
		close(fd);
		close(p.go);
	}
}

/* When the observing process was killed, no session has a counter any more. */
static void test_kill_observer(void)
{
	kill_clients(KILLS, observe, check_unowned);
}

/* Children begin and end until this process is killed; the remaining ones end soon. */
static void run_forever(unsigned long n)
{
	for (;;) {
		if (!fork())
			child(n);
		loop(n);
		waitpid(-1, NULL, 0);
	}
}

static void test_kill_observed(void)
{
	unsigned long long counts[2], last;
	struct record record;
	struct program p;
	unsigned int i;
	int fd;

	for (i = 0; i < KILLS; i++) {
		fd = begin_call(&p, ANY_CPU, run_forever, 1000,
				i % 2 ? INHERIT : PROCESS);
		usleep(random_below(20000));
		kill(p.pid, SIGKILL);
		waitpid(p.pid, NULL, 0);
		/* a child of the killed process, if there is one, ends soon */
		do {
			check(read_all(fd, &record, sizeof(record)), 1);
		} while (record.flags != ENDED);
		read_task(fd, 2, ENDED, counts);
		last = counts[0];
		read_task(fd, 2, ENDED, counts);
		check(counts[0], last);
		close(fd);
		close(p.go);
		check_unowned();
	}
}

static const struct test tests[] = {
	{ "task.exact", test_exact },
	{ "task.on-exec", test_on_exec },
	{ "task.competitors", test_competitors },
	{ "task.followed-competitors", test_followed_competitors },
	{ "task.migrated", test_migrated },
	{ "task.hotplug", test_hotplug },
	{ "task.read-running", test_read_running },
	{ "task.tree", test_tree },
	{ "task.orphan", test_orphan },
	{ "task.threads", test_threads },
	{ "task.thread", test_thread },
	{ "task.leaderless", test_leaderless },
	{ "task.read-tasks", test_read_tasks },
	{ "task.kept", test_kept },
	{ "task.own", test_own },
	{ "task.running", test_running },
	{ "task.sleeping", test_sleeping },
	{ "task.ended", test_ended },
	{ "task.wrap", test_wrap },
	{ "task.side-by-side", test_side_by_side },
	{ "task.busy", test_busy },
	{ "task.beside-threads", test_beside_threads },
	{ "task.spflt-busy", test_spflt_busy },
	{ "task.memlock", test_memlock },
	{ "task.memlock-container", test_memlock_container },
	{ "task.charged", test_charged },
	{ "task.suid", test_suid },
	{ "task.sgid", test_sgid },
	{ "task.unreadable", test_unreadable },
	{ "task.suid-on-exec", test_suid_on_exec },
	{ "task.unprivileged", test_unprivileged },
	{ "task.storm", test_storm },
	{ "task.bystander", test_bystander },
	{ "task.bystander-cost", test_bystander_cost },
	{ "task.io-uring", test_io_uring },
	{ "task.kill-observer", test_kill_observer },
	{ "task.kill-observed", test_kill_observed },
};

TEST_PROGRAM(tests)
