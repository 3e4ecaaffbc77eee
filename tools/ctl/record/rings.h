/* SPDX-License-Identifier: GPL-2.0 */
/* The session and its rings */
#ifndef KNC_CTL_RECORD_RINGS_H
#define KNC_CTL_RECORD_RINGS_H

#include "record/kernel.h"
#include "record/record.h"

/**
 * struct rings - a session that samples
 * @fd: the session
 * @config: its CONFIG
 * @events: its events
 * @rings: its rings, one a hardware thread
 * @nr: number of rings
 * @file: the data file
 * @sb: gets the process of each sample, which it may have to read from /proc
 * @kernel: addresses of samples in the kernel
 * @no_stacks: the module can't copy stacks
 * @samples: number of samples written
 * @times: number of time samples, written or not
 * @unwritten: number of samples read after a write error
 * @damaged: a ring was damaged; the message has been printed
 */
struct rings {
	int fd;
	struct knc_pmu_config config;
	struct knc_pmu_event events[DATA_EVENTS];
	struct kncpmu_ring *rings;
	unsigned int nr;
	struct data_writer *file;
	struct sideband *sb;
	struct addresses kernel;
	int no_stacks;
	unsigned long long samples;
	unsigned long long times;
	unsigned long long unwritten;
	int damaged;
};

/* Stack copies that the user did not ask for take at most 1/8 of the ring */
#define STACK_PART	8
/* The size of the smallest rings, which have room for two samples */
unsigned int least_ring(const struct record_opts *opts);
/* Open the session; @pid: the task to follow, unless hardware threads are recorded */
int rings_open(struct rings *r, const struct record_opts *opts, int pid);
void rings_close(struct rings *r);
/* Write at most one whole ring of each hardware thread; returns the bytes */
unsigned long long rings_drain(struct rings *r);
/* Empty all rings */
void rings_finish(struct rings *r);
/* Write the counts of all events */
int rings_counts(struct rings *r);
/* KNC_PMU_THREAD_* of the followed tasks */
unsigned int rings_flags(const struct rings *r);

/**
 * struct rings_sums - sums of the fields of all rings
 * @samples: samples produced
 * @lost: lost ones of them
 * @unsampled: events that were counted but are in no sample
 * @throttles: how often samples were throttled
 * @switches: records of context switches produced
 * @lost_switches: lost ones of them
 */
struct rings_sums {
	unsigned long long samples;
	unsigned long long lost;
	unsigned long long unsampled;
	unsigned long long throttles;
	unsigned long long switches;
	unsigned long long lost_switches;
};

void rings_sums(const struct rings *r, struct rings_sums *sums);

#endif /* KNC_CTL_RECORD_RINGS_H */
