/* SPDX-License-Identifier: GPL-2.0 */
/*
 * string N: one REP MOVSB of N bytes, at most 2,000,000: 1 instruction, N loads,
 * N stores. It faults on every page of both areas and goes on where it was.
 */
#include "macros.S"

	.text
FUNCTION work
	mov	%rdi, %rcx
	lea	from(%rip), %rsi
	lea	to(%rip), %rdi
	rep movsb
	ret

	.lcomm	from, 2000000
	.lcomm	to, 2000000
END work
