/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_SCHED_H
#define STUB_LINUX_SCHED_H

#include <linux/capability.h>
#include <linux/threads.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/jiffies.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/mm_types.h>
#include <asm/system.h>
#include <asm/page.h>
#include <asm/ptrace.h>
#include <linux/smp.h>
#include <linux/compiler.h>
#include <linux/pid.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include <linux/rcupdate.h>
#include <linux/rculist.h>
#include <linux/time.h>
#include <linux/resource.h>
#include <linux/timer.h>
#include <linux/hrtimer.h>
#include <linux/cred.h>
#include <asm/processor.h>
#include <linux/spinlock.h>

#define PF_EXITING 0x4
#define PF_KTHREAD 0x200000
#define MMF_DUMPABLE_MASK 3

struct user_struct {
	struct user_namespace *user_ns;
	uid_t uid;
	atomic_long_t locked_vm;
};

struct signal_struct {
	struct rlimit rlim[16];
};

struct sched_entity {
	u64 sum_exec_runtime;
};

#define TASK_RUNNING 0
#define TASK_UNINTERRUPTIBLE 2

struct task_struct {
	volatile long state;
	unsigned int flags;
	struct sched_entity se;
	struct list_head tasks;
	struct mm_struct *mm, *active_mm;
	unsigned in_execve:1;
	pid_t pid;
	pid_t tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid_link pids[PIDTYPE_MAX];
	struct list_head thread_group;
	const struct cred *real_cred;
	const struct cred *cred;
	char comm[16];
	struct thread_struct thread;
	struct signal_struct *signal;
	spinlock_t alloc_lock;
	atomic_t usage;
};

extern struct task_struct init_task;

extern void __put_task_struct(struct task_struct *t);
extern long schedule_timeout_uninterruptible(long timeout);
extern pid_t __task_pid_nr_ns(struct task_struct *task, enum pid_type type,
			      struct pid_namespace *ns);
extern pid_t task_tgid_nr_ns(struct task_struct *tsk,
			     struct pid_namespace *ns);
extern void __mmdrop(struct mm_struct *mm);

static inline void put_task_struct(struct task_struct *t)
{
	if (atomic_dec_and_test(&t->usage))
		__put_task_struct(t);
}

static inline void mmdrop(struct mm_struct *mm)
{
	if (atomic_dec_and_test(&mm->mm_count))
		__mmdrop(mm);
}

static inline struct pid *task_pid(struct task_struct *task)
{
	return task->pids[PIDTYPE_PID].pid;
}

static inline struct pid *task_tgid(struct task_struct *task)
{
	return task->group_leader->pids[PIDTYPE_PID].pid;
}

static inline pid_t task_pid_nr_ns(struct task_struct *tsk,
				   struct pid_namespace *ns)
{
	return __task_pid_nr_ns(tsk, PIDTYPE_PID, ns);
}

static inline pid_t task_pid_vnr(struct task_struct *tsk)
{
	return __task_pid_nr_ns(tsk, PIDTYPE_PID, NULL);
}

static inline int pid_alive(struct task_struct *p)
{
	return p->pids[PIDTYPE_PID].pid != NULL;
}

static inline int same_thread_group(struct task_struct *p1,
				    struct task_struct *p2)
{
	return p1->tgid == p2->tgid;
}

static inline struct task_struct *next_thread(const struct task_struct *p)
{
	return list_entry(p->thread_group.next, struct task_struct,
			  thread_group);
}

static inline unsigned int task_cpu(const struct task_struct *p)
{
	return p->usage.counter;
}

static inline void task_lock(struct task_struct *p)
{
	spin_lock(&p->alloc_lock);
}

static inline void task_unlock(struct task_struct *p)
{
	spin_unlock(&p->alloc_lock);
}

static inline int fatal_signal_pending(struct task_struct *p)
{
	return p->flags & 1;
}

static inline unsigned long rlimit(unsigned int limit)
{
	return current->signal->rlim[limit].rlim_cur;
}

#define next_task(p) list_entry((p)->tasks.next, struct task_struct, tasks)
#define for_each_process(p) \
	for (p = &init_task; (p = next_task(p)) != &init_task;)
#define cond_resched() _cond_resched()

#endif /* STUB_LINUX_SCHED_H */
