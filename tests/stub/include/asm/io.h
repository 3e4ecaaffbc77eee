/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_IO_H
#define STUB_ASM_IO_H

#include <linux/compiler.h>
#include <linux/types.h>

static inline unsigned int readl(const volatile void __iomem *addr)
{
	return *(const volatile unsigned int __force *)addr;
}

static inline void writel(unsigned int val, volatile void __iomem *addr)
{
	*(volatile unsigned int __force *)addr = val;
}

#endif /* STUB_ASM_IO_H */
