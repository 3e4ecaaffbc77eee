/* SPDX-License-Identifier: GPL-2.0 */
/* The card's side of --via; the user and the files of the command line are on another machine */
#ifndef KNC_CTL_FAR_H
#define KNC_CTL_FAR_H

#include <stdio.h>
#include <sys/types.h>

/**
 * struct far_file - a file of the user's machine that the command reads
 * @name: its name in the command line
 * @data: its contents
 * @size: their number of bytes
 */
struct far_file {
	const char *name;
	const char *data;
	size_t size;
};

#define FAR_FILES	32

/**
 * struct far - what the card's side knows
 * @relay: the argument of --via, for messages
 * @output: the file that the user's machine writes; NULL: none
 * @fd: takes the contents of @output
 * @keep: a byte here says that @output is to be kept: the command has been executed
 * @terminal: the process that stands for the user's terminal: it sends signals to the program too
 * @files: files of the user's machine
 * @nr_files: how many
 */
struct far {
	const char *relay;
	const char *output;
	int fd;
	int keep;
	pid_t terminal;
	struct far_file files[FAR_FILES];
	unsigned int nr_files;
};

/* From now on this program runs as the card's side */
void far_begin(const struct far *far);
/* NULL: this program is not the card's side */
const struct far *far_side(void);
/* Open the output, for the caller to close; negative: errno says why not */
int far_output(void);
void far_keep(void);
/* Open a file that the user's machine has sent, for the caller to close; NULL: it was not sent */
FILE *far_input(const char *name);

#endif /* KNC_CTL_FAR_H */
