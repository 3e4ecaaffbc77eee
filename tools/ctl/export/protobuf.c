// SPDX-License-Identifier: GPL-2.0
/* Fields of messages of Protocol Buffers */
#include "export/protobuf.h"

#define KIND_VARINT	0
#define KIND_BYTES	2

void put_varint(struct bytes *b, __u64 value)
{
	unsigned char digits[10];
	unsigned int nr = 0;

	for (; value >= 0x80; value >>= 7)
		digits[nr++] = value | 0x80;
	digits[nr++] = value;
	put_bytes(b, digits, nr);
}

void put_number_field(struct bytes *b, unsigned int field, __u64 value)
{
	if (!value)
		return;
	put_varint(b, field << 3 | KIND_VARINT);
	put_varint(b, value);
}

void put_bytes_field(struct bytes *b, unsigned int field, const void *data, size_t size)
{
	put_varint(b, field << 3 | KIND_BYTES);
	put_varint(b, size);
	put_bytes(b, data, size);
}
