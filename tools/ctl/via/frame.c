// SPDX-License-Identifier: GPL-2.0
/* Frames, and queues of bytes */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "via/frame.h"

void queue_put(struct queue *q, const void *data, size_t size)
{
	if (!size)
		return;
	if (q->begin && q->begin + q->nr + size > q->room) {
		memmove(q->data, queue_at(q), q->nr);
		q->begin = 0;
	}
	if (q->begin + q->nr + size > q->room) {
		q->room = 2 * (q->nr + size);
		q->data = realloc(q->data, q->room);
		if (!q->data)
			out_of_memory();
	}
	memcpy(queue_at(q) + q->nr, data, size);
	q->nr += size;
}

void queue_take(struct queue *q, size_t size)
{
	q->begin += size;
	q->nr -= size;
	if (!q->nr)
		q->begin = 0;
}

int queue_write(struct queue *q, int fd)
{
	/* a pipe that is ready takes this many bytes without blocking */
	ssize_t n = write(fd, queue_at(q), q->nr < PIPE_BUF ? q->nr : PIPE_BUF);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : errno;
	queue_take(q, n);
	return 0;
}

int queue_read(struct queue *q, int fd)
{
	static char buffer[FRAME_MOST];
	ssize_t n;

	do {
		n = read(fd, buffer, sizeof(buffer));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	queue_put(q, buffer, n);
	return n;
}

void frame_put(struct queue *q, enum frame_type type, const void *data, size_t size)
{
	const struct frame frame = { .type = type, .size = size };

	queue_put(q, &frame, sizeof(frame));
	queue_put(q, data, size);
}

void frame_put_number(struct queue *q, enum frame_type type, __u32 number)
{
	frame_put(q, type, &number, sizeof(number));
}

int frame_get(const struct queue *q, struct frame *frame, const char **data)
{
	if (q->nr < sizeof(*frame))
		return 0;
	memcpy(frame, queue_at(q), sizeof(*frame));
	if (!frame->type || frame->type > FRAME_STATUS ||
	    frame->size > (frame->type == FRAME_START ? START_MOST : FRAME_MOST))
		return -1;
	if (q->nr - sizeof(*frame) < frame->size)
		return 0;
	*data = queue_at(q) + sizeof(*frame);
	return 1;
}

__u32 frame_number(const struct frame *frame, const char *data)
{
	__u32 number = 0;

	if (frame->size == sizeof(number))
		memcpy(&number, data, sizeof(number));
	return number;
}
