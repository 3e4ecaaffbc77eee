// SPDX-License-Identifier: GPL-2.0
/* See measure.h */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define __noinline	__attribute((__noinline__))
#define LOOPS		1000	/* rounds of two instructions, one of which overflows */

static const char *who = "";

void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", who, what, strerror(errno));
	exit(1);
}

unsigned long long once(const char *what, long (*work)(void))
{
	unsigned long long t;
	long err;

	/* a call, even if the compiler knows what it does: it is subtracted */
	__asm__ volatile("" : "+r" (work));
	t = rdtsc();
	err = work();
	t = rdtsc() - t;
	if (err) {
		errno = -err;
		die(what);
	}
	return t;
}

static long work_nothing(void)
{
	return 0;
}

static unsigned long long smallest(const char *what, long (*work)(void), int runs)
{
	unsigned long long least = ~0ULL, t;

	while (runs--) {
		t = once(what, work);
		if (t < least)
			least = t;
	}
	return least;
}

unsigned long long cost(const char *what, long (*work)(void))
{
	return smallest(what, work, RUNS) - smallest("nothing", work_nothing, RUNS);
}

unsigned long long cost_of_few(const char *what, long (*work)(void))
{
	return smallest(what, work, FEW_RUNS) - smallest("nothing", work_nothing, RUNS);
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

long median(long *values, int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

void show(const char *name, int nr, long value)
{
	printf("%s ", who);
	printf(name, nr);
	printf(" %ld\n", value);
}

void show_refused(const char *name, int error)
{
	printf("%s %s refused %s\n", who, name, strerrorname_np(error));
}

const char *begin(int argc, char **argv)
{
	cpu_set_t first;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 3) {
		fprintf(stderr, "Usage: %s WHO PART\n", argv[0]);
		exit(2);
	}
	who = argv[1];
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		die("sched_setaffinity");
	return argv[2];
}

/* The loop, some functions deep, with frame pointers: a call chain has FRAMES addresses. */
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

long overflow_cost(const struct overflow *o)
{
	unsigned long long least[2] = { ~0ULL, ~0ULL };
	unsigned long long t, before;
	int i, hit;

	for (i = 0; i < 16 * RUNS; i++) {
		before = o->head();
		t = outer();
		hit = o->head() != before;
		if ((!hit || in_loop(o->address(before))) && t < least[hit])
			least[hit] = t;
	}
	if (least[1] == ~0ULL) {
		errno = ENODATA;
		die("no overflow in the loop");
	}
	return least[1] - least[0];
}

long rate_work(void)
{
	unsigned long long began = rdtsc();
	unsigned long n = RATE_WORK / 2;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (n));
	return rdtsc() - began;
}

pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

void stop_sleeper(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int to_other[2], from_other[2];

/* The other task sends each byte back. */
static pid_t start_other(void)
{
	pid_t pid;
	char c;

	if (pipe(to_other) || pipe(from_other))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid) {
		close(to_other[0]);
		close(from_other[1]);
		return pid;
	}
	close(to_other[1]);
	while (read(to_other[0], &c, 1) == 1 && write(from_other[1], &c, 1) == 1)
		;
	_exit(0);
}

static long work_round_trip(void)
{
	char c = 0;

	if (write(to_other[1], &c, 1) != 1 || read(from_other[0], &c, 1) != 1)
		return -EIO;
	return 0;
}

long round_trip(const char *what)
{
	pid_t other = start_other();
	long least = cost(what, work_round_trip);

	close(to_other[1]);
	close(from_other[0]);
	waitpid(other, NULL, 0);
	return least;
}

static void *sleep_forever(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

void start_threads(int nr)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	while (nr--) {
		errno = pthread_create(&thread, &attr, sleep_forever, NULL);
		if (errno)
			die("pthread_create");
	}
}
