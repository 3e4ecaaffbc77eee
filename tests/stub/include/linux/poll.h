/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_POLL_H
#define STUB_LINUX_POLL_H

#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/wait.h>
#include <linux/string.h>
#include <linux/fs.h>
#include <linux/uaccess.h>
#include <asm/poll.h>

typedef struct poll_table_struct {
	void (*qproc)(struct file *file, wait_queue_head_t *head,
		      struct poll_table_struct *wait);
	unsigned long key;
} poll_table;

static inline void poll_wait(struct file *filp, wait_queue_head_t *address,
			     poll_table *p)
{
	if (p && address)
		p->qproc(filp, address, p);
}

#endif /* STUB_LINUX_POLL_H */
