/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_TSC_H
#define STUB_ASM_TSC_H

#include <asm/processor.h>

extern unsigned int tsc_khz;

#endif /* STUB_ASM_TSC_H */
