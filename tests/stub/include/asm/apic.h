/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_APIC_H
#define STUB_ASM_APIC_H

#include <asm/apicdef.h>

#endif /* STUB_ASM_APIC_H */
