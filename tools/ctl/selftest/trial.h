/* SPDX-License-Identifier: GPL-2.0 */
/* Work whose counts are known, and counting it: work.c, trial.c */
#ifndef KNC_CTL_SELFTEST_TRIAL_H
#define KNC_CTL_SELFTEST_TRIAL_H

#include "selftest/selftest.h"

/* Work of @n iterations; @memory has 16 bytes. Below: what an iteration has */
typedef void (*work_fn)(unsigned long n, void *memory);

void work_loop(unsigned long n, void *memory);	/* 2 instructions, 1 branch */
void work_copy(unsigned long n, void *memory);	/* 4 instructions, 1 branch, 1 load, 1 store */
void work_call(unsigned long n, void *memory);	/* 4 instructions, 3 branches, 1 load, 1 store */
void work_store(unsigned long n, void *memory);	/* 1 store, SLED NOPs, DEC, JNZ */

#define SLED	12
/* The address after the store of work_store() */
extern const char work_store_next[];

/* @rounds iterations of work that causes as many different events as possible */
void work_everything(unsigned int rounds);

/* Make *@event an event on counter @n */
void event_on(struct knc_pmu_event *event, unsigned int n, __u64 code, unsigned int flags);

/**
 * struct trial - a session and what it counts
 * @fd: the session; -1: none
 * @nr: number of events
 * @event: the events
 * @config: its CONFIG: for sampling @ring_size, for the rest @flags
 * @ring: the ring of the first hardware thread, if it samples there
 */
struct trial {
	int fd;
	unsigned int nr;
	struct knc_pmu_event event[KNC_NR_COUNTERS];
	struct knc_pmu_config config;
	struct kncpmu_ring ring;
};

/* Configure for a hardware thread, or the own task (NO_CPU). Returns 0, or fails the check */
int trial_open(struct selftest *t, struct trial *s, unsigned int cpu);
int trial_start(struct selftest *t, struct trial *s);
/* Read, and stop if @flags has KNC_PMU_READ_STOP */
int trial_read(struct selftest *t, struct trial *s, unsigned int flags,
	       struct knc_pmu_thread *record);
void trial_close(struct trial *s);
/* Call @fn for each sample in its ring */
void trial_samples(struct trial *s, void (*fn)(void *ctx, const struct knc_pmu_sample *sample),
		   void *ctx);
/* Run @work while @s counts, and give the counts */
int trial_count(struct selftest *t, struct trial *s, unsigned int cpu, work_fn work,
		unsigned long n, __u64 *counts);

/* This program runs on @cpu from now on */
int run_on(struct selftest *t, unsigned int cpu);
/* A register of a hardware thread; 0 and a failed check if it can't be read */
__u64 read_register(struct selftest *t, unsigned int cpu, unsigned int space, unsigned int number);
/* "msr 0x2c", in @name of REGISTER_NAME bytes */
#define REGISTER_NAME 32
void name_register(const struct knc_pmu_reg *reg, char *name);
int read_registers(struct selftest *t, unsigned int cpu, struct knc_pmu_reg *regs, unsigned int nr);
/* What the interrupt handlers of a hardware thread have counted */
int read_stats(struct selftest *t, unsigned int cpu, struct knc_pmu_stats *stats);

#endif /* KNC_CTL_SELFTEST_TRIAL_H */
