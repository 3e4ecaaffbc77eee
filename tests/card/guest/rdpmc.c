// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in ring 3: which process may execute it, when and where, and that its counts equal READ's
 *
 * Tests execute "rdpmc --probe", which executes RDPMC; "--again" executes RDPMC, then the same
 * again as another program.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <knc/regs.h>

#include "lib.h"

#define CPU		1
#define N		1000000UL
#define READS		1000000
#define KILLS		rounds(100)
#define RAW		((1ULL << (KNC_COUNTER_WIDTH - 1)) - 1)
#define RDPMC		KNC_PMU_CONFIG_RDPMC
#define ON_EXEC		KNC_PMU_CONFIG_ON_EXEC

/* Permission */

/* For data that a signal handler or another thread must see */
#define LOAD(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELEASE)

static __thread int denied;

/* RDPMC has two bytes. */
static void step_over(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	uc->uc_mcontext.gregs[REG_RIP] += 2;
	STORE(denied, 1);
}

static void catch_denial(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = step_over;
	sa.sa_flags = SA_SIGINFO;
	check(sigaction(SIGSEGV, &sa, NULL), 0);
}

static unsigned long long rdpmc(unsigned int counter)
{
	unsigned int low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter) :
		     "memory");
	return (unsigned long long)high << 32 | low;
}

/* Is RDPMC of both counters permitted, or of neither? */
static int is_permitted(void)
{
	int first;

	STORE(denied, 0);
	rdpmc(0);
	first = LOAD(denied);
	STORE(denied, 0);
	rdpmc(1);
	check(LOAD(denied), first);
	return !first;
}

/* Check RDPMC on every hardware thread */
static void check_permitted(int permitted)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		pin(cpu);
		check(is_permitted(), permitted);
	}
}

static int granting(int pid, unsigned int flags)
{
	struct request r;

	ask_task(&r, pid, flags | RDPMC, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, DATA_WRITE, USR);
	return open_session(&r);
}

static int granting_one(unsigned int counter)
{
	struct request r;

	ask_task(&r, 0, RDPMC, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.e[0].counters = 1 << counter;
	return open_session(&r);
}

static struct knc_pmu_page *map_page(int fd)
{
	struct knc_pmu_page *page;

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd,
		    KNC_PMU_PAGE_OFFSET);
	if (page == MAP_FAILED)
		fail("no page: %s", strerror(errno));
	return page;
}

/* Counts */

/* The page's fields, and RDPMC of both counters, at one moment */
struct snapshot {
	unsigned int seq[2];
	unsigned long long offset[2];
	unsigned long long raw[2];
};

/*
 * 16 instructions: the 8th is the RDPMC of the first event, the 12th that of the second. Of the 8
 * stores 3 are before the first RDPMC, and 5 before the second.
 */
#define SNAPSHOT							\
	"mov	0(%[page]), %%eax\n\t"					\
	"mov	%%eax, snap_at(%[out])\n\t"				\
	"mov	96(%[page]), %%rax\n\t"					\
	"mov	%%rax, snap_at+8(%[out])\n\t"				\
	"mov	104(%[page]), %%rax\n\t"					\
	"mov	%%rax, snap_at+16(%[out])\n\t"				\
	"mov	32(%[page]), %%ecx\n\t"					\
	"rdpmc\n\t"							\
	"mov	%%eax, snap_at+24(%[out])\n\t"				\
	"mov	%%edx, snap_at+28(%[out])\n\t"				\
	"mov	36(%[page]), %%ecx\n\t"					\
	"rdpmc\n\t"							\
	"mov	%%eax, snap_at+32(%[out])\n\t"				\
	"mov	%%edx, snap_at+36(%[out])\n\t"				\
	"mov	0(%[page]), %%eax\n\t"					\
	"mov	%%eax, snap_at+4(%[out])\n\t"

static void check_layout(void)
{
	check(offsetof(struct knc_pmu_page, seq), 0);
	check(offsetof(struct knc_pmu_page, counter), 32);
	check(offsetof(struct knc_pmu_page, offset), 96);
	check(offsetof(struct snapshot, offset), 8);
	check(offsetof(struct snapshot, raw), 24);
	check(sizeof(struct snapshot), 40);
}

static inline void snap(const struct knc_pmu_page *page, struct snapshot *s)
{
	asm volatile(".set snap_at, 0\n\t" SNAPSHOT : : [page] "r" (page), [out] "r" (s) :
		     "rax", "rcx", "rdx", "memory");
}

/* Snapshot, READ, snapshot, with nothing else in between */
static long snap_read_snap(const struct knc_pmu_page *page, struct snapshot *s,
			   int fd, struct knc_pmu_read *read)
{
	register void *out asm("r8") = s;
	register const void *from asm("r9") = page;
	long ret;

	asm volatile(".set snap_at, 0\n\t" SNAPSHOT
		     "mov	%[nr], %%eax\n\t"
		     "mov	%[read], %%rdx\n\t"
		     "syscall\n\t"
		     "mov	%%rax, %%r10\n\t"
		     ".set snap_at, 40\n\t" SNAPSHOT
		     "mov	%%r10, %%rax\n\t"
		     : "=&a" (ret)
		     : [page] "r" (from), [out] "r" (out), "D" ((long)fd),
		       "S" (KNC_PMU_IOC_READ), [read] "b" (read),
		       [nr] "i" (SYS_ioctl)
		     : "rcx", "rdx", "r10", "r11", "memory");
	return ret;
}

/* From RDPMC to SYSCALL inclusive, and from SYSCALL to the next RDPMC */
#define INSNS_TO_READ	(1 + 8 + 3)
#define INSNS_FROM_READ	(1 + 7)
#define STORES_TO_READ	3
#define STORES_FROM_READ 5

