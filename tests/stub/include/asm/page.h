/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_PAGE_H
#define STUB_ASM_PAGE_H

#define PAGE_SHIFT 12
#define PAGE_SIZE (1UL << PAGE_SHIFT)

typedef struct {
	unsigned long pgprot;
} pgprot_t;

#define THREAD_ORDER 1
#define THREAD_SIZE (PAGE_SIZE << THREAD_ORDER)

#define PAGE_KERNEL ((pgprot_t) { 0x63 })

#endif /* STUB_ASM_PAGE_H */
