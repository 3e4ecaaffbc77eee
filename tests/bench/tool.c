// SPDX-License-Identifier: GPL-2.0
/*
 * Executed guest instructions and peak memory of a whole program
 *
 *	tool WHO NAME RUNS PROGRAM [ARGUMENT]...
 *
 * Prints "WHO NAME INSTRUCTIONS" and "WHO NAME.kb KILOBYTES". The instructions are those of the
 * process, and of all processes that it waits for, from fork to exit, including the kernel: the
 * scheduler's run time, one nanosecond for each instruction (knc-vm --icount). Waiting for the
 * host's file system does not count. Prints the minimum of all runs, the first of which fills the
 * page cache.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

static void execute(char **argv)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		_exit(127);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	execvp(argv[0], argv);
	_exit(127);
}

static long long microseconds(const struct timeval *t)
{
	return t->tv_sec * 1000000LL + t->tv_usec;
}

/* Instructions of one run, its peak memory in kB */
static long long run(char **argv, long *kb)
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		execute(argv);
	if (wait4(pid, &status, 0, &used) != pid)
		die("wait4");
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "%s: status %#x\n", argv[0], status);
		exit(1);
	}
	*kb = used.ru_maxrss;
	return 1000 * (microseconds(&used.ru_utime) + microseconds(&used.ru_stime));
}

int main(int argc, char **argv)
{
	long long least = ~0ULL >> 1, spent;
	long kb = 0, runs;
	char name[64];

	if (argc < 5) {
		fprintf(stderr, "Usage: %s WHO NAME RUNS PROGRAM [ARGUMENT]...\n", argv[0]);
		return 2;
	}
	for (runs = atol(argv[3]); runs > 0; runs--) {
		spent = run(argv + 4, &kb);
		if (spent < least)
			least = spent;
	}
	printf("%s %s %lld\n", argv[1], argv[2], least);
	snprintf(name, sizeof(name), "%s.kb", argv[2]);
	printf("%s %s %ld\n", argv[1], name, kb);
	return 0;
}
