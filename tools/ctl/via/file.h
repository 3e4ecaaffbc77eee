/* SPDX-License-Identifier: GPL-2.0 */
/* The file of -o, whose contents come from the card */
#ifndef KNC_CTL_VIA_FILE_H
#define KNC_CTL_VIA_FILE_H

#include "record/writer.h"
#include "stat/output.h"

/**
 * struct far_copy - the file of -o
 * @path: its name; NULL: none
 * @recording: it is a recording: an existing one is renamed; else it is overwritten
 * @append: append to it
 * @kept: the card's side said that it is to be kept
 * @open: it is open
 * @output: the file, or
 * @writer: the recording
 */
struct far_copy {
	const char *path;
	int recording;
	int append;
	int kept;
	int open;
	struct output output;
	struct data_writer writer;
};

/* Check, before anything runs, that the file can be written. Returns an exit status */
int copy_open(struct far_copy *file);
void copy_put(struct far_copy *file, const void *data, size_t size);
void copy_keep(struct far_copy *file);
/* Undo copy_open() if the file is not to be kept; returns @status, or the status of an error */
int copy_close(struct far_copy *file, int status);

#endif /* KNC_CTL_VIA_FILE_H */
