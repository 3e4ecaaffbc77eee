/* SPDX-License-Identifier: GPL-2.0 */
/* gzip files (RFC 1952) with uncompressed blocks, which every reader of gzip understands */
#ifndef KNC_CTL_GZIP_H
#define KNC_CTL_GZIP_H

#include <linux/types.h>
#include <stdio.h>

#define GZIP_BLOCK	65535

/**
 * struct gzip - a file that is being written
 * @f: the file
 * @crc: checksum of all contents
 * @size: bytes of all contents, modulo 2^32
 * @nr: bytes in @block
 * @block: contents that are not written yet
 */
struct gzip {
	FILE *f;
	__u32 crc;
	__u32 size;
	size_t nr;
	unsigned char block[GZIP_BLOCK];
};

void gzip_begin(struct gzip *z, FILE *f);
void gzip_put(struct gzip *z, const void *data, size_t size);
void gzip_end(struct gzip *z);

#endif /* KNC_CTL_GZIP_H */
