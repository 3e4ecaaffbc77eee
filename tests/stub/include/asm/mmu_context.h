/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_MMU_CONTEXT_H
#define STUB_ASM_MMU_CONTEXT_H

#include <asm/atomic.h>

#endif /* STUB_ASM_MMU_CONTEXT_H */
