/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lacking N: execute instruction N of those that a card lacks; 0: one that it has
 */
#include "macros.S"

	.text
/* Each instruction begins 16 bytes after the one before it */
.macro TRY insn:vararg
	.p2align 4
	\insn
	ret
.endm

FUNCTION work
	lea	tries(%rip), %rax
	shl	$4, %rdi
	add	%rdi, %rax
	/* memory for the instructions with an operand in memory, aligned for all of them */
	lea	-64(%rsp), %rsi
	and	$-16, %rsi
	fldz
	fldz
	jmp	*%rax
	.p2align 4
tries:
	TRY bswap %eax
	TRY cmovz %ecx, %eax
	TRY pause
	TRY prefetcht0 (%rsi)
	TRY mfence
	TRY xorps %xmm0, %xmm0
	TRY nopl (%rax)
	TRY rdtscp
	TRY cmpxchg16b (%rsi)
	TRY clflush (%rsi)
	TRY fcomi %st(1), %st
	TRY lfence
	TRY sfence
	TRY cvtsi2sd %eax, %xmm0
END work
