/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions that count on the uncore of packages
 */
#ifndef KNC_HOST_UNCORE_H
#define KNC_HOST_UNCORE_H

#include <linux/types.h>

#include "host/host.h"

struct knc_uncore;

/* The PMU's number in the ABI */
#define KNC_UNCORE_ID		2

extern const struct knc_host_pmu knc_uncore_pmu;

int knc_uncore_check(const struct knc_request *req, struct knc_refusal *why);
void *knc_uncore_open(const struct knc_request *req, struct knc_refusal *why);
void knc_uncore_close(void *has);
int knc_uncore_run(void *has, bool run);
int knc_uncore_reset(void *has, bool registers);
int knc_uncore_read(void *has, u64 size, u32 flags, const void **records, size_t *needed);
int knc_uncore_owner(unsigned int cpu, unsigned int counter, s32 *pid);
void knc_uncore_online(unsigned int cpu);
void knc_uncore_offline(unsigned int cpu);

#endif /* KNC_HOST_UNCORE_H */
