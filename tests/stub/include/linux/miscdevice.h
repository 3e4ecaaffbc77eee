/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MISCDEVICE_H
#define STUB_LINUX_MISCDEVICE_H

#include <linux/module.h>

#define MISC_DYNAMIC_MINOR 255

struct file_operations;

struct miscdevice {
	int minor;
	const char *name;
	const struct file_operations *fops;
	const char *nodename;
	mode_t mode;
};

extern int misc_register(struct miscdevice *misc);
extern int misc_deregister(struct miscdevice *misc);

#endif /* STUB_LINUX_MISCDEVICE_H */
