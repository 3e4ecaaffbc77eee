/* SPDX-License-Identifier: GPL-2.0 */
/*
 * toggle: for ever, SPFLT with 1 and with 0 in turn
 */
#include "macros.S"

	.text
FUNCTION work
1:	xor	$1, %eax
	.byte	0xc5, 0xfb, 0xae, 0xf0			/* spflt %eax */
	jmp	1b
END work
