/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_TYPES_H
#define STUB_LINUX_TYPES_H

#include <linux/stddef.h>

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

typedef _Bool bool;
enum { false, true };

typedef unsigned long size_t;
typedef long ssize_t;
typedef long long loff_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int mode_t;
typedef unsigned int fmode_t;
typedef unsigned int gfp_t;
typedef unsigned long pgoff_t;
typedef unsigned long uintptr_t;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic64_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define DECLARE_BITMAP(name, bits) unsigned long name[((bits) + 63) / 64]

#endif /* STUB_LINUX_TYPES_H */
