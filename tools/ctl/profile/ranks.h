/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several recordings in one file
 *
 * When a file of merge is read, the hardware threads and tasks of each rank get unique numbers, as
 * if all ranks had run on one machine. Users are shown the numbers on the hosts. In other files
 * these functions change nothing.
 */

#ifndef KNC_CTL_RANKS_H
#define KNC_CTL_RANKS_H

#include "profile/data-file.h"

/* The index in @ranks of a hardware thread's recording */
static inline unsigned int data_rank_index(unsigned int cpu)
{
	return cpu / KNC_PMU_MAX_CPUS;
}

/* The hardware thread's number on its host */
static inline unsigned int data_cpu(unsigned int cpu)
{
	return cpu % KNC_PMU_MAX_CPUS;
}

/* The rank of a hardware thread; -1: none */
static inline long long data_rank_of(const struct data_file *f, unsigned int cpu)
{
	return f->ranks[data_rank_index(cpu)].rank;
}

/* The number of a process or thread on its host */
unsigned int data_task_number(const struct data_file *f, unsigned int number);
/* The rank of a process or thread; -1: none */
long long data_task_rank(const struct data_file *f, unsigned int number);
/* The index in @ranks of its recording; 0 if that is not known */
unsigned int data_task_index(const struct data_file *f, unsigned int number);
/* CLOCK_MONOTONIC when the recording of a hardware thread began, and ended (0: not known) */
unsigned long long data_rank_started(const struct data_file *f, unsigned int cpu);
unsigned long long data_rank_ended(const struct data_file *f, unsigned int cpu);
/* The host of a recording; "unknown" */
const char *data_host(const struct data_file *f, size_t rank_index);
/* Does the file have symbols of a kernel? */
int data_has_ksyms(const struct data_file *f);
/* How many ranks the program had; 0: not known */
unsigned long long data_nr_ranks(const struct data_file *f);
/* Convert a rank's time to the file's */
unsigned long long data_shifted(unsigned long long time, long long shift);

/* read.c: take the chunk that begins a rank; returns 0 if it is damaged */
int ranks_begin(struct data_file *f, json_t *info);
/* read.c: renumber the tasks in records of the last rank, and shift their times */
void ranks_take_tasks(struct data_file *f, char *tasks, size_t size);
/* read.c: renumber and shift the last rank's records of regions */
void ranks_take_marks(struct data_file *f, char *marks, size_t size);
/* walk.c: renumber and shift a checked record of the rank with this index */
void ranks_take_record(const struct data_file *f, unsigned int index,
		       struct knc_pmu_record *record);
/* read.c: add up the sums of all ranks */
void ranks_sum(struct data_file *f);
void ranks_free(struct data_file *f);

#endif /* KNC_CTL_RANKS_H */
