/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_CPUFEATURE_H
#define STUB_ASM_CPUFEATURE_H

#include <asm/processor.h>

#define X86_FEATURE_APIC (0 * 32 + 9)
#define boot_cpu_has(bit)						\
	(boot_cpu_data.x86_capability[(bit) / 32] >> ((bit) % 32) & 1)

#endif /* STUB_ASM_CPUFEATURE_H */
