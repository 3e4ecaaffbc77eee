// SPDX-License-Identifier: GPL-2.0
/*
 * A process with many sleeping threads, not a test; only the first thread works
 *
 *	sleepers NR
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib.h"

#define STACK		1024	/* of a thread that sleeps */
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static int sleep_forever(void *unused)
{
	for (;;)
		pause();
	return !unused;
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 0, i;
	char *stacks = mmap(NULL, nr * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	for (i = 0; stacks != MAP_FAILED && i < nr; i++)
		if (clone(sleep_forever, stacks + (i + 1) * STACK, THREAD_FLAGS, NULL) < 0)
			break;
	if (!nr || i < nr) {
		perror("sleepers");
		return 1;
	}
	puts("asleep");
	fflush(stdout);
	for (;;)
		loop(1000);
}
