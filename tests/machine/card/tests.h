/* SPDX-License-Identifier: GPL-2.0 */
/* Bare-metal test of the emulated card: the tests, each in the file of its unit */
#ifndef TESTS_H
#define TESTS_H

#include "card.h"

/* registers.c */
void test_reset(void);
void test_cpuid(void);
void test_registers(void);

/* lacking.c; @cores: two cores, and the last one boots */
void test_lacking(bool silicon, bool cores);

/* events.c */
void test_flags(void);
void test_counts(void);
void test_enables(void);
void test_unknown_events(void);
void test_conditions(void);
void test_cycles_of_pairs(void);
void test_wrap(void);

/* rings.c */
void test_privilege(void);
void test_faults(void);
void test_rdpmc(void);

/* spflt.c */
void test_spflt(void);
/* Are the bytes an invalid opcode? They are executed, and must be harmless if not */
bool is_invalid(const u8 *bytes, unsigned int size);

/* pmi.c */
void test_pmi(void);
void test_skid(void);
void test_blocking(void);
void test_fixed(void);

/* sampling.c */
void test_sampling(void);
/* Test distances that are multiples of @step, and 1 */
void test_places(unsigned int step);
void test_middle(void);

/*
 * threads.c; the card's reading of 1.4.3.8, its CPU's option core-pmi: is the thread interrupted
 * that executes when the clock overflows, and the one that causes a shared event?
 */
void test_threads(bool running, bool causing);

/* units.c; of two cores, with thread 4 */
void test_units(void);
void test_units_of_cores(bool one_host_thread);
void units_of_other_core(void);

/* clock.c */
void test_clock(void);
void test_clock_of_cores(void);
void test_icount(void);

/* pipes.c, prefetch.c, vectors.c, vpu.c, kernels.c, textbook.c, silicon.c */
void test_pipes(void);
void test_prefetch(void);
void test_prefetcher(void);
void test_vectors(void);
void test_vpu(void);
void test_kernels(void);
void test_timing(void);
void test_textbook(void);
void test_competition(void);
void test_silicon(void);
void test_silicon_of_threads(void);
void silicon_work(void);

#endif /* TESTS_H */
