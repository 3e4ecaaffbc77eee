/* SPDX-License-Identifier: GPL-2.0 */
/* Converts context switches to samples: the places in programs where threads were waiting */
#ifndef KNC_CTL_SWITCHES_H
#define KNC_CTL_SWITCHES_H

#include "profile/data-file.h"

struct switches;

/* Called for each time; @r: a sample of that time, whose @period is its length in ns */
typedef void (*switches_fn)(void *ctx, const struct knc_pmu_sample *r);

/* Returns NULL, which all functions accept, for a recording without context switches */
struct switches *switches_new(const struct data_file *f, switches_fn fn, void *ctx);
/* Take a record: a thread leaves its hardware thread, or is on one. Call in the order of time */
void switches_out(struct switches *w, const struct knc_pmu_sample *r);
void switches_in(struct switches *w, const struct knc_pmu_sample *r);
/* Finish: times of threads that are still away end with the recording */
void switches_end(struct switches *w);

#endif /* KNC_CTL_SWITCHES_H */
