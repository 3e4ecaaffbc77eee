// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that user space maps; the mm_structs of processes that may execute RDPMC
 */
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <asm/mmu_context.h>

#include "compat/compat.h"
#include "compat/mm.h"

#if KNC_COMPAT_DIRTY
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#endif

#if KNC_COMPAT_MPSS
#define VM_DONTDUMP VM_RESERVED
#endif

/**
 * knc_compat_map() - map memory of knc_compat_valloc()
 * @vma: the mapping, all of which is mapped
 * @memory: the memory, at least as large
 *
 * Not remap_vmalloc_range(): it refuses memory that is not from vmalloc_user(), and on 2.6.38 lets
 * mremap() enlarge the mapping.
 *
 * Return: 0, or -ENOMEM.
 */
int knc_compat_map(struct vm_area_struct *vma, void *memory)
{
	unsigned long at;
	int err = 0;

	for (at = vma->vm_start; !err && at < vma->vm_end; at += PAGE_SIZE)
		err = vm_insert_page(vma, at,
				     vmalloc_to_page(memory + (at - vma->vm_start)));
	knc_compat_vma_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, 0);
	return err;
}

#if KNC_COMPAT_MM_RDPMC
#include <linux/stop_machine.h>

atomic_t *knc_compat_mm_rdpmc(struct mm_struct *mm)
{
	return &mm->context.perf_rdpmc_allowed;
}

void knc_compat_mm_leave(void)
{
	preempt_disable();
#ifdef KNC_COMPAT_LEAVE_MM_VOID
	leave_mm();
#else
	leave_mm(smp_processor_id());
#endif
	preempt_enable();
}

/* Runs in the stopper thread, which is a kernel thread, too */
static int knc_compat_leave_here(void *unused)
{
	knc_compat_mm_leave();
	return 0;
}

void knc_compat_mm_stop(struct mm_struct *mm)
{
	/* each CPU tests the mask when it is stopped */
	stop_machine(knc_compat_leave_here, NULL, mm ? mm_cpumask(mm) : cpu_online_mask);
}

void knc_compat_use_mm_here(struct mm_struct *mm, void (*fn)(void))
{
	/* the kernel tests perf_rdpmc_allowed only if another mm was loaded before */
	knc_compat_mm_leave();
#if KNC_COMPAT_DIRTY
	if (!mm)
		return;
	kthread_use_mm(mm);
	fn();
	kthread_unuse_mm(mm);
	/* leave @mm, so that the next call switches to it again */
	knc_compat_mm_leave();
#endif
}

bool knc_compat_queue_on(unsigned int cpu, struct work_struct *work)
{
	return queue_work_on(cpu, system_highpri_wq, work);
}
#else
atomic_t *knc_compat_mm_rdpmc(struct mm_struct *mm)
{
	return NULL;
}

void knc_compat_mm_leave(void)
{
}

void knc_compat_mm_stop(struct mm_struct *mm)
{
}

void knc_compat_use_mm_here(struct mm_struct *mm, void (*fn)(void))
{
}

bool knc_compat_queue_on(unsigned int cpu, struct work_struct *work)
{
	return false;
}
#endif

#if KNC_COMPAT_DIRTY
void knc_compat_mm_keep(struct mm_struct *mm)
{
	mmget(mm);
}

void knc_compat_mm_put(struct mm_struct *mm)
{
	mmput(mm);
}

/* Called in a kernel thread. Mappings that the program has sealed (mseal()) stay. */
void knc_compat_mm_empty(struct mm_struct *mm)
{
	if (atomic_read(&mm->mm_users) != 1)
		return;
	kthread_use_mm(mm);
	vm_munmap(0, TASK_SIZE);
	kthread_unuse_mm(mm);
}
#else
void knc_compat_mm_keep(struct mm_struct *mm)
{
}

void knc_compat_mm_put(struct mm_struct *mm)
{
}

void knc_compat_mm_empty(struct mm_struct *mm)
{
}
#endif
