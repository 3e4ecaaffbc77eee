/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spin: for ever, in user mode
 */
#include "macros.S"

	.text
FUNCTION work
1:	jmp	1b
END work
