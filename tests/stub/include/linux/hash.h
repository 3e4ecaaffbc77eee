/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_HASH_H
#define STUB_LINUX_HASH_H

#include <asm/types.h>

static inline unsigned long hash_ptr(void *ptr, unsigned int bits)
{
	return (unsigned long)ptr >> (64 - bits);
}

static inline u32 hash_32(u32 val, unsigned int bits)
{
	return val >> (32 - bits);
}

#endif /* STUB_LINUX_HASH_H */
