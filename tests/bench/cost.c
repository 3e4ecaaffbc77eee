// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of the operations of /dev/knc_pmu, in executed guest instructions
 *
 * On the card with one time stamp counter tick per executed instruction
 * (knc-vm --icount), RDTSC before and after a piece of work counts all of it,
 * kernel included, without touching the PMU. The smallest of many runs is the
 * cost of the work itself, without the timer interrupts that hit some runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knc_pmu.h"

#define RUNS		512
#define MAX_THREADS	256
#define __noinline	__attribute((__noinline__))
#define RING		0x100000U
#define PERIOD		20011	/* of the measured samples */
#define LOOPS		1000	/* rounds of two instructions, one of which overflows */

static int fd = -1;
static int ipi_fd = -1;
static unsigned char records[MAX_THREADS * sizeof(struct knc_pmu_thread)];
static struct knc_pmu_read read_args;

static void die(const char *what)
{
	fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static inline unsigned long long rdtsc(void)
{
	unsigned int lo, hi;

	__asm__ volatile("rdtsc" : "=a" (lo), "=d" (hi) : : "memory");
	return (unsigned long long)hi << 32 | lo;
}

/* ioctl() without libc's part, which is not the module's */
static inline long raw_ioctl(long file, long cmd, long arg)
{
	long ret;

	__asm__ volatile("syscall" : "=a" (ret)
			 : "0" ((long)SYS_ioctl), "D" (file), "S" (cmd), "d" (arg)
			 : "rcx", "r11", "memory");
	return ret;
}

static long work_nothing(void)
{
	return 0;
}

static long work_getppid(void)
{
	long ret;

	__asm__ volatile("syscall" : "=a" (ret) : "0" ((long)SYS_getppid)
			 : "rcx", "r11", "memory");
	return ret < 0 ? ret : 0;
}

static long work_null_ioctl(void)
{
	return raw_ioctl(ipi_fd, 0, 0);
}

static long work_ipi(void)
{
	return raw_ioctl(ipi_fd, 0, 1);
}

static long work_read(void)
{
	long ret = raw_ioctl(fd, KNC_PMU_IOC_READ, (long)&read_args);

	return ret < 0 ? ret : 0;
}

static long work_start_stop(void)
{
	long ret = raw_ioctl(fd, KNC_PMU_IOC_START, 0);

	return ret ? ret : raw_ioctl(fd, KNC_PMU_IOC_STOP, 0);
}

/* SPFLT %eax = VEX.128.F2.0F.W0 AE /6: in ring 3 it starts and stops counting */
static long work_spflt(void)
{
	__asm__ volatile(".byte 0xc5, 0xfb, 0xae, 0xf0\n\t" : : "a" (1));
	__asm__ volatile(".byte 0xc5, 0xfb, 0xae, 0xf0\n\t" : : "a" (0));
	return 0;
}

static unsigned long long once(const char *what, long (*work)(void))
{
	unsigned long long t = rdtsc();
	long err = work();

	t = rdtsc() - t;
	if (err) {
		errno = -err;
		die(what);
	}
	return t;
}

static unsigned long long cost(const char *what, long (*work)(void))
{
	unsigned long long least = ~0ULL, t;
	int i;

	for (i = 0; i < RUNS; i++) {
		t = once(what, work);
		if (t < least)
			least = t;
	}
	return least;
}

/* Whole hardware threads 0 to n - 1, two events on all of them */
static void configure(unsigned int n)
{
	unsigned char cpus[MAX_THREADS / 8];
	struct knc_pmu_event events[2];
	struct knc_pmu_config config;
	unsigned int i;

	memset(cpus, 0, sizeof(cpus));
	for (i = 0; i < n; i++)
		cpus[i / 8] |= 1 << i % 8;
	memset(events, 0, sizeof(events));
	events[0].event = 0x2a;
	events[1].event = 0x16;
	for (i = 0; i < 2; i++)
		events[i].flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS;
	memset(&config, 0, sizeof(config));
	config.cpus = (unsigned long)cpus;
	config.cpus_size = sizeof(cpus);
	config.nr_events = 2;
	config.events = (unsigned long)events;
	config.event_size = sizeof(events[0]);
	fd = open(KNC_PMU_DEVICE, O_RDWR);
	if (fd < 0)
		die(KNC_PMU_DEVICE);
	if (ioctl(fd, KNC_PMU_IOC_CONFIG, &config))
		die("CONFIG");
	read_args.flags = KNC_PMU_READ_COUNTS;
	read_args.buffer = (unsigned long)records;
	read_args.buffer_size = sizeof(records);
}

static void own_thread(unsigned long long base)
{
	configure(1);
	printf("read-own %llu\n", cost("READ", work_read) - base);
	printf("spflt-on-off %llu\n", cost("SPFLT", work_spflt) - base);
	printf("start-stop %llu\n", cost("START, STOP", work_start_stop) - base);
	if (raw_ioctl(fd, KNC_PMU_IOC_START, 0))
		die("START");
	printf("read-own-running %llu\n", cost("READ", work_read) - base);
	read_args.flags = 0;
	printf("read-own-times %llu\n", cost("READ", work_read) - base);
	close(fd);
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static long median(long *values)
{
	qsort(values, RUNS, sizeof(*values), compare);
	return values[RUNS / 2];
}

/*
 * The other CPUs' work between calls (idle, or still on their way there) is
 * part of these figures and drifts. Therefore the two are measured in turns,
 * and the medians of both and of the differences of neighbours are taken.
 */
static void all_threads(unsigned long long base, unsigned int n)
{
	static long call[RUNS], all[RUNS], more[RUNS];
	int i;

	configure(n);
	if (raw_ioctl(fd, KNC_PMU_IOC_START, 0))
		die("START");
	for (i = 0; i < RUNS; i++) {
		call[i] = once("IPI", work_ipi) - base;
		all[i] = once("READ", work_read) - base;
		more[i] = all[i] - call[i];
	}
	printf("ipi-all %ld\nread-all %ld\n", median(call), median(all));
	printf("read-per-thread %ld\n", median(more) / (long)n);
	close(fd);
}

/*
 * The cost of an overflow: a loop with one less a loop without. Some functions
 * deep, with frame pointers, so that a call chain has five addresses: the
 * loop's and those of its callers up to main().
 */
static struct knc_pmu_ring *ring;

static unsigned long long began, ended;

static __noinline unsigned long long leaf(void)
{
	unsigned long n = LOOPS;

	began = rdtsc();
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (n));
	ended = rdtsc();
	return ended - began;
}

static __noinline unsigned long long middle(void)
{
	unsigned long long t = leaf();

	__asm__ volatile("" : "+r" (t)); /* no tail call */
	return t;
}

static __noinline unsigned long long outer(void)
{
	unsigned long long t = middle();

	__asm__ volatile("" : "+r" (t));
	return t;
}

static void configure_samples(unsigned int flags, unsigned int nr)
{
	struct knc_pmu_event events[2];
	struct knc_pmu_config config;
	unsigned char cpus = 1;
	unsigned int i;

	memset(events, 0, sizeof(events));
	for (i = 0; i < nr; i++) {
		events[i].event = 0x16;
		events[i].flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_SAMPLE;
		events[i].sample_period = PERIOD;
	}
	memset(&config, 0, sizeof(config));
	config.flags = flags;
	config.cpus = (unsigned long)&cpus;
	config.cpus_size = 1;
	config.nr_events = nr;
	config.events = (unsigned long)events;
	config.event_size = sizeof(events[0]);
	config.max_frames = flags ? 16 : 0;
	config.ring_size = RING;
	config.watermark = RING;
	fd = open(KNC_PMU_DEVICE, O_RDWR);
	if (fd < 0)
		die(KNC_PMU_DEVICE);
	if (ioctl(fd, KNC_PMU_IOC_CONFIG, &config))
		die("CONFIG");
	ring = mmap(NULL, sysconf(_SC_PAGESIZE) + RING, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		die("mmap");
	/* no page fault later on */
	memset((char *)ring + ring->data_offset, 0, RING);
}

static unsigned long long head_now(void)
{
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
}

/* Did the overflow whose record begins at @head happen within the loop? */
static int in_loop(unsigned long long head)
{
	const struct knc_pmu_sample *sample;

	sample = (void *)((char *)ring + ring->data_offset +
			  head % ring->data_size);
	return sample->record.type == KNC_PMU_RECORD_SAMPLE &&
	       sample->tsc > began && sample->tsc < ended;
}

static void sample(const char *name, unsigned int flags, unsigned int nr)
{
	unsigned long long least[2] = { ~0ULL, ~0ULL };
	unsigned long long t, head;
	int i, hit;

	configure_samples(flags, nr);
	if (raw_ioctl(fd, KNC_PMU_IOC_START, 0))
		die("START");
	for (i = 0; i < 16 * RUNS; i++) {
		head = head_now();
		t = outer();
		hit = head_now() != head;
		if (!hit || in_loop(head))
			least[hit] = t < least[hit] ? t : least[hit];
	}
	printf("%s %llu\n", name, least[1] - least[0]);
	munmap(ring, sysconf(_SC_PAGESIZE) + RING);
	close(fd);
}

static void overflows(void)
{
	sample("sample", 0, 1);
	sample("both-samples", 0, 2);
	sample("sample-with-chain", KNC_PMU_CONFIG_CHAIN_USER, 1);
}

/* With any argument: the overflow interrupt, else all else */
static int to_other[2], from_other[2];

/*
 * The other task: sends each byte back. A new one for each measurement: the scheduler treats a pair
 * by the pair's history.
 */
static pid_t start_other(void)
{
	pid_t pid;
	char c;

	if (pipe(to_other) || pipe(from_other))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid) {
		close(to_other[0]);
		close(from_other[1]);
		return pid;
	}
	close(to_other[1]);
	while (read(to_other[0], &c, 1) == 1 && write(from_other[1], &c, 1) == 1)
		;
	_exit(0);
}

static void stop_other(pid_t pid)
{
	close(to_other[1]);
	close(from_other[0]);
	waitpid(pid, NULL, 0);
}

/* There and back: two context switches */
static long work_round_trip(void)
{
	char c = 0;

	if (write(to_other[1], &c, 1) != 1 || read(from_other[0], &c, 1) != 1)
		return -EIO;
	return 0;
}

/* A started session for a task and this many events */
static int follow(pid_t pid, unsigned int nr)
{
	struct knc_pmu_event e[2];
	struct knc_pmu_config c;
	int file = open(KNC_PMU_DEVICE, O_RDWR);

	memset(e, 0, sizeof(e));
	memset(&c, 0, sizeof(c));
	e[0].event = 0x16;
	e[1].event = 0x12;
	e[0].flags = KNC_PMU_EVENT_USR;
	e[1].flags = KNC_PMU_EVENT_USR;
	c.flags = KNC_PMU_CONFIG_TASK;
	c.pid = pid;
	c.nr_events = nr;
	c.events = (unsigned long)e;
	c.event_size = sizeof(e[0]);
	if (file < 0 || ioctl(file, KNC_PMU_IOC_CONFIG, &c) ||
	    ioctl(file, KNC_PMU_IOC_START, 0))
		die("following a task");
	return file;
}

static unsigned long long round_trip(const char *name)
{
	pid_t other = start_other();
	unsigned long long least = cost(name, work_round_trip);

	stop_other(other);
	return least;
}

static void show_switches(void)
{
	unsigned long long none = round_trip("round trip");
	int self, its;
	pid_t sleeper;

	printf("switches %llu\n", none - cost("nothing", work_nothing));
	sleeper = fork();
	if (!sleeper) {
		pause();
		_exit(0);
	}
	its = follow(sleeper, 2);
	printf("switches-elsewhere %llu\n", round_trip("elsewhere") - none);
	self = follow(0, 1);
	printf("switches-one-event %llu\n", round_trip("one event") - none);
	close(self);
	self = follow(0, 2);
	printf("switches-two-events %llu\n", round_trip("two events") - none);
	close(self);
	close(its);
	/* the tracepoint stays on for a moment */
	sleep(5);
	printf("switches-after %llu\n", round_trip("after") - none);
	kill(sleeper, SIGKILL);
}

int main(int argc, char **argv)
{
	unsigned int n = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long base;
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		die("sched_setaffinity");
	if (argc > 1) {
		if (!strcmp(argv[1], "switches"))
			show_switches();
		else
			overflows();
		return 0;
	}
	ipi_fd = open("/dev/knc_bench_ipi", O_RDWR);
	if (ipi_fd < 0)
		die("/dev/knc_bench_ipi");
	base = cost("nothing", work_nothing);
	printf("threads %u\n", n);
	printf("getppid %llu\n", cost("getppid", work_getppid) - base);
	printf("null-ioctl %llu\n", cost("null ioctl", work_null_ioctl) - base);
	own_thread(base);
	if (n > 1)
		all_threads(base, n);
	return 0;
}
