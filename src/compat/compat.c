// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of compat.h that are too long to be inline
 */
#include <linux/compat.h>
#include <linux/kdebug.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "compat/compat.h"

#if !KNC_COMPAT_MPSS
#include <linux/task_work.h>
#include <linux/user_namespace.h>
#endif

#if defined(__has_include)
#if __has_include(<linux/sched/exec_state.h>)
#define KNC_COMPAT_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif
#endif

#if KNC_COMPAT_MPSS
/* As in today's kernel: bytes beyond the struct that the module knows must be 0. */
int copy_struct_from_user(void *dst, size_t ksize, const void __user *src,
			  size_t usize)
{
	const u8 __user *rest = (const u8 __user *)src + ksize;
	size_t size = min(ksize, usize);
	size_t i;
	u8 byte;

	for (i = ksize; i < usize; i++, rest++) {
		if (get_user(byte, rest))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	if (copy_from_user(dst, src, size))
		return -EFAULT;
	memset(dst + size, 0, ksize - size);
	return 0;
}

#ifdef CONFIG_COMPAT
long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return file->f_op->unlocked_ioctl(file, cmd,
					  (unsigned long)compat_ptr(arg));
}
#endif

void on_each_cpu_mask(const struct cpumask *mask, void (*fn)(void *),
		      void *info, bool wait)
{
	unsigned long flags;
	int cpu = get_cpu();

	smp_call_function_many(mask, fn, info, wait);
	if (cpumask_test_cpu(cpu, mask)) {
		local_irq_save(flags);
		fn(info);
		local_irq_restore(flags);
	}
	put_cpu();
}

static void knc_compat_call_timer(unsigned long data)
{
	call_single_data_t *call = (call_single_data_t *)data;
	unsigned long flags;

	local_irq_save(flags);
	call->func(call->info);
	local_irq_restore(flags);
}

void knc_compat_call_init(call_single_data_t *call, void (*fn)(void *info),
			  void *info)
{
	call->func = fn;
	call->info = info;
	setup_timer(&call->timer, knc_compat_call_timer, (unsigned long)call);
}

int smp_call_function_single_async(int cpu, call_single_data_t *call)
{
	/* a CPU can't go offline while interrupts are off here */
	if (!cpu_online(cpu))
		return -ENXIO;
	call->timer.expires = jiffies;
	add_timer_on(&call->timer, cpu);
	return 0;
}

static int (*knc_compat_nmi)(unsigned int type, struct pt_regs *regs);

static int knc_compat_nmi_notify(struct notifier_block *nb, unsigned long why,
				 void *data)
{
	struct die_args *args = data;

	if (why != DIE_NMI || knc_compat_nmi(NMI_LOCAL, args->regs) == NMI_DONE)
		return NOTIFY_DONE;
	return NOTIFY_STOP;
}

static struct notifier_block knc_compat_nmi_nb = {
	.notifier_call = knc_compat_nmi_notify,
	.priority = INT_MAX,
};

int register_nmi_handler(unsigned int type,
			 int (*handler)(unsigned int, struct pt_regs *),
			 unsigned long flags, const char *name)
{
	knc_compat_nmi = handler;
	return register_die_notifier(&knc_compat_nmi_nb);
}

void unregister_nmi_handler(unsigned int type, const char *name)
{
	unregister_die_notifier(&knc_compat_nmi_nb);
}

unsigned int knc_compat_kernel_chain(const struct pt_regs *regs, u64 *chain,
				     unsigned int max, unsigned int room)
{
	return 0;
}

bool knc_compat_dumpable(struct task_struct *task)
{
	bool dumpable = false;

	task_lock(task);
	if (task->mm)
		dumpable = (task->mm->flags & MMF_DUMPABLE_MASK) == 1;
	task_unlock(task);
	return dumpable;
}

int knc_compat_task_work(struct callback_head *work,
			 void (*fn)(struct callback_head *work))
{
	return -EOPNOTSUPP;
}

void knc_compat_sync_tasks(void)
{
}

kuid_t knc_compat_payer(void)
{
	return current_uid();
}
#else
unsigned int knc_compat_kernel_chain(const struct pt_regs *regs, u64 *chain,
				     unsigned int max, unsigned int room)
{
	unsigned int nr, i;

	nr = stack_trace_save((unsigned long *)chain, room, 0);
	for (i = 0; i < nr && chain[i] != regs->ip; i++)
		;
	/* the unwinder did not reach @regs: only their address is certain */
	if (i == nr) {
		chain[0] = regs->ip;
		return 1;
	}
	nr = min(nr - i, max);
	memmove(chain, chain + i, nr * sizeof(*chain));
	return nr;
}

#ifdef KNC_COMPAT_EXEC_STATE
bool knc_compat_dumpable(struct task_struct *task)
{
	struct task_exec_state *state;
	bool dumpable;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	dumpable = state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
}
#else
bool knc_compat_dumpable(struct task_struct *task)
{
	bool dumpable = false;

	task_lock(task);
	if (task->mm)
		dumpable = get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return dumpable;
}
#endif

int knc_compat_task_work(struct callback_head *work,
			 void (*fn)(struct callback_head *work))
{
	init_task_work(work, fn);
	return task_work_add(current, work, TWA_RESUME);
}

void knc_compat_sync_tasks(void)
{
	synchronize_rcu_tasks();
}

kuid_t knc_compat_payer(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent)
		uid = ns->owner;
	return uid;
}
#endif
