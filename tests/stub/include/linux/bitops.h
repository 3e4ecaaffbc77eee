/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_BITOPS_H
#define STUB_LINUX_BITOPS_H

#include <linux/types.h>

extern unsigned long find_first_bit(const unsigned long *addr,
				    unsigned long size);
extern unsigned long find_next_bit(const unsigned long *addr,
				   unsigned long size, unsigned long offset);

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline int fls64(__u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#endif /* STUB_LINUX_BITOPS_H */
