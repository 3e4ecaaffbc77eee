/* SPDX-License-Identifier: GPL-2.0 */
/*
 * copy N: N times {load, store, dec, jnz}: 4 N instructions, N branches, N
 * loads, N stores
 */
#include "macros.S"

	.text
FUNCTION work
	lea	from(%rip), %rsi
	lea	to(%rip), %rdx
1:	mov	(%rsi), %rax
	mov	%rax, (%rdx)
	dec	%rdi
	jnz	1b
	ret

	.lcomm	from, 8
	.lcomm	to, 8
END work
