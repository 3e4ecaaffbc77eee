/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_CAPABILITY_H
#define STUB_LINUX_CAPABILITY_H

#include <linux/types.h>

typedef struct kernel_cap_struct {
	__u32 cap[2];
} kernel_cap_t;

#define CAP_SYS_ADMIN 21

extern int capable(int cap);

#define cap_raised(c, flag) ((c).cap[(flag) >> 5] & (1U << ((flag) & 31)))

static inline int cap_issubset(const kernel_cap_t a, const kernel_cap_t set)
{
	return !(a.cap[0] & ~set.cap[0]) && !(a.cap[1] & ~set.cap[1]);
}

#endif /* STUB_LINUX_CAPABILITY_H */
