/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rbp N M: N times {dec, jnz} with an invalid frame pointer: M, or if M is
 *
 *	1	that of a frame whose caller is itself
 *	2	that of two frames that call each other
 *	3	the last 8 bytes of a page without one after it
 *	4	that of a frame that returns to 0
 *	5	an odd address, of a good outermost frame that returns to 0x1234
 */
#include <asm/unistd.h>

#include "macros.S"

#define PAGE	0x1000

	.section .data
	.balign	16
/* for each M: the frame pointer, then the data that a few of them need */
frames:
	.quad	self, 0
	.quad	one, 0
	.quad	0, page + PAGE - 8
	.quad	nowhere, 0
	.quad	odd, 0
self:
	.quad	self, 0x1234
one:
	.quad	other, 0x1234
other:
	.quad	one, 0x5678
nowhere:
	.quad	one, 0
	.byte	0
odd:
	.quad	0, 0x1234

	.bss
	.balign	PAGE
page:
	.skip	2 * PAGE

	.text
FUNCTION work
	mov	%rsi, %rbp
	cmp	$5, %rsi
	ja	1f
	lea	frames(%rip), %rax
	shl	$4, %rsi
	lea	-16(%rax, %rsi), %rax
	mov	(%rax), %rbp
	cmp	$(3 << 4), %rsi
	jne	1f
	mov	8(%rax), %rbp
	movq	$0, (%rbp)		/* the syscall succeeds */
	call	unmap
1:
	.globl	rbp_loop
	.type	rbp_loop, @function
rbp_loop:
	dec	%rdi
	jnz	rbp_loop
	.size	rbp_loop, . - rbp_loop
	ret

/* The page after the one to whose end @rbp points is not mapped */
unmap:
	push	%rdi
	mov	$__NR_munmap, %eax
	lea	8(%rbp), %rdi
	mov	$PAGE, %esi
	syscall
	pop	%rdi
	ret
END work
