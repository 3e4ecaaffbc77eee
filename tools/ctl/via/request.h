/* SPDX-License-Identifier: GPL-2.0 */
/* What --via sends to the card: the command, and what its options name on this machine */
#ifndef KNC_CTL_REQUEST_H
#define KNC_CTL_REQUEST_H

#include "via/file.h"
#include "via/frame.h"
#include "via/via.h"

/* Make FRAME_START in @start, and prepare the file of -o in @file; returns an exit status */
int request_make(struct queue *start, struct far_copy *file, const struct via *via,
		 const struct command *cmd, int argc, char **argv);

#endif /* KNC_CTL_REQUEST_H */
