/* SPDX-License-Identifier: GPL-2.0 */
/* The cost of a piece of work, by RDTSC before and after it. tests/bench uses this too */
#ifndef KNC_CTL_BENCH_MEASURE_H
#define KNC_CTL_BENCH_MEASURE_H

#include <sys/syscall.h>
#include <sys/types.h>

#define RUNS		512
#define FEW_RUNS	32	/* runs of operations that take milliseconds */
#define PERIOD		20011	/* instructions from one measured sample to the next */
#define FRAMES		5	/* addresses in a call chain, the caller included */
#define STACK		8192	/* bytes of the stack's copy, at most: perf's default */
#define RING		0x40000U /* bytes of a ring; perf lets users without rights map 512 KB */
#define NR_TASKS	1000	/* threads of a large process */
#define MAX_MEASURED	7	/* events of a session: a host has 7 counters, a card two */
#define SETTLE		5	/* seconds until hooks of closed sessions and events are removed */

/**
 * struct cost - ticks of the time stamp counter, less those that RDTSC itself takes
 * @least: the minimum: a run without an interrupt
 * @median: the median
 * @runs: number of runs; for an overflow, of those that had one
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

/* Keep the compiler from dropping the computation of @value */
static inline void use(unsigned long value)
{
	__asm__ volatile("" : : "r" (value));
}

/* A system call without libc's wrapper, to leave its cost out */
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

/* From now on, start no further run after this many ticks of a measurement; 0: no limit */
void measure_limit(unsigned long long ticks);

/* The functions below return 0, or the first negative errno that @work returned */

/* Measure one run; *@ticks include the ticks of RDTSC itself */
int measure_once(long (*work)(void), unsigned long long *ticks);
/* Measure at most @runs runs; @runs is RUNS at most */
int measure(long (*work)(void), unsigned int runs, struct cost *cost);

/**
 * struct overflow - functions that tell whether and where an overflow occurred
 * @head: returns a value that changes with each sample
 * @address: returns the address of the first sample after @head returned @before
 * @done: called after all samples up to now were looked at; may be NULL
 */
struct overflow {
	unsigned long long (*head)(void);
	unsigned long (*address)(unsigned long long before);
	void (*done)(void);
};

/*
 * Measure the ticks of loops with an overflow, less those of loops without; -ENODATA: none
 * overflowed
 */
int measure_overflow(const struct overflow *o, struct cost *cost);

/*
 * Two context switches: a byte goes to another task through a pipe, and back. A new pair of tasks
 * for each measurement, because the scheduler treats a pair by its history.
 */
int measure_round_trip(struct cost *cost);

/* Start a task that sleeps until stop_sleeper(), or until the caller ends; or a negative errno */
pid_t start_sleeper(void);
void stop_sleeper(pid_t pid);

#endif /* KNC_CTL_BENCH_MEASURE_H */