static int is_valid(const struct snapshot *s)
{
	return s->seq[0] == s->seq[1] && !(s->seq[0] & 1);
}

/* Repeat the snapshot if the task was switched meanwhile */
static void snap_valid(const struct knc_pmu_page *page, struct snapshot *s)
{
	do {
		snap(page, s);
	} while (!is_valid(s));
}

static unsigned long long count_in(const struct snapshot *s, unsigned int i)
{
	long long raw = s->raw[i] << (64 - KNC_COUNTER_WIDTH);

	return s->offset[i] + (raw >> (64 - KNC_COUNTER_WIDTH));
}

struct reader {
	int fd;
	struct knc_pmu_page *page;
	struct record record;
	struct knc_pmu_read read;
	struct snapshot last;
	int have;		/* is @last valid? */
	unsigned long valid;
	unsigned long compared;
};

static void init_reader(struct reader *r)
{
	memset(r, 0, sizeof(*r));
	r->fd = granting(0, 0);
	r->page = map_page(r->fd);
	r->read.buffer = (unsigned long)&r->record;
	r->read.buffer_size = sizeof(r->record);
	check(start(r->fd), 0);
}

static void end_reader(const struct reader *r)
{
	munmap(r->page, sysconf(_SC_PAGESIZE));
	close(r->fd);
}

/* Counts by the page and by READ never decrease, and increase by no more than is possible */
static void check_next(struct reader *r, const struct snapshot *s)
{
	unsigned long long more;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		check(s->raw[i] >> KNC_COUNTER_WIDTH, 0);
		if (!r->have)
			continue;
		more = (s->raw[i] - r->last.raw[i]) & RAW;
		check(count_in(s, i) - count_in(&r->last, i), more);
		check(more > 0 && more < 100000, 1);
	}
	r->last = *s;
	r->have = 1;
	r->valid++;
}

static void check_read(struct reader *r)
{
	struct snapshot s[2];

	check(snap_read_snap(r->page, s, r->fd, &r->read), 1);
	check(r->record.flags, 0);
	if (is_valid(&s[0])) {
		check_next(r, &s[0]);
		check(r->record.value[0] - count_in(&s[0], 0), INSNS_TO_READ);
		check(r->record.value[1] - count_in(&s[0], 1), STORES_TO_READ);
		r->compared++;
	}
	if (is_valid(&s[1])) {
		check_next(r, &s[1]);
		check(count_in(&s[1], 0) - r->record.value[0],
		      INSNS_FROM_READ);
		check(count_in(&s[1], 1) - r->record.value[1],
		      STORES_FROM_READ);
		r->compared++;
	}
}

static void read_many(struct reader *r, unsigned long nr)
{
	struct snapshot s;
	unsigned long i;

	for (i = 0; i < nr; i++) {
		if (i % 100 == 0) {
			check_read(r);
			continue;
		}
		snap(r->page, &s);
		if (is_valid(&s))
			check_next(r, &s);
	}
}

/* Most snapshots must be valid, because the task is seldom interrupted. */
static void check_reader(const struct reader *r, unsigned long nr)
{
	note("%lu of %lu reads, %lu compared with READ", r->valid, nr,
	     r->compared);
	check(r->valid >= nr - nr / 10, 1);
	check(r->compared >= nr / 100, 1);
}

static void test_pinned(void)
{
	struct reader r;
	unsigned int cpu;

	check_layout();
	become_nobody(device_group());
	init_reader(&r);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		pin(cpu);
		read_many(&r, READS / nr_cpus());
	}
	check_reader(&r, READS);
}

static void test_migrating(void)
{
	struct reader r;
	unsigned int i;

	become_nobody(device_group());
	init_reader(&r);
	for (i = 0; i < READS / 1000; i++) {
		pin(i % nr_cpus());
		read_many(&r, 1000);
	}
	check_reader(&r, READS);
}

/* While other programs compete for all hardware threads, and another process migrates the task */
static void test_preempted(void)
{
	struct program p[8];
	struct reader r;
	unsigned int i, nr = nr_cpus() < 8 ? nr_cpus() : 8;
	pid_t pid, self = getpid();

	for (i = 0; i < nr; i++) {
		hold(&p[i], i, "spin", 0, 0);
		release(&p[i]);
	}
	pid = fork();
	if (!pid) {
		for (i = 0;; i++) {
			pin_task(self, i % nr);
			usleep(1000);
		}
	}
	become_nobody(device_group());
	init_reader(&r);
	read_many(&r, READS / 10);
	kill(pid, SIGKILL);
	check_reader(&r, READS / 10);
}

/*
 * The test writes the counter's register just below its maximum: after the overflow the module
 * loads it again, and updates the page.
 */
static void test_wrap(void)
{
	unsigned long long value = KNC_COUNTER_MASK - 10000, before, more;
	unsigned int i, msr;
	struct snapshot s;
	struct reader r;

	pin(CPU);
	msr = open("/dev/cpu/1/msr", O_WRONLY | O_CLOEXEC);
	init_reader(&r);
	for (i = 0; i < 5; i++) {
		read_many(&r, 1000);
		check(pwrite(msr, &value, sizeof(value), KNC_IA32_PERFCNTR(0)),
		      sizeof(value));
		snap_valid(r.page, &s);
		before = count_in(&s, 0);
		check(s.raw[0] >= value && s.raw[0] < value + 1000, 1);
		loop(N);
		snap_valid(r.page, &s);
		more = count_in(&s, 0) - before;
		check(more >= 2 * N && more < 2 * N + 1000, 1);
		check(s.raw[0] < value, 1);
		r.have = 0;
		read_many(&r, 1000);
	}
}

