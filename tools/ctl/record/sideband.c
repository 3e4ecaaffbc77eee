// SPDX-License-Identifier: GPL-2.0
/*
 * What tasks do while they are sampled: exec, mmap, fork, exit, new names
 *
 * The kernel tells through a software event that counts nothing and touches no
 * counter, on all CPUs: a task that is sampled here may have been born and have
 * mapped its libraries over there. Of a program that is followed it tells those who
 * may follow it, what others do is left out. Where the kernel does not let us
 * listen, /proc is asked about each process that samples show.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/array.h"
#include "cli/clock.h"
#include "cli/cpus.h"
#include "record/record.h"

/* This program may stand still for seconds while others go on; not all may have so much */
#define MOST_RING	(256U << 10)
#define LEAST_RING	(64U << 10)
#define MAX_RECORD	(64U << 10)
#define BUFFER_SIZE	(256U << 10)
#define LISTEN_TURNS	10
#define MAX_NAME	4096

/*
 * struct perf_event_attr as of Linux 4.1 and its flags, which the headers of
 * older systems lack
 */
struct listen_attr {
	__u32 type;
	__u32 size;
	__u64 config;
	__u64 sample_period;
	__u64 sample_type;
	__u64 read_format;
	__u64 flags;
	__u32 wakeup_watermark;
	__u32 bp_type;
	__u64 reserved[4];
	__u32 sample_stack_user;
	__s32 clockid;
};

#define FLAG_INHERIT		(1ULL << 1)
#define FLAG_EXCLUDE_KERNEL	(1ULL << 5)
#define FLAG_MMAP		(1ULL << 8)
#define FLAG_COMM		(1ULL << 9)
#define FLAG_TASK		(1ULL << 13)
#define FLAG_WATERMARK		(1ULL << 14)
#define FLAG_SAMPLE_ID_ALL	(1ULL << 18)
#define FLAG_MMAP2		(1ULL << 23)
#define FLAG_COMM_EXEC		(1ULL << 24)
#define FLAG_USE_CLOCKID	(1ULL << 25)
#define FLAG_BUILD_ID		(1ULL << 34)

#define FLAGS_2_6_38	(FLAG_EXCLUDE_KERNEL | FLAG_MMAP | FLAG_COMM | FLAG_TASK | \
			 FLAG_WATERMARK | FLAG_SAMPLE_ID_ALL)
#define FLAGS_3_16	(FLAGS_2_6_38 | FLAG_MMAP2 | FLAG_COMM_EXEC)
#define FLAGS_4_1	(FLAGS_3_16 | FLAG_USE_CLOCKID)
#define FLAGS_5_12	(FLAGS_4_1 | FLAG_BUILD_ID)

#define CONFIG_EMULATION_FAULTS	8	/* none on x86 */
#define CONFIG_DUMMY		9

/* What kernels know, the latest first */
static const struct {
	__u64 flags;
	__u64 config;
} levels[] = {
	{ FLAGS_5_12, CONFIG_DUMMY },
	{ FLAGS_4_1, CONFIG_DUMMY },
	{ FLAGS_3_16, CONFIG_DUMMY },
	{ FLAGS_2_6_38, CONFIG_EMULATION_FAULTS },
};

#define RECORD_MMAP2		10
#define MISC_COMM_EXEC		(1U << 13)
#define MISC_MMAP_BUILD_ID	(1U << 14)

/**
 * struct perf_ring - what the kernel tells of a CPU
 * @fd: the event
 * @cpu: the CPU
 * @page: its memory
 * @data: records in there
 * @size: bytes of them
 * @tail: bytes read
 */
struct perf_ring {
	int fd;
	int cpu;
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;
	__u64 tail;
};

