/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_KERNEL_H
#define STUB_LINUX_KERNEL_H

#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/printk.h>

#define INT_MAX ((int)(~0U >> 1))

#define BUILD_BUG_ON(condition) ((void)sizeof(char[1 - 2 * !!(condition)]))
#define ARRAY_SIZE(arr) (sizeof(arr) / sizeof((arr)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define _THIS_IP_ ({ __label__ __here; __here: (unsigned long)&&__here; })

/* As in the card's kernel, it is an error if the arguments have different types */
#define min(x, y) ({							\
	typeof(x) __min_x = (x);					\
	typeof(y) __min_y = (y);					\
	(void)(&__min_x == &__min_y);					\
	__min_x < __min_y ? __min_x : __min_y; })
#define max(x, y) ({							\
	typeof(x) __max_x = (x);					\
	typeof(y) __max_y = (y);					\
	(void)(&__max_x == &__max_y);					\
	__max_x > __max_y ? __max_x : __max_y; })
#define min_t(type, x, y) ({						\
	type __mint_x = (x);						\
	type __mint_y = (y);						\
	__mint_x < __mint_y ? __mint_x : __mint_y; })
#define max_t(type, x, y) ({						\
	type __maxt_x = (x);						\
	type __maxt_y = (y);						\
	__maxt_x > __maxt_y ? __maxt_x : __maxt_y; })
#define clamp_t(type, val, lo, hi) min_t(type, max_t(type, val, lo), hi)
#define swap(a, b) \
	do { typeof(a) __swap = (a); (a) = (b); (b) = __swap; } while (0)
#define container_of(ptr, type, member) ({				\
	const typeof(((type *)0)->member) * __member = (ptr);		\
	(type *)((char *)__member - offsetof(type, member)); })

struct sysinfo {
	unsigned long totalram;
	unsigned int mem_unit;
};

extern int sprintf(char *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
extern int snprintf(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

extern int _cond_resched(void);

#endif /* STUB_LINUX_KERNEL_H */
