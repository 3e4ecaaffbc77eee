/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions, 2.6.38 (MPSS) to today's, as functions with
 * today's names
 *
 * No file outside of this folder asks for LINUX_VERSION_CODE.
 */
#ifndef KNC_PMU_COMPAT_H
#define KNC_PMU_COMPAT_H

#include <linux/binfmts.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#include <asm/nmi.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 15, 0)
#include <asm/cpu_entry_area.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 11, 0)
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 19, 0)
#define READ_ONCE(x) ACCESS_ONCE(x)
#define WRITE_ONCE(x, value) (ACCESS_ONCE(x) = (value))
#endif

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
	return __vmalloc(n * size, flags | __GFP_HIGHMEM | __GFP_ZERO,
			 PAGE_KERNEL);
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

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 3, 0)
static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strlcpy(to, from, size);

	return len < size ? (ssize_t)len : -E2BIG;
}
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
/* and timer_setup() below ignores it: an idle CPU is woken */
#undef TIMER_DEFERRABLE
#define TIMER_DEFERRABLE 0
#define mod_timer(timer, expires) mod_timer_pinned(timer, expires)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 14, 0)
static inline void timer_setup(struct timer_list *timer,
			       void (*fn)(struct timer_list *),
			       unsigned int flags)
{
	setup_timer(timer, (void (*)(unsigned long))fn, (unsigned long)timer);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 8, 0)
	timer->flags |= flags;
#endif
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* a macro: stable releases have brought the function to some older kernels */
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

/* What users can have much of is accounted to them, where that is done. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 5, 0)
#define __GFP_ACCOUNT 0
#endif
#define KNC_COMPAT_GFP_ACCOUNT (GFP_KERNEL | __GFP_NOWARN | __GFP_ACCOUNT)
#define KNC_COMPAT_GFP_ATOMIC (GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)
/* ENOMEM tells it all: the log need not show the state of all memory. */
#define KNC_COMPAT_GFP_QUIET (GFP_KERNEL | __GFP_NOWARN)

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 4, 0)
void on_each_cpu_mask(const struct cpumask *mask, void (*fn)(void *),
		      void *info, bool wait);
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define timer_container_of(var, callback_timer, timer_fieldname)	\
	container_of(callback_timer, typeof(*(var)), timer_fieldname)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
/* a macro, as above */
#define hrtimer_setup(timer, fn, clock, mode)				\
	do {								\
		struct hrtimer *__timer = (timer);			\
									\
		hrtimer_init(__timer, clock, mode);			\
		__timer->function = fn;					\
	} while (0)
#endif

/* A timer of this CPU whose function runs with interrupts off */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
#define KNC_COMPAT_HRTIMER_MODE HRTIMER_MODE_REL_PINNED
#else
#define KNC_COMPAT_HRTIMER_MODE HRTIMER_MODE_REL_PINNED_HARD
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 16, 0)
#define __poll_t unsigned int
#define EPOLLIN POLLIN
#define EPOLLRDNORM POLLRDNORM
#define EPOLLERR POLLERR
#define EPOLLHUP POLLHUP
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 2, 0)
#define NMI_FLAG_FIRST 1
#define NMI_LOCAL 0
#define NMI_DONE 0
#define NMI_HANDLED 1

/* one handler, first on the list, for what is now called NMI_LOCAL */
int register_nmi_handler(unsigned int type,
			 int (*handler)(unsigned int, struct pt_regs *),
			 unsigned long flags, const char *name);
void unregister_nmi_handler(unsigned int type, const char *name);
#endif

/*
 * Call chains: until 5.2 a page fault in an NMI, which looking at a user's stack
 * may cause, is not safe on all kernels, nor can a module ask for the kernel's.
 */
#define KNC_COMPAT_CALLCHAIN						\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(5, 2, 0))

/*
 * The kernel's call chain from @regs on: up to @max addresses in @chain, which
 * has @room for those of the interrupt itself too. Returns how many.
 */
unsigned int knc_compat_kernel_chain(const struct pt_regs *regs, u64 *chain,
				     unsigned int max, unsigned int room);

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 2, 0)
static inline unsigned long copy_from_user_nmi(void *to,
					       const void __user *from,
					       unsigned long n)
{
	return n;
}
#endif

/*
 * Is this on a stack on which the kernel is entered, before it goes on with its task's?
 * What a program had is not where it will be then.
 */
static inline bool knc_compat_is_entry_stack(unsigned long sp)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 15, 0)
	return sp - CPU_ENTRY_AREA_BASE < CPU_ENTRY_AREA_MAP_SIZE;
#else
	return false;
