/* SPDX-License-Identifier: GPL-2.0 */
/* Processes whose names and mappings are read from /proc */
#ifndef KNC_CTL_RECORD_KNOWN_H
#define KNC_CTL_RECORD_KNOWN_H

#include "record/buffer.h"

void known_free(struct sideband *sb);
/* Warn if /proc shows other processes than the kernel reports; returns 0 or a negative errno */
int known_check(void);
/* Call known_look() for every process */
void known_scan(struct sideband *sb);
/* Read a process from /proc, and write what is new */
void known_look(struct sideband *sb, int pid, unsigned long long time);
/* Call for each sample: known_look() once a round, if the kernel sends no records */
void known_sampled(struct sideband *sb, int pid, unsigned long long time);

#endif /* KNC_CTL_RECORD_KNOWN_H */
