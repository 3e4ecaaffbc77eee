/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_HARDIRQ_H
#define STUB_LINUX_HARDIRQ_H

#include <linux/preempt.h>

#define HARDIRQ_OFFSET (1UL << 16)
#define NMI_MASK (1UL << 26)
#define PREEMPT_ACTIVE 0x10000000

#define in_nmi() (preempt_count() & NMI_MASK)

#define __irq_enter() add_preempt_count(HARDIRQ_OFFSET)
#define __irq_exit() sub_preempt_count(HARDIRQ_OFFSET)

#endif /* STUB_LINUX_HARDIRQ_H */
