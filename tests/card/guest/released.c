// SPDX-License-Identifier: GPL-2.0
/*
 * A program that was written for an older interface, and compiled with it: the compiler includes
 * tests/card/released/KNC_RELEASE instead of uapi/knc_pmu.h. The program uses nothing of lib.c,
 * which is compiled with today's interface.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asked.h"

#ifndef KNC_PMU_IOC_EVICT
#error "the compiler includes an interface"
#endif

#define NAME(test)	"released-" KNC_RELEASE "." test
#define CPU		1
#define N		1000000UL
#define INSTRUCTIONS	KNC_PMU_EVENT_CODE(0x16, 0)
#define BRANCHES	KNC_PMU_EVENT_CODE(0x12, 0)
#define PERIOD		100003ULL
#define RING		65536U

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define check(got, want) check_at(__LINE__, #got, (long long)(got), (long long)(want))

static const char *test_name;

static void check_at(int line, const char *what, long long got, long long want)
{
	if (got == want)
		return;
	printf("not ok %s: line %d: %s is %lld instead of %lld\n", test_name, line, what, got,
	       want);
	fflush(stdout);
	_exit(1);
}

/* 2 n instructions, n branches */
static void work(unsigned long n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r" (n) : : "cc");
}

/*
 * A struct, and the memory that a longer struct would have after it, which the module must not
 * change
 */
struct guarded {
	struct knc_pmu_config config;
	unsigned char after[64];
	struct knc_pmu_event event[2];
	unsigned char cpus[KNC_PMU_MAX_CPUS / 8];
};

static int open_device(void)
{
	int fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);

	check(fd >= 0, 1);
	return fd;
}

/* Request both events in user mode: of the caller with KNC_PMU_CONFIG_TASK, otherwise of CPU */
static void ask(struct guarded *g, unsigned int flags)
{
	memset(g, 0, sizeof(*g));
	memset(g->after, 0xa5, sizeof(g->after));
	g->event[0].event = INSTRUCTIONS;
	g->event[1].event = BRANCHES;
	g->event[0].flags = KNC_PMU_EVENT_USR;
	g->event[1].flags = KNC_PMU_EVENT_USR;
	g->config.flags = flags;
	g->config.events = (uintptr_t)g->event;
	g->config.nr_events = 2;
	g->config.event_size = sizeof(g->event[0]);
	if (flags & KNC_PMU_CONFIG_TASK)
		return;
	g->cpus[CPU / 8] = 1 << CPU % 8;
	g->config.cpus = (uintptr_t)g->cpus;
	g->config.cpus_size = sizeof(g->cpus);
}

static void ask_samples(struct guarded *g)
{
	ask(g, 0);
	g->event[0].flags |= KNC_PMU_EVENT_SAMPLE;
	g->event[0].sample_period = PERIOD;
	g->config.ring_size = RING;
}

static int config(int fd, struct guarded *g)
{
	int err = ioctl(fd, KNC_PMU_IOC_CONFIG, &g->config) ? -errno : 0;
	unsigned int i;

	for (i = 0; i < sizeof(g->after); i++)
		check(g->after[i], 0xa5);
	return err;
}

static unsigned int read_counts(int fd, unsigned int flags, __u64 *value)
{
	struct {
		struct knc_pmu_thread thread;
		unsigned char after[64];
	} record;
	struct knc_pmu_read request;

	memset(&record, 0xa5, sizeof(record));
	memset(&request, 0, sizeof(request));
	request.buffer = (uintptr_t)&record;
	request.buffer_size = KNC_PMU_THREAD_SIZE(2);
	request.flags = flags;
	check(ioctl(fd, KNC_PMU_IOC_READ, &request), 1);
	check(record.thread.nr_events, 2);
	check(record.thread.value[2], 0xa5a5a5a5a5a5a5a5ULL);
	memcpy(value, record.thread.value, 2 * sizeof(*value));
	return record.thread.flags;
}

/* Count @n rounds of the loop, from START to STOP */
static void count(int fd, unsigned long n, __u64 *value)
{
	check(ioctl(fd, KNC_PMU_IOC_RESET, 0), 0);
	check(ioctl(fd, KNC_PMU_IOC_START, 0), 0);
	work(n);
	check(ioctl(fd, KNC_PMU_IOC_STOP, 0), 0);
	check(read_counts(fd, 0, value), 0);
}

