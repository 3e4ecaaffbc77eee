// SPDX-License-Identifier: GPL-2.0
/* CRC-32, for the recorder as well, which needs the C library only */
#include "cli/crc.h"

#define POLYNOMIAL	0xedb88320U	/* of CRC-32, the lowest bit first */

static __u32 table[256];

static void make_table(void)
{
	__u32 crc;
	int i, bit;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[i] = crc;
	}
}

__u32 add_crc(__u32 crc, const void *data, size_t size)
{
	const unsigned char *byte = data, *end = byte + size;

	if (!table[1])
		make_table();
	crc = ~crc;
	while (byte < end)
		crc = table[(crc ^ *byte++) & 0xff] ^ crc >> 8;
	return ~crc;
}
