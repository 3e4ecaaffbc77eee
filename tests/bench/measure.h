/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What cost.c and perf.c measure with: executed guest instructions
 *
 * On the card with one time stamp counter tick per executed instruction (knc-vm --icount), RDTSC
 * before and after a piece of work counts all of it, kernel included, without touching the PMU. The
 * smallest of many runs is the cost of the work itself, without the timer interrupts that hit some
 * runs.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <sys/syscall.h>
#include <sys/types.h>

#define RUNS		512
#define FEW_RUNS	32	/* of what takes milliseconds */
#define MAX_THREADS	256
#define RING		0x40000U /* an ordinary user of perf may map half a megabyte */
#define PERIOD		20011	/* of the measured samples */
#define FRAMES		5	/* of their call chains */
#define SETTLE		5	/* seconds in which hooks of closed sessions and events end */
#define NR_TASKS	1000	/* threads of a large process */

/* Complain and end */
void die(const char *what);

static inline unsigned long long rdtsc(void)
{
	unsigned int lo, hi;

	__asm__ volatile("rdtsc" : "=a" (lo), "=d" (hi) : : "memory");
	return (unsigned long long)hi << 32 | lo;
}

/* The compiler has to compute @value. */
static inline void use(unsigned long value)
{
	__asm__ volatile("" : : "r" (value));
}

/* A system call without libc's part, which is neither the module's nor perf's */
static inline long raw_call(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a" (ret) : "0" (nr), "D" (a), "S" (b), "d" (c)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long raw_ioctl(long file, long cmd, long arg)
{
	return raw_call(SYS_ioctl, file, cmd, arg);
}

/* Instructions of one run, RDTSC included. @work returns 0 or a negative errno. */
unsigned long long once(const char *what, long (*work)(void));
/* The smallest of RUNS and of FEW_RUNS, without RDTSC */
unsigned long long cost(const char *what, long (*work)(void));
unsigned long long cost_of_few(const char *what, long (*work)(void));
/* The median of @nr values, which are sorted */
long median(long *values, int nr);

/* A row: "WHO NAME VALUE", in which %d of @name is @nr */
void show(const char *name, int nr, long value);
/* A row for what was tried and refused: "WHO NAME refused ERRNO" */
void show_refused(const char *name, int error);
/* Takes WHO from the command line, returns the name of the part to be measured */
const char *begin(int argc, char **argv);

/*
 * The cost of an overflow: the smallest of the loops with one less the smallest of those without.
 * @head returns a value that each sample changes; @address is that of the sample which was the
 * first after @head had returned @before.
 */
struct overflow {
	unsigned long long (*head)(void);
	unsigned long (*address)(unsigned long long before);
};

long overflow_cost(const struct overflow *o);

/* Ticks for RATE_WORK instructions in user mode: with samples, less those without, is their cost */
#define RATE_WORK	20000000L
long rate_work(void);

/* A task that sleeps until stop_sleeper() */
pid_t start_sleeper(void);
void stop_sleeper(pid_t pid);

/*
 * The smallest cost of two context switches: a byte goes to another task through a pipe, and back.
 * A new pair of tasks for each measurement, because the scheduler treats a pair by its history.
 */
long round_trip(const char *what);

/* Threads of this process that sleep until it ends */
void start_threads(int nr);

#endif
