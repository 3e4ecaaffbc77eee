/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_SORT_H
#define STUB_LINUX_SORT_H

#include <linux/types.h>

extern void sort(void *base, size_t num, size_t size,
		 int (*cmp)(const void *a, const void *b),
		 void (*swap)(void *a, void *b, int size));

#endif /* STUB_LINUX_SORT_H */
