/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What cost.c and perf.c measure with: executed guest instructions. knc-pmuctl bench measures with
 * the same, tools/ctl/bench.
 *
 * On the card with one time stamp counter tick per executed instruction (knc-vm --icount), RDTSC
 * before and after a piece of work counts all of it, kernel included, without touching the PMU. The
 * smallest of many runs is the cost of the work itself, without the timer interrupts that hit some
 * runs.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/measure.h"

#define MAX_THREADS	256

/* Complain and end */
void die(const char *what);

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

/* The smallest cost of an overflow: see measure_overflow() */
long overflow_cost(const struct overflow *o);

/* Ticks for RATE_WORK instructions in user mode: with samples, less those without, is their cost */
#define RATE_WORK	20000000L
long rate_work(void);

/* The smallest of two context switches: see measure_round_trip() */
long round_trip(const char *what);

/*
 * The numbers of events that are measured: 1, 2, and as many as a host has counters. Returns the
 * one after @nr; 0: no more.
 */
unsigned int next_size(unsigned int nr);

/* Threads of this process that sleep until it ends */
void start_threads(int nr);

/* A process that sleeps, and has @nr threads after fill_crowd(): they inherit what follows it. */
pid_t start_crowd(void);
void fill_crowd(int nr);

/* Bytes that the kernel has allocated: slabs, per-CPU memory, vmalloc. Takes root. */
long kernel_memory(void);

#endif
