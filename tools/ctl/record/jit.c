// SPDX-License-Identifier: GPL-2.0
/*
 * Names of code that recorded processes made at run time
 *
 * Such processes write /tmp/perf-PID.map, a text, or jit-PID.dump (perf's jitdump), which they also
 * map to announce its name. Both are read at the end of the recording, when they are complete.
 * Everybody may write such a file to /tmp, therefore its owner must be the user of the process.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <kernel-file.h>

#include "cli/file-id.h"
#include "record/jit.h"

#define JIT_ROOM	256
/* The most bytes read of a map, and the most functions of a dump */
#define MAX_MAP		(64UL << 20)
#define MAX_CODE	(1U << 20)
/* Tolerance in seconds: a file's time may be a tick behind, other clocks are cut to seconds */
#define CLOCKS_DIFFER	2

#define DUMP_MAGIC	0x4a695444
#define DUMP_TSC	1	/* bit of @flags: times are those of the time stamp counter */
#define DUMP_NAME	1024
#define RECORD_HEAD	16
#define LOADED_ROOM	4096

enum { DUMP_LOAD, DUMP_MOVE };

struct dump_header {
	__u32 magic;
	__u32 version;
	__u32 size;
	__u32 machine;
	__u32 reserved;
	__u32 pid;
	__u64 time;
	__u64 flags;
};

struct dump_record {
	__u32 type;
	__u32 size;
	__u64 time;
	__u32 pid;
	__u32 tid;
	__u64 vma;
	union {
		struct {
			__u64 start;
			__u64 length;
			__u64 index;
			char name[DUMP_NAME];
		} load;
		struct {
			__u64 from;
			__u64 to;
			__u64 length;
			__u64 index;
		} move;
	};
};

/**
 * struct jit - a process that may make code at run time; a chained hash by @pid
 * @next: the next one
 * @pid: its number
 * @inner: the same in its own pid namespace
 * @alive: it was there when its first mapping was seen: @uid and @began are known
 * @uid: its user
 * @began: when it was created, s since 1970
 * @dump: the path of its jitdump, to be freed; NULL: none
 */
struct jit {
	struct jit *next;
	int pid;
	int inner;
	int alive;
	uid_t uid;
	time_t began;
	char *dump;
};

static struct jit *jits[JIT_ROOM];

void jit_free(void)
{
	struct jit *j, *next;
	unsigned int i;

	for (i = 0; i < JIT_ROOM; i++) {
		for (j = jits[i]; j; j = next) {
			next = j->next;
			free(j->dump);
			free(j);
		}
		jits[i] = NULL;
	}
}

