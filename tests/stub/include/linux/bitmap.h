/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_BITMAP_H
#define STUB_LINUX_BITMAP_H

#include <linux/types.h>
#include <linux/bitops.h>
#include <linux/string.h>
#include <linux/kernel.h>

extern int __bitmap_empty(const unsigned long *bitmap, int bits);
extern int __bitmap_weight(const unsigned long *bitmap, int bits);
extern int __bitmap_subset(const unsigned long *bitmap1,
			   const unsigned long *bitmap2, int bits);

static inline void bitmap_zero(unsigned long *dst, int nbits)
{
	memset(dst, 0, (nbits + 63) / 64 * sizeof(long));
}

static inline void bitmap_copy(unsigned long *dst, const unsigned long *src,
			       int nbits)
{
	memcpy(dst, src, (nbits + 63) / 64 * sizeof(long));
}

static inline int bitmap_empty(const unsigned long *src, int nbits)
{
	return __bitmap_empty(src, nbits);
}

#endif /* STUB_LINUX_BITMAP_H */
