/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that test programs with samples share */
#ifndef KNC_TEST_RING_H
#define KNC_TEST_RING_H

#include <stddef.h>

#include "lib.h"

#define SAMPLE		KNC_PMU_EVENT_SAMPLE

/* where nothing must be throttled: longer, as the interrupt takes longer */
#define PERIOD		(10007ULL * pace())

/*
 * A ring, and the sums of the records that its reader has found. A test fails
 * if a ring belongs to another hardware thread, or if records overlap or have a
 * wrong size.
 */
struct ring {
	struct knc_pmu_ring *page;
	unsigned char *data;
	unsigned long long size;
	size_t mapped;
	unsigned int cpu;
	/* called with each record, if there is one */
	void (*each)(struct ring *ring, const struct knc_pmu_record *record);

	unsigned long long samples[KNC_NR_COUNTERS];
	unsigned long long period[KNC_NR_COUNTERS];
	unsigned long long switches;
	unsigned long long lost;
	unsigned long long lost_events[KNC_NR_COUNTERS];
	unsigned long long times;
	unsigned long long missed;
	unsigned long long delta[KNC_NR_COUNTERS];
	unsigned long long throttles;
	unsigned long long unthrottles;
	unsigned long long unsampled[KNC_NR_COUNTERS];
	unsigned long long tsc;
};

/* A request for samples of event @i */
void ask_sample(struct request *r, unsigned int i, unsigned int code,
		unsigned int flags, unsigned long long period);

void map_ring(struct ring *ring, int fd, unsigned int i, unsigned int cpu,
	      unsigned int ring_size);
void unmap_ring(struct ring *ring);
/* Read all records; returns how many there were */
unsigned int read_ring(struct ring *ring);
/* Of a stopped session: read until nothing is left and the end of throttling was reported */
void drain_ring(struct ring *ring);

/*
 * The sums of a drained ring of a stopped session: everything produced was read
 * or lost; the count of event @i since CONFIG is sampled, lost or unsampled, to
 * less than a period.
 */
void check_produced(const struct ring *ring);
void check_sum(const struct ring *ring, unsigned int i,
	       unsigned long long count, unsigned long long period);

void get_stats(unsigned int cpu, struct knc_pmu_stats *stats);
/* STATUS is 0 and the overflow interrupt is not masked */
void check_quiet(int fd, unsigned int cpu);

/* A session that samples while a program runs, and its results */
struct run {
	struct request r;
	unsigned int cpu;
	int fd;
	int pid;
	struct ring ring;
	unsigned long long count[KNC_NR_COUNTERS];
	/* the increase by the program */
	struct knc_pmu_stats stats;
	/* from before START to after STOP, ns */
	unsigned long long took;
	/* called before each try of run_unthrottled(), if there is one */
	void (*begin)(void);
};

/*
 * Run a program as measure() does, with a session for run->r, and read its
 * ring; run->ring.each is called with the records. The sums of the ring and the
 * statistics are checked. The session is left open, and stopped.
 */
void run_sampled(struct run *run, unsigned int cpu, const char *name,
		 unsigned long n, unsigned long m);

/*
 * The same, repeated until samples are not throttled: interrupts may be close on a machine that
 * often stands still in their middle.
 */
void run_unthrottled(struct run *run, unsigned int cpu, const char *name,
		     unsigned long n, unsigned long m);

/* Of a sample with KNC_PMU_SAMPLE_STACK */
const struct knc_pmu_stack *stack_of(const struct knc_pmu_sample *s);

/* A sample of a program whose interrupt came in the kernel */
int is_late(const struct knc_pmu_sample *s);

/* Give everything back, so that another session can be had */
void end_run(struct run *run);

/* The place of a symbol in a program of tests/card/prog */
struct symbol {
	unsigned long long begin;
	unsigned long long end;
};

void find_symbol(const char *program, const char *name, struct symbol *symbol);
int within(const struct symbol *symbol, unsigned long long ip);

#endif /* KNC_TEST_RING_H */
