// SPDX-License-Identifier: GPL-2.0
/* See measure.h */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure.h"

static const char *who = "";

void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", who, what, strerror(errno));
	exit(1);
}

void die_of(const char *what, int err)
{
	if (err >= 0)
		return;
	errno = -err;
	die(what);
}

unsigned long long once(const char *what, long (*work)(void))
{
	unsigned long long t;

	die_of(what, measure_once(work, &t));
	return t;
}

static unsigned long long smallest(const char *what, long (*work)(void), int runs)
{
	struct cost c;

	die_of(what, measure(work, runs, &c));
	return c.least;
}

unsigned long long cost(const char *what, long (*work)(void))
{
	return smallest(what, work, RUNS);
}

unsigned long long cost_of_few(const char *what, long (*work)(void))
{
	return smallest(what, work, FEW_RUNS);
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

long median(long *values, int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

void show(const char *name, int nr, long value)
{
	printf("%s ", who);
	printf(name, nr);
	printf(" %ld\n", value);
}

void show_refused(const char *name, int error)
{
	printf("%s %s refused %s\n", who, name, strerrorname_np(error));
}

const char *begin(int argc, char **argv)
{
	cpu_set_t first;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 3) {
		fprintf(stderr, "Usage: %s WHO PART\n", argv[0]);
		exit(2);
	}
	who = argv[1];
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		die("sched_setaffinity");
	return argv[2];
}

long overflow_cost(const struct overflow *o)
{
	struct cost c;

	die_of("no overflow in the loop", measure_overflow(o, &c));
	return c.least;
}

long rate_work(void)
{
	unsigned long long began = rdtsc();
	unsigned long n = RATE_WORK / 2;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (n));
	return rdtsc() - began;
}

long round_trip(const char *what)
{
	struct cost c;

	die_of(what, measure_round_trip(&c));
	return c.least;
}

/* A card has two counters, and no CPUID leaf 0xA. */
static unsigned int nr_counters(void)
{
	unsigned int eax, ebx, ecx, edx, nr;

	if (!__get_cpuid(0xa, &eax, &ebx, &ecx, &edx))
		return 2;
	nr = (eax >> 8 & 0xff) + (edx & 0x1f);
	return nr < MAX_MEASURED ? nr : MAX_MEASURED;
}

unsigned int next_size(unsigned int nr)
{
	if (nr < 2)
		return nr + 1;
	return nr < nr_counters() ? nr_counters() : 0;
}

/*
 * Start a thread that sleeps for ever. It has no stack, and uses only kernel memory: tens of
 * thousands fit. Returns its pid, or a negative errno.
 */
static long start_thread(void)
{
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
	long ret;

	/* arguments of clone() that are 0: child_tid in r10, tls in r8 */
	__asm__ volatile("xor %%r10d, %%r10d\n\t"
			 "xor %%r8d, %%r8d\n\t"
			 "syscall\n\t"
			 "test %0, %0\n\t"
			 "jnz 2f\n"
			 "1:\tmov %[pause], %%eax\n\t"
			 "syscall\n\t"
			 "jmp 1b\n"
			 "2:"
			 : "=a" (ret)
			 : "0" ((long)SYS_clone), "D" (flags), "S" (0L), "d" (0L),
			   [pause] "i" (SYS_pause)
			 : "rcx", "r8", "r10", "r11", "memory");
	return ret;
}

void start_threads(int nr)
{
	long ret;

	while (nr-- > 0) {
		ret = start_thread();
		if (ret < 0)
			die_of("clone", ret);
	}
}

static int to_crowd[2], from_crowd[2];

pid_t start_crowd(void)
{
	pid_t pid;
	int nr;

	if (pipe(to_crowd) || pipe(from_crowd))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	if (read(to_crowd[0], &nr, sizeof(nr)) != sizeof(nr))
		_exit(1);
	start_threads(nr - 1);
	if (write(from_crowd[1], &nr, sizeof(nr)) != sizeof(nr))
		_exit(1);
	pause();
	_exit(0);
}

void fill_crowd(int nr)
{
	if (write(to_crowd[1], &nr, sizeof(nr)) != sizeof(nr) ||
	    read(from_crowd[0], &nr, sizeof(nr)) != sizeof(nr))
		die("a crowd");
	close(to_crowd[0]);
	close(to_crowd[1]);
	close(from_crowd[0]);
	close(from_crowd[1]);
}

void show_crowds(void (*show_crowd)(long none, int nr))
{
	long none;

	sleep(SETTLE);
	none = round_trip("round trip");
	show_crowd(none, NR_TASKS / 10);
	show_crowd(none, NR_TASKS);
}

long kernel_memory(void)
{
	int refresh = open("/proc/sys/vm/stat_refresh", O_WRONLY);
	FILE *f = fopen("/proc/meminfo", "r");
	char name[64];
	long kb, sum = 0;

	/* refresh the sums: CPUs have counts that are not yet in them */
	if (refresh < 0 || write(refresh, "1", 1) != 1)
		die("/proc/sys/vm/stat_refresh");
	close(refresh);
	if (!f)
		die("/proc/meminfo");
	while (fscanf(f, "%63[^:]: %ld%*[^\n] ", name, &kb) == 2)
		if (!strcmp(name, "Slab") || !strcmp(name, "Percpu") ||
		    !strcmp(name, "VmallocUsed"))
			sum += kb;
	fclose(f);
	return sum * 1024;
}