/* A record of the kernel, in one piece. All have the time at their end */
struct perf_record {
	struct perf_event_header header;
	union {
		struct {
			__u32 pid, tid;
			char name[MAX_RECORD - 16];
		} comm;
		struct {
			__u32 pid, ppid, tid, ptid;
		} fork;
		struct {
			__u32 pid, tid;
			__u64 start, length, offset;
			char name[MAX_RECORD - 40];
		} mmap;
		struct {
			__u32 pid, tid;
			__u64 start, length, offset;
			__u8 id_size, reserved[3], id[20];
			__u32 prot, flags;
			char name[MAX_RECORD - 72];
		} mmap2;
		struct {
			__u64 id, number;
		} lost;
	};
};

/* Processes that /proc was asked for, a hash by pid; chained */
struct known {
	struct known *next;
	int pid;
	unsigned int turn;
	__u64 seen;
};

#define KNOWN_ROOM	1024

int sideband_init(struct sideband *sb, struct data_writer *file)
{
	memset(sb, 0, sizeof(*sb));
	sb->file = file;
	sb->room = BUFFER_SIZE;
	sb->buffer = malloc(sb->room);
	return sb->buffer ? 0 : complain("out of memory");
}

static size_t ring_bytes(const struct sideband *sb)
{
	return sysconf(_SC_PAGESIZE) + sb->ring_size;
}

static void stop_listening(struct sideband *sb)
{
	unsigned int i;

	for (i = 0; i < sb->nr_rings; i++) {
		munmap(sb->rings[i].page, ring_bytes(sb));
		close(sb->rings[i].fd);
	}
	sb->nr_rings = 0;
	free(sb->rings);
	sb->rings = NULL;
	for (i = 0; i < sb->nr_more; i++)
		close(sb->more[i]);
	sb->nr_more = 0;
	free(sb->more);
	sb->more = NULL;
}

static void forget_known(struct sideband *sb)
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

void sideband_free(struct sideband *sb)
{
	stop_listening(sb);
	forget_known(sb);
	free(sb->buffer);
	build_ids_free();
}

/* Bytes of the records that go into one chunk: all of them, hardly ever less */
static size_t one_chunk(const unsigned char *records, size_t size)
{
	const struct data_task *task;
	size_t at = 0;

	if (size <= DATA_MAX_CHUNK)
		return size;
	do {
		task = (const struct data_task *)(records + at);
		at += task->size;
	} while (at < DATA_MAX_CHUNK / 2);
	return at;
}

void sideband_flush(struct sideband *sb)
{
	size_t at, size;

	if (sb->hold)
		return;
	for (at = 0; at < sb->used; at += size) {
		size = one_chunk(sb->buffer + at, sb->used - at);
		writer_put(sb->file, DATA_TASKS, NULL, 0, sb->buffer + at, size);
	}
	sb->used = 0;
}

/* Without memory the record is missing */
static int make_room(struct sideband *sb, size_t bytes)
{
	unsigned char *more;

	if (sb->used + bytes > BUFFER_SIZE)
		sideband_flush(sb);
	if (sb->used + bytes <= sb->room)
		return 0;
	more = realloc(sb->buffer, 2 * sb->room);
	if (!more)
		return -1;
	sb->buffer = more;
	sb->room *= 2;
	return 0;
}

void sideband_put(struct sideband *sb, struct data_task *task, size_t fixed,
		  const char *text, size_t size)
{
	size_t len = text ? strnlen(text, size < MAX_NAME ? size : MAX_NAME) : 0;
	size_t bytes = fixed + (text ? (len + 8) & ~7UL : 0);

	if (make_room(sb, bytes))
		return;
	task->size = bytes;
	memset(sb->buffer + sb->used, 0, bytes);
	memcpy(sb->buffer + sb->used, task, fixed);
	memcpy(sb->buffer + sb->used + fixed, text ? text : "", len);
	sb->used += bytes;
}

