// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose samples are hard to name, not a test: the first thread has ended while another
 * one works; nearly all time is spent in the vdso
 *
 *	strange leaderless | vdso [CALLS]
 */
#include <pthread.h>
#include <stdlib.h>
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

/* @calls 0: without end */
static int vdso(unsigned long calls)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	} while (--calls);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "leaderless"))
		return leaderless();
	if (argc >= 2 && !strcmp(argv[1], "vdso"))
		return vdso(argc == 3 ? strtoul(argv[2], NULL, 0) : 0);
	return 2;
}
