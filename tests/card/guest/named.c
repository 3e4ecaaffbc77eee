// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose names must never reach a terminal, not a test: "hold" has a session with both
 * counters of all hardware threads, "run" has a thread that runs
 *
 *	named hold NAME
 *	named run NAME
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib.h"

static void count(void)
{
	static struct request r;
	long cpu, nr = sysconf(_SC_NPROCESSORS_ONLN);
	int fd = open_device();

	ask(&r, 0, 2);
	for (cpu = 1; cpu < nr; cpu++)
		ask_cpu(&r, cpu);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR | OS);
	ask_event(&r, 1, BRANCHES, USR | OS);
	check(config(fd, &r), 0);
	check(start(fd), 0);
	/* tells the script that the session is there */
	puts("holds");
	fflush(stdout);
	while (1)
		pause();
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	prctl(PR_SET_NAME, argv[2]);
	if (!strcmp(argv[1], "hold"))
		count();
	puts("runs");
	fflush(stdout);
	while (1)
		__asm__ volatile("" : : : "memory");
}
