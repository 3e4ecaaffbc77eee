// SPDX-License-Identifier: GPL-2.0
/* The cost of a piece of work, by RDTSC before and after it */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.h"

#define __noinline	__attribute((__noinline__))
#define LOOPS		1000	/* iterations of two instructions; one of them overflows */
#define TRIES		(16 * RUNS)	/* most runs of the loop; fewer if enough overflowed */

static unsigned long long limit;

void measure_limit(unsigned long long ticks)
{
	limit = ticks;
}

static int time_is_up(unsigned long long began)
{
	return limit && rdtsc() - began > limit;
}

int measure_once(long (*work)(void), unsigned long long *ticks)
{
	unsigned long long t;
	long err;

	/* keep work() out of line, because the cost of a call is subtracted from the result */
	__asm__ volatile("" : "+r" (work));
	t = rdtsc();
	err = work();
	*ticks = rdtsc() - t;
	return err;
}

static int compare(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;

	return (x > y) - (x < y);
}

/* Minimum and median of @runs, one at least; sorts @ticks */
static void summarize(unsigned long long *ticks, unsigned int runs, struct cost *cost)
{
	qsort(ticks, runs, sizeof(*ticks), compare);
	cost->least = ticks[0];
	cost->median = ticks[runs / 2];
	cost->runs = runs;
}

static int measure_raw(long (*work)(void), unsigned int runs, struct cost *cost)
{
	unsigned long long ticks[RUNS], began = rdtsc();
	unsigned int nr = 0;
	int err;

	do {
		err = measure_once(work, &ticks[nr++]);
		if (err)
			return err;
	} while (nr < runs && !time_is_up(began));
	summarize(ticks, nr, cost);
	return 0;
}

static long work_nothing(void)
{
	return 0;
}

int measure(long (*work)(void), unsigned int runs, struct cost *cost)
{
	struct cost nothing;
	int err = measure_raw(work, runs, cost);

	if (err)
		return err;
	measure_raw(work_nothing, RUNS, &nothing);
	cost->least -= nothing.least;
	cost->median -= nothing.median;
	return 0;
}

/*
 * loop_begin is called through functions with frame pointers: the call chain has FRAMES addresses
 */
extern char loop_begin[], loop_end[];

static __noinline unsigned long long leaf(void)
{
	unsigned long long began = rdtsc();
	unsigned long n = LOOPS;

	__asm__ volatile(".globl loop_begin, loop_end\n"
			 "loop_begin:\n"
			 "1: dec %0\n\tjnz 1b\n"
			 "loop_end:" : "+r" (n));
	return rdtsc() - began;
}

static __noinline unsigned long long middle(void)
{
	unsigned long long t = leaf();

	__asm__ volatile("" : "+r" (t)); /* no tail call */
	return t;
}

static __noinline unsigned long long outer(void)
{
	unsigned long long t = middle();

	__asm__ volatile("" : "+r" (t));
	return t;
}

/* Did the interrupt come after the first RDTSC of leaf() and before the second? */
static int in_loop(unsigned long address)
{
	return address > (unsigned long)loop_begin && address <= (unsigned long)loop_end;
}

__noinline int measure_overflow(const struct overflow *o, struct cost *cost)
{
	static unsigned long long ticks[2][TRIES];
	unsigned int nr[2] = { 0, 0 }, i, hit;
	unsigned long long t, before, began = rdtsc();
	struct cost without;

	for (i = 0; i < TRIES && !time_is_up(began); i++) {
		before = o->head();
		t = outer();
		hit = o->head() != before;
		if (!hit || in_loop(o->address(before)))
			ticks[hit][nr[hit]++] = t;
		if (hit && o->done)
			o->done();
	}
	if (!nr[0] || !nr[1])
		return -ENODATA;
	summarize(ticks[0], nr[0], &without);
	summarize(ticks[1], nr[1], cost);
	cost->least -= without.least;
	cost->median -= without.median;
	return 0;
}

/* fork(), with a child that does not outlive its parent */
static pid_t fork_bound(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
	}
	return pid;
}

pid_t start_sleeper(void)
{
	pid_t pid = fork_bound();

	if (!pid) {
		for (;;)
			pause();
	}
	return pid;
}

void stop_sleeper(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int to_other[2], from_other[2];

/* Start the other task, which sends each byte back */
static pid_t start_other(void)
{
	pid_t pid;
	char c;

	if (pipe(to_other))
		return -errno;
	pid = pipe(from_other) ? -errno : fork_bound();
	if (!pid) {
		close(to_other[1]);
		while (read(to_other[0], &c, 1) == 1 && write(from_other[1], &c, 1) == 1)
			;
		_exit(0);
	}
	return pid;
}

static long work_round_trip(void)
{
	char c = 0;

	if (write(to_other[1], &c, 1) != 1 || read(from_other[0], &c, 1) != 1)
		return -EIO;
	return 0;
}

int measure_round_trip(struct cost *cost)
{
	pid_t other = start_other();
	int err;

	if (other < 0)
		return other;
	close(to_other[0]);
	close(from_other[1]);
	err = measure(work_round_trip, RUNS, cost);
	close(to_other[1]);
	close(from_other[0]);
	waitpid(other, NULL, 0);
	return err;
}