#endif
}

/*
 * Call a function on another CPU, interrupts off here and there. Before 3.15 no exported
 * function does that. A timer of the other CPU does it at its next tick; if that CPU goes
 * offline first, on another one.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 15, 0)
struct knc_compat_call {
	struct timer_list timer;
	void (*func)(void *info);
	void *info;
};

#define call_single_data_t struct knc_compat_call

void knc_compat_call_init(call_single_data_t *call, void (*fn)(void *info),
			  void *info);
int smp_call_function_single_async(int cpu, call_single_data_t *call);

/* When this returns, the function has returned. Sleeps. */
static inline void knc_compat_call_sync(call_single_data_t *call)
{
	del_timer_sync(&call->timer);
}
#else
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 14, 0)
#define call_single_data_t struct call_single_data
#endif

static inline void knc_compat_call_init(call_single_data_t *call,
					void (*fn)(void *info), void *info)
{
	call->func = fn;
	call->info = info;
}

static inline void knc_compat_call_sync(call_single_data_t *call)
{
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 2, 0)
#define topology_sibling_cpumask(cpu) topology_thread_cpumask(cpu)
#endif

/* Before, nobody is told of what a task executes, or can't wait for it to be done. */
#define KNC_COMPAT_EXEC							\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(5, 0, 0))

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 5, 0)
#define kuid_t uid_t
#define __kuid_val(uid) (uid)
#define uid_eq(a, b) ((a) == (b))
#define gid_eq(a, b) ((a) == (b))
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 8, 0)
#define knc_compat_same_user_ns(a, b) ((a)->user->user_ns == (b)->user->user_ns)
#else
#define knc_compat_same_user_ns(a, b) ((a)->user_ns == (b)->user_ns)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 11, 0)
static inline void mmgrab(struct mm_struct *mm)
{
	atomic_inc(&mm->mm_count);
}
#endif

/*
 * A task whose end is over has a group leader that may be gone, and is in no list of
 * threads any more: under RCU, as long as it has its pid it is and its leader is there.
 */
static inline struct pid *knc_compat_tgid(struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 19, 0)
	return pid_alive(task) ? task_tgid(task) : NULL;
#else
	return task_tgid(task);
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 14, 0)
/* From one thread around to itself; it ends early if that leaves the list */
static inline struct task_struct *knc_compat_next(struct task_struct *p,
						  struct task_struct *t)
{
	t = next_thread(t);
	return t == p || !pid_alive(p) ? NULL : t;
}

#define for_each_thread(p, t)						\
	for ((t) = pid_alive(p) ? (p) : NULL; (t);			\
	     (t) = knc_compat_next(p, t))
#endif

/* May who has the rights of its user look at a task? */
bool knc_compat_dumpable(struct task_struct *task);

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 6, 0)
#define callback_head rcu_head
#endif

/* Every task has left what it executed in the kernel; since there is KNC_COMPAT_EXEC */
void knc_compat_sync_tasks(void);

/* Whose share is used up by what the caller asks for: in a container, its owner's */
kuid_t knc_compat_payer(void);

/* Call @fn(@work) before current returns to user mode, able to sleep. */
int knc_compat_task_work(struct callback_head *work,
			 void (*fn)(struct callback_head *work));

/*
 * A real-time kernel: what is a spinlock elsewhere sleeps there, and a tracepoint of
 * the scheduler can't take it.
 */
#if defined(CONFIG_PREEMPT_RT) || defined(CONFIG_PREEMPT_RT_FULL)
#define KNC_COMPAT_RT 1
#else
#define KNC_COMPAT_RT 0
#endif

/* A parameter of the module that its owner can change, and everybody can read */
#define KNC_COMPAT_PARAM(name, setter, getter)				\
	static const struct kernel_param_ops name##_ops = {			\
		.set = setter,						\
		.get = getter,						\
	};								\
	module_param_cb(name, &name##_ops, NULL, 0644)

/* Has the kernel been locked down so far that nobody may look into it with perf? */
static inline bool knc_compat_locked_down(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 4, 0)
	return security_locked_down(LOCKDOWN_PERF);
#else
	return false;
#endif
}

/* ioctl() of 32-bit programs: all structs are the same for them. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 5, 0) || !defined(CONFIG_COMPAT)
#ifdef CONFIG_COMPAT
#define knc_compat_ioctl32 compat_ptr_ioctl
#else
#define knc_compat_ioctl32 NULL
#endif
#else
long knc_compat_ioctl32(struct file *file, unsigned int cmd, unsigned long arg);
#endif

#endif /* KNC_PMU_COMPAT_H */
