/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nested N: work calls outer, middle, inner and leaf in turn, all with frame
 * pointers; leaf goes N times round {dec, jnz}. after_X is where X returns to.
 */
#include "macros.S"

.macro CALLS caller, callee
FUNCTION \caller
	push	%rbp
	mov	%rsp, %rbp
	call	\callee
	.globl	after_\callee
after_\callee:
	pop	%rbp
	ret
	.size	\caller, . - \caller
.endm

	.text
	CALLS	work, outer
	CALLS	outer, middle
	CALLS	middle, inner
	CALLS	inner, leaf

FUNCTION leaf
	push	%rbp
	mov	%rsp, %rbp
	.globl	leaf_loop
	.type	leaf_loop, @function
leaf_loop:
	dec	%rdi
	jnz	leaf_loop
	.size	leaf_loop, . - leaf_loop
	pop	%rbp
	ret
END leaf
