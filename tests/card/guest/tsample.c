// SPDX-License-Identifier: GPL-2.0
/*
 * A program to be recorded, not a test: it spends 60, 30 and 10 percent of its instructions in
 * three functions, and migrates to the next hardware thread all the time
 *
 *	tsample ROUNDS [forks N | threads N]	the same, N times in parallel
 *	tsample SECONDS late			on any hardware thread; then for the same time
 *						in a thread that sets its name
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "phases.h"

#define MAX_THREADS	256

static unsigned long rounds;
static long cpus;

static void roam(unsigned long first)
{
	unsigned long i;
	cpu_set_t set;

	for (i = 0; i < rounds; i++) {
		CPU_ZERO(&set);
		CPU_SET((first + i) % cpus, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			exit(2);
		step();
	}
}

static void *roam_thread(void *first)
{
	roam((unsigned long)first);
	return NULL;
}

static int fork_all(unsigned long n)
{
	unsigned long i;
	int status, failed = 0;
	pid_t pid;

	for (i = 0; i < n; i++) {
		pid = fork();
		if (pid < 0)
			return 1;
		if (!pid) {
			roam(i);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}

static int thread_all(unsigned long n)
{
	pthread_t threads[MAX_THREADS];
	unsigned long i;

	for (i = 0; i < n; i++) {
		if (pthread_create(&threads[i], NULL, roam_thread, (void *)i))
			return 1;
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void *step_for(void *seconds)
{
	time_t end = time(NULL) + *(unsigned long *)seconds;

	while (time(NULL) < end)
		step();
	return NULL;
}

static void *late_thread(void *seconds)
{
	prctl(PR_SET_NAME, "tsample-late");
	return step_for(seconds);
}

static int late(unsigned long seconds)
{
	pthread_t thread;

	step_for(&seconds);
	return pthread_create(&thread, NULL, late_thread, &seconds) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	if (argc < 2 || n > MAX_THREADS)
		return 2;
	rounds = strtoul(argv[1], NULL, 10);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (argc == 2)
		roam(0);
	else if (!strcmp(argv[2], "late"))
		return late(rounds);
	else if (!strcmp(argv[2], "forks"))
		return fork_all(n);
	else
		return thread_all(n);
	return 0;
}
