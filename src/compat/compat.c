// SPDX-License-Identifier: GPL-2.0
/*
 * What compat.h can't say in a line or two
 */
#include <linux/compat.h>
#include <linux/kdebug.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include <asm/mmu_context.h>

#include "compat/compat.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(2, 6, 39)
#include <linux/syscore_ops.h>
#endif

#if KNC_COMPAT_EXEC
#include <linux/task_work.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(3, 9, 0)
#include <linux/user_namespace.h>
#endif

#if KNC_COMPAT_DIRTY
#include <linux/kthread.h>
#endif

#if defined(__has_include)
#if __has_include(<linux/sched/exec_state.h>)
#define KNC_COMPAT_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif
#endif

#if KNC_COMPAT_VECTORS
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>

#include <asm/irq_regs.h>
#include <asm/irqdomain.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
/* The rule of today's function: what the kernel does not know must be zero. */
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
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 7, 0)
#define VM_DONTDUMP VM_RESERVED
#endif

/**
 * knc_compat_map() - map memory of knc_compat_valloc()
 * @vma: where, and how much of it
 * @memory: at least that much
 *
 * remap_vmalloc_range() refuses what was not allocated by vmalloc_user(), and before
 * 3.7 it lets mremap() enlarge the mapping.
 *
 * Return: 0, or -ENOMEM.
 */
int knc_compat_map(struct vm_area_struct *vma, void *memory)
{
	unsigned long at;
	int err = 0;

	for (at = vma->vm_start; !err && at < vma->vm_end; at += PAGE_SIZE)
		err = vm_insert_page(vma, at,
				     vmalloc_to_page(memory + (at - vma->vm_start)));
	knc_compat_vma_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, 0);
	return err;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 5, 0) && defined(CONFIG_COMPAT)
long knc_compat_ioctl32(struct file *file, unsigned int cmd, unsigned long arg)
{
	return file->f_op->unlocked_ioctl(file, cmd,
					  (unsigned long)compat_ptr(arg));
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 4, 0)
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
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 2, 0)
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
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 2, 0)
unsigned int knc_compat_kernel_chain(const struct pt_regs *regs, u64 *chain,
				     unsigned int max, unsigned int room)
{
	return 0;
}
#else
unsigned int knc_compat_kernel_chain(const struct pt_regs *regs, u64 *chain,
				     unsigned int max, unsigned int room)
{
	unsigned int nr, i;

	nr = stack_trace_save((unsigned long *)chain, room, 0);
	for (i = 0; i < nr && chain[i] != regs->ip; i++)
		;
	/* lost its way: at least where it was is certain */
	if (i == nr) {
		chain[0] = regs->ip;
		return 1;
	}
	nr = min(nr - i, max);
	memmove(chain, chain + i, nr * sizeof(*chain));
	return nr;
}
#endif

void (*knc_compat_vector_handler)(struct pt_regs *regs, void (*eoi)(void *arg),
				  void *arg);

#if KNC_COMPAT_VECTORS
static DEFINE_PER_CPU(unsigned int, knc_compat_virq);

static void knc_compat_vector_eoi(void *arg)
{
	struct irq_data *data = arg;

	data->chip->irq_ack(data);
}

static void knc_compat_vector_flow(struct irq_desc *desc)
{
	knc_compat_vector_handler(get_irq_regs(), knc_compat_vector_eoi,
				  irq_desc_get_irq_data(desc));
}

int knc_compat_vector_alloc(unsigned int cpu)
{
	struct irq_alloc_info info = { .mask = cpumask_of(cpu) };
	int virq, err;

	virq = irq_domain_alloc_irqs(x86_vector_domain, 1, cpu_to_node(cpu),
				     &info);
	if (virq < 0)
		return virq;
	irq_set_handler(virq, knc_compat_vector_flow);
	err = irq_force_affinity(virq, cpumask_of(cpu));
	if (err) {
		irq_dispose_mapping(virq);
		return err;
	}
	/* the LVT entry knows this one vector of this one CPU */
	irq_set_status_flags(virq, IRQ_NO_BALANCING);
	per_cpu(knc_compat_virq, cpu) = virq;
	return irqd_cfg(irq_get_irq_data(virq))->vector;
}

void knc_compat_vector_free(unsigned int cpu)
{
	unsigned int virq = per_cpu(knc_compat_virq, cpu);

	if (!virq)
		return;
	per_cpu(knc_compat_virq, cpu) = 0;
	irq_dispose_mapping(virq);
}
#else
int knc_compat_vector_alloc(unsigned int cpu)
{
	return -EOPNOTSUPP;
}