/* One event, on the counter that the first test did not use */
static void test_one_event(void)
{
	unsigned long long count, first, second;
	struct knc_pmu_page *page;
	struct snapshot s;
	int fd;

	fd = granting_one(1);
	page = map_page(fd);
	check(page->seq & 1, 1);
	check(page->nr_events, 1);
	check(start(fd), 0);
	pin(CPU);
	check(page->seq & 1, 0);
	check(page->counter[0], 1);
	snap_valid(page, &s);
	first = count_in(&s, 0);
	loop(N);
	read_task(fd, 1, 0, &count);
	snap_valid(page, &s);
	second = count_in(&s, 0);
	check(first < count && count < second, 1);
	check(second - first >= 2 * N && second - first < 2 * N + 500, 1);
	check(page->tsc_khz > 1000, 1);
	/* the page of a stopped session asks for READ */
	check(stop(fd), 0);
	check(page->seq & 1, 1);
	check(start(fd), 0);
	check(page->seq & 1, 0);
	check(reset(fd, 0), 0);
	snap_valid(page, &s);
	check(count_in(&s, 0) < 1000, 1);
}

/* The session's enabled time in ticks, by the page */
static unsigned long long enabled_ticks(const struct knc_pmu_page *page)
{
	unsigned long long enabled, running, now;
	unsigned int seq;

	do {
		seq = LOAD(page->seq);
		enabled = LOAD(page->time_enabled);
		running = LOAD(page->time_running);
		now = tsc();
	} while (seq & 1 || seq != LOAD(page->seq));
	check(running, enabled);
	return enabled + now;
}

/* The times of the page agree with those of READ */
static void test_times(void)
{
	unsigned long long before, after;
	struct record record;
	struct knc_pmu_page *page;
	int fd;

	pin(CPU);
	fd = granting(0, 0);
	page = map_page(fd);
	check(start(fd), 0);
	loop(N);
	usleep(20000);
	before = enabled_ticks(page);
	check(read_all(fd, &record, sizeof(record)), 1);
	after = enabled_ticks(page);
	check(ticks_to_ns(before) <= record.time_enabled + 1, 1);
	check(record.time_enabled <= ticks_to_ns(after) + 1, 1);
	/* sleeping is not counted */
	check(record.time_enabled > 0, 1);
	check(record.time_running, record.time_enabled);
}

/* Processes with the permission */

static void test_ends_with_close(void)
{
	struct knc_pmu_page *page;
	int fd, other;

	become_nobody(device_group());
	catch_denial();
	check_permitted(0);
	fd = granting(0, 0);
	check_permitted(1);
	close(fd);
	check_permitted(0);
	/* a mapping keeps the session */
	fd = granting(0, 0);
	page = map_page(fd);
	close(fd);
	check_permitted(1);
	check(munmap(page, sysconf(_SC_PAGESIZE)), 0);
	check_permitted(0);
	/* the last of two sessions ends the permission */
	fd = granting_one(0);
	other = granting_one(1);
	check_permitted(1);
	close(fd);
	check_permitted(1);
	check(ask_grants(NULL, 0), 1);
	close(other);
	check_permitted(0);
	check(ask_grants(NULL, 0), 0);
	/* STOP keeps the permission; a session without RDPMC does not grant it */
	fd = granting(0, 0);
	check(start(fd), 0);
	check(stop(fd), 0);
	check_permitted(1);
	close(fd);
	fd = task_session(0, 0, BRANCHES, USR);
	check(start(fd), 0);
	check_permitted(0);
	close(fd);
	/* the caller gets the permission, whichever task the session follows */
	fd = granting(0, KNC_PMU_CONFIG_INHERIT);
	check_permitted(1);
}

/* Shared with a process on CPU that never gets the permission */
static struct {
	unsigned long denials;
	unsigned long permits;
} *beside;

static void probe_for_ever(unsigned long n)
{
	(void)n;
	catch_denial();
	for (;;) {
		if (is_permitted())
			STORE(beside->permits, beside->permits + 1);
		else
			STORE(beside->denials, beside->denials + 1);
	}
}

static void wait_denials(void)
{
	unsigned long seen = LOAD(beside->denials);

	while (LOAD(beside->denials) < seen + 100)
		usleep(1000);
	check(LOAD(beside->permits), 0);
}

static void *map_shared(void)
{
	void *shared = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	check(shared == MAP_FAILED, 0);
	return shared;
}

/* The other process gets SIGSEGV before, during and after the session. */
static void test_beside(void)
{
	struct program p;
	unsigned int i;
	int fd;

	beside = map_shared();
	catch_denial();
	hold_call(&p, CPU, probe_for_ever, 0);
	become_nobody(device_group());
	release(&p);
	pin(CPU);
	wait_denials();
	for (i = 0; i < 5; i++) {
		fd = granting(0, 0);
		check(start(fd), 0);
		loop(N);
		wait_denials();
		/* both run in parallel all the time */
		loop(20 * N);
		check(is_permitted(), 1);
		wait_denials();
		close(fd);
		check(is_permitted(), 0);
		wait_denials();
	}
	note("%lu denials", beside->denials);
}

/* Another thread of the process, which only executes RDPMC */

static int phase;
static int seen_phase;

static void wait_phase(int wanted)
{
	while (LOAD(phase) < wanted)
		;
}

static void *second_thread(void *unused)
{
	pin(CPU + 1);
	STORE(seen_phase, 1);
	wait_phase(1);
	check(is_permitted(), 1);
	STORE(seen_phase, 2);
	wait_phase(2);
	check(is_permitted(), 0);
	STORE(seen_phase, 3);
	return unused;
}

static void wait_seen(int wanted)
{
	while (LOAD(seen_phase) < wanted)
		;
}

