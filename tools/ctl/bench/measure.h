/* SPDX-License-Identifier: GPL-2.0 */
/* What a piece of work costs, by RDTSC before and after it. tests/bench measures with this too */
#ifndef KNC_CTL_BENCH_MEASURE_H
#define KNC_CTL_BENCH_MEASURE_H

#include <sys/syscall.h>
#include <sys/types.h>

#define RUNS		512
#define FEW_RUNS	32	/* of what takes milliseconds */
#define PERIOD		20011	/* instructions from one measured sample to the next */
#define FRAMES		5	/* of their call chains; measure.c and its caller keep them */
#define RING		0x40000U /* bytes; an ordinary user of perf may map half a megabyte */
#define NR_TASKS	1000	/* threads of a large process */
#define MAX_MEASURED	7	/* events of a session: a host has so many counters, a card two */
#define SETTLE		5	/* seconds in which hooks of closed sessions and events end */

/**
 * struct cost - ticks of the time stamp counter, without those of RDTSC
 * @least: the minimum, which no interrupt has hit
 * @median: the median
 * @runs: of how many runs; of overflows: of those with one
 */
struct cost {
	long long least;
	long long median;
	unsigned int runs;
};

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

/* No measurement of the next ones begins a run after this many ticks; 0: no limit */
void measure_limit(unsigned long long ticks);

/* The functions below return 0, or the negative errno of @work, which returns one or 0. */

/* One run, RDTSC included */
int measure_once(long (*work)(void), unsigned long long *ticks);
/* At most @runs, up to RUNS */
int measure(long (*work)(void), unsigned int runs, struct cost *cost);

/**
 * struct overflow - what tells of the last overflow
 * @head: returns a value that each sample changes
 * @address: that of the sample which was the first after @head had returned @before
 * @done: the samples so far have been looked at; NULL: no need to know
 */
struct overflow {
	unsigned long long (*head)(void);
	unsigned long (*address)(unsigned long long before);
	void (*done)(void);
};

/* Loops with an overflow, less those without; -ENODATA: no loop had one */
int measure_overflow(const struct overflow *o, struct cost *cost);

/*
 * Two context switches: a byte goes to another task through a pipe, and back. A new pair of tasks
 * for each measurement, because the scheduler treats a pair by its history.
 */
int measure_round_trip(struct cost *cost);

/* A task that sleeps until stop_sleeper(), or until the caller ends; or a negative errno */
pid_t start_sleeper(void);
void stop_sleeper(pid_t pid);

#endif /* KNC_CTL_BENCH_MEASURE_H */
