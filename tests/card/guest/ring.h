/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that test programs with samples share */
#ifndef KNC_TEST_RING_H
#define KNC_TEST_RING_H

#include <stddef.h>

#include "lib.h"

#define SAMPLE		KNC_PMU_EVENT_SAMPLE

/* A period for runs that must not be throttled: longer where an interrupt takes longer */
#define PERIOD		(10007ULL * pace())

/*
 * A ring, and the sums of the records that its reader has found. A test fails if the ring belongs
 * to another hardware thread, or if records overlap or have a wrong size.
 */
struct ring {
	struct knc_pmu_ring *page;
	unsigned char *data;
	unsigned long long size;
	size_t mapped;
	unsigned int cpu;
	/* if set, called with each record */
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
/* Read the ring of a stopped session until it is empty and the end of throttling was reported */
void drain_ring(struct ring *ring);

/*
 * Check the sums of a drained ring of a stopped session: every record was read or lost, and the
 * count of event @i since CONFIG equals its sampled, lost and unsampled events to less than a
 * period.
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
	/* increase of the statistics while the program ran */
	struct knc_pmu_stats stats;
	/* from before START to after STOP, ns */
	unsigned long long took;
	/* if set, called before each try of run_unthrottled() */
	void (*begin)(void);
};

/*
 * Run a program as measure() does, with a session for run->r, and read its ring with
 * run->ring.each. The sums of the ring and the statistics are checked. The session remains open,
 * and stopped.
 */
void run_sampled(struct run *run, unsigned int cpu, const char *name,
		 unsigned long n, unsigned long m);

/*
 * As run_sampled(), repeated until nothing is throttled: on a machine that often stands still in a
 * handler, interrupts may look too close to each other.
 */
void run_unthrottled(struct run *run, unsigned int cpu, const char *name,
		     unsigned long n, unsigned long m);

/* The copy of the stack in a sample with KNC_PMU_SAMPLE_STACK */
const struct knc_pmu_stack *stack_of(const struct knc_pmu_sample *s);

/* Does the sample stand for events of the program although its interrupt came in the kernel? */
int is_late(const struct knc_pmu_sample *s);

/* Close the session and its ring, so that another session can be opened */
void end_run(struct run *run);

/* The address of a symbol in a program of tests/card/prog */
struct symbol {
	unsigned long long begin;
	unsigned long long end;
};

void find_symbol(const char *program, const char *name, struct symbol *symbol);
int within(const struct symbol *symbol, unsigned long long ip);

#endif /* KNC_TEST_RING_H */
