/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several recordings in one file
 *
 * In a file of merge the hardware threads and tasks of each rank get numbers that no other rank's
 * have, when they are read: all else takes them for those of one machine. What is shown to the user
 * are the numbers that they had on their hosts. In other files these functions change nothing.
 */

#ifndef KNC_CTL_RANKS_H
#define KNC_CTL_RANKS_H

#include "profile/data-file.h"

/* The index in @ranks of the recording that a hardware thread belongs to */
static inline unsigned int data_rank_index(unsigned int cpu)
{
	return cpu / KNC_PMU_MAX_CPUS;
}

/* The hardware thread's number on its host */
static inline unsigned int data_cpu(unsigned int cpu)
{
	return cpu % KNC_PMU_MAX_CPUS;
}

/* The rank that a hardware thread belongs to; -1: none */
static inline long long data_rank_of(const struct data_file *f, unsigned int cpu)
{
	return f->ranks[data_rank_index(cpu)].rank;
}

/* The number of a process or thread on its host */
unsigned int data_task_number(const struct data_file *f, unsigned int number);
/* The rank of a process or thread; -1: none */
long long data_task_rank(const struct data_file *f, unsigned int number);
/* CLOCK_MONOTONIC when the recording of a hardware thread began, and ended (0: not known) */
unsigned long long data_rank_started(const struct data_file *f, unsigned int cpu);
unsigned long long data_rank_ended(const struct data_file *f, unsigned int cpu);
/* The host of a recording; "unknown" */
const char *data_host(const struct data_file *f, size_t rank_index);
/* Are there symbols of a kernel? */
int data_has_ksyms(const struct data_file *f);
/* The ranks that the program had; 0: not known */
unsigned long long data_nr_ranks(const struct data_file *f);
/* A time of a rank in those of the file */
unsigned long long data_shifted(unsigned long long time, long long shift);

/* read.c: take the chunk that begins a rank; returns 0 if it is damaged */
int ranks_begin(struct data_file *f, json_t *info);
/* read.c: give records of tasks of the last rank their numbers and times */
void ranks_take_tasks(struct data_file *f, char *tasks, size_t size);
/* read.c: the same for records of regions */
void ranks_take_marks(struct data_file *f, char *marks, size_t size);
/* walk.c: the same for a record of the rank with this index, which passed the checks */
void ranks_take_record(const struct data_file *f, unsigned int index,
		       struct knc_pmu_record *record);
/* read.c: add up the sums of all ranks */
void ranks_sum(struct data_file *f);
void ranks_free(struct data_file *f);

#endif /* KNC_CTL_RANKS_H */
