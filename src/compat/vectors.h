/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupt vectors of a module
 */
#ifndef KNC_PMU_COMPAT_VECTORS_H
#define KNC_PMU_COMPAT_VECTORS_H

#include <linux/types.h>

struct pt_regs;

/* Can modules have vectors? Since 6.1 x86_vector_domain and its functions are exported. */
#if defined(KNC_COMPAT_VECTOR_ALLOC) && defined(KNC_COMPAT_VECTOR_DOMAIN) && \
	defined(KNC_COMPAT_VECTOR_NUMBER) && defined(KNC_COMPAT_VECTOR_AFFINITY)
#define KNC_COMPAT_VECTORS 1
#else
#define KNC_COMPAT_VECTORS 0
#endif

/* The handler, called with interrupts off; must call @eoi(@arg) once */
extern void (*knc_compat_vector_handler)(struct pt_regs *regs,
					 void (*eoi)(void *arg), void *arg);
/* Returns the vector, or a negative errno */
int knc_compat_vector_alloc(unsigned int cpu);
void knc_compat_vector_free(unsigned int cpu);

#endif /* KNC_PMU_COMPAT_VECTORS_H */
