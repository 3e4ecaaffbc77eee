/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions, for commands that need only one */
#ifndef KNC_CTL_DEVICE_H
#define KNC_CTL_DEVICE_H

#include <kncpmu.h>

#include "cli/message.h"

/* Open a session; -1: failed, and the message has been printed */
int open_device(void);

/* Call @work with a session; returns its status, or CTL_FAILED */
int with_device(int (*work)(int fd, void *ctx), void *ctx);

/* kncpmu_config() on a PMU, with a message; returns 0 or an exit status */
int configure(const struct kncpmu_pmu *pmu, int fd, const struct kncpmu_cpus *cpus,
	      struct knc_pmu_event *events, unsigned int nr);

/* Find the @owner of a counter of @cpu; returns 1, 0 if there is none, or a negative errno */
int cpu_owner(int fd, unsigned int cpu, struct knc_pmu_owner *owner);

#endif /* KNC_CTL_DEVICE_H */
