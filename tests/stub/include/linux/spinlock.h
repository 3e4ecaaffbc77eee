/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_SPINLOCK_H
#define STUB_LINUX_SPINLOCK_H

#include <linux/preempt.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <asm/system.h>
#include <asm/atomic.h>

typedef struct raw_spinlock {
	unsigned int slock;
} raw_spinlock_t;

typedef struct spinlock {
	struct raw_spinlock rlock;
} spinlock_t;

extern void _raw_spin_lock(raw_spinlock_t *lock);
extern int _raw_spin_trylock(raw_spinlock_t *lock);
extern unsigned long _raw_spin_lock_irqsave(raw_spinlock_t *lock);
extern void _raw_spin_unlock_irqrestore(raw_spinlock_t *lock,
					unsigned long flags);

#define DEFINE_SPINLOCK(x) spinlock_t x = { { 0 } }
#define spin_lock_irqsave(lock, flags) \
	((flags) = _raw_spin_lock_irqsave(&(lock)->rlock))

#define spin_trylock_irqsave(lock, flags) ({				\
	local_irq_save(flags);						\
	_raw_spin_trylock(&(lock)->rlock) ? 1 :				\
		({ local_irq_restore(flags); 0; });			\
})

static inline void spin_lock(spinlock_t *lock)
{
	_raw_spin_lock(&lock->rlock);
}

static inline void spin_unlock(spinlock_t *lock)
{
	barrier();
}

static inline void spin_unlock_irqrestore(spinlock_t *lock,
					  unsigned long flags)
{
	_raw_spin_unlock_irqrestore(&lock->rlock, flags);
}

#endif /* STUB_LINUX_SPINLOCK_H */
