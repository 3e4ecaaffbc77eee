/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_ASM_KDEBUG_H
#define STUB_ASM_KDEBUG_H

enum die_val {
	DIE_OOPS = 1,
	DIE_NMI = 5,
	DIE_TRAP = 9,
	DIE_NMIUNKNOWN = 13,
};

#endif /* STUB_ASM_KDEBUG_H */
