/* SPDX-License-Identifier: GPL-2.0 */
/* Records of tasks, from the kernel's software events */
#ifndef KNC_CTL_RECORD_SIDEBAND_H
#define KNC_CTL_RECORD_SIDEBAND_H

#include <poll.h>

#include "record/buffer.h"

int sideband_init(struct sideband *sb, struct data_writer *file);
void sideband_free(struct sideband *sb);

/* Fill in the descriptors to poll; @fds has room for sb->nr_rings */
void sideband_poll(const struct sideband *sb, struct pollfd *fds);

/* Read all records, and write them */
void sideband_drain(struct sideband *sb);

#endif /* KNC_CTL_RECORD_SIDEBAND_H */
