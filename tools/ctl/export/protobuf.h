/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of messages of Protocol Buffers: https://protobuf.dev/programming-guides/encoding/ */
#ifndef KNC_CTL_PROTOBUF_H
#define KNC_CTL_PROTOBUF_H

#include "export/bytes.h"

void put_varint(struct bytes *b, __u64 value);
/* A number; 0 is not written, because readers take it for a missing field */
void put_number_field(struct bytes *b, unsigned int field, __u64 value);
/* A text, a message, or packed numbers */
void put_bytes_field(struct bytes *b, unsigned int field, const void *data, size_t size);

/* Append the message to @b, and empty it */
static inline void put_message(struct bytes *b, unsigned int field, struct bytes *message)
{
	put_bytes_field(b, field, message->data, message->nr);
	message->nr = 0;
}

#endif /* KNC_CTL_PROTOBUF_H */
