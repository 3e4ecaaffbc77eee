/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_NMI_H
#define STUB_ASM_NMI_H

#include <asm/io.h>

extern int reserve_perfctr_nmi(unsigned int msr);
extern void release_perfctr_nmi(unsigned int msr);
extern int reserve_evntsel_nmi(unsigned int msr);
extern void release_evntsel_nmi(unsigned int msr);

#endif /* STUB_ASM_NMI_H */
