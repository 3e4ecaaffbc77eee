// SPDX-License-Identifier: GPL-2.0
/* Processes whose names and mappings are read from /proc, if perf_event_open() is refused */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <kernel-file.h>

#include "cli/clock.h"
#include "record/known.h"
#include "record/proc.h"

/**
 * struct known - a process that was read from /proc; a chained hash by pid
 * @next: the next one
 * @pid: its number
 * @round: the round in which it was last sampled
 * @rest: not to be read before, CLOCK_MONOTONIC
 * @last: what was last written of it
 */
struct known {
	struct known *next;
	int pid;
	unsigned int round;
	unsigned long long rest;
	struct last_written last;
};

#define KNOWN_ROOM	1024
/*
 * A look at tens of thousands of mappings may take a second. After one that took so long, ns,
 * there is a pause of so many times as long.
 */
#define LONG_LOOK	100000000ULL
#define REST_TIMES	4

void known_init(struct sideband *sb)
{
	sb->known = calloc(KNOWN_ROOM, sizeof(*sb->known));
}

void known_free(struct sideband *sb)
{
	struct known *k, *next;
	unsigned int i;

	for (i = 0; sb->known && i < KNOWN_ROOM; i++) {
		for (k = sb->known[i].next; k; k = next) {
			next = k->next;
			free(k);
		}
	}
	free(sb->known);
}

static struct known *find_known(struct sideband *sb, int pid)
{
	struct known *head = &sb->known[(unsigned int)pid % KNOWN_ROOM], *k;

	for (k = head->next; k; k = k->next) {
		if (k->pid == pid)
			return k;
	}
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->pid = pid;
	k->next = head->next;
	head->next = k;
	return k;
}

void known_look(struct sideband *sb, int pid, unsigned long long time)
{
	struct known *k = sb->known ? find_known(sb, pid) : NULL;
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

	if (!sb->known || !pid)
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
