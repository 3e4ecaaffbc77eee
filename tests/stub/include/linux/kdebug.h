/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_KDEBUG_H
#define STUB_LINUX_KDEBUG_H

#include <linux/notifier.h>
#include <asm/kdebug.h>

struct pt_regs;

struct die_args {
	struct pt_regs *regs;
	const char *str;
	long err;
	int trapnr;
	int signr;
};

extern int register_die_notifier(struct notifier_block *nb);
extern int unregister_die_notifier(struct notifier_block *nb);

#endif /* STUB_LINUX_KDEBUG_H */
