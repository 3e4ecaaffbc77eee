/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions of commands that need no more than one */
#ifndef KNC_CTL_DEVICE_H
#define KNC_CTL_DEVICE_H

#include <kncpmu.h>

#include "cli/message.h"

/* A session, or -1 and the message is out */
int open_device(void);

/* What @work returns with a session, or CTL_FAILED */
int with_device(int (*work)(int fd, void *ctx), void *ctx);

/* kncpmu_config() that says what is wrong */
int configure(int fd, const struct kncpmu_cpus *cpus,
	      struct knc_pmu_event *events, unsigned int nr);

/* 1 and in @owner who has a counter of @cpu; 0: no session; a negative errno */
int cpu_owner(int fd, unsigned int cpu, struct knc_pmu_owner *owner);

#endif /* KNC_CTL_DEVICE_H */
