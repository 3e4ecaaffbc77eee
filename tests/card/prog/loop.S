/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loop N: N times {dec, jnz}: 2 N instructions, N branches, no data
 */
#include "macros.S"

	.text
FUNCTION work
1:	dec	%rdi
	jnz	1b
	ret
END work
