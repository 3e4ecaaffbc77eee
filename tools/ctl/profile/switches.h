/* SPDX-License-Identifier: GPL-2.0 */
/* Context switches to samples: where threads were in their programs while they were not running */
#ifndef KNC_CTL_SWITCHES_H
#define KNC_CTL_SWITCHES_H

#include "profile/data-file.h"

struct switches;

/* Called for each time; @r: a sample of that time, whose @period is its length in ns */
typedef void (*switches_fn)(void *ctx, const struct knc_pmu_sample *r);

/* NULL: the recording has no context switches, which all functions accept */
struct switches *switches_new(const struct data_file *f, switches_fn fn, void *ctx);
/* A thread leaves its hardware thread, or is on one; in the order of time */
void switches_out(struct switches *w, const struct knc_pmu_sample *r);
void switches_in(struct switches *w, const struct knc_pmu_sample *r);
/* The recording has ended: so have the times of the threads that are on no hardware thread */
void switches_end(struct switches *w);

#endif /* KNC_CTL_SWITCHES_H */
