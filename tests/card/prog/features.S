/* SPDX-License-Identifier: GPL-2.0 */
/*
 * features N: end with bit N of EDX of CPUID's leaf 1, or from 32 on of its ECX; from 64 on of EAX
 */
#include <asm/unistd.h>

#include "macros.S"

	.text
FUNCTION work
	mov	%edi, %esi
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	cmp	$64, %esi
	jae	1f
	mov	%edx, %eax
	cmp	$32, %esi
	jb	1f
	mov	%ecx, %eax
1:	xor	%edi, %edi
	bt	%esi, %eax
	setc	%dil
	mov	$__NR_exit_group, %eax
	syscall
END work