/* An event of thread @tid (-1: all) on @cpu (-1: all); -errno: there is none */
static int open_event(int tid, int cpu, unsigned int level)
{
	struct listen_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = levels[level].config,
		.sample_type = PERF_SAMPLE_TIME,
		.flags = levels[level].flags,
		.wakeup_watermark = LEAST_RING / 2,
	};
	int fd;

	if (attr.flags & FLAG_USE_CLOCKID)
		attr.clockid = CLOCK_MONOTONIC;
	/* no ring may be filled from several CPUs at once */
	if (tid >= 0 && cpu >= 0)
		attr.flags |= FLAG_INHERIT;
	fd = syscall(SYS_perf_event_open, &attr, tid, cpu, -1, 0UL);
	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* What the kernel writes on @cpu; 0 or a negative errno */
static int open_ring(const struct sideband *sb, struct perf_ring *ring, int tid, int cpu,
		     unsigned int level)
{
	int error;

	memset(ring, 0, sizeof(*ring));
	ring->cpu = cpu;
	ring->fd = open_event(tid, cpu, level);
	ring->size = sb->ring_size;
	if (ring->fd < 0)
		return ring->fd;
	ring->page = mmap(NULL, ring_bytes(sb), PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	if (ring->page == MAP_FAILED) {
		error = -errno;
		close(ring->fd);
		return error;
	}
	ring->data = (unsigned char *)ring->page + sysconf(_SC_PAGESIZE);
	return 0;
}

static int open_rings(struct sideband *sb, int tid, unsigned int level)
{
	struct kncpmu_cpus online, *cpus = &online;
	unsigned int cpu;
	int ret;

	if (kncpmu_cpus_online(cpus))
		memset(cpus, 0, sizeof(*cpus));

	sb->rings = calloc(kncpmu_cpus_count(cpus), sizeof(*sb->rings));
	if (!sb->rings)
		return -ENOMEM;
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		ret = open_ring(sb, &sb->rings[sb->nr_rings], tid, cpu, level);
		/* it went offline a moment ago */
		if (ret == -ENODEV)
			continue;
		if (ret) {
			stop_listening(sb);
			return ret;
		}
		sb->nr_rings++;
	}
	return 0;
}

/* @bytes of a ring from @at on, which may wrap around */
static void copy_out(const struct perf_ring *ring, __u64 at, void *to, size_t bytes)
{
	size_t from = at % ring->size, first = ring->size - from;

	if (first > bytes)
		first = bytes;
	memcpy(to, ring->data + from, first);
	memcpy((char *)to + first, ring->data, bytes - first);
}

/* Hand all records to @take, without giving them back; the new tail */
static __u64 walk(struct sideband *sb, const struct perf_ring *ring,
		  void (*take)(struct sideband *sb, const struct perf_record *record,
			       unsigned long long time))
{
	static struct perf_record record;
	__u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	__u64 at = ring->tail, time;
	size_t size;

	while (head - at >= sizeof(record.header)) {
		copy_out(ring, at, &record.header, sizeof(record.header));
		size = record.header.size;
		if (size < sizeof(record.header) + sizeof(time) || size > head - at)
			return head;
		copy_out(ring, at, &record, size);
		memcpy(&time, (char *)&record + size - sizeof(time), sizeof(time));
		/* names that end nowhere end here */
		memset((char *)&record + size - sizeof(time), 0, sizeof(time));
		take(sb, &record, time);
		at += size;
	}
	return at;
}

/* This process' new name: when was that by the kernel's clock? */
static void find_clock(struct sideband *sb, const struct perf_record *record,
		       unsigned long long time)
{
	if (record->header.type == PERF_RECORD_COMM &&
	    record->comm.tid == (__u32)getpid())
		sb->clock = -time;
}

/*
 * Before Linux 4.1 the kernel has its own clock there: see what it says of
 * something that happens now.
 */
