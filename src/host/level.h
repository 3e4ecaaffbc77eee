/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions that read levels, not counts: how many bytes of an L3 the lines of one RMID occupy. The
 * session's hardware threads or tasks share that RMID.
 *
 * Only modules for hosts have levels. Such a session has a struct knc_level in place of counters.
 */
#ifndef KNC_HOST_LEVEL_H
#define KNC_HOST_LEVEL_H

#include <linux/types.h>

#include "host/host.h"

/* The PMU's number in the ABI, the next after KNC_UNCORE_ID */
#define KNC_LEVEL_PMU	3

extern const struct knc_host_pmu knc_level_pmu;

int knc_level_check(const struct knc_request *req, struct knc_refusal *why);
void *knc_level_open(const struct knc_request *req, struct knc_refusal *why);
void knc_level_close(void *has);
int knc_level_run(void *has, bool run);
int knc_level_read(void *has, u64 size, u32 flags, const void **records, size_t *needed);
void knc_level_online(unsigned int cpu);
void knc_level_offline(unsigned int cpu);

#endif /* KNC_HOST_LEVEL_H */
