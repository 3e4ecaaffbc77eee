/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MUTEX_H
#define STUB_LINUX_MUTEX_H

#include <linux/list.h>
#include <linux/spinlock.h>

struct lock_class_key;

struct mutex {
	atomic_t count;
	spinlock_t wait_lock;
	struct list_head wait_list;
};

extern void __mutex_init(struct mutex *lock, const char *name,
			 struct lock_class_key *key);
extern void mutex_lock(struct mutex *lock);
extern int mutex_lock_killable(struct mutex *lock);
extern void mutex_unlock(struct mutex *lock);

#define mutex_init(mutex) __mutex_init((mutex), #mutex, NULL)
#define DEFINE_MUTEX(name) \
	struct mutex name = { .wait_list = LIST_HEAD_INIT((name).wait_list) }

#endif /* STUB_LINUX_MUTEX_H */
