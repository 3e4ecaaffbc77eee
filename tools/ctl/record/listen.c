// SPDX-License-Identifier: GPL-2.0
/*
 * Receives the kernel's records of tasks by a software event, which counts nothing and uses no
 * counter. What it receives depends on the kernel and on this program's permissions.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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
#include "record/buffer.h"
#include "record/kernel.h"
#include "record/listen.h"
#include "record/proc.h"

/* Large, because this program may be delayed for seconds; reduced if RLIMIT_MEMLOCK demands it */
#define MOST_PERF_RING	(256U << 10)
#define LEAST_PERF_RING	(64U << 10)
#define LISTEN_TRIES	10
/* Files that this program opens besides one for each thread; allows for a few new threads */
#define OTHER_FILES	4096

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

#define CONFIG_EMULATION_FAULTS	8	/* this software event never occurs on x86 */
#define CONFIG_DUMMY		9

/* Flags of perf_event_attr by the kernel version that added them, the latest first */
static const struct {
	__u64 flags;
	__u64 config;
} levels[] = {
	{ FLAGS_5_12, CONFIG_DUMMY },
	{ FLAGS_4_1, CONFIG_DUMMY },
	{ FLAGS_3_16, CONFIG_DUMMY },
	{ FLAGS_2_6_38, CONFIG_EMULATION_FAULTS },
};

static size_t ring_bytes(const struct sideband *sb)
{
	return sysconf(_SC_PAGESIZE) + sb->ring_size;
}

void listen_stop(struct sideband *sb)
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

/* Open an event of thread @tid (-1: all) on @cpu (-1: all); returns its fd or -errno */
static int open_event(int tid, int cpu, unsigned int level)
{
	struct listen_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = levels[level].config,
		.sample_type = PERF_SAMPLE_TIME,
		.flags = levels[level].flags,
		.wakeup_watermark = LEAST_PERF_RING / 2,
	};
	int fd;

	if (attr.flags & FLAG_USE_CLOCKID)
		attr.clockid = CLOCK_MONOTONIC;
	/* perf refuses to share a ring between CPUs that would all write to it */
	if (tid >= 0 && cpu >= 0)
		attr.flags |= FLAG_INHERIT;
	fd = syscall(SYS_perf_event_open, &attr, tid, cpu, -1, 0UL);
	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* Open the ring of @cpu; returns 0 or a negative errno */
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
	int ret, guessed = !!kncpmu_cpus_online(cpus);
	unsigned int cpu;

	/* a container hides which CPUs are online: try all */
	if (guessed)
		memset(cpus, 0xff, sizeof(*cpus));
	sb->rings = calloc(kncpmu_cpus_count(cpus), sizeof(*sb->rings));
	if (!sb->rings)
		return -ENOMEM;
	for (cpu = first_cpu(cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(cpus, cpu)) {
		ret = open_ring(sb, &sb->rings[sb->nr_rings], tid, cpu, level);
		/* the CPU has just gone offline */
		if (ret == -ENODEV)
			continue;
		/* the number is beyond the kernel's CPUs */
		if (guessed && ret == -EINVAL && sb->nr_rings)
			break;
		if (ret) {
			listen_stop(sb);
			return ret;
		}
		sb->nr_rings++;
	}
	return 0;
}

/* Copy @bytes of a ring from position @at on, which may wrap around */
static void copy_out(const struct perf_ring *ring, __u64 at, void *to, size_t bytes)
{
	size_t from = at % ring->size, first = ring->size - from;

	if (first > bytes)
		first = bytes;
	memcpy(to, ring->data + from, first);
	memcpy((char *)to + first, ring->data, bytes - first);
}

__u64 perf_ring_walk(struct sideband *sb, const struct perf_ring *ring, perf_record_fn take)
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
		/* the time at the record's end becomes the NUL of a name that lacks one */
		memset((char *)&record + size - sizeof(time), 0, sizeof(time));
		take(sb, &record, time);
		at += size;
	}
	return at;
}

/* Find the record of this process' new name, which has the time of the kernel's clock */
static void find_clock(struct sideband *sb, const struct perf_record *record,
		       unsigned long long time)
{
	if (record->header.type == PERF_RECORD_COMM &&
	    record->comm.tid == (__u32)getpid())
		sb->clock = -time;
}

/*
 * Before Linux 4.1 these records have the time of another clock. Find its offset: change this
 * process' name, and read the time of the record.
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
	perf_ring_walk(sb, &own, find_clock);
	munmap(own.page, ring_bytes(sb));
	close(own.fd);
	if (sb->clock)
		sb->clock += before + (after - before) / 2;
}

/* Listening to a process: how, to which threads, and whether a new thread was found */
struct listen {
	struct sideband *sb;
	int pid;
	int first;
	unsigned int level;
	struct addresses tids;
	int more;
};

