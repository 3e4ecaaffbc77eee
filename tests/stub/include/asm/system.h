/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_SYSTEM_H
#define STUB_ASM_SYSTEM_H

#include <linux/kernel.h>
#include <asm/cmpxchg.h>

#define smp_mb() __sync_synchronize()
#define smp_rmb() barrier()
#define smp_wmb() barrier()

#endif /* STUB_ASM_SYSTEM_H */
