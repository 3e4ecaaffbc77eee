/* SPDX-License-Identifier: GPL-2.0 */
/*
 * readpmc N: N times {RDPMC of counter 0, of counter 1, dec, jnz}: SIGSEGV without
 * the permission
 */
#include "macros.S"

	.text
FUNCTION work
1:	xor	%ecx, %ecx
	rdpmc
	inc	%ecx
	rdpmc
	dec	%rdi
	jnz	1b
	ret
END work
