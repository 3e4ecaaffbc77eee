/* SPDX-License-Identifier: GPL-2.0 */
/* How many of the recorded threads ran at a time, by records of context switches */
#ifndef KNC_CTL_PARALLELISM_H
#define KNC_CTL_PARALLELISM_H

#include "profile/data-file.h"

struct parallelism;

/* Read all of the recording; NULL after a message */
struct parallelism *parallelism_new(const struct data_file *f);
void parallelism_free(struct parallelism *p);
/* The number of threads that ran at @time, CLOCK_MONOTONIC in ns; at least 1, the sampled one */
unsigned int parallelism_at(const struct parallelism *p, unsigned long long time);

#endif /* KNC_CTL_PARALLELISM_H */
