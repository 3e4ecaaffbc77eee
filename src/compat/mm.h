/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that user space maps; the mm_structs of processes that may execute RDPMC
 */
#ifndef KNC_PMU_COMPAT_MM_H
#define KNC_PMU_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/types.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "compat/compat.h"

/**
 * knc_compat_valloc() - allocate zeroed pages for knc_compat_map()
 * @size: bytes, whole pages
 *
 * Not vmalloc_user(): its failures are logged, and users must not fill the log.
 *
 * Return: the memory, to be freed by vfree(), or NULL.
 */
static inline void *knc_compat_valloc(size_t size)
{
#if !KNC_COMPAT_MPSS
	return __vmalloc(size, KNC_COMPAT_GFP_MAPPED);
#else
	return __vmalloc(size, KNC_COMPAT_GFP_MAPPED | __GFP_HIGHMEM, PAGE_KERNEL);
#endif
}

static inline void knc_compat_vma_flags(struct vm_area_struct *vma,
					unsigned long set, unsigned long clear)
{
#ifdef KNC_COMPAT_VM_FLAGS
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/*
 * Make a mapping that mprotect() can't make writable, and that fork() does not copy. VM_IO makes
 * madvise() refuse MADV_DOFORK
 */
static inline void knc_compat_vma_private(struct vm_area_struct *vma)
{
	knc_compat_vma_flags(vma, VM_DONTCOPY | VM_IO, VM_MAYWRITE);
}

/* Map memory of knc_compat_valloc() into all of @vma. */
int knc_compat_map(struct vm_area_struct *vma, void *memory);

/*
 * Does the kernel manage RDPMC in ring 3? Newer kernels set CR4.PCE while a process runs whose mm
 * has perf_rdpmc_allowed above 0. 2.6.38 never touches this bit.
 */
#define KNC_COMPAT_MM_RDPMC						\
	(!KNC_COMPAT_MPSS)

/* perf_rdpmc_allowed of @mm; NULL on 2.6.38 */
atomic_t *knc_compat_mm_rdpmc(struct mm_struct *mm);
/*
 * Make this kernel thread leave the mm that it has borrowed. Switching to the next task's mm then
 * makes the kernel test perf_rdpmc_allowed again
 */
void knc_compat_mm_leave(void);
/* Stop all CPUs for a moment: CPUs that use @mm (NULL: any mm) leave it. Sleeps. */
void knc_compat_mm_stop(struct mm_struct *mm);

/*
 * Since 5.14 perf marks the counters that it has used on each CPU as dirty. When a process with
 * RDPMC runs there next, the kernel sets them to 0, even if a session has them by then.
 */
#ifdef KNC_COMPAT_DIRTY_COUNTERS
#define KNC_COMPAT_DIRTY 1
#else
#define KNC_COMPAT_DIRTY 0
#endif

/*
 * Make this hardware thread leave the mm that is loaded. With KNC_COMPAT_DIRTY and an @mm, it
 * then switches to @mm, calls @fn, and leaves @mm. Without KNC_COMPAT_DIRTY, @fn is not called.
 * The caller is a kernel thread bound to this CPU. Sleeps.
 */
void knc_compat_use_mm_here(struct mm_struct *mm, void (*fn)(void));
/*
 * With KNC_COMPAT_DIRTY: keep() takes a reference to @mm, which then can be used after its process
 * has ended. put() drops the reference. empty() unmaps all memory in @mm if its process has ended.
 * put() and empty() sleep.
 */
void knc_compat_mm_keep(struct mm_struct *mm);
void knc_compat_mm_put(struct mm_struct *mm);
void knc_compat_mm_empty(struct mm_struct *mm);
/* Queue @work for a kernel thread of @cpu; false: @work is queued already. */
bool knc_compat_queue_on(unsigned int cpu, struct work_struct *work);

#endif /* KNC_PMU_COMPAT_MM_H */