/* When a process was created, s since 1970; 0: it has ended */
static time_t creation(int pid)
{
	unsigned long long ticks;
	char text[512];
	const char *rest = kncpmu_proc_stat(pid, text, sizeof(text));

	if (!rest || sscanf(rest, "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			    "%*s %*s %*s %*s %llu", &ticks) != 1)
		return 0;
	/* /proc/uptime may be that of a container */
	return time(NULL) - kncpmu_boot_ns() / 1000000000 + ticks / sysconf(_SC_CLK_TCK);
}

/* Find the user of a process, and its number in its own pid namespace */
static void look_at(struct jit *j)
{
	char path[32], line[256];
	const char *last;
	FILE *f;

	j->inner = j->pid;
	if (kncpmu_proc_own())
		return;
	snprintf(path, sizeof(path), "/proc/%d/status", j->pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		last = strrchr(line, '\t');
		if (sscanf(line, "Uid: %*u %u", &j->uid) == 1)
			j->alive = 1;
		else if (!strncmp(line, "NSpid:", 6) && last)
			j->inner = atoi(last);
	}
	fclose(f);
	j->began = creation(j->pid);
}

static struct jit *get_jit(int pid)
{
	struct jit *j, **head = &jits[(unsigned int)pid % JIT_ROOM];

	for (j = *head; j; j = j->next) {
		if (j->pid == pid)
			return j;
	}
	j = calloc(1, sizeof(*j));
	if (!j)
		return NULL;
	j->pid = pid;
	look_at(j);
	j->next = *head;
	*head = j;
	return j;
}

/* Does the path look like a jitdump's? */
static int is_dump(const char *path)
{
	const char *name = strrchr(path, '/');
	int pid, end = 0;

	return name && sscanf(name, "/jit-%d.dump%n", &pid, &end) == 1 && end && !name[end];
}

void jit_note(int pid, const char *path)
{
	int dump = is_dump(path);
	struct jit *j;

	if (!dump && !is_made_at_run_time(path))
		return;
	j = get_jit(pid);
	if (j && dump && !j->dump)
		j->dump = strdup(path);
}

/* Does the file belong to the process' user, and is it not older than the process? */
static int is_good(const struct jit *j, const char *path, int fd, time_t recorded)
{
	uid_t owner = j->alive ? j->uid : geteuid();
	time_t began = j->began ? : recorded;
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	if (!S_ISREG(st.st_mode) || st.st_uid != owner) {
		complain("warning: %s does not belong to the user of process %d: code that "
			 "the process made at run time has no names", path, j->pid);
		return 0;
	}
	if (st.st_mtime + CLOCKS_DIFFER < began) {
		complain("warning: %s is older than process %d: code that the process made at "
			 "run time has no names; remove that file", path, j->pid);
		return 0;
	}
	return 1;
}

/* Open a file of the process; -1: it does not exist or can't be trusted */
static int open_own(const struct jit *j, const char *path, time_t recorded)
{
	int fd, flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
	char *inside;

	if (asprintf(&inside, "/proc/%d/root%s", j->pid, path) < 0)
		return -1;
	fd = kncpmu_proc_own() ? -1 : open(inside, flags);
	/* after the end of the process the path is valid here only if it was in no container */
	if (fd < 0 && j->inner == j->pid)
		fd = open(path, flags);
	if (fd >= 0 && !is_good(j, path, fd, recorded)) {
		close(fd);
		fd = -1;
	}
	free(inside);
	return fd;
}

static void put_code(struct sideband *sb, const struct jit *j, __u64 time, __u64 start,
		     __u64 length, const char *name)
{
	struct data_code code = {
		.task.type = DATA_CODE,
		.task.pid = j->pid,
		.task.tid = j->pid,
		.task.time = time,
		.start = start,
		.length = length,
	};

	if (length && start + length > start)
		buffer_put(sb, &code.task, sizeof(code), name, ~(size_t)0);
}

/* Parse "START SIZE NAME", where both numbers are hexadecimal */
static void take_line(struct sideband *sb, const struct jit *j, const char *line)
{
	unsigned long long start, length;
	char *end;

	start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return;
	line = end;
	length = strtoull(line, &end, 16);
	if (end != line && *end == ' ' && end[1])
		put_code(sb, j, 0, start, length, end + 1);
}

/* Read the whole file and append a zero byte; the caller frees it. NULL: out of memory */
static char *read_map(int fd)
{
	struct stat st;
	size_t size = 0, room;
	ssize_t n = 1;
	char *text;

	if (fstat(fd, &st))
		return NULL;
	room = st.st_size < (off_t)MAX_MAP ? st.st_size : (off_t)MAX_MAP;
	text = malloc(room + 1);
	while (text && size < room && n > 0) {
		n = read(fd, text + size, room - size);
		if (n > 0)
			size += n;
	}
	if (text)
		text[size] = '\0';
	return text;
}

/* Take only complete lines, because the process may be writing the next one */
static void take_map(struct sideband *sb, const struct jit *j, int fd)
{
	char *text = read_map(fd), *line, *end;

	for (line = text; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		take_line(sb, j, line);
	}
	free(text);
}

/**
 * struct loaded - code that a dump has reported; a chained hash by @index
 * @next: the next one
 * @index: the dump's number of it
 * @start: where it is now
 * @record: offset of its record in the file, which has the name
 */
struct loaded {
	struct loaded *next;
	__u64 index;
	__u64 start;
	off_t record;
};

/**
 * struct dump - a jitdump that is read
 * @j: its process
 * @fd: the file
 * @tsc: its times are of another clock than those of samples
 * @first: offset of the first record
 * @loaded: what was loaded before the present record; not filled before there is a move
 * @moves: there was one
 */
struct dump {
	const struct jit *j;
	int fd;
	int tsc;
	off_t first;
	struct loaded *loaded[LOADED_ROOM];
	int moves;
};

/* Read a record; returns how many of its bytes the file has, 0 at the end */
static size_t read_record(const struct dump *d, off_t at, struct dump_record *r)
{
	ssize_t n = pread(d->fd, r, sizeof(*r), at);

	if (n < RECORD_HEAD || r->size < RECORD_HEAD)
		return 0;
	return r->size < n ? r->size : n;
}

/*
 * Does a record of @bytes have a complete name? A record that is longer than the buffer is cut off
 */
static int has_name(struct dump_record *r, size_t bytes)
{
	const size_t head = (size_t)((const char *)r->load.name - (const char *)r);

	if (r->type != DUMP_LOAD || bytes <= head)
		return 0;
	if (bytes == sizeof(*r))
		((char *)r)[bytes - 1] = '\0';
	return !!memchr(r->load.name, '\0', bytes - head);
}

static void add_loaded(struct dump *d, const struct dump_record *r, off_t at)
{
	struct loaded *l = malloc(sizeof(*l)), **head = &d->loaded[r->load.index % LOADED_ROOM];

	if (!l)
		return;
	l->next = *head;
	l->index = r->load.index;
	l->start = r->load.start;
	l->record = at;
	*head = l;
}

/* At the first move, collect what was loaded before it */
static void add_earlier(struct dump *d, off_t end)
{
	struct dump_record r;
	size_t bytes;
	off_t at;

	for (at = d->first; at < end && (bytes = read_record(d, at, &r)); at += r.size) {
		if (has_name(&r, bytes))
			add_loaded(d, &r, at);
	}
	d->moves = 1;
}

/* Find the code that moves, by number and by place: some writers don't number code */
static struct loaded *find_loaded(struct dump *d, const struct dump_record *move)
{
	struct loaded *l = d->loaded[move->move.index % LOADED_ROOM];

	while (l && (l->index != move->move.index || l->start != move->move.from))
		l = l->next;
	return l;
}

/* Code has moved: end it at the old address, and give the new address its name from the load */
static void take_move(struct sideband *sb, struct dump *d, const struct dump_record *r, off_t at)
{
	const __u64 time = d->tsc ? 0 : r->time;
	struct dump_record load = { .type = DUMP_MOVE };
	struct loaded *l;

	if (!d->moves)
		add_earlier(d, at);
	l = find_loaded(d, r);
	/* without times it is unknown which samples are older than the move */
	if (l && (d->tsc || !has_name(&load, read_record(d, l->record, &load)) ||
		  load.load.length != r->move.length))
		l = NULL;
	put_code(sb, d->j, time, r->move.from, r->move.length, "");
	put_code(sb, d->j, time, r->move.to, r->move.length, l ? load.load.name : "");
	if (l)
		l->start = r->move.to;
}

/* Take a record. Those of source lines, of unwinding, and of future types have no function names */
static void take_dumped(struct sideband *sb, struct dump *d, struct dump_record *r, size_t bytes,
			off_t at)
{
	const size_t move = (size_t)((const char *)(&r->move + 1) - (const char *)r);

	if (has_name(r, bytes)) {
		put_code(sb, d->j, d->tsc ? 0 : r->time, r->load.start, r->load.length,
			 r->load.name);
		if (d->moves)
			add_loaded(d, r, at);
	} else if (r->type == DUMP_MOVE && bytes >= move) {
		take_move(sb, d, r, at);
	}
}

static void free_loaded(struct dump *d)
{
	struct loaded *l, *next;
	unsigned int i;

	for (i = 0; i < LOADED_ROOM; i++) {
		for (l = d->loaded[i]; l; l = next) {
			next = l->next;
			free(l);
		}
	}
}

static void take_dump(struct sideband *sb, const struct jit *j, int fd)
{
	static struct dump d;
	struct dump_record record;
	struct dump_header head;
	unsigned int i;
	size_t bytes;
	off_t at;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.magic != DUMP_MAGIC ||
	    (head.pid != (__u32)j->pid && head.pid != (__u32)j->inner)) {
		complain("warning: %s is no jitdump of process %d: code that the process made at "
			 "run time has no names", j->dump, j->pid);
		return;
	}
	memset(&d, 0, sizeof(d));
	d.j = j;
	d.fd = fd;
	d.tsc = head.flags & DUMP_TSC;
	d.first = head.size;
	for (at = d.first, i = 0; i < MAX_CODE && (bytes = read_record(&d, at, &record));
	     at += record.size, i++)
		take_dumped(sb, &d, &record, bytes, at);
	free_loaded(&d);
}

static void write_jit(struct sideband *sb, const struct jit *j, time_t recorded)
{
	char path[48];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", j->inner);
	fd = open_own(j, path, recorded);
	if (fd >= 0) {
		take_map(sb, j, fd);
		close(fd);
	}
	fd = j->dump ? open_own(j, j->dump, recorded) : -1;
	if (fd >= 0) {
		take_dump(sb, j, fd);
		close(fd);
	}
}

void jit_write(struct sideband *sb, time_t recorded)
{
	const struct jit *j;
	unsigned int i;

	for (i = 0; i < JIT_ROOM; i++) {
		for (j = jits[i]; j; j = j->next)
			write_jit(sb, j, recorded);
	}
	buffer_flush(sb);
}
