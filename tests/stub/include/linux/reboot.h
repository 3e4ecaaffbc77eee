/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_REBOOT_H
#define STUB_LINUX_REBOOT_H

#include <linux/notifier.h>

extern int register_reboot_notifier(struct notifier_block *nb);
extern int unregister_reboot_notifier(struct notifier_block *nb);

#endif /* STUB_LINUX_REBOOT_H */
