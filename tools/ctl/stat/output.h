/* SPDX-License-Identifier: GPL-2.0 */
/* The file of -o, or standard error */
#ifndef KNC_CTL_OUTPUT_H
#define KNC_CTL_OUTPUT_H

#include <stdio.h>

/**
 * struct output - the file of -o, or standard error
 * @file: the file
 * @path: its name; NULL: standard error
 * @append: append to an existing file
 * @created: output_open() created the file
 * @begun: output_begin() was called
 * @error: errno of the first error; negative: not known
 */
struct output {
	FILE *file;
	const char *path;
	int append;
	int created;
	int begun;
	int error;
};

/*
 * Open the output. An existing file is unchanged until output_begin(), when the first counts are
 * ready. output_open() returns 0, or an exit status after a message.
 */
int output_open(struct output *out, const char *path, int append);
void output_begin(struct output *out);
void output_flush(struct output *out);
/* Close the output; returns @status if everything was written, or else a failure */
int output_close(struct output *out, int status);

#endif /* KNC_CTL_OUTPUT_H */
