/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_APICDEF_H
#define STUB_ASM_APICDEF_H

/* where the fixed mapping of the local APIC is */
#define APIC_BASE 0xffffffffff5fd000UL

#endif /* STUB_ASM_APICDEF_H */
