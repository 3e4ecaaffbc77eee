/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MM_H
#define STUB_LINUX_MM_H

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <asm/page.h>
#include <asm/processor.h>

struct page;

#define VM_WRITE 0x2
#define VM_SHARED 0x8
#define VM_MAYWRITE 0x20
#define VM_IO 0x4000
#define VM_DONTCOPY 0x20000
#define VM_DONTEXPAND 0x40000
#define VM_RESERVED 0x80000

struct vm_fault {
	unsigned int flags;
	pgoff_t pgoff;
	void *virtual_address;
	struct page *page;
};

struct vm_operations_struct {
	void (*open)(struct vm_area_struct *area);
	void (*close)(struct vm_area_struct *area);
	int (*fault)(struct vm_area_struct *vma, struct vm_fault *vmf);
};

extern void si_meminfo(struct sysinfo *val);
extern struct page *vmalloc_to_page(const void *addr);
extern int vm_insert_page(struct vm_area_struct *vma, unsigned long addr,
			  struct page *page);

#endif /* STUB_LINUX_MM_H */
