// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose samples are hard to name, not a test: the first thread has ended while another
 * one works; nearly all time is spent in the vdso
 *
 *	strange leaderless | vdso
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "lib.h"

/* Its name is looked for in reports. */
void *strange_work(void *unused);

__attribute__((noinline)) void *strange_work(void *unused)
{
	(void)unused;
	for (;;)
		loop(1000);
	return NULL;
}

static int leaderless(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, strange_work, NULL))
		return 1;
	pthread_exit(NULL);
}

static int vdso(void)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	} while (now.tv_nsec != -1);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "leaderless"))
		return leaderless();
	if (argc == 2 && !strcmp(argv[1], "vdso"))
		return vdso();
	return 2;
}
