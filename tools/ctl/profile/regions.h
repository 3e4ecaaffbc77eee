/* SPDX-License-Identifier: GPL-2.0 */
/* The regions of ring3.h in a recording: when which thread was in which of them */
#ifndef KNC_CTL_REGIONS_H
#define KNC_CTL_REGIONS_H

#include <stddef.h>

#include "profile/data-file.h"
#include "profile/options.h"

struct regions;

struct regions *regions_new(const struct data_file *f);
void regions_free(struct regions *r);
/* Choose the regions of --time; returns 0, or an exit status after a message */
int regions_choose(struct regions *r, const struct wanted_names *names);
/*
 * Is @time, CLOCK_MONOTONIC in ns, between the first begin and the last end of chosen visits of the
 * rank that recorded the hardware thread?
 */
int regions_last(const struct regions *r, unsigned int cpu, unsigned long long time);
/* Was the thread in one of the chosen regions when the time stamp counter was @tsc? */
int regions_chosen(const struct regions *r, unsigned int tid, unsigned long long tsc);
/* Narrow @from to @to, CLOCK_MONOTONIC in ns, to its first part in chosen regions; 0: no part */
int regions_narrow(const struct regions *r, unsigned int tid, unsigned long long *from,
		   unsigned long long *to);
/* The innermost region that the thread was in; NULL: none */
const char *regions_innermost(struct regions *r, unsigned int tid, unsigned long long tsc);
/* Write "solve (8 visits), copy (8 visits)"; "" without regions */
void regions_describe(const struct regions *r, char *text, size_t size);

#endif /* KNC_CTL_REGIONS_H */
