// SPDX-License-Identifier: GPL-2.0
/*
 * Records of context switches: why a task was switched out, at which place of its program, and for
 * how long; lost records, and refusals
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>

#include "ring.h"

#define CPU	1
#define SLEEPS	100
#define SLEEP	10000000ULL	/* ns */
#define TICK	10000000ULL	/* ns, on the kernel with the slowest tick */
#define SECOND	1000000000ULL
#define THREADS	3
#define PASSES	10
#define RING	(256 * 1024)	/* bytes for each hardware thread */

#define WHY	(KNC_PMU_SAMPLE_RUNNABLE | KNC_PMU_SAMPLE_BLOCKED)

/*
 * Times of one task in ns, between records: on and off the hardware threads. @there: those that
 * began in a system call from @caller
 */
struct times {
	__u32 tid;
	int here;
	unsigned long long first, last;
	unsigned long long on, off;
	unsigned long long outs, ins;
	unsigned long long why[4];
	unsigned long long there, waits_there;
	int is_there;
};

static struct times *times;
static unsigned long long caller;

static struct times *times_of(__u32 tid)
{
	unsigned int i;

	for (i = 0; times[i].tid && times[i].tid != tid; i++)
		check(i < THREADS, 1);
	times[i].tid = tid;
	return &times[i];
}

static int is_called(const struct knc_pmu_sample *s)
{
	const __u64 *chain = (const __u64 *)(s + 1);
	unsigned int i;

	for (i = 1; i < s->nr_user; i++) {
		if (chain[i] == caller)
			return 1;
	}
	return 0;
}

static void see_out(struct times *t, const struct knc_pmu_sample *s)
{
	check(s->period, 0);
	check(s->nr_kernel, 0);
	check(!!s->ip, s->nr_user > 0);
	if (t->outs + t->ins)
		check(t->here, 1);
	if (t->here)
		t->on += s->time - t->last;
	t->here = 0;
	t->outs++;
	t->why[(s->flags & WHY) / KNC_PMU_SAMPLE_RUNNABLE]++;
	t->is_there = is_called(s);
}

static void see_in(struct times *t, const struct knc_pmu_sample *s)
{
	check(s->ip, 0);
	check(s->nr_user + s->nr_kernel, 0);
	check(s->flags & WHY, 0);
	check(t->here, 0);
	/* the time off equals the time between the two records */
	check(s->period, t->outs ? s->time - t->last : 0);
	t->off += s->period;
	if (t->is_there) {
		t->there += s->period;
		t->waits_there++;
	}
	t->here = 1;
	t->ins++;
}

/* A record of one ring, or of several rings in the order of time */
static void see_switch(struct ring *ring, const struct knc_pmu_record *record)
{
	const struct knc_pmu_sample *s = (const void *)record;
	struct times *t;

	(void)ring;
	if (record->type != KNC_PMU_RECORD_SWITCH_OUT && record->type != KNC_PMU_RECORD_SWITCH_IN)
		return;
	check(s->event, 1);
	check(s->counter, 0);
	t = times_of(s->tid);
	/* times are those of CLOCK_MONOTONIC */
	check(s->time >= t->last && s->time <= now_ns(), 1);
	if (record->type == KNC_PMU_RECORD_SWITCH_OUT)
		see_out(t, s);
	else
		see_in(t, s);
	if (!t->first)
		t->first = s->time;
	t->last = s->time;
}

/* Follow @pid with one sampled event that makes hardly any samples */
static void ask_switches(struct request *r, int pid, unsigned int flags, unsigned int ring)
{
	static struct times all[THREADS + 2];

	times = all;
	ask_task(r, pid, flags, 1);
	r->c.ring_size = ring;
	ask_sample(r, 0, INSTRUCTIONS_EXECUTED, USR, KNC_PMU_MAX_PERIOD);
	r->c.flags |= KNC_PMU_CONFIG_SWITCHES | KNC_PMU_CONFIG_CHAIN_USER;
	r->c.max_frames = 16;
}