void knc_compat_vector_free(unsigned int cpu)
{
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 15, 0)
bool knc_compat_has_tracepoint(const char *name)
{
	return true;
}

int knc_compat_probe(const char *name, void *probe)
{
	return tracepoint_probe_register(name, probe, NULL);
}

void knc_compat_unprobe(const char *name, void *probe)
{
	tracepoint_probe_unregister(name, probe, NULL);
}
#else
struct knc_compat_search {
	const char *name;
	struct tracepoint *found;
};

static void knc_compat_compare(struct tracepoint *tp, void *arg)
{
	struct knc_compat_search *search = arg;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/* They are not exported, but can be met. */
static struct tracepoint *knc_compat_tracepoint(const char *name)
{
	struct knc_compat_search search = { .name = name };

	for_each_kernel_tracepoint(knc_compat_compare, &search);
	return search.found;
}

bool knc_compat_has_tracepoint(const char *name)
{
	return knc_compat_tracepoint(name);
}

int knc_compat_probe(const char *name, void *probe)
{
	struct tracepoint *tp = knc_compat_tracepoint(name);

	return tp ? tracepoint_probe_register(tp, probe, NULL) : -ENOENT;
}

void knc_compat_unprobe(const char *name, void *probe)
{
	tracepoint_probe_unregister(knc_compat_tracepoint(name), probe, NULL);
}
#endif

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
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 11, 0)
		dumpable = get_dumpable(task->mm) == SUID_DUMP_USER;
#else
		dumpable = (task->mm->flags & MMF_DUMPABLE_MASK) == 1;
#endif
	task_unlock(task);
	return dumpable;
}
#endif

#if KNC_COMPAT_MM_RDPMC && KNC_COMPAT_RDPMC
atomic_t *knc_compat_mm_rdpmc(struct mm_struct *mm)
{
	return &mm->context.perf_rdpmc_allowed;
}

/* In a kernel thread, which has no use for the memory of who ran before it */
static int knc_compat_leave_mm(void *unused)
{
	preempt_disable();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	leave_mm();
#else
	leave_mm(smp_processor_id());
#endif
	preempt_enable();
	return 0;
}

/*
 * The kernel looks at the counter when it switches from one memory to another. Where
 * @mm is in use it is made to leave it: when it comes back, it looks.
 */
void knc_compat_mm_reload(struct mm_struct *mm)
{
	unsigned int cpu;

	for_each_cpu(cpu, mm_cpumask(mm))
		smp_call_on_cpu(cpu, knc_compat_leave_mm, NULL, false);
}

void knc_compat_visit_here(struct mm_struct *mm, void (*fn)(void))
{
	/* it looks at a memory only if another one is loaded */
	knc_compat_leave_mm(NULL);
#if KNC_COMPAT_DIRTY
	if (!mm)
		return;
	kthread_use_mm(mm);
	fn();
	kthread_unuse_mm(mm);
	/* nor is it to be mistaken for loaded already the next time */
	knc_compat_leave_mm(NULL);
#endif
}

struct knc_compat_visit {
	struct work_struct work;
	struct mm_struct *mm;
	void (*fn)(void);
};

static DEFINE_PER_CPU(struct knc_compat_visit, knc_compat_visits);

static void knc_compat_visit_work(struct work_struct *work)
{
	struct knc_compat_visit *v;

	v = container_of(work, struct knc_compat_visit, work);
	knc_compat_visit_here(v->mm, v->fn);
}

void knc_compat_visit(struct mm_struct *mm, void (*fn)(void))
{
	struct knc_compat_visit *v;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		v = &per_cpu(knc_compat_visits, cpu);
		INIT_WORK(&v->work, knc_compat_visit_work);
		v->mm = mm;
		v->fn = fn;
		queue_work_on(cpu, system_highpri_wq, &v->work);
	}
	for_each_online_cpu(cpu)
		flush_work(&per_cpu(knc_compat_visits, cpu).work);
}
#else
atomic_t *knc_compat_mm_rdpmc(struct mm_struct *mm)
{
	return NULL;
}

void knc_compat_mm_reload(struct mm_struct *mm)
{
}

void knc_compat_visit_here(struct mm_struct *mm, void (*fn)(void))
{
}