static void test_info(void)
{
	struct {
		struct knc_pmu_info info;
		unsigned char after[64];
	} answer;
	struct {
		struct knc_pmu_desc desc;
		unsigned char after[64];
	} pmu;
	unsigned int i;

	memset(&answer, 0xa5, sizeof(answer));
	memset(&answer.info, 0, sizeof(answer.info));
	memset(&pmu, 0xa5, sizeof(pmu));
	answer.info.pmus.entries = (uintptr_t)&pmu;
	answer.info.pmus.nr = 1;
	answer.info.pmus.size = sizeof(pmu.desc);
	check(ioctl(open_device(), KNC_PMU_IOC_INFO, &answer), 1);
	for (i = 0; i < sizeof(pmu.after); i++)
		check(answer.after[i] == 0xa5 && pmu.after[i] == 0xa5, 1);
	check(strcmp(pmu.desc.name, "knc"), 0);
	check(pmu.desc.nr_counters, 2);
	check(pmu.desc.width, 40);
	check(answer.info.nr_online, sysconf(_SC_NPROCESSORS_ONLN));
	check(answer.info.features & KNC_PMU_FEATURE_TASKS, KNC_PMU_FEATURE_TASKS);
}

/* The difference of two counts is exactly the difference of the work */
static void check_counts(unsigned int flags)
{
	__u64 once[2], twice[2];
	struct guarded g;
	int fd = open_device();

	ask(&g, flags);
	check(config(fd, &g), 0);
	count(fd, N, once);
	count(fd, 2 * N, twice);
	check(twice[0] - once[0], 2 * N);
	check(twice[1] - once[1], N);
}

static void test_task(void)
{
	check_counts(KNC_PMU_CONFIG_TASK);
}

static void test_thread(void)
{
	struct knc_pmu_owner owner;
	struct guarded g;
	int fd = open_device();

	ask(&g, 0);
	check(config(fd, &g), 0);
	memset(&owner, 0, sizeof(owner));
	owner.cpu = CPU;
	owner.counter = g.event[1].counter;
	check(ioctl(fd, KNC_PMU_IOC_OWNER, &owner), 0);
	check(owner.flags, KNC_PMU_OWNER_SESSION);
	check(owner.pid, getpid());
	close(fd);
	check_counts(0);
}

static void test_refused(void)
{
	struct guarded g, other;
	int fd = open_device();

	ask(&g, 0);
	g.event[1].flags = 0;
	check(config(fd, &g), -EINVAL);
	check(g.config.reason, KNC_PMU_REASON_EVENT_RING);
	check(g.config.reason_event, 1);
	ask(&g, 0);
	check(config(fd, &g), 0);
	ask(&other, 0);
	check(config(open_device(), &other), -EBUSY);
	check(other.config.reason, KNC_PMU_REASON_BUSY);
	check(other.config.reason_cpu, CPU);
	check(other.config.reason_pid, getpid());
}

/* All records of the ring; returns the sum of the periods of its samples */
static __u64 read_ring(struct knc_pmu_ring *ring, unsigned int *samples)
{
	const unsigned char *data = (unsigned char *)ring + ring->data_offset;
	__u64 head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), sum = 0;

	while (ring->tail < head) {
		const unsigned char *at = data + ring->tail % ring->data_size;
		const struct knc_pmu_record *record = (const void *)at;
		const struct knc_pmu_sample *sample = (const void *)record;

		check(record->size >= sizeof(*record) && record->size % 8 == 0, 1);
		if (record->type == KNC_PMU_RECORD_SAMPLE) {
			check(record->size, sizeof(*sample));
			/* the overflow interrupt may come after the entry into the kernel */
			check(sample->flags & ~KNC_PMU_SAMPLE_USER, 0);
			check(record->cpu, CPU);
			sum += sample->period;
			(*samples)++;
		}
		__atomic_store_n(&ring->tail, ring->tail + record->size, __ATOMIC_RELEASE);
	}
	return sum;
}

static void test_ring(void)
{
	struct knc_pmu_ring *ring;
	unsigned int samples = 0;
	struct guarded g;
	__u64 value[2], sum;
	int fd = open_device();

	ask_samples(&g);
	check(config(fd, &g), 0);
	ring = mmap(NULL, sysconf(_SC_PAGESIZE) + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(ring != MAP_FAILED, 1);
	check(ring->data_size, RING);
	check(ring->nr_events, 2);
	count(fd, 10 * N, value);
	sum = read_ring(ring, &samples);
	check(samples, value[0] / PERIOD);
	check(samples, ring->samples);
	check(sum, samples * PERIOD);
	check(ring->lost + ring->throttles + ring->lost_events[0] + ring->unsampled[0], 0);
}

/* A count of the page, as the comment of its struct says */
static __u64 read_page(const struct knc_pmu_page *page, unsigned int i)
{
	__u32 seq, low, high, unused = 64 - page->width;
	__u64 value;

	do {
		seq = __atomic_load_n(&page->seq, __ATOMIC_ACQUIRE);
		check(seq & 1, 0);
		__asm__ volatile("rdpmc" : "=a" (low), "=d" (high)
				 : "c" (page->counter[i]) : "memory");
		value = ((__u64)high << 32 | low) << unused;
		value = (__u64)((__s64)value >> unused) + page->offset[i];
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->seq, __ATOMIC_RELAXED) != seq);
	return value;
}

