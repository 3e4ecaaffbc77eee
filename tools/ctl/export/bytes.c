// SPDX-License-Identifier: GPL-2.0
/* A buffer to which little-endian numbers and texts are appended */
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "export/bytes.h"

#define LEAST_ROOM	256

static char *more(struct bytes *b, size_t size)
{
	char *at;

	if (b->room - b->nr < size) {
		b->room = 2 * (b->nr + size) + LEAST_ROOM;
		b->data = realloc(b->data, b->room);
		if (!b->data)
			out_of_memory();
	}
	at = b->data + b->nr;
	b->nr += size;
	return at;
}

void put_bytes(struct bytes *b, const void *data, size_t size)
{
	if (size)
		memcpy(more(b, size), data, size);
}

void put_zeros(struct bytes *b, size_t size)
{
	size_t zeros = size - b->nr;

	if (b->nr < size)
		memset(more(b, zeros), 0, zeros);
}

void put_text(struct bytes *b, const char *text, size_t align)
{
	size_t size = strlen(text) + 1, padded = (size + align - 1) / align * align;

	put_bytes(b, text, size);
	put_zeros(b, b->nr + padded - size);
}
