/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_IRQ_WORK_H
#define STUB_LINUX_IRQ_WORK_H

struct irq_work {
	struct irq_work *next;
	void (*func)(struct irq_work *work);
};

static inline void init_irq_work(struct irq_work *entry,
				 void (*func)(struct irq_work *work))
{
	entry->next = NULL;
	entry->func = func;
}

extern void irq_work_run(void);
extern bool irq_work_queue(struct irq_work *entry);
extern void irq_work_sync(struct irq_work *entry);

#endif /* STUB_LINUX_IRQ_WORK_H */