/* The other thread has the permission when CONFIG returns, and has lost it when close() returns. */
static void test_threads(void)
{
	pthread_t thread;
	unsigned int i;
	int fd;

	become_nobody(device_group());
	catch_denial();
	pin(CPU);
	for (i = 0; i < 50; i++) {
		STORE(phase, 0);
		STORE(seen_phase, 0);
		check(pthread_create(&thread, NULL, second_thread, NULL), 0);
		wait_seen(1);
		fd = granting(0, 0);
		STORE(phase, 1);
		wait_seen(2);
		close(fd);
		STORE(phase, 2);
		wait_seen(3);
		pthread_join(thread, NULL);
	}
}

/* fork keeps the permission, exec does not. */

static int probe(const char *how)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "rdpmc", how, NULL);
		_exit(127);
	}
	check(waitpid(pid, &status, 0), pid);
	return status;
}

static void check_child(int permitted)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		check_permitted(permitted);
		_exit(0);
	}
	check(waitpid(pid, &status, 0), pid);
	check(status, 0);
}

static void wait_told(int fd)
{
	char byte;

	check(read(fd, &byte, 1), 1);
}

static void test_fork_exec(void)
{
	int fd, to[2], from[2], status;
	pid_t pid;

	become_nobody(device_group());
	check(probe("--probe"), SIGSEGV);
	catch_denial();
	fd = granting(0, 0);
	check_child(1);
	check(probe("--probe"), SIGSEGV);
	check_permitted(1);
	/* a child's permission ends with the session too */
	check(pipe(to) | pipe(from), 0);
	pid = fork();
	if (!pid) {
		close(fd);
		check(is_permitted(), 1);
		check(write(from[1], "", 1), 1);
		wait_told(to[0]);
		check(is_permitted(), 0);
		check(write(from[1], "", 1), 1);
		_exit(0);
	}
	wait_told(from[0]);
	check(ask_grants(NULL, 0), 2);
	close(fd);
	check(ask_grants(NULL, 0), 0);
	check(write(to[1], "", 1), 1);
	wait_told(from[0]);
	check(waitpid(pid, &status, 0), pid);
	check(status, 0);
	check_child(0);
}

/* The process executes a program; its session ends, or continues without the permission */
static void exec_self(int keep)
{
	int fd = granting(0, 0);

	rdpmc(0);
	if (keep)
		fcntl(fd, F_SETFD, 0);
	execl("/proc/self/exe", "rdpmc", "--probe", NULL);
	_exit(127);
}

static void test_exec_self(void)
{
	int keep, status;
	pid_t pid;

	for (keep = 0; keep < 2; keep++) {
		pid = fork();
		if (!pid)
			exec_self(keep);
		check(waitpid(pid, &status, 0), pid);
		check(status, SIGSEGV);
	}
}

/* The executed program has the permission from its first instruction on */
static void hold_probe(struct program *p, const char *how)
{
	int go[2];

	check(pipe2(go, O_CLOEXEC), 0);
	p->pid = fork();
	if (!p->pid) {
		close(go[1]);
		wait_told(go[0]);
		execl("/proc/self/exe", "rdpmc", how, NULL);
		_exit(127);
	}
	close(go[0]);
	p->go = go[1];
}

static void test_on_exec(void)
{
	unsigned long long counts[2];
	struct program p;
	int fd, status;

	become_nobody(device_group());
	catch_denial();
	hold(&p, CPU, "readpmc", 1000, 0);
	wait_held(&p);
	fd = granting(p.pid, ON_EXEC);
	check_permitted(0);
	check(ask_grants(NULL, 0), 0);
	release(&p);
	finish(&p);
	read_task(fd, 2, KNC_PMU_THREAD_ENDED, counts);
	/* as task.on-exec, with three digits less and 6 instructions an iteration */
	check(counts[0], 6 * 1000 + 72 - 3 * 7);
	check_permitted(0);
	close(fd);
	/* a program that the granted program executes does not have the permission */
	hold_probe(&p, "--again");
	wait_held(&p);
	fd = granting(p.pid, ON_EXEC);
	release(&p);
	check(waitpid(p.pid, &status, 0), p.pid);
	check(status, SIGSEGV);
	read_task(fd, 2, KNC_PMU_THREAD_ENDED, counts);
	check(counts[0] > 1000, 1);
	close(fd);
	/* without the session no process has the permission */
	hold_probe(&p, "--probe");
	wait_held(&p);
	fd = granting(p.pid, ON_EXEC);
	close(fd);
	release(&p);
	check(waitpid(p.pid, &status, 0), p.pid);
	check(status, SIGSEGV);
}

/* The list of processes that have the permission */

static void test_grants(void)
{
	struct knc_pmu_grant grant[4];
	int fd, pipes[2], status;
	pid_t pid;

	check(ask_grants(grant, 4), 0);
	fd = granting(0, 0);
	check(ask_grants(grant, 4), 1);
	check(grant[0].pid, getpid());
	check(grant[0].session_pid, getpid());
	check(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		wait_told(pipes[0]);
		_exit(0);
	}
	memset(grant, 0xff, sizeof(grant));
	check(ask_grants(grant, 4), 2);
	check(grant[0].pid + grant[1].pid, getpid() + pid);
	check(grant[0].session_pid, getpid());
	check(grant[1].session_pid, getpid());
	check(grant[2].pid, -1);
	/* a list with room for one entry */
	memset(grant, 0xff, sizeof(grant));
	check(ask_grants(grant, 1), 2);
	check(grant[0].session_pid, getpid());
	check(grant[1].pid, -1);
	/* a user does not see another user's processes: this child itself has the permission */
	if (!fork()) {
		become_nobody(device_group());
		check(ask_grants(grant, 4), 1);
		check(grant[0].pid, getpid());
		_exit(0);
	}
	check(wait(&status) > 0, 1);
	check(status, 0);
	check(write(pipes[1], "", 1), 1);
	check(waitpid(pid, &status, 0), pid);
	check(ask_grants(grant, 4), 1);
	close(fd);
	check(ask_grants(grant, 4), 0);
}

