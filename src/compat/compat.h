/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions since 2.6.38 (MPSS)
 *
 * Functions of today's kernel keep their names; our own begin with knc_compat_. KNC_COMPAT_VECTORS
 * and the like are 1 if this kernel has a feature. Features are found by trying (features.def),
 * only 2.6.38 is known by its version.
 */
#ifndef KNC_PMU_COMPAT_H
#define KNC_PMU_COMPAT_H

#include <linux/binfmts.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <asm/nmi.h>

#include "compat/versions.h"

#if !KNC_COMPAT_MPSS
#include <linux/mod_devicetable.h>
#include <linux/nospec.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>

#include <asm/cpu_entry_area.h>
#endif

#if KNC_COMPAT_MPSS
#define READ_ONCE(x) ACCESS_ONCE(x)
#define WRITE_ONCE(x, value) (ACCESS_ONCE(x) = (value))

/* 2.6.38 does not load modules by CPU type: the table has no effect. */
struct x86_cpu_id {
	u16 vendor;
	u16 family;
	u16 model;
	u16 feature;
};

#define U32_MAX ((u32)~0U)
#define x86cpu_device_id x86_cpu_id
#define X86_FEATURE_ANY 0

static inline u64 ktime_get_ns(void)
{
	return ktime_to_ns(ktime_get());
}

/* CLOCK_MONOTONIC; 0 in an NMI, because the NMI may have interrupted the clock's update */
static inline u64 knc_compat_nmi_ns(void)
{
	return in_nmi() ? 0 : ktime_get_ns();
}

static inline void *kvcalloc(size_t n, size_t size, gfp_t flags)
{
	if (size && n > ~(size_t)0 / size)
		return NULL;
	return __vmalloc(n * size, flags | __GFP_HIGHMEM | __GFP_ZERO,
			 PAGE_KERNEL);
}

static inline void kvfree(const void *p)
{
	vfree(p);
}

static inline void cpus_read_lock(void)
{
	get_online_cpus();
}

static inline void cpus_read_unlock(void)
{
	put_online_cpus();
}

/* no card has SMAP */
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

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strlcpy(to, from, size);

	return len < size ? (ssize_t)len : -E2BIG;
}

int copy_struct_from_user(void *dst, size_t ksize, const void __user *src,
			  size_t usize);

static inline bool perfmon_capable(void)
{
	return capable(CAP_SYS_ADMIN);
}

/* not needed: the card's in-order cores speculate no further than a fetch */
#define array_index_nospec(index, size) (index)

/* all our timers are pinned: mod_timer_pinned() below pins them */
#undef TIMER_PINNED
#define TIMER_PINNED 0
/* ignored by timer_setup() below: the timer wakes idle CPUs */
#undef TIMER_DEFERRABLE
#define TIMER_DEFERRABLE 0
#define mod_timer(timer, expires) mod_timer_pinned(timer, expires)

static inline void timer_setup(struct timer_list *timer,
			       void (*fn)(struct timer_list *),
			       unsigned int flags)
{
	setup_timer(timer, (void (*)(unsigned long))fn, (unsigned long)timer);
}
#endif

#if !KNC_COMPAT_MPSS
static inline u64 knc_compat_nmi_ns(void)
{
	return ktime_get_mono_fast_ns();
}
#endif

/*
 * Have a kernel thread do @work after @delay jiffies, on any CPU. If a real-time program occupies
 * this CPU, a thread bound to it would get no time, even while it holds locks.
 */
static inline void knc_compat_schedule(struct delayed_work *work, unsigned long delay)
{
#if KNC_COMPAT_MPSS
	schedule_delayed_work(work, delay);
#elif defined(KNC_COMPAT_DFL_WQ)
	queue_delayed_work(system_dfl_wq, work, delay);
#else
	queue_delayed_work(system_unbound_wq, work, delay);
#endif
}

#ifndef KNC_COMPAT_TIMER_DELETE
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

/*
 * All memory of sessions is charged to the cgroup of the process that configures them. NOWARN:
 * users must not fill the log by allocations that fail.
 */
#if KNC_COMPAT_MPSS
#define __GFP_ACCOUNT 0
#endif
#define KNC_COMPAT_GFP_ACCOUNT (GFP_KERNEL | __GFP_NOWARN | __GFP_ACCOUNT)
#define KNC_COMPAT_GFP_ATOMIC (GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)
/*
 * Pages that user space maps are not charged until 5.10: the charge is a page type there, and
 * vm_insert_page() refuses pages with a type.
 */
#if KNC_COMPAT_MPSS || defined(PG_kmemcg)
#define KNC_COMPAT_GFP_MAPPED (GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO)
#else
#define KNC_COMPAT_GFP_MAPPED (KNC_COMPAT_GFP_ACCOUNT | __GFP_ZERO)
#endif

#if KNC_COMPAT_MPSS
void on_each_cpu_mask(const struct cpumask *mask, void (*fn)(void *),
		      void *info, bool wait);
#endif

#ifndef timer_container_of
#define timer_container_of(var, callback_timer, timer_fieldname)	\
	container_of(callback_timer, typeof(*(var)), timer_fieldname)
