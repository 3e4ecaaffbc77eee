/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_ERR_H
#define STUB_LINUX_ERR_H

#include <linux/compiler.h>

#define MAX_ERRNO 4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline long IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-MAX_ERRNO;
}

#endif /* STUB_LINUX_ERR_H */
