/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measurements of cost.c and perf.c, in executed guest instructions. knc-pmuctl bench uses the same
 * functions, in tools/ctl/bench.
 *
 * On the card a tick of the time stamp counter is one executed instruction (knc-vm --icount).
 * Therefore RDTSC before and after a piece of work counts all of it, including the kernel, without
 * the PMU. The minimum of many runs is the cost of the work itself, without timer interrupts.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/measure.h"

#define MAX_THREADS	256

/* Print the errno, and exit */
void die(const char *what);
/* If @err is a negative errno, print it and exit */
void die_of(const char *what, int err);

/* Instructions of one run, RDTSC included. @work returns 0 or a negative errno. */
unsigned long long once(const char *what, long (*work)(void));
/* The minimum of RUNS, or of FEW_RUNS, without the cost of RDTSC */
unsigned long long cost(const char *what, long (*work)(void));
unsigned long long cost_of_few(const char *what, long (*work)(void));
/* The median of @nr values; sorts them */
long median(long *values, int nr);

/* Print a row "WHO NAME VALUE"; a %d in @name becomes @nr */
void show(const char *name, int nr, long value);
/* Print a row for an operation that was refused: "WHO NAME refused ERRNO" */
void show_refused(const char *name, int error);
/* Takes WHO from the command line, returns the name of the part to be measured */
const char *begin(int argc, char **argv);

/* The minimal cost of an overflow: see measure_overflow() */
long overflow_cost(const struct overflow *o);

/*
 * Work of so many instructions in user mode: its ticks with samples minus those without are the
 * cost of the samples
 */
#define RATE_WORK	20000000L
long rate_work(void);

/* The minimal cost of two context switches: see measure_round_trip() */
long round_trip(const char *what);

/* The next number of events to measure after @nr: 1, 2, the number of a host's counters, then 0. */
unsigned int next_size(unsigned int nr);

/* Threads of this process that sleep until it ends */
void start_threads(int nr);

/*
 * A sleeping process, which has @nr threads after fill_crowd(). Sessions that follow the process
 * with INHERIT follow these threads, too.
 */
pid_t start_crowd(void);
void fill_crowd(int nr);
/* Call @show_crowd for a small and a large crowd. @none: the cost of a round trip without one */
void show_crowds(void (*show_crowd)(long none, int nr));

/* Bytes that the kernel has allocated: slabs, per-CPU memory, vmalloc. Needs root. */
long kernel_memory(void);

#endif
