/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MM_TYPES_H
#define STUB_LINUX_MM_TYPES_H

#include <linux/types.h>
#include <linux/threads.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/cpumask.h>
#include <linux/rwsem.h>
#include <asm/page.h>

struct file;
struct vm_operations_struct;

struct mm_struct {
	atomic_t mm_users;
	atomic_t mm_count;
	struct rw_semaphore mmap_sem;
	unsigned long locked_vm;
	unsigned long start_stack;
	unsigned long flags;
	cpumask_t cpu_vm_mask;
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_start;
	unsigned long vm_end;
	pgprot_t vm_page_prot;
	unsigned long vm_flags;
	const struct vm_operations_struct *vm_ops;
	unsigned long vm_pgoff;
	struct file *vm_file;
	void *vm_private_data;
};

#define mm_cpumask(mm) (&(mm)->cpu_vm_mask)

#endif /* STUB_LINUX_MM_TYPES_H */
