/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_NOTIFIER_H
#define STUB_LINUX_NOTIFIER_H

#include <linux/errno.h>
#include <linux/mutex.h>

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action,
			     void *data);
	struct notifier_block *next;
	int priority;
};

#define NOTIFY_DONE 0x0000
#define NOTIFY_OK 0x0001
#define NOTIFY_STOP 0x8001

#define CPU_ONLINE 0x0002
#define CPU_DEAD 0x0007
#define CPU_DYING 0x0008
#define CPU_STARTING 0x000a
#define CPU_TASKS_FROZEN 0x0010

#endif /* STUB_LINUX_NOTIFIER_H */
