/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spflt N M: SPFLT with 1, N times {dec, jnz}, SPFLT with 0, M times {dec, jnz}:
 * an event gated by SPFLT sees the first loop only
 *
 * Assemblers don't know SPFLT: its VEX bytes are written out.
 */
#include "macros.S"

	.text
FUNCTION work
	mov	$1, %eax
	.byte	0xc5, 0xfb, 0xae, 0xf0			/* spflt %eax */
1:	dec	%rdi
	jnz	1b
	xor	%r8d, %r8d
	.byte	0xc4, 0xc1, 0xfb, 0xae, 0xf0		/* spflt %r8 */
2:	dec	%rsi
	jnz	2b
	ret
END work
