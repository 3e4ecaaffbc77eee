// SPDX-License-Identifier: GPL-2.0
/* Names and executable mappings that tasks have when the recording begins, from /proc */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <kernel-file.h>

#include "record/jit.h"
#include "record/proc.h"

#define COMM_SIZE	64
#define FNV_START	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

static __u64 hash(__u64 sum, const char *text)
{
	while (*text)
		sum = (sum ^ (unsigned char)*text++) * FNV_PRIME;
	return sum;
}

/* The name of a thread; "": it has ended */
static void read_comm(int pid, int tid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	kncpmu_read_line(path, name, size);
}

/* Read the lines of a thread's executable mappings, to be freed; NULL: the thread has ended */
static char *read_thread_maps(int pid, int tid)
{
	size_t size = 0, room = 0;
	char path[64], *line = NULL, *maps = NULL, *perms;
	FILE *in, *out;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/maps", pid, tid);
	in = fopen(path, "re");
	if (!in)
		return NULL;
	out = open_memstream(&maps, &size);
	while (out && getline(&line, &room, in) > 0) {
		perms = strchr(line, ' ');
		if (perms && strnlen(perms, 4) == 4 && perms[3] == 'x')
			fputs(line, out);
	}
	if (out)
		fclose(out);
	free(line);
	fclose(in);
	return maps;
}

/* Mappings of a process, from one of its threads that has some */
struct maps {
	int pid;
	char *lines;
};

static int find_maps(int tid, void *ctx)
{
	struct maps *m = ctx;

	free(m->lines);
	m->lines = read_thread_maps(m->pid, tid);
	return m->lines && m->lines[0];
}

/* Read a process' mappings from any of its threads, because the main thread may have ended first */
static char *read_maps(int pid)
{
	struct maps m = { .pid = pid, .lines = NULL };

	if (!find_maps(pid, &m))
		proc_threads(pid, find_maps, &m);
	return m.lines;
}

static void put_comm(struct sideband *sb, enum data_task_type type, int pid,
		     int tid, unsigned long long time, const char *name)
{
	struct data_comm comm = {
		.task.type = type,
		.task.pid = pid,
		.task.tid = tid,
		.task.time = time,
	};

	buffer_put(sb, &comm.task, sizeof(comm), name, COMM_SIZE);
}

int proc_own(void)
{
	static int own;
	int error = own ? 0 : kncpmu_proc_own();

	own = !error;
	return error;
}

int proc_threads(int pid, int (*fn)(int tid, void *ctx), void *ctx)
{
	struct dirent *entry;
	char path[32];
	int tid, ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = proc_own() ? NULL : opendir(path);
	while (!ret && dir && (entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid > 0)
			ret = fn(tid, ctx);
	}
	if (dir)
		closedir(dir);
	return ret;
}

int proc_of_thread(int tid)
{
	char path[32], line[256];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = proc_own() ? NULL : fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f) && sscanf(line, "Tgid: %d", &pid) != 1)
		;
	fclose(f);
	return pid;
}

/* A process whose threads are written to the data file; @hash: of their names */
struct threads {
	struct sideband *sb;
	int pid;
	unsigned long long time;
	__u64 hash;
};

static int hash_thread(int tid, void *ctx)
{
	struct threads *t = ctx;
	char name[COMM_SIZE];

	read_comm(t->pid, tid, name, sizeof(name));
	/* the hash must change if a name moves to another thread */
	t->hash = (hash(t->hash, name) ^ (unsigned int)tid) * FNV_PRIME;
	return 0;
}

static int put_thread(int tid, void *ctx)
{
	const struct threads *t = ctx;
	char name[COMM_SIZE];

	if (tid == t->pid)
		return 0;
	read_comm(t->pid, tid, name, sizeof(name));
	if (name[0])
		put_comm(t->sb, DATA_COMM, t->pid, tid, t->time, name);
	return 0;
}

/* Write a line of /proc/PID/maps as a record */
static void put_map(struct sideband *sb, int pid, unsigned long long time,
		    char *line)
{
	struct identified_mmap map = {
		.map = {
			.task.type = DATA_MMAP,
			.task.pid = pid,
			.task.tid = pid,
			.task.time = time,
		},
	};
	unsigned long long start, end, offset, inode;
	const char *name;
	int at = 0;

	if (sscanf(line, "%llx-%llx %*s %llx %*s %llu %n", &start, &end, &offset, &inode,
		   &at) < 4 || !at)
		return;
	map.map.start = start;
	map.map.length = end - start;
	map.map.offset = offset;
	name = line[at] ? line + at : "//anon";
	jit_note(pid, name);
	buffer_put_map(sb, &map, name, inode);
}

/* Write all @maps; cuts the text into lines */
static void put_maps(struct sideband *sb, int pid, unsigned long long time, char *maps)
{
	char *line;

	/* the last line may be incomplete: memory was exhausted, or the process ended */
	while ((line = strsep(&maps, "\n")))
		put_map(sb, pid, time, line);
}

/* Write the names of all threads but the first, if any name is new */
static void put_threads(struct sideband *sb, int pid, unsigned long long time, __u64 *last)
{
	struct threads threads = { .sb = sb, .pid = pid, .time = time, .hash = FNV_START };

	proc_threads(pid, hash_thread, &threads);
	if (threads.hash != *last)
		proc_threads(pid, put_thread, &threads);
	*last = threads.hash;
}

void proc_process(struct sideband *sb, int pid, unsigned long long time,
		  struct last_written *last)
{
	char name[COMM_SIZE], *maps;
	__u64 sum;
	int changed;

	if (proc_own())
		return;
	read_comm(pid, pid, name, sizeof(name));
	maps = read_maps(pid);
	if (!name[0] || !maps || (last->process && !maps[0])) {
		free(maps);
		return;
	}
	sum = hash(hash(FNV_START, name), maps);
	changed = sum != last->process;
	if (changed)
		put_comm(sb, last->process ? DATA_EXEC : DATA_COMM, pid, pid, time, name);
	put_threads(sb, pid, time, &last->threads);
	if (changed)
		put_maps(sb, pid, time, maps);
	last->process = sum;
	free(maps);
}
