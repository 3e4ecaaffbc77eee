// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt vectors of a module, one for each CPU, from x86_vector_domain
 */
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/topology.h>

#include "compat/vectors.h"

#if KNC_COMPAT_VECTORS
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>

#include <asm/irq_regs.h>
#include <asm/irqdomain.h>
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
	/* the LVT entry contains this vector: it must not move to another CPU */
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
