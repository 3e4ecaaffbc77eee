/* SPDX-License-Identifier: GPL-2.0 */
/*
 * alternate N: N times {xor, jz, dec, jnz}: 4 N instructions, 2 N branches, no data. The jz is
 * taken every other time, and the emulated predictor is wrong whenever it is not.
 */
#include "macros.S"

	.text
FUNCTION work
	xor	%eax, %eax
1:	xor	$1, %eax
	jz	2f
	dec	%rdi
	jnz	1b
	ret
2:	dec	%rdi
	jnz	1b
	ret
END work
