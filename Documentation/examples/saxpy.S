/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loops of saxpy.c. rdi: y, rsi: x, rdx: a, rcx: the number of elements, a multiple of 16. They
 * change zmm1 to zmm3, hence xmm1 to xmm3, which a function need not keep.
 */
#include <knc/assembler.inc>

	.text

/* An element each time: of scalar floats the card has x87 only, and compilers use such a mask */
	.globl	saxpy_naive
saxpy_naive:
	mov	$1, %eax
	knc_kmov k1, eax
	knc_vbroadcastss zmm1, base=rdx, mask=k1
1:	knc_vbroadcastss zmm2, base=rdi, mask=k1
	knc_vfmadd231ps zmm2, zmm1, base=rsi, how=1to16, mask=k1
	knc_vpackstorelps zmm2, base=rdi, mask=k1
	add	$4, %rdi
	add	$4, %rsi
	dec	%rcx
	jnz	1b
	ret

/* 16 elements each time */
	.globl	saxpy_vector
saxpy_vector:
	knc_vbroadcastss zmm1, base=rdx
1:	knc_vmovaps zmm2, base=rdi
	knc_vfmadd231ps zmm2, zmm1, base=rsi
	knc_vmovaps_store zmm2, base=rdi
	add	$64, %rdi
	add	$64, %rsi
	sub	$16, %rcx
	jnz	1b
	ret

/* The same where x is above 0: k2 has the elements with 0 < x */
	.globl	saxpy_masked
saxpy_masked:
	knc_vbroadcastss zmm1, base=rdx
	knc_vpxord zmm3, zmm3, zmm3
1:	knc_vcmpps k2, zmm3, base=rsi, imm=1
	knc_vmovaps zmm2, base=rdi
	knc_vfmadd231ps zmm2, zmm1, base=rsi, mask=k2
	knc_vmovaps_store zmm2, base=rdi, mask=k2
	add	$64, %rdi
	add	$64, %rsi
	sub	$16, %rcx
	jnz	1b
	ret

	.section .note.GNU-stack, "", @progbits
