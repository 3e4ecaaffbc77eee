/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_UACCESS_H
#define STUB_LINUX_UACCESS_H

#include <linux/preempt.h>
#include <asm/uaccess.h>

static inline void pagefault_disable(void)
{
	barrier();
}

static inline void pagefault_enable(void)
{
	barrier();
}

#endif /* STUB_LINUX_UACCESS_H */
