/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of cache monitoring share: an emulated Haswell-EP with two packages of two
 * hardware threads
 *
 * A program that touches N bytes owns at least N bytes of the L3 afterwards: there is room, because
 * the L3 replaces the least recently used line. The kernel and the test itself bring in less than
 * SLACK.
 */
#ifndef KNC_ARCH_TEST_CACHE_H
#define KNC_ARCH_TEST_CACHE_H

#include <sys/types.h>

#include <kncpmu.h>

#include "lib.h"

#define LINE		64
#define UNIT		4096ULL
#define SIZE		(2ULL << 20)
#define RMIDS		32
#define THRESHOLD	(SIZE / RMIDS)
#define TOUCHED		(512ULL << 10)
#define SLACK		(192ULL << 10)
#define CLASS		(3ULL << 32)
#define CMT		3

/* Touch lines of memory that no test before has touched */
void touch(size_t from, size_t bytes);
/* Replace all lines of both L3s by lines of RMID 0 */
void sweep(void);

/* Read or write an MSR of a hardware thread. @want: the expected result of a write, -EIO for #GP */
unsigned long long get(unsigned int cpu, unsigned int msr);
void put(unsigned int cpu, unsigned int msr, unsigned long long value, int want);
/* Set upper bits that IA32_QM_CTR of a package returns */
void inject(unsigned int cpu, unsigned long long bits);

/* CONFIG for hardware threads @cpus, a mask, or for task @pid if that is 0 */
int try_config(int fd, unsigned int cpus, pid_t pid, unsigned int flags,
	       struct knc_pmu_config *config);
int session(unsigned int cpus, pid_t pid, unsigned int flags);
void refused(const char *what, unsigned int cpus, pid_t pid, unsigned int flags, int want,
	     unsigned int reason);

/* The records of READ, one for each L3 */
extern struct knc_pmu_thread records[4];
int read_all(int fd);
/* The level of the first L3 in the answer */
unsigned long long level(int fd);

#endif /* KNC_ARCH_TEST_CACHE_H */
