/* SPDX-License-Identifier: GPL-2.0 */
/* Work with known counts, and counting it: work.c, trial.c */
#ifndef KNC_CTL_SELFTEST_TRIAL_H
#define KNC_CTL_SELFTEST_TRIAL_H

#include "selftest/selftest.h"

/*
 * Work of @n iterations; @memory has 16 bytes. The comments below say what an iteration consists of
 */
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

/* Configure for hardware thread @cpu, or for the caller (NO_CPU). Returns 0, or fails the check */
int trial_open(struct selftest *t, struct trial *s, unsigned int cpu);
int trial_start(struct selftest *t, struct trial *s);
/* READ, with @flags such as KNC_PMU_READ_STOP */
int trial_read(struct selftest *t, struct trial *s, unsigned int flags,
	       struct knc_pmu_thread *record);
void trial_close(struct trial *s);
/* Call @fn for each sample in the ring */
void trial_samples(struct trial *s, void (*fn)(void *ctx, const struct knc_pmu_sample *sample),
		   void *ctx);
/* Run @work while @s counts, and return the counts */
int trial_count(struct selftest *t, struct trial *s, unsigned int cpu, work_fn work,
		unsigned long n, __u64 *counts);

/* Run this program on @cpu from now on */
int run_on(struct selftest *t, unsigned int cpu);
/* Read a register of a hardware thread; if that fails returns 0 and fails the check */
__u64 read_register(struct selftest *t, unsigned int cpu, unsigned int space, unsigned int number);
/* Write a register's name, such as "msr 0x2c", to @name of REGISTER_NAME bytes */
#define REGISTER_NAME 32
void name_register(const struct knc_pmu_reg *reg, char *name);
int read_registers(struct selftest *t, unsigned int cpu, struct knc_pmu_reg *regs, unsigned int nr);
/* Read the statistics of a hardware thread's interrupt handlers */
int read_stats(struct selftest *t, unsigned int cpu, struct knc_pmu_stats *stats);

#endif /* KNC_CTL_SELFTEST_TRIAL_H */
