/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that were read from /proc */
#ifndef KNC_CTL_RECORD_KNOWN_H
#define KNC_CTL_RECORD_KNOWN_H

#include "record/buffer.h"

void known_free(struct sideband *sb);
/* Warn if /proc has not the processes that the kernel tells of; returns 0 or a negative errno */
int known_check(void);
/* Call known_look() for every process */
void known_scan(struct sideband *sb);
/* Read a process from /proc, and write what is new */
void known_look(struct sideband *sb, int pid, unsigned long long time);
/* A process was sampled: if the kernel sends no records, known_look() once a round */
void known_sampled(struct sideband *sb, int pid, unsigned long long time);

#endif /* KNC_CTL_RECORD_KNOWN_H */
