// SPDX-License-Identifier: GPL-2.0
/*
 * A program to be recorded, not a test: its threads wait in known places
 *
 *	waits sleep	100 sleeps of 10 ms in known_path(), by two calls; prints their ns
 *	waits openmp	in ten parallel loops the last thread has 10 ms more to do than the others
 *	waits serial	serial_part() executes as much as each of three threads then do
 *	waits busy	two processes compute for half a second
 *	waits threads	two threads compute on one hardware thread, one sleeps, and the first waits
 *			for a child of vfork(); prints of each its number, its name, and by its own
 *			clocks the ns since it began, and those on a hardware thread
 */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS	100
#define LOOPS	10
#define THREADS	3
#define SLEEP	10000000	/* ns */
#define TURNS	4000000		/* of a loop of two instructions */

static unsigned long long clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static unsigned long long now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
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

struct times {
	unsigned long long there;
	unsigned long long running;
};

static struct times times_now(void)
{
	struct times now = { now_ns(), clock_ns(CLOCK_THREAD_CPUTIME_ID) };

	return now;
}

static void say_times(const char *name, struct times began)
{
	struct times now = times_now();

	printf("%ld %s %llu %llu\n", syscall(SYS_gettid), name, now.there - began.there,
	       now.running - began.running);
	fflush(stdout);
}

static void *busy_thread(void *name)
{
	struct times began = times_now();
	cpu_set_t cpu;

	pthread_setname_np(pthread_self(), name);
	CPU_ZERO(&cpu);
	CPU_SET(1, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	compute(SLEEPS / 2 * SLEEP);
	say_times(name, began);
	return NULL;
}

static void *sleeping_thread(void *name)
{
	struct times began = times_now();
	unsigned int i;

	pthread_setname_np(pthread_self(), name);
	for (i = 0; i < SLEEPS / 4; i++)
		sleep_once();
	say_times(name, began);
	return NULL;
}

/* A process in vfork() can't be woken by a signal that it handles */
static __attribute__((__noipa__)) void wait_for_child(void)
{
	unsigned int i;
	pid_t child = vfork();

	if (!child) {
		for (i = 0; i < SLEEPS / 4; i++)
			sleep_once();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void threads(void)
{
	struct times began = times_now();
	pthread_t thread[3];
	unsigned int i;

	pthread_create(&thread[0], NULL, busy_thread, "busy-a");
	pthread_create(&thread[1], NULL, busy_thread, "busy-b");
	pthread_create(&thread[2], NULL, sleeping_thread, "sleeper");
	wait_for_child();
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	say_times("waits", began);
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
	} else if (!strcmp(what, "threads")) {
		threads();
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
