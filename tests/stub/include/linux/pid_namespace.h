/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_PID_NAMESPACE_H
#define STUB_LINUX_PID_NAMESPACE_H

#include <linux/threads.h>
#include <linux/kref.h>
#include <linux/mm.h>

struct pid_namespace {
	struct kref kref;
	unsigned int level;
};

extern struct pid_namespace init_pid_ns;

#endif /* STUB_LINUX_PID_NAMESPACE_H */
