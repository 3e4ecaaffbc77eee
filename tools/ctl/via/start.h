/* SPDX-License-Identifier: GPL-2.0 */
/* FRAME_START: what the card's side is to run */
#ifndef KNC_CTL_START_H
#define KNC_CTL_START_H

#include <stddef.h>

#include "cli/far.h"
#include "via/frame.h"

/* The option of the card's side, followed by the token for its first line */
#define FAR_OPTION	"--via-far"

/* Texts of FRAME_START */
enum start_kind {
	START_RELAY = 'r',	/* the argument of --via */
	START_OUTPUT = 'o',	/* the file of -o */
	START_VARIABLE = 'e',	/* NAME=VALUE of the environment */
	START_NAME = 'n',	/* of a file that the command reads */
	START_CONTENTS = 'f',	/* of the file whose name was the last */
	START_ARGUMENT = 'a',	/* of the command, the command's name first */
};

void start_put(struct queue *q, enum start_kind kind, const void *data, size_t size);
void start_put_text(struct queue *q, enum start_kind kind, const char *text);

/**
 * struct start - a frame that was read; its texts are in @data
 * @far: for the commands
 * @argc: number of words in @argv
 * @argv: the name of this program, the command and its arguments, and NULL
 */
struct start {
	struct far far;
	int argc;
	char **argv;
};

/* Also sets environment variables; returns 0, or -1 if the frame is invalid */
int start_take(struct start *start, char *data, size_t size);

#endif /* KNC_CTL_START_H */
