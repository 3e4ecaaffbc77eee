/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_KTIME_H
#define STUB_LINUX_KTIME_H

#include <linux/time.h>
#include <linux/jiffies.h>

union ktime {
	s64 tv64;
};

typedef union ktime ktime_t;

extern ktime_t ktime_get(void);

static inline ktime_t ns_to_ktime(u64 ns)
{
	ktime_t time = { .tv64 = ns };

	return time;
}

#define ktime_to_ns(kt) ((kt).tv64)

#endif /* STUB_LINUX_KTIME_H */
