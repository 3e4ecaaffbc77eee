// SPDX-License-Identifier: GPL-2.0
/*
 * Measure what a command costs: cost FILE CMD...
 *
 * Writes to FILE the instructions of the command's first thread in user mode, those in the kernel,
 * and its peak memory in KB. The exit status is that of CMD.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib.h"

static char **words;

static void execute(unsigned long unused)
{
	(void)unused;
	execvp(words[0], words);
	_exit(127);
}

int main(int argc, char **argv)
{
	unsigned long long counts[2];
	struct rusage usage;
	struct program p;
	int status, fd = open_device();
	struct request r;
	FILE *f;

	if (argc < 3)
		return 2;
	words = argv + 2;
	hold_call(&p, ANY_CPU, execute, 0);
	ask_task(&r, p.pid, 0, 2);
	ask_event(&r, 0, INSTRUCTIONS_EXECUTED, USR);
	ask_event(&r, 1, INSTRUCTIONS_EXECUTED, OS);
	check(config(fd, &r), 0);
	check(start(fd), 0);
	release(&p);
	check(wait4(p.pid, &status, 0, &usage), p.pid);
	read_task(fd, 2, KNC_PMU_THREAD_ENDED, counts);
	f = fopen(argv[1], "w");
	if (!f)
		return 1;
	fprintf(f, "%llu %llu %ld\n", counts[0], counts[1], usage.ru_maxrss);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
