/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_HRTIMER_H
#define STUB_LINUX_HRTIMER_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/wait.h>
#include <linux/percpu.h>
#include <linux/time.h>
#include <linux/timer.h>

enum hrtimer_mode {
	HRTIMER_MODE_ABS,
	HRTIMER_MODE_REL,
	HRTIMER_MODE_PINNED,
	HRTIMER_MODE_REL_PINNED = HRTIMER_MODE_REL | HRTIMER_MODE_PINNED,
};

enum hrtimer_restart {
	HRTIMER_NORESTART,
	HRTIMER_RESTART,
};

struct hrtimer_clock_base {
	ktime_t (*get_time)(void);
	ktime_t softirq_time;
};

struct hrtimer {
	ktime_t _softexpires;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	struct hrtimer_clock_base *base;
	unsigned long state;
};

extern void hrtimer_init(struct hrtimer *timer, clockid_t which_clock,
			 enum hrtimer_mode mode);
extern int hrtimer_start(struct hrtimer *timer, ktime_t tim,
			 const enum hrtimer_mode mode);
extern int hrtimer_get_res(const clockid_t which_clock, struct timespec *tp);
extern int hrtimer_cancel(struct hrtimer *timer);
extern u64 hrtimer_forward(struct hrtimer *timer, ktime_t now,
			   ktime_t interval);

static inline int hrtimer_active(const struct hrtimer *timer)
{
	return timer->state != 0;
}

static inline int hrtimer_is_hres_active(struct hrtimer *timer)
{
	return 0;
}

#endif /* STUB_LINUX_HRTIMER_H */
