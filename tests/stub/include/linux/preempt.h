/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_PREEMPT_H
#define STUB_LINUX_PREEMPT_H

#include <linux/compiler.h>

/* neither PREEMPT nor PREEMPT_NOTIFIERS */
#define preempt_disable() barrier()
#define preempt_enable() barrier()

#endif /* STUB_LINUX_PREEMPT_H */
