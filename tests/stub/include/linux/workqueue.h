/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_WORKQUEUE_H
#define STUB_LINUX_WORKQUEUE_H

#include <linux/timer.h>
#include <linux/bitops.h>
#include <asm/atomic.h>

struct work_struct;
struct workqueue_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	atomic_long_t data;
	struct list_head entry;
	work_func_t func;
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
};

#define INIT_WORK(_work, _func) ((_work)->func = (_func))
#define DECLARE_DELAYED_WORK(n, f)					\
	struct delayed_work n = {					\
		.work = { .func = (f) },				\
		.timer = { .base = &boot_tvec_bases },			\
	}

extern int schedule_delayed_work(struct delayed_work *work,
				 unsigned long delay);
extern bool cancel_delayed_work_sync(struct delayed_work *dwork);
/* Inline in the card's kernel: of what it calls, only del_timer_sync() is an exported symbol */
static inline bool cancel_delayed_work(struct delayed_work *work)
{
	return del_timer_sync(&work->timer);
}

extern bool flush_work(struct work_struct *work);
extern bool cancel_work_sync(struct work_struct *work);

#endif /* STUB_LINUX_WORKQUEUE_H */