static int open_switches(struct request *r, struct ring *ring)
{
	int fd = open_device();

	memset(ring, 0, sizeof(*ring));
	ring->each = see_switch;
	check(config(fd, r), 0);
	map_ring(ring, fd, CPU, CPU, r->c.ring_size);
	return fd;
}

/* With a frame pointer: the second address of a chain is the caller of the system call */
#define FRAMED	__attribute__((__optimize__("no-omit-frame-pointer"), __noipa__))

static FRAMED long waits(long nr, const void *a, long b, long c)
{
	register long r10 asm("r10") = 0;
	long ret;

	caller = (unsigned long)__builtin_return_address(0);
	asm volatile("syscall" : "=a" (ret) : "a" (nr), "D" (a), "S" (b), "d" (c), "r" (r10)
		     : "rcx", "r11", "memory");
	return ret;
}

static FRAMED void sleeps(unsigned int nr)
{
	const struct timespec span = { .tv_nsec = SLEEP };

	while (nr--)
		waits(SYS_nanosleep, &span, 0, 0);
}

/* Was each sleep recorded? On a busy machine a sleep may end before the task is switched out */
static int sleep_there(void)
{
	unsigned long long began, took;
	struct request r;
	struct ring ring;
	struct times *t;
	int fd, all;

	ask_switches(&r, 0, 0, RING);
	fd = open_switches(&r, &ring);
	/* START and STOP included: a busy machine may delay these too */
	began = now_ns();
	check(start(fd), 0);
	sleeps(SLEEPS);
	check(stop(fd), 0);
	took = now_ns() - began;
	drain_ring(&ring);
	t = times_of(getpid());
	note("%llu ns off in %llu waits there, of %llu ns", t->there, t->waits_there, took);
	check(t->there <= took, 1);
	/* times on and off add up: the code between two sleeps does not count as waiting */
	check(t->on + t->off, t->last - t->first);
	check(t->last - t->first <= took, 1);
	check(ring.page->switches, t->outs + t->ins);
	check(ring.page->lost_switches, 0);
	all = t->waits_there == SLEEPS && t->why[0] >= SLEEPS && t->there + TICK >= SECOND;
	memset(t, 0, sizeof(*t));
	unmap_ring(&ring);
	close(fd);
	return all;
}

/* 100 sleeps of 10 ms are a second off, all with the right chain */
static void test_sleep(void)
{
	unsigned int tries;

	pin(CPU);
	for (tries = 0; tries < 5; tries++) {
		if (sleep_there())
			return;
	}
	fail("in %u tries not each sleep was a wait there", tries);
}

static void run_on(unsigned long n)
{
	unsigned long long until = now_ns() + n;

	while (now_ns() < until)
		;
}

/* Two programs share a hardware thread: neither waits, both are preempted */
static void test_preempted(void)
{
	struct program own, other;
	struct request r;
	struct ring ring;
	struct times *t;
	int fd;

	hold_call(&own, CPU, run_on, SECOND / 2);
	hold_call(&other, CPU, run_on, SECOND / 2);
	wait_held(&own);
	ask_switches(&r, own.pid, 0, RING);
	fd = open_switches(&r, &ring);
	check(start(fd), 0);
	release(&own);
	release(&other);
	finish(&own);
	finish(&other);
	check(stop(fd), 0);
	drain_ring(&ring);
	t = times_of(own.pid);
	note("%llu times preempted, %llu ns off", t->why[1], t->off);
	check(t->why[1] > 2, 1);
	/* the program may be blocked once at the start, by the pipe that holds it */
	check(t->why[0] <= 1, 1);
	check(t->why[2], 0);
	check(t->off > 0, 1);
	check(t->on + t->off, t->last - t->first);
	close(fd);
}

