// SPDX-License-Identifier: GPL-2.0
/* gzip files with stored, uncompressed blocks: compression would take another library */
#include <string.h>

#include "cli/crc.h"
#include "export/gzip.h"

static void put_le(FILE *f, __u32 value, unsigned int bytes)
{
	for (; bytes; bytes--, value >>= 8)
		putc_unlocked(value & 0xff, f);
}

/* A stored block, RFC 1951, 3.2.4 */
static void put_block(struct gzip *z, int last)
{
	putc_unlocked(last, z->f);
	put_le(z->f, z->nr, 2);
	put_le(z->f, ~z->nr, 2);
	fwrite_unlocked(z->block, 1, z->nr, z->f);
	z->nr = 0;
}

void gzip_begin(struct gzip *z, FILE *f)
{
	/* no file name, no time, operating system unknown */
	static const unsigned char header[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };

	z->f = f;
	z->crc = 0;
	z->size = 0;
	z->nr = 0;
	fwrite_unlocked(header, 1, sizeof(header), f);
}

void gzip_put(struct gzip *z, const void *data, size_t size)
{
	size_t part, done;

	z->crc = add_crc(z->crc, data, size);
	z->size += size;
	for (done = 0; done < size; done += part) {
		part = size - done < GZIP_BLOCK - z->nr ? size - done : GZIP_BLOCK - z->nr;
		memcpy(z->block + z->nr, (const char *)data + done, part);
		z->nr += part;
		if (z->nr == GZIP_BLOCK)
			put_block(z, 0);
	}
}

void gzip_end(struct gzip *z)
{
	put_block(z, 1);
	put_le(z->f, z->crc, 4);
	put_le(z->f, z->size, 4);
}
