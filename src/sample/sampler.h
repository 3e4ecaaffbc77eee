/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sampler: takes the samples of one session on one hardware thread
 */
#ifndef KNC_PMU_SAMPLER_H
#define KNC_PMU_SAMPLER_H

#include <linux/wait.h>

#include "sample/state.h"

struct knc_request;

int knc_sampler_alloc(struct knc_sampler *s, const struct knc_request *req,
		      unsigned int cpu, wait_queue_head_t *wait);
void knc_sampler_init(struct knc_sampler *s, const struct knc_request *req,
		      struct knc_claim *claim, struct pid_namespace *pid_ns);
void knc_sampler_hide_kernel(struct knc_sampler *s);
void knc_sampler_destroy(struct knc_sampler *s);

void knc_sampler_attach(struct knc_sampler *s);
void knc_sampler_detach(struct knc_sampler *s);
void knc_sampler_sched_in(struct knc_sampler *s, struct knc_claim *claim,
			  const struct task_struct *task);
void knc_sampler_sched_out(struct knc_sampler *s);
void knc_sampler_inherit(const struct knc_claim *claim, struct knc_claim *child);
void knc_sampler_drop_overdue(struct knc_sampler *s, struct knc_claim *claim);
void knc_sampler_start(struct knc_sampler *s);
void knc_sampler_stop(struct knc_sampler *s);

#endif /* KNC_PMU_SAMPLER_H */