/* Refused: RDPMC would read another session's counts. */
static void test_busy(void)
{
	struct request r;
	int hw, fd;

	hw = session(CPU, BRANCHES, USR);
	ask_task(&r, 0, RDPMC, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.e[0].counters = 2;
	fd = open_session(&r);
	close(fd);
	become_nobody(device_group());
	fd = open_device();
	check(config(fd, &r), -EBUSY);
	check(r.c.reason, KNC_PMU_REASON_RDPMC_BUSY);
	check(r.c.reason_counter, 0);
	check(r.c.reason_cpu, CPU);
	close(hw);
	check(config(fd, &r), 0);
}

/* What a user must not read by RDPMC: ring 0, and the core's other threads */
static const unsigned int private_flags[] = { OS, USR | OS, USR | KNC_PMU_EVENT_THREAD_MODE };

static void ask_private(struct request *r, int pid, unsigned int i)
{
	ask_task(r, pid, 0, 1);
	ask_event(r, 0, INSTRUCTIONS_EXECUTED, private_flags[i]);
	r->e[0].counters = 2;
}

/*
 * A user's CONFIG with RDPMC, twice: now, and before it executes a program; exits with the result
 */
static void ask_rdpmc(int told, int go)
{
	struct request r;
	unsigned int i;
	char byte;

	become_nobody(device_group());
	check(prctl(PR_SET_DUMPABLE, 1), 0);
	for (i = 0; i < ARRAY_SIZE(private_flags); i++) {
		check(write(told, "", 1), 1);
		check(read(go, &byte, 1), 1);
		ask_task(&r, 0, RDPMC | ON_EXEC, 1);
		ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
		r.e[0].counters = 1;
		refused(&r, EBUSY, KNC_PMU_REASON_RDPMC_PRIVATE);
		r.c.flags &= ~ON_EXEC;
		refused(&r, EBUSY, KNC_PMU_REASON_RDPMC_PRIVATE);
	}
	check(write(told, "", 1), 1);
	check(read(go, &byte, 1), 1);
	open_session(&r);
	check(write(told, "", 1), 1);
	for (;;)
		getppid();
}

/* Root counts the kernel for a user's task, before the user asks for RDPMC and after. */
static void test_private(void)
{
	int told[2], go[2], fd;
	struct request r;
	unsigned int i;
	char byte;
	pid_t pid;

	check(pipe(told), 0);
	check(pipe(go), 0);
	pid = fork();
	if (!pid)
		ask_rdpmc(told[1], go[0]);
	check(read(told[0], &byte, 1), 1);
	for (i = 0; i < ARRAY_SIZE(private_flags); i++) {
		fd = open_device();
		ask_private(&r, pid, i);
		check(config(fd, &r), 0);
		check(start(fd), 0);
		check(write(go[1], "", 1), 1);
		check(read(told[0], &byte, 1), 1);
		close(fd);
	}
	check(write(go[1], "", 1), 1);
	check(read(told[0], &byte, 1), 1);
	check(ask_grants(NULL, 0), 1);
	for (i = 0; i < ARRAY_SIZE(private_flags); i++) {
		ask_private(&r, pid, i);
		refused(&r, EBUSY, KNC_PMU_REASON_TASK_RDPMC);
		r.c.flags |= KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT;
		refused(&r, EBUSY, KNC_PMU_REASON_TASK_RDPMC);
		/* root may count everything of other tasks */
		ask_private(&r, 0, i);
		fd = open_session(&r);
		close(fd);
	}
	/* root may count events of this user that the user may see */
	ask_private(&r, pid, 0);
	r.e[0].flags = USR;
	check(config(open_device(), &r), 0);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
}

/* A privileged session on hardware threads: RDPMC reads the counter's raw value */
static void test_threads_session(void)
{
	unsigned long long before, after, count;
	struct request r;
	int fd = open_device();

	catch_denial();
	ask(&r, CPU, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	r.c.flags = RDPMC;
	check(config(fd, &r), 0);
	check_permitted(1);
	/*
	 * RDPMC reads any program's counts there. A child does not inherit the permission, because
	 * it may become another user.
	 */
	check_child(0);
	check_permitted(1);
	pin(CPU);
	check(start(fd), 0);
	before = rdpmc(0);
	loop(N);
	after = rdpmc(0);
	after = (after - before) & KNC_COUNTER_MASK;
	check(after > 2 * N && after < 2 * N + 50, 1);
	read_counts(fd, 1, &count);
	check(count >= 2 * N, 1);
	close(fd);
	check_permitted(0);
}

/* Beside perf */

/*
 * perf leaves event selects and counts in the registers until another driver takes the counters; a
 * test must leave nothing.
 */
static struct registers *before_perf;

static void begin_perf(void)
{
	unsigned int cpu;

	before_perf = calloc(nr_cpus(), sizeof(*before_perf));
	check(!before_perf, 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		get_registers(cpu, &before_perf[cpu]);
}

static void end_perf(void)
{
	unsigned int cpu;

	/* this session takes the counters from perf on all CPUs */
	close(task_session(0, 0, BRANCHES, USR));
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		put_registers(cpu, &before_perf[cpu]);
}

/* Check a few exact counts on each hardware thread */
static void read_everywhere(void)
{
	struct reader r;
	unsigned int cpu;

	init_reader(&r);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		pin(cpu);
		read_many(&r, 1000);
	}
	check_reader(&r, nr_cpus() * 1000);
	end_reader(&r);
}

/* perf.sh runs this test after each use of perf */
static void test_every_cpu(void)
{
	begin_perf();
	read_everywhere();
	end_perf();
}

/* A session on a hardware thread to which a process with the permission is switched */
static void test_beside_threads(void)
{
	unsigned long long before, after;
	unsigned int i;
	int hw, fd;

	begin_perf();
	hw = session(CPU, INSTRUCTIONS_EXECUTED, USR);
	check(start(hw), 0);
	fd = granting_one(1);
	check(start(fd), 0);
	for (i = 0; i < 5; i++) {
		pin(CPU);
		read_counts(hw, 1, &before);
		pin(CPU + 1);
		pin(CPU);
		loop(N);
		read_counts(hw, 1, &after);
		/* other programs run there too, but cause less than half a counter's range */
		check(after - before >= 2 * N, 1);
		check(after - before < 1ULL << 36, 1);
	}
	close(hw);
	close(fd);
	end_perf();
}

#define SETTING		"/sys/bus/event_source/devices/cpu/rdpmc"

/* Write perf's setting of RDPMC in sysfs; a kernel may lack perf */
static void put_setting(const char *value)
{
	int fd = open(SETTING, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		skip("no %s", SETTING);
	check(write(fd, value, 1), 1);
	close(fd);
}

static void refused_now(int pid, unsigned int flags)
{
	struct request r;
	int fd = open_device();

	ask_task(&r, pid, flags | RDPMC, 1);
	ask_event(&r, 0, BRANCHES, USR);
	check(config(fd, &r), -EOPNOTSUPP);
	check(r.c.reason, KNC_PMU_REASON_RDPMC_OFF);
	close(fd);
}

static void loop_for_ever(unsigned long n)
{
	for (;;)
		loop(n);
}

/* @p runs for a while, and is switched out. */
static void run_and_leave(const struct program *p)
{
	check(kill(p->pid, SIGCONT), 0);
	usleep(100000);
	check(kill(p->pid, SIGSTOP), 0);
	wait_state(p->pid, 'T');
}

static void check_empty_here(void)
{
	check(rdpmc(0), 0);
	check(rdpmc(1), 0);
}

/*
 * The counters of a task that was switched out keep their values only if no program can read them.
 */
static void test_left(void)
{
	struct registers regs;
	struct program p;
	struct request r;
	int fd, own;

	catch_denial();
	hold_call(&p, CPU, loop_for_ever, N);
	wait_held(&p);
	fd = open_device();
	ask_task(&r, p.pid, 0, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, BRANCHES, USR);
	check(config(fd, &r), 0);
	check(start(fd), 0);
	/*
	 * the program is reported as stopped before it is switched out: when this process runs on
	 * its CPU, the switch has happened
	 */
	pin(CPU);
	release(&p);
	run_and_leave(&p);
	get_registers(CPU, &regs);
	check(regs.perfcntr[0] != 0 && regs.perfcntr[1] != 0, 1);
	check(regs.global_ctrl, 0);
	/* when the permission begins the counters are cleared */
	own = granting(0, 0);
	check_empty_here();
	run_and_leave(&p);
	check_empty_here();
	close(own);
	check(is_permitted(), 0);
	/* a program without a session */
	put_setting("2");
	run_and_leave(&p);
	check(is_permitted(), 1);
	check_empty_here();
	put_setting("1");
	check(is_permitted(), 0);
	check(kill(p.pid, SIGKILL), 0);
	check(waitpid(p.pid, NULL, 0), p.pid);
	close(fd);
}

/* The administrator forbids RDPMC for every process: CONFIG reports it. */
static void test_off(void)
{
	struct program p;
	int fd;

	catch_denial();
	hold(&p, CPU, "readpmc", 10, 0);
	wait_held(&p);
	put_setting("0");
	refused_now(0, 0);
	refused_now(p.pid, ON_EXEC);
	check(ask_grants(NULL, 0), 0);
	check_permitted(0);
	/* a refused session does not keep the counters: perf gets them back */
	check(nr_sessions(), 0);
	put_setting("1");
	check_permitted(0);
	fd = granting(p.pid, ON_EXEC);
	check_permitted(0);
	close(fd);
	fd = granting(0, 0);
	check_permitted(1);
	close(fd);
	check_permitted(0);
}

/*
 * Does perf mark its counters (since 5.14)? The kernel clears marked counters for a process with
 * RDPMC.
 */
static int perf_leaves_marks(void)
{
	unsigned int a, b;
	struct utsname u;

	check(uname(&u), 0);
	if (sscanf(u.release, "%u.%u", &a, &b) != 2)
		fail("the release is '%s'", u.release);
	return a > 5 || (a == 5 && b >= 14);
}

/* Counters that were taken from perf while its setting was 0 may still be marked as dirty. */
static void test_off_before(void)
{
	int hw, fd;

	/* perf gets the counters, therefore the next session takes them over again */
	save_registers();
	check(perf_asks(), 0);
	put_back_registers();
	put_setting("0");
	hw = task_session(0, 0, BRANCHES, USR);
	put_setting("1");
	if (perf_leaves_marks())
		refused_now(0, 0);
	else
		close(granting_one(1));
	close(hw);
	fd = granting(0, 0);
	check_permitted(1);
	close(fd);
}

/* perf_open(), which skips the test on failure */
static int perf_counts(unsigned int code, int pid, int cpu)
{
	int fd = perf_open(code, pid, cpu);

	if (fd < 0)
		skip("perf does not count: %s", strerror(-fd));
	return fd;
}

/* Self-monitoring by perf: an event of this thread, and its page */
static int perf_event(void **page)
{
	int fd = perf_counts(INSTRUCTIONS_EXECUTED, 0, -1);

	*page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	check(*page == MAP_FAILED, 0);
	return fd;
}

/*
 * perf marks counters that it has used as dirty. At the next switch to a process with RDPMC the
 * kernel sets dirty counters to 0, even if a session uses them.
 */
static void mark_counters(void)
{
	unsigned int cpu;
	int fd[2];

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		fd[0] = perf_counts(INSTRUCTIONS_EXECUTED, -1, cpu);
		fd[1] = perf_counts(BRANCHES, -1, cpu);
		close(fd[0]);
		close(fd[1]);
	}
}

/* A session takes marked counters from perf. */
static void test_perf_marks(void)
{
	begin_perf();
	mark_counters();
	read_everywhere();
	end_perf();
}

/* Marked counters of a CPU that was offline when another session took the counters. */
static void test_perf_marks_online(void)
{
	struct reader r;
	pid_t pid;
	int fd;

	begin_perf();
	mark_counters();
	set_online(CPU + 1, 0);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	/* the session follows another task: its counters are free for this task */
	fd = task_session(pid, 0, BRANCHES, USR);
	set_online(CPU + 1, 1);
	pin(CPU);
	init_reader(&r);
	/* clearing a count of 0 loses nothing */
	read_many(&r, 1000);
	pin(CPU + 1);
	read_many(&r, 1000);
	check_reader(&r, 2000);
	end_reader(&r);
	close(fd);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
	end_perf();
}

/* Load the module again, without any session so far; false if it is built into the kernel */
static int load_again(void)
{
	const char *module = getenv("KNC_MODULE");
	char text[512];

	if (!module)
		return 0;
	snprintf(text, sizeof(text), "rmmod knc_pmu && insmod %s", module);
	check(system(text), 0);
	return 1;
}

static void end_perf_event(int fd, void *page)
{
	check(munmap(page, sysconf(_SC_PAGESIZE)), 0);
	close(fd);
}

/*
 * perf has a counter before the module's first session, which has to take over what perf left:
 * CONFIG is refused, and works as soon as perf has gone.
 */
static void test_perf_first(void)
{
	int perf, fd;
	struct request r;

	if (!load_again())
		skip("the module can't be loaded again");
	pin(CPU);
	perf = perf_open(INSTRUCTIONS_EXECUTED, 0, -1);
	check(perf >= 0, 1);
	fd = open_device();
	ask(&r, CPU, 1);
	ask_event(&r, 0, BRANCHES, USR);
	check(config(fd, &r), -EBUSY);
	check(r.c.reason, KNC_PMU_REASON_PMU_RESERVED);
	check(start(fd), -ENODATA);
	close(perf);
	check(config(fd, &r), 0);
	close(fd);
	put_registers(CPU, &zeros);
}

/* A child inherits a permission that perf gave its parent; perf does not take it away again */
static void be_perf_child(int told, int tell, int fresh)
{
	void *page;
	int fd;

	if (fresh)
		check(is_permitted(), 1);
	check(write(tell, "", 1), 1);
	wait_told(told);
	check_permitted(0);
	check_child(0);
	check(write(tell, "", 1), 1);
	wait_told(told);
	/* perf can withdraw the permission */
	fd = perf_event(&page);
	check_permitted(1);
	end_perf_event(fd, page);
	check_permitted(0);
	fd = perf_event(&page);
	check_permitted(1);
	end_perf_event(fd, page);
	_exit(0);
}

static void test_perf_fork(void)
{
	int to[2], from[2], fd, status, fresh;
	void *page;
	pid_t pid;

	begin_perf();
	fresh = load_again();
	catch_denial();
	check(pipe(to) | pipe(from), 0);
	fd = perf_event(&page);
	check_permitted(1);
	pid = fork();
	if (!pid) {
		close(fd);
		be_perf_child(to[0], from[1], fresh);
	}
	close(from[1]);
	wait_told(from[0]);
	end_perf_event(fd, page);
	check_permitted(0);
	fd = session(CPU, BRANCHES, USR);
	check(write(to[1], "", 1), 1);
	wait_told(from[0]);
	close(fd);
	check(write(to[1], "", 1), 1);
	check(waitpid(pid, &status, 0), pid);
	check(status, 0);
	end_perf();
}

/* A userfaultfd that blocks fork(): the fork waits until the test has read its event */
static int held_forks(void)
{
	struct uffdio_range page = { .len = sysconf(_SC_PAGESIZE) };

	page.start = (unsigned long)mmap(NULL, page.len, PROT_READ,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return watch_faults(UFFD_FEATURE_EVENT_FORK, page, UFFDIO_REGISTER_MODE_MISSING);
}

/**
 * struct forking - a process that is forking when its permission goes
 * @told: the process waits until it can read from this
 * @tell: the process writes to this when it is about to fork
 * @uffd: blocks its fork
 * @session: closed while the fork is blocked; -1: none
 */
struct forking {
	int told;
	int tell;
	int uffd;
	int session;
};

static void *other_thread(void *arg)
{
	struct forking *f = arg;
	struct uffd_msg msg;

	wait_told(f->told);
	if (f->session >= 0)
		close(f->session);
	check(write(f->tell, "", 1), 1);
	wait_told(f->told);
	check(read(f->uffd, &msg, sizeof(msg)), sizeof(msg));
	check(msg.event, UFFD_EVENT_FORK);
	return NULL;
}

static void be_forking(int told, int tell, int grants, int fresh)
{
	struct forking f = { told, tell, held_forks(), -1 };
	pthread_t thread;
	int status;
	pid_t pid;

	if (grants)
		f.session = granting(0, 0);
	if (grants || fresh)
		check(is_permitted(), 1);
	check(pthread_create(&thread, NULL, other_thread, &f), 0);
	check(write(tell, "", 1), 1);
	/*
	 * fork() with a shared table of files: descriptors that the parent closes are closed here
	 * too
	 */
	pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		check_permitted(0);
		_exit(0);
	}
	check(waitpid(pid, &status, 0), pid);
	pthread_join(thread, NULL);
	_exit(status != 0);
}

/*
 * The memory of a child is copied while its parent has the permission, by perf or by a session
 * (@grants). The parent loses the permission before the child exists. The module may have been
 * loaded anew by then.
 */
static void fork_meanwhile(int grants)
{
	int to[2], from[2], fd = -1, fresh = 0, hw, status;
	void *page;
	pid_t pid;

	catch_denial();
	close(held_forks());
	begin_perf();
	if (!grants)
		fresh = load_again();
	check(pipe(to) | pipe(from), 0);
	if (!grants)
		fd = perf_event(&page);
	pid = fork();
	if (!pid) {
		close(fd);
		be_forking(to[0], from[1], grants, fresh);
	}
	close(from[1]);
	wait_told(from[0]);
	wait_state(pid, 'D');
	if (!grants)
		end_perf_event(fd, page);
	check(write(to[1], "", 1), 1);
	wait_told(from[0]);
	if (grants)
		load_again();
	hw = session(CPU, BRANCHES, USR);
	check(write(to[1], "", 1), 1);
	check(waitpid(pid, &status, 0), pid);
	check(status, 0);
	close(hw);
	end_perf();
}

static void test_perf_forking(void)
{
	fork_meanwhile(0);
}

static void test_unload_forking(void)
{
	fork_meanwhile(1);
}

/* Each user's share of grants */

#define USER_PROCESSES	(KNC_PMU_MAX_USER_GRANTS / KNC_PMU_MAX_GRANTS)

static void become(unsigned int uid)
{
	check(setgroups(0, NULL), 0);
	check(setgid(device_group()), 0);
	check(setuid(uid), 0);
	/* allow it to follow its own processes */
	check(prctl(PR_SET_DUMPABLE, 1), 0);
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

/* One process with as many sessions as possible, and as many such processes as possible */
static void take_share(int tell)
{
	struct request r;
	unsigned int i;
	int status;
	pid_t pid;

	become(NOBODY);
	catch_denial();
	for (i = 0; i < KNC_PMU_MAX_GRANTS; i++) {
		ask_task(&r, sleeper(), RDPMC, 1);
		ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
		check(config(open_device(), &r), 0);
	}
	/* sleepers that started after a session inherited its permission */
	check(ask_grants(NULL, 0), KNC_PMU_MAX_GRANTS);
	for (i = 0; i < 2 * USER_PROCESSES; i++) {
		pid = fork();
		if (!pid && !is_permitted())
			_exit(1);
		if (!pid)
			for (;;)
				pause();
	}
	check(waitpid(-1, &status, 0) > 0, 1);
	check(status, 1 << 8);
	check(write(tell, "", 1), 1);
	pause();
}

/* Check CONFIG's answer to user @uid, in a process that has nothing of the other user */
static void expect_as(unsigned int uid, int result)
{
	struct request r;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (uid)
			become(uid);
		ask_task(&r, 0, RDPMC, 1);
		ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
		check(config(open_device(), &r), result);
		_exit(0);
	}
	check(waitpid(pid, &status, 0), pid);
	check(status, 0);
}

/* One user's grants leave enough for other users. */
static void test_share(void)
{
	int from[2];
	pid_t pid;

	check(pipe(from), 0);
	pid = fork();
	if (!pid)
		take_share(from[1]);
	close(from[1]);
	wait_told(from[0]);
	expect_as(NOBODY, -EDQUOT);
	expect_as(NOBODY - 1, 0);
	expect_as(0, 0);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0), pid);
}

