/* SPDX-License-Identifier: GPL-2.0 */
/*
 * caches N: N times: 2 MB read by lines; 5 times 128 KB read by lines; 10,000 reads at random in
 * 64 KB; 7 times 64 KB written by lines. The kernel fills the memory: the program does not write
 * what it reads.
 */
#include <asm/unistd.h>

#include "macros.S"

#define SIZE	0x200000

	.macro WALK size, access:vararg
	mov	%r12, %rsi
	mov	$\size / 64, %ecx
9:	\access
	add	$64, %rsi
	dec	%ecx
	jnz	9b
	.endm

	.text
FUNCTION work
	mov	%rdi, %r13
	mov	$__NR_mmap, %eax
	xor	%edi, %edi
	mov	$SIZE, %esi
	mov	$3, %edx			/* PROT_READ, PROT_WRITE */
	mov	$0x8022, %r10d			/* MAP_PRIVATE, ANONYMOUS, POPULATE */
	mov	$-1, %r8
	xor	%r9d, %r9d
	syscall
	mov	%rax, %r12
1:	WALK	SIZE, mov (%rsi), %rax
	mov	$5, %ebx
2:	WALK	0x20000, mov (%rsi), %rax
	dec	%ebx
	jnz	2b
	mov	$10000, %ecx
3:	imul	$1103515245, %edx, %edx
	add	$12345, %edx
	mov	%edx, %eax
	shr	$10, %eax
	and	$0xfff8, %eax
	mov	(%r12, %rax), %rax
	dec	%ecx
	jnz	3b
	mov	$7, %ebx
4:	WALK	0x10000, mov %rax, (%rsi)
	dec	%ebx
	jnz	4b
	dec	%r13
	jnz	1b
	ret
END work