static int is_listened_to(const struct listen *l, int tid)
{
	return tid == l->first || addresses_has(&l->tids, tid);
}

/* Let a further thread of the process write its records to the existing rings */
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
	addresses_add(&l->tids, tid);
	l->more = 1;
	for (i = 0; i < sb->nr_rings; i++) {
		fd = open_event(tid, sb->rings[i].cpu, l->level);
		/* the thread has ended */
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
 * Threads without an event may create further ones during the search: repeat it until it finds
 * none. This ends, because threads with an event pass it on to threads they create.
 */
static int listen_to_threads(struct listen *l)
{
	int ret, tries = 0;

	do {
		l->more = 0;
		ret = proc_threads(l->pid, listen_also, l);
	} while (!ret && l->more && ++tries < LISTEN_TRIES);
	addresses_free(&l->tids);
	return ret;
}

static int count_thread(int tid, void *ctx)
{
	++*(unsigned int *)ctx;
	return 0;
}

/* Count the threads of a process, and the files that listening to them takes */
static rlim_t count_files(int pid, unsigned int *threads)
{
	struct kncpmu_cpus online;

	*threads = 0;
	proc_threads(pid, count_thread, threads);
	return kncpmu_cpus_online(&online) ? 0 : (rlim_t)*threads * kncpmu_cpus_count(&online);
}

/* Raise the limit of open files: a process may have more threads. Root may exceed the hard limit */
static void raise_file_limit(int pid)
{
	struct rlimit limit, more;
	unsigned int threads;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	more.rlim_cur = count_files(pid, &threads) + OTHER_FILES;
	more.rlim_max = more.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	if (more.rlim_cur <= limit.rlim_max || setrlimit(RLIMIT_NOFILE, &more))
		setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * Open the rings for a thread. Returns 0 if the thread has ended: proc_threads() tries the next one
 */
static int listen_first(int tid, void *ctx)
{
	struct listen *l = ctx;
	int ret = open_rings(l->sb, tid, l->level);

	l->first = tid;
	return ret == -ESRCH ? 0 : ret ? : 1;
}

/* Open rings for the first live thread; the main thread may have ended long before the others */
static int open_process_rings(struct listen *l)
{
	int ret = listen_first(l->pid, l);

	if (!ret)
		ret = proc_threads(l->pid, listen_first, l);
	return ret > 0 ? 0 : ret ? : -ESRCH;
}

static int listen_to(struct sideband *sb, int pid, unsigned int level)
{
	struct listen l = { .sb = sb, .pid = pid, .level = level };
	int ret = pid ? open_process_rings(&l) : open_rings(sb, -1, level);

	if (!ret && pid)
		ret = listen_to_threads(&l);
	if (ret)
		listen_stop(sb);
	return ret;
}

/* Open rings of the largest permitted size; returns 0 or a negative errno */
static int listen_with_rings(struct sideband *sb, int pid, unsigned int level)
{
	int ret;

	sb->ring_size = geteuid() ? LEAST_PERF_RING : MOST_PERF_RING;
	ret = listen_to(sb, pid, level);
	while ((ret == -EPERM || ret == -ENOMEM) && sb->ring_size > LEAST_PERF_RING) {
		sb->ring_size /= 2;
		ret = listen_to(sb, pid, level);
	}
	return ret;
}

/*
 * Write a remedy for an error, as the end of its message; doctor explains permissions and kernels
 */
static void put_remedy(int error, int pid, char *text, size_t size)
{
	unsigned int threads;
	struct rlimit limit;
	rlim_t files;

	text[0] = '\0';
	if (error == -ESRCH)
		return;
	files = error == -EMFILE && pid ? count_files(pid, &threads) : 0;
	if (!files || getrlimit(RLIMIT_NOFILE, &limit)) {
		snprintf(text, size, "; %s doctor says what to do", PROGRAM);
		return;
	}
	snprintf(text, size,
		 "; %u threads on %u CPUs take %llu open files, and %llu are the limit: raise it with ulimit -n",
		 threads, (unsigned int)(files / threads),
		 (unsigned long long)files, (unsigned long long)limit.rlim_max);
}

void listen_start(struct sideband *sb, int pid)
{
	unsigned int level;
	char text[160];
	int error = 0;

	if (pid)
		raise_file_limit(pid);
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
	put_remedy(error, pid, text, sizeof(text));
	complain("warning: the kernel does not tell what programs do (perf_event_open: "
		 "%s): names of programs that end soon may be missing%s",
		 error ? strerror(-error) : "no CPU is online", text);
}
