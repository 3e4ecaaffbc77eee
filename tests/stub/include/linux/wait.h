/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_WAIT_H
#define STUB_LINUX_WAIT_H

#include <linux/list.h>
#include <linux/stddef.h>
#include <linux/spinlock.h>
#include <asm/system.h>

struct lock_class_key;

typedef struct __wait_queue_head {
	spinlock_t lock;
	struct list_head task_list;
} wait_queue_head_t;

extern void __init_waitqueue_head(wait_queue_head_t *q,
				  struct lock_class_key *key);
extern void __wake_up(wait_queue_head_t *q, unsigned int mode, int nr,
		      void *key);

#define init_waitqueue_head(q) __init_waitqueue_head((q), NULL)
#define wake_up_interruptible(x) __wake_up((x), 1, 1, NULL)
#define wake_up_interruptible_all(x) __wake_up((x), 1, 0, NULL)

#endif /* STUB_LINUX_WAIT_H */
