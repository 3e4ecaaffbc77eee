/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_FS_H
#define STUB_LINUX_FS_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/init.h>
#include <linux/pid.h>
#include <linux/mutex.h>
#include <linux/capability.h>
#include <linux/err.h>

struct file;
struct inode;
struct module;
struct poll_table_struct;
struct vm_area_struct;

struct file_operations {
	struct module *owner;
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	unsigned int (*poll)(struct file *file, struct poll_table_struct *wait);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd,
			       unsigned long arg);
	long (*compat_ioctl)(struct file *file, unsigned int cmd,
			     unsigned long arg);
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
};

struct file {
	const struct file_operations *f_op;
	unsigned int f_flags;
	fmode_t f_mode;
	const struct cred *f_cred;
	void *private_data;
};

extern int nonseekable_open(struct inode *inode, struct file *filp);

#endif /* STUB_LINUX_FS_H */