void knc_compat_visit(struct mm_struct *mm, void (*fn)(void))
{
}
#endif

#if KNC_COMPAT_EXEC
int knc_compat_task_work(struct callback_head *work,
			 void (*fn)(struct callback_head *work))
{
	init_task_work(work, fn);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 10, 0)
	return task_work_add(current, work, TWA_RESUME);
#else
	return task_work_add(current, work, true);
#endif
}

void knc_compat_sync_tasks(void)
{
	synchronize_rcu_tasks();
}
#else
int knc_compat_task_work(struct callback_head *work,
			 void (*fn)(struct callback_head *work))
{
	return -EOPNOTSUPP;
}

void knc_compat_sync_tasks(void)
{
}
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(3, 9, 0)
kuid_t knc_compat_payer(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent)
		uid = ns->owner;
	return uid;
}
#else
kuid_t knc_compat_payer(void)
{
	return current_uid();
}
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 10, 0)

static int knc_compat_hotplug_state;

int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu))
{
	int state;

	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "knc_pmu:online",
				  online, offline);
	if (state < 0)
		return state;
	knc_compat_hotplug_state = state;
	return 0;
}

void knc_compat_hotplug_unregister(void)
{
	cpuhp_remove_state(knc_compat_hotplug_state);
}

#else

static int (*knc_compat_online)(unsigned int cpu);
static int (*knc_compat_offline)(unsigned int cpu);

static int knc_compat_hotplug_notify(struct notifier_block *nb,
				     unsigned long action, void *hcpu)
{
	unsigned int cpu = (unsigned long)hcpu;

	switch (action & ~CPU_TASKS_FROZEN) {
	case CPU_ONLINE:
	case CPU_DOWN_FAILED:
		knc_compat_online(cpu);
		break;
	case CPU_DOWN_PREPARE:
		knc_compat_offline(cpu);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block knc_compat_hotplug_nb = {
	.notifier_call = knc_compat_hotplug_notify,
};

int knc_compat_hotplug_register(int (*online)(unsigned int cpu),
				int (*offline)(unsigned int cpu))
{
	unsigned int cpu;

	knc_compat_online = online;
	knc_compat_offline = offline;
	/* not under get_online_cpus(): hotplug takes its locks the other way */
	register_hotcpu_notifier(&knc_compat_hotplug_nb);
	get_online_cpus();
	for_each_online_cpu(cpu)
		online(cpu);
	put_online_cpus();
	return 0;
}

void knc_compat_hotplug_unregister(void)
{
	unsigned int cpu;

	unregister_hotcpu_notifier(&knc_compat_hotplug_nb);
	get_online_cpus();
	for_each_online_cpu(cpu)
		knc_compat_offline(cpu);
	put_online_cpus();
}

#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(2, 6, 39)
static void (*knc_compat_suspend)(void);
static void (*knc_compat_resume)(void);

/* Kbuild has looked: some stable kernels have the newer interface as well. */
#ifdef KNC_COMPAT_SYSCORE
static int knc_compat_syscore_suspend(void *data)
{
	knc_compat_suspend();
	return 0;
}

static void knc_compat_syscore_resume(void *data)
{
	knc_compat_resume();
}
#else
static int knc_compat_syscore_suspend(void)
{
	knc_compat_suspend();
	return 0;
}

static void knc_compat_syscore_resume(void)
{
	knc_compat_resume();
}
#endif

#ifdef KNC_COMPAT_SYSCORE
static const struct syscore_ops knc_compat_syscore_ops = {
	.suspend	= knc_compat_syscore_suspend,
	.resume		= knc_compat_syscore_resume,
};

static struct syscore knc_compat_syscore = {
	.ops = &knc_compat_syscore_ops,
};
#else
static struct syscore_ops knc_compat_syscore = {
	.suspend	= knc_compat_syscore_suspend,
	.resume		= knc_compat_syscore_resume,
};

#define register_syscore register_syscore_ops
#define unregister_syscore unregister_syscore_ops
#endif

void knc_compat_suspend_register(void (*suspend)(void), void (*resume)(void))
{
	knc_compat_suspend = suspend;
	knc_compat_resume = resume;
	register_syscore(&knc_compat_syscore);
}

void knc_compat_suspend_unregister(void)
{
	unregister_syscore(&knc_compat_syscore);
}
#else
void knc_compat_suspend_register(void (*suspend)(void), void (*resume)(void))
{
}

void knc_compat_suspend_unregister(void)
{
}
#endif
