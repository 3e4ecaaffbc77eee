/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_VMALLOC_H
#define STUB_LINUX_VMALLOC_H

#include <linux/types.h>
#include <asm/page.h>

extern void *__vmalloc(unsigned long size, gfp_t gfp_mask, pgprot_t prot);
extern void *vmalloc_user(unsigned long size);
extern void vfree(const void *addr);

#endif /* STUB_LINUX_VMALLOC_H */