/* Repeat until killed: open a session with a grant, read, close it */
static void granted_client(void)
{
	struct reader r;

	catch_denial();
	become_nobody(device_group());
	for (;;) {
		init_reader(&r);
		check(is_permitted(), 1);
		pin(random_below(4));
		read_many(&r, 1000);
		end_reader(&r);
	}
}

static void check_nothing_left(void)
{
	check(ask_grants(NULL, 0), 0);
	check_no_pce();
}

/* Kill at random moments: no process and no hardware thread keeps the permission. */
static void test_kill(void)
{
	kill_clients(KILLS, granted_client, check_nothing_left);
}

static const struct test tests[] = {
	{ "rdpmc.pinned", test_pinned },
	{ "rdpmc.migrating", test_migrating },
	{ "rdpmc.preempted", test_preempted },
	{ "rdpmc.wrap", test_wrap },
	{ "rdpmc.one-event", test_one_event },
	{ "rdpmc.times", test_times },
	{ "rdpmc.ends-with-close", test_ends_with_close },
	{ "rdpmc.beside", test_beside },
	{ "rdpmc.threads", test_threads },
	{ "rdpmc.fork-exec", test_fork_exec },
	{ "rdpmc.exec-self", test_exec_self },
	{ "rdpmc.on-exec", test_on_exec },
	{ "rdpmc.grants", test_grants },
	{ "rdpmc.busy", test_busy },
	{ "rdpmc.private", test_private },
	{ "rdpmc.threads-session", test_threads_session },
	{ "rdpmc.every-cpu", test_every_cpu },
	{ "rdpmc.beside-threads", test_beside_threads },
	{ "rdpmc.left", test_left },
	{ "rdpmc.off", test_off },
	{ "rdpmc.off-before", test_off_before },
	{ "rdpmc.perf-marks", test_perf_marks },
	{ "rdpmc.perf-marks-online", test_perf_marks_online },
	{ "rdpmc.perf-first", test_perf_first },
	{ "rdpmc.perf-fork", test_perf_fork },
	{ "rdpmc.perf-forking", test_perf_forking },
	{ "rdpmc.unload-forking", test_unload_forking },
	{ "rdpmc.share", test_share },
	{ "rdpmc.kill", test_kill },
};

static void be_probe(const char *how)
{
	rdpmc(0);
	rdpmc(1);
	if (!strcmp(how, "--again"))
		execl("/proc/self/exe", "rdpmc", "--probe", NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strncmp(argv[1], "--", 2))
		be_probe(argv[1]);
	return run_tests(tests, ARRAY_SIZE(tests), argv + !!argc);
}
