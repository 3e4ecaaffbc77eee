/* SPDX-License-Identifier: GPL-2.0 */
/* Bare-metal test of the emulated card: programs of vector instructions, which kernels.c counts */
#include "knc/assembler.inc"

	.text

/*
 * How often 16 points of the Mandelbrot set are iterated, 20 times at most. rdi: their real parts,
 * their imaginary ones, 1 as an integer and 4 as a float; rsi: the numbers. k1: points that did not
 * leave yet
 */
	.globl	mandelbrot
mandelbrot:
	mov	$0xffff, %eax
	knc_kmov k1, eax
	knc_vmovaps zmm0, base=rdi
	knc_vmovaps zmm1, base=rdi, disp=64
	knc_vpxord zmm2, zmm2, zmm2
	knc_vpxord zmm3, zmm3, zmm3
	knc_vpxord zmm8, zmm8, zmm8
	knc_vpbroadcastd zmm9, base=rdi, disp=128
	knc_vbroadcastss zmm10, base=rdi, disp=132
	mov	$20, %ecx
1:	knc_vmulps zmm4, zmm2, zmm2
	knc_vmulps zmm5, zmm3, zmm3
	knc_vaddps zmm6, zmm4, zmm5
	knc_vcmpps k1, zmm6, zmm10, imm=1, mask=k1
	knc_jkzd k1, 2f
	knc_vmulps zmm7, zmm2, zmm3
	knc_vaddps zmm7, zmm7, zmm7
	knc_vaddps zmm3, zmm7, zmm1, mask=k1
	knc_vsubps zmm7, zmm4, zmm5
	knc_vaddps zmm2, zmm7, zmm0, mask=k1
	knc_vpaddd zmm8, zmm8, zmm9, mask=k1
	dec	%ecx
	jnz	1b
2:	knc_vmovdqa32_store zmm8, base=rsi
	ret

/*
 * Sums of seven points of a grid of integers: 4 * 4 rows of 16 within a grid of 6 * 6 rows of 48.
 * rdi: the first of these rows' 16 points, rsi: the sums, rdx: indices of the points to the left,
 * and of those to the right
 */
	.globl	stencil
stencil:
	mov	$0xffff, %r8d
	knc_vmovdqa32 zmm0, base=rdx
	knc_vmovdqa32 zmm1, base=rdx, disp=64
	mov	$4, %ecx
1:	mov	$4, %ebx
2:	knc_kmov k2, r8d
	knc_vmovdqa32 zmm4, base=rdi
3:	knc_vpgatherdd zmm2, base=rdi, index=zmm0, scale=4, mask=k2
	knc_jknzd k2, 3b
	knc_kmov k2, r8d
	knc_vpaddd zmm4, zmm4, base=rdi, disp=-192
4:	knc_vpgatherdd zmm3, base=rdi, index=zmm1, scale=4, mask=k2
	knc_jknzd k2, 4b
	knc_vpaddd zmm4, zmm4, base=rdi, disp=192
	knc_vpaddd zmm4, zmm4, base=rdi, disp=-1152
	knc_vpaddd zmm4, zmm4, base=rdi, disp=1152
	knc_vpaddd zmm4, zmm4, zmm2
	knc_vpaddd zmm4, zmm4, zmm3
	knc_vmovdqa32_store zmm4, base=rsi
	add	$192, %rdi
	add	$64, %rsi
	dec	%ebx
	jnz	2b
	add	$384, %rdi
	dec	%ecx
	jnz	1b
	ret

	.section .note.GNU-stack, "", @progbits
