/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call N: N times {call, ret, dec, jnz}: 4 N instructions, 3 N branches, N
 * loads and N stores of the stack
 */
#include "macros.S"

	.text
FUNCTION work
1:	call	2f
	dec	%rdi
	jnz	1b
2:	ret
END work
