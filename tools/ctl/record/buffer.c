// SPDX-License-Identifier: GPL-2.0
/* Buffers records of tasks for the data file */
#include <stdlib.h>
#include <string.h>

#include "record/buffer.h"
#include "record/build-id.h"

#define BUFFER_SIZE	(256U << 10)
#define MAX_NAME	4096

int buffer_init(struct sideband *sb)
{
	sb->room = BUFFER_SIZE;
	sb->buffer = malloc(sb->room);
	return sb->buffer ? 0 : complain("out of memory");
}

/* Bytes of the leading records that fit into one chunk, which is nearly always all of them */
static size_t one_chunk(const unsigned char *records, size_t size)
{
	const struct data_task *task;
	size_t at = 0;

	if (size <= DATA_MAX_CHUNK)
		return size;
	do {
		task = (const struct data_task *)(records + at);
		at += task->size;
	} while (at < DATA_MAX_CHUNK / 2);
	return at;
}

void buffer_flush(struct sideband *sb)
{
	size_t at, size;

	if (sb->hold)
		return;
	for (at = 0; at < sb->used; at += size) {
		size = one_chunk(sb->buffer + at, sb->used - at);
		writer_put(sb->file, DATA_TASKS, NULL, 0, sb->buffer + at, size);
	}
	sb->used = 0;
}

/* Grow the buffer; drop the record if memory is exhausted */
static int make_room(struct sideband *sb, size_t bytes)
{
	unsigned char *more;

	if (sb->used + bytes > BUFFER_SIZE)
		buffer_flush(sb);
	if (sb->used + bytes <= sb->room)
		return 0;
	more = realloc(sb->buffer, 2 * sb->room);
	if (!more)
		return -1;
	sb->buffer = more;
	sb->room *= 2;
	return 0;
}

void buffer_put(struct sideband *sb, struct data_task *task, size_t fixed,
		const char *text, size_t size)
{
	size_t len = text ? strnlen(text, size < MAX_NAME ? size : MAX_NAME) : 0;
	size_t bytes = fixed + (text ? (len + 8) & ~7UL : 0);

	if (make_room(sb, bytes))
		return;
	task->size = bytes;
	memset(sb->buffer + sb->used, 0, bytes);
	memcpy(sb->buffer + sb->used, task, fixed);
	memcpy(sb->buffer + sb->used + fixed, text ? text : "", len);
	sb->used += bytes;
}

void buffer_put_map(struct sideband *sb, struct identified_mmap *map, const char *path,
		    unsigned long long inode)
{
	struct mapped_file file = {
		.pid = map->map.task.pid,
		.path = path,
		.start = map->map.start,
		.length = map->map.length,
		.inode = inode,
	};

	if (!map->map.build_id_size)
		identify(&file, &map->map, &map->identity);
	buffer_put(sb, &map->map.task, sizeof(map->map) + map->map.identity_size, path, MAX_NAME);
}
