/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_LOG2_H
#define STUB_LINUX_LOG2_H

#include <linux/types.h>
#include <linux/bitops.h>

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline int ilog2(u64 n)
{
	return fls64(n) - 1;
}

#endif /* STUB_LINUX_LOG2_H */
