/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_KREF_H
#define STUB_LINUX_KREF_H

#include <linux/types.h>
#include <asm/atomic.h>

struct kref {
	atomic_t refcount;
};

extern void kref_init(struct kref *kref);
extern void kref_get(struct kref *kref);
extern int kref_put(struct kref *kref, void (*release)(struct kref *kref));

#endif /* STUB_LINUX_KREF_H */