#endif

#ifndef KNC_COMPAT_HRTIMER_SETUP
#define hrtimer_setup(timer, fn, clock, mode)				\
	do {								\
		struct hrtimer *__timer = (timer);			\
									\
		hrtimer_init(__timer, clock, mode);			\
		__timer->function = fn;					\
	} while (0)
#endif

/* The mode of a timer of this CPU whose function runs in hard interrupt context */
#if KNC_COMPAT_MPSS
#define KNC_COMPAT_HRTIMER_MODE HRTIMER_MODE_REL_PINNED
#else
#define KNC_COMPAT_HRTIMER_MODE HRTIMER_MODE_REL_PINNED_HARD
#endif

/*
 * The shortest interval of a timer, ns. Without high resolution (highres=off) timers expire at the
 * kernel's tick, and hrtimer_forward() moves them by at least this time.
 */
static inline u64 knc_compat_timer_resolution(void)
{
#if KNC_COMPAT_MPSS
	struct timespec ts;

	hrtimer_get_res(CLOCK_MONOTONIC, &ts);
	return timespec_to_ns(&ts);
#else
	return hrtimer_resolution;
#endif
}

/*
 * The time to give to hrtimer_forward() in the function of @timer; @now: the present time, ns.
 * Without high resolution 2.6.38 compares timers with the time of the last tick of any CPU: moved
 * on from @now, a timer would miss every other tick.
 */
static inline u64 knc_compat_timer_now(struct hrtimer *timer, u64 now)
{
#if KNC_COMPAT_MPSS
	if (!hrtimer_is_hres_active(timer))
		return ktime_to_ns(timer->base->softirq_time);
#endif
	return now;
}

#if KNC_COMPAT_MPSS
#define __poll_t unsigned int
#define EPOLLIN POLLIN
#define EPOLLRDNORM POLLRDNORM
#define EPOLLERR POLLERR
#define EPOLLHUP POLLHUP

#define NMI_FLAG_FIRST 1
#define NMI_LOCAL 0
#define NMI_DONE 0
#define NMI_HANDLED 1

/* only one handler can be registered: of NMI_LOCAL, and it is called first */
int register_nmi_handler(unsigned int type,
			 int (*handler)(unsigned int, struct pt_regs *),
			 unsigned long flags, const char *name);
void unregister_nmi_handler(unsigned int type, const char *name);
#endif

static inline bool knc_compat_may_write(void __user *to, size_t size)
{
#if KNC_COMPAT_MPSS
	return access_ok(VERIFY_WRITE, to, size);
#else
	return access_ok(to, size);
#endif
}

/*
 * Copy to the caller's memory without handling page faults. On 2.6.38 copy_to_user() and put_user()
 * may schedule even if page faults are disabled; the functions used here do not.
 */
static inline int knc_compat_put_nofault(void __user *to, const void *from, size_t size)
{
	unsigned long left = size;

	if (!knc_compat_may_write(to, size))
		return -EFAULT;
	pagefault_disable();
	left = __copy_to_user_inatomic(to, from, size);
	pagefault_enable();
	return left ? -EFAULT : 0;
}

/*
 * Are there call chains? Not on 2.6.38: reading a user's stack may fault, which is not safe in an
 * NMI, and modules can't unwind the kernel's stack.
 */
#define KNC_COMPAT_CALLCHAIN						\
	(!KNC_COMPAT_MPSS)

/*
 * Write up to @max addresses of the kernel's call chain, from @regs on, to @chain. Returns their
 * number. @room: the size of @chain, larger than @max, because the unwinder also writes frames of
 * the interrupt, which are then removed.
 */
unsigned int knc_compat_kernel_chain(const struct pt_regs *regs, u64 *chain,
				     unsigned int max, unsigned int room);

#if KNC_COMPAT_MPSS
static inline unsigned long copy_from_user_nmi(void *to,
					       const void __user *from,
					       unsigned long n)
{
	return n;
}
#endif

/*
 * Is @sp on an entry stack? The kernel uses it until it switches to the task's stack: the program's
 * registers are not in task_pt_regs() yet.
 */
static inline bool knc_compat_is_entry_stack(unsigned long sp)
{
#if !KNC_COMPAT_MPSS
	return sp - CPU_ENTRY_AREA_BASE < CPU_ENTRY_AREA_MAP_SIZE;
#else
	return false;
#endif
}

/*
 * Call a function on another CPU; interrupts are off in the caller and in the function. 2.6.38
 * exports nothing for this: there a timer calls the function at the other CPU's next tick. If this
 * CPU goes offline first, the timer runs on another CPU.
 */
#if KNC_COMPAT_MPSS
struct knc_compat_call {
	struct timer_list timer;
	void (*func)(void *info);
	void *info;
};

#define call_single_data_t struct knc_compat_call

void knc_compat_call_init(call_single_data_t *call, void (*fn)(void *info),
			  void *info);
int smp_call_function_single_async(int cpu, call_single_data_t *call);

/* Wait until the function of @call has returned. Sleeps. */
static inline void knc_compat_call_sync(call_single_data_t *call)
{
	del_timer_sync(&call->timer);
}

