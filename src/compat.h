/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernel versions, 2.6.38 (MPSS) to today's, as
 * functions with today's names. No other file asks for LINUX_VERSION_CODE.
 */
#ifndef KNC_PMU_COMPAT_H
#define KNC_PMU_COMPAT_H

#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 17, 0)
static inline u64 ktime_get_ns(void)
{
	return ktime_to_ns(ktime_get());
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 18, 0)
static inline void *kvcalloc(size_t n, size_t size, gfp_t flags)
{
	if (size && n > ~(size_t)0 / size)
		return NULL;
	return vzalloc(n * size);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 15, 0)
static inline void kvfree(const void *p)
{
	vfree(p);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 13, 0)
static inline void cpus_read_lock(void)
{
	get_online_cpus();
}

static inline void cpus_read_unlock(void)
{
	put_online_cpus();
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 0, 0)
/* some older kernels have these with other arguments; no card has SMAP */
#undef user_access_begin
#undef user_access_end
#undef unsafe_get_user
#undef unsafe_put_user
#define user_access_begin(ptr, size) access_ok(VERIFY_WRITE, ptr, size)
#define user_access_end() do { } while (0)
#define unsafe_get_user(x, ptr, label)					\
	do {								\
		if (__get_user(x, ptr))					\
			goto label;					\
	} while (0)
#define unsafe_put_user(x, ptr, label)					\
	do {								\
		if (__put_user(x, ptr))					\
			goto label;					\
	} while (0)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
int copy_struct_from_user(void *dst, size_t ksize, const void __user *src,
			  size_t usize);
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 8, 0)
static inline bool perfmon_capable(void)
{
	return capable(CAP_SYS_ADMIN);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 8, 0)
/* all timers here are pinned; being so was said when arming, not at setup */
#undef TIMER_PINNED
#define TIMER_PINNED 0
#define mod_timer(timer, expires) mod_timer_pinned(timer, expires)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 15, 0)
static inline void timer_setup(struct timer_list *timer,
			       void (*fn)(struct timer_list *),
			       unsigned int flags)
{
	setup_timer(timer, (void (*)(unsigned long))fn, (unsigned long)timer);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* a macro: stable releases have brought the function to some older kernels */
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 4, 0)
void on_each_cpu_mask(const struct cpumask *mask, void (*fn)(void *),
		      void *info, bool wait);
#endif

/*
 * Hotplug: @online runs after a CPU came, @offline before it goes, both able
 * to sleep and with the set of online CPUs stable.
 */
int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu));
void knc_compat_hotplug_unregister(void);

#endif /* KNC_PMU_COMPAT_H */
