/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs share that let sessions sample
 */
#ifndef KNC_TEST_RING_H
#define KNC_TEST_RING_H

#include <stddef.h>

#include "lib.h"

#define SAMPLE		KNC_PMU_EVENT_SAMPLE

/* where nothing is to be throttled: so much longer, the longer an interrupt takes */
#define PERIOD		(10007ULL * pace())

/*
 * A ring, and what its reader has found in it: sums of its records. Of a ring
 * of another hardware thread, of records that overlap or are of another size
 * than they should be, a test fails.
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

/* A request of event @i to be sampled */
void ask_sample(struct request *r, unsigned int i, unsigned int code,
		unsigned int flags, unsigned long long period);

void map_ring(struct ring *ring, int fd, unsigned int i, unsigned int cpu,
	      unsigned int ring_size);
void unmap_ring(struct ring *ring);
/* Read all there is; returns how many records there were */
unsigned int read_ring(struct ring *ring);
/* Of a stopped session: read until nothing is left and all that was throttled is told */
void drain_ring(struct ring *ring);

/*
 * The sums of a drained ring of a stopped session: everything produced was read
 * or lost; what event @i has counted since CONFIG is in samples, lost or
 * unsampled but for less than a period.
 */
void check_produced(const struct ring *ring);
void check_sum(const struct ring *ring, unsigned int i,
	       unsigned long long count, unsigned long long period);

void get_stats(unsigned int cpu, struct knc_pmu_stats *stats);
/* STATUS is 0 and the overflow interrupt let through */
void check_quiet(int fd, unsigned int cpu);

/* A session that samples while a program runs, and what came of it */
struct run {
	struct request r;
	unsigned int cpu;
	int fd;
	int pid;
	struct ring ring;
	unsigned long long count[KNC_NR_COUNTERS];
	/* the difference it made */
	struct knc_pmu_stats stats;
	/* from before START to behind STOP, ns */
	unsigned long long took;
	/* called before each try of run_unthrottled(), if there is one */
	void (*begin)(void);
};

/*
 * Run a program as measure() does, with a session as run->r asks, and read its
 * ring. What run->ring.each is set to is called with the records. The sums of
 * the ring and the statistics are checked; the session is left open, stopped.
 */
void run_sampled(struct run *run, unsigned int cpu, const char *name,
		 unsigned long n, unsigned long m);

/*
 * The same, as often as it takes until samples are not throttled: interrupts may be
 * dense on a machine that often stands still just in them.
 */
void run_unthrottled(struct run *run, unsigned int cpu, const char *name,
		     unsigned long n, unsigned long m);

/* A sample of a program that was in the kernel when the interrupt came */
int is_late(const struct knc_pmu_sample *s);

/* Give everything back, so that another session can be had */
void end_run(struct run *run);

/* Where a symbol of a program of tests/system/prog is */
struct symbol {
	unsigned long long begin;
	unsigned long long end;
};

void find_symbol(const char *program, const char *name, struct symbol *symbol);
int within(const struct symbol *symbol, unsigned long long ip);

#endif /* KNC_TEST_RING_H */
