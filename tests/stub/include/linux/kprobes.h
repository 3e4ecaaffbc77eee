/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_KPROBES_H
#define STUB_LINUX_KPROBES_H

#include <linux/list.h>
#include <linux/types.h>

typedef u8 kprobe_opcode_t;

struct pt_regs;

struct kprobe {
	struct hlist_node hlist;
	struct list_head list;
	unsigned long nmissed;
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;
	int (*pre_handler)(struct kprobe *p, struct pt_regs *regs);
	u32 flags;
};

int register_kprobe(struct kprobe *p);
void unregister_kprobe(struct kprobe *p);

#endif /* STUB_LINUX_KPROBES_H */
