// SPDX-License-Identifier: GPL-2.0
/* Processes whose names and mappings are read from /proc, if perf_event_open() is refused */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <kernel-file.h>

#include "cli/clock.h"
#include "record/known.h"
#include "record/proc.h"

/**
 * struct known - a process that was read from /proc; a tree by pid
 * @pid: its number
 * @round: the round in which it was last sampled
 * @rest: do not read it before this time, CLOCK_MONOTONIC
 * @last: what was last written of it
 */
struct known {
	int pid;
	unsigned int round;
	unsigned long long rest;
	struct last_written last;
};

/*
 * Reading tens of thousands of mappings may take a second. After a reading that took LONG_LOOK ns
 * or more the process is left alone for REST_TIMES as long.
 */
#define LONG_LOOK	100000000ULL
#define REST_TIMES	4

static int compare_pids(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

void known_free(struct sideband *sb)
{
	tdestroy(sb->known, free);
}

static struct known *find_known(struct sideband *sb, int pid)
{
	struct known wanted = { .pid = pid }, *k;
	struct known **found = tfind(&wanted, &sb->known, compare_pids);

	if (found)
		return *found;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->pid = pid;
	if (!tsearch(k, &sb->known, compare_pids)) {
		free(k);
		return NULL;
	}
	return k;
}

void known_look(struct sideband *sb, int pid, unsigned long long time)
{
	struct known *k = sb->nr_rings ? NULL : find_known(sb, pid);
	struct last_written nothing = { 0, 0 };
	unsigned long long began = now_ns(), ended;

	proc_process(sb, pid, time, k ? &k->last : &nothing);
	ended = now_ns();
	if (k && ended - began > LONG_LOOK)
		k->rest = ended + REST_TIMES * (ended - began);
}

void known_sampled(struct sideband *sb, int pid, unsigned long long time)
{
	struct known *k;

	if (sb->nr_rings || !pid)
		return;
	k = find_known(sb, pid);
	if (!k || k->round == sb->round + 1)
		return;
	k->round = sb->round + 1;
	if (now_ns() >= k->rest)
		known_look(sb, pid, time);
}

int known_check(void)
{
	int error = proc_own();

	if (error)
		complain("warning: can't read /proc: %s; programs that already run will "
			 "have no names", kncpmu_kernel_why("/proc", error));
	return error;
}

void known_scan(struct sideband *sb)
{
	struct dirent *entry;
	DIR *dir = known_check() ? NULL : opendir("/proc");
	int pid;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
		if (pid > 0)
			known_look(sb, pid, 0);
	}
	closedir(dir);
	buffer_flush(sb);
}
