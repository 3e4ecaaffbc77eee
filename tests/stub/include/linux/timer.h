/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_TIMER_H
#define STUB_LINUX_TIMER_H

#include <linux/list.h>
#include <linux/ktime.h>
#include <linux/stddef.h>

struct tvec_base;
struct lock_class_key;

extern struct tvec_base boot_tvec_bases;

struct timer_list {
	struct list_head entry;
	unsigned long expires;
	struct tvec_base *base;
	void (*function)(unsigned long data);
	unsigned long data;
};

extern void init_timer_key(struct timer_list *timer, const char *name,
			   struct lock_class_key *key);
extern void add_timer_on(struct timer_list *timer, int cpu);
extern int mod_timer(struct timer_list *timer, unsigned long expires);
extern int mod_timer_pinned(struct timer_list *timer, unsigned long expires);
extern int del_timer_sync(struct timer_list *timer);

static inline void setup_timer_key(struct timer_list *timer, const char *name,
				   struct lock_class_key *key,
				   void (*function)(unsigned long data),
				   unsigned long data)
{
	timer->function = function;
	timer->data = data;
	init_timer_key(timer, name, key);
}

#define setup_timer(timer, fn, data) \
	setup_timer_key((timer), NULL, NULL, (fn), (data))

static inline int timer_pending(const struct timer_list *timer)
{
	return timer->entry.next != NULL;
}

#endif /* STUB_LINUX_TIMER_H */