static void test_page(void)
{
	const struct knc_pmu_page *page;
	__u64 at[3], value[2];
	struct guarded g;
	int fd = open_device();

	ask(&g, KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_RDPMC);
	check(config(fd, &g), 0);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, KNC_PMU_PAGE_OFFSET);
	check(page != MAP_FAILED, 1);
	check(page->nr_events, 2);
	check(ioctl(fd, KNC_PMU_IOC_START, 0), 0);
	at[0] = read_page(page, 1);
	work(N);
	at[1] = read_page(page, 1);
	work(2 * N);
	at[2] = read_page(page, 1);
	check(ioctl(fd, KNC_PMU_IOC_STOP, 0), 0);
	check(read_counts(fd, 0, value), 0);
	/* read_page() seldom repeats its loop; a repetition is 1 branch */
	check(at[2] - at[1] - (at[1] - at[0]) - N <= 100, 1);
	check(value[1] >= at[2] && value[1] < at[2] + 1000, 1);
}

static void test_evict(void)
{
	struct knc_pmu_evict evict;
	struct pollfd poller;
	struct guarded g;
	__u64 value[2];
	int fd = open_device();

	ask_samples(&g);
	check(config(fd, &g), 0);
	check(ioctl(fd, KNC_PMU_IOC_START, 0), 0);
	memset(&evict, 0, sizeof(evict));
	evict.cpu = CPU;
	evict.counter = KNC_PMU_NO_COUNTER;
	check(ioctl(open_device(), KNC_PMU_IOC_EVICT, &evict), 1);
	poller.fd = fd;
	poller.events = POLLIN;
	check(poll(&poller, 1, 0), 1);
	check(poller.revents & POLLHUP, POLLHUP);
	check(read_counts(fd, 0, value), KNC_PMU_THREAD_EVICTED);
	check(ioctl(fd, KNC_PMU_IOC_START, 0) ? errno : 0, ECANCELED);
}

/* Lists: the module writes entries of the size that the program knows, and nothing after them */
static void check_list(unsigned long command, void *argument, struct knc_pmu_list *list,
		       unsigned int size)
{
	unsigned char *room = malloc(64 * size + 64);
	unsigned int i, nr;

	memset(room, 0xa5, 64 * size + 64);
	list->entries = (uintptr_t)room;
	list->nr = 1;
	list->size = size;
	nr = ioctl(open_device(), command, argument);
	check(nr >= 1 && nr < 64, 1);
	for (i = size; i < 64 * size + 64; i++)
		check(room[i], 0xa5);
	free(room);
}

static void test_lists(void)
{
	struct knc_pmu_list list;
	struct knc_pmu_regs regs;
	struct guarded g;

	ask(&g, KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_RDPMC);
	check(config(open_device(), &g), 0);
	memset(&list, 0, sizeof(list));
	check_list(KNC_PMU_IOC_STATS, &list, &list, sizeof(struct knc_pmu_stats));
	check_list(KNC_PMU_IOC_GRANTS, &list, &list, sizeof(struct knc_pmu_grant));
	memset(&regs, 0, sizeof(regs));
	check_list(KNC_PMU_IOC_REGS, &regs, &regs.regs, sizeof(struct knc_pmu_reg));
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ NAME("info"), test_info },
	{ NAME("task"), test_task },
	{ NAME("thread"), test_thread },
	{ NAME("refused"), test_refused },
	{ NAME("ring"), test_ring },
	{ NAME("page"), test_page },
	{ NAME("evict"), test_evict },
	{ NAME("lists"), test_lists },
};

/* Run a test in a process of its own on CPU */
static int run(unsigned int i)
{
	cpu_set_t cpus;
	int status;
	pid_t pid;

	test_name = tests[i].name;
	pid = fork();
	if (!pid) {
		CPU_ZERO(&cpus);
		CPU_SET(CPU, &cpus);
		check(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
		alarm(400);
		tests[i].run();
		printf("ok %s\n", test_name);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("not ok %s: signal %d\n", test_name, WTERMSIG(status));
	fflush(stdout);
	return status != 0;
}

int main(void)
{
	unsigned int i;
	int failed = 0;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		if (is_asked_for(tests[i].name))
			failed |= run(i);
	return failed;
}
