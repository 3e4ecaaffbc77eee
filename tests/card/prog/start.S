/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the two numbers, do the work, exit
 */
#include <asm/unistd.h>

#include "macros.S"

	.text
FUNCTION _start
	mov	16(%rsp), %rsi		/* argv[1], or NULL */
	call	number
	push	%rax
	mov	32(%rsp), %rsi		/* argv[2], or the NULL after argv[1] */
	call	number
	mov	%rax, %rsi
	pop	%rdi
	call	work
	.globl	after_work
after_work:
	mov	$__NR_exit_group, %eax
	xor	%edi, %edi
	syscall
	hlt

/* The decimal number at %rsi; 0 if there is none */
number:
	xor	%eax, %eax
	test	%rsi, %rsi
	jz	2f
1:	movzbl	(%rsi), %ecx
	sub	$'0', %ecx
	js	2f
	imul	$10, %rax, %rax
	add	%rcx, %rax
	inc	%rsi
	jmp	1b
2:	ret
END _start
