/* SPDX-License-Identifier: GPL-2.0 */
/* The file of -o, or standard error */
#ifndef KNC_CTL_OUTPUT_H
#define KNC_CTL_OUTPUT_H

#include <stdio.h>

/**
 * struct output - where the counts go
 * @file: there
 * @path: its name; NULL: standard error
 * @append: behind what is there
 * @created: there was none of that name
 * @begun: counts have been written, or are about to be
 * @error: errno of what could not be written; negative: not known
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
 * What is there stays as it is until output_begin(), when there is something to be
 * written. Both return 0, or an exit status and the message is out.
 */
int output_open(struct output *out, const char *path, int append);
void output_begin(struct output *out);
/* What was printed so far leaves this program */
void output_flush(struct output *out);
/* The exit status, which is @status if all has been written */
int output_close(struct output *out, int status);

#endif /* KNC_CTL_OUTPUT_H */
