/* SPDX-License-Identifier: GPL-2.0 */
/* A buffer to which little-endian numbers and texts are appended */
#ifndef KNC_CTL_BYTES_H
#define KNC_CTL_BYTES_H

#include <linux/types.h>
#include <stddef.h>

/**
 * struct bytes - a buffer that grows
 * @data: the buffer
 * @nr: bytes that were appended
 * @room: bytes of @data
 */
struct bytes {
	char *data;
	size_t nr;
	size_t room;
};

void put_bytes(struct bytes *b, const void *data, size_t size);
/* Append zeros until the buffer has @size bytes */
void put_zeros(struct bytes *b, size_t size);
/* Append @text and a NUL, padded with zeros to a multiple of @align bytes */
void put_text(struct bytes *b, const char *text, size_t align);

static inline void put_u16(struct bytes *b, __u16 value)
{
	put_bytes(b, &value, sizeof(value));
}

static inline void put_u32(struct bytes *b, __u32 value)
{
	put_bytes(b, &value, sizeof(value));
}

static inline void put_u64(struct bytes *b, __u64 value)
{
	put_bytes(b, &value, sizeof(value));
}

#endif /* KNC_CTL_BYTES_H */
