// SPDX-License-Identifier: GPL-2.0
/* CRC-32; the recorder uses it too, which may need only the C library */
#include <string.h>

#include "cli/crc.h"

#define POLYNOMIAL	0xedb88320U	/* of CRC-32, the lowest bit first */

/* table[k][byte]: what a byte adds to the sum if k more of a word's eight bytes follow it */
static __u32 table[8][256];

static void make_table(void)
{
	__u32 crc;
	int i, k;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (k = 0; k < 8; k++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[0][i] = crc;
	}
	for (k = 1; k < 8; k++) {
		for (i = 0; i < 256; i++) {
			crc = table[k - 1][i];
			table[k][i] = crc >> 8 ^ table[0][crc & 0xff];
		}
	}
}

/* Eight bytes at once take half of the instructions */
static __u32 add_word(__u32 crc, const unsigned char *byte)
{
	__u32 low, high;

	memcpy(&low, byte, sizeof(low));
	memcpy(&high, byte + sizeof(low), sizeof(high));
	low ^= crc;
	return table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^
	       table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^
	       table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^
	       table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
}

__u32 add_crc(__u32 crc, const void *data, size_t size)
{
	const unsigned char *byte = data, *end = byte + size;

	if (!table[0][1])
		make_table();
	crc = ~crc;
	for (; end - byte >= 8; byte += 8)
		crc = add_word(crc, byte);
	while (byte < end)
		crc = table[0][(crc ^ *byte++) & 0xff] ^ crc >> 8;
	return ~crc;
}
