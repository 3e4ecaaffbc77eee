/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_BITOPS_H
#define STUB_LINUX_BITOPS_H

#include <linux/types.h>

#define BIT(nr) (1UL << (nr))
#define BITS_PER_LONG 64

extern unsigned long find_first_bit(const unsigned long *addr,
				    unsigned long size);
extern unsigned long find_next_bit(const unsigned long *addr,
				   unsigned long size, unsigned long offset);

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline int fls(int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(__u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#define for_each_set_bit(bit, addr, size)				\
	for ((bit) = find_first_bit((addr), (size)); (bit) < (size);	\
	     (bit) = find_next_bit((addr), (size), (bit) + 1))

#endif /* STUB_LINUX_BITOPS_H */
