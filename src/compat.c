// SPDX-License-Identifier: GPL-2.0
/*
 * What compat.h can't say in a line or two
 */
#include <linux/kdebug.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "compat.h"

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