/* The parent of vfork() sleeps uninterruptibly until its child has ended */
static void test_blocked(void)
{
	const struct timespec span = { .tv_nsec = 3 * SLEEP };
	struct request r;
	struct ring ring;
	struct times *t;
	int fd, pid;

	pin(CPU);
	ask_switches(&r, 0, 0, RING);
	fd = open_switches(&r, &ring);
	check(start(fd), 0);
	pid = vfork();
	if (!pid) {
		syscall(SYS_nanosleep, &span, NULL);
		_exit(0);
	}
	check(stop(fd), 0);
	waitpid(pid, NULL, 0);
	drain_ring(&ring);
	t = times_of(getpid());
	check(t->why[2], 1);
	check(t->off >= 2 * SLEEP, 1);
	close(fd);
}

/* A barrier by a futex, as OpenMP's libraries have: the other threads wait for the slowest */
static int turn, arrived;

static FRAMED void barrier(void)
{
	int mine = __atomic_load_n(&turn, __ATOMIC_SEQ_CST);

	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == THREADS) {
		arrived = 0;
		__atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &turn, FUTEX_WAKE, THREADS, NULL, NULL, 0);
		return;
	}
	while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) == mine)
		waits(SYS_futex, &turn, FUTEX_WAIT, mine);
}

static void *team(void *slow)
{
	unsigned int i;

	pin(CPU);
	for (i = 0; i < PASSES; i++) {
		if (slow)
			usleep(SLEEP / 1000);
		barrier();
	}
	return NULL;
}

static void test_barrier(void)
{
	unsigned long long there = 0;
	pthread_t thread[THREADS - 1];
	unsigned int i, nr = 0;
	struct request r;
	struct ring ring;
	int fd;

	pin(CPU);
	ask_switches(&r, 0, KNC_PMU_CONFIG_INHERIT, RING);
	fd = open_switches(&r, &ring);
	check(start(fd), 0);
	for (i = 0; i < THREADS - 1; i++)
		check(pthread_create(&thread[i], NULL, team, NULL), 0);
	team(&turn);
	for (i = 0; i < THREADS - 1; i++)
		pthread_join(thread[i], NULL);
	check(stop(fd), 0);
	drain_ring(&ring);
	for (i = 0; i < THREADS; i++) {
		check(times[i].tid != 0, 1);
		check(times[i].on + times[i].off, times[i].last - times[i].first);
		if (times[i].tid == (__u32)getpid())
			continue;
		nr++;
		there += times[i].there;
	}
	note("%llu ns of %u threads in the barrier", there, nr);
	check(nr, THREADS - 1);
	/* the first iterations may end before a thread has begun */
	check(there >= nr * (PASSES - 2) * SLEEP * 9 / 10, 1);
	close(fd);
}

/* The ring is not read: lost records are counted, and records come again later */
static void test_lost(void)
{
	const struct timespec span = { .tv_nsec = SLEEP / 10 };
	struct request r;
	struct ring ring;
	unsigned int i;
	int fd;

	pin(CPU);
	ask_switches(&r, 0, 0, KNC_PMU_MIN_RING);
	fd = open_switches(&r, &ring);
	/* after a loss the times have gaps */
	ring.each = NULL;
	check(start(fd), 0);
	for (i = 0; i < SLEEPS; i++)
		nanosleep(&span, NULL);
	check(ring.page->lost_switches > 0, 1);
	check(read_ring(&ring) > 0, 1);
	check(ring.switches + ring.page->lost_switches, ring.page->switches);
	i = ring.switches;
	sleeps(2);
	check(stop(fd), 0);
	drain_ring(&ring);
	check(ring.switches > i, 1);
	check(ring.switches + ring.page->lost_switches, ring.page->switches);
	/* as in sleep_there(), some sleeps may end before the task was switched out */
	check(ring.page->switches >= SLEEPS, 1);
	check(ring.page->lost, 0);
	close(fd);
}

