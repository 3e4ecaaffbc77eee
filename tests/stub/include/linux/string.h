/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_STRING_H
#define STUB_LINUX_STRING_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/stddef.h>

extern void *memcpy(void *to, const void *from, size_t len);
extern void *memmove(void *dest, const void *src, size_t count);
extern void *memset(void *s, int c, size_t n);
extern int memcmp(const void *cs, const void *ct, size_t count);
extern int strcmp(const char *cs, const char *ct);
extern size_t strlen(const char *s);
extern size_t strcspn(const char *s, const char *reject);
extern size_t strlcpy(char *dest, const char *src, size_t size);
extern bool sysfs_streq(const char *s1, const char *s2);

#endif /* STUB_LINUX_STRING_H */
