/* SPDX-License-Identifier: GPL-2.0 */
/* The messages between both sides of --via, and queues of bytes to be written */
#ifndef KNC_CTL_FRAME_H
#define KNC_CTL_FRAME_H

#include <linux/types.h>
#include <stddef.h>

#include "cli/memory.h"
#include "cli/message.h"

/* Both sides are the same version of this program, with the same byte order */
enum frame_type {
	/* to the card */
	FRAME_START = 1,	/* texts: see start_text() */
	FRAME_INPUT,		/* standard input; empty: it has ended */
	FRAME_SIGNAL,		/* __u32: a signal for the program */
	FRAME_CLOSED,		/* __u32: this output (1, 2) has no reader any more */
	/* from the card */
	FRAME_OUTPUT,		/* standard output */
	FRAME_ERRORS,		/* standard error */
	FRAME_FILE,		/* contents of the file of -o */
	FRAME_KEEP,		/* the file of -o is to be kept */
	FRAME_TAKEN,		/* __u32: bytes of its input that the program has read */
	FRAME_STATUS,		/* __u32: the exit status */
};

/**
 * struct frame - what precedes the bytes of a frame
 * @type: FRAME_*
 * @size: bytes that follow
 */
struct frame {
	__u32 type;
	__u32 size;
};

#define FRAME_MOST	(64U << 10)	/* bytes of a frame, except FRAME_START */
#define START_MOST	(64U << 20)	/* bytes of FRAME_START, which includes files of metrics */
#define INPUT_MOST	(64U << 10)	/* bytes of unread standard input */

/**
 * struct queue - bytes on their way
 * @data: the buffer
 * @begin: where the bytes begin
 * @nr: how many there are
 * @room: bytes of @data
 */
struct queue {
	char *data;
	size_t begin;
	size_t nr;
	size_t room;
};

static inline char *queue_at(const struct queue *q)
{
	return q->data + q->begin;
}

void queue_put(struct queue *q, const void *data, size_t size);
void queue_take(struct queue *q, size_t size);
/* Write part of a queue; does not block after POLLOUT. Returns 0 or an errno */
int queue_write(struct queue *q, int fd);
/* Read some bytes; returns their number, 0 at the end, or a negative errno */
int queue_read(struct queue *q, int fd);

void frame_put(struct queue *q, enum frame_type type, const void *data, size_t size);
void frame_put_number(struct queue *q, enum frame_type type, __u32 number);
/*
 * Get the first frame of @q, and its bytes. Returns 1, 0 if it is incomplete, or -1 if it is
 * invalid.
 */
int frame_get(const struct queue *q, struct frame *frame, const char **data);
/* The number that such a frame contains */
__u32 frame_number(const struct frame *frame, const char *data);

#endif /* KNC_CTL_FRAME_H */
