/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_IRQFLAGS_H
#define STUB_LINUX_IRQFLAGS_H

#include <linux/compiler.h>

#define local_irq_save(flags) \
	do { typeof(unsigned long) *__f = &(flags); *__f = 0; barrier(); } while (0)
#define local_irq_restore(flags) do { (void)(flags); barrier(); } while (0)
#define local_irq_disable() barrier()
#define local_irq_enable() barrier()

#endif /* STUB_LINUX_IRQFLAGS_H */
