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

typedef struct __wait_queue {
	void *private;
	int (*func)(struct __wait_queue *wait, unsigned int mode, int flags, void *key);
	struct list_head task_list;
} wait_queue_t;

extern int autoremove_wake_function(wait_queue_t *wait, unsigned int mode, int sync, void *key);
extern void prepare_to_wait(wait_queue_head_t *q, wait_queue_t *wait, int state);
extern void finish_wait(wait_queue_head_t *q, wait_queue_t *wait);
extern long schedule_timeout(long timeout);

#define DECLARE_WAIT_QUEUE_HEAD(name)					\
	wait_queue_head_t name = { .task_list = LIST_HEAD_INIT((name).task_list) }
#define wake_up(x) __wake_up((x), 3, 1, NULL)
#define wait_event_timeout(wq, condition, timeout)			\
({									\
	wait_queue_t __wait = { .func = autoremove_wake_function };	\
	long __ret = (timeout);						\
									\
	while (!(condition) && __ret) {					\
		prepare_to_wait(&(wq), &__wait, 2);			\
		__ret = schedule_timeout(__ret);			\
	}								\
	finish_wait(&(wq), &__wait);					\
	__ret;								\
})
#define init_waitqueue_head(q) __init_waitqueue_head((q), NULL)
#define wake_up_interruptible(x) __wake_up((x), 1, 1, NULL)
#define wake_up_interruptible_all(x) __wake_up((x), 1, 0, NULL)

#endif /* STUB_LINUX_WAIT_H */