#define topology_sibling_cpumask(cpu) topology_thread_cpumask(cpu)
#else
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

/*
 * knc_compat_rcu_begin() begins a grace period of RCU; knc_compat_rcu_ended() tells if this grace
 * period has ended. Kernels before 5.12 can't tell: knc_compat_rcu_ended() is always true there.
 */
#ifdef KNC_COMPAT_RCU_POLL
#define knc_compat_rcu_begin() start_poll_synchronize_rcu()
#define knc_compat_rcu_ended(begun) poll_state_synchronize_rcu(begun)
#else
#define knc_compat_rcu_begin() 0UL
#define knc_compat_rcu_ended(begun) ((void)(begun), true)
#endif

/* On 2.6.38 modules can't add task work at exec, or wait for its end. */
#define KNC_COMPAT_TASK_WORK						\
	(!KNC_COMPAT_MPSS)

#if KNC_COMPAT_MPSS
#define kuid_t uid_t
#define __kuid_val(uid) (uid)
#define uid_eq(a, b) ((a) == (b))
#define gid_eq(a, b) ((a) == (b))
#define callback_head rcu_head
#define knc_compat_same_user_ns(a, b) ((a)->user->user_ns == (b)->user->user_ns)

static inline void mmgrab(struct mm_struct *mm)
{
	atomic_inc(&mm->mm_count);
}
#else
#define knc_compat_same_user_ns(a, b) ((a)->user_ns == (b)->user_ns)
#endif

/*
 * The pid of the task's process; under RCU. NULL for a task without a pid: it has ended, and its
 * group leader may be freed.
 */
static inline struct pid *knc_compat_tgid(struct task_struct *task)
{
#if KNC_COMPAT_MPSS
	return pid_alive(task) ? task_tgid(task) : NULL;
#else
	return task_tgid(task);
#endif
}

#if KNC_COMPAT_MPSS
/* The next thread after @t; NULL after all threads of @p, or if @p leaves the list */
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

/* Is the task running or runnable? */
static inline bool knc_compat_is_running(const struct task_struct *task)
{
#ifdef KNC_COMPAT_TASK_STATE
	return READ_ONCE(task->__state) == TASK_RUNNING;
#else
	return READ_ONCE(task->state) == TASK_RUNNING;
#endif
}

/* for_each_thread() in steps, under RCU: @p is the process's leader, @t one of its threads */
static inline struct task_struct *knc_compat_first_thread(struct task_struct *p)
{
#if KNC_COMPAT_MPSS
	return pid_alive(p) ? p : NULL;
#else
	return list_first_or_null_rcu(&p->signal->thread_head, struct task_struct, thread_node);
#endif
}

static inline struct task_struct *knc_compat_next_thread(struct task_struct *p,
							 struct task_struct *t)
{
#if KNC_COMPAT_MPSS
	return knc_compat_next(p, t);
#else
	return list_next_or_null_rcu(&p->signal->thread_head, &t->thread_node, struct task_struct,
				     thread_node);
#endif
}

/* May the task's user look at its memory (as for core dumps and ptrace())? */
bool knc_compat_dumpable(struct task_struct *task);

/*
 * Wait until each task has slept or been in user mode: then no task is still in a function of the
 * module that does not sleep. Needs KNC_COMPAT_TASK_WORK.
 */
void knc_compat_sync_tasks(void);

/* The caller's payer: the caller's user, or in a container the container's owner */
kuid_t knc_compat_payer(void);

/* perfmon_capable() without an entry in the audit log, for checks that refuse nothing */
static inline bool knc_compat_is_perfmon(void)
{
#if KNC_COMPAT_MPSS
	return cap_raised(current_cap(), CAP_SYS_ADMIN);
#else
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
#endif
}

/* Did exec raise privileges? */
#if !KNC_COMPAT_MPSS
#define knc_compat_secureexec(bprm) ((bprm)->secureexec)
#else
#define knc_compat_secureexec(bprm)					\
	(!uid_eq(current_euid(), current_uid()) ||			\
	 !gid_eq(current_egid(), current_gid()))
#endif

/* Call @fn(@work) before current returns to user mode; @fn may sleep. */
int knc_compat_task_work(struct callback_head *work,
			 void (*fn)(struct callback_head *work));

/*
 * Is this a real-time kernel? Its spinlocks sleep: probes of the scheduler's tracepoints can't take
 * them.
 */
#if defined(CONFIG_PREEMPT_RT) || defined(CONFIG_PREEMPT_RT_FULL)
#define KNC_COMPAT_RT 1
#else
#define KNC_COMPAT_RT 0
#endif

/* Does kernel lockdown forbid perf to look into the kernel? */
static inline bool knc_compat_locked_down(void)
{
#if !KNC_COMPAT_MPSS
	return security_locked_down(LOCKDOWN_PERF);
#else
	return false;
#endif
}

/* ioctl() of 32-bit programs: the ABI's structs have the same layout there */
#if KNC_COMPAT_MPSS
#ifdef CONFIG_COMPAT
long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#else
#define compat_ptr_ioctl NULL
#endif
#endif

#endif /* KNC_PMU_COMPAT_H */
