/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_RCUPDATE_H
#define STUB_LINUX_RCUPDATE_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/threads.h>
#include <linux/cpumask.h>

struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

extern void call_rcu_sched(struct rcu_head *head,
			   void (*func)(struct rcu_head *rcu));
extern void synchronize_sched(void);
extern void rcu_barrier(void);

#define call_rcu call_rcu_sched

static inline void rcu_read_lock(void)
{
	barrier();
}

static inline void rcu_read_unlock(void)
{
	barrier();
}

#define rcu_dereference(p) ACCESS_ONCE(p)
#define rcu_dereference_raw(p) ACCESS_ONCE(p)

#endif /* STUB_LINUX_RCUPDATE_H */