/* A stopped session records nothing, and counts no waiting time */
static void test_stopped(void)
{
	struct request r;
	struct ring ring;
	struct times *t;
	int fd;

	pin(CPU);
	ask_switches(&r, 0, 0, RING);
	fd = open_switches(&r, &ring);
	sleeps(2);
	check(start(fd), 0);
	sleeps(1);
	check(stop(fd), 0);
	sleeps(4);
	drain_ring(&ring);
	t = times_of(getpid());
	check(t->waits_there, 1);
	memset(t, 0, sizeof(*t));
	check(start(fd), 0);
	check(stop(fd), 0);
	drain_ring(&ring);
	/* another task may have preempted it; sleeps before START do not count */
	check(t->off < SLEEP, 1);
	if (!t->outs)
		check(t->off, 0);
	close(fd);
}

/* Commands of another session make no records; a session gets records only on request */
static void test_beside(void)
{
	struct request r, other;
	struct ring ring, without;
	struct times *t;
	unsigned int i;
	int fd, fd2;

	pin(CPU);
	ask_switches(&r, 0, 0, RING);
	r.e[0].counters = 1;
	fd = open_switches(&r, &ring);
	ask_switches(&other, 0, 0, RING);
	other.c.flags &= ~KNC_PMU_CONFIG_SWITCHES;
	other.e[0].counters = 2;
	fd2 = open_switches(&other, &without);
	check(start(fd), 0);
	for (i = 0; i < 50; i++) {
		check(start(fd2), 0);
		check(stop(fd2), 0);
	}
	check(start(fd2), 0);
	sleeps(3);
	check(stop(fd2), 0);
	check(stop(fd), 0);
	drain_ring(&ring);
	drain_ring(&without);
	t = times_of(getpid());
	check(t->waits_there, 3);
	check(t->why[0], 3);
	check(without.page->switches, 0);
	check(without.switches, 0);
	close(fd);
	close(fd2);
}

/* A user gets records only of the user's own tasks */
static void test_others(void)
{
	struct program other;
	struct request r;

	hold_call(&other, CPU, run_on, 1000);
	wait_held(&other);
	become_nobody(device_group());
	ask_switches(&r, other.pid, 0, KNC_PMU_MIN_RING);
	check(config(open_device(), &r), -EPERM);
	check(r.c.reason, KNC_PMU_REASON_TASK_DENIED);
	ask_switches(&r, 0, 0, KNC_PMU_MIN_RING);
	r.c.flags |= KNC_PMU_CONFIG_CHAIN_KERNEL;
	check(config(open_device(), &r), -EPERM);
	check(r.c.reason, KNC_PMU_REASON_PRIVILEGE);
	ask_switches(&r, 0, 0, KNC_PMU_MIN_RING);
	check(config(open_device(), &r), 0);
	kill(other.pid, SIGKILL);
}

static void test_refused(void)
{
	struct request r;

	ask(&r, CPU, 1);
	r.c.ring_size = RING;
	ask_sample(&r, 0, INSTRUCTIONS_EXECUTED, USR, KNC_PMU_MAX_PERIOD);
	r.c.flags = KNC_PMU_CONFIG_SWITCHES;
	check(config(open_device(), &r), -EINVAL);
	check(r.c.reason, KNC_PMU_REASON_TASK_FLAGS);
	ask_task(&r, 0, KNC_PMU_CONFIG_SWITCHES, 1);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	check(config(open_device(), &r), -EINVAL);
	check(r.c.reason, KNC_PMU_REASON_SWITCHES);
}

static const struct test tests[] = {
	{ "switches.sleep", test_sleep },
	{ "switches.preempted", test_preempted },
	{ "switches.blocked", test_blocked },
	{ "switches.barrier", test_barrier },
	{ "switches.lost", test_lost },
	{ "switches.stopped", test_stopped },
	{ "switches.beside", test_beside },
	{ "switches.others", test_others },
	{ "switches.refused", test_refused },
};

TEST_PROGRAM(tests)
