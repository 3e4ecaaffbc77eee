// SPDX-License-Identifier: GPL-2.0
/*
 * A program to be recorded, not a test: its threads wait in known places
 *
 *	waits sleep	100 sleeps of 10 ms in known_path(), by two calls; prints their ns
 *	waits openmp	in ten parallel loops the last thread has 10 ms more to do than the others
 *	waits serial	serial_part() executes as much as each of three threads then do
 *	waits busy	two processes compute for half a second
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS	100
#define LOOPS	10
#define THREADS	3
#define SLEEP	10000000	/* ns */
#define TURNS	4000000		/* of a loop of two instructions */

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static __attribute__((__noipa__)) void sleep_once(void)
{
	const struct timespec span = { .tv_nsec = SLEEP };

	nanosleep(&span, NULL);
	/* no tail call */
	__asm__ volatile("");
}

static __attribute__((__noipa__)) void known_path(void)
{
	unsigned long long began = now_ns();
	unsigned int i;

	for (i = 0; i < SLEEPS; i++)
		sleep_once();
	printf("%llu\n", now_ns() - began);
}

static __attribute__((__noipa__)) void compute(unsigned long long ns)
{
	unsigned long long until = now_ns() + ns;

	while (now_ns() < until)
		;
}

static __attribute__((__noipa__)) void parallel(void)
{
	int i;

	for (i = 0; i < LOOPS; i++) {
#pragma omp parallel num_threads(THREADS)
		if (omp_get_thread_num() == THREADS - 1)
			sleep_once();
	}
}

static inline void turn(void)
{
	unsigned long n = TURNS;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (n) : : "cc");
}

static __attribute__((__noipa__)) void serial_part(void)
{
	turn();
}

static __attribute__((__noipa__)) void parallel_part(void)
{
	turn();
}

static void serial(void)
{
	serial_part();
#pragma omp parallel num_threads(THREADS)
	parallel_part();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "sleep")) {
		known_path();
	} else if (!strcmp(what, "openmp")) {
		parallel();
	} else if (!strcmp(what, "serial")) {
		serial();
	} else if (!strcmp(what, "busy")) {
		if (!fork()) {
			compute(SLEEPS / 2 * SLEEP);
			_exit(0);
		}
		compute(SLEEPS / 2 * SLEEP);
		wait(NULL);
	} else {
		return 1;
	}
	return 0;
}
