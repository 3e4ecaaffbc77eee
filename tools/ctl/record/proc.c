// SPDX-License-Identifier: GPL-2.0
/*
 * What tasks have when the recording begins: names and executable mappings, from
 * /proc; and the build ids of what they map
 */
#include <ctype.h>
#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "record/record.h"

#define COMM_SIZE	64
#define FNV_START	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL
#define CACHE_ROOM	512

/* A build id that was looked for; a hash by device and inode, chained */
struct cached {
	struct cached *next;
	dev_t dev;
	ino_t ino;
	unsigned int size;
	unsigned char id[BUILD_ID_SIZE];
};

static struct cached *cache[CACHE_ROOM];

void build_ids_free(void)
{
	struct cached *c, *next;
	unsigned int i;

	for (i = 0; i < CACHE_ROOM; i++) {
		for (c = cache[i]; c; c = next) {
			next = c->next;
			free(c);
		}
		cache[i] = NULL;
	}
}

static unsigned int read_build_id(int fd, unsigned char *id)
{
	const void *bytes;
	ssize_t size = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		size = dwelf_elf_gnu_build_id(elf, &bytes);
	if (size <= 0 || size > BUILD_ID_SIZE)
		size = 0;
	else
		memcpy(id, bytes, size);
	elf_end(elf);
	return size;
}

/* What is known of an open file, or what it says */
static const struct cached *look_up(int fd)
{
	struct cached *c, **head;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	head = &cache[(st.st_ino ^ st.st_dev) % CACHE_ROOM];
	for (c = *head; c; c = c->next) {
		if (c->dev == st.st_dev && c->ino == st.st_ino)
			return c;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->dev = st.st_dev;
	c->ino = st.st_ino;
	c->size = read_build_id(fd, c->id);
	c->next = *head;
	*head = c;
	return c;
}

unsigned int build_id(int pid, const char *path, unsigned char *id)
{
	const struct cached *c;
	char *root;
	int fd;

	/* [vdso], //anon */
	if (path[0] != '/' || path[1] == '/')
		return 0;
	/* a process may see other files than we do */
	if (asprintf(&root, "/proc/%d/root%s", pid, path) < 0)
		return 0;
	fd = open(root, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(root);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	c = look_up(fd);
	close(fd);
	if (!c)
		return 0;
	memcpy(id, c->id, c->size);
	return c->size;
}

static __u64 hash(__u64 sum, const char *text)
{
	while (*text)
		sum = (sum ^ (unsigned char)*text++) * FNV_PRIME;
	return sum;
}

/* The name of a thread; empty: it is gone */
static void read_comm(int pid, int tid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(name, size, f))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	fclose(f);
}

/* The lines of executable mappings of a process, to be freed; NULL: it is gone */
static char *read_maps(int pid)
{
	size_t size = 0, room = 0;
	char path[32], *line = NULL, *maps = NULL, *perms;
	FILE *in, *out;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	in = fopen(path, "re");
	if (!in)
		return NULL;
	out = open_memstream(&maps, &size);
	while (out && getline(&line, &room, in) > 0) {
		perms = strchr(line, ' ');
		if (perms && perms[3] == 'x')
			fputs(line, out);
	}
	if (out)
		fclose(out);
	free(line);
	fclose(in);
	return maps;
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

	sideband_put(sb, &comm.task, sizeof(comm), name, COMM_SIZE);
}

int proc_threads(int pid, int (*fn)(int tid, void *ctx), void *ctx)
{
	struct dirent *entry;
	char path[32];
	int tid, ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
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
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f) && sscanf(line, "Tgid: %d", &pid) != 1)
		;
	fclose(f);
	return pid;
}

/* A process whose threads are told */
struct threads {
	struct sideband *sb;
	int pid;
	unsigned long long time;
};

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

/* A line of /proc/PID/maps */
static void put_map(struct sideband *sb, int pid, unsigned long long time,
		    char *line)
{
	struct data_mmap map = {
		.task.type = DATA_MMAP,
		.task.pid = pid,
		.task.tid = pid,
		.task.time = time,
	};
	unsigned long long start, end, offset;
	const char *path;
	int at = 0;

	if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &offset, &at) < 3 ||
	    !at)
		return;
	path = line[at] ? line + at : "//anon";
	map.start = start;
	map.length = end - start;
	map.offset = offset;
	map.build_id_size = build_id(pid, path, map.build_id);
	sideband_put(sb, &map.task, sizeof(map), path, strlen(path));
}

__u64 proc_process(struct sideband *sb, int pid, unsigned long long time,
		   __u64 seen)
{
	struct threads threads = { .sb = sb, .pid = pid, .time = time };
	char name[COMM_SIZE], *maps, *line, *next;
	__u64 sum;

	read_comm(pid, pid, name, sizeof(name));
	maps = read_maps(pid);
	if (!name[0] || !maps || (seen && !maps[0])) {
		free(maps);
		return 0;
	}
	sum = hash(hash(FNV_START, name), maps);
	if (sum != seen) {
		put_comm(sb, seen ? DATA_EXEC : DATA_COMM, pid, pid, time, name);
		proc_threads(pid, put_thread, &threads);
		for (line = maps; *line; line = next) {
			next = strchr(line, '\n');
			*next++ = '\0';
			put_map(sb, pid, time, line);
		}
	}
	free(maps);
	return sum;
}

void proc_snapshot(struct sideband *sb)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int pid;

	if (!dir) {
		complain("warning: can't read /proc: %s; programs that run already will "
			 "have no names",
			 strerror(errno));
		return;
	}
	while ((entry = readdir(dir))) {
		pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
		if (pid > 0)
			sideband_look(sb, pid, 0);
	}
	closedir(dir);
	sideband_flush(sb);
}