static void set_clock(struct sideband *sb, unsigned int level)
{
	unsigned long long before, after;
	char name[16] = PROGRAM;
	struct perf_ring own;

	if (open_ring(sb, &own, 0, -1, level))
		return;
	prctl(PR_GET_NAME, name);
	before = now_ns();
	prctl(PR_SET_NAME, name);
	after = now_ns();
	walk(sb, &own, find_clock);
	munmap(own.page, ring_bytes(sb));
	close(own.fd);
	if (sb->clock)
		sb->clock += before + (after - before) / 2;
}

/*
 * What else is listened to: a process, and how; which of its threads, and whether there
 * are more
 */
struct listen {
	struct sideband *sb;
	int pid;
	unsigned int level;
	int *tids;
	unsigned int nr_tids;
	int more;
};

static int is_listened_to(const struct listen *l, int tid)
{
	unsigned int i;

	for (i = 0; i < l->nr_tids && l->tids[i] != tid; i++)
		;
	return i < l->nr_tids || tid == l->pid;
}

static int note_thread(struct listen *l, int tid)
{
	int *more = realloc(l->tids, (l->nr_tids + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	l->tids = more;
	l->tids[l->nr_tids++] = tid;
	l->more = 1;
	return 0;
}

/* Another thread of the process writes into the rings that are there */
static int listen_also(int tid, void *ctx)
{
	struct listen *l = ctx;
	struct sideband *sb = l->sb;
	unsigned int i;
	int *more, fd;

	if (is_listened_to(l, tid))
		return 0;
	more = realloc(sb->more, (sb->nr_more + sb->nr_rings) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	sb->more = more;
	if (note_thread(l, tid))
		return -ENOMEM;
	for (i = 0; i < sb->nr_rings; i++) {
		fd = open_event(tid, sb->rings[i].cpu, l->level);
		/* it has ended */
		if (fd == -ESRCH)
			return 0;
		if (fd < 0)
			return fd;
		more[sb->nr_more++] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, sb->rings[i].fd))
			return -errno;
	}
	return 0;
}

/*
 * Those that are not listened to yet may create more meanwhile: until there are none. One
 * that creates them all the time is listened to since the first turn, with what it creates.
 */
static int listen_to_threads(struct listen *l)
{
	int ret, turns = 0;

	do {
		l->more = 0;
		ret = proc_threads(l->pid, listen_also, l);
	} while (!ret && l->more && ++turns < LISTEN_TURNS);
	free(l->tids);
	return ret;
}

/* A process may have more threads than we may have open files */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int listen_to(struct sideband *sb, int pid, unsigned int level)
{
	struct listen l = { .sb = sb, .pid = pid, .level = level };
	int ret = open_rings(sb, pid ? pid : -1, level);

	if (!ret && pid)
		ret = listen_to_threads(&l);
	if (ret)
		stop_listening(sb);
	return ret;
}

/* Rings as big as they may be; 0 or a negative errno */
static int listen_with_rings(struct sideband *sb, int pid, unsigned int level)
{
	int ret;

	sb->ring_size = geteuid() ? LEAST_RING : MOST_RING;
	ret = listen_to(sb, pid, level);
	while ((ret == -EPERM || ret == -ENOMEM) && sb->ring_size > LEAST_RING) {
		sb->ring_size /= 2;
		ret = listen_to(sb, pid, level);
	}
	return ret;
}

void sideband_listen(struct sideband *sb, int pid)
{
	unsigned int level;
	int error = 0;

	if (pid)
		raise_file_limit();
	for (level = 0; level < ARRAY_SIZE(levels); level++) {
		error = listen_with_rings(sb, pid, level);
		if (error != -EINVAL && error != -E2BIG && error != -ENOENT)
			break;
	}
	if (!error && sb->nr_rings) {
		if (!(levels[level].flags & FLAG_USE_CLOCKID))
			set_clock(sb, level);
		return;
	}
	sb->known = calloc(KNOWN_ROOM, sizeof(*sb->known));
	complain("warning: the kernel does not tell what programs do (perf_event_open: "
		 "%s): names of programs that end soon may be missing",
		 strerror(-error));
}

void sideband_poll(const struct sideband *sb, struct pollfd *fds)
{
	unsigned int i;

	for (i = 0; i < sb->nr_rings; i++) {
		fds[i].fd = sb->rings[i].fd;
		fds[i].events = POLLIN;
	}
}

static void take_comm(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	struct data_comm comm = {
		.task.type = record->header.misc & MISC_COMM_EXEC ? DATA_EXEC : DATA_COMM,
		.task.pid = record->comm.pid,
		.task.tid = record->comm.tid,
		.task.time = time,
	};

	sideband_put(sb, &comm.task, sizeof(comm), record->comm.name,
		     sizeof(record->comm.name));
}

static void take_fork(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	int ends = record->header.type == PERF_RECORD_EXIT;
	struct data_fork fork = {
		.task.type = ends ? DATA_EXIT : DATA_FORK,
		.task.pid = record->fork.pid,
		.task.tid = record->fork.tid,
		.task.time = time,
		.parent_pid = ends ? 0 : record->fork.ppid,
		.parent_tid = ends ? 0 : record->fork.ptid,
	};

	sideband_put(sb, &fork.task, sizeof(fork), NULL, 0);
}

/* Both kinds begin alike */
static void take_mmap(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	int new = record->header.type == RECORD_MMAP2;
	const char *name = new ? record->mmap2.name : record->mmap.name;
	struct data_mmap map = {
		.task.type = DATA_MMAP,
		.task.pid = record->mmap.pid,
		.task.tid = record->mmap.tid,
		.task.time = time,
		.start = record->mmap.start,
		.length = record->mmap.length,
		.offset = record->mmap.offset,
	};

	if (!(new && record->header.misc & MISC_MMAP_BUILD_ID)) {
		map.build_id_size = build_id(map.task.pid, name, map.build_id);
	} else if (record->mmap2.id_size <= sizeof(record->mmap2.id)) {
		map.build_id_size = record->mmap2.id_size;
		memcpy(map.build_id, record->mmap2.id, map.build_id_size);
	}
	sideband_put(sb, &map.task, sizeof(map), name, MAX_NAME);
}

static void take_lost(struct sideband *sb, const struct perf_record *record,
		      unsigned long long time)
{
	struct data_tasks_lost lost = {
		.task.type = DATA_TASKS_LOST,
		.task.time = time,
		.number = record->lost.number,
	};

	sideband_put(sb, &lost.task, sizeof(lost), NULL, 0);
}

static void take_record(struct sideband *sb, const struct perf_record *record,
			unsigned long long time)
{
	time += sb->clock;
	switch (record->header.type) {
	case PERF_RECORD_COMM:
		take_comm(sb, record, time);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_fork(sb, record, time);
		break;
	case PERF_RECORD_MMAP:
	case RECORD_MMAP2:
		take_mmap(sb, record, time);
		break;
	case PERF_RECORD_LOST:
		take_lost(sb, record, time);
		break;
	}
}

void sideband_drain(struct sideband *sb)
{
	struct perf_ring *ring;
	unsigned int i;

	for (i = 0; i < sb->nr_rings; i++) {
		ring = &sb->rings[i];
		ring->tail = walk(sb, ring, take_record);
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	}
	sideband_flush(sb);
	sb->turn++;
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

void sideband_look(struct sideband *sb, int pid, unsigned long long time)
{
	struct known *k = sb->known ? find_known(sb, pid) : NULL;
	__u64 seen;

	seen = proc_process(sb, pid, time, k ? k->seen : 0);
	if (k && seen)
		k->seen = seen;
}

void sideband_seen(struct sideband *sb, int pid, unsigned long long time)
{
	struct known *k;

	if (!sb->known || !pid)
		return;
	k = find_known(sb, pid);
	if (!k || k->turn == sb->turn + 1)
		return;
	k->turn = sb->turn + 1;
	sideband_look(sb, pid, time);
}
