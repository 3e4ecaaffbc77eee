/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory: that user space maps, and that of processes which may execute RDPMC
 */
#ifndef KNC_PMU_COMPAT_MM_H
#define KNC_PMU_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"

/**
 * knc_compat_valloc() - zeroed pages for knc_compat_map()
 * @size: bytes, whole pages
 *
 * vmalloc_user() would write the state of all memory to the log when it fails.
 *
 * Return: what vfree() frees, or NULL.
 */
static inline void *knc_compat_valloc(size_t size)
{
#if !KNC_COMPAT_MPSS
	return __vmalloc(size, KNC_COMPAT_GFP_QUIET | __GFP_ZERO);
#else
	return __vmalloc(size, KNC_COMPAT_GFP_QUIET | __GFP_HIGHMEM | __GFP_ZERO,
			 PAGE_KERNEL);
#endif
}

static inline void knc_compat_vma_flags(struct vm_area_struct *vma,
					unsigned long set, unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* A mapping that can't be made writable either, and that a child has not */
static inline void knc_compat_vma_private(struct vm_area_struct *vma)
{
	knc_compat_vma_flags(vma, VM_DONTCOPY, VM_MAYWRITE);
}

/* Map memory of knc_compat_valloc(), as many pages as @vma has. */
int knc_compat_map(struct vm_area_struct *vma, void *memory);

/*
 * RDPMC in ring 3: the kernel sets CR4.PCE for each process of its own, if this counter
 * is not 0; on 2.6.38 nothing ever touches the bit.
 */
#define KNC_COMPAT_MM_RDPMC						\
	(!KNC_COMPAT_MPSS)

atomic_t *knc_compat_mm_rdpmc(struct mm_struct *mm);
/* When this returns its new value holds for all that run in @mm. Sleeps. */
void knc_compat_mm_reload(struct mm_struct *mm);

/*
 * Since 5.14 perf marks the counters that it leaves, for each CPU, and writes 0 to them
 * when it next lets a process have RDPMC there, whoever has them then. Any older
 * kernel has nothing to be cleared.
 */
#define KNC_COMPAT_DIRTY						\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0))

/*
 * On all hardware threads at once, each in a kernel thread of its own: leave the memory
 * that is loaded there, switch to @mm (NULL: to none), call @fn, leave @mm again. The
 * hotplug lock is held. Sleeps; one caller at a time.
 */
void knc_compat_visit(struct mm_struct *mm, void (*fn)(void));
/* The same on this hardware thread; in a kernel thread that is bound to it */
void knc_compat_visit_here(struct mm_struct *mm, void (*fn)(void));

#endif /* KNC_PMU_COMPAT_MM_H */
