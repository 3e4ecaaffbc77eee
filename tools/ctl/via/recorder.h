/* SPDX-License-Identifier: GPL-2.0 */
/* The static knc-pmuctl that is copied to the card */
#ifndef KNC_CTL_RECORDER_H
#define KNC_CTL_RECORDER_H

#include "via/frame.h"

/**
 * struct recorder - a program for the card
 * @path: its file here
 * @name: of its file on the card, which no other contents have
 * @image: what is copied: without symbols and sections
 */
struct recorder {
	char path[4096];
	char name[64];
	struct queue image;
};

/* Load the tool from @path; NULL: this installation's. Returns an exit status */
int recorder_load(struct recorder *r, const char *path);

#endif /* KNC_CTL_RECORDER_H */
