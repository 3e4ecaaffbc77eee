/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_SLAB_H
#define STUB_LINUX_SLAB_H

#include <linux/gfp.h>
#include <linux/types.h>

struct kmem_cache;

/* SLUB with tracing, as the cards' kernels are configured */
extern struct kmem_cache *kmalloc_caches[];
extern void *kmem_cache_alloc_trace(struct kmem_cache *s, gfp_t flags,
				    size_t size);
extern void *__kmalloc(size_t size, gfp_t flags);
extern void kfree(const void *p);

static inline void *kmalloc(size_t size, gfp_t flags)
{
	if (__builtin_constant_p(size))
		return kmem_cache_alloc_trace(kmalloc_caches[size % 8], flags,
					      size);
	return __kmalloc(size, flags);
}

static inline void *kzalloc(size_t size, gfp_t flags)
{
	return kmalloc(size, flags | __GFP_ZERO);
}

static inline void *kcalloc(size_t n, size_t size, gfp_t flags)
{
	return size && n > ~0UL / size ? NULL :
	       __kmalloc(n * size, flags | __GFP_ZERO);
}

#endif /* STUB_LINUX_SLAB_H */
